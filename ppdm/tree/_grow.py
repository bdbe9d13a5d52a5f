"""Grow a decision tree level by level, and cut it back.

All nodes of a level are split at once: each feature is counted once a level, however many
nodes there are, and no loop runs over records or nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.tree._members import ChunkedMembers, Members
from ppdm.tree._nodes import LEAF, ZERO_COUNT, Tree, majority
from ppdm.tree._split import Rules, best_splits
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Level:
    """What a ``recode`` callback sees: the nodes about to be split and their records.

    Attributes
    ----------
    depth : int
        Distance from the root, whose level is 0.
    records : ndarray of int, shape (n_records,)
        The rows of the training set at this level, ascending; a record that has come to a
        leaf is no longer among them.
    nodes : ndarray of int, shape (n_records,)
        The node of each of these records, as a position 0, ..., n_nodes - 1 in this level.
    codes : ndarray of int, shape (n_records, n_features)
        The codes these records have now (read-only; copy them to change them).
    counts : ndarray of float, shape (n_nodes, n_classes)
        The total weight of each class at each node.
    used : ndarray of bool, shape (n_nodes, n_features)
        Whether a feature has been split on above the node.
    """

    depth: int
    records: IntArray
    nodes: IntArray
    codes: Codes
    counts: FloatArray
    used: BoolArray


#: Called before each level is split, the root's first. It returns codes of the shape of
#: ``level.codes``, which the records keep from then on, or None to leave them as they are.
Recode = Callable[[Level], Codes | None]


def grow(
    members: Members | ChunkedMembers,
    n_values: IntArray,
    n_classes: int,
    rules: Rules,
    recode: Callable[..., Any] | None = None,
) -> Tree:
    """Grow a tree from coded records.

    Parameters
    ----------
    members : Members or ChunkedMembers
        All records, at node 0; their weights are of a positive total.
    n_values : ndarray of int, shape (n_features,)
        How many codes each feature has.
    n_classes : int
    rules : Rules
    recode : callable, optional
        See :data:`Recode`; for chunks, see :meth:`CountTreeClassifier.fit_members`.

    Returns
    -------
    Tree
    """
    totals = members.class_counts(1, n_classes)
    layer = _leaves(totals, np.array([LEAF]), 0, np.empty((1, n_classes)), np.array([0]))
    layers, n_nodes = [layer], 1
    used = np.zeros((n_values.size, 1), dtype=np.bool_)
    alive = _divisible(layer.counts, used, rules)
    while alive.any() and (rules.max_depth is None or len(layers) <= rules.max_depth):
        # the nodes to split: ``spots`` of the layer, numbered anew from 0
        members, used = members.keep(alive), used[:, alive]
        spots = np.flatnonzero(alive)
        totals = np.ascontiguousarray(layer.counts[spots].T)
        if recode is not None:
            members = _recoded(recode, members, len(layers) - 1, totals, used, n_values)
        feature, threshold, gain = best_splits(members, totals, n_values, rules, used)
        split = feature != LEAF
        members, used = members.keep(split), used[:, split]
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
        members = members.move(feature, threshold, first)
        used = used[:, above]
        used[feature[above], np.arange(above.size)] = True
        parent = spots[above]
        number = parent + n_nodes - layer.n_nodes
        totals = members.class_counts(above.size, n_classes)
        layer = _leaves(totals, number, len(layers), layer.proba[parent], layer.label[parent])
        layers.append(layer)
        n_nodes += above.size
        alive = _divisible(layer.counts, used, rules)
    parts = {f.name: [getattr(layer, f.name) for layer in layers] for f in fields(Tree)}
    return Tree(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


def weigh(
    sample_weight: ArrayLike | None, table: AnyArray, label: IntArray
) -> tuple[FloatArray | None, AnyArray, IntArray]:
    """Return the weights and the records whose weight is not zero; None where all are 1."""
    if sample_weight is None:
        return None, table, label
    weight = check.weights(sample_weight, label.size)
    if weight.sum() <= ZERO_COUNT:
        raise ValueError(
            f"sample_weight must have a total above zero, got {weight.sum():g}: "
            "the root of the tree would stand for no record"
        )
    if (weight == 1.0).all():
        return None, table, label
    some = weight != 0
    return (weight, table, label) if some.all() else (weight[some], table[some], label[some])


def _divisible(counts: FloatArray, used: BoolArray, rules: Rules) -> BoolArray:
    """Say which nodes may be split: positive weight, two classes, room for two leaves."""
    total = counts.sum(axis=1)
    positive = np.maximum(counts, 0.0)
    mixed = positive.sum(axis=1) - positive.max(axis=1) > ZERO_COUNT
    if rules.split == "multiway":
        room = ~used.all(axis=0)
    else:
        room = total >= 2 * rules.min_leaf - ZERO_COUNT
    return np.asarray(room & mixed & (total > ZERO_COUNT))


def _recoded(
    recode: Callable[..., Any],
    members: Members | ChunkedMembers,
    depth: int,
    totals: FloatArray,
    used: BoolArray,
    n_values: IntArray,
) -> Members | ChunkedMembers:
    """Ask the callback for new codes, and check them; for chunks, for the records with them."""
    if isinstance(members, ChunkedMembers):
        answered: ChunkedMembers = recode(members, depth, totals.T, used.T)
        return answered
    shown = members.codes.T
    shown.flags.writeable = False
    level = Level(depth, members.record, members.node, shown, totals.T, used.T)
    answer = recode(level)
    if answer is None:
        return members
    codes = np.asarray(answer)
    if codes.shape != shown.shape or codes.dtype.kind not in "iu":
        raise ValueError(
            f"recode must return None or integer codes of shape {shown.shape}, "
            f"got {codes.dtype} of shape {codes.shape}"
        )
    check.codes(codes, "the answer of recode", n_values)
    return members._replace(codes=np.ascontiguousarray(codes.T, dtype=members.codes.dtype))


def _leaves(
    counts: FloatArray, parent: IntArray, depth: int, proba: FloatArray, label: IntArray
) -> Tree:
    """Return leaves; one without positive weight takes the given shares and label."""
    n = len(counts)
    known = counts.sum(axis=1) > ZERO_COUNT
    positive = np.maximum(counts[known], 0.0)
    proba[known] = positive / positive.sum(axis=1, keepdims=True)
    label[known] = majority(counts[known])
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
