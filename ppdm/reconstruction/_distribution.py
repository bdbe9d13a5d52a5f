"""The Bayes iteration of AS00 (section 3, figure 1): a distribution from disguised values.

Inside the package: :func:`reconstruct` does it for one attribute, from counts, and checks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._coding import count_pairs
from ppdm.channel import Channel
from ppdm.channel._opening import open_reports
from ppdm.exceptions import warn_unexplained
from ppdm.reconstruction._em import EMResult, iterate
from ppdm.typing import ArrayLike, AutoStop, FloatArray, IntArray, Kernel


@dataclass(frozen=True, eq=False, kw_only=True)
class ReconstructedDistribution(EMResult):
    """A distribution over intervals, with what :class:`EMResult` tells about the iteration.

    Attributes
    ----------
    edges : ndarray of shape (m + 1,)
        Edges of the intervals, in units of the attribute.
    """

    edges: FloatArray

    def counts(self, n: ArrayLike | None = None) -> FloatArray:
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
        middles = (self.edges[1:] + self.edges[:-1]) / 2
        return (self.probabilities * middles).sum(axis=-1)


def reconstruct_distribution(
    disguised: ArrayLike | None,
    noise: Any,
    edges: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    n_labels: int | None = None,
    feature: int | str | None = None,
    kernel: Kernel = "cell",
    stop: AutoStop = "auto",
    tol: float | None = None,
    max_iter: int = 10_000,
    smooth: bool = False,
    keep_history: bool = True,
) -> ReconstructedDistribution:
    """Estimate the distribution of an attribute from its disguised values (AS00, section 3).

    The disguised values are counted once, in cells that extend the intervals over the
    reach of the noise; a step then costs S x m operations whatever n is. Each step makes
    the mean posterior of the intervals the next estimate (see :func:`em`).

    Parameters
    ----------
    disguised : array of shape (n,) or (n, n_columns), or None
        Disguised values of one attribute, or whole records of a MixedResponse or a frame. None
        where ``counts`` is given.
    noise : AdditiveNoise, or whatever has ``on(edges, feature=...)``, a Channel or MixedResponse
        How the values were disguised. ``on`` gives a :class:`ppdm.channel.Channel` from the
        intervals to what is released; a Channel that it gave has its ``edges`` already. Of a
        MixedResponse ``feature`` says which attribute is meant; who was not asked is left out.
    edges : array of shape (m + 1,), optional
        Edges of the intervals, m >= 2; they should cover the domain. None where ``noise`` has
        them. Memory grows with m squared: 4,000 intervals take up to 2 GB, 10,000 twelve.
    counts : array of shape (..., S), optional
        Counts of what was released, as the channel's ``count`` gives them, instead of
        values; counts of chunks are added. Leading axes are separate distributions.
    labels : array of int of shape (n,), optional
        A code 0, 1, ... for each record, its class for instance: one distribution for each
        label, along a leading axis of the result.
    n_labels : int, optional
        How many labels there are; one more than the largest where None.
    feature : int or str, default=None
        The attribute of ``noise`` that is meant, by number or name; needed where attributes
        differ.
    kernel : {"cell", "midpoint"}
        ``"cell"``: the probability that a value spread evenly over its interval is released
        in each cell; a true channel, and so the default. ``"midpoint"``: the paper's density
        of the noise between the middles, a likelihood only. For Gaussian noise wide beside
        the intervals the two agree; for uniform noise the middles misstate its reach by half
        an interval at either end, and the estimate is biased.
    stop, tol, max_iter, keep_history
        As in :func:`em`; the default is the paper's stop rule, unless estimates are smoothed.
    smooth : bool
        Whether each estimate is smoothed, as in :func:`em`; for intervals of one width.

    Returns
    -------
    ReconstructedDistribution
        The estimate, (m,), with ``labels`` (n_labels, m), with its history.

    Raises
    ------
    TypeError
        If ``noise`` has no ``on``, or has no intervals for the attribute.
    ValueError
        If values or edges are not finite, empty or out of order, a count is negative,
        both or neither of ``disguised`` and ``counts`` are given, or intervals of several
        widths are to be smoothed.

    Warns
    -----
    ConvergenceWarning
        If the stop rule was not met within ``max_iter`` steps.
    PPDMWarning
        If there are more than 4,000 intervals, with the memory that their channel takes.
    UnexplainedValueWarning
        If values lie where no true value is carried by the noise. They go to the nearest
        interval.

    Examples
    --------
    >>> from ppdm.noise import AdditiveNoise
    >>> noise = AdditiveNoise("uniform", scale=0.25)
    >>> result = reconstruct_distribution(
    ...     None, noise, [0, 0.25, 0.5, 0.75, 1], counts=[10, 20, 30, 20, 15, 5],
    ...     kernel="midpoint",
    ... )
    >>> result.n_iter, result.history[1].round(6)
    (3, array([0.3     , 0.266667, 0.241667, 0.191667]))
    """
    check.given("kernel", kernel)
    if (disguised is None) == (counts is None):
        raise ValueError("give either disguised or counts, and None for the other")
    channel, intervals = _bind(noise, edges, feature)
    kind = "channel_matrix" if kernel == "cell" else "midpoint_likelihood"
    check.demand(hasattr(channel, kind), f"kernel must be 'cell' for {channel!r}", kernel)
    likelihood = np.asarray(getattr(channel, kind)())
    if counts is None:
        check.in_step(disguised=disguised, labels=labels)
        scheme, of = (noise, feature) if hasattr(noise, "channels") else (channel, None)
        answers = open_reports(scheme, disguised, of, name="disguised", what="noise")
        codes = answers.codes()[:, np.newaxis]
        group, n_groups = check.labels(labels, n_labels, answers.answered.size)
        own = group[answers.answered]
        by_label = count_pairs(codes, own, None, n_groups, len(likelihood))[0]
        tally = (by_label[0] if labels is None else by_label).astype(np.float64)
    else:
        check.goes_with(labels, "labels", "disguised (counts has its labels as leading axes)")
        check.goes_with(n_labels, "n_labels", "disguised and labels")
        tally = check.counts(counts, len(likelihood))
    likelihood = _explain(likelihood, tally, intervals, channel, warn=kernel == "cell")
    rule = check.arguments(
        stop=stop, tol=tol, max_iter=max_iter, smooth=smooth, keep_history=keep_history
    )
    if smooth:
        widths = np.diff(intervals)
        even = np.allclose(widths, widths[0], rtol=1e-6, atol=0)
        check.demand(even, "smooth must be False where edges bound uneven intervals", True)
    result = iterate(likelihood, tally, np.diff(intervals) / np.ptp(intervals), **rule)
    return ReconstructedDistribution(edges=intervals, **vars(result))


def reconstruct(channel: Any, counts: IntArray, **rule: Any) -> EMResult:
    """Estimate the distribution of one attribute from counts (..., S) of what was released.

    ``channel`` is bound to its intervals; ``rule`` are options of :func:`iterate`.
    """
    edges, tally = channel.edges, counts.astype(np.float64)
    likelihood = np.asarray(channel.channel_matrix())
    likelihood = _explain(likelihood, tally, edges, channel, warn=True)
    return iterate(likelihood, tally, np.diff(edges) / np.ptp(edges), **rule)


def _bind(noise: Any, edges: ArrayLike | None, feature: Any) -> tuple[Channel, FloatArray]:
    """Return the channel between the intervals of one attribute, and their edges."""
    if hasattr(noise, "channels"):  # one attribute of several
        check.demand(edges is None, "edges must be None: each channel of noise has its own", edges)
        noise.bound_to(0)  # one that is not fitted says so
        d = noise.n_features_in_
        place = check.given("feature", check.place_of(feature, noise, range(d)), high=d - 1)
        noise, feature = noise.attribute(place), None
    if edges is not None and hasattr(noise, "on"):
        intervals = check.edges(edges, ndim=1)
        return noise.on(intervals, **({} if feature is None else {"feature": feature})), intervals
    if edges is None and hasattr(noise, "edges") and hasattr(noise, "channel_matrix"):
        check.given("feature", 0 if feature is None else feature, high=0)  # it is bound to its own
        return noise, check.edges(noise.edges, ndim=1)
    wanted = "have on(edges), as AdditiveNoise has" if edges is not None else "be a bound channel"
    wanted += " (of a scheme of answers estimate_frequencies, for another channel em)"
    raise TypeError(f"noise must {wanted}, got {check.printed(noise)}")


def _explain(
    likelihood: FloatArray, counts: FloatArray, edges: FloatArray, channel: Any, *, warn: bool
) -> FloatArray:
    """Let the nearest interval explain the cells that none explains.

    Whole numbers leave gaps between them, and cells at the ends may lie beyond the reach of
    bounded noise. The paper's kernel misstates that reach: there it is no sign of anything.
    """
    unexplained = likelihood.max(axis=-1) <= 0
    if not (unexplained.any() and hasattr(channel, "cells")):
        return likelihood
    cells, n_beyond = channel.cells, counts[..., unexplained].sum()
    if warn and n_beyond:
        warn_unexplained(n_beyond, "they are counted in the nearest interval")
    middles = ((cells[1:] + cells[:-1]) / 2)[:, np.newaxis]
    gaps = np.maximum(edges[:-1] - middles, middles - edges[1:])
    nearest = np.arange(gaps.shape[1]) == gaps.argmin(axis=1)[:, np.newaxis]
    return np.where(unexplained[:, np.newaxis], nearest, likelihood)
