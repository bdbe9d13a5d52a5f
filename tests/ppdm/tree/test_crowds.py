"""Equal widths on long tails: what they cost, and that it is said."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from ppdm.datasets import load_pima, make_agrawal
from ppdm.exceptions import PPDMWarning
from ppdm.tree import CountTreeClassifier

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

