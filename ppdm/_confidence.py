"""Confidence intervals of shares that were estimated by undoing a channel."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from ppdm import _validation as check
from ppdm.typing import FloatArray


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
    level = check.given("confidence", confidence)
    share, error = np.asarray(share), np.asarray(error)
    z = norm.ppf((1 + level) / 2) ** 2 / n
    square = error**2 * (n - 1) + share**2 - slope * share
    middle = share + z * slope / 2
    half = np.sqrt(np.maximum(middle**2 - (1 + z) * (share**2 - z * square), 0))
    return np.asarray(np.stack([middle - half, middle + half], axis=-1) / (1 + z))
