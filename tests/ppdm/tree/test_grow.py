"""MDL pruning against a recursive version and its formulas by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import tree as literal

from ppdm.tree import CountTreeClassifier
from ppdm.tree._grow import errors, stochastic_complexity

METHODS = ["sliq", "stochastic"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("split", ["threshold", "multiway"])
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from([0.0, 0.1, 0.4]),
    signed=st.booleans(),
    n_classes=st.integers(2, 4),
)
@settings(deadline=None, max_examples=40)
def test_equals_the_recursive_version(method, split, seed, noise, signed, n_classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 200))
    codes = rng.integers(0, [2, 4, 7], (n, 3))
    y = np.where(rng.random(n) < noise, rng.integers(0, n_classes, n), codes[:, 2] % n_classes)
    weight = rng.choice([1.75, -0.75], n, p=[0.8, 0.2]) if signed else np.ones(n)
    weight[0] += max(0.0, 1.0 - weight.sum())

    def fit(pruning):
        tree = CountTreeClassifier(split=split, pruning=pruning)
        edges = [np.arange(k + 1.0) for k in (2, 4, 7)]
        return tree.fit_codes(codes, y, edges, sample_weight=weight)

    full, pruned = fit(None), fit(method)
    expected, _ = literal.prune(literal.nested(full.tree_), [2, 4, 7], method)
    assert literal.same(literal.nested(pruned.tree_), expected)

    tree = pruned.tree_  # the arrays are those of a tree numbered anew
    assert np.all(np.diff(tree.depth) >= 0)
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children(int(node))
        assert tree.parent[children].tolist() == [node] * tree.n_children[node]
        np.testing.assert_allclose(tree.counts[children].sum(axis=0), tree.counts[node])
    reached = np.zeros_like(tree.counts)
    np.add.at(reached, (pruned.apply(codes), np.unique(y, return_inverse=True)[1]), weight)
    np.testing.assert_allclose(reached[tree.is_leaf], tree.counts[tree.is_leaf], atol=1e-9)


def test_a_split_must_save_three_errors():
    # SLIQ: leaf 1 + 3 errors against split 2 + (1 + 0) + (1 + 0): equal, so the leaf stays.
    for wrong, leaves in ((3, 1), (4, 2)):
        X = np.repeat([[0], [1]], [20, wrong], axis=0)
        y = np.repeat([0, 1], [20, wrong])
        assert CountTreeClassifier(pruning="sliq").fit(X, y).get_n_leaves() == leaves


def test_a_subtree_is_worth_its_pruned_cost_not_its_grown_one():
    # Below x0 = 1 the grown tree has a useless split on x1 (one error saved). Counted in, it
    # would make the root's split cost 2 + 1 + 4 = 7 against the leaf's 6; pruned, it is 2 + 1 + 2.
    X = np.repeat([[0, 0], [1, 0], [1, 1]], [20, 5, 1], axis=0)
    y = np.repeat([0, 1, 0], [20, 5, 1])
    tree = CountTreeClassifier(pruning="sliq").fit(X, y)
    assert tree.export_text(["a", "b"]) == "a <= 0: 0 (20, 0)\na > 0: 1 (1, 5)"


def test_weights_that_cancel_but_for_rounding_leave_nothing():
    X, y, weight = [[0], [3], [3], [3], [10]], [0, 0, 0, 0, 1], [1, 0.1, 0.2, -0.3, 1]
    assert sum(weight[1:4]) != 0
    for split in ("threshold", "multiway"):
        tree = CountTreeClassifier(split=split, min_samples_leaf=0.5)
        whole = tree.fit(X, y, sample_weight=weight).export_text()
        assert whole == tree.fit(X, y, sample_weight=[1, 0, 0, 0, 1]).export_text()


def test_counts_are_shown_to_a_hundredth():
    tree = CountTreeClassifier().fit([[0], [1]], [0, 1], sample_weight=[2.256, 1.0])
    assert tree.export_text() == "x0 <= 0: 0 (2.26, 0)\nx0 > 0: 1 (0, 1)"


def test_lengths_by_hand():
    counts = np.array([[6.0, 2.0], [8.0, 0.0], [-1.0, 5.0], [-5.0, 2.0], [0.0, 0.0]])
    assert errors(counts).tolist() == [2.0, 0.0, 0.0, 0.0, 0.0]
    # no record is left, however little it is that cancels them
    little = np.array([[-2.5, 2.0], [-3.0, 3.0]])
    assert stochastic_complexity(little).tolist() == [0.0, 0.0]
    three = np.array([[-5.5, 2.0, 3.0]])
    assert errors(three).tolist() == [0.0]
    assert errors(-three).tolist() == [0.0]
    # 8 records, 6 : 2 -> 8 H(1/4) + log2(8/2)/2 + log2(pi / Gamma(1)) bits
    entropy = -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25)
    model = 1.0 + np.log2(np.pi)
    expected = [8 * entropy + model, model, 0.5 * np.log2(2.5) + np.log2(np.pi), 0.0, 0.0]
    np.testing.assert_allclose(stochastic_complexity(counts), expected)
    # three classes: (3 - 1)/2 log2(n/2) + log2(pi^(3/2) / Gamma(3/2)), Gamma(3/2) = sqrt(pi)/2
    three = stochastic_complexity(np.array([[4.0, 0.0, 0.0]]))
    np.testing.assert_allclose(three, 1.0 + np.log2(2 * np.pi))
    # the formula is an approximation: for one record of ten classes it falls to -0.8
    assert stochastic_complexity(np.eye(1, 10)).tolist() == [0.0]
