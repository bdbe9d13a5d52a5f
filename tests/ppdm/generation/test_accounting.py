"""The way from epsilon and delta to a budget that adds up."""

import numpy as np
import pytest
from scipy.special import log_ndtr

from ppdm.generation._private_tree import log_delta, rho_of


@pytest.mark.parametrize("rho", [1e-4, 0.03, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_least_over_all_orders(rho, epsilon):
    over = np.exp(np.linspace(-12, 15, 400_001))  # alpha - 1
    alpha = 1 + over
    exponents = over * (alpha * rho - epsilon) + alpha * np.log(over / alpha) - np.log(over)
    # a grid finds nothing lower, and misses the least by less than a thousandth
    assert exponents.min() - 1e-3 < log_delta(rho, epsilon) <= min(exponents.min(), 0) + 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.01, 0.5])
def test_the_largest_budget_within_epsilon_and_delta(epsilon, delta):
    rho = rho_of(epsilon, delta)
    assert log_delta(rho, epsilon) == pytest.approx(np.log(delta), abs=1e-6)
    assert log_delta(1.01 * rho, epsilon) > np.log(delta)
    # Gaussian noise of this rho has a smaller delta: what is said of all mechanisms of a rho
    # is said of it. Its exact one is that of Balle and Wang.
    ratio = np.sqrt(2 * rho)
    exact = np.exp(log_ndtr(ratio / 2 - epsilon / ratio)) - np.exp(
        epsilon + log_ndtr(-ratio / 2 - epsilon / ratio))
    assert 0 < exact <= delta
