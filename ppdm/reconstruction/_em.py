"""Unbiased counts by a channel's inverse, what makes them legal, and EM on counts.

Inside the package: :func:`iterate`, the loop on any likelihood, checks no argument.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import chdtri

from ppdm import _validation as check
from ppdm._statistics import made_legal
from ppdm.channel._opening import matrix_of, one_attribute
from ppdm.exceptions import ConvergenceWarning, NegativeEstimateWarning, warn
from ppdm.typing import ArrayLike, AutoStop, FloatArray, Repair


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
    inverse = own.inverse_matrix()
    n = released.sum(axis=-1)
    share = released / np.where(n > 0, n, 1)[..., None]
    estimate = share @ inverse.T
    spread = np.maximum(share @ inverse.T**2 - estimate**2, 0)
    factor = np.where(n > 1, n / np.sqrt(np.where(n > 1, n - 1, 1)), np.nan)[..., None]
    below = np.count_nonzero(estimate < -1e-12)
    if below:
        warn(
            f"{below} of {estimate.size} estimated counts fell "
            "below zero and are kept as they are; project() is one way on",
            NegativeEstimateWarning,
        )
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


_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False, kw_only=True)
class EMResult:
    """An estimated distribution and how it came about.

    ``...`` stands for the leading axes of the counts: none for one distribution.

    Attributes
    ----------
    probabilities : ndarray of shape (..., m)
        The estimate; each distribution sums to one.
    n : float or ndarray of shape (...)
        Number of disguised values.
    n_iter : int or ndarray of shape (...)
        Steps made.
    converged : bool or ndarray of shape (...)
        Whether the stop rule was met. A distribution without records has nothing to
        converge to: it keeps its start.
    log_likelihood : ndarray of shape (T + 1, ...)
        Of the start and after each step, T being the largest ``n_iter``; a distribution
        that stopped earlier repeats its last value. Natural logarithm, without the
        multinomial coefficient.
    history : ndarray of shape (T + 1, ..., m) or None
        The start and the estimate after each step; None where it was not kept.
    """

    probabilities: FloatArray
    n: Any
    n_iter: Any
    converged: Any
    log_likelihood: FloatArray = field(repr=False)
    history: FloatArray | None = field(repr=False)


def em(
    channel: Any,
    counts: ArrayLike,
    *,
    feature: int | str | None = None,
    stop: AutoStop = "auto",
    tol: float | None = None,
    max_iter: int = 10_000,
    smooth: bool = False,
    keep_history: bool = True,
) -> EMResult:
    """Estimate the distribution of the true values from counts of the released ones.

    Each step takes every released value s back to the true values q by Bayes' rule with
    the current estimate p, and makes the mean of these posteriors the next estimate:

        p'(q) = sum over s of (counts(s) / n) channel(s, q) p(q) / sum over t of channel(s, t) p(t)

    AS00's iteration (section 3) is this on intervals. No step lowers the likelihood.

    Parameters
    ----------
    channel : Channel, or array of shape (S, m)
        P[released | true]; columns sum to one.
    counts : array of shape (..., S)
        How often each value was released. Leading axes are separate distributions, all
        estimated at once.
    feature : int or str, default=None
        The attribute of a Channel that was counted, by number or name; needed where
        its attributes differ.
    stop : {"auto", "chi2", "tol", None}
        ``"chi2"`` is the paper's rule: stop when n times the sum of (p' - p)^2 / p is
        below ``tol`` times the 95% quantile of chi-square with m - 1 degrees of freedom.
        ``"tol"``: stop when the total variation between p' and p is below ``tol``. None
        makes ``max_iter`` steps. ``"auto"`` is ``"tol"`` where estimates are smoothed, else
        ``"chi2"``: smoothed steps soon are too small for the paper's rule.
    tol : float > 0, optional
        0.01 for ``"chi2"`` (the paper's 1%) and 1e-6 for ``"tol"`` where None.
    max_iter : int >= 1
        Largest number of steps.
    smooth : bool
        Whether each estimate is smoothed (Li et al. 2020): every value becomes the mean of
        itself, twice, and of its two neighbours; an end has itself for the neighbour that is
        missing. For values in an order, intervals of one width above all.
        It keeps chance from growing into spikes, so that no early stop has to, and it rounds
        what truly has corners. The likelihood may then fall.
    keep_history : bool
        Whether to keep every estimate; not keeping them saves memory.

    Returns
    -------
    EMResult
        The estimate with its history.

    Raises
    ------
    ValueError
        If a column of ``channel`` does not sum to one, a count is negative, there are no
        records, or a value was released that is impossible under ``channel``.

    Warns
    -----
    ConvergenceWarning
        If a stop rule was asked for and not met within ``max_iter`` steps.

    Notes
    -----
    Iterating past the stop overfits: the likelihood still rises, and the estimate comes to explain
    the chance of this sample, in spikes. 1,000 values of the plateau after Gaussian noise at 100%
    privacy, 20 intervals: a total variation of .19 from the truth at the paper's stop, .17 at the
    best step, which nobody knows, and .56 after 20,000 steps (means of 100 draws). The rule may
    also stop far too early, where little gets through the channel: with 200 values at epsilon 1, a
    million reports and shares as 1 / rank^1.2 it stops after one step, at .65;
    ``stop="tol", tol=2e-5`` comes to .22. Where all shares are alike that one step is .01 from
    them, and ``tol=1e-6`` ends at .45. :func:`estimate_frequencies` takes 2e-5.

    References
    ----------
    Li, Wang, Lopuhaä-Zwakenberg, Li and Škoric (2020), Estimating numerical distributions
    under local differential privacy, for the smoothing.

    Examples
    --------
    Yes/no answers, true with probability 0.8; 410 of 1000 say yes:

    >>> result = em([[0.8, 0.2], [0.2, 0.8]], [410, 590], stop="tol")
    >>> result.probabilities.round(3)
    array([0.35, 0.65])
    """
    matrix = matrix_of(channel, feature)
    tally = check.counts(counts, len(matrix))
    rule = check.arguments(
        stop=stop, tol=tol, max_iter=max_iter, smooth=smooth, keep_history=keep_history
    )
    return iterate(matrix, tally, None, **rule)


def iterate(
    likelihood: FloatArray,
    counts: FloatArray,
    start: FloatArray | None,
    *,
    stop: AutoStop = "auto",
    tol: float | None = None,
    max_iter: int = 10_000,
    smooth: bool = False,
    keep_history: bool = True,
) -> EMResult:
    """Iterate with any likelihood of shape (S, m), a channel or not.

    The arguments are those of :func:`em`, which checks them. Refused is only what shows on the
    way: a released value that the channel and the start make impossible.
    """
    m = likelihood.shape[-1]
    if stop == "auto":
        stop = "tol" if smooth else "chi2"
    if tol is None:
        tol = 0.01 if stop == "chi2" else 1e-6
    limit = tol * float(chdtri(m - 1, 0.05)) if stop == "chi2" else tol
    first = np.full(m, 1 / m) if start is None else start
    estimate = np.broadcast_to(first, (*counts.shape[:-1], m))
    forward = likelihood.T  # from true to released
    impossible = (counts > 0) & (_through(estimate, forward) <= 0)
    rule = "counts must be zero where channel and start give a released value no probability"
    check.refuse(impossible, counts, rule)
    n = np.asarray(counts.sum(axis=-1))
    share = counts / np.where(n > 0, n, 1)[..., None]
    active, n_iter = np.asarray(n > 0), np.zeros(n.shape, dtype=np.int64)
    n_active, n_steps = np.count_nonzero(active), 0
    history: list[FloatArray] = [estimate]
    fits: list[FloatArray] = []
    # Chapter 11's plain loop: blocks of steps, with their number guessed, took 150 lines more
    # and saved two milliseconds of a million values.
    while n_active and n_steps < max_iter:
        # what the estimate would have released: where nothing was counted it may be nothing
        mixed = np.maximum(_through(estimate, forward), _TINY)
        fits.append(np.vecdot(counts, np.log(mixed)))
        after = estimate * _through(share / mixed, likelihood)  # the mean of the posteriors
        if smooth:
            after = _smoothed(after)
        n_steps += 1
        if n_active < n.size:
            after = np.where(active[..., None], after, estimate)
        if stop is not None:
            met = active & (_change(estimate, after, n, stop) < limit)
            if met.any():
                n_iter[met] = n_steps
                active = np.asarray(active & ~met)
                n_active = np.count_nonzero(active)
        estimate = after
        if keep_history:
            history.append(estimate)
    n_iter[active] = n_steps
    mixed = np.maximum(_through(estimate, forward), _TINY)
    fits.append(np.vecdot(counts, np.log(mixed)))
    if stop is not None and n_active:
        warn(
            f"the iteration did not meet its stop rule {stop!r} within max_iter={max_iter} steps "
            f"for {n_active} of {active.size} distribution(s)",
            ConvergenceWarning,
        )
    alone = n.ndim == 0
    return EMResult(
        probabilities=estimate,
        n=n.item() if alone else n,
        n_iter=n_iter.item() if alone else n_iter,
        converged=not active.item() if alone else ~active,
        log_likelihood=np.array(fits),
        history=np.array(history) if keep_history else None,
    )


def _through(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return distributions (..., k) times a matrix (k, l)."""
    # dot starts sooner than matmul, which a step of 100 values feels
    return rows.dot(matrix) if rows.ndim <= 2 else rows @ matrix


def _smoothed(estimate: FloatArray) -> FloatArray:
    """Give half of each value to its two neighbours; at an end the outward part stays."""
    wide = np.concatenate([estimate[..., :1], estimate, estimate[..., -1:]], axis=-1)
    return np.asarray((wide[..., :-2] + 2 * estimate + wide[..., 2:]) / 4)


def _change(before: FloatArray, after: FloatArray, n: FloatArray, stop: str) -> FloatArray:
    """How much a step changed each estimate, by the measure of the stop rule."""
    step = after - before
    if stop == "chi2":
        return np.asarray(n * np.vecdot(step, step / np.maximum(before, _TINY)))
    return np.asarray(np.abs(step).sum(axis=-1) / 2)
