"""The best split of every node of a level, from counts alone.

Records of a level are counted once for each feature, over node x code x class. The
occupied (node, code) *cells*, in order, are all that the search for a split looks at: at
most one a record, however many nodes or codes there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ppdm._types import AnyArray, BoolArray, Codes, FloatArray, IntArray
from ppdm.tree._nodes import LEAF, ZERO_COUNT, ZERO_GAIN

#: Features are counted together while that keeps the keys within this many (and in cache).
_BLOCK = 1 << 16
#: Counting into a table is taken up to this many table entries a record, sorting beyond.
_DENSE = 4

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


def best_splits(
    members: Members, totals: FloatArray, n_values: IntArray, rules: Rules, used: BoolArray
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
    n_features, n_nodes = used.shape
    scores, cuts = np.empty(used.shape), np.full(used.shape, LEAF, dtype=np.intp)
    step = max(1, _BLOCK // max(1, members.node.size))
    for start in range(0, n_features, step):
        block = slice(start, min(start + step, n_features))
        shape, width = cuts[block].shape, int(n_values[block].max())
        counts, place = _count(members, block, totals, width)
        if rules.split == "multiway":
            score = _score_values(counts, place // width, cuts[block].size, rules)
        else:
            group_totals = np.tile(totals, shape[0])  # the same for each feature
            score, cut = _score_cuts(counts, place, width, group_totals, rules)
            cuts[block] = cut.reshape(shape)
        scores[block] = score.reshape(shape)
    if rules.split == "multiway":
        scores[used] = np.inf

    # each node's feature of the largest gain; the lowest index among equals
    gains = (_impurity(totals, rules.criterion) - scores) / np.maximum(totals, 0.0).sum(axis=0)
    nodes = np.arange(n_nodes)
    feature = np.argmax(gains >= gains.max(axis=0) - ZERO_GAIN, axis=0)
    gain, cut = gains[feature, nodes], cuts[feature, nodes]
    allowed = np.isfinite(gain)
    if rules.min_decrease > 0:
        allowed &= gain >= rules.min_decrease - ZERO_GAIN
    feature, cut = np.where(allowed, [feature, cut], LEAF)
    return feature, cut, np.where(allowed, gain, 0.0)


def _count(
    members: Members, block: slice, totals: FloatArray, width: int
) -> tuple[AnyArray, IntArray]:
    """Add up the weights over group x code x class; a group is a node seen through one feature.

    Returns the counts of the cells that are not empty, (n_classes, n_cells), and the place of
    each, group * width + code, ascending; the groups of a feature stand side by side.
    """
    n_classes, n_nodes = totals.shape
    codes = members.codes[block]
    first = np.arange(len(codes))[:, None] * (n_nodes * width)
    cell: IntArray = (first + members.node * width) + codes
    n_cells = len(codes) * n_nodes * width
    tally = _tabulate if n_cells * n_classes <= _DENSE * cell.size else _sort
    return tally(cell, members.label, n_classes, members.weight, n_cells)


def _tabulate(
    cell: IntArray, label: IntArray, n_classes: int, weight: FloatArray | None, n_cells: int
) -> tuple[AnyArray, IntArray]:
    """Count into a table with a place for every class and cell."""
    if weight is not None:
        weight = weight[None].repeat(len(cell), axis=0).ravel()
    key = (cell + label * n_cells).ravel()
    table = np.bincount(key, weight, n_cells * n_classes).reshape(n_classes, n_cells)
    occupied = _occupied(table)
    return (table if occupied.size == n_cells else table.take(occupied, axis=1)), occupied


def _sort(
    cell: IntArray, label: IntArray, n_classes: int, weight: FloatArray | None, n_cells: int
) -> tuple[AnyArray, IntArray]:
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


def _occupied(counts: AnyArray) -> IntArray:
    """Return the cells that hold a class whose count is not zero."""
    if counts.dtype.kind == "f":
        return np.flatnonzero((np.abs(counts) > ZERO_COUNT).any(axis=0))
    return np.flatnonzero(counts.any(axis=0))


def _score_values(counts: AnyArray, group: IntArray, n_groups: int, rules: Rules) -> FloatArray:
    """Score the split into one child for each code, (n_groups,)."""
    impurity = _impurity(counts, rules.criterion)
    score = np.bincount(group, impurity, n_groups).astype(np.float64)
    if rules.min_leaf > 0:
        large = counts.sum(axis=0) >= rules.min_leaf - ZERO_COUNT
        score[np.bincount(group, large, n_groups) < 2] = np.inf
    return score


def _score_cuts(
    counts: AnyArray, place: IntArray, width: int, totals: FloatArray, rules: Rules
) -> tuple[FloatArray, IntArray]:
    """Score "code <= threshold" after every cell; return each group's lowest and its cut."""
    n_groups = totals.shape[1]
    bounds = np.searchsorted(place, np.arange(n_groups + 1) * width)
    start, lengths = bounds[:-1], np.diff(bounds)
    counts[:, start[1:]] -= totals[:, :-1].astype(counts.dtype)  # the running sum starts anew
    left = np.cumsum(counts, axis=1)
    right = np.repeat(totals.astype(counts.dtype), lengths, axis=1) - left
    score = _impurity(left, rules.criterion) + _impurity(right, rules.criterion)
    smallest = max(rules.min_leaf - ZERO_COUNT, ZERO_COUNT)
    score[(left.sum(axis=0) < smallest) | (right.sum(axis=0) < smallest)] = np.inf
    score[bounds[1:] - 1] = np.inf  # nothing lies to the right
    lowest = np.minimum.reduceat(score, start)
    tie = lowest + ZERO_GAIN * np.maximum(totals, 0.0).sum(axis=0)
    hits = np.flatnonzero(score <= np.repeat(tie, lengths))
    at = hits[np.searchsorted(hits, start)]
    after = np.minimum(at + 1, score.size - 1)
    return lowest, (place[at] + place[after]) // 2 - np.arange(n_groups) * width


def _impurity(counts: AnyArray, criterion: str) -> FloatArray:
    """Return total weight times impurity of class counts (n_classes, ...), negatives as zero.

    Gini: n - sum c^2 / n. Entropy in bits: n log n - sum c log c.
    """
    if counts.dtype.kind == "f":
        counts = np.maximum(counts, 0.0)
    size = counts.sum(axis=0)
    if criterion == "entropy":
        return np.asarray(_xlogx(size) - _xlogx(counts).sum(axis=0))
    if len(counts) == 2:
        spread = 2.0 * (counts[0] * counts[1])
    else:
        spread = np.square(size) - np.square(counts).sum(axis=0)
    return np.asarray(spread / np.maximum(size, _TINY))


def _xlogx(values: AnyArray) -> FloatArray:
    return np.asarray(values * np.log2(np.maximum(values, _TINY)))
