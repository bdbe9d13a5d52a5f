"""How much is disclosed: measures of a channel, whatever scheme it belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._entropy import entropy_bits
from ppdm._types import FloatArray


def local_epsilon(*channels: Any) -> float:
    """Return the epsilon of local differential privacy of what a provider releases.

    The largest logarithm of a ratio P[released | one truth] / P[released | another truth]:
    what a single report can say about its provider, to an adversary who knows anything else.
    Where some report is possible under one truth and impossible under another it is infinite.

    What may change from one truth to the other is the whole record: all its attributes at
    once. For the epsilon of one attribute give its matrix.

    Parameters
    ----------
    *channels : Channel or array-like of shape (n_released, n_true)
        Independent parts of one record, whose epsilons add up. A matrix P[released | true],
        columns summing to one, is one part; a :class:`ppdm.channel.Channel` says itself what
        its parts are (its ``record_channels``).

    Returns
    -------
    float
        In [0, inf], in nats. 0 says that the reports do not depend on the truth.

    Raises
    ------
    ValueError
        If no channel is given, one has a negative entry, or a column that does not sum to
        one.

    Notes
    -----
    The related-question model has ``|ln(theta / (1 - theta))|`` for one attribute, and N times
    that for N attributes with a coin each. For a group of two or more attributes it is
    infinite at every theta, even 1/2: 01 may have come from 01 or 10, and never from 11. It
    is infinite for (record, class) where the class is public. DZ03 (section 5.3) and ZCM04
    (section 4.3) judge by the single attribute.

    Examples
    --------
    >>> from ppdm.privacy import local_epsilon
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> round(local_epsilon([[0.7, 0.3], [0.3, 0.7]]), 4)
    0.8473
    >>> each = RandomizedResponse(0.7, groups=[[0], [1], [2]]).fit([[0, 1, 1]])
    >>> round(local_epsilon(each), 4)
    2.5419
    >>> together = RandomizedResponse(0.7, class_group=0).fit([[0]])
    >>> round(local_epsilon(together), 4)
    0.8473
    >>> local_epsilon(*together.record_channels(with_class=True))
    inf
    """
    if not channels:
        raise ValueError("local_epsilon needs at least one channel, got none")
    return float(sum(_epsilon(part) for channel in channels for part in _parts(channel)))


def mutual_information(channel: Any, prior: ArrayLike, *, feature: int = 0) -> float:
    """Return how many bits a report says on average about the true value of one attribute.

    I(true; released) = H(true) - H(true | released): what is known about the value after the
    report beside what was known before.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array-like of shape (m,)
        The distribution of the true values.
    feature : int, default=0
        The attribute of a Channel.

    Returns
    -------
    float
        In bits, from 0 to the entropy of the prior.

    Raises
    ------
    ValueError
        If a column of ``channel`` or the prior does not sum to one, something is negative, or
        their sizes differ.

    Examples
    --------
    A fair bit reported truthfully three times in four:

    >>> round(mutual_information([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5]), 4)
    0.1887
    """
    matrix = check.channel(channel, ndim=2, feature=feature)
    belief = check.probabilities(prior, "prior", matrix.shape[1])
    if belief.ndim != 1:
        raise ValueError(f"prior must be one distribution, got shape {belief.shape}")
    told = float(entropy_bits(matrix @ belief) - belief @ entropy_bits(matrix.T))
    return min(max(told, 0.0), float(entropy_bits(belief)))  # what lies outside is rounding


def _parts(channel: Any) -> list[Any]:
    if hasattr(channel, "record_channels"):
        return list(channel.record_channels())
    return [channel]


def _epsilon(channel: Any) -> float:
    matrix: FloatArray = check.channel(channel)
    if matrix.ndim != 2:
        raise ValueError(
            f"channel must be one matrix, got shape {matrix.shape}: give several one by one"
        )
    released = matrix[matrix.max(axis=1) > 0]  # a value nobody releases tells nothing
    low, high = released.min(axis=1), released.max(axis=1)
    if (low == 0).any():
        return float("inf")
    return float(np.log(high / low).max())
