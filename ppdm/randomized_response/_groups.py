"""One coin: its channel and the inverse, and the records of those who share it.

A record has attributes and, where it is labelled, a class. A disguised class is one more
bit of the record: it stands in one of the groups or has a coin of its own. So everything
behind the public functions knows bits and groups only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array

from ppdm import _validation as check
from ppdm.channel import Channel, RecordPart
from ppdm.typing import AnyArray, Bits, ClassGroup, FloatArray, Groups, IntArray


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


def coin_likelihood(released: Bits, records: Bits, theta: float) -> FloatArray:
    """P[released | record] of bits that share a coin, (n, m) for n releases and m records."""
    said, true = released.astype(np.float64), records.astype(np.float64)
    reversed_bits = said @ (1 - true.T) + (1 - said) @ true.T
    kept, lied = reversed_bits == 0, reversed_bits == records.shape[1]
    return np.asarray(theta * kept + (1 - theta) * lied, dtype=np.float64)


def coin_part(bits: Bits, columns: IntArray, theta: float) -> RecordPart:
    """Return what these bits, which share a coin, release: themselves or their complements."""
    first, values = distinct(bits)
    true = bits[first]
    said, rows = distinct(np.concatenate([true, 1 - true]))
    chances = np.repeat([theta, 1 - theta], len(true))
    matrix = coo_array(
        (chances, (rows, np.tile(np.arange(len(true)), 2))), shape=(len(said), len(true))
    )
    return RecordPart(columns, values, matrix.tocsc())


def distinct(bits: Bits) -> tuple[IntArray, IntArray]:
    """Return where each distinct row stands first, and which of them each row is."""
    packed = np.packbits(bits, axis=1)
    if packed.shape[1] <= 8:  # as one number a row they sort twenty times sooner
        wide = np.zeros((len(packed), 8), dtype=np.uint8)
        wide[:, : packed.shape[1]] = packed
        packed = wide.view(np.uint64)
    axis = 0 if packed.shape[1] > 1 else None
    _, first, values = np.unique(packed, axis=axis, return_index=True, return_inverse=True)
    return first, values.reshape(-1)


class Table(NamedTuple):
    """Records as bits, a disguised class being the last of them."""

    bits: Bits  # (n_records, n_bits)
    groups: list[IntArray]  # the bits that share a coin
    y: AnyArray | None  # a public class, (n_records,)
    class_type: np.dtype[Any] | None = None  # what a disguised class was before it was a bit


def who_shares(
    groups: Groups, class_group: object, n_bits: int, names: AnyArray | None
) -> tuple[list[IntArray], ClassGroup]:
    """Return the attributes of each coin, and the coin of the class; both are checked."""
    found = check.groups(groups, n_bits, names)
    return found, check.class_group(class_group, len(found))


def tabulate(
    bits: Bits, y: ArrayLike | None, groups: list[IntArray], class_group: ClassGroup
) -> Table:
    """Lay attributes and class side by side.

    Parameters
    ----------
    bits : ndarray of shape (n_records, n_attributes)
        Checked zeros and ones.
    y : array-like of shape (n_records,) or None
        The class, which is checked here; zeros and ones unless it is public.
    groups, class_group :
        Of :func:`who_shares`.
    """
    if y is None:
        if class_group is not None:
            raise ValueError(
                f"y must be given where the class is disguised, class_group={class_group!r}"
            )
        return Table(bits, groups, None)
    classes = check.class_values(y, "y", len(bits))
    if class_group is None:
        return Table(bits, groups, classes)
    last = np.array([bits.shape[1]])
    if class_group == "own":
        together = [*groups, last]
    else:
        together = [*groups]
        together[class_group] = np.append(groups[class_group], last)
    return Table(np.column_stack([bits, check.bits(classes, "y")]), together, None, classes.dtype)
