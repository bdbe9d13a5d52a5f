"""The Bayes iteration of AS00 (section 3, figure 1): a distribution from disguised values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_counts, check_edges, check_numbers, check_option
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction._binning import bin_in_cells, cells_of
from ppdm.reconstruction._em import first_estimate, run_em
from ppdm.reconstruction._iteration import EMResult

__all__ = ["ReconstructedDistribution", "reconstruct_distribution"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReconstructedDistribution(EMResult):
    """A distribution over intervals, with what :class:`EMResult` tells about the iteration.

    Attributes
    ----------
    edges : ndarray of shape (m + 1,) or (d, m + 1)
        Edges of the intervals, in units of the attribute.
    """

    edges: Array

    @property
    def midpoints(self) -> Array:
        """Middles of the intervals, (m,) or (d, m)."""
        return (self.edges[..., 1:] + self.edges[..., :-1]) / 2

    @property
    def density(self) -> Array:
        """Probability per unit of the attribute, (..., m)."""
        return self.probabilities / np.diff(self.edges, axis=-1)

    def counts(self, n: ArrayLike | None = None) -> Array:
        """Return the expected number of records in each interval.

        Parameters
        ----------
        n : float or array of shape (...), optional
            Of how many records; of all that were disguised where None.

        Returns
        -------
        ndarray of shape (..., m)
            ``n`` times the probabilities.
        """
        return np.asarray(self.probabilities * np.asarray(self.n if n is None else n)[..., None])

    def mean(self) -> Any:
        """Return the mean in units of the attribute, values spread evenly within intervals.

        Returns
        -------
        float or ndarray of shape (...)
            One mean for each distribution.
        """
        return (self.probabilities * self.midpoints).sum(axis=-1)

    def std(self) -> Any:
        """Return the standard deviation, values spread evenly within intervals.

        Returns
        -------
        float or ndarray of shape (...)
            One standard deviation for each distribution, in units of the attribute.
        """
        offsets = self.midpoints - np.asarray(self.mean())[..., None]
        within = np.diff(self.edges, axis=-1) ** 2 / 12
        return np.sqrt((self.probabilities * (offsets**2 + within)).sum(axis=-1))

    def cdf(self, x: ArrayLike) -> Array:
        """Return P[X <= x], values spread evenly within intervals.

        Parameters
        ----------
        x : float or array of shape (k,)
            Points in units of the attribute.

        Returns
        -------
        ndarray of shape (..., k)
            The distribution function at each point; k is 1 for a single number.

        Raises
        ------
        ValueError
            If a point is not finite.
        """
        points = np.atleast_1d(check_numbers(x, "x", ndim=(0, 1)))
        low, width = self.edges[..., None, :-1], np.diff(self.edges, axis=-1)[..., None, :]
        part = np.clip((points[:, None] - low) / width, 0, 1)
        return np.asarray((part @ self.probabilities[..., None])[..., 0])


def reconstruct_distribution(
    disguised: ArrayLike | None,
    noise: AdditiveNoise,
    edges: ArrayLike,
    *,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature: int = 0,
    kernel: str = "cell",
    stop: str | None = "chi2",
    tol: float | None = None,
    max_iter: int = 10_000,
    start: ArrayLike | None = None,
    keep_history: bool = True,
) -> ReconstructedDistribution:
    """Estimate the distribution of an attribute from its disguised values (AS00, section 3).

    The disguised values are counted once, in cells that extend the intervals over the
    reach of the noise; a step then costs S x m operations whatever n is. Each step makes
    the mean posterior of the intervals the next estimate (see :func:`em`).

    Parameters
    ----------
    disguised : array of shape (n,), (n, 1) or (n, d), or None
        Disguised values of one attribute, or of all d attributes where ``edges`` has d
        rows. None where ``counts`` is given.
    noise : AdditiveNoise
        The noise, fitted or with its ``scale`` or ``domain`` given.
    edges : array of shape (m + 1,) or (d, m + 1)
        Edges of the intervals, m >= 2; they should cover the domain.
    counts : array of shape (..., S) or (..., d, S), optional
        Counts in the cells of ``noise.disguised_edges(edges)`` instead of values, as
        :func:`bin_disguised` gives them; counts of chunks are added. Leading axes are
        separate distributions.
    groups : array of int of shape (n,), optional
        A code 0, 1, ... for each record, its class for instance: one distribution for each
        group, along a leading axis of the result.
    feature : int
        The attribute of ``noise`` that one-dimensional ``edges`` belong to.
    kernel : {"cell", "midpoint"}
        ``"cell"``: the probability that a value spread evenly over its interval is released
        in each cell; a true channel, and so the default. ``"midpoint"``: the paper's density
        of the noise between the middles, a likelihood only. For Gaussian noise wide beside
        the intervals the two agree; for uniform noise the middles misstate its reach by half
        an interval at either end, and the estimate is biased.
    stop, tol, max_iter, keep_history
        As in :func:`em`; the default is the paper's stop rule.
    start : array of shape (m,) or broadcastable to (..., m), optional
        The first estimate; the uniform distribution where None.

    Returns
    -------
    ReconstructedDistribution
        The estimate, (m,), or (d, m), with ``groups`` (n_groups, ...), with its history.

    Raises
    ------
    TypeError
        If ``noise`` is not an AdditiveNoise.
    ValueError
        If values or edges are not finite, empty or out of order, a count is negative, or
        both or neither of ``disguised`` and ``counts`` are given.

    Warns
    -----
    ConvergenceWarning
        If the stop rule was not met within ``max_iter`` steps.
    UnexplainedValueWarning
        If values lie more than a cell beyond the reach of bounded noise.

    Notes
    -----
    A disguised value that no interval can explain, as happens at the ends with uniform
    noise, goes to the nearest interval.

    Examples
    --------
    >>> noise = AdditiveNoise("uniform", scale=0.25)
    >>> result = reconstruct_distribution(
    ...     None, noise, [0, 0.25, 0.5, 0.75, 1], counts=[10, 20, 30, 20, 15, 5],
    ...     kernel="midpoint",
    ... )
    >>> result.n_iter, result.history[1].round(6)
    (3, array([0.3     , 0.266667, 0.241667, 0.191667]))
    """
    check_option(kernel, "kernel", ("cell", "midpoint"))
    intervals = check_edges(edges)
    cells = cells_of(noise, intervals, feature)
    if (disguised is None) == (counts is None):
        raise ValueError("give either disguised or counts, and None for the other")
    if disguised is not None:
        tally = bin_in_cells(disguised, cells, noise.bounded, groups).astype(np.float64)
    elif groups is not None:
        raise ValueError("groups goes with disguised; counts has its groups as leading axes")
    else:
        tally = _check_cells(counts, cells)
    widths = np.diff(intervals, axis=-1)
    result = run_em(
        _likelihood(kernel, noise, intervals, cells, feature),
        tally,
        first_estimate(start, tally, widths / widths.sum(axis=-1, keepdims=True)),
        stop=stop,
        tol=tol,
        max_iter=max_iter,
        keep_history=keep_history,
    )
    return ReconstructedDistribution(edges=intervals, **vars(result))


def _likelihood(
    kernel: str, noise: AdditiveNoise, edges: Array, cells: Array, feature: int
) -> Array:
    """Likelihood of each cell for each interval, (S, m) or (d, S, m), no row all zero."""
    matrix = noise.channel_matrix if kernel == "cell" else noise.midpoint_likelihood
    likelihood = matrix(edges, cells, feature=feature)
    unexplained = likelihood.max(axis=-1) <= 0
    if unexplained.any():
        middles = (cells[..., 1:, None] + cells[..., :-1, None]) / 2
        gaps = np.maximum(edges[..., None, :-1] - middles, middles - edges[..., None, 1:])
        nearest = np.arange(gaps.shape[-1]) == gaps.argmin(axis=-1)[..., None]
        likelihood = np.where(unexplained[..., None], nearest, likelihood)
    return likelihood


def _check_cells(counts: ArrayLike | None, cells: Array) -> Array:
    tally = check_counts(counts, cells.shape[-1] - 1)  # type: ignore[arg-type]
    if cells.ndim == 2 and tally.shape[-2:-1] != cells.shape[:1]:
        raise ValueError(
            f"counts must have shape (..., {cells.shape[0]}, {cells.shape[1] - 1}) as edges "
            f"describes {cells.shape[0]} attributes, got {tally.shape}"
        )
    return tally
