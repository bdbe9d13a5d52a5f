"""What a malicious data miner gets out of guided perturbation.

The provider's check, V'V = I, bounds how many directions are read and not which
(ZWZ05, section 4.2). So the miner may ask for single bits, and get them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._entropy import entropy_bits
from ppdm.typing import FloatArray, IntArray


def identity_guidance(bits: Sequence[int] | IntArray, n_bits: int) -> FloatArray:
    """Return a guidance that passes every check and reads chosen bits with certainty.

    Parameters
    ----------
    bits : sequence of int
        The bits to read, each once.
    n_bits : int >= 1
        Bits of a tuple.

    Returns
    -------
    ndarray of float64, shape (n_bits, len(bits))
        Those columns of the identity: R(t) is t in these bits and 0 elsewhere.

    Raises
    ------
    ValueError, TypeError
        If a bit is no whole number in [0, n_bits - 1], none is named, or one is named
        twice.

    Examples
    --------
    >>> from ppdm.guidance import check_guidance, perturb
    >>> V = check_guidance(identity_guidance([1, 2], n_bits=4), k=2, max_level=2)
    >>> perturb([0, 1, 0, 1], V)
    array([0, 1, 0, 0])
    """
    n_bits = check.integer(n_bits, "n_bits", low=1, most=check.MOST_BITS)
    given = check.sequence(bits, "bits", "integers")
    chosen = [check.integer(bit, "bits", low=0, high=n_bits - 1) for bit in given]
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"bits must be one or more different bits, got {chosen}")
    return np.eye(n_bits)[:, chosen]


def greedy_bits(T: ArrayLike, k: int) -> tuple[IntArray, FloatArray]:
    """Choose the bits to read: each next one leaves the least unknown about the tuple.

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        What the miner believes tuples are like: their empirical distribution.
    k : int in [1, n_bits]
        How many bits.

    Returns
    -------
    bits : ndarray of int, shape (k,)
        In the order of choice; of equals the first.
    degrees : ndarray of float64, shape (k,)
        The share of the tuple's entropy that the first 1, ..., k of them disclose.

    Raises
    ------
    ValueError, TypeError
        If T does not hold bits, all its rows are the same, or k is out of range.

    Notes
    -----
    Bits that are read are a function of the tuple, so they disclose their own entropy.
    Greedy choice need not find the best set: the degrees are lower bounds of what k
    columns disclose, and that is what refutes ZWZ05, Theorem 5.2.

    Examples
    --------
    Two attributes that agree, and a third: two bits tell everything.

    >>> T = [[1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1]]
    >>> greedy_bits(T, k=2)
    (array([0, 4]), array([0.5, 1. ]))
    """
    clear = check.bits(T, "T", ndim=2).astype(np.intp)
    k = check.integer(k, "k", low=1, high=clear.shape[1])
    whole = float(entropy_bits(np.unique(clear, axis=0, return_counts=True)[1]))
    if whole <= 0:
        raise ValueError("T must hold more than one tuple, or there is nothing to disclose")
    seen = np.zeros(len(clear), dtype=np.intp)  # number of what has been read of each tuple
    bits, degrees = np.empty(k, dtype=np.intp), np.empty(k)
    for i in range(k):
        told = np.array([entropy_bits(np.bincount(2 * seen + column)) for column in clear.T])
        told[bits[:i]] = -1.0
        bits[i] = np.argmax(told >= told.max() - 1e-12)
        degrees[i] = told[bits[i]] / whole
        seen = np.unique(2 * seen + clear[:, bits[i]], return_inverse=True)[1]
    return bits, degrees


def learn_level(accepts: Callable[[int], bool], n_bits: int) -> int:
    """Learn a provider's level k_i, which it never sends, from when it stops retrying.

    Parameters
    ----------
    accepts : callable
        Announces a level to the provider and says whether it is ready for the guidance.
    n_bits : int >= 1
        The highest level there is.

    Returns
    -------
    int
        The first of the falling levels n_bits, n_bits - 1, ... that is accepted: k_i. It
        is 0 if none is.

    Raises
    ------
    ValueError, TypeError
        If n_bits is no whole number >= 1.

    Notes
    -----
    ZWZ05, section 3, has the provider ask again so that k_i stays unknown to the miner;
    it stays so only if the miner is honest.

    Examples
    --------
    >>> from ppdm.protocol import Announcement, DataProvider
    >>> anna = DataProvider([1, 0, 0, 1, 1, 0], label=0, max_level=3, sender="anna")
    >>> learn_level(lambda k: anna.accepts(Announcement(epoch=0, k=k)), n_bits=6)
    3
    """
    falling = range(check.integer(n_bits, "n_bits", low=1, most=check.MOST_BITS), 0, -1)
    check.function(accepts, "accepts")
    return next((k for k in falling if accepts(k)), 0)
