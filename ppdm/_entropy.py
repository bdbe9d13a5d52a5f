"""Entropy, for whoever measures what is disclosed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from ppdm.typing import FloatArray


def entropy_bits(weights: ArrayLike) -> FloatArray:
    """Return the entropy in bits along the last axis, of counts or of probabilities.

    0 log 0 is 0, and no result is -0.
    """
    shares = np.asarray(weights, dtype=np.float64)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    return np.asarray(-xlogy(shares, shares).sum(axis=-1) / np.log(2) + 0.0)
