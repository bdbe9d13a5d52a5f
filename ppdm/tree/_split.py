"""The best split of every node of a level, from counts alone.

Records of a level are counted once for each feature, over node x code x class. The
occupied (node, code) *cells*, in order, are all that the search for a split looks at: at
most one a record, however many nodes or codes there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdm.tree._members import ChunkedMembers, Members
from ppdm.tree._nodes import LEAF, ZERO_COUNT, ZERO_GAIN
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Rules:
    """How a split is chosen and when none is made."""

    criterion: str = "gini"
    split: str = "threshold"
    max_depth: int | None = None
    min_leaf: float = 0.0
    min_decrease: float = 0.0


def best_splits(
    members: Members | ChunkedMembers,
    totals: FloatArray,
    n_values: IntArray,
    rules: Rules,
    used: BoolArray,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Find the split of each node that lowers its impurity most.

    Parameters
    ----------
    members : Members or ChunkedMembers
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
    step = members.together(totals.size * int(n_values.max()))
    for start in range(0, n_features, step):
        block = slice(start, min(start + step, n_features))
        shape, width = cuts[block].shape, int(n_values[block].max())
        counts, place = members.cells(block, n_nodes, len(totals), width)
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
