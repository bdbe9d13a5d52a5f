"""The best split of every node of a level, from counts alone.

Records of a level are counted once for each feature, over node x code x class. The
occupied (node, code) *cells*, in order, are all that the search for a split looks at: at
most one a record, however many nodes or codes there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ppdm._types import BoolArray, Codes, FloatArray, IntArray
from ppdm.tree._nodes import LEAF, ZERO_COUNT, ZERO_GAIN

#: Features are counted together while that keeps the keys within this many (and in cache).
_BLOCK = 1 << 16
#: Counting into a table is taken up to this many table entries a record, sorting beyond.
_DENSE = 4

Counts = NDArray[Any]  # whole numbers of records, or sums of float weights

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Rules:
    """How a split is chosen and when none is made."""

    criterion: str = "gini"
    split: str = "threshold"
    max_depth: int | None = None
    min_leaf: float = 0.0
    min_decrease: float = 0.0


class Members(NamedTuple):
    """The m records of a level.

    ``record`` (m,) are their rows in the training set, ``codes`` (n_features, m) their
    codes, ``node`` (m,) and ``label`` (m,) their nodes and classes, ``weight`` (m,) their
    weights or None where each counts one.
    """

    record: IntArray
    codes: Codes
    node: IntArray
    label: IntArray
    weight: FloatArray | None

    def take(self, which: IntArray) -> Members:
        """Return some of the records."""
        weight = None if self.weight is None else self.weight[which]
        codes = self.codes.take(which, axis=1)
        return Members(self.record[which], codes, self.node[which], self.label[which], weight)

    def at(self, node: IntArray) -> Members:
        """Return the same records at other nodes."""
        return Members(self.record, self.codes, node, self.label, self.weight)


class _Cells(NamedTuple):
    """The occupied cells of several groups (a group is a node seen through one feature)."""

    counts: Counts  # (n_classes, n_cells)
    place: IntArray  # (n_cells,), group * n_values + code
    bounds: IntArray  # (n_groups + 1,), where each group's cells begin; the end
    n_values: int


def best_splits(
    members: Members,
    totals: FloatArray,
    n_values: IntArray,
    rules: Rules,
    used: BoolArray,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Find the split of each node that lowers its impurity most.

    Parameters
    ----------
    members : Members
        The records of the level's nodes.
    totals : ndarray, shape (n_classes, n_nodes)
        The classes' total weights at each node.
    n_values : ndarray of int, shape (n_features,)
        How many codes each feature has.
    rules : Rules
    used : ndarray of bool, shape (n_features, n_nodes)
        The features split on above; a multiway split does not take them again.

    Returns
    -------
    feature, threshold : ndarray of int, shape (n_nodes,)
        -1 where no split is allowed (and as the threshold of a multiway split).
    gain : ndarray of float, shape (n_nodes,)
        The node's impurity less the mean impurity of the children, weighted by size.
    """
    n_features, n_nodes = len(members.codes), totals.shape[1]
    score = np.empty((n_features, n_nodes))
    cut = np.full((n_features, n_nodes), LEAF, dtype=np.intp)
    for block in _blocks(n_features, members.node.size):
        if rules.split == "multiway":
            score[block] = _score_values(members, block, n_nodes, len(totals), n_values, rules)
            continue
        cells = _count(members, block, n_nodes, len(totals), int(n_values[block].max()))
        found, where = _best_cuts(cells, totals, rules)
        score[block] = found.reshape(-1, n_nodes)
        cut[block] = where.reshape(-1, n_nodes)
    if rules.split == "multiway":
        score[used] = np.inf
    return _lowest(score, cut, totals, rules)


def _lowest(
    score: FloatArray, cut: IntArray, totals: FloatArray, rules: Rules
) -> tuple[IntArray, IntArray, FloatArray]:
    """Take each node's feature of lowest score; the lowest index among equals."""
    size = np.maximum(totals, 0.0).sum(axis=0)
    gain = (_impurity(totals, rules.criterion) - score) / size
    best = gain.max(axis=0)
    feature = np.argmax(gain >= best - ZERO_GAIN, axis=0)
    nodes = np.arange(best.size)
    gain, cut = gain[feature, nodes], cut[feature, nodes]
    allowed = np.isfinite(gain)
    if rules.min_decrease > 0:
        allowed &= gain >= rules.min_decrease - ZERO_GAIN
    if allowed.all():
        return feature, cut, gain
    return (
        np.where(allowed, feature, LEAF),
        np.where(allowed, cut, LEAF),
        np.where(allowed, gain, 0.0),
    )


def _blocks(n_features: int, n_records: int) -> Iterator[slice]:
    """Cut the features into runs that are counted in one go."""
    step = max(1, _BLOCK // max(1, n_records))
    return (slice(a, min(a + step, n_features)) for a in range(0, n_features, step))


def _score_values(
    members: Members,
    block: slice,
    n_nodes: int,
    n_classes: int,
    n_values: IntArray,
    rules: Rules,
) -> FloatArray:
    """Score the split into one child for each code, (features of the block, n_nodes)."""
    width = int(n_values[block].max())
    codes = members.codes[block]
    n_cells = len(codes) * n_nodes * width
    if n_cells * n_classes <= _DENSE * codes.size:
        first = members.node * width + members.label * n_cells
        counts = _table(_number(codes, first, n_nodes * width), n_classes, members.weight, n_cells)
        group = np.arange(n_cells) // width
    else:
        cell = _number(codes, members.node * width, n_nodes * width)
        counts, place = _sort(cell, members.label, n_classes, members.weight, n_cells)
        group = place // width
    impurity = _impurity(counts, rules.criterion)
    score: FloatArray = np.bincount(group, impurity, n_cells // width).astype(np.float64)
    if rules.min_leaf > 0:
        large = counts.sum(axis=0) >= rules.min_leaf - ZERO_COUNT
        score[np.bincount(group, large, score.size) < 2] = np.inf
    return score.reshape(-1, n_nodes)


def _count(members: Members, block: slice, n_nodes: int, n_classes: int, n_values: int) -> _Cells:
    """Add up the weights over group x code x class, group = feature of the block x node."""
    codes = members.codes[block]
    n_groups = len(codes) * n_nodes
    n_cells = n_groups * n_values
    cell = _number(codes, members.node * n_values, n_nodes * n_values)
    tally = _tabulate if n_cells * n_classes <= _DENSE * cell.size else _sort
    counts, place = tally(cell, members.label, n_classes, members.weight, n_cells)
    bounds = np.searchsorted(place, np.arange(n_groups + 1) * n_values)
    return _Cells(counts, place, bounds, n_values)


def _number(codes: Codes, first: IntArray, step: int) -> IntArray:
    """Return the cell of each record in each feature, from the first cell of its node."""
    cell: IntArray = (np.arange(len(codes))[:, None] * step + first) + codes
    return cell


def _table(
    key: IntArray, n_classes: int, weight: FloatArray | None, n_cells: int
) -> Counts:
    """Count into a table with a place for every class and cell, (n_classes, n_cells)."""
    if weight is not None:
        weight = weight[None].repeat(len(key), axis=0).ravel()
    return np.bincount(key.ravel(), weight, n_cells * n_classes).reshape(n_classes, n_cells)


def _tabulate(
    cell: IntArray, label: IntArray, n_classes: int, weight: FloatArray | None, n_cells: int
) -> tuple[Counts, IntArray]:
    """Count into such a table; return the occupied cells."""
    table = _table(cell + label * n_cells, n_classes, weight, n_cells)
    occupied = _occupied(table)
    return (table if occupied.size == n_cells else table.take(occupied, axis=1)), occupied


def _sort(
    cell: IntArray, label: IntArray, n_classes: int, weight: FloatArray | None, n_cells: int
) -> tuple[Counts, IntArray]:
    """Count by sorting, for many more cells than records."""
    shift = (n_classes - 1).bit_length()
    key = ((cell << shift) | label).ravel()
    if weight is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[order % weight.size]
    cell = key >> shift
    new = np.empty(cell.size, dtype=np.bool_)
    new[0] = True
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    place = np.cumsum(new) - 1
    n_found = int(place[-1]) + 1
    place += (key & ((1 << shift) - 1)) * n_found
    counts = np.bincount(place, weight, n_found * n_classes).reshape(n_classes, n_found)
    if weight is None:
        return counts, cell[new]
    occupied = _occupied(counts)  # weights may cancel
    return counts.take(occupied, axis=1), cell[new][occupied]


def _occupied(counts: Counts) -> IntArray:
    """Return the cells that hold a class whose count is not zero."""
    if counts.dtype.kind == "f":
        return np.flatnonzero((np.abs(counts) > ZERO_COUNT).any(axis=0))
    return np.flatnonzero(counts.any(axis=0))


def _best_cuts(cells: _Cells, totals: FloatArray, rules: Rules) -> tuple[FloatArray, IntArray]:
    """Score "code <= threshold" after every cell; return each group's lowest and its cut."""
    start, counts = cells.bounds[:-1], cells.counts
    totals = np.tile(totals, start.size // totals.shape[1])  # the same for each feature
    counts[:, start[1:]] -= totals[:, :-1].astype(counts.dtype)  # the running sum starts anew
    left = np.cumsum(counts, axis=1)
    lengths = np.diff(cells.bounds)
    right = np.repeat(totals.astype(counts.dtype), lengths, axis=1) - left
    score = _impurity(left, rules.criterion) + _impurity(right, rules.criterion)
    smallest = max(rules.min_leaf - ZERO_COUNT, ZERO_COUNT)
    score[(left.sum(axis=0) < smallest) | (right.sum(axis=0) < smallest)] = np.inf
    score[cells.bounds[1:] - 1] = np.inf  # nothing lies to the right
    lowest = np.minimum.reduceat(score, start)
    tie = lowest + ZERO_GAIN * np.maximum(totals, 0.0).sum(axis=0)
    hits = np.flatnonzero(score <= np.repeat(tie, lengths))
    at = hits[np.searchsorted(hits, start)]
    after = np.minimum(at + 1, score.size - 1)
    zero = np.arange(start.size) * cells.n_values
    return lowest, (cells.place[at] + cells.place[after]) // 2 - zero


def _impurity(counts: Counts, criterion: str) -> FloatArray:
    """Return total weight times impurity of class counts (n_classes, ...), negatives as zero.

    Gini: n - sum c^2 / n. Entropy in bits: n log n - sum c log c.
    """
    if counts.dtype.kind == "f":
        counts = np.maximum(counts, 0.0)
    size = counts.sum(axis=0)
    if criterion == "entropy":
        bits: FloatArray = _xlogx(size) - _xlogx(counts).sum(axis=0)
        return bits
    if len(counts) == 2:
        spread = 2.0 * (counts[0] * counts[1])
    else:
        spread = np.square(size) - np.square(counts).sum(axis=0)
    impurity: FloatArray = spread / np.maximum(size, _TINY)
    return impurity


def _xlogx(values: Counts) -> FloatArray:
    product: FloatArray = values * np.log2(np.maximum(values, _TINY))
    return product
