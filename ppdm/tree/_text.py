"""A decision tree as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm.tree._grid import Grid
from ppdm.tree._nodes import LEAF, Tree


class TreeText:
    """What a fitted tree says of itself in words."""

    tree_: Tree
    classes_: Any
    n_features_in_: int
    _grid: Grid

    def export_text(
        self,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        max_depth: int | None = None,
    ) -> str:
        """Return the tree as text, one line a branch; a leaf shows its class and counts.

        Parameters
        ----------
        feature_names : sequence of str, optional
            The names of the columns of ``X`` by default, or x0, x1, ...
        class_names : sequence of str, optional
            In the order of ``classes_``, which are shown by default.
        max_depth : int, optional
            Show no node deeper than this.
        """
        check_is_fitted(self)
        names = self._feature_names(feature_names)
        classes = _check_names(class_names, "class_names", list(self.classes_))
        if max_depth is not None:
            check.integer(max_depth, "max_depth", low=0)
        return _lines(self.tree_, self._grid, names, classes, max_depth)

    def branch_text(self, node: int, feature_names: Sequence[str] | None = None) -> str:
        """Return the condition that leads from a node's parent to it, as ``age < 40``."""
        check_is_fitted(self)
        check.integer(node, "node", low=1, high=self.tree_.n_nodes - 1)
        return _branch(self.tree_, self._grid, self._feature_names(feature_names), node)

    def _feature_names(self, names: Sequence[str] | None) -> list[Any]:
        numbered = [f"x{j}" for j in range(self.n_features_in_)]
        known = list(getattr(self, "feature_names_in_", numbered))
        return _check_names(names, "feature_names", known)


def _lines(
    tree: Tree, grid: Grid, names: Sequence[Any], classes: Sequence[Any], max_depth: int | None
) -> str:
    """Write each subtree indented below the branch that leads to it."""
    lines = []
    todo = [0]
    while todo:
        node = todo.pop()
        leaf = tree.is_leaf[node]
        cut_off = not leaf and max_depth is not None and tree.depth[node] >= max_depth
        line = "|   " * max(int(tree.depth[node]) - 1, 0)
        line += _branch(tree, grid, names, node) if node else "root"
        if leaf:
            counts = ", ".join(f"{round(float(c), 2):g}" for c in tree.counts[node])
            line += f": {classes[tree.label[node]]} ({counts})"
        if node or leaf or cut_off:
            lines.append(line + (" ..." if cut_off else ""))
        if not cut_off:
            todo.extend(tree.children(node)[::-1].tolist())
    return "\n".join(lines)


def _branch(tree: Tree, grid: Grid, names: Sequence[Any], node: int) -> str:
    parent = int(tree.parent[node])
    j, cut = int(tree.feature[parent]), int(tree.threshold[parent])
    edges, place = grid.edges[j], node - int(tree.first_child[parent])
    if cut != LEAF:
        signs = ("<=", ">") if grid.whole else ("<", ">=")
        value = edges[cut + 1] - 0.5 if grid.whole else edges[cut + 1]
        return f"{names[j]} {signs[place]} {_number(value)}"
    if grid.whole:
        return f"{names[j]} = {_number(edges[place] + 0.5)}"
    return f"{_number(edges[place])} <= {names[j]} < {_number(edges[place + 1])}"


def _number(value: float) -> str:
    return np.format_float_positional(value, precision=6, fractional=False, trim="-")


def _check_names(names: Sequence[str] | None, name: str, default: list[Any]) -> list[Any]:
    """Return the names, as many as the default has, or the default."""
    if names is None:
        return default
    if len(names) != len(default):
        raise ValueError(f"{name} must hold {len(default)} names, got {len(names)}")
    return list(names)
