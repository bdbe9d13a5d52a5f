"""The vectors of k bits, and how likely each is under each value: the rows of unary encoding."""

from __future__ import annotations

import numpy as np

from ppdm.typing import Bits, FloatArray, IntArray

#: An attribute of more values has a channel matrix of more than 2^16 rows.
MOST_VALUES = 16


def powers(k: int) -> IntArray:
    """Return what each of k bits adds to the row of the channel matrix."""
    if k > MOST_VALUES:
        raise ValueError(
            f"n_values must be at most {MOST_VALUES} for the channel of a whole attribute, which "
            f"has a row for each of 2^k vectors, got {k}; "
            "count one value at a time with bit_channel"
        )
    return 1 << np.arange(k)[::-1]


def vectors(k: int) -> Bits:
    """Return every vector of k bits, in the order of the rows."""
    each = powers(k)  # refuses what has too many vectors before they are laid out
    return (np.arange(2**k)[:, np.newaxis] & each > 0).astype(np.int8)


def vectors_given_value(k: int, q: float) -> FloatArray:
    """Return P[vector | value]: 1/2 for the own bit, q or 1 - q for each other."""
    bits = vectors(k)
    others = bits.sum(axis=1, keepdims=True) - bits  # set bits of other values
    return np.asarray(0.5 * q**others * (1 - q) ** (k - 1 - others), dtype=np.float64)
