"""Grow a decision tree level by level, from counts alone, and cut it back.

All nodes of a level are split at once: each feature is counted once a level, over node x code x
class, and no loop runs over records or nodes. The occupied (node, code) *cells*, in order, are
all that the search for a split looks at: at most one a record, however many nodes or codes there
are.
"""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from ppdm.tree._nodes import LEAF, ZERO_COUNT, ZERO_GAIN, Tree
from ppdm.tree._records import Records
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

_TINY = np.finfo(np.float64).tiny
#: The keys of features are made together while they are within this many.
_BLOCK = 1 << 16

#: Called before each level is split, the root's first, with the level's depth, its counts
#: (n_nodes, n_classes) and which features were split on above (n_nodes, n_features). It may give
#: the records other codes.
Recode = Callable[[int, FloatArray, BoolArray], None]


def grow(
    records: Records, n_values: IntArray, n_classes: int, rules: Any, recode: Recode | None = None
) -> Tree:
    """Grow a tree from coded records.

    Parameters
    ----------
    records : Records
        All records, at node 0; their weights are of a positive total. They are used up.
    n_values : ndarray of int, shape (n_features,)
        How many codes each feature has.
    n_classes : int
    rules : CountTreeClassifier
        Its ``criterion``, ``split``, ``max_depth``, ``min_samples_leaf`` and
        ``min_impurity_decrease`` say how a split is chosen and when none is made.
    recode : callable, optional
        See :data:`Recode`.

    Returns
    -------
    Tree
    """
    totals = records.class_counts(1, n_classes)
    layer = _leaves(totals, np.array([LEAF]), 0, np.empty((1, n_classes)), np.array([0]))
    layers, n_nodes = [layer], 1
    used = np.zeros((n_values.size, 1), dtype=np.bool_)
    alive = _divisible(layer.counts, used, rules)
    while alive.any() and (rules.max_depth is None or len(layers) <= rules.max_depth):
        # the nodes to split: ``spots`` of the layer, numbered anew from 0
        records.keep(alive)
        used = used[:, alive]
        spots = np.flatnonzero(alive)
        totals = np.ascontiguousarray(layer.counts[spots].T)
        if recode is not None:
            recode(len(layers) - 1, totals.T, used.T)
        feature, threshold, gain = _best_splits(records, totals, n_values, rules, used)
        split = feature != LEAF
        records.keep(split)
        used = used[:, split]
        spots, feature, threshold = spots[split], feature[split], threshold[split]

        # their children, side by side, are the next layer
        n_children = np.where(threshold == LEAF, n_values[feature], 2)
        first = np.cumsum(n_children) - n_children
        layer.feature[spots], layer.threshold[spots] = feature, threshold
        layer.first_child[spots], layer.n_children[spots] = first + n_nodes, n_children
        layer.gain[spots] = gain[split]
        above = np.repeat(np.arange(spots.size), n_children)
        if not above.size:
            break
        records.move(feature, threshold, first)
        used = used[:, above]
        used[feature[above], np.arange(above.size)] = True
        parent = spots[above]
        number = parent + n_nodes - layer.n_nodes
        totals = records.class_counts(above.size, n_classes)
        layer = _leaves(totals, number, len(layers), layer.proba[parent], layer.label[parent])
        layers.append(layer)
        n_nodes += above.size
        alive = _divisible(layer.counts, used, rules)
    parts = {f.name: [getattr(layer, f.name) for layer in layers] for f in fields(Tree)}
    return Tree(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def _divisible(counts: FloatArray, used: BoolArray, rules: Any) -> BoolArray:
    """Say which nodes may be split: positive weight, two classes, room for two leaves."""
    total = counts.sum(axis=1)
    positive = np.maximum(counts, 0.0)
    mixed = positive.sum(axis=1) - positive.max(axis=1) > ZERO_COUNT
    if rules.split == "multiway":
        room = ~used.all(axis=0)
    else:
        room = total >= 2 * rules.min_samples_leaf - ZERO_COUNT
    return np.asarray(room & mixed & (total > ZERO_COUNT))


def _leaves(
    counts: FloatArray, parent: IntArray, depth: int, proba: FloatArray, label: IntArray
) -> Tree:
    """Return leaves; one without positive weight takes the given shares and label."""
    n = len(counts)
    known = counts.sum(axis=1) > ZERO_COUNT
    positive = np.maximum(counts[known], 0.0)
    proba[known] = positive / positive.sum(axis=1, keepdims=True)
    # the lowest class whose count is the largest
    largest = counts[known].max(axis=1, keepdims=True)
    label[known] = np.argmax(counts[known] >= largest - ZERO_COUNT, axis=1)
    feature, threshold, first_child = np.full((3, n), LEAF, dtype=np.intp)
    return Tree(
        feature=feature,
        threshold=threshold,
        first_child=first_child,
        n_children=np.zeros(n, dtype=np.intp),
        parent=parent,
        depth=np.full(n, depth, dtype=np.intp),
        counts=counts,
        proba=proba,
        label=label,
        gain=np.zeros(n),
    )


def _best_splits(
    records: Records, totals: FloatArray, n_values: IntArray, rules: Any, used: BoolArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Find the split of each node that lowers its impurity most.

    Parameters
    ----------
    records : Records
        The records of the level's nodes.
    totals : ndarray, shape (n_classes, n_nodes)
        The classes' total weights at each node.
    n_values : ndarray of int, shape (n_features,)
        How many codes each feature has.
    rules : CountTreeClassifier
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
    step = max(1, _BLOCK // max(1, records.node.size))
    for start in range(0, n_features, step):
        block = slice(start, min(start + step, n_features))
        shape, width = cuts[block].shape, int(n_values[block].max())
        counts, place = records.cells(block, n_nodes, len(totals), width)
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
    if rules.min_impurity_decrease > 0:
        allowed &= gain >= rules.min_impurity_decrease - ZERO_GAIN
    feature, cut = np.where(allowed, [feature, cut], LEAF)
    return feature, cut, np.where(allowed, gain, 0.0)


def _score_values(counts: AnyArray, group: IntArray, n_groups: int, rules: Any) -> FloatArray:
    """Score the split into one child for each code, (n_groups,)."""
    impurity = _impurity(counts, rules.criterion)
    score = np.bincount(group, impurity, n_groups).astype(np.float64)
    if rules.min_samples_leaf > 0:
        large = counts.sum(axis=0) >= rules.min_samples_leaf - ZERO_COUNT
        score[np.bincount(group, large, n_groups) < 2] = np.inf
    return score


def _score_cuts(
    counts: AnyArray, place: IntArray, width: int, totals: FloatArray, rules: Any
) -> tuple[FloatArray, IntArray]:
    """Score "code <= threshold" after every cell; return each group's lowest and its cut."""
    n_groups = totals.shape[1]
    bounds = np.searchsorted(place, np.arange(n_groups + 1) * width)
    start, lengths = bounds[:-1], np.diff(bounds)
    counts[:, start[1:]] -= totals[:, :-1].astype(counts.dtype)  # the running sum starts anew
    left = np.cumsum(counts, axis=1, out=counts)
    right = np.repeat(totals.astype(counts.dtype), lengths, axis=1)
    right -= left
    score = _impurity(left, rules.criterion)
    score += _impurity(right, rules.criterion)
    smallest = max(rules.min_samples_leaf - ZERO_COUNT, ZERO_COUNT)
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
        spread = (np.square(size) - np.square(counts).sum(axis=0)).astype(np.float64)
    spread /= np.maximum(size, _TINY)
    return np.asarray(spread)


def _xlogx(values: AnyArray) -> FloatArray:
    return np.asarray(values * np.log2(np.maximum(values, _TINY)))


def prune(tree: Tree, method: str, n_values: IntArray) -> Tree:
    """Cut back every subtree that costs at least as much as a leaf in its place (MDL).

    A tree is a message that tells the classes of the training records: first the tree, then
    what it gets wrong. A subtree is cut back to a leaf where that makes the message no
    longer. Both ways of counting its length need the nodes' class counts only.

    Parameters
    ----------
    tree : Tree
    method : {"sliq", "stochastic"}
        See :class:`ppdm.tree.CountTreeClassifier`.
    n_values : ndarray of int, shape (n_features,)
        How many codes each feature has: n_values - 1 cuts are possible.

    Returns
    -------
    Tree
    """
    if method == "sliq":
        as_leaf = 1.0 + errors(tree.counts)
        test = np.full(tree.n_nodes, 2.0)
    else:
        as_leaf = 1.0 + stochastic_complexity(tree.counts)
        cuts = np.where(tree.threshold == LEAF, 1, n_values[tree.feature] - 1)
        test = 1.0 + np.log2(n_values.size) + np.log2(np.maximum(cuts, 1))
    cost = as_leaf.copy()
    cut = tree.is_leaf.copy()
    levels = tree.levels()
    for level, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        inner = level[~tree.is_leaf[level]]
        starts = tree.first_child[inner] - below[0]
        split = test[inner] + np.add.reduceat(cost[below], starts)
        cost[inner] = np.minimum(as_leaf[inner], split)
        cut[inner] = as_leaf[inner] <= split
    return tree.pruned(cut)


def errors(counts: FloatArray) -> FloatArray:
    """Return the weight outside the majority class, for counts (n_nodes, n_classes)."""
    c = _positive(counts)
    return np.asarray(c.sum(axis=1) - c.max(axis=1))


def stochastic_complexity(counts: FloatArray) -> FloatArray:
    """Return the bits that tell n records' classes to one who does not know the shares.

    With k classes and counts n_1, ..., n_k the length is

        sum n_i log(n / n_i) + (k - 1)/2 log(n / 2) + log(pi^(k/2) / Gamma(k/2)),

    never less than 0, and 0 where n is not positive.

    Parameters
    ----------
    counts : ndarray of float, shape (n_nodes, n_classes)

    Returns
    -------
    ndarray of float, shape (n_nodes,)
    """
    c = _positive(counts)
    n, k = c.sum(axis=1, keepdims=True), c.shape[1]
    shares = np.where(c > 0, c, 1.0) / np.where(c > 0, n, 1.0)
    data = -(c * np.log2(shares)).sum(axis=1)
    n = np.where(n > 0, n, 2.0)[:, 0]
    model = (k - 1) / 2 * np.log2(n / 2)
    model += (k / 2 * math.log(math.pi) - math.lgamma(k / 2)) / math.log(2)
    return np.where(c.any(axis=1), np.maximum(data + model, 0.0), 0.0)


def _positive(counts: FloatArray) -> FloatArray:
    """Return the counts with negative ones as zero, all zero where the total is not positive."""
    return np.where(counts.sum(axis=1, keepdims=True) > 0, np.maximum(counts, 0.0), 0.0)
