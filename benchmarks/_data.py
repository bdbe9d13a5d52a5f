"""The records that several rows share, each made once a row and forgotten with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppdm.datasets import AGRAWAL_DOMAIN, make_agrawal

Pair = tuple[NDArray[Any], NDArray[Any]]


def bits(n: int) -> Pair:
    """Return records of 32 bits, each slightly correlated with the class, and the classes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    X = (rng.random((n, 32)) < 0.3 + 0.4 * y[:, np.newaxis]).astype(np.int8)
    return X, y


def agrawal_codes(n: int, function: int, *, flipped: bool) -> Pair:
    """Return nine attributes as whole numbers below 100, and classes, a fifth of them wrong."""
    X, y = make_agrawal(n, function, random_state=function)
    low, high = AGRAWAL_DOMAIN.T
    codes = np.minimum((X - low) / (high - low) * 100, 99).astype(np.int64, order="C")
    wrong = np.random.default_rng(0).random(y.size) < 0.2
    return codes, np.where(wrong, 1 - y, y) if flipped else y
