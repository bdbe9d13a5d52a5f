"""The records that a target may be, and what is believed about each target.

The two steps of every attack by Bayes' rule: a belief before the release, and one after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array

from ppdm import _validation as check
from ppdm.channel import as_channel
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

#: What is known of each target beside the release, and the same of each candidate.
Known = tuple[ArrayLike, ArrayLike]
#: Table entries (targets by candidates) worked on at a time.
_CHUNK = 2**21
#: Probabilities this close are equal but for rounding.
_TIE = 1e-9


def ties(table: FloatArray) -> BoolArray:
    """Return which entries are the largest of their row, but for rounding."""
    return np.asarray(table >= table.max(axis=1, keepdims=True) * (1 - _TIE))


def chance_of(shares: FloatArray, place: IntArray) -> FloatArray:
    """Return how likely a guess of the likeliest column, ties at random, is the given one.

    A place of -1 is none of the columns.
    """
    best = ties(shares)
    hit = best[np.arange(len(best)), place] & (place >= 0)
    return np.asarray(hit / best.sum(axis=1))


class Attributes:
    """The values of each attribute, and which candidates have which."""

    def __init__(self, pool: AnyArray) -> None:
        found = [np.unique(column, return_inverse=True) for column in pool.T]
        self.values = [values for values, _ in found]
        self._ends = np.cumsum([len(values) for values in self.values])
        starts = self._ends - [len(values) for values in self.values]
        codes = [code.reshape(-1) + s for (_, code), s in zip(found, starts, strict=True)]
        rows = np.concatenate(codes)
        columns = np.tile(np.arange(len(pool)), pool.shape[1])
        entries = np.ones(rows.size), (rows, columns)
        self._has = coo_array(entries, shape=(self._ends[-1], len(pool))).tocsr()

    def shares(self, belief: FloatArray) -> list[FloatArray]:
        """Return the probability of each value, (n, k), from those of the candidates, (n, m)."""
        return np.split(np.asarray((self._has @ belief.T).T), self._ends[:-1], axis=1)

    def places(self, true: FloatArray) -> IntArray:
        """Return which value of its attribute each is, (n, n_attributes); -1 for none."""
        places = np.empty(true.shape, dtype=np.intp)
        for j, values in enumerate(self.values):
            place = np.minimum(np.searchsorted(values, true[:, j]), len(values) - 1)
            places[:, j] = np.where(values[place] == true[:, j], place, -1)
        return places


class Belief(NamedTuple):
    """What is believed about some targets."""

    rows: slice
    kind: IntArray
    """Which row of ``before`` is about each of them."""
    before: FloatArray
    """Before the release, (kinds, m)."""
    after: FloatArray
    """After it, (targets, m)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """One attack, checked: n targets, m candidates."""

    likelihood: Callable[[AnyArray, AnyArray], AnyArray]
    releases: AnyArray  # (r, n, n_released)
    pool: AnyArray  # (m, n_attributes)
    prior: FloatArray  # (m,)
    known: tuple[IntArray, IntArray] | None  # numbers of what is known of targets, candidates

    @property
    def n(self) -> int:
        """The number of targets."""
        return int(self.releases.shape[1])

    def beliefs(self) -> Iterator[Belief]:
        """Yield what is believed before and after the release, for some targets at a time."""
        step = max(1, _CHUNK // len(self.pool))
        for start in range(0, self.n, step):
            rows = slice(start, min(start + step, self.n))
            kind, before = self._before(rows)
            with np.errstate(divide="ignore"):
                joint = np.log(before)[kind]
            for release in self.releases:
                joint += self._log_likelihood(release[rows])
            top = joint.max(axis=1, keepdims=True)
            lost = np.flatnonzero(~np.isfinite(top[:, 0]))
            if lost.size:
                raise ValueError(
                    "pool and prior must leave a candidate who can have released what each "
                    f"target did, got none for target {start + int(lost[0])}"
                )
            np.exp(joint - top, out=joint)
            yield Belief(rows, kind, before, joint / joint.sum(axis=1, keepdims=True))

    def _before(self, rows: slice) -> tuple[IntArray, FloatArray]:
        """Return the belief (kinds, m) of those of whom the same is known, and each one's kind."""
        if self.known is None:
            return np.zeros(rows.stop - rows.start, dtype=np.intp), self.prior[np.newaxis]
        numbers, kind = np.unique(self.known[0][rows], return_inverse=True)
        belief = self.prior * (numbers[:, np.newaxis] == self.known[1])
        sums = belief.sum(axis=1, keepdims=True)
        if not sums.all():
            target = rows.start + int(np.argmax(sums[kind.reshape(-1), 0] == 0))
            raise ValueError(
                "known and prior must leave each target a candidate of whom the same is known, "
                f"got none for target {target}"
            )
        return kind.reshape(-1), belief / sums

    def _log_likelihood(self, release: AnyArray) -> FloatArray:
        with check.naming("disguised", "what channel releases of a record of pool"):
            logs = self.likelihood(release, self.pool)
        table = check.array(logs, "what channel returns")
        if table.shape != (len(release), len(self.pool)):
            raise ValueError(
                "channel must give a log-likelihood for each target and candidate, shape "
                f"({len(release)}, {len(self.pool)}), got shape {table.shape}"
            )
        endless = np.isnan(table) | (table == np.inf)
        check.refuse(endless, table, "channel must give log-likelihoods below infinity, never NaN")
        return table


def read_case(
    channel: Any,
    disguised: ArrayLike,
    pool: ArrayLike,
    prior: ArrayLike | None,
    known: Known | None,
) -> Case:
    """Check what the adversary is given."""
    # a channel says itself what it releases: NaN may be where nothing was asked
    read = check.array if hasattr(channel, "log_likelihood") else check.numbers
    releases = read(disguised, "disguised", ndim=(2, 3))
    releases = np.asarray(disguised).reshape((-1, *releases.shape[-2:]))
    check.numbers(pool, "pool", ndim=2)
    candidates = np.asarray(pool)
    m, n = len(candidates), releases.shape[1]
    belief = np.full(m, 1 / m) if prior is None else check.probabilities(prior, "prior", m)
    if belief.ndim != 1:
        raise ValueError(f"prior must have one value for each candidate, got shape {belief.shape}")
    likelihood = channel
    if isinstance(channel, type):
        raise TypeError(f"channel must be a channel and no class of them, got {channel!r}")
    if hasattr(channel, "log_likelihood"):
        likelihood = channel.log_likelihood
    elif not callable(channel):
        if releases.shape[2] != candidates.shape[1]:
            raise ValueError(
                f"disguised must have the {candidates.shape[1]} attributes of pool, "
                f"got {releases.shape[2]}"
            )
        likelihood = as_channel(channel, candidates.shape[1]).log_likelihood
    return Case(
        likelihood=likelihood,
        releases=releases,
        pool=candidates,
        prior=belief,
        known=None if known is None else _number_known(known, n, m),
    )


def _number_known(known: Known, n: int, m: int) -> tuple[IntArray, IntArray]:
    if not isinstance(known, tuple) or len(known) != 2:
        raise ValueError(f"known must be a tuple (of targets, of candidates), got {known!r}")
    of_targets, of_pool = (check.plain(part, "known") for part in known)
    if of_targets.ndim not in (1, 2) or of_targets.shape[:1] + of_pool.shape[:1] != (n, m):
        raise ValueError(
            f"known must have a row for each of {n} targets and one for each of {m} candidates, "
            f"got shapes {of_targets.shape} and {of_pool.shape}"
        )
    if of_targets.shape[1:] != of_pool.shape[1:]:
        raise ValueError(
            "known must have the same columns for targets and candidates, "
            f"got shapes {of_targets.shape} and {of_pool.shape}"
        )
    numbers = np.zeros(n + m, dtype=np.intp)
    for pair in zip(of_targets.reshape(n, -1).T, of_pool.reshape(m, -1).T, strict=True):
        facts = [_facts(column) for column in pair]
        if (facts[0].dtype.kind in "US") != (facts[1].dtype.kind in "US"):
            raise TypeError(
                "known must hold numbers of targets and candidates or texts of both, got "
                f"{facts[0].dtype} and {facts[1].dtype}"
            )
        code = np.unique(np.concatenate(facts), return_inverse=True)[1].reshape(-1)
        numbers = np.unique(numbers * (n + m) + code, return_inverse=True)[1].reshape(-1)
    return numbers[:n], numbers[n:]


def _facts(column: AnyArray) -> AnyArray:
    """Return what is known of some people: numbers, of which none is missing, or texts."""
    if column.dtype.kind == "O" and all(isinstance(each, str) for each in column):
        column = column.astype(np.str_)
    if column.dtype.kind in "US":
        return column
    found = check.numbers(column, "known")
    return found if column.dtype.kind == "O" else column
