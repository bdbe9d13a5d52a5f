"""Expectation maximisation on counts that a known channel disguised."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from ppdm._validation import (
    check_channel_counts,
    check_integer,
    check_number,
    check_option,
    check_probabilities,
)
from ppdm.exceptions import ConvergenceWarning
from ppdm.reconstruction._iteration import EMResult, iterate

Array = NDArray[np.float64]


def em(
    channel: ArrayLike,
    counts: ArrayLike,
    *,
    stop: str | None = "chi2",
    tol: float | None = None,
    max_iter: int = 10_000,
    start: ArrayLike | None = None,
    keep_history: bool = True,
) -> EMResult:
    """Estimate the distribution of the true values from counts of the released ones.

    Each step takes every released value s back to the true values q by Bayes' rule with
    the current estimate p, and makes the mean of these posteriors the next estimate:

        p'(q) = sum over s of (counts(s) / n) channel(s, q) p(q) / sum over t of channel(s, t) p(t)

    AS00's iteration (section 3) is this on intervals. No step lowers the likelihood.

    Parameters
    ----------
    channel : array of shape (S, m) or (d, S, m)
        P[released | true]; columns sum to one. d channels, one for each attribute.
    counts : array of shape (..., S), for d channels (..., d, S)
        How often each value was released. Leading axes are separate distributions, all
        estimated at once.
    stop : {"chi2", "tol", None}
        ``"chi2"`` is the paper's rule: stop when n times the sum of (p' - p)^2 / p is
        below ``tol`` times the 95% quantile of chi-square with m - 1 degrees of freedom.
        ``"tol"``: stop when the total variation between p' and p is below ``tol``. None
        makes ``max_iter`` steps.
    tol : float > 0, optional
        0.01 for ``"chi2"`` (the paper's 1%) and 1e-6 for ``"tol"`` where None.
    max_iter : int >= 1
        Largest number of steps.
    start : array of shape (m,) or broadcastable to (..., m), optional
        The first estimate; uniform where None. What is zero in it stays zero.
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
        records, or a value was released that is impossible under ``channel`` and
        ``start``.

    Warns
    -----
    ConvergenceWarning
        If a stop rule was asked for and not met within ``max_iter`` steps.

    Examples
    --------
    Yes/no answers, true with probability 0.8; 410 of 1000 say yes:

    >>> result = em([[0.8, 0.2], [0.2, 0.8]], [410, 590], stop="tol")
    >>> result.probabilities.round(3)
    array([0.35, 0.65])
    """
    matrix, tally = check_channel_counts(channel, counts)
    return run_em(
        matrix,
        tally,
        first_estimate(start, tally, np.full(matrix.shape[-1], 1 / matrix.shape[-1])),
        stop=stop,
        tol=tol,
        max_iter=max_iter,
        keep_history=keep_history,
    )


def first_estimate(start: ArrayLike | None, counts: Array, default: Array) -> Array:
    """``start`` or ``default``, checked and repeated for every distribution."""
    m = default.shape[-1]
    first = default if start is None else check_probabilities(start, "start", m)
    shape = (*counts.shape[:-1], m)
    try:
        return np.broadcast_to(first, shape)
    except ValueError:
        raise ValueError(
            f"start must have shape {shape} or one that broadcasts to it, got {first.shape}"
        ) from None


def run_em(
    likelihood: Array,
    counts: Array,
    start: Array,
    *,
    stop: str | None,
    tol: float | None,
    max_iter: int,
    keep_history: bool,
) -> EMResult:
    """Iterate with any likelihood of shape (S, m) or (d, S, m), a channel or not.

    The work is done on stacks: likelihood (d, S, m), counts (d, B, S), estimates (d, B, m).
    """
    check_option(stop, "stop", ("chi2", "tol", None))
    check_integer(max_iter, "max_iter", low=1)
    limit = _limit(stop, tol, likelihood.shape[-1])
    stacked = likelihood.ndim == 3
    run = iterate(
        likelihood if stacked else likelihood[None],
        _to_stack(counts, stacked),
        _to_stack(start, stacked),
        stop=stop,
        limit=limit,
        max_iter=max_iter,
        keep_history=keep_history,
    )
    n_failed = int(np.count_nonzero(~run.converged))
    if n_failed and stop is not None:
        warnings.warn(
            f"the iteration did not meet its stop rule {stop!r} within max_iter={max_iter} steps "
            f"for {n_failed} of {run.converged.size} distribution(s)",
            ConvergenceWarning,
            stacklevel=3,
        )
    lead = counts.shape[:-1]

    def restore(array: NDArray[Any]) -> Any:
        restored = _from_stack(array[..., None], lead, stacked)[..., 0]
        return restored if restored.ndim else restored.item()

    return EMResult(
        probabilities=_from_stack(run.probabilities, lead, stacked),
        n=restore(run.n),
        n_iter=restore(run.n_iter),
        converged=restore(run.converged),
        log_likelihood=restore(run.log_likelihood),
        history=None if run.history is None else _from_stack(run.history, lead, stacked),
    )


def _limit(stop: str | None, tol: float | None, m: int) -> float:
    if tol is not None:
        tol = check_number(tol, "tol", low=0, inclusive="neither")
    if stop == "chi2":
        return (0.01 if tol is None else tol) * float(chdtri(m - 1, 0.05))
    if stop == "tol":
        return 1e-6 if tol is None else tol
    return 0.0  # no change is below it


def _to_stack(array: Array, stacked: bool) -> Array:
    """Turn (..., k) into (1, B, k), or (..., d, k) into (d, B, k)."""
    k = array.shape[-1]
    if not stacked:
        return array.reshape(1, -1, k)
    return np.moveaxis(array, -2, 0).reshape(array.shape[-2], -1, k)


def _from_stack(array: NDArray[Any], lead: tuple[int, ...], stacked: bool) -> NDArray[Any]:
    """Undo :func:`_to_stack` for (*extra, d, B, k)."""
    extra, k = array.shape[:-3], array.shape[-1]
    if not stacked:
        return array.reshape(*extra, *lead, k)
    return np.moveaxis(array.reshape(*extra, lead[-1], *lead[:-1], k), len(extra), -2)
