"""How far off the counts from perturbed tuples are: ZWZ05, section 5.1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.guidance import Guidance, bit_groups
from ppdm.typing import FloatArray


def degree_of_error(
    T: ArrayLike,
    probabilities: ArrayLike,
    y: ArrayLike,
    n_values: Sequence[int],
    *,
    max_size: int = 3,
) -> FloatArray:
    r"""Return l_e(h) for sets of h = 1, ..., ``max_size`` attributes.

    .. math:: l_e(h) = \max_{t_s} \left| P(C_0, t_s) - P(C_1, t_s)
              - \tilde P(C_0, t_s) + \tilde P(C_1, t_s) \right|

    over all sets of h attributes and all values of them. The estimate
    :math:`\tilde P(C, t_s)` is the share of tuples of class C whose released bits for
    t_s are all 1. Given the tuple the bits are independent, so its expectation is the
    mean of a product of probabilities: nothing is simulated.

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        The clear tuples.
    probabilities : array-like of shape (n, n_bits)
        P(bit is 1 | tuple), ``bit_probabilities(T, V)``: the error of the expected
        estimate. Given a drawn R instead, it is the error of that draw.
    y : array-like of shape (n,)
        The classes, 0 or 1.
    n_values : sequence of int >= 2
        How many values each attribute has.
    max_size : {1, 2, 3}, default=3
        The largest set of attributes, at most their number. The paper's l_e is the
        maximum over all sizes, so the largest entry is a lower bound of it.

    Returns
    -------
    ndarray of float64, shape (max_size,)
        Each in [0, 2]: shares of all n tuples.

    Raises
    ------
    ValueError, TypeError
        If T or y does not hold bits, a probability is outside [0, 1], shapes differ, or
        ``max_size`` is out of range.

    Notes
    -----
    ZWZ05, Eq. 10 and Definition 1. Time O(n n_bits^max_size).

    Examples
    --------
    Two attributes; all bits are released with probability 1/4, whatever the tuple:

    >>> import numpy as np
    >>> T = np.array([[1, 0, 1, 0], [0, 1, 0, 1]])
    >>> degree_of_error(T, np.full(T.shape, 0.25), [0, 1], [2, 2], max_size=2)
    array([0.5, 0.5])
    """
    groups = bit_groups(n_values)
    check.bits(y, "y", ndim=1)
    clear, P, labels = check.bit_probabilities(T, probabilities, y, groups[-1].stop)
    size = check.integer(max_size, "max_size", low=1, high=min(3, len(groups)))
    sign = (1.0 - 2.0 * labels) / len(labels)
    true = clear.astype(np.float64)
    errors = [float(np.abs(sign @ (true - P)).max())]
    if size >= 2:
        errors.append(_pair_error(true, P, sign, groups))
    if size >= 3:
        # a triple is a pair among the later attributes, each tuple weighted by the first bit
        errors.append(
            max(
                _pair_error(true, P, np.stack([sign * true[:, b], sign * P[:, b]]), groups[j + 1 :])
                for j, group in enumerate(groups[:-2])
                for b in range(group.start, group.stop)
            )
        )
    return np.array(errors)


def error_bound(guidance: Guidance, mu: float) -> float:
    r"""Return what Theorem 5.1 says the degree of error does not exceed.

    .. math:: l_e \le 2 \mu \sigma_1 / m

    The theorem does not hold: its proof takes the expectation of a product of two
    released bits for the product of their projections.

    Parameters
    ----------
    guidance : Guidance
        That has seen the m clear tuples.
    mu : float in (0, 1)
        The share of the first eigenvalue that k* is computed with.

    Returns
    -------
    float
        A bound above 1 says nothing. In magnitude order sigma_1 is the largest
        magnitude.

    Raises
    ------
    ValueError, TypeError
        If guidance is no Guidance or has seen no tuple, or mu is outside (0, 1).

    Notes
    -----
    ZWZ05, Theorem 5.1, Eq. 12.

    Examples
    --------
    >>> guidance = Guidance(n_bits=4).update([[1, 0, 1, 0], [0, 1, 1, 0]], [0, 1])
    >>> round(error_bound(guidance, mu=0.1), 4)
    0.1732
    """
    if not isinstance(guidance, Guidance):
        raise TypeError(f"guidance must be a Guidance, got {type(guidance).__name__}")
    mu = check.number(mu, "mu", low=0, high=1, inclusive="neither")
    m = int(guidance.n_tuples.sum())
    if not m:
        raise ValueError("guidance must have seen a tuple, got none")
    first = float(guidance.eigenvalues[0])
    return 2 * mu * (abs(first) if guidance.order == "magnitude" else first) / m


def _pair_error(
    true: FloatArray, released: FloatArray, weights: FloatArray, groups: Sequence[slice]
) -> float:
    """Largest error over pairs of bits of two attributes; true and released weights."""
    here = slice(groups[0].start, groups[-1].stop)
    attribute = np.repeat(np.arange(len(groups)), [g.stop - g.start for g in groups])
    w_true, w_released = np.broadcast_to(weights, (2, len(true)))
    gap = (true[:, here].T * w_true) @ true[:, here]
    gap -= (released[:, here].T * w_released) @ released[:, here]
    return float(np.abs(gap[attribute[:, np.newaxis] < attribute]).max())
