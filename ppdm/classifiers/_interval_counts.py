"""How many records belong to each interval, in whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppdm.reconstruction._distribution import reconstruct
from ppdm.typing import FloatArray, IntArray


def count_intervals(
    tally: IntArray, sizes: IntArray, channel: Any, rule: dict[str, Any]
) -> tuple[IntArray, int]:
    """Reconstruct an attribute for each label: how many of its records lie in each interval.

    Parameters
    ----------
    tally : ndarray of int, shape (n_labels, n_cells)
        What the channel released, counted by label.
    sizes : ndarray of int, shape (n_labels,)
        How many records of each label are dealt.
    channel, rule :
        Of the attribute, and when a reconstruction stops.

    Returns
    -------
    counts : ndarray of int, shape (n_labels, m)
    n_iter : int
        The most steps that a label took.
    """
    found = reconstruct(channel, tally, keep_history=False, **rule)
    return largest_remainder(found.probabilities, sizes), int(found.n_iter.max())


def largest_remainder(shares: FloatArray, totals: NDArray[np.integer]) -> IntArray:
    """Round ``totals`` times ``shares`` to whole counts that add up exactly.

    Each count is rounded down; what is missing goes, one each, to those that lost most,
    the first ones among equals.

    Parameters
    ----------
    shares : ndarray of shape (..., m)
        Not negative, each row summing to one.
    totals : ndarray of int, shape (...)
        What each row of counts adds up to.

    Returns
    -------
    ndarray of int, shape (..., m)

    Examples
    --------
    >>> largest_remainder(np.array([0.5, 0.3, 0.2]), np.array(11)).tolist()
    [6, 3, 2]
    """
    exact = shares * totals[..., None]
    counts = np.floor(exact).astype(np.intp)
    missing = totals - counts.sum(axis=-1)
    lost = np.argsort(counts - exact, axis=-1, kind="stable")
    place = np.argsort(lost, axis=-1)
    counts += place < missing[..., None]
    return counts
