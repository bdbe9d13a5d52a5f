"""Records as bits: one bit for each value of each attribute.

Zhang, Wang and Zhao (2005), section 4, Eq. 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._coding import set_bits
from ppdm.typing import IntArray


def one_hot(
    X: ArrayLike, n_values: Sequence[int], *, cuts: Sequence[ArrayLike | None] | None = None
) -> IntArray:
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
    table = check.plain(X, "X")
    if table.dtype == object:  # a table of mixed columns: its cells decide
        table = check.plain(table.tolist(), "X")
    codes = check.numbers(table, "X", ndim=2).copy()
    n = len(sizes)
    if codes.shape[1] != n:
        raise ValueError(f"X must have {n} columns, one for each attribute, got {codes.shape[1]}")
    given = [] if cuts is None else check.sequence(cuts, "cuts", "arrays (one an attribute)", n)
    for j, cut in enumerate(given):
        if cut is not None:
            inner = check.cuts(cut, f"cuts[{j}]", sizes[j])
            codes[:, j] = np.searchsorted(inner, codes[:, j], side="right")
    bad = (codes != np.floor(codes)) | (codes < 0) | (codes >= sizes)
    if bad.any():
        row, j = np.argwhere(bad)[0]
        raise ValueError(
            f"X must hold whole numbers in [0, {sizes[j] - 1}] in column {j}, "
            f"got {codes[row, j]:g} at row {row}"
        )
    return set_bits(codes.astype(np.intp), sizes).astype(np.intp)


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
