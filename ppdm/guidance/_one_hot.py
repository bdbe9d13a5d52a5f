"""Records as bits: one bit for each value of each attribute.

Zhang, Wang and Zhao (2005), section 4, Eq. 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._types import FloatArray, IntArray

Cuts = Sequence[ArrayLike | None]


def one_hot(X: ArrayLike, n_values: Sequence[int], *, cuts: Cuts | None = None) -> IntArray:
    r"""Write each record as bits, attribute by attribute.

    Bit h of attribute j is 1 iff the record's value of it is h (Eq. 3, counted from 0).

    Parameters
    ----------
    X : array-like of shape (n, n_attributes)
        Codes 0, ..., n_values[j] - 1; any finite number in a column that has cuts.
    n_values : sequence of int >= 2
        How many values each attribute has, s_j.
    cuts : sequence of (array-like or None), optional
        Public cut points, one entry for each attribute: None for a column of codes, else
        the n_values[j] - 1 inner edges of its intervals, ascending. A value on a cut
        belongs to the interval above it. Equal cuts have an empty interval between them,
        which keeps its bit. Cuts are settled before the survey; to take them from the
        providers' own values would disclose those.

    Returns
    -------
    ndarray of int, shape (n, sum(n_values))
        One 1 for each attribute in each row. Wide integers, so that sums such as T'T hold.

    Raises
    ------
    ValueError, TypeError
        If X is not a matrix of finite numbers with a column for each attribute, a code
        is not a whole number in range, an attribute has fewer than two values, or cuts
        are not finite and ascending or not one fewer than the values.

    Examples
    --------
    An attribute of three values, and an age cut at 30 and 50:

    >>> one_hot([[2, 41.5], [0, 50]], [3, 3], cuts=[None, [30, 50]])
    array([[0, 0, 1, 0, 1, 0],
           [1, 0, 0, 0, 0, 1]])
    """
    sizes = check.n_values(n_values)
    values = _check_values(X, len(sizes))
    codes = np.empty(values.shape, dtype=np.intp)
    for j, (size, cut) in enumerate(zip(sizes, _check_all_cuts(cuts, sizes), strict=True)):
        column = values[:, j]
        if cut is None:
            codes[:, j] = _check_codes(column, j, size)
        else:
            codes[:, j] = np.searchsorted(cut, column, side="right")
    first = np.cumsum([0, *sizes[:-1]])
    bits = np.zeros((len(values), sum(sizes)), dtype=np.intp)
    bits[np.arange(len(values))[:, np.newaxis], codes + first] = 1
    return bits


def bit_groups(n_values: Sequence[int]) -> list[slice]:
    """Return the columns that each attribute's bits take up.

    Parameters
    ----------
    n_values : sequence of int >= 2
        How many values each attribute has.

    Returns
    -------
    list of slice

    Raises
    ------
    ValueError, TypeError
        If there is no attribute, or one has fewer than two values.

    Examples
    --------
    >>> bit_groups([2, 3])
    [slice(0, 2, None), slice(2, 5, None)]
    """
    ends = np.cumsum(check.n_values(n_values)).tolist()
    return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _check_values(X: ArrayLike, n_attributes: int) -> FloatArray:
    array = np.asarray(X)
    if array.dtype == object:  # a table of mixed columns: its cells decide
        array = np.array(array.tolist())
    values = check.numbers(array, "X", ndim=2)
    if values.shape[1] != n_attributes:
        raise ValueError(
            f"X must have {n_attributes} columns, one for each attribute, got {values.shape[1]}"
        )
    return values


def _check_codes(column: FloatArray, j: int, size: int) -> IntArray:
    with np.errstate(invalid="ignore"):  # too large for an integer: caught on the next line
        codes = column.astype(np.intp)
    bad = (codes != column) | (codes < 0) | (codes >= size)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"X must hold whole numbers in [0, {size - 1}] in column {j}, "
            f"got {column[row]:g} at row {row}"
        )
    return codes


def _check_all_cuts(cuts: Cuts | None, sizes: Sequence[int]) -> list[FloatArray | None]:
    if cuts is None:
        return [None] * len(sizes)
    if len(cuts) != len(sizes):
        raise ValueError(
            f"cuts must have {len(sizes)} entries, one for each attribute, got {len(cuts)}"
        )
    return [
        None if cut is None else check.cuts(cut, f"cuts[{j}]", sizes[j])
        for j, cut in enumerate(cuts)
    ]
