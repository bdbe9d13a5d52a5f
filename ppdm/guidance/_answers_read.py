"""What a guidance reads: the answers that R(t) gives away, whoever answers.

The check of ZWZ05, section 4.2, bounds how many directions are read, not which.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._types import IntArray
from ppdm.guidance._perturbation import check_orthonormal


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
    answers_read : Finds answers that are read in less open ways, too.

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


def answers_read(
    V: ArrayLike, n_values: Sequence[int], certainty: float = 0.9
) -> IntArray:
    """Return the values of which a single bit of R(t) tells whether they are the answer.

    A tuple has one bit of each attribute, so the projection of a bit is a sum of one term
    for each attribute. Its least and largest value, over all tuples with an answer and over
    all without, follow from the least and largest terms. An answer is read where the bit's
    probability is at least ``certainty`` for all of the one kind and at most one minus this
    for all of the other.

    Parameters
    ----------
    V : array-like of shape (n_bits, k)
        Orthonormal columns.
    n_values : sequence of int >= 2
        How many values each attribute has.
    certainty : float in (0.5, 1], default=0.9

    Returns
    -------
    ndarray of int
        Indices of the values' bits, ascending.

    Raises
    ------
    ValueError, TypeError
        If V is not finite or not orthonormal or has not ``sum(n_values)`` rows, or the
        certainty is out of its range.

    See Also
    --------
    certain_bits : The bits whose leverage is 1.

    Notes
    -----
    It looks at one bit at a time. Several bits together may tell more, and an answer that
    nearly is the class is told by every good guidance.

    Examples
    --------
    The difference of the two values of the first attribute, and the sum of all: no leverage
    is 1, and the first answer is read.

    >>> import numpy as np
    >>> V = np.array([[1, 1], [-1, 1], [0, 1], [0, 1]]) / np.sqrt([2, 4])
    >>> answers_read(V, [2, 2]), certain_bits(V)
    (array([0, 1]), array([], dtype=int64))
    """
    sizes = np.array(check.n_values(n_values))
    certainty = check.number(certainty, "certainty", low=0.5, high=1, inclusive="high")
    vectors = check_orthonormal(V)
    if len(vectors) != sizes.sum():
        raise ValueError(
            f"V must have {sizes.sum()} rows, the sum of n_values, got {len(vectors)}"
        )
    onto = vectors @ vectors.T  # row j: what each value adds to the projection of bit j
    starts, group = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    least, most = (f.reduceat(onto, starts, axis=1) for f in (np.minimum, np.maximum))
    low = onto + (least.sum(axis=1, keepdims=True) - least)[:, group]
    high = onto + (most.sum(axis=1, keepdims=True) - most)[:, group]
    surely = (np.minimum(low**2, high**2) >= certainty) & (low * high > 0)
    hardly = np.maximum(low**2, high**2) <= 1 - certainty
    others = (sizes - 1)[group]
    n_surely, n_hardly = (
        np.add.reduceat(found, starts, axis=1, dtype=np.intp)[:, group]
        for found in (surely, hardly)
    )
    read = (surely & (n_hardly == others)) | (hardly & (n_surely == others))
    return np.flatnonzero(read.any(axis=0))
