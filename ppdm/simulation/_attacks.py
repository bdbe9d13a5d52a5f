"""The attack that applies to a scheme, and what a guess reaches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm import attacks
from ppdm.guidance import log_likelihood, one_hot
from ppdm.guidance._perturbation import bit_groups, draw_bits
from ppdm.protocol import GuidedPerturbation
from ppdm.simulation._people import is_numeric, take
from ppdm.typing import AnyArray

#: Whose answers are read, and who is told from another, at most.
_READ, _TOLD = 500, 20


def attack_by(
    asked: Any, scheme: Any, table: Any, X: Any, records: AnyArray, y: Any, rng: np.random.Generator
) -> tuple[str, float, float]:
    """Return the name of the attack that was made, what it gained, and what a guess reaches.

    ``table`` is what the scheme released of X, whose codes, where it has some, are ``records``.
    """
    if callable(asked):
        found = check.having(asked(scheme, X, y, rng), "what attack returns", "gain", "baseline")
        return getattr(asked, "__name__", "attack"), float(found.gain), float(found.baseline)
    name = _strongest(scheme, X)
    if asked not in (True, name):
        name = "none"
    if name == "reading":
        found = _read(scheme, table, records, y, rng)
    elif name == "leave one out":
        targets = rng.permutation(len(records))[:_TOLD]

        def publish(people: AnyArray, _: Any) -> Any:
            return scheme.fit(people).transform(people)

        found = attacks.leave_one_out(publish, records, targets=targets, random_state=rng)
    else:
        told = _membership(scheme, records, y, rng) if name == "membership" else np.nan
        return name, told - 0.5, 0.5 + 0 * told
    return name, found.gain, found.baseline


def _strongest(scheme: Any, X: Any) -> str:
    """Return the strongest attack that applies; none to a classifier, which releases no table."""
    if hasattr(scheme, "log_likelihood") or isinstance(scheme, GuidedPerturbation):
        return "reading"
    if hasattr(scheme, "predict") or not is_numeric(X):
        return "none"
    return "membership" if hasattr(scheme, "fit_resample") else "leave one out"


def _read(scheme: Any, table: Any, records: AnyArray, y: Any, rng: np.random.Generator) -> Any:
    """Read the attributes of some people, whose class is known, from a pool of everybody."""
    label = np.zeros(len(records)) if y is None else np.unique(y, return_inverse=True)[1]
    people = rng.permutation(len(records))[:_READ]
    channel: Any = scheme
    if isinstance(scheme, GuidedPerturbation):  # by the last guidance that the miner sent
        V, released = scheme.V_, draw_bits(records[people], scheme.V_, rng)
        groups = bit_groups(scheme.n_values)
        records = np.column_stack([records[:, bits].argmax(axis=1) for bits in groups])
        channel = lambda R, X: log_likelihood(R, one_hot(X, scheme.n_values), V)  # noqa: E731
    elif is_numeric(table):
        released = np.asarray(take(table, people))
    else:
        released = scheme.codes(np.asarray(take(table, people)))
        channel = [scheme.channel_matrix(j) for j in range(records.shape[1])]
    pool, counts = np.unique(np.column_stack([records, label]), axis=0, return_counts=True)
    return attacks.recover_attributes(
        channel,
        released,
        records[people],
        pool[:, :-1].astype(records.dtype),
        prior=counts / counts.sum(),
        known=(label[people], pool[:, -1]),
    )


def _membership(scheme: Any, records: AnyArray, y: Any, rng: np.random.Generator) -> float:
    """Tell the members of an invented table from others: AUC, with the class or without it."""
    order = rng.permutation(len(records))
    others, members = np.split(order, [len(order) // 5])
    released, classes = scheme.fit_resample(records[members], y[members])
    by_class = (np.asarray(classes), y[members], y[others])
    rows = np.asarray(released, dtype=np.float64), records[members], records[others]
    return max(attacks.membership_inference(*rows, y=each).auc for each in (None, by_class))


def blind(records: AnyArray, y: AnyArray) -> float:
    """Return the share of attributes that is read right by who knows the class alone."""
    right = 0
    for column in records.T:
        for label in np.unique(y):
            right += np.unique(column[y == label], return_counts=True)[1].max()
    return float(right / records.size)
