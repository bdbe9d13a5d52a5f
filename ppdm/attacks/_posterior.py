"""Bayes' rule for an adversary: the posterior, and the interval it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import FloatArray


def bayes_posterior(
    channel: Any, prior: ArrayLike, *, feature: int | str | None = None
) -> FloatArray:
    """P[true | released] by Bayes' rule: all that can be said about one person.

    With a uniform prior this is an adversary that knows only the channel and the domain;
    with the reconstructed distribution as prior, one that also knows what the miner has
    learned. No estimate from the released value can beat one from this posterior.

    Parameters
    ----------
    channel : Channel, or array of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array of shape (m,) or (..., m)
        The distribution of the true values as the adversary believes it.
    feature : int or str, default=None
        The attribute of a Channel, by number or name; needed where its attributes differ.

    Returns
    -------
    ndarray of shape (S, m) or (..., S, m)
        Row s is the distribution of the true value of one who released s. A value that
        the prior makes impossible has no posterior: its row is NaN.

    Raises
    ------
    ValueError
        If a column of ``channel`` or a prior does not sum to one.

    Examples
    --------
    Randomised response at 0.8, and one person in ten has the property:

    >>> bayes_posterior([[0.8, 0.2], [0.2, 0.8]], [0.1, 0.9]).round(3)
    array([[0.308, 0.692],
           [0.027, 0.973]])
    """
    matrix = check.channel(channel, ndim=2, feature=feature)
    belief = check.probabilities(prior, "prior", matrix.shape[-1])
    joint = matrix * belief[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(joint / joint.sum(axis=-1, keepdims=True))


def credible_interval(
    probabilities: ArrayLike, edges: ArrayLike, confidence: float = 0.95
) -> FloatArray:
    """Return the shortest interval that holds the true value with the given probability.

    Its width is what the adversary's knowledge leaves of the interval that
    :func:`ppdm.noise.privacy_interval` promises. The value is taken as spread evenly
    within each of the ``edges``' intervals; the width is then least where one end lies on
    an edge, so that all candidates are known.

    Parameters
    ----------
    probabilities : array of shape (..., m)
        Distributions over the intervals: a prior, or rows of :func:`bayes_posterior`.
    edges : array of shape (m + 1,)
        Edges of the intervals.
    confidence : float in (0, 1)
        The probability that the interval shall hold.

    Returns
    -------
    ndarray of shape (..., 2)
        Its ends, in units of the attribute; NaN where a distribution is NaN.

    Raises
    ------
    ValueError
        If a distribution does not sum to one, an edge is out of order, or ``confidence``
        is not inside (0, 1).

    Examples
    --------
    >>> credible_interval([0.05, 0.8, 0.1, 0.05], [0, 10, 20, 30, 40], 0.9)
    array([10., 30.])
    """
    cuts = check.edges(edges, ndim=1)
    share = check.given("confidence", confidence)
    given = check.array(probabilities, "probabilities")
    check.demand(given.ndim, "probabilities must have one dimension or more", given.tolist())
    rows = given.reshape(-1, given.shape[-1])
    known = ~np.isnan(rows).any(axis=1)
    ends = np.full((len(rows), 2), np.nan)
    if known.any():
        rows = check.probabilities(rows[known], "probabilities", len(cuts) - 1)
        ends[known] = _shortest(rows, cuts, share)
    return ends.reshape(*given.shape[:-1], 2)


def _shortest(rows: FloatArray, cuts: FloatArray, share: float) -> FloatArray:
    """Shortest intervals (R, 2) for distributions (R, m)."""
    right = _right_ends(rows, cuts, share)
    left = -_right_ends(rows[:, ::-1], -cuts[::-1], share)[:, ::-1]  # the same in the mirror
    starts = np.hstack([np.broadcast_to(cuts[:-1], right.shape), left])
    stops = np.hstack([right, np.broadcast_to(cuts[1:], left.shape)])
    widths = stops - starts
    # of equally short ones the first, not the one that rounding prefers
    best = (widths <= widths.min(axis=1, keepdims=True) * (1 + 1e-9)).argmax(axis=1)[:, None]
    both = [np.take_along_axis(side, best, axis=1) for side in (starts, stops)]
    return np.hstack(both)


def _right_ends(rows: FloatArray, cuts: FloatArray, share: float) -> FloatArray:
    """For each left edge (R, m), the least right end that gives the share; inf where none."""
    n_rows, m = rows.shape
    cumulative = np.hstack([np.zeros((n_rows, 1)), rows.cumsum(axis=1)])
    cumulative /= cumulative[:, -1:]
    target = cumulative[:, :-1] + share
    # One search for all rows, row r being moved to [2 r, 2 r + 1]. The slack keeps a share
    # that an edge meets but for rounding from reaching into the next interval.
    shift, slack = 2.0 * np.arange(n_rows)[:, None], 1e-9
    places = np.searchsorted((cumulative + shift).ravel(), target - slack + shift)
    cell = np.clip(places - np.arange(n_rows)[:, None] * (m + 1) - 1, 0, m - 1)
    below = np.take_along_axis(cumulative, cell, axis=1)
    above = np.take_along_axis(cumulative, cell + 1, axis=1)
    reached = (target <= 1 + slack) & (above > below)
    part = np.divide(target - below, above - below, out=np.full_like(below, np.inf), where=reached)
    part = np.where(reached, np.minimum(part, 1), np.inf)
    return np.asarray(cuts[cell] + part * np.diff(cuts)[cell])
