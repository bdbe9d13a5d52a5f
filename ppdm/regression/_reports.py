"""From what was released to what a fit needs: how likely each truth makes each report.

Nothing behind this file knows a scheme. Another coin for each person, a channel for each question,
some asked by lot, an answer that is missing: all are only other rows of P[report | truth].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._weighted import numbers_of
from ppdm.channel import bound
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray


class Likelihoods(NamedTuple):
    """How likely each truth makes each report."""

    classes: AnyArray
    """The true values, (K,)."""
    table: FloatArray
    """P[report | truth] of the reports that differ, (K, R)."""
    rows: IntArray
    """Which of them each person's report is, (n,); a missing one is the last, of ones."""
    told: BoolArray
    """Whose report is there, (n,)."""


def likelihoods(
    estimator: Any, reports: Any, scheme_of: ArrayLike | None, known: AnyArray | None
) -> Likelihoods:
    """Return P[report | truth] of each report, by the channel that its person had.

    Of answers in the clear the classes may be ``known``, from a fit.
    """
    shape = check.plain(reports, "y").shape
    rule = "y should be a 1d array or a table of reports, (n,) or (n, n_columns)"
    check.demand(len(shape) in (1, 2) and 0 not in shape, rule, shape)
    tables, rows, classes = list[FloatArray](), np.full(shape[0], -1), np.zeros(0)
    for scheme, person in _channels(estimator.scheme, scheme_of, shape[0]):
        channel, block, feature = opened(scheme, reports, estimator.feature)
        if estimator.missing == "drop":
            person &= ~check.missing_values(block).reshape(len(block), -1).any(axis=1)
        if person.any():
            values, table, codes = rows_of(channel, block[person], feature, known)
            same = not tables or np.array_equal(classes, values)
            check.demand(same, "scheme must have channels of the same true values", values)
            rows[person], classes = codes + sum(map(len, tables)), values
            tables.append(table)
    check.demand(tables, "y must hold one that is not missing", "none")
    rank, K = int(np.linalg.matrix_rank(np.vstack(tables))), classes.size
    rule = f"scheme must tell {K} true values apart, by {K} linearly independent columns"
    check.demand(rank == K, rule, rank)
    table = np.vstack([*tables, np.ones(K)]).T
    never = int((table.max(axis=0) <= 0)[rows].sum())
    check.demand(not never, "y must be such as their channel releases", f"{never} others")
    return Likelihoods(classes, table, rows, rows >= 0)


def _channels(scheme: Any, scheme_of: Any, n: int) -> list[tuple[Any, BoolArray]]:
    """Return each channel that somebody had, and who did."""
    if not isinstance(scheme, Mapping):
        check.goes_with(scheme_of, "scheme_of", "a dict of schemes")
        return [(scheme, np.ones(n, dtype=np.bool_))]
    had = check.plain(scheme_of, "scheme_of")
    rule = f"scheme_of must say of each of the {n} reports in y which channel of scheme it had,"
    known = had.shape == (n,) and set(had.tolist()) <= set(scheme)
    check.demand(known, f"{rule} of {check.printed(list(scheme))}", scheme_of)
    return [(scheme[name], had == name) for name in scheme if (had == name).any()]


def opened(
    scheme: Any, reports: Any, feature: Any, name: str = "scheme"
) -> tuple[Any, AnyArray, int]:
    """Return the channel, which knows its attributes, what was released of one, (n, w), and which.

    None stands for answers in the clear.
    """
    if scheme is None:
        return None, check.plain(reports, "y"), 0
    channel = bound(scheme, reports, "y", name)
    place = check.place_of(feature, channel, range(channel.n_features_in_))
    return channel, check.released_of(channel, reports, place, "y"), place


def rows_of(
    channel: Any, block: AnyArray, feature: int = 0, known: AnyArray | None = None
) -> tuple[AnyArray, FloatArray, IntArray]:
    """Return the true values, P[report | truth], (R, K), and the row of each report."""
    if channel is None:
        own, codes = check.classes(block, len(block))
        classes = own if known is None else known
        rule = "y must be of two classes or more (and of reports the scheme must be given)"
        check.demand(classes.size > 1, rule, f"one class, {classes.tolist()}")
        return classes, np.eye(classes.size), numbers_of(own, classes)[codes]
    values, table = truths_of(channel, feature)
    with check.naming("y", "what the channel releases"):
        codes = channel.codes_of(block, feature)
    return values, table, np.asarray(codes, dtype=np.intp)


def truths_of(channel: Any, feature: int = 0, name: str = "scheme") -> tuple[AnyArray, FloatArray]:
    """Return the true values of an attribute and P[released | true], (S, K)."""
    table = check.channel(channel, name, ndim=2, feature=feature)
    known = check.known_categories(channel) if hasattr(channel, "channel_matrix") else None
    labels = None if known is None else known[feature]
    return np.arange(table.shape[1]) if labels is None else labels, table
