"""The order statistics of records that are read chunk by chunk, exactly, without keeping them.

The record of a given rank lies in a bracket of values. Each reading counts how many values lie
below some points of each bracket, and so makes it smaller by their number. When few enough
values are left in all brackets, these are collected and sorted.

A value and its label are one complex number here: NumPy sorts and searches these by the real
part, the label, first, and then by the value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ppdm._readings import Chunk
from ppdm.tree import ChunkedMembers, Members
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

#: A reading counts below so many points of an attribute: a million bytes each for two classes.
_POINTS = 1 << 16
#: So many values are collected at most, in one reading.
_COLLECTED = 1 << 20


class Dealt(NamedTuple):
    """Whose values are ordered: the records of each label by themselves.

    ``label`` (n_nodes, n_classes) is the label of the records of a class at a node, or -1;
    ``wanted`` (n_labels, n_features) are the attributes that are ordered for each label.
    """

    label: IntArray
    wanted: BoolArray

    def inside(self, members: Members, feature: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Return which members have an ordered value of an attribute, their labels, the values."""
        labels = self.label[members.node, members.label]
        which = np.flatnonzero((labels >= 0) & self.wanted[labels, feature])
        assert members.values is not None
        # adding zero makes -0 a 0, which it equals
        return which, labels[which], members.values[members.record[which], feature] + 0.0


class Ranks(NamedTuple):
    """Records of one attribute that are looked for, by label and rank, and what is known of them.

    All arrays have shape (k,). A record's value is in [low, high); ``below`` values of its label
    lie under ``low``, and ``inside`` between.
    """

    label: IntArray
    rank: IntArray
    low: FloatArray
    high: FloatArray
    inside: IntArray
    below: IntArray

    def brackets(self) -> tuple[IntArray, IntArray]:
        """Return an entry of each bracket of more than one float, in order, and its entries."""
        wide = np.flatnonzero(np.nextafter(self.low, np.inf) < self.high)
        _, first, place = np.unique(
            pairs(self.label[wide], self.low[wide]), return_index=True, return_inverse=True
        )
        row = np.full(self.rank.size, -1, dtype=np.intp)
        row[wide] = place
        return wide[first], row

    def narrow(self, points: AnyArray, counted: IntArray, row: IntArray) -> None:
        """Put each entry between the two points (n_brackets, p) of its bracket that hold it."""
        entries = np.flatnonzero(row >= 0)
        height = np.broadcast_to(np.arange(len(points))[:, None], points.shape)
        flat = pairs(height.ravel(), counted.ravel())
        wanted = pairs(row[entries], self.rank[entries])
        at = np.searchsorted(flat, wanted, side="right") - 1
        self.low[entries] = points.ravel()[at]
        self.high[entries] = points.ravel()[at + 1]
        self.below[entries] = counted.ravel()[at]
        self.inside[entries] = counted.ravel()[at + 1] - self.below[entries]


def find(
    members: ChunkedMembers, dealt: Dealt, sought: dict[int, Ranks]
) -> dict[int, tuple[FloatArray, IntArray]]:
    """Find records by their ranks, in the order of values and, among equals, of arrival.

    Returns
    -------
    dict
        For each attribute the values and the rows of the records sought, (k,) each; the row is
        0 where no record of the value comes before.
    """
    while True:
        brackets = {feature: ranks.brackets() for feature, ranks in sought.items()}
        left = sum(int(sought[f].inside[some].sum()) for f, (some, _) in brackets.items())
        if left <= _COLLECTED:
            break
        points = {f: _points(sought[f], some) for f, (some, _) in brackets.items() if some.size}
        counted = members.readings.add_up(members.task(_count_below, dealt, points))
        for feature, inner in points.items():
            size = inner.values.size
            part, counted = counted[:size].reshape(inner.values.shape), counted[size:]
            sought[feature].narrow(inner.values, part, brackets[feature][1])
    ends = {f: _ends(sought[f], some) for f, (some, _) in brackets.items() if some.size}
    kept: dict[int, list[AnyArray]] = {feature: [] for feature in ends}
    if ends:
        for parts in members.readings.map(members.task(_collect, dealt, ends)):
            for feature, part in parts.items():
                kept[feature].append(part)
    found = {}
    for feature, ranks in sought.items():
        value, ties = ranks.low.copy(), ranks.rank - ranks.below
        if feature in kept:
            entries = np.flatnonzero(brackets[feature][1] >= 0)
            label, values = ranks.label[entries], np.sort(np.concatenate(kept[feature]))
            start = np.searchsorted(values, pairs(label, ranks.low[entries]))
            at = start + ties[entries]
            value[entries] = values[at].imag
            ties[entries] = at - np.searchsorted(values, values[at])
        found[feature] = value, ties
    rows = _rows(members, dealt, sought, found)
    return {feature: (value, rows[feature]) for feature, (value, _) in found.items()}


def pairs(label: AnyArray, value: AnyArray) -> AnyArray:
    """Return labels and values as complex numbers, which sort by label, then by value."""
    both = np.empty(np.shape(value), dtype=np.complex128)
    both.real, both.imag = label, value
    return both


class _Inner(NamedTuple):
    """Points of brackets, (n_brackets, p), and the label of each bracket."""

    values: FloatArray
    label: IntArray

    def flat(self) -> AnyArray:
        return pairs(self.label[:, None], self.values).ravel()


def _points(ranks: Ranks, some: IntArray) -> _Inner:
    """Return points of each bracket, its ends included, ascending.

    Half of them are even in value, and half among the floats, of which there are more near 0:
    the former find data spread evenly, the latter end with any data.
    """
    low, high = ranks.low[some], ranks.high[some]
    n = max(2, _POINTS // (2 * max(1, some.size)))
    share = np.arange(n + 1) / n
    even = low[:, None] * (1 - share) + high[:, None] * share
    first, last = _key(low), _key(high)
    step = (last - first) // np.uint64(n)
    among = first[:, None] + step[:, None] * np.arange(n, dtype=np.uint64)
    # fewer floats than points: every one of them
    few = first[:, None] + np.minimum(np.arange(n, dtype=np.uint64), (last - first)[:, None])
    among = np.where(step[:, None] == 0, few, among)
    points = np.concatenate([even, _float(among), low[:, None], high[:, None]], axis=1)
    points = np.clip(points, low[:, None], high[:, None])
    points.sort(axis=1)
    return _Inner(points, ranks.label[some])


def _ends(ranks: Ranks, some: IntArray) -> _Inner:
    return _Inner(np.stack([ranks.low[some], ranks.high[some]], axis=1), ranks.label[some])


def _key(values: FloatArray) -> AnyArray:
    """Return numbers of the floats that have their order."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    negative = bits >> np.uint64(63) == 1
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _float(keys: AnyArray) -> FloatArray:
    """Return the floats of these numbers."""
    negative = keys >> np.uint64(63) == 0
    bits = np.where(negative, ~keys, keys & np.uint64((1 << 63) - 1))
    return np.asarray(bits.view(np.float64))


def _count_below(
    members: Members, chunk: Chunk, dealt: Dealt, points: dict[int, _Inner]
) -> IntArray:
    """Count the values of each bracket's label that lie below each point, attributes in a row."""
    counts = []
    for feature, inner in points.items():
        _, labels, values = dealt.inside(members, feature)
        ordered = np.sort(pairs(labels, values))
        start = np.searchsorted(ordered, pairs(inner.label, np.full(inner.label.size, -np.inf)))
        below = np.searchsorted(ordered, inner.flat()).reshape(inner.values.shape)
        counts.append((below - start[:, None]).ravel())
    return np.concatenate(counts)


def _collect(
    members: Members, chunk: Chunk, dealt: Dealt, ends: dict[int, _Inner]
) -> dict[int, AnyArray]:
    """Return the values that lie in brackets, ascending."""
    kept = {}
    for feature, inner in ends.items():
        _, labels, values = dealt.inside(members, feature)
        ordered = np.sort(pairs(labels, values))
        at = np.searchsorted(ordered, inner.flat()).reshape(-1, 2)
        opened, closed = (np.bincount(side, minlength=ordered.size + 1) for side in at.T)
        kept[feature] = ordered[np.cumsum(opened - closed)[:-1] > 0]
    return kept


def _rows(
    members: ChunkedMembers,
    dealt: Dealt,
    sought: dict[int, Ranks],
    found: dict[int, tuple[FloatArray, IntArray]],
) -> dict[int, IntArray]:
    """Return the row of each record that is not the first of its value; one reading for all."""
    rows = {feature: np.zeros_like(ranks.rank) for feature, ranks in sought.items()}
    entries = {f: np.flatnonzero(ties > 0) for f, (_, ties) in found.items()}
    targets = {
        f: pairs(sought[f].label[some], found[f][0][some])
        for f, some in entries.items()
        if some.size
    }
    if not targets:
        return rows
    seen = {feature: np.zeros(target.size, dtype=np.intp) for feature, target in targets.items()}
    for parts in members.readings.map(members.task(_equal_rows, dealt, targets)):
        for feature, (ordered, start, stop) in parts.items():
            ties = found[feature][1][entries[feature]] - seen[feature]
            here = (ties >= 0) & (ties < stop - start)
            rows[feature][entries[feature][here]] = ordered[(start + ties)[here]]
            seen[feature] += stop - start
    return rows


def _equal_rows(
    members: Members, chunk: Chunk, dealt: Dealt, targets: dict[int, AnyArray]
) -> dict[int, tuple[IntArray, IntArray, IntArray]]:
    """Return a chunk's rows in the order of values, and where each target's begin and end."""
    parts: dict[int, Any] = {}
    for feature, target in targets.items():
        which, labels, values = dealt.inside(members, feature)
        order = np.lexsort((values, labels))  # equals stay in the order of arrival
        ordered = pairs(labels, values)[order]
        ends = (np.searchsorted(ordered, target, side=side) for side in ("left", "right"))
        parts[feature] = (chunk.first + members.record[which][order], *ends)
    return parts
