"""What noise on counts costs: zero-concentrated differential privacy, and its epsilon and delta.

A mechanism is rho-zCDP if for any two neighbouring tables and every order alpha > 1 the Renyi
divergence of its releases is at most rho alpha. Such rhos add up over releases (Bun and Steinke
2016). Gaussian noise of standard deviation s on numbers that change by at most D in Euclidean
length has rho = D^2 / (2 s^2); a choice by the exponential mechanism at epsilon has
epsilon^2 / 8 (Cesar and Rogers 2021).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar


def log_delta(rho: float, epsilon: float) -> float:
    """Return the logarithm of rho-zCDP's delta at epsilon (Canonne, Kamath and Steinke 2020).

    Their Proposition 12: the least of exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha /
    (alpha - 1) over alpha > 1.
    """

    def at(log_over: float) -> float:
        over = float(np.exp(log_over))  # alpha - 1
        alpha = 1 + over
        return over * (alpha * rho - epsilon) + alpha * float(np.log(over / alpha)) - log_over

    # a small epsilon has its least at an order of about log(1 / delta) / epsilon
    highest = 20 + max(0.0, -float(np.log(epsilon)))
    found = minimize_scalar(at, bounds=(-20, highest), method="bounded", options={"xatol": 1e-10})
    return min(0.0, float(found.fun))


@lru_cache
def rho_of(epsilon: float, delta: float) -> float:
    """Return the largest rho of which every release is (epsilon, delta)-differentially private."""

    def over(log_rho: float) -> float:
        return log_delta(float(np.exp(log_rho)), epsilon) - float(np.log(delta))

    low = high = float(np.log(epsilon))
    while over(low) > 0:
        low -= 10
    while over(high) <= 0:  # a large delta allows more than epsilon
        high += 1
    return float(np.exp(brentq(over, low, high, xtol=1e-12)))
