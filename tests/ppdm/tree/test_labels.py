"""Labels in trees: the trees of their codes, and labels whose order or place is unknown refused."""

import numpy as np
import pandas as pd
import pytest
from trees import same_trees

from ppdm.tree import CountTreeClassifier

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
