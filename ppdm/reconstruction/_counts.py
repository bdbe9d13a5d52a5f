"""Unbiased counts by a channel's inverse, and what makes them legal.

Inside the package: :func:`undo_counts` checks nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._opening import one_attribute
from ppdm._statistics import made_legal
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.typing import FloatArray, Repair


@dataclass(frozen=True, eq=False, kw_only=True)
class InvertedCounts:
    """Unbiased estimates of the counts of the true values.

    Attributes
    ----------
    counts : ndarray of shape (..., m)
        The estimates, some of which may be negative.
    standard_errors : ndarray of shape (..., m)
        Their standard errors, the n records being a random sample; missing (NaN) for
        fewer than two records.
    n : float or ndarray of shape (...)
        Number of records.
    """

    counts: FloatArray
    standard_errors: FloatArray
    n: Any

    @property
    def proportions(self) -> FloatArray:
        """The estimates divided by n, (..., m); zero where there are no records."""
        return self.counts / np.where(self.n > 0, self.n, 1)[..., None]


def invert(channel: Any, counts: ArrayLike, *, feature: int | str | None = None) -> InvertedCounts:
    """Multiply counts of released values by the inverse of the channel.

    The counts c of n independent records have mean n P pi, with P the channel and pi the
    true distribution, so P^-1 c estimates n pi without bias. Where more values are
    released than are true the pseudo-inverse L is completed to L + (1 - 1'L) / m, which is unbiased
    as well and keeps the sum of the counts. With M the inverse and f = c / n, the variance of an
    estimate is estimated by n^2 / (n - 1) times (M o M) f - (M f)^2.

    Parameters
    ----------
    channel : Channel, or array of shape (S, m)
        P[released | true]; columns sum to one and are linearly independent.
    counts : array of shape (..., S)
        How many people released each value. Sums of survey weights are no such counts: their
        errors are those of :func:`estimate_frequencies` with ``sample_weight``.
    feature : int or str, default=None
        The attribute of a Channel that was counted, by number or name; needed where
        its attributes differ.

    Returns
    -------
    InvertedCounts
        The raw estimates with standard errors. :func:`project` makes them legal, at the
        price of a bias.

    Raises
    ------
    ValueError
        If ``channel`` has linearly dependent columns (to the precision of the machine),
        or a count is negative.

    Warns
    -----
    NegativeEstimateWarning
        If an estimate is below zero.

    Examples
    --------
    >>> result = invert([[0.8, 0.2], [0.2, 0.8]], [410, 590])
    >>> result.counts.round(6), result.standard_errors.round(2)
    (array([350., 650.]), array([25.93, 25.93]))
    """
    own = one_attribute(channel, feature)
    released = check.counts(counts, own.n_released())
    estimate = undo_counts(own.inverse_matrix(), released)
    below = np.count_nonzero(estimate.proportions < -1e-12)
    if below:
        warnings.warn(
            f"{below} of {estimate.counts.size} estimated counts fell "
            "below zero and are kept as they are; project() is one way on",
            NegativeEstimateWarning,
            stacklevel=2,
        )
    return estimate


def undo_counts(inverse: FloatArray, released: FloatArray) -> InvertedCounts:
    """Multiply counts (..., S) by an inverse (m, S)."""
    n = released.sum(axis=-1)
    share = released / np.where(n > 0, n, 1)[..., None]
    estimate = share @ inverse.T
    spread = np.maximum(share @ inverse.T**2 - estimate**2, 0)
    factor = np.where(n > 1, n / np.sqrt(np.where(n > 1, n - 1, 1)), np.nan)[..., None]
    return InvertedCounts(
        counts=estimate * n[..., None],
        standard_errors=factor * np.sqrt(spread),
        n=n if n.ndim else n.item(),
    )


def project(
    estimates: ArrayLike, *, method: Repair = "clip", total: float | ArrayLike | None = None
) -> FloatArray:
    """Turn estimates with negative values into legal ones.

    Parameters
    ----------
    estimates : array of shape (..., m)
        Estimated counts or proportions.
    method : {"clip", "simplex"}
        ``"clip"`` sets negative values to zero and scales the others to the total.
        ``"simplex"`` takes the nearest point, in Euclidean distance, among all that are
        not negative and have the total: it subtracts one constant and sets to zero what
        falls below.
    total : float or array of shape (...), optional
        What each distribution shall sum to; the sum of its estimates where None.

    Returns
    -------
    ndarray of shape (..., m)
        Values >= 0 that sum to ``total``.

    Raises
    ------
    ValueError
        If a total is not positive, or nothing positive is left to scale.

    Examples
    --------
    >>> project([-0.2, 0.4, 0.8]).round(3)
    array([0.   , 0.333, 0.667])
    >>> project([-0.2, 0.4, 0.8], method="simplex").round(3)
    array([0. , 0.3, 0.7])
    """
    check.given("project.method", method)
    array = np.atleast_1d(check.numbers(estimates, "estimates"))
    wanted = array.sum(axis=-1) if total is None else check.numbers(total, "total")
    check.demand(wanted.min() > 0, "total must be > 0", float(wanted.min()))
    if method == "clip" and array.max(axis=-1).min() <= 0:
        raise ValueError("estimates must have a positive value to be clipped and scaled")
    return made_legal(array, method, np.broadcast_to(wanted, array.shape[:-1]))
