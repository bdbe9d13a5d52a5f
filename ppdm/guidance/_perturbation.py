"""The data provider's side of guided perturbation: check V_k*, then draw R(t) once.

Zhang, Wang and Zhao (2005), section 4.2. The check bounds how many directions are read, not
which: ``certain_bits`` finds the bits that R(t) gives away, ``answers_read`` (in its own file)
how often each answer would be guessed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import FloatArray, IntArray, RandomState


def check_guidance(
    V: ArrayLike, k: int, max_level: int, *, n_bits: int | None = None, tolerance: float = 1e-6
) -> FloatArray:
    """Check a perturbation guidance as a data provider does before using it.

    Parameters
    ----------
    V : array-like of shape (n_bits, k)
        What the data miner sent.
    k : int
        The level it announced, k*.
    max_level : int >= 1
        The provider's maximum acceptable disclosure level, k_i.
    n_bits : int, optional
        Bits of the provider's tuple; not checked where None.
    tolerance : float > 0, default=1e-6
        How far an entry of V'V may be from the identity's.

    Returns
    -------
    ndarray of float64, shape (n_bits, k)
        V.

    Raises
    ------
    ValueError, TypeError
        If V is not a finite matrix with n_bits rows and k columns, k exceeds n_bits or
        the provider's level, or V'V is not the identity.

    See Also
    --------
    answers_read : What this check lets through.

    Notes
    -----
    ZWZ05, section 4.2. The check bounds how many directions are read, not which: k
    columns of the identity pass it.

    Examples
    --------
    >>> import numpy as np
    >>> check_guidance(np.eye(4)[:, :2], k=2, max_level=3).shape
    (4, 2)
    >>> check_guidance(np.ones((4, 1)), k=1, max_level=3)
    Traceback (most recent call last):
    ...
    ValueError: V must have orthonormal columns, but V'V differs from the identity by 3
    """
    max_level = check.integer(max_level, "max_level", low=1)
    k = check.integer(k, "k", low=1)
    tolerance = check.number(tolerance, "tolerance", low=0, inclusive="neither")
    vectors = check_orthonormal(V, tolerance)
    rows, columns = vectors.shape
    if n_bits is not None and rows != check.integer(n_bits, "n_bits", low=1):
        raise ValueError(f"V must have {n_bits} rows, one for each bit, got {rows}")
    if columns != k:
        raise ValueError(f"V must have the announced k = {k} columns, got {columns}")
    if k > max_level:
        raise ValueError(f"k must not exceed the provider's level {max_level}, got {k}")
    return vectors


def bit_probabilities(T: ArrayLike, V: ArrayLike) -> FloatArray:
    r"""Probability that each bit of R(t) is 1: :math:`\min(1, \tilde t^2)`, given t.

    Parameters
    ----------
    T : array-like of shape (n_bits,) or (n, n_bits)
        Bits, one tuple or one a row.
    V : array-like of shape (n_bits, k)
        Orthonormal columns; :math:`\tilde t = t V V'`.

    Returns
    -------
    ndarray of float64, shape of T
        In [0, 1]. Given t the bits are independent, so this is the whole channel.

    Raises
    ------
    ValueError, TypeError
        If T does not hold bits, V is not finite or its columns not orthonormal, or their
        numbers of bits differ.

    Notes
    -----
    ZWZ05, Eq. 7 and 8.

    Examples
    --------
    One direction, the sum of the two values of the first attribute, says nothing:

    >>> import numpy as np
    >>> V = np.sqrt(0.5) * np.array([[1.0], [1.0], [0.0], [0.0]])
    >>> bit_probabilities([[1, 0, 1, 0], [0, 1, 1, 0]], V).round(2)
    array([[0.25, 0.25, 0.  , 0.  ],
           [0.25, 0.25, 0.  , 0.  ]])
    """
    bits = check.bits(T, "T")
    vectors = check_orthonormal(V)
    if bits.ndim not in (1, 2) or bits.shape[-1] != len(vectors):
        raise ValueError(
            f"T must have {len(vectors)} bits a tuple, the rows of V, got shape {bits.shape}"
        )
    return np.minimum(((bits @ vectors) @ vectors.T) ** 2, 1.0)


def perturb(T: ArrayLike, V: ArrayLike, *, random_state: RandomState = None) -> IntArray:
    """Draw R(t): a bit is 1 where a uniform draw in [0, 1) is below its probability.

    Parameters
    ----------
    T : array-like of shape (n_bits,) or (n, n_bits)
        Bits, one tuple or one a row.
    V : array-like of shape (n_bits, k)
        The perturbation guidance.
    random_state : None, int or numpy.random.Generator, default=None
        An int repeats the same draws at every call: right for tests, wrong for two
        providers. Draws are used row by row, so that one call on many tuples is the same
        as many calls on one.

    Returns
    -------
    ndarray of int, shape of T
        R(t), in integers wide enough for sums such as R'R. A provider draws it once:
        every further draw tells the miner more.

    Raises
    ------
    ValueError, TypeError
        As ``bit_probabilities``.

    Notes
    -----
    ZWZ05, Eq. 8.

    Examples
    --------
    >>> import numpy as np
    >>> perturb([1, 0, 0, 1], np.eye(4)[:, :2], random_state=0)
    array([1, 0, 0, 0])
    """
    probabilities = bit_probabilities(T, V)
    draws = check.random_state(random_state).random(probabilities.shape)
    return (draws < probabilities).astype(np.intp)


def certain_bits(V: ArrayLike, tolerance: float = 1e-6) -> IntArray:
    """Return the bits that a guidance reads with certainty, whatever the tuple.

    Bit j is released as it is where its unit vector lies in the space of V: its leverage,
    (VV')_jj, is then 1. Turning the identity's columns within their space hides them from
    the eye and not from this test.

    Parameters
    ----------
    V : array-like of shape (n_bits, k)
        Orthonormal columns.
    tolerance : float in (0, 1), default=1e-6
        A leverage of at least 1 - tolerance counts as 1.

    Returns
    -------
    ndarray of int
        Indices of the bits, ascending.

    Raises
    ------
    ValueError, TypeError
        If V is not finite or not orthonormal, or the tolerance is outside (0, 1).

    See Also
    --------
    answers_read : How often each answer is guessed right, whichever way it is read.

    Examples
    --------
    >>> import numpy as np
    >>> turned = np.eye(5)[:, [1, 3]] @ np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> certain_bits(turned)
    array([1, 3])
    """
    tolerance = check.number(tolerance, "tolerance", low=0, high=1, inclusive="neither")
    vectors = check_orthonormal(V)
    return np.flatnonzero((vectors**2).sum(axis=1) >= 1 - tolerance)


def check_orthonormal(V: ArrayLike, tolerance: float = 1e-6) -> FloatArray:
    """Return V as a finite matrix of orthonormal columns, no more of them than rows."""
    vectors = check.numbers(V, "V", ndim=2)
    if vectors.shape[1] > vectors.shape[0]:
        raise ValueError(f"V must have shape (n_bits, k) with k <= n_bits, got {vectors.shape}")
    with np.errstate(over="ignore", invalid="ignore"):  # huge entries: the gap is inf or NaN
        gap = np.abs(vectors.T @ vectors - np.eye(vectors.shape[1])).max()
    if not gap <= tolerance:
        raise ValueError(
            f"V must have orthonormal columns, but V'V differs from the identity by {gap:.2g}"
        )
    return vectors
