"""A decision tree as a handful of arrays, one entry a node, and the same in words.

Nodes are numbered level by level, and the children of a node stand side by side, so that
"the child a record goes to" is an addition and no list of pointers is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from ppdm._coding import Grid
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray, IntArray

#: A count, or a sum of signed weights, up to this is zero.
ZERO_COUNT = 1e-6
#: Gains that differ by no more than this are equal.
ZERO_GAIN = 1e-9

LEAF = -1

#: Records that are led down the tree together, so that they stay in the cache.
_BLOCK = 1 << 14
#: Those that have come to a leaf are left behind after so many steps.
_STEPS = 4


@dataclass(frozen=True, eq=False)
class Tree:
    """The nodes of a decision tree over integer codes.

    Every array has one entry a node; node 0 is the root and a child's number is larger
    than its parent's. A record with code ``c`` in a node's feature goes to child
    ``first_child + (c > threshold)`` where the tree's nodes have thresholds, and to child
    ``first_child + c`` where they have none (multiway splits).

    Attributes
    ----------
    feature : ndarray of int, shape (n_nodes,)
        The feature a node splits on, -1 at a leaf.
    threshold : ndarray of int, shape (n_nodes,)
        The largest code that goes to the first child; -1 at a leaf or a multiway split.
    first_child, n_children : ndarray of int, shape (n_nodes,)
        The children are ``first_child, ..., first_child + n_children - 1``; -1 and 0 at a
        leaf.
    parent, depth : ndarray of int, shape (n_nodes,)
        The parent's number (-1 at the root) and the distance from the root.
    counts : ndarray of float, shape (n_nodes, n_classes)
        The total weight of each class; negative entries are kept as they are.
    proba : ndarray of float, shape (n_nodes, n_classes)
        The shares of the classes: counts below zero taken as zero, divided by their sum. A
        node whose total weight is not positive has its parent's shares.
    label : ndarray of int, shape (n_nodes,)
        The majority class's index (the lowest one in a tie); the parent's label where the
        total weight is not positive.
    gain : ndarray of float, shape (n_nodes,)
        How much the split lowered the node's own impurity; 0 at a leaf.
    """

    feature: IntArray
    threshold: IntArray
    first_child: IntArray
    n_children: IntArray
    parent: IntArray
    depth: IntArray
    counts: FloatArray
    proba: FloatArray
    label: IntArray
    gain: FloatArray

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return int(self.feature.size)

    @property
    def is_leaf(self) -> BoolArray:
        """True for each node that is not split, shape (n_nodes,)."""
        return np.asarray(self.feature == LEAF)

    def children(self, node: int) -> IntArray:
        """Return the numbers of a node's children, none for a leaf."""
        first = int(self.first_child[node])
        return np.arange(first, first + int(self.n_children[node]))

    def levels(self) -> list[IntArray]:
        """Return the numbers of the nodes at each depth, the root's level first."""
        starts = np.searchsorted(self.depth, np.arange(int(self.depth[-1]) + 2))
        return [np.arange(a, b) for a, b in pairwise(starts)]

    def apply(self, codes: Codes) -> IntArray:
        """Return the leaf that each record ends in.

        Parameters
        ----------
        codes : ndarray of int, shape (n_features, n_samples)

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        return self.lead(codes.T, self.threshold + 1)

    def lead(self, values: AnyArray, cut: AnyArray) -> IntArray:
        """Return the leaf of each record, of values (n_samples, n_features).

        ``cut`` (n_nodes,) holds the least value that goes to a node's second child. Where splits
        are multiway, values are codes.
        """
        leaf, multiway = self.is_leaf, (self.threshold == LEAF).all()
        # a leaf leads to itself
        first = np.where(leaf, np.arange(self.n_nodes), self.first_child)
        bound = np.maximum(self.n_children - 1, 0) if multiway else np.where(leaf, np.inf, cut)
        step, feature = np.minimum if multiway else np.greater_equal, np.maximum(self.feature, 0)
        end = np.zeros(len(values), dtype=np.intp)
        for start in range(0, len(values) if self.n_nodes > 1 else 0, _BLOCK):
            block = values[start : start + _BLOCK]
            value, row = block.ravel(), np.arange(len(block))
            at, node = row * block.shape[1], end[start : start + _BLOCK].copy()
            while row.size:
                for _ in range(_STEPS):
                    node = first[node] + step(value[at + feature[node]], bound[node])
                end[start + row] = node
                on = ~leaf[node]
                row, at, node = row[on], at[on], node[on]
        return end

    def pruned(self, cut: BoolArray) -> Tree:
        """Return the tree in which the nodes of a mask are leaves, renumbered.

        Parameters
        ----------
        cut : ndarray of bool, shape (n_nodes,)
        """
        keep = np.ones(self.n_nodes, dtype=np.bool_)
        closed = cut | self.is_leaf
        for level in self.levels()[1:]:
            parent = self.parent[level]
            keep[level] = keep[parent] & ~closed[parent]
        number = np.cumsum(keep) - 1
        part = {field.name: getattr(self, field.name)[keep] for field in fields(self)}
        leaf = closed[keep]
        part["first_child"] = number[part["first_child"]]
        part["parent"][1:] = number[part["parent"][1:]]
        for name in ("feature", "threshold", "first_child"):
            part[name][leaf] = LEAF
        part["n_children"][leaf] = part["gain"][leaf] = 0
        return Tree(**part)


def tree_text(tree: Tree, grid: Grid, names: Sequence[Any], classes: Sequence[Any]) -> str:
    """Write each subtree indented below the branch that leads to it."""
    lines, todo = [], [0]
    while todo:
        node = todo.pop()
        leaf = tree.is_leaf[node]
        line = "|   " * max(int(tree.depth[node]) - 1, 0)
        line += branch_text(tree, grid, names, node) if node else "root"
        if leaf:
            counts = ", ".join(f"{round(float(c), 2):g}" for c in tree.counts[node])
            line += f": {classes[tree.label[node]]} ({counts})"
        if node or leaf:
            lines.append(line)
        todo.extend(tree.children(node)[::-1].tolist())
    return "\n".join(lines)


def branch_text(tree: Tree, grid: Grid, names: Sequence[Any], node: int) -> str:
    """Write the condition that leads from a node's parent to it."""
    parent = int(tree.parent[node])
    j, cut = int(tree.feature[parent]), int(tree.threshold[parent])
    edges, place = grid.edges[j], node - int(tree.first_child[parent])
    labels = None if grid.labels is None else grid.labels[j]
    if labels is not None:
        sign = "=" if cut == LEAF else ("<=", ">")[place]
        return f"{names[j]} {sign} {labels[place if cut == LEAF else cut]}"
    if cut != LEAF:
        signs = ("<=", ">") if grid.whole else ("<", ">=")
        return f"{names[j]} {signs[place]} {_number(edges[cut + 1] - 0.5 * grid.whole)}"
    if grid.whole:
        return f"{names[j]} = {_number(edges[place] + 0.5)}"
    return f"{_number(edges[place])} <= {names[j]} < {_number(edges[place + 1])}"


def _number(value: float) -> str:
    return np.format_float_positional(value, precision=6, fractional=False, trim="-")
