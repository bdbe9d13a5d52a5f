"""How far a share that was estimated by undoing a channel may be off, and for how many people."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from ppdm import _validation as check
from ppdm.typing import FloatArray


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors an estimate is off at most, with this confidence."""
    return float(norm.ppf((1 + check.given("confidence", confidence)) / 2))


def report_error(true: Any, false: Any, share: float) -> Any:
    """Return the standard error of a share from one report, ``error / sqrt(n)`` from n.

    A report supports a value with probability ``true`` from those who have it, with ``false``
    from the others. Infinite where the two are equal.
    """
    reported = share * true + (1 - share) * false
    with np.errstate(divide="ignore"):
        return np.sqrt(reported * (1 - reported)) / abs(true - false)


def people_for(one: Any, error: Any) -> Any:
    """Return the smallest n with one / sqrt(n) <= error; whole but for rounding is whole."""
    return np.maximum(np.ceil((one / error) ** 2 * (1 - 1e-12)), 1)


def score_interval(
    share: FloatArray | float,
    error: FloatArray | float,
    n: int,
    slope: FloatArray | float,
    confidence: float,
) -> FloatArray:
    """Return Wilson's interval (..., 2) of shares that are means of n reports' weights.

    Kept is each share t with (share - t)^2 <= z^2 / n * variance(t), the variance of one report's
    weight if t were true. A weight is one of two numbers, which add up to ``slope``, and has mean
    t: its mean square is slope * t less a constant, and the ``error`` says which.
    """
    share, error = np.asarray(share), np.asarray(error)
    z = normal_quantile(confidence) ** 2 / n
    square = error**2 * (n - 1) + share**2 - slope * share
    middle = share + z * slope / 2
    half = np.sqrt(np.maximum(middle**2 - (1 + z) * (share**2 - z * square), 0))
    return np.asarray(np.stack([middle - half, middle + half], axis=-1) / (1 + z))
