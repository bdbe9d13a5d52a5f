"""What CountTreeClassifier takes, refuses and says: stops, grids, labels, text, errors."""

import warnings

import numpy as np
import pandas as pd
import pytest
from refusals import refusals
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from trees import same_trees

from ppdm.datasets import load_pima, make_agrawal
from ppdm.exceptions import PPDMWarning
from ppdm.tree import CountTreeClassifier

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
XOR_CLASS = np.array([0, 1, 1, 0])


def test_a_split_of_zero_gain_is_made():
    for split in ("threshold", "multiway"):
        tree = CountTreeClassifier(split=split).fit(XOR, XOR_CLASS)
        assert tree.tree_.gain[0] == 0
        assert tree.tree_.feature[0] == 0  # both attributes tie: the lowest
        assert tree.score(XOR, XOR_CLASS) == 1


def test_rounding_does_not_decide_a_tie():
    # Class 0 lies on both sides of class 1 with weight .3, on the right as .1 + .2, which is
    # larger than .3 by rounding: the cut on the right, or the attribute of the mirrored
    # values, would win by 1e-17.
    values = np.array([0, 1, 2, 2])
    for w in ([0.3, 1.0, 0.1, 0.2], [30.0, 100.0, 10.0 + 1e-9, 20.0]):
        one = CountTreeClassifier().fit(values[:, None], [0, 1, 0, 0], sample_weight=w)
        assert one.tree_.threshold[0] == 0
        both = np.column_stack([values > 0, values > 1]).astype(int)
        two = CountTreeClassifier().fit(both, [0, 1, 0, 0], sample_weight=w)
        assert two.tree_.feature[0] == 0


def test_what_rounding_leaves_of_a_class_is_no_class():
    # class 1 weighs 1.1 + 2.2 - 3.3 = 4e-16, and two values would set it apart
    X, y, w = [[0], [0], [0], [1], [1]], [0, 1, 1, 0, 1], [0.5, 1.1, 2.2, 0.5, -3.3]
    assert 1 + sum([1.1, 2.2, -3.3]) > 1
    for split in ("threshold", "multiway"):
        assert CountTreeClassifier(split=split).fit(X, y, sample_weight=w).tree_.n_nodes == 1


def test_a_minimal_decrease_is_the_nodes_own():
    # Root: 100 of each class, x0 sets 8 of class 1 apart. In the other 192 records (100 : 92)
    # no split gains more than .0035, in none does the node's share of the records matter.
    X = np.zeros((200, 2), dtype=int)
    y = np.repeat([0, 1], 100)
    X[192:, 0] = 1
    X[:6, 1] = 1
    gain = CountTreeClassifier().fit(X, y).tree_.gain
    first = 0.5 - 192 / 200 * (1 - (100 / 192) ** 2 - (92 / 192) ** 2)
    node = 1 - (100 / 192) ** 2 - (92 / 192) ** 2
    second = node - 186 / 192 * (1 - (94 / 186) ** 2 - (92 / 186) ** 2)
    np.testing.assert_allclose(gain[:2], [first, second])
    for threshold, leaves in ((second - 1e-6, 3), (second + 1e-6, 2), (first + 1e-6, 1)):
        stopped = CountTreeClassifier(min_impurity_decrease=threshold).fit(X, y)
        assert stopped.get_n_leaves() == leaves


def test_a_tied_leaf_is_the_lowest_class():
    # within 1e-6 it is a tie, beyond it is not
    for more, label in ((0, "no"), (5e-7, "no"), (5e-6, "yes")):
        tree = CountTreeClassifier().fit([[0], [0]], ["no", "yes"], sample_weight=[1, 1 + more])
        assert tree.predict([[0]]) == label


def test_a_node_without_positive_weight_takes_its_parents_majority():
    # x = 1 holds weights -2 of class 0 and +1 of class 1: a total of -1
    X, y, w = [[0], [0], [1], [1]], [0, 1, 0, 1], [5.0, 3.0, -2.0, 1.0]
    tree = CountTreeClassifier(split="multiway").fit(X, y, sample_weight=w)
    assert tree.tree_.counts.tolist() == [[3.0, 4.0], [5.0, 3.0], [-2.0, 1.0]]
    assert tree.predict([[0], [1]]).tolist() == [0, 1]
    np.testing.assert_allclose(tree.predict_proba([[1]]), [[3 / 7, 4 / 7]])
    # even where two of its classes have some: x = 1 sums to 2 + 1 - 4
    two = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [1, 0]]
    three = CountTreeClassifier(split="multiway").fit(
        two, [0, 1, 2, 0, 1, 2], sample_weight=[1.0, 1.0, 7.0, 2.0, 1.0, -4.0]
    )
    node = int(three.tree_.first_child[0]) + 1
    assert three.tree_.counts[node].tolist() == [2.0, 1.0, -4.0]
    assert three.tree_.is_leaf[node]
    assert three.tree_.label[node] == three.tree_.label[0]
    # a threshold must leave positive weight on both sides, so this one is not split
    assert CountTreeClassifier().fit(X, y, sample_weight=w).tree_.n_nodes == 1


def test_negative_counts_are_kept_and_clipped_only_for_shares():
    X, y = np.zeros((2, 1), dtype=int), [0, 1]
    tree = CountTreeClassifier().fit(X, y, sample_weight=[-1.5, 4.0])
    assert tree.tree_.counts.tolist() == [[-1.5, 4.0]]
    assert tree.predict_proba([[0]]).tolist() == [[0.0, 1.0]]


def test_intervals_of_equal_width_and_their_edges():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.uniform(-3, 7, (2000, 1)), [[-3.0], [7.0]]])
    tree = CountTreeClassifier(n_intervals=10, max_depth=1).fit(X, X[:, 0] >= 2.0)
    np.testing.assert_allclose(tree.edges_[0], np.arange(-3, 8))
    assert tree.get_n_leaves() == 2  # 2.0 is an edge: one cut says it all
    below = np.nextafter(2.0, 0)
    assert tree.predict([[below], [2.0], [-100.0], [100.0]]).tolist() == [False, True, False, True]


@pytest.mark.parametrize("edges", [np.linspace(0.1, 0.7, 8), np.geomspace(1, 1e6, 9), [0, 1e-300]])
def test_every_edge_belongs_to_the_interval_on_its_right(edges):
    edges = np.asarray(edges)
    values = np.concatenate([edges, np.nextafter(edges[1:], -np.inf)])
    codes = np.concatenate([np.arange(edges.size), np.arange(edges.size - 1)])
    codes = np.minimum(codes, edges.size - 2)  # the last edge closes the last interval
    tree = CountTreeClassifier(split="multiway").fit_codes(codes[:, None], codes, [edges])
    assert tree.predict(values[:, None]).tolist() == codes.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_values_are_led_where_their_codes_are(dtype):
    # on a cut, a hair below it and beyond the ends; more records than are led down together
    rng = np.random.default_rng(0)
    X = rng.integers(0, 200, (20_000, 3)).astype(dtype)
    y = (X[:, 0] > 90) ^ (X[:, 1] > 30) ^ (rng.random(len(X)) < 0.1)
    tree = CountTreeClassifier(min_samples_leaf=20).fit(X, y)
    assert tree.get_depth() > 8  # some leave early, some go on
    if dtype in (np.float64, np.float32):
        edges = np.stack([edges.astype(dtype) for edges in tree.edges_], axis=1)
        X = np.concatenate([X, edges, np.nextafter(edges, dtype(-1e9)), [[-9, 1e6, 3]]])
    expected = tree.tree_.apply(tree._grid.encode(X))
    np.testing.assert_array_equal(tree.apply(X), expected)


def test_values_a_multiway_split_has_not_seen_are_refused():
    tree = CountTreeClassifier(split="multiway").fit([[0], [2]], [0, 1])
    for unseen in (3, -1, 0.5):
        with pytest.raises(ValueError, match=rf"from \[0.0\] to \[2.0\], got {unseen} at \(0, 0\)"):
            tree.predict([[unseen]])


def test_text_and_arrays():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [25.0, 45.0, 65.0, 80.0], "loan": [0.0, 1.0, 0.0, 2.0]})
    tree = CountTreeClassifier(n_intervals=11).fit(frame, ["B", "B", "A", "A"])
    assert tree.export_text() == "age < 60: B (0, 2)\nage >= 60: A (2, 0)"
    assert tree.branch_text(1) == "age < 60"
    assert tree.branch_text(2, ["years", "euros"]) == "years >= 60"
    deep = CountTreeClassifier(split="multiway").fit(XOR, XOR_CLASS)
    assert deep.export_text(["a", "b"]).splitlines() == [
        "a = 0",
        "|   b = 0: 0 (1, 0)",
        "|   b = 1: 1 (0, 1)",
        "a = 1",
        "|   b = 0: 1 (0, 1)",
        "|   b = 1: 0 (1, 0)",
    ]
    arrays = deep.tree_
    assert arrays.feature.tolist() == [0, 1, 1, -1, -1, -1, -1]
    assert arrays.threshold.tolist() == [-1] * 7
    assert arrays.first_child.tolist() == [1, 3, 5, -1, -1, -1, -1]
    assert arrays.n_children.tolist() == [2, 2, 2, 0, 0, 0, 0]
    assert arrays.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert arrays.depth.tolist() == [0, 1, 1, 2, 2, 2, 2]
    assert deep.apply(XOR).tolist() == [3, 4, 5, 6]


test_what_is_refused = refusals(
    ([1, 1, -1, -2], r"sample_weight must have a total above zero, .*got -1"),
    by=lambda weight: CountTreeClassifier().fit(XOR, XOR_CLASS, weight),
)  # fmt: skip


@pytest.mark.parametrize("method", ["export_text", "get_depth", "get_n_leaves"])
def test_what_is_not_grown_says_so(method):
    with pytest.raises(NotFittedError):
        getattr(CountTreeClassifier(), method)()


SAID = "half of the values of attribute {} lie within .* n_intervals=None"


def noisy_sum(n=4000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, 2))
    y = (X.sum(axis=1) > 0) ^ (rng.random(2 * n) < 0.15)
    return X, y, np.arange(2 * n) < n


def outlier(X):
    X = X.copy()
    X[0, 0] = 1e6
    return X


def some_zeros(X):
    return np.where(np.random.default_rng(1).random(X.shape) < 0.6, 0.0, np.exp(3 * X))


def caught(fit, *given):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fit(*given)
    return [str(each.message) for each in found if each.category is PPDMWarning]


CROWDED = [(outlier, {"x0"}), (lambda X: np.exp(3 * X), {"x0", "x1"}),
           (lambda X: np.exp(2 * X), {"x0", "x1"}), (some_zeros, {"x0", "x1"})]  # fmt: skip


@pytest.mark.parametrize(("change", "names"), CROWDED)
def test_what_equal_widths_cannot_tell_apart_is_named_with_its_remedy(change, names):
    X, y, train = noisy_sum()
    X = change(X)
    tree = CountTreeClassifier(min_samples_leaf=40)
    said = caught(tree.fit, X[train], y[train])
    assert {text.split()[6] for text in said} == names
    assert all("n_intervals=None" in text for text in said)
    lost = tree.score(X[~train], y[~train])
    # the remedy helps by more than chance, whose standard error is sqrt(.17 * .83 / 4000) = .006
    remedy = CountTreeClassifier(min_samples_leaf=40, n_intervals=None)
    assert not caught(remedy.fit, X[train], y[train])
    assert remedy.score(X[~train], y[~train]) > lost + 5 * 0.006


@pytest.mark.parametrize(
    "load",
    [load_iris, load_wine, load_breast_cancer, load_digits, load_pima,
     *(lambda function=k, **_: make_agrawal(4000, function, random_state=0) for k in range(1, 6))],
)  # fmt: skip
def test_ten_data_sets_are_not_warned_of(load):
    X, y = load(return_X_y=True)
    for options in ({}, {"n_intervals": 5}, {"n_intervals": 1000}):
        assert not caught(CountTreeClassifier(max_depth=1, **options).fit, X.astype(float), y)


def test_a_value_that_half_the_records_share_is_no_crowd_nor_are_labels():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((1000, 1)) < 0.9, 0, 1e6 * rng.random((1000, 1)))
    assert not caught(CountTreeClassifier(max_depth=1).fit, X, X[:, 0] > 0)
    mixed = [["abc"[k % 3], 1e6 * (k == 0) + k] for k in range(90)]
    tree = CountTreeClassifier(categories=[["a", "b", "c"], None])
    said = caught(tree.fit, np.array(mixed, dtype=object), np.arange(90) > 9)
    assert [text.split()[6] for text in said] == ["x1"]


# Labels: the trees of their codes; where their order or place is unknown, refused


COLOURS, SIZES = ["red", "green", "blue", "pink"], ["S", "M", "L", "XL"]  # nobody wears pink
rng = np.random.default_rng(0)
N = 400
CODES = np.column_stack([rng.integers(0, 3, N), rng.integers(0, 4, N)])
WARM = (CODES[:, 1] > 1) ^ (rng.random(N) < 0.1)
Y = np.where((CODES[:, 0] == 2) | WARM, "yes", "no")
FRAME = pd.DataFrame(
    {
        "colour": pd.Categorical.from_codes(CODES[:, 0], COLOURS),
        "size": pd.Categorical.from_codes(CODES[:, 1], SIZES, ordered=True),
    }
)
TEXTS = FRAME.astype(str).to_numpy()
AGE = rng.normal(40, 9, N)
#: The codes that texts get which are learnt: their places in the alphabet.
IN_THE_ALPHABET = [["blue", "green", "red"], ["L", "M", "S", "XL"]]


def multiway(**options):
    return CountTreeClassifier(split="multiway", criterion="entropy", **options)


def on_codes(categories, **options):
    """Grow the tree from the codes of labels, with a branch for each label."""
    codes = np.column_stack([[known.index(x) for x in column] for known, column in
                             zip(categories, TEXTS.T, strict=True)])  # fmt: skip
    edges = [np.arange(len(known) + 1) - 0.5 for known in categories]
    return codes, CountTreeClassifier(**options).fit_codes(codes, Y, edges)


@pytest.mark.parametrize(
    ("X", "given", "categories"),
    [
        (FRAME, None, [COLOURS, SIZES]),
        (TEXTS, [COLOURS, SIZES], [COLOURS, SIZES]),
        (TEXTS, None, IN_THE_ALPHABET),
        (TEXTS.astype(object), None, IN_THE_ALPHABET),
        (TEXTS.tolist(), None, IN_THE_ALPHABET),
        (pd.DataFrame(TEXTS, columns=["colour", "size"]), None, IN_THE_ALPHABET),
    ],
    ids=["Categorical", "given", "texts", "objects", "a list", "a frame of texts"],
)
def test_a_branch_for_each_label(X, given, categories):
    codes, wanted = on_codes(categories, split="multiway", criterion="entropy")
    tree = multiway(categories=given).fit(X, Y)
    assert same_trees(tree, wanted)
    assert [known.tolist() for known in tree.categories_] == categories
    np.testing.assert_array_equal(tree.predict_proba(X), wanted.predict_proba(codes))
    # and the labels of one kind are read in any other: by what they say, not by their codes
    for other in (FRAME, pd.DataFrame(TEXTS, columns=FRAME.columns)) if hasattr(X, "iloc") else ():
        np.testing.assert_array_equal(tree.predict(other), wanted.predict(codes))
    for j, label in enumerate(["red", "XL"]):
        text = tree.export_text(["colour", "size"])
        assert text.count(f"{['colour', 'size'][j]} = {label}") == (tree.tree_.feature == j).sum()


@pytest.mark.parametrize("given", [None, [COLOURS, SIZES]])
def test_a_threshold_cuts_labels_in_their_order(given):
    X = FRAME.iloc[:, 1:] if given is None else TEXTS
    given_codes, wanted = on_codes([COLOURS, SIZES])
    tree = CountTreeClassifier(categories=given).fit(X, Y)
    if given:
        assert same_trees(tree, wanted)
        np.testing.assert_array_equal(tree.predict(X), wanted.predict(given_codes))
    else:  # S and M below, L and XL above: in the alphabet no one cut does that
        stump = CountTreeClassifier(max_depth=1).fit(X, Y)
        assert stump.export_text().startswith("size <= M: no")


def test_labels_beside_numbers():
    # an age is cut into intervals, a label is not, whatever lies between codes
    X = FRAME.assign(age=AGE)
    y = np.where(AGE > 40, Y, "never")
    tree = multiway(n_intervals=4).fit(X, y)
    ages = CountTreeClassifier(n_intervals=4).fit(AGE[:, np.newaxis], y)
    np.testing.assert_array_equal(tree.edges_[2], ages.edges_[0])
    assert [edges.size - 1 for edges in tree.edges_] == [4, 4, 4]
    assert tree.categories_[2] is None
    assert set(tree.tree_.n_children) == {0, 4}
    for same in (X.astype(object), X.astype(object).to_numpy().tolist()):
        given = {"categories": [COLOURS, SIZES, None]}
        assert same_trees(multiway(n_intervals=4, **given).fit(same, y), tree)
    whole = FRAME.assign(age=np.rint(AGE / 10).astype(int))  # whole numbers are their own codes
    tree = multiway(n_intervals=2).fit(whole, y)
    assert tree.edges_[2].size - 1 == np.ptp(whole["age"]) + 1
    given = {"categories": [COLOURS, SIZES, None]}
    assert same_trees(multiway(n_intervals=2, **given).fit(whole.astype(object), y), tree)


def test_a_label_of_no_record_has_its_parents_class():
    few = FRAME[CODES[:, 0] < 2]
    tree = multiway(max_depth=1).fit(few[["colour"]], Y[CODES[:, 0] < 2])
    assert tree.tree_.n_children[0] == 4
    assert tree.predict(pd.DataFrame({"colour": ["pink"]})) == tree.classes_[tree.tree_.label[0]]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("age", "4", "X, attribute 'age', must hold numbers"),
        ("age", np.nan, "X, attribute 'age', must hold finite"),
    ],
)
def test_what_is_no_number_is_refused(column, value, said):
    X = FRAME.assign(age=AGE)
    tree = multiway(n_intervals=3).fit(X, Y)
    X = X.astype(object)
    X.loc[7, column] = value
    with pytest.raises((ValueError, TypeError), match=said):
        tree.predict(X)


def test_another_fit_forgets_labels():
    tree = multiway().fit(TEXTS, Y)
    assert tree.fit(CODES, Y).categories_ is None
    tree = multiway(categories=[COLOURS, SIZES]).fit_codes(CODES, Y, [np.arange(5.0)] * 2)
    assert tree.categories_ is None
    assert tree.predict(CODES + 0.5).shape == (N,)
