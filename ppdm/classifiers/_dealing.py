"""Who is taken to lie in which interval: AS00's dealing of records (section 4.2).

A tree splits records, so each record needs an interval. The disguised values are sorted; the
lowest ones are taken for the first interval, the next ones for the second, as many as were
reconstructed for each. In memory that is all. Where records come in chunks, the value at which
each interval begins is looked for first, as a median would be: each reading counts the values
below some points, until few are left between two of them. Then each chunk knows how many of its
records lie in each interval, and deals them as if they were all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ppdm.noise._intervals import count_released
from ppdm.reconstruction._distribution import reconstruct
from ppdm.tree._records import Members, Records
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

#: A reading counts below so many points in all: 2 MB.
_POINTS = 1 << 18
#: So many values are collected at most, in one reading, ...
_COLLECTED = 1 << 20
#: ... unless they are that close together, or equal, after so many readings.
_READINGS = 4

#: The values of an attribute in the records of a label, which are ordered by themselves.
Column = tuple[int, int]


class Values:
    """The disguised values of a chunk, each attribute's order found when it is asked for."""

    def __init__(self, X: FloatArray) -> None:
        self.columns = np.ascontiguousarray(X.T)
        self._orders: dict[int, IntArray] = {}

    def order(self, feature: int) -> IntArray:
        """Return the rows in the order of an attribute, equal values as they come."""
        if feature not in self._orders:
            values = self.columns[feature]
            order = np.argsort(values)
            ordered = values[order]
            if (ordered[1:] == ordered[:-1]).any():  # only equal values need a stable sort
                order = np.argsort(values, kind="stable")
            self._orders[feature] = order
        return self._orders[feature]


@dataclass(frozen=True, eq=False)
class Dealing:
    """Which records are dealt together: those of a label, each attribute by itself.

    ``label`` (n_nodes, n_classes) is the label of the records of a class at a node, or -1 where
    they keep their intervals; ``wanted`` (n_labels, n_features) says which attributes are dealt
    for each label.
    """

    label: IntArray
    wanted: BoolArray

    def labelled(self, members: Members) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield for each attribute which members are dealt it, and their labels."""
        labels = self.label[members.node, members.label]
        for feature, wanted in enumerate(self.wanted.T):
            if wanted.any():
                which = np.flatnonzero(np.append(wanted, False)[labels])
                yield feature, which, labels[which]

    def columns(self, members: Members) -> Iterator[tuple[Column, IntArray]]:
        """Yield each label's members in the order of each attribute."""
        n_labels = len(self.wanted)
        slot = np.empty(members.values.columns.shape[1], dtype=np.int32)
        for feature, which, labels in self.labelled(members):
            slot[:] = -1
            slot[members.row[which]] = np.arange(which.size)
            order = slot[members.values.order(feature)]
            order = order[order >= 0]
            small = labels.astype(np.min_scalar_type(n_labels))  # small integers sort faster
            order = order[np.argsort(small[order], kind="stable")]
            starts = np.cumsum(np.bincount(labels, minlength=n_labels))
            for label, part in enumerate(np.split(which[order], starts[:-1])):
                if self.wanted[label, feature]:
                    yield (feature, label), part


def _values(members: Members, feature: int, which: IntArray) -> FloatArray:
    """Return the values of some members."""
    column: FloatArray = members.values.columns[feature]
    return column[members.row[which]]


class Cuts(NamedTuple):
    """The first record of each interval but the lowest, (n_cuts,), among those of a column.

    It has the ``value`` and lies in chunk ``number``, where ``before`` records of the same value
    come before it.
    """

    value: FloatArray
    number: IntArray
    before: IntArray

    def below(self, values: FloatArray, number: int) -> IntArray:
        """Return how many of a chunk's values, ascending, lie below each cut."""
        less, upto = (np.searchsorted(values, self.value, side) for side in ("left", "right"))
        equal = np.where(number < self.number, upto - less, 0)
        return np.asarray(less + np.where(number == self.number, self.before, equal))


def deal(
    records: Records,
    dealing: Dealing,
    channels: list[Any],
    rule: dict[str, Any],
    ends: FloatArray,
) -> IntArray:
    """Reconstruct each attribute for each label, and give the records their intervals.

    Parameters
    ----------
    records : Records
        With :class:`Values`; they are taken to their intervals.
    dealing : Dealing
    channels : list
        One bound channel an attribute.
    rule : dict
        When a reconstruction stops: ``stop``, ``tol`` and ``max_iter``.
    ends : ndarray of shape (2, n_features)
        The range of the values.

    Returns
    -------
    ndarray of int, shape (n_features,)
        The most steps that a label's reconstruction of each attribute took.
    """
    tallies = records.add_up(partial(_count_released, dealing, channels), _add_each)
    steps = np.zeros(len(channels), dtype=np.intp)
    ranks: dict[Column, IntArray] = {}
    for feature, tally in tallies.items():
        found = reconstruct(channels[feature], tally, keep_history=False, **rule)
        steps[feature] = found.n_iter.max()
        counts = largest_remainder(found.probabilities, tally.sum(axis=1))
        for label in np.flatnonzero(dealing.wanted[:, feature]).tolist():
            ranks[feature, label] = np.cumsum(counts[label])[:-1]
    in_memory = isinstance(records.source, Members)
    cuts = ranks if in_memory else find_cuts(records, dealing, ranks, ends)
    records.then(partial(_assign, dealing, cuts))
    return steps


def _count_released(
    dealing: Dealing, channels: list[Any], members: Members
) -> dict[int, IntArray]:
    """Count what the records of each label that are dealt released, by attribute."""
    n_labels = len(dealing.wanted)
    return {
        j: count_released(channels[j], _values(members, j, which), labels, n_labels)
        for j, which, labels in dealing.labelled(members)
    }


def _add_each(a: dict[Any, Any], b: dict[Any, Any]) -> dict[Any, Any]:
    """Add what two chunks counted, array by array."""
    return {key: each + b[key] for key, each in a.items()}


def _assign(
    dealing: Dealing, cuts: dict[Column, Any], members: Members
) -> Members:
    """Deal the lowest values of each column to the first interval, and so on."""
    codes = members.codes.copy()
    for column, which in dealing.columns(members):
        below = cuts[column]
        if isinstance(below, Cuts):
            below = below.below(_values(members, column[0], which), members.number)
        counts = np.diff(below, prepend=0, append=which.size)
        codes[column[0], which] = np.repeat(np.arange(counts.size, dtype=codes.dtype), counts)
    return members._replace(codes=codes)


def find_cuts(
    records: Records, dealing: Dealing, ranks: dict[Column, IntArray], ends: FloatArray
) -> dict[Column, Cuts]:
    """Find the records of these ranks, 0 for the lowest of a column, in chunks.

    Parameters
    ----------
    records, dealing, ends : as in :func:`deal`
    ranks : dict
        For each column the ranks, ascending, (n_cuts,); one may be the number of records, whose
        cut lies above all of them.
    """
    searches = {
        column: _Search(rank, ends[0, column[0]], np.nextafter(ends[1, column[0]], np.inf))
        for column, rank in ranks.items()
    }
    for _ in range(_READINGS):
        n_points = _POINTS // len(searches)
        points = {column: search.points(n_points) for column, search in searches.items()}
        counts = records.add_up(partial(_count_below, dealing, points), _add_each)
        for column, search in searches.items():
            search.narrow(points[column], counts[column])
        if sum(search.n_inside for search in searches.values()) <= _COLLECTED:
            break
    brackets = {column: (search.low, search.high) for column, search in searches.items()}
    collected: dict[Column, list[AnyArray]] = {column: [] for column in searches}
    for parts in records.each(partial(_collect, dealing, brackets)):
        for column, part in parts.items():
            collected[column].append(part)
    return {column: search.cuts(collected[column]) for column, search in searches.items()}


class _Search:
    """The search for the records of some ranks in a column: each is in a bracket of values.

    All arrays have shape (n_cuts,). A record's value is in [low, high), and ``under`` values lie
    below ``low``; ``n_inside`` are in any bracket.
    """

    def __init__(self, rank: IntArray, low: float, high: float) -> None:
        self.rank, self.n_inside = rank, 0
        self.low, self.high = np.full(rank.size, low), np.full(rank.size, high)
        self.under = np.zeros_like(rank)

    def points(self, n: int) -> FloatArray:
        """Return some ``n`` points of all brackets, ends included, ascending."""
        low, first = np.unique(self.low, return_index=True)
        inner = np.linspace(low, self.high[first], max(3, n // low.size), axis=1)
        return np.unique(inner)

    def narrow(self, points: FloatArray, counted: IntArray) -> None:
        """Put each record between two of the points, where ``counted`` values lie below each."""
        at = np.searchsorted(counted, self.rank, side="right") - 1
        after = np.minimum(at + 1, points.size - 1)  # the same where it lies above all records
        self.low, self.high, self.under = points[at], points[after], counted[at]
        _, first = np.unique(at, return_index=True)  # each bracket once
        self.n_inside = int((counted[after] - counted[at])[first].sum())

    def cuts(self, collected: list[AnyArray]) -> Cuts:
        """Return the cuts, from rows of value, chunk number and how many have that value there."""
        value, number, times = np.concatenate([*collected, np.empty((3, 0))], axis=1)
        order = np.lexsort((number, value))
        value, number = np.append(value[order], np.inf), np.append(number[order], 0)
        upto = np.concatenate([[0], np.cumsum(times[order])])
        wanted = upto[np.searchsorted(value, self.low)] + self.rank - self.under
        at = np.searchsorted(upto, wanted, side="right") - 1
        before = wanted - upto[at]
        return Cuts(value[at], number[at].astype(np.intp), before.astype(np.intp))


def _count_below(
    dealing: Dealing, points: dict[Column, FloatArray], members: Members
) -> dict[Column, IntArray]:
    """Count the values of each column that lie below each point."""
    return {
        column: np.searchsorted(_values(members, column[0], which), points[column])
        for column, which in dealing.columns(members)
    }


def _collect(
    dealing: Dealing, brackets: dict[Column, tuple[FloatArray, FloatArray]], members: Members
) -> dict[Column, AnyArray]:
    """Return the values of each column that lie in a bracket: value, chunk's number, how often."""
    found = {}
    for column, which in dealing.columns(members):
        (low, high), values = brackets[column], _values(members, column[0], which)
        at = np.searchsorted(low, values, side="right") - 1
        value, times = np.unique(values[(at >= 0) & (values < high[at])], return_counts=True)
        found[column] = np.stack([value, np.full(value.size, members.number), times])
    return found


def largest_remainder(shares: FloatArray, totals: NDArray[np.integer]) -> IntArray:
    """Round ``totals`` times ``shares`` to whole counts that add up exactly.

    Each count is rounded down; what is missing goes, one each, to those that lost most,
    the first ones among equals.

    Parameters
    ----------
    shares : ndarray of shape (..., m)
        Not negative, each row summing to one.
    totals : ndarray of int, shape (...)
        What each row of counts adds up to.

    Returns
    -------
    ndarray of int, shape (..., m)

    Examples
    --------
    >>> largest_remainder(np.array([0.5, 0.3, 0.2]), np.array(11)).tolist()
    [6, 3, 2]
    """
    exact = shares * totals[..., None]
    counts = np.floor(exact).astype(np.intp)
    missing = totals - counts.sum(axis=-1)
    lost = np.argsort(counts - exact, axis=-1, kind="stable")
    place = np.argsort(lost, axis=-1)
    counts += place < missing[..., None]
    return counts
