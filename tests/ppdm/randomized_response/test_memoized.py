"""Memoised response: what is kept, what many reports tell, and what the object says of it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.asked import kary

from ppdm.privacy import local_epsilon
from ppdm.randomized_response import CategoricalRandomizedResponse, MemoizedResponse


def matrix(k, epsilon):
    """P[response | true] of k-ary response; of no coin, the identity."""
    return np.eye(k) if epsilon is None else kary(k, epsilon)


def chance(outputs, history, k, permanent, instantaneous):
    """P[outputs | history], literally: a sum over what may have been kept for each value."""
    first, second, total = matrix(k, permanent), matrix(k, instantaneous), 1.0
    for value in set(history):
        said = [out for out, true in zip(outputs, history, strict=True) if true == value]
        total *= sum(first[b, value] * np.prod(second[said, b]) for b in range(k))
    return total


def largest_ratio(histories, k, permanent, instantaneous):
    """Return the largest log ratio of the chances of anything said, of any two histories."""
    chances = np.array([
        [chance(said, history, k, permanent, instantaneous) for history in histories]
        for said in product(range(k), repeat=len(histories[0]))
    ])  # fmt: skip
    np.testing.assert_allclose(chances.sum(axis=0), 1)
    said = chances[chances.max(axis=1) > 0]
    with np.errstate(divide="ignore"):
        return np.log(said.max(axis=1) / said.min(axis=1)).max()


@settings(deadline=None, max_examples=60)
@given(
    k=st.integers(2, 4), n=st.integers(1, 4), permanent=st.floats(0.1, 4),
    instantaneous=st.none() | st.floats(0.1, 4),
)  # fmt: skip
def test_epsilon_of_many_reports_is_the_largest_ratio_of_all_that_can_be_said(
    k, n, permanent, instantaneous
):
    largest = largest_ratio([(x,) * n for x in range(k)], k, permanent, instantaneous)
    memo = MemoizedResponse(k, permanent, instantaneous)
    assert memo.epsilon(n) == pytest.approx(largest, rel=1e-9)
    assert memo.epsilon(n) <= memo.epsilon(10**6) == pytest.approx(permanent, rel=1e-12)
    assert memo.epsilon(0) == pytest.approx(0, abs=1e-12)
    assert local_epsilon(memo) == pytest.approx(memo.epsilon(), rel=1e-9)
    np.testing.assert_allclose(
        memo.channel_matrix(), matrix(k, instantaneous) @ matrix(k, permanent), atol=1e-12
    )


@pytest.mark.parametrize("instantaneous", [None, 0.7])
@pytest.mark.parametrize("pattern", ["aaa", "aab", "abab", "abca"])
def test_what_is_spent_bounds_histories_that_change_and_come_back_at_the_same_times(
    pattern, instantaneous
):
    k, permanent, n = 3, 1.1, len(pattern)
    histories = [
        h for h in product(range(k), repeat=n)
        if all((h[i] == h[j]) == (pattern[i] == pattern[j]) for i in range(n) for j in range(i))
    ]  # fmt: skip
    memo = MemoizedResponse(k, permanent, instantaneous, random_state=0)
    for value in histories[0]:
        memo.report([[value]])
    largest = largest_ratio(histories, k, permanent, instantaneous)
    # reached where the values that are compared leave room: with k of k all used it is not
    assert largest <= memo.spent_[0] + 1e-12
    if pattern == "aaa":
        assert largest == pytest.approx(memo.spent_[0])


#: Two histories of three values that change, or come back, at unlike times.
APART = [
    ((0, 1, 2), (0, 1, 0)), ((0, 1, 2), (1, 2, 1)), ((0, 1, 0, 2), (0, 1, 2, 0)),
    ((0, 0, 1), (0, 1, 1)), ((0, 0, 0), (0, 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("histories", APART)
def test_who_changes_or_comes_back_at_another_time_is_not_covered(histories):
    """The kept response goes out as it is: some report is one that a history cannot give."""
    assert largest_ratio(histories, 3, 1.1, None) == np.inf


def test_the_same_value_has_the_same_response_for_ever():
    memo = MemoizedResponse(5, permanent=1.0, random_state=1)
    here, there = np.zeros((300, 2), dtype=int), np.full((300, 2), 3)
    first, moved = memo.report(here), memo.report(there)
    np.testing.assert_array_equal(memo.report(here), first)
    np.testing.assert_array_equal(memo.report(there), moved)
    assert (first != moved).any()
    np.testing.assert_allclose(memo.spent_, 2 * 2 * 1.0)  # two attributes, two values each
    assert memo.n_features_in_ == 2


def test_averaging_finds_what_is_kept_and_no_more():
    # 1,000 people, 200 reports each: the most frequent report is the kept response, which is the
    # truth with probability p = .475; five standard errors are 5 sqrt(.475 .525 / 1000) = .079
    memo = MemoizedResponse(4, permanent=1.0, instantaneous=2.0, random_state=2)
    truth = np.random.default_rng(3).integers(0, 4, (1000, 1))
    kept = sum(np.eye(4)[memo.report(truth)[:, 0]] for _ in range(200)).argmax(axis=1)
    assert abs((kept == truth[:, 0]).mean() - np.e / (np.e + 3)) < 0.079
    # of 200 fresh reports with the chances of one of these the true value leads by 37 +- 11
    fresh = CategoricalRandomizedResponse(4, epsilon=memo.epsilon(), random_state=2)
    again = fresh.fit_transform(np.tile(truth, (1, 200)))
    assert (np.eye(4)[again].sum(axis=1).argmax(axis=1) == truth[:, 0]).mean() > 0.98


def test_what_is_refused_leaves_what_is_kept():
    memo = MemoizedResponse(3, 1.0, random_state=5)
    first = memo.report([[0], [1]])
    for X, message in [
        ([[0], [3]], r"X holds a category never seen: code 3 at \(1, 0\)"),
        ([[0]], r"shape \(2, 1\), the people and attributes of before, got shape \(1, 1\)"),
        ([[0, 1], [1, 1]], "the people and attributes of before"),
        ([[0], [-1]], "Negative"),
    ]:
        with pytest.raises(ValueError, match=message):
            memo.report(X)
    np.testing.assert_array_equal(memo.report([[0], [1]]), first)
    np.testing.assert_allclose(memo.spent_, 1.0)
