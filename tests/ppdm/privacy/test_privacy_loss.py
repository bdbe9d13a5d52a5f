"""Agrawal and Aggarwal's measures against closed forms, with intervals fine and coarse."""

import numpy as np
import pytest
from scipy.stats import norm

from ppdm.noise import AdditiveNoise
from ppdm.privacy import conditional_privacy, mutual_information, privacy_loss


@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
def test_gaussian_value_and_gaussian_noise(noise):
    """I = log2(1 + 1/noise^2) / 2 and 2^h(X) = sqrt(2 pi e). 400 intervals of [-5, 5] standard
    deviations leave out less than 1e-6 of the value, and hide at most the curvature within a
    fortieth of a standard deviation: below 1e-3 of either.
    """
    edges = np.linspace(-5, 5, 401)
    prior = np.diff(norm.cdf(edges))
    prior /= prior.sum()
    channel = AdditiveNoise("gaussian", scale=noise).on(edges)
    whole = np.sqrt(2 * np.pi * np.e)
    left = 1 / np.sqrt(1 + noise**-2)
    assert conditional_privacy([[1.0] * 400], prior, edges) == pytest.approx(whole, rel=1e-3)
    assert conditional_privacy(channel, prior, edges) == pytest.approx(whole * left, rel=1e-3)
    assert privacy_loss(channel, prior) == pytest.approx(1 - left, rel=1e-3)


@pytest.mark.parametrize("half", [0.5, 1.0, 2.0])
def test_uniform_value_and_uniform_noise(half):
    """I = 1 / (2 c) nats for a value in [0, 1] and noise in an interval of width c >= 1.

    h(X + Y) of the trapezium is ln c + 1 / (2 c), and h(Y) = ln c. A cell that the end of the
    noise cuts hides where: that is of the order of an interval's width, and always a loss.
    """
    exact = 1 - np.exp(-1 / (4 * half))
    for m in (50, 200, 800):
        edges, prior = np.linspace(0, 1, m + 1), np.full(m, 1 / m)
        channel = AdditiveNoise("uniform", scale=half).on(edges)
        loss = privacy_loss(channel, prior)
        assert exact - 2 / m < loss < exact  # from below
        left = conditional_privacy(channel, prior, edges)
        assert left == pytest.approx(1 - loss)  # the range is one unit
    assert loss == pytest.approx(exact, abs=2e-3)


def test_units_and_unequal_intervals():
    """In thousands a length is a thousandth; a wide interval is one of its parts in doubt."""
    channel, prior = np.eye(2) * 0.4 + 0.3, [0.25, 0.75]
    one = conditional_privacy(channel, prior, [0, 1000, 4000])
    assert conditional_privacy(channel, prior, [0, 1, 4]) == pytest.approx(one / 1000)
    assert conditional_privacy([[1.0, 1.0]], prior, [0, 1, 4]) == pytest.approx(4)  # uniform
    expected = 4 * 2 ** -mutual_information(channel, prior)
    assert conditional_privacy(channel, prior, [0, 1, 4]) == pytest.approx(expected)


def test_nothing_and_everything_of_a_code():
    assert privacy_loss([[1.0, 1.0]], [0.5, 0.5]) == 0
    assert privacy_loss(np.eye(4), [0.25] * 4) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: privacy_loss([[0.5, 0.5], [0.4, 0.5]], [0.5, 0.5]), "columns that sum to one"),
        (lambda: conditional_privacy(np.eye(2), [0.5, 0.5], [0, 2, 1]), "edges must increase"),
        (lambda: conditional_privacy(np.eye(2), [0.5, 0.5], [0, 1, 2, 3]), "prior must have 3"),
        (lambda: conditional_privacy(np.eye(2), [0.5, 0.6], [0, 1, 2]), "prior must sum to one"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
