"""How much is disclosed: measures of a channel, whatever scheme it belongs to."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ppdm._validation import check_channel

__all__ = ["local_epsilon"]


def local_epsilon(*channels: ArrayLike) -> float:
    """Return the epsilon of local differential privacy of what a provider releases.

    The largest logarithm of a ratio P[released | one truth] / P[released | another truth]:
    what a single report can say about its provider, to an adversary who knows anything else.
    Where some report is possible under one truth and impossible under another it is infinite.

    Parameters
    ----------
    *channels : array-like of shape (n_released, n_true)
        P[released | true], columns summing to one. Several are the independent parts of one
        record; their epsilons add up.

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
    ``record_channels`` of :class:`ppdm.randomized_response.RandomizedResponse` and of
    :class:`ppdm.randomized_response.CategoricalRandomizedResponse` returns the parts of a
    record. The related-question model has ``|ln(theta / (1 - theta))|`` for one attribute,
    and N times that for N attributes with a coin each. For a group of two or more attributes it is
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
    >>> round(local_epsilon(*each.record_channels()), 4)
    2.5419
    >>> together = RandomizedResponse(0.7).fit([[0, 1, 1]])
    >>> local_epsilon(*together.record_channels())
    inf
    """
    if not channels:
        raise ValueError("local_epsilon needs at least one channel, got none")
    return float(sum(_epsilon(channel) for channel in channels))


def _epsilon(channel: ArrayLike) -> float:
    matrix = check_channel(channel)
    if matrix.ndim != 2:
        raise ValueError(
            f"channel must be one matrix, got shape {matrix.shape}: give several one by one"
        )
    released = matrix[matrix.max(axis=1) > 0]  # a value nobody releases tells nothing
    low, high = released.min(axis=1), released.max(axis=1)
    if (low == 0).any():
        return float("inf")
    return float(np.log(high / low).max())
