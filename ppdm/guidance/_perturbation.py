"""The data provider's side of guided perturbation: write bits, check V_k*, draw R(t) once.

Zhang, Wang and Zhao (2005), section 4. The provider's check bounds how many directions are read,
not which: :func:`certain_bits` finds the bits that R(t) gives away, :func:`answers_read` how often
each answer would be guessed by one who knows V, and nothing else of the person. A small tilt of V
leaves no bit certain and is still guessed well, so the survey's page warns by the second.

Inside the package: :func:`bit_groups`, :func:`chances` and :func:`draw_bits` check nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppdm import _validation as check
from ppdm._coding import set_bits
from ppdm.typing import ArrayLike, Bits, BoolArray, FloatArray, IntArray, RandomState

#: How far V'V may be from the identity, and a bit's leverage from 1.
_TOLERANCE = 1e-6


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
    codes = check.numbers(X, "X", ndim=2).copy()
    check.of_shape(codes, "X", (None, len(sizes)), "a column an attribute")
    d = codes.shape[1]
    given = [] if cuts is None else check.sequence(cuts, "cuts", "arrays (one an attribute)", d)
    for j, cut in enumerate(given):
        if cut is not None:
            inner = check.cuts(cut, f"cuts[{j}]", sizes[j])
            codes[:, j] = np.searchsorted(inner, codes[:, j], side="right")
    return set_bits(check.codes(codes, "X", sizes), sizes).astype(np.intp)


def bit_groups(sizes: Sequence[int]) -> list[slice]:
    """Return the columns of each attribute's bits, which has so many values.

    Examples
    --------
    >>> bit_groups([2, 3])
    [slice(0, 2, None), slice(2, 5, None)]
    """
    ends = np.cumsum(sizes).tolist()
    return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def read_codes(T: Bits, sizes: IntArray, name: str) -> IntArray:
    """Return the value of each attribute (n, d), of tuples with one bit set for each."""
    starts = np.cumsum(sizes) - sizes
    set_bits = np.add.reduceat(T, starts, axis=1, dtype=np.intp)
    check.refuse(set_bits != 1, set_bits, f"{name} must have one bit of each attribute set")
    return np.asarray(np.nonzero(T)[1].reshape(len(T), -1) - starts)


def chances(T: Bits, V: FloatArray) -> FloatArray:
    """Return the probability that each bit of R(t) is 1, of tuples (..., n_bits): Eq. 7 and 8."""
    return np.minimum(((T @ V) @ V.T) ** 2, 1.0)


def draw_bits(T: Bits, V: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw R(t) of tuples (..., n_bits), used row by row."""
    probabilities = chances(T, V)
    return (rng.random(probabilities.shape) < probabilities).astype(np.intp)


def check_guidance(
    V: ArrayLike, k: int, max_level: int, *, n_bits: int | None = None
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

    Returns
    -------
    ndarray of float64, shape (n_bits, k)
        V.

    Raises
    ------
    ValueError, TypeError
        If V is not a finite matrix with n_bits rows and k columns, k exceeds n_bits or
        the provider's level, or an entry of V'V is off the identity's by more than 1e-6.

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
    ValueError: V must have orthonormal columns, V'V the identity within 1e-06, got a gap of 3
    """
    check.arguments("check_guidance", max_level=max_level, k=k, n_bits=n_bits)
    vectors = check_orthonormal(V)
    check.of_shape(vectors, "V", (n_bits, k), "a row a bit and the announced k columns")
    check.demand(k <= max_level, f"k must not exceed the provider's level {max_level}", int(k))
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
    return chances(*_tuples(T, V))


def _tuples(T: ArrayLike, V: ArrayLike) -> tuple[Bits, FloatArray]:
    """Return tuples and a guidance for as many bits."""
    bits = check.bits(T, "T")
    vectors = check_orthonormal(V)
    shape = (*[None] * (bits.ndim == 2), len(vectors))
    check.of_shape(bits, "T", shape, "as many bits as V has rows")
    return bits, vectors


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
        As :func:`bit_probabilities`.

    Notes
    -----
    ZWZ05, Eq. 8.

    Examples
    --------
    >>> import numpy as np
    >>> perturb([1, 0, 0, 1], np.eye(4)[:, :2], random_state=0)
    array([1, 0, 0, 0])
    """
    bits, vectors = _tuples(T, V)
    return draw_bits(bits, vectors, check.stream(random_state, "guided perturbation"))


def certain_bits(V: ArrayLike) -> IntArray:
    """Return the bits that a guidance reads with certainty, whatever the tuple.

    Bit j is released as it is where its unit vector lies in the space of V: its leverage,
    (VV')_jj, is then 1, or within 1e-6 of it. Turning the identity's columns within their space
    hides them from the eye and not from this test.

    Parameters
    ----------
    V : array-like of shape (n_bits, k)
        Orthonormal columns.

    Returns
    -------
    ndarray of int
        Indices of the bits, ascending.

    Raises
    ------
    ValueError, TypeError
        If V is not finite or not orthonormal.

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
    return np.flatnonzero((check_orthonormal(V) ** 2).sum(axis=1) >= 1 - _TOLERANCE)


def check_orthonormal(V: ArrayLike) -> FloatArray:
    """Return V as a finite matrix of orthonormal columns, no more of them than rows."""
    vectors = check.numbers(V, "V", ndim=2)
    n_bits, k = vectors.shape
    check.demand(k <= n_bits, "V must have shape (n_bits, k) with k <= n_bits", vectors.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # huge entries: the gap is inf or NaN
        gap = np.abs(vectors.T @ vectors - np.eye(k)).max()
    if not gap <= _TOLERANCE:
        rule = f"V must have orthonormal columns, V'V the identity within {_TOLERANCE:g}"
        raise ValueError(f"{rule}, got a gap of {gap:.2g}")
    return vectors


def log_likelihood(R: ArrayLike, T: ArrayLike, V: ArrayLike) -> FloatArray:
    """Return the logarithm of P[R(t) | t] of each release under each tuple.

    Parameters
    ----------
    R : array-like of shape (n, n_bits)
        Released bits.
    T : array-like of shape (m, n_bits)
        Candidates for the clear tuples.
    V : array-like of shape (n_bits, k)
        The perturbation guidance.

    Returns
    -------
    ndarray of shape (n, m)
        Minus infinity where the tuple cannot have released it.

    Raises
    ------
    ValueError, TypeError
        As :func:`bit_probabilities`, or if ``R`` does not hold as many bits.

    Notes
    -----
    ZWZ05, Eq. 8: given t, the bits are independent.

    Examples
    --------
    Two of four bits are read with certainty, the others say nothing:

    >>> import numpy as np
    >>> V = np.eye(4)[:, :2]
    >>> log_likelihood([[1, 0, 0, 0]], [[1, 0, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0]], V)
    array([[  0.,   0., -inf]])
    """
    shares = np.atleast_2d(bit_probabilities(T, V))
    said = check.bits(R, "R").astype(np.float64)
    check.of_shape(said, "R", (None, shares.shape[1]), "as many bits as V has rows")
    shares = np.round(shares, 12)  # what is certain but for rounding is certain
    total, impossible = np.zeros((2, len(said), len(shares)))
    for ones, share in ((said, shares), (1 - said, 1 - shares)):
        never = share == 0  # kept out of the sum: zero times minus infinity is no number
        total += ones @ np.log(np.where(never, 1.0, share)).T
        impossible += ones @ never.T.astype(np.float64)
    return np.where(impossible > 0, -np.inf, total)


def answers_read(
    V: ArrayLike,
    n_values: Sequence[int],
    *,
    record: ArrayLike | None = None,
    n_draws: int | None = None,
    random_state: RandomState = None,
) -> FloatArray:
    """Return how often one would guess each answer right from R(t), knowing V.

    Records are drawn uniformly, disguised under V, and guessed: for each value, whether it
    is the answer, by naive Bayes on all released bits together. The shares right of those who
    gave the answer and of those who did not count alike, so that one half is chance.

    Parameters
    ----------
    V : array-like of shape (n_bits, k)
        Orthonormal columns.
    n_values : sequence of int >= 2
        How many values each attribute has.
    record : array-like of shape (n_bits,), optional
        A provider's tuple. Each answer of a drawn record is then this provider's with
        probability 1/2, and else uniform: these are people who answer much alike. A V that
        reads them, and them alone, reads nothing of uniform records.
    n_draws : int in [1, 10^6], optional
        How many records; by default 1,000 a value of the attribute with the most, and at
        least 8,000. The standard error of a share is then below 0.01.
    random_state : None, int or numpy.random.Generator, default=None
        Of the records and of their disguises. A V cannot be made to fit draws that are not
        known beforehand.

    Returns
    -------
    ndarray of float64, shape (n_bits,)
        Of each value, the share guessed right: 0.5 (but for chance) to 1.

    Raises
    ------
    ValueError, TypeError
        If V is not finite or not orthonormal or has not ``sum(n_values)`` rows, or the record
        does not set one bit of each attribute.

    See Also
    --------
    certain_bits : The bits that are released as they are, exactly.

    Notes
    -----
    The extension of ZWZ05, section 4.2. Naive Bayes is not the best guess, but near it: where
    all records and all R(t) can be enumerated, the best one reads the most disclosed answer
    less than 0.02 better. It does not see that two answers are the *same* where neither is
    read, nor what a guess would take from how the answers hang together in a population.

    Examples
    --------
    The two values of the first attribute weighed against each other, and against the sum of
    all others: no bit is certain, and the first answer is read by its two bits together.

    >>> import numpy as np
    >>> from ppdm.guidance import certain_bits
    >>> v = np.array([[7.0], [-7.0], *[[1.0]] * 14]) / np.sqrt(112)
    >>> answers_read(v, [2] * 8, random_state=0)[:4].round(2)
    array([0.98, 0.98, 0.5 , 0.5 ])
    >>> certain_bits(v)
    array([], dtype=int64)
    """
    sizes = np.array(check.n_values(n_values))
    rng = check.random_state(random_state)
    n = max(8_000, 1_000 * int(sizes.max()))
    if n_draws is not None:
        n = check.given("answers_read.n_draws", n_draws)
    vectors = check_orthonormal(V)
    check.of_shape(vectors, "V", (sizes.sum(), None), "a row for each value of each attribute")
    codes = (rng.random((n, sizes.size)) * sizes).astype(np.intp)
    if record is not None:
        bits = check.bits(record, "record")
        check.of_shape(bits, "record", vectors.shape[:1], "a bit for each value of each attribute")
        own = read_codes(bits[np.newaxis], sizes, "record")
        codes = np.where(rng.random(codes.shape) < 0.5, own, codes)
    T = set_bits(codes, sizes.tolist())
    P = chances(T, vectors)
    return _share_right(T, P, rng.random(P.shape) < P)


def _share_right(T: Bits, P: FloatArray, R: BoolArray) -> FloatArray:
    """Guess each bit of T from all bits of R, whose probabilities are P."""
    true, said = T.astype(np.float64), R.astype(np.float64)
    n_with = true.sum(axis=0)
    n_without = len(true) - n_with
    # chance of each released bit (column) with and without each answer (row); the halves keep
    # the logarithms finite
    together = true.T @ P
    chance_with = (together + 0.5) / (n_with[:, None] + 1)
    chance_without = (P.sum(axis=0) - together + 0.5) / (n_without[:, None] + 1)
    one = np.log(chance_with / chance_without)
    zero = np.log((1 - chance_with) / (1 - chance_without))
    guess = said @ (one - zero).T + zero.sum(axis=1) > 0
    right_with = (guess * true).sum(axis=0) / np.maximum(n_with, 1)
    right_without = (~guess * (1 - true)).sum(axis=0) / np.maximum(n_without, 1)
    return np.asarray((right_with + right_without) / 2)
