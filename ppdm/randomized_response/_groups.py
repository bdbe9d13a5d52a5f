"""One coin: its channel and the inverse, and the records of those who share it.

A record has attributes and, where it is labelled, a class. A disguised class is one more
bit of the record: it stands in one of the groups or has a coin of its own. So everything
behind the public functions knows bits and groups only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._types import AnyArray, Bits, FloatArray, Groups, IntArray
from ppdm.channel import Channel


@dataclass(frozen=True)
class OneCoin(Channel):
    """Bits that share a coin: with probability ``theta`` all are kept, else all are reversed.

    Their value is the binary number they make: 0 stands for 0...00, 1 for 0...01.
    """

    theta: float
    n_bits: int = 1

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """Return theta times the identity and 1 - theta times its mirror image."""
        return self._keep_or_reverse(np.array([self.theta, 1.0 - self.theta]))

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return the inverse, of the same form: a record and its complement are two unknowns."""
        return self._keep_or_reverse(inverse_weights(self.theta))

    def _keep_or_reverse(self, weights: FloatArray) -> FloatArray:
        same = np.eye(2**self.n_bits)
        return np.asarray(weights[0] * same + weights[1] * same[::-1], dtype=np.float64)


def inverse_weights(theta: float) -> FloatArray:
    """Return what a report and its opposite count for the truth: the inverse of the channel.

    The first row of the inverse of [[theta, 1 - theta], [1 - theta, theta]], in closed form.
    The two add up to one.
    """
    theta = check.invertible(theta)
    return np.array([theta, theta - 1.0]) / (2.0 * theta - 1.0)


class Table(NamedTuple):
    """Records as bits, a disguised class being the last of them."""

    bits: Bits  # (n_records, n_bits)
    groups: list[IntArray]  # the bits that share a coin
    y: AnyArray | None  # a public class, (n_records,)


def tabulate(bits: Bits, y: ArrayLike | None, groups: Groups, class_group: object) -> Table:
    """Lay attributes and class side by side.

    Parameters
    ----------
    bits : ndarray of shape (n_records, n_attributes)
        Checked zeros and ones.
    y : array-like of shape (n_records,) or None
        The class; zeros and ones unless it is public.
    groups, class_group : see ``RandomizedResponse``
    """
    found = check.groups(groups, bits.shape[1])
    where = check.class_group(class_group, len(found))
    if y is None:
        if where is not None:
            raise ValueError(f"y must be given where the class is disguised, class_group={where!r}")
        return Table(bits, found, None)
    classes = check.class_values(y, "y", len(bits))
    if where is None:
        return Table(bits, found, classes)
    last = np.array([bits.shape[1]])
    if where == "own":
        found.append(last)
    else:
        found[where] = np.append(found[where], last)
    return Table(np.column_stack([bits, check.bits(classes, "y")]), found, None)
