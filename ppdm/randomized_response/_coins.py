"""Coins: the matrix of one and its inverse, who shares it, and what it makes of bits.

A record has attributes and, where it is labelled, a class. A disguised class is one more
bit of the record: it stands in one of the groups or has a coin of its own. So everything
behind the public functions knows bits and groups only.

Inside the package: nothing here checks what it is given, but for :func:`tabulate` (the class).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from ppdm import _validation as check
from ppdm.channel import RecordPart
from ppdm.typing import AnyArray, ArrayLike, Bits, ClassGroup, FloatArray, IntArray

Words = NDArray[np.uint64]


def coin_matrix(theta: float, n_bits: int = 1) -> FloatArray:
    """P[released | true] of bits that share a coin: theta times the identity and its mirror image.

    With probability ``theta`` all are kept, else all are reversed. Their value is the binary
    number they make: 0 stands for 0...00, 1 for 0...01.
    """
    return _keep_or_reverse(np.array([theta, 1.0 - theta]), n_bits)


def coin_inverse(theta: float, n_bits: int = 1) -> FloatArray:
    """Return the inverse, of the same form: a record and its complement are two unknowns."""
    return _keep_or_reverse(inverse_weights(theta), n_bits)


def _keep_or_reverse(weights: FloatArray, n_bits: int) -> FloatArray:
    same = np.eye(2**n_bits)
    return np.asarray(weights[0] * same + weights[1] * same[::-1], dtype=np.float64)


def inverse_weights(theta: float) -> FloatArray:
    """Return what a report and its opposite count for the truth: the inverse of the channel.

    The first row of the inverse of [[theta, 1 - theta], [1 - theta, theta]], in closed form.
    The two add up to one.
    """
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
    words = pack(bits)
    axis = 0 if words.shape[1] > 1 else None
    _, first, values = np.unique(words, axis=axis, return_index=True, return_inverse=True)
    return first, values.reshape(-1)


def pack(bits: Bits) -> Words:
    """Pack rows of bits into words that sort as the rows do, and twenty times sooner."""
    n, n_bits = bits.shape
    packed = np.zeros((n, -(-n_bits // 64) * 8), dtype=np.uint8)
    packed[:, : -(-n_bits // 8)] = np.packbits(bits, axis=1)
    return packed.view(">u8").astype(np.uint64)


class Table(NamedTuple):
    """Records as bits, a disguised class being the last of them."""

    bits: Bits  # (n_records, n_bits)
    groups: list[IntArray]  # the bits that share a coin
    y: AnyArray | None  # a public class, (n_records,)
    class_type: np.dtype[Any] | None = None  # what a disguised class was before it was a bit


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
        Checked: the attributes of each coin, and the coin of the class.
    """
    if y is None:
        rule = f"y must be given where the class is disguised, class_group={class_group!r}"
        check.demand(class_group is None, rule, None)
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
