"""What a guidance reads: how often one would guess each answer right from R(t).

The check of ZWZ05, section 4.2, bounds how many directions are read, not which. This is the
measure of which: the guesses of one who knows V, and nothing else of the person.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._coding import set_bits
from ppdm.guidance._perturbation import check_orthonormal
from ppdm.typing import Bits, BoolArray, FloatArray, IntArray, RandomState


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
        n = check.integer(n_draws, "n_draws", low=1, high=10**6)
    vectors = check_orthonormal(V)
    if len(vectors) != sizes.sum():
        raise ValueError(f"V must have {sizes.sum()} rows, the sum of n_values, got {len(vectors)}")
    codes = (rng.random((n, sizes.size)) * sizes).astype(np.intp)
    if record is not None:
        codes = np.where(rng.random(codes.shape) < 0.5, _codes(record, sizes), codes)
    T = set_bits(codes, sizes.tolist())
    P = np.minimum(((T @ vectors) @ vectors.T) ** 2, 1.0)  # Eq. 7 and 8
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
    share: FloatArray = (right_with + right_without) / 2
    return share


def _codes(record: ArrayLike, sizes: IntArray) -> IntArray:
    """Return the value of each attribute that a tuple has."""
    bits = check.bits(record, "record", ndim=1)
    n_bits = int(sizes.sum())
    if bits.size != n_bits:
        raise ValueError(f"record must have {n_bits} bits, the sum of n_values, got {bits.size}")
    starts = np.cumsum(sizes) - sizes
    n_set = np.add.reduceat(bits, starts, dtype=np.intp)
    if (n_set != 1).any():
        j = int(np.argmax(n_set != 1))
        raise ValueError(f"record must set one bit of each attribute, got {n_set[j]} of number {j}")
    return np.flatnonzero(bits) - starts
