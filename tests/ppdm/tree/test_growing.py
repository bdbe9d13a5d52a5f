"""How trees are grown and pruned: against literal versions, scikit-learn, formulas by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import tree as literal
from sklearn.tree import DecisionTreeClassifier

from ppdm.tree import CountTreeClassifier, _grow, _records
from ppdm.tree._grow import errors, stochastic_complexity

WEIGHTS = {
    "one": [1.0],
    "whole": [1.0, 2.0, 5.0],
    "signed": [1.75, -0.75],  # one group of randomised response at theta = 0.7
    "cancelling": [1.0, -1.0, 2.0],  # cells, and nodes of three classes, that sum to zero
    "any": [0.4, 2.3, 0.0, -1.1, 3.7],
}


@st.composite
def coded_records(draw, weights=tuple(WEIGHTS)):
    """Coded records with weights of a positive total, and how many values and classes."""
    n = draw(st.integers(1, 30))
    n_values = draw(st.lists(st.integers(2, 5), min_size=1, max_size=4))
    n_classes = draw(st.integers(1, 3))
    codes = [[draw(st.integers(0, k - 1)) for k in n_values] for _ in range(n)]
    label = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    pool = WEIGHTS[draw(st.sampled_from(weights))]
    weight = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    if sum(weight) <= 0.1:
        weight[0] += 0.5 - sum(weight)
    return np.array(codes), np.array(label), np.array(weight), n_values


def fit_codes(codes, label, weight, n_values, **options):
    edges = [np.arange(k + 1.0) for k in n_values]
    return CountTreeClassifier(**options).fit_codes(codes, label, edges, sample_weight=weight)


def literal_rows(codes, label, weight):
    """Rows of the literal tree, labels as positions among the classes that have weight."""
    classes = sorted({k for k, w in zip(label.tolist(), weight, strict=True) if w != 0})
    place = {k: i for i, k in enumerate(classes)}
    rows = zip(codes.tolist(), label.tolist(), weight.tolist(), strict=True)
    return [(c, place[k], w) for c, k, w in rows if w != 0], len(classes)


OPTIONS = [
    {},
    {"criterion": "entropy"},
    {"criterion": "entropy", "split": "multiway"},
    {"split": "multiway", "min_samples_leaf": 3, "max_depth": 2},
    {"min_samples_leaf": 2.5},
    {"criterion": "entropy", "min_impurity_decrease": 0.1},
    {"max_depth": 1},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(data=coded_records())
@settings(deadline=None, max_examples=60)
def test_equals_the_literal_tree(options, data):
    codes, label, weight, n_values = data
    rows, n_classes = literal_rows(codes, label, weight)
    renamed = {"min_samples_leaf": "min_leaf", "min_impurity_decrease": "min_decrease"}
    rules = {renamed.get(name, name): value for name, value in options.items()}
    expected = literal.grow(rows, n_values, n_classes, **rules)
    fitted = fit_codes(*data, **options)
    assert literal.same(literal.nested(fitted.tree_), expected)


@pytest.mark.parametrize(("dense", "block"), [(0, 1), (0, 1 << 20), (1 << 40, 1)])
@given(data=coded_records())
@settings(deadline=None, max_examples=30)
def test_every_way_of_counting_gives_the_same_tree(dense, block, data):
    expected = literal.nested(fit_codes(*data).tree_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_records, "_DENSE", dense)
        patch.setattr(_grow, "_BLOCK", block)
        assert literal.same(literal.nested(fit_codes(*data).tree_), expected)


@given(data=coded_records(weights=("whole",)))
@settings(deadline=None, max_examples=40)
def test_intervals_are_laid_by_weights_as_by_so_many_records(data):
    codes, label, weight, _ = data
    times = weight.astype(int)
    learned = CountTreeClassifier(n_intervals=4).fit(codes / 3, label, sample_weight=weight)
    again = CountTreeClassifier(n_intervals=4).fit(
        np.repeat(codes / 3, times, axis=0), np.repeat(label, times)
    )
    assert learned.export_text() == again.export_text()


@pytest.mark.parametrize("split", ["threshold", "multiway"])
@given(data=coded_records(weights=("one", "signed", "cancelling")))
@settings(deadline=None, max_examples=40)
def test_names_of_classes_and_values_do_not_matter(split, data):
    codes, label, weight, _ = data
    names = np.array(["ant", "bee", "cat"])
    options = {"split": split, "criterion": "entropy"}
    plain = CountTreeClassifier(**options).fit(codes, label, weight)
    # values -3, 4, 11, ... are coded by seven as many codes, but fall into the same parts
    moved = CountTreeClassifier(**options).fit(7 * codes - 3, names[label], weight)
    known = codes[weight != 0]  # a value that no record of any weight has is refused
    assert moved.predict(7 * known - 3).tolist() == names[plain.predict(known)].tolist()
    np.testing.assert_allclose(moved.predict_proba(7 * known - 3), plain.predict_proba(known))


def whole_numbers(rng):
    X = rng.integers(0, 100, (20_000, 9))
    return X, ((X[:, 0] > 40) ^ (X[:, 3] < 55)) ^ (rng.random(20_000) < 0.2), 200, 40


def real_numbers(rng):
    X = rng.normal(size=(3000, 4))
    return X, (X[:, 0] ** 2 + X[:, 1] > rng.normal(1, 3, size=3000)).astype(int), 40, 20


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize(("drawn", "n_intervals"), [(whole_numbers, 100), (real_numbers, None)])
def test_same_tree_as_scikit_learn_where_no_tie_decides(drawn, n_intervals, criterion):
    rng = np.random.default_rng(3)
    X, y, least, leaves = drawn(rng)
    # Whole counts of two cuts can be the same, and scikit-learn draws which of them it takes.
    # Sums of drawn weights are never the same.
    weight = rng.uniform(0.5, 1.5, len(X))
    ours = CountTreeClassifier(
        criterion=criterion, n_intervals=n_intervals, min_samples_leaf=least
    ).fit(X, y, weight)
    peer = DecisionTreeClassifier(
        criterion=criterion, min_weight_fraction_leaf=least / weight.sum(), random_state=0
    ).fit(X, y, weight)
    assert ours.get_n_leaves() == peer.get_n_leaves() > leaves
    assert ours.get_depth() == peer.get_depth()
    fresh = drawn(rng)[0] if n_intervals else X
    np.testing.assert_allclose(ours.predict_proba(fresh), peer.predict_proba(fresh), rtol=1e-12)


def test_the_inverse_of_a_channel_on_exact_counts_gives_the_clear_tree():
    # Expected reports of one group at theta: theta of the records, 1 - theta of their
    # complements. The inverse weights every report and its complement; sums are the clear
    # counts up to rounding, and the tolerances must make the tree exactly the clear one.
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (300, 6))
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(300) < 0.2)
    options = {"criterion": "entropy", "split": "multiway"}
    clear = CountTreeClassifier(**options).fit(X, y)
    for theta in (0.7, 0.51, 0.2):
        a, b = theta / (2 * theta - 1), -(1 - theta) / (2 * theta - 1)
        truth, lie = theta, 1 - theta
        table = np.concatenate([X, 1 - X, 1 - X, X])
        weight = np.repeat([a * truth, a * lie, b * truth, b * lie], len(X))
        signed = CountTreeClassifier(**options).fit(table, np.tile(y, 4), sample_weight=weight)
        assert literal.same(literal.nested(signed.tree_), literal.nested(clear.tree_))


# MDL pruning against a recursive version and its formulas by hand


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
