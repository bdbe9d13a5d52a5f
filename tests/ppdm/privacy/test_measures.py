"""What a report says in odds, which epsilon bounds, and in bits; the five measures of LX14."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refusals

from ppdm.attacks import bayes_posterior
from ppdm.privacy import (
    attribute_rank_change,
    attribute_rank_kept,
    local_epsilon,
    mutual_information,
    posterior_odds,
    rank_kept,
    rank_position,
    value_difference,
)
from ppdm.randomized_response import CategoricalRandomizedResponse, UnaryEncoding


@settings(deadline=None)
@given(seed=st.integers(0, 999))
def test_odds_are_those_of_the_posterior_and_epsilon_bounds_their_change(seed):
    rng = np.random.default_rng(seed)
    channel, prior = rng.dirichlet(np.ones(4), 3).T, rng.dirichlet(np.ones(3))
    odds = posterior_odds(channel, prior, [0, 2])
    posterior = bayes_posterior(channel, prior)
    np.testing.assert_allclose(odds.after, (posterior[:, 0] + posterior[:, 2]) / posterior[:, 1])
    assert odds.before == pytest.approx((prior[0] + prior[2]) / prior[1])
    np.testing.assert_allclose(odds.factor, odds.after / odds.before)
    assert 1 <= odds.largest <= np.exp(local_epsilon(channel)) * (1 + 1e-12)


def test_two_truths_reach_the_bound():
    """The largest factor over pairs of truths is e^epsilon, whatever the prior."""
    unary = UnaryEncoding(3, 1.3)
    priors = [[0.91, 0.09, 0.0], [0.9, 0.0, 0.1], [0.0, 0.9, 0.1]]
    largest = [posterior_odds(unary, prior, int(np.argmax(prior))).largest for prior in priors]
    assert largest == pytest.approx([np.exp(1.3)] * 3)


def test_certainty_and_what_nobody_releases():
    odds = posterior_odds([[1, 0.5], [0, 0.5], [0, 0]], [0.5, 0.5], 1)
    np.testing.assert_array_equal(odds.after, [0.5, np.inf, np.nan])
    assert odds.largest == np.inf
    assert posterior_odds([[0, 0.5], [1, 0.5]], [0.5, 0.5], 1).after[0] == np.inf
    assert posterior_odds([[0, 0.5], [1, 0.5]], [0.5, 0.5], 0).largest == np.inf


test_odds_of_what_is_impossible_are_refused = refusals(
    ([1.0, 0.0], "prior must give truths a probability above 0"),
    ([0.0, 1.0], "prior must give all others a probability above 0"),
    by=lambda prior: posterior_odds(np.eye(2), prior, 1),
)  # fmt: skip


channels = st.integers(0, 999).map(
    lambda seed: np.random.default_rng(seed).dirichlet(np.ones(4), 3).T
)


@settings(deadline=None)
@given(channel=channels, seed=st.integers(0, 99))
def test_mutual_information_is_the_definition(channel, seed):
    prior = np.random.default_rng(seed).dirichlet(np.ones(3))
    joint = channel * prior
    independent = np.outer(joint.sum(axis=1), prior)
    literal = sum(j * np.log2(j / i) for j, i in zip(joint.flat, independent.flat, strict=True))
    assert mutual_information(channel, prior) == pytest.approx(literal, abs=1e-12)


def test_mutual_information_at_its_limits():
    prior = np.array([0.5, 0.25, 0.25, 0.0])
    assert mutual_information(np.eye(4), prior) == 1.5  # everything
    assert mutual_information(np.full((3, 4), 1 / 3), prior) == 0  # nothing
    assert mutual_information(np.eye(4), [1, 0, 0, 0]) == 0  # nothing to tell
    # what is certain is told even where other reports are impossible
    assert mutual_information([[1, 1, 0], [0, 0, 1]], [0.25, 0.25, 0.5]) == 1


def test_mutual_information_of_an_attribute_of_a_channel():
    scheme = CategoricalRandomizedResponse([2, 4], 0.6).fit([[0, 0]])
    flat = np.full(4, 0.25)
    expected = mutual_information(scheme.channel_matrix(1), flat)
    assert mutual_information(scheme, flat, feature=1) == expected > 0


# The five measures of LX14: literal versions, limits, what independence alone scores


MEASURES = (
    value_difference,
    rank_position,
    rank_kept,
    attribute_rank_change,
    attribute_rank_kept,
)


def literal_rank(values):
    """Rank from 1: how many are smaller, and equal ones that stand before it."""
    return [
        1 + sum(v < value for v in values) + sum(v == value for v in values[:j])
        for j, value in enumerate(values)
    ]


def literal(A, MA):
    """Eq. 1 to 6, sign by sign."""
    n, m = len(A), len(A[0])
    difference = sum((A[i][j] - MA[i][j]) ** 2 for i in range(n) for j in range(m))
    size = sum(A[i][j] ** 2 for i in range(n) for j in range(m))
    rp = rk = 0
    for j in range(m):
        ranks = literal_rank([row[j] for row in A]), literal_rank([row[j] for row in MA])
        for rank, mrank in zip(*ranks, strict=True):
            rp += abs(rank - mrank)
            rk += rank == mrank
    means = [[sum(row[j] for row in M) / n for j in range(m)] for M in (A, MA)]
    pairs = list(zip(literal_rank(means[0]), literal_rank(means[1]), strict=True))
    cp = sum(abs(a - b) for a, b in pairs) / m
    ck = sum(a == b for a, b in pairs) / m
    return [(difference / size) ** 0.5, rp / (n * m), rk / (n * m), cp, ck]


# quarters add without rounding, so that means are equal or are not
matrices = st.tuples(st.integers(1, 8), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        *[arrays(float, shape, elements=st.integers(-8, 8).map(lambda v: v / 4))] * 2
    )
)


@given(matrices)
@settings(deadline=None, max_examples=80)
def test_the_measures_are_the_equations(pair):
    A, MA = pair
    A[0, 0] = 3.0  # VD needs a matrix that is not zero
    got = [measure(A, MA) for measure in MEASURES]
    assert got == pytest.approx(literal(A.tolist(), MA.tolist()))
    n, m = A.shape
    assert got[0] >= 0
    assert 0 <= got[1] <= n / 2
    assert 0 <= got[3] <= m / 2
    assert 0 <= got[2] <= 1
    assert 0 <= got[4] <= 1


def test_what_every_independent_release_scores():
    """(n^2 - 1)/(3n) and 1/n: exact for n = 5 over all 120 orders."""
    A = np.arange(5.0)[:, None]
    orders = [np.array(order, dtype=float)[:, None] for order in permutations(range(5))]
    assert np.mean([rank_position(A, MA) for MA in orders]) == pytest.approx(24 / 15)
    assert np.mean([rank_kept(A, MA) for MA in orders]) == pytest.approx(1 / 5)


def test_a_zero_matrix_has_no_relative_difference():
    with pytest.raises(ValueError, match="original must have a value other than 0"):
        value_difference(np.zeros((2, 2)), np.ones((2, 2)))
