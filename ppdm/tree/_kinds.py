"""Counts of several kinds of records, in one float."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ppdm._types import FloatArray


class Kinds(NamedTuple):
    """Records that weigh what their kind weighs: they are counted as integers, and weighed once.

    So neither their order nor their chunks matter. Counts of several kinds stand in one float,
    as digits of a number to the base ``base``, and are added up together.

    Attributes
    ----------
    worth : ndarray of float, shape (n_kinds,)
        What a record of each kind weighs.
    base : float
        A power of two above every count.
    digits : int
        How many counts stand in one float, which has 53 bits.
    """

    worth: FloatArray
    base: float
    digits: int

    @classmethod
    def of(cls, worth: FloatArray, most: float) -> Kinds:
        """Return the kinds for counts of at most ``most``."""
        bits = int(most).bit_length()
        return cls(worth, 2.0**bits, max(1, 53 // bits))

    @property
    def n_rows(self) -> int:
        """How many floats hold the counts of all kinds."""
        return -(-self.worth.size // self.digits)

    def pack(self, counts: FloatArray) -> FloatArray:
        """Return counts (n_kinds, m) as digits, (n_rows, m)."""
        packed = np.zeros((self.n_rows, *counts.shape[1:]))
        for kind, count in enumerate(counts):
            packed[kind // self.digits] += count * self.base ** (kind % self.digits)
        return packed

    def weigh(self, packed: FloatArray) -> FloatArray:
        """Return the weight of sums of packed counts (n_rows, ...), in a fixed order."""
        total = np.zeros(packed.shape[1:])
        for row, higher in enumerate(packed):
            worths = self.worth[row * self.digits : (row + 1) * self.digits]
            for worth in worths[:-1]:
                rest = higher
                higher = np.floor(rest * (1 / self.base))
                total += (rest - higher * self.base) * worth
            total += higher * worths[-1]
        return total
