"""How likely each tuple is to have released each R(t): what an adversary goes by."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.guidance._perturbation import bit_probabilities
from ppdm.typing import FloatArray


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
    chances = np.atleast_2d(bit_probabilities(T, V))
    said = check.bits(R, "R", ndim=2).astype(np.float64)
    if said.shape[1] != chances.shape[1]:
        raise ValueError(f"R must have {chances.shape[1]} bits a row, got {said.shape[1]}")
    chances = np.round(chances, 12)  # what is certain but for rounding is certain
    total, impossible = np.zeros((2, len(said), len(chances)))
    for ones, share in ((said, chances), (1 - said, 1 - chances)):
        never = share == 0  # kept out of the sum: zero times minus infinity is no number
        total += ones @ np.log(np.where(never, 1.0, share)).T
        impossible += ones @ never.T.astype(np.float64)
    return np.where(impossible > 0, -np.inf, total)
