"""The picture of a tree says what the tree says."""

import matplotlib.pyplot as plt
import numpy as np

from ppdm import plots
from ppdm.tree import CountTreeClassifier


def grown(max_depth=None):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3))
    y = X[:, 0] * 2 + X[:, 1]
    return CountTreeClassifier(max_depth=max_depth).fit(X, y)


def test_tree_picture_has_every_condition_and_size():
    tree = grown()
    ax = plots.draw_tree(tree, ["a", "b", "c"])
    texts = [text.get_text() for text in ax.texts]
    conditions = [text for text in texts if "=" in text or ">" in text]
    assert len(conditions) == tree.tree_.n_nodes - 1
    assert {"a <= 0", "b > 0"} <= set(conditions)
    assert "400" in texts  # the root
    shown = [int(text[text.index("(") + 1 : -1]) for text in texts if "(" in text]
    assert sum(shown) == 400  # the leaves share the records
    plt.close(ax.figure)


def test_tree_picture_bars_are_the_class_shares_and_nothing_overlaps():
    tree = grown()
    ax = plots.draw_tree(tree)
    root = [bar for bar in ax.patches if abs(bar.get_y() + bar.get_height() / 2 + 0.08) < 1e-9]
    np.testing.assert_allclose([bar.get_width() / 0.7 for bar in root], tree.tree_.proba[0])
    leaves = {round(bar.get_x(), 6) for bar in ax.patches if bar.get_y() < -2 and bar.get_width()}
    assert len(leaves) == 4
    plt.close(ax.figure)


