"""The steps of expectation maximisation, for a stack of distributions at once.

d channels with B distributions each: the likelihood is (d, S, m), the counts (d, B, S), the
estimates (d, B, m), and what happens over T steps (T, d, B, ...).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Product = Callable[[Array, Array], object]

_TINY = float(np.finfo(np.float64).tiny)
# steps between two looks at the stop rule: where nothing better is known, at least, at most
_BLOCK, _FEWEST, _LARGEST = 32, 8, 64


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

    probabilities: Array
    n: Any
    n_iter: Any
    converged: Any
    log_likelihood: Array
    history: Array | None


def iterate(
    likelihood: Array,
    counts: Array,
    start: Array,
    *,
    stop: str | None,
    limit: float,
    max_iter: int,
    keep_history: bool,
) -> EMResult:
    """Step every distribution of the stack until its rule is met."""
    _check_possible(start @ np.swapaxes(likelihood, -1, -2), counts)
    # a value that was never released takes no part in a step and adds nothing to the fit
    released = counts.any(axis=(0, 1))
    counts, likelihood = counts[..., released], likelihood[:, released]
    forward = np.ascontiguousarray(np.swapaxes(likelihood, -1, -2))  # from true to released
    n = counts.sum(axis=-1)
    share = counts / np.where(n > 0, n, 1)[..., None]
    active, n_iter, made = n > 0, np.zeros(n.shape, dtype=np.int64), 0
    estimate, history, fits = start, [start[None]], []
    largest = max(1, min(_LARGEST, 2**14 // counts.size))
    size = min(largest, _BLOCK)
    while active.any() and made < max_iter:
        path, mixed = _steps(forward, share, estimate, min(size, max_iter - made))
        fit = np.vecdot(counts, np.log(mixed, out=mixed))
        change = _change(path, n, stop)
        met = change < limit
        stops = len(met) * active  # how many of these steps each distribution makes
        if met.any():
            stops = np.where(met.any(axis=0), met.argmax(axis=0) + 1, stops) * active
            active = active & ~met.any(axis=0)
        length = int(stops.max())
        path, fit = path[: length + 1], fit[:length]
        if stops.min() < length:
            path, fit = _hold(path, stops), _hold(fit, stops)
        estimate = path[-1]
        fits.append(fit)
        if keep_history:
            history.append(path[1:])
        n_iter += stops
        made += len(fit)
        size = min(largest, _steps_left(change, limit))
    last = np.maximum(estimate @ forward, _TINY)[None]
    return EMResult(
        probabilities=estimate,
        n=n,
        n_iter=n_iter,
        converged=~active,
        log_likelihood=np.concatenate([*fits, np.vecdot(counts, np.log(last))]),
        history=np.concatenate(history) if keep_history else None,
    )


def _steps(forward: Array, share: Array, estimate: Array, size: int) -> tuple[Array, Array]:
    """Make ``size`` steps; return the estimates (size + 1, d, B, m) and mixtures (size, d, B, S).

    A mixture is the distribution of the released values that an estimate implies.
    """
    path = np.empty((size + 1, *estimate.shape))
    mixed = np.empty((size, *share.shape))
    path[0] = estimate
    paths, mixtures = path, mixed
    alone = share.shape[:2] == (1, 1)
    if alone:
        paths, mixtures, share = path[:, 0, 0], mixed[:, 0, 0], share[0, 0]
    mix, trace_back = _products(forward, alone)
    ratio = np.empty(share.shape)
    some_empty = not share.all()
    for before, after, mixture in zip(paths[:-1], paths[1:], mixtures, strict=True):
        mix(before, mixture)
        if some_empty:  # only where nothing was counted may nothing be expected
            np.maximum(mixture, _TINY, out=mixture)
        np.divide(share, mixture, ratio)
        trace_back(ratio, after)
        after *= before
    return path, mixed


def _products(forward: Array, alone: bool) -> tuple[Product, Product]:
    """Products with ``forward`` and with its transpose, written into their second argument."""
    if alone:  # one distribution: vectors have the quicker product
        return forward[0].T.dot, forward[0].dot
    backward = np.swapaxes(forward, -1, -2)
    return (
        lambda estimate, out: np.matmul(estimate, forward, out),
        lambda ratio, out: np.matmul(ratio, backward, out),
    )


def _change(path: Array, n: Array, stop: str | None) -> Array:
    """How much each step changed each estimate, by the measure of the stop rule."""
    before, after = path[:-1], path[1:]
    steps = after - before
    if stop == "chi2":
        change: Array = n * np.vecdot(steps, steps / np.maximum(before, _TINY))
    else:
        change = np.abs(steps).sum(axis=-1) / 2
    return change


def _steps_left(change: Array, limit: float) -> int:
    """Guess from the changes in the last steps how many more will be needed.

    Steps beyond the stop are thrown away, and each look at the rule costs as much as a few
    steps. The fall of the changes slows down with time, so a tenth is added.
    """
    before, last = change[[max(len(change) - 2, 0), -1]].max(axis=(1, 2)).tolist()
    if not before > last > limit > 0:
        return _BLOCK
    left = math.log(last / limit) / math.log(before / last)
    return max(_FEWEST, math.ceil(1.1 * left))


def _hold(array: Array, stops: NDArray[np.int64]) -> Array:
    """Let each distribution stand still from where it stopped; array is (T, d, B) or (..., m)."""
    at = np.minimum(np.arange(len(array))[:, None, None], stops)
    return np.take_along_axis(array, at if array.ndim == 3 else at[..., None], axis=0)


def _check_possible(mixed: Array, counts: Array) -> None:
    impossible = (counts > 0) & (mixed <= 0)
    if impossible.any():
        cell = int(np.argwhere(impossible)[0][-1])
        raise ValueError(
            "counts must be zero where channel and start give probability zero, "
            f"got {counts[impossible][0]:g} at released value {cell}"
        )
