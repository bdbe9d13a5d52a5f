"""Composition and Gaussian noise, against sums and integrals of their own."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from ppdm.noise import AdditiveNoise
from ppdm.privacy import Guarantee, compose, gaussian_delta, gaussian_epsilon, local_epsilon
from ppdm.randomized_response import RandomizedResponse


def test_basic_composition_is_what_the_parts_of_a_record_add_up_to():
    each = RandomizedResponse(0.7, [[0], [1], [2]]).fit([[0, 1, 1]])
    bit = local_epsilon(each, changes="bit")
    assert compose(bit, repeats=3).epsilon == pytest.approx(local_epsilon(each))
    often = compose([bit] * 3, repeats=5)
    assert (often.epsilon, often.delta) == (pytest.approx(local_epsilon(*[each] * 5)), 0)


def test_deltas_add_up_and_stop_at_one():
    assert compose([1, 2], [0.01, 0.02], repeats=3).delta == pytest.approx(0.09)
    assert compose([1, 2], 0.01).delta == pytest.approx(0.02)
    assert compose(1, 0.4, repeats=3).delta == 1
    assert compose([1, np.inf], slack=1e-6) == Guarantee(epsilon=np.inf, delta=0)


@pytest.mark.parametrize(
    ("epsilon", "repeats"), [(0.1, 200), (0.5, 60), (0.05, 1000), (0.01, 1000), (0.02, 900)]
)
@pytest.mark.parametrize("slack", [1e-2, 1e-5])
def test_advanced_composition_holds_for_repeated_coins(epsilon, repeats, slack):
    """The exact delta of so many coins at the stated epsilon is within the slack.

    With j of n reports on one side the log-ratio is (2 j - n) epsilon, and delta the sum of what
    one truth gives such a count beyond e^epsilon times the other.
    """
    found = compose(epsilon, repeats=repeats, slack=slack)
    assert found.epsilon < repeats * epsilon  # slower than the sum
    theta = 1 / (1 + np.exp(-epsilon))
    count = np.arange(repeats + 1)
    one, other = binom.pmf(count, repeats, theta), binom.pmf(count, repeats, 1 - theta)
    delta = np.maximum(one - np.exp(found.epsilon) * other, 0).sum()
    assert 0 < delta <= found.delta == slack


def test_the_least_of_three_bounds_is_taken():
    """By hand: .05 + sqrt(.2 ln(e + .3162 / 1e-5)), where ln(1 / 1e-5) gives 1.567."""
    found = compose(0.01, 1e-8, repeats=1000, slack=1e-5)
    assert found.epsilon == pytest.approx(1000 * 0.01 * np.tanh(0.005) + np.sqrt(
        0.2 * np.log(np.e + np.sqrt(0.1) / 1e-5)))
    assert round(found.epsilon, 3) == 1.490
    assert found.delta == pytest.approx(1000 * 1e-8 + 1e-5)
    # where squares are above one the other of the two is the lower
    assert compose(0.1, repeats=1600, slack=1e-6).epsilon == pytest.approx(
        160 * np.tanh(0.05) + np.sqrt(2 * 16 * np.log(1e6)))


def test_advanced_composition_only_where_it_is_better():
    assert compose([2.0, 2.0], slack=1e-6) == Guarantee(epsilon=4.0, delta=0.0)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(("scale", "width"), [(1.0, 1.0), (0.255, 1.0), (10.0, 30.0)])
def test_delta_of_gaussian_noise_is_the_integral(epsilon, scale, width):
    """What one density has beyond e^epsilon times the other; catches a sign, a half, a square."""

    def beyond(x):
        return max(norm.pdf(x, width, scale) - np.exp(epsilon) * norm.pdf(x, 0, scale), 0)

    start = width / 2 + epsilon * scale**2 / width  # where the ratio is e^epsilon
    literal, _ = quad(beyond, start, width + 12 * scale, epsabs=1e-12, limit=200)
    assert gaussian_delta(epsilon, scale, width) == pytest.approx(literal, abs=1e-9)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.1])
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
def test_epsilon_of_gaussian_noise_is_the_inverse(delta, scale):
    epsilon = gaussian_epsilon(delta, scale, 1.0)
    if epsilon == 0:
        assert gaussian_delta(0, scale, 1.0) <= delta
    else:
        assert gaussian_delta(epsilon, scale, 1.0) == pytest.approx(delta, rel=1e-6)


def test_several_numbers_are_as_far_apart_as_the_crow_flies():
    both = gaussian_delta(1.0, [1.0, 2.0], [3.0, 8.0])  # ratios 3 and 4
    assert both == pytest.approx(gaussian_delta(1.0, 1.0, 5.0))
    assert gaussian_delta(1.0, 1.0, [3.0, 4.0]) == pytest.approx(both)
    assert gaussian_delta(0.0, 1.0, 0.0) == gaussian_epsilon(1e-9, 1.0, 0.0) == 0


def test_cells_of_gaussian_noise_tell_no_more_than_its_delta_allows():
    """What is done to a release cannot add to it: delta of the interval channel is smaller."""
    matrix = AdditiveNoise("gaussian", scale=0.5).on(np.linspace(0, 1, 21)).channel_matrix()
    for epsilon in (0.0, 0.5, 2.0):
        inside = np.maximum(matrix[:, -1] - np.exp(epsilon) * matrix[:, 0], 0).sum()
        exact = gaussian_delta(epsilon, 0.5, 1.0)
        assert 0.8 * exact < inside < exact
