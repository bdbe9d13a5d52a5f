"""Naive Bayes from counts that may be signed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.naive_bayes import CountNB
from ppdm.reconstruction import project


def literal_scores(X, y, weight, record):
    """Eq. 6 of ZCM04, word for word."""
    n = sum(weight)

    def share(*conditions):
        hits = (w for x, c, w in zip(X, y, weight, strict=True)
                if all(condition(x, c) for condition in conditions))
        return sum(hits) / n

    def legal(p):
        return min(p, 1.0) if p > 1e-6 / n else 1 / (2 * n)

    scores = []
    for label in sorted(set(y)):
        p = legal(share(lambda x, c, label=label: c == label))
        score = math.log(p)
        for j, v in enumerate(record):
            joint = share(lambda x, c, j=j, v=v, label=label: x[j] == v and c == label)
            score += math.log(legal(joint / p))
        scores.append(score)
    return scores


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 500),
    n_values=st.lists(st.integers(1, 4), min_size=1, max_size=11),
    n_classes=st.integers(1, 3),
    signed=st.booleans(),
)
def test_scores_are_the_papers(seed, n_values, n_classes, signed):
    # catches clipping before summing, a floor per class, a swapped axis, a byte cut short
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k, 40) for k in n_values])
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 40 - n_classes)]
    weight = rng.choice([-1.0, 1.5, 2.5], 40, p=[0.3, 0.4, 0.3]) if signed else np.ones(40)
    if weight.sum() <= 0:
        return
    nb = CountNB(n_values).fit(X, y, sample_weight=weight)
    record = np.array([rng.integers(0, k) for k in n_values])
    expected = literal_scores(X.tolist(), y.tolist(), weight.tolist(), record.tolist())
    np.testing.assert_allclose(nb.predict_joint_log_proba(record[None])[0], expected, atol=1e-9)
    for j, k in enumerate(n_values):  # counts are kept as they are, below zero, too
        for c in range(n_classes):
            counts = np.bincount(X[y == c, j], weight[y == c], minlength=k)
            np.testing.assert_allclose(nb.pair_count_[j, c, :k], counts, atol=1e-9)


def test_bits_by_bytes_and_codes_one_by_one_count_the_same():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 19)), rng.integers(0, 3, 300)
    for weight in (None, rng.normal(1, 1, 300)):
        by_byte = CountNB(2).fit(X, y, weight).pair_count_
        one_by_one = CountNB(3).fit(X, y, weight).pair_count_
        np.testing.assert_allclose(by_byte, one_by_one[:, :, :2], atol=1e-9)
        assert (one_by_one[:, :, 2] == 0).all()


def test_a_weight_of_minus_one_takes_a_record_back():
    X, y = np.array([[0, 1], [1, 1], [1, 0]]), np.array([0, 1, 1])
    undone = CountNB(2).fit(X, y).partial_fit([[1, 0]], [1], sample_weight=[-1])
    np.testing.assert_array_equal(undone.pair_count_, CountNB(2).fit(X[:2], y[:2]).pair_count_)


def test_rounding_is_no_count():
    # .1 + .2 - .3 is 5.6e-17: zero, so half a record of n = 4, and not a probability of 1e-17
    nb = CountNB(2).fit(
        [[0], [0], [0], [1], [0]], [0, 0, 0, 0, 1], sample_weight=[0.1, 0.2, -0.3, 2, 2]
    )
    np.testing.assert_allclose(nb.predict_joint_log_proba([[0]])[0], np.log([1 / 2 / 8, 1 / 2]))


def test_a_tie_goes_to_the_lowest_class():
    nb = CountNB(2).fit([[0], [0], [1], [1]], ["b", "a", "b", "a"])
    assert nb.predict([[0], [1]]).tolist() == ["a", "a"]


def test_no_overflow_on_many_attributes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (50, 3000)), rng.integers(0, 2, 50)
    proba = CountNB(2).fit(X, y).predict_proba(X)
    assert np.isfinite(proba).all()
    assert (proba.argmax(axis=1) == y).all()


@pytest.mark.parametrize(
    "y",
    [
        [3, 7, 3, 7], [-5, 5000, -5, 5000], ["x", "y", "x", "y"], [True, False, True, False],
        np.array([-100, 100, -100, 100], dtype=np.int8),
        np.array([0, 200, 0, 200], dtype=np.uint8),
    ],
)
def test_any_labels(y):
    X = [[0], [1], [0], [1]]
    nb = CountNB().fit(X, y)
    assert nb.predict(X).tolist() == np.asarray(y).tolist()
    assert nb.classes_.tolist() == np.unique(y).tolist()


def test_smoothing_makes_counts_legal_and_adds_to_each_value():
    counts = np.array([[-3.0, 23.0], [4.0, 6.0]])
    nb = CountNB(2, smoothing=1.5).fit([[0], [1]], [0, 1])
    nb._undone = np.array([20.0, 10.0]), counts[np.newaxis]
    legal = project(counts, method="simplex", total=[20, 10])
    shares = (legal + 1.5) / (legal.sum(axis=1, keepdims=True) + 3)
    scores = nb.predict_joint_log_proba([[0], [1]])
    assert scores == pytest.approx(np.log(np.array([[2 / 3], [1 / 3]]) * shares).T)


test_bad_input_is_named = refusals(
    (lambda: CountNB().fit([[0], [1]], [0, 1]).predict([[2]]),
     r"X holds a category never seen: code 2 at \(0, 0\), where attribute 0 has 2 value"),
    (lambda: CountNB().fit([[0], [1]], [0, 1]).partial_fit([[5]], [0]),
     "category never seen: code 5"),
    (lambda: CountNB([3, 2]).fit([[2, 2]], [0]), r"code 2 at \(0, 1\)"),
    (lambda: CountNB().fit([[0], [1]], [0, 1]).partial_fit([[0]], [2]),
     r"y must hold only labels among classes \[0, 1\], got \[2\]"),
    (lambda: CountNB().fit([[0], [1]], [0, 1], sample_weight=[1, -1]),
     "sample_weight must have a total above zero, .*got 0"),
)  # fmt: skip
