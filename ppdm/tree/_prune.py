"""Prune a grown tree by minimum description length.

A tree is a message that tells the classes of the training records: first the tree, then
what it gets wrong. A subtree is cut back to a leaf where that makes the message no longer.
Both ways of counting its length need the nodes' class counts only.
"""

from __future__ import annotations

import math

import numpy as np

from ppdm._types import FloatArray, IntArray
from ppdm.tree._nodes import LEAF, Tree


def prune(tree: Tree, method: str, n_values: IntArray) -> Tree:
    """Cut back every subtree that costs at least as much as a leaf in its place.

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
    wrong: FloatArray = c.sum(axis=1) - c.max(axis=1)
    return wrong


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
