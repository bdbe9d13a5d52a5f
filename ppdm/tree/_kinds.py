"""Records of several kinds whose weights add up exactly, in any order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ppdm.typing import FloatArray

#: A float holds whole numbers up to this many bits, and adds them without rounding.
_BITS = 53


class Kinds(NamedTuple):
    """Records that weigh what their kind weighs, in sums that neither order nor chunks change.

    A weight is cut into two parts. The first is a multiple of the finest unit in which all
    records together can be added without rounding, the second holds the rest, in a unit of its
    own that is as fine as such sums of it allow. So each sum is exact in either part, and the two
    are added once, at the end. What is cut off in the second moves sums of a hundred million
    records by under a millionth of a record, times the weights of a record.
    """

    parts: FloatArray
    """The parts of what a record of each kind weighs, (n_rows, n_kinds); one row may do."""

    @classmethod
    def of(cls, worth: FloatArray, most: float) -> Kinds:
        """Return the parts of the weights, for counts of at most ``most`` of each kind."""
        high = _whole(worth, most)
        low = _whole(worth - high, most)
        return cls(np.stack([high, low] if low.any() else [high]))

    @property
    def n_rows(self) -> int:
        """How many floats hold the weight of a record."""
        return len(self.parts)

    def pack(self, counts: FloatArray) -> FloatArray:
        """Return the parts of the weights of counts (n_kinds, m), (n_rows, m)."""
        return self.parts @ counts

    def weigh(self, packed: FloatArray) -> FloatArray:
        """Return the weight of sums of parts (n_rows, ...)."""
        return np.asarray(packed.sum(axis=0))


def _whole(worth: FloatArray, most: float) -> FloatArray:
    """Round weights to the finest unit in which ``most`` of each kind add up without rounding."""
    largest = float(np.abs(worth).sum()) * (most + 1)
    if largest == 0:
        return worth
    unit = 2.0 ** (np.frexp(largest)[1] + 1 - _BITS)  # twice the largest: rounding may add to it
    return np.asarray(np.round(worth / unit) * unit)
