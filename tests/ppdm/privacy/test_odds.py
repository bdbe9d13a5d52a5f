"""What a report says: in odds, which epsilon bounds, and in bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.attacks import bayes_posterior
from ppdm.privacy import local_epsilon, mutual_information, posterior_odds
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
