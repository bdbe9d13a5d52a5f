"""The five privacy measures of LX14, section 3.2: one of size and four of ranks.

They compare a release with the data record by record, so both have the same shape.
They say how *unlike* the two matrices are; whether that protects anybody is another
question, since a release of the very same records in another order scores well.

Ranks ascend from 1; equal values are numbered in row order, so that the ranks of a column
are a permutation of 1, ..., n.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ppdm import _validation as check
from ppdm.typing import ArrayLike, FloatArray


def value_difference(original: ArrayLike, released: ArrayLike) -> float:
    r"""VD: relative difference of the two matrices in the Frobenius norm.

    .. math:: VD = \|A - MA\|_F \,/\, \|A\|_F

    Parameters
    ----------
    original, released : array-like of shape (n_samples, n_features)
        A and MA, row i of one beside row i of the other.

    Returns
    -------
    float
        0 for equal matrices, without upper limit; larger is read as more private.

    Raises
    ------
    ValueError
        If the shapes differ, a value is missing or infinite, or A is zero throughout.

    Notes
    -----
    LX14, Eq. 1 and 2. The measure has no unit, but columns weigh by their size: an
    attribute in hundreds drowns one in units.

    Examples
    --------
    >>> value_difference([[3.0, 4.0]], [[3.0, 3.0]])
    0.2
    """
    a, ma = _pair(original, released)
    size = float(np.linalg.norm(a))
    check.demand(size, "original must have a value other than 0: VD divides by its norm", size)
    return float(np.linalg.norm(a - ma)) / size


def rank_position(original: ArrayLike, released: ArrayLike) -> float:
    r"""RP: average change of a value's rank within its column.

    .. math:: RP = \frac{1}{nm} \sum_{i=1}^m \sum_{j=1}^n |Rank_j^i - MRank_j^i|

    Parameters
    ----------
    original, released : array-like of shape (n_samples, n_features)
        A and MA, row i of one beside row i of the other.

    Returns
    -------
    float
        Between 0 and n/2, in ranks; larger is read as more private.

    Raises
    ------
    ValueError
        If the shapes differ, or a value is missing or infinite.

    Notes
    -----
    LX14, Eq. 3. Any release that is independent of the data and in random order has the
    expected RP (n^2 - 1)/(3n), whatever it holds.

    Examples
    --------
    >>> rank_position([[1.0], [2.0], [3.0]], [[9.0], [7.0], [8.0]])
    1.3333333333333333
    """
    return float(_rank_gaps(*_pair(original, released)).mean())


def rank_kept(original: ArrayLike, released: ArrayLike) -> float:
    r"""RK: share of values that keep their rank within their column.

    .. math:: RK = \frac{1}{nm} \sum_{i=1}^m \sum_{j=1}^n [Rank_j^i = MRank_j^i]

    Parameters
    ----------
    original, released : array-like of shape (n_samples, n_features)
        As for :func:`rank_position`.

    Returns
    -------
    float
        A share in [0, 1]; smaller is read as more private.

    Raises
    ------
    ValueError
        As :func:`rank_position`.

    Notes
    -----
    LX14, Eq. 4. Any release that is independent of the data and in random order has the
    expected RK 1/n.

    Examples
    --------
    >>> rank_kept([[1.0], [2.0], [3.0], [4.0]], [[2.0], [1.0], [7.0], [8.0]])
    0.5
    """
    return float((_rank_gaps(*_pair(original, released)) == 0).mean())


def attribute_rank_change(original: ArrayLike, released: ArrayLike) -> float:
    r"""CP: average change of an attribute's rank among the attributes' means.

    .. math:: CP = \frac{1}{m} \sum_{i=1}^m |RankV_i - MRankV_i|

    Parameters
    ----------
    original, released : array-like of shape (n_samples, n_features)
        As for :func:`rank_position`; only the column means are used.

    Returns
    -------
    float
        Between 0 and m/2, in ranks; larger is read as more private.

    Raises
    ------
    ValueError
        As :func:`rank_position`.

    Notes
    -----
    LX14, Eq. 5. Means of attributes in different units are compared, so the measure
    changes with the units.

    Examples
    --------
    >>> attribute_rank_change([[1.0, 5.0, 9.0]], [[6.0, 5.0, 9.0]])
    0.6666666666666666
    """
    a, ma = _pair(original, released)
    return float(_rank_gaps(a.mean(axis=0), ma.mean(axis=0)).mean())


def attribute_rank_kept(original: ArrayLike, released: ArrayLike) -> float:
    r"""CK: share of attributes that keep their rank among the attributes' means.

    .. math:: CK = \frac{1}{m} \sum_{i=1}^m [RankV_i = MRankV_i]

    Parameters
    ----------
    original, released : array-like of shape (n_samples, n_features)
        As for :func:`rank_position`; only the column means are used.

    Returns
    -------
    float
        A share in [0, 1]; smaller is read as more private.

    Raises
    ------
    ValueError
        As :func:`rank_position`.

    Notes
    -----
    LX14, Eq. 6.

    Examples
    --------
    >>> attribute_rank_kept([[1.0, 5.0, 9.0, 7.0]], [[6.0, 5.0, 9.0, 8.0]])
    0.5
    """
    a, ma = _pair(original, released)
    return float((_rank_gaps(a.mean(axis=0), ma.mean(axis=0)) == 0).mean())


def _rank_gaps(a: FloatArray, ma: FloatArray) -> FloatArray:
    """|Rank - MRank| along the first axis."""
    ranks, moved = (rankdata(values, method="ordinal", axis=0) for values in (a, ma))
    return np.abs(ranks - moved).astype(np.float64)


def _pair(original: ArrayLike, released: ArrayLike) -> tuple[FloatArray, FloatArray]:
    check.in_step(original=original, released=released)
    released = check.alike_columns(released, original, "released")
    a = check.numbers(original, "original", ndim=2)
    ma = check.numbers(released, "released", ndim=2)
    check.of_shape(ma, "released", a.shape, "as original has, row by row")
    return a, ma
