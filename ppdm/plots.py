"""A picture of a tree, in colours that colour-blind readers can tell apart.

Each colour of :data:`PALETTE` has a role and reads on light and on dark pages; classes take the
roles one after the other, but for the last, ``quiet``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from types import MappingProxyType

import numpy as np

from ppdm import _validation as check
from ppdm.tree import CountTreeClassifier, Tree
from ppdm.typing import FloatArray

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
except ModuleNotFoundError as _lost:
    raise check.missing(_lost.name, "ppdm.plots", "plots") from _lost

__all__ = ["PALETTE", "draw_tree"]

#: Role -> colour, after Okabe and Ito's colour-blind-safe set, darkened where thin
#: lines would be faint.
PALETTE = MappingProxyType({
    "estimate": "#0072B2", "disguised": "#C75300", "other": "#00805D",
    "adversary": "#AA4386", "truth": "#222222", "quiet": "#767676",
})


def draw_tree(
    tree: CountTreeClassifier, feature_names: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw a decision tree, the root on top; below each node a bar of its class shares.

    Parameters
    ----------
    tree : CountTreeClassifier
        A fitted tree.
    feature_names : sequence of str, optional
        Names of the attributes; the columns' names or x0, x1, ... where None.
    ax : matplotlib Axes, optional
        Where to draw; a new figure where None.

    Returns
    -------
    matplotlib Axes
        With the picture: a level is one unit high, a leaf one unit wide.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ppdm.tree import CountTreeClassifier
    >>> tree = CountTreeClassifier().fit([[23], [25], [32], [43]], ["low", "low", "high", "high"])
    >>> ax = draw_tree(tree, ["age"])
    >>> sorted(text.get_text() for text in ax.texts)
    ['4', 'age <= 28', 'age > 28', 'high (2)', 'low (2)']
    >>> plt.close(ax.figure)
    """
    nodes = tree.tree_
    deepest = int(nodes.depth.max())
    turns = list(PALETTE)[:-1]
    x, width = _places(nodes), float(nodes.is_leaf.sum())
    if ax is None:
        _, ax = plt.subplots(figsize=(max(7.0, 1.1 * width), 1.2 * (deepest + 1)))
    for i in range(nodes.n_nodes):
        y, above = -float(nodes.depth[i]), int(nodes.parent[i])
        if above >= 0:
            ax.plot([x[above], x[i]], [y + 0.72, y + 0.2], color=PALETTE["quiet"], lw=1, zorder=0)
            condition = tree.branch_text(i, feature_names)
            ax.text((x[above] + x[i]) / 2, y + 0.46, condition, ha="center", fontsize=9)
        text = f"{round(float(nodes.counts[i].sum()), 1):g}"
        if nodes.is_leaf[i]:
            text = f"{tree.classes_[nodes.label[i]]} ({text})"
        ax.text(x[i], y + 0.05, text, ha="center", fontsize=9)
        starts = np.concatenate([[0.0], np.cumsum(nodes.proba[i])[:-1]])
        for share, start, role in zip(nodes.proba[i], starts, cycle(turns), strict=False):
            ax.barh(y - 0.08, 0.7 * share, 0.12, x[i] - 0.35 + 0.7 * start, color=PALETTE[role])
    ax.set(xlim=(-0.6, width - 0.4), ylim=(-deepest - 0.3, 0.4))
    ax.set_axis_off()
    return ax


def _places(nodes: Tree) -> FloatArray:
    """Where each node stands: ends side by side in the order of the branches, others amid."""
    x = np.zeros(nodes.n_nodes)
    todo, place = [0], 0
    while todo:
        node = todo.pop()
        if nodes.is_leaf[node]:
            x[node], place = place, place + 1
        else:
            todo.extend(nodes.children(node)[::-1].tolist())
    for node in range(nodes.n_nodes)[::-1]:
        if not nodes.is_leaf[node]:
            x[node] = x[nodes.children(node)].mean()
    return x
