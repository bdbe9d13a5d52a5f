"""The noises that value distortion may add, each at scale one, their channel, and what they hide.

The scale of the uniform noise is its half-width, that of the Gaussian its standard
deviation, that of the Laplace noise the b of its density exp(-|y| / b) / (2 b). All are
symmetric about zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import ndtr, ndtri

from ppdm import _validation as check
from ppdm.typing import FloatArray, Hiding


@dataclass(frozen=True)
class StandardNoise:
    """A symmetric noise Y of scale one.

    Attributes
    ----------
    sample
        Draws an array of the given shape from a Generator.
    density
        f_Y at each value.
    log_density
        Its logarithm, which stays finite where the density is too small for a number.
    excess
        E[max(Y - t, 0)] for t >= 0: what is left of the noise beyond t. It is all that
        the interval channel needs, and small numbers stay exact in it.
    half_width
        z with P(|Y| <= z) equal to the given confidence.
    reach
        How far beyond the domain the disguised values get cells of their own.
    bounded
        Whether no noise is ever larger than ``reach``.
    """

    sample: Callable[[np.random.Generator, tuple[int, ...]], FloatArray]
    density: Callable[[FloatArray], FloatArray]
    log_density: Callable[[FloatArray], FloatArray]
    excess: Callable[[FloatArray], FloatArray]
    half_width: Callable[[float], float]
    reach: float
    bounded: bool

    def __reduce__(self) -> tuple[Callable[[str], StandardNoise], tuple[str]]:
        """Go to another process by name: what arrives is the same object as there."""
        return _named, (next(name for name, noise in NOISES.items() if noise is self),)


def _uniform_density(y: FloatArray) -> FloatArray:
    # the ends belong to the support: a difference of two midpoints that should be
    # exactly one may come out one rounding error above it
    return np.where(np.abs(y) <= 1 + 1e-9, 0.5, 0.0)


def _uniform_excess(t: FloatArray) -> FloatArray:
    return np.maximum(1 - t, 0) ** 2 / 4


def _gaussian_density(y: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * y**2) / np.sqrt(2 * np.pi))


def _gaussian_excess(t: FloatArray) -> FloatArray:
    t = np.minimum(t, 38.0)  # beyond, both terms are zero in double precision; inf * 0 is not
    return np.maximum(_gaussian_density(t) - t * ndtr(-t), 0.0)


NOISES: dict[str, StandardNoise] = {
    "gaussian": StandardNoise(
        sample=lambda rng, shape: rng.standard_normal(shape),
        density=_gaussian_density,
        log_density=lambda y: -0.5 * y**2 - 0.5 * np.log(2 * np.pi),
        excess=_gaussian_excess,
        half_width=lambda confidence: float(ndtri(0.5 + confidence / 2)),
        reach=5.0,
        bounded=False,
    ),
    "laplace": StandardNoise(
        sample=lambda rng, shape: rng.laplace(size=shape),
        density=lambda y: np.exp(-np.abs(y)) / 2,
        log_density=lambda y: -np.abs(y) - np.log(2),
        excess=lambda t: np.exp(-t) / 2,
        half_width=lambda confidence: float(-np.log1p(-confidence)),
        # Five standard deviations, as for the Gaussian. The tail beyond, exp(-7.1) = 0.0008,
        # is larger, but costs nothing: outside the domain an exponential tail tells the
        # same of the true values however far out, so that one open cell says it all.
        reach=5.0 * 2**0.5,
        bounded=False,
    ),
    "uniform": StandardNoise(
        sample=lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
        density=_uniform_density,
        log_density=lambda y: np.where(_uniform_density(y) > 0, -np.log(2), -np.inf),
        excess=_uniform_excess,
        half_width=lambda confidence: confidence,
        reach=1.0,
        bounded=True,
    ),
}


def _named(name: str) -> StandardNoise:
    return NOISES[name]


def interval_channel(
    noise: StandardNoise, scale: FloatArray, edges: FloatArray, cells: FloatArray
) -> FloatArray:
    """P[disguised cell | true interval], the true value uniform within its interval.

    Integrated over an interval [l, u] and a cell [a, b], the distribution function of
    the noise gives

        P = (G(b - l) - G(b - u) - G(a - l) + G(a - u)) / (u - l),  G(z) = E[max(z - Y, 0)].

    As G(z) = max(z, 0) + excess(|z|) for a symmetric noise, P is the part of the interval
    that the cell covers plus what the noise spills over the edges. In this form the
    probability of a far cell is a difference of small numbers and keeps its digits.

    ``edges`` (m + 1,) bound the intervals and ``cells`` (S + 1,) the cells, of which the two
    at the ends are open: they take all that lies beyond. The result is (S, m).
    """
    width = edges[1] - edges[0]
    uneven = max(np.abs(np.diff(grid) - width).max() for grid in (edges, cells))
    if uneven > 1e-9 * width:
        return _integrated(noise, scale, edges, cells)
    # With one width only the distance of cell and interval counts: each column is the first
    # one moved on. It is computed on a longer grid, of which the end cells take the rest.
    # At 100 intervals and Gaussian noise this takes 0.14 ms instead of 1.9.
    m, n_cells = edges.size - 1, cells.size - 1
    longer = cells[0] + width * np.arange(1 - m, n_cells + 1)
    column = _integrated(noise, scale, edges[:2], longer)[:, 0]
    channel = sliding_window_view(column, n_cells)[::-1].T.copy()
    channel[0] = np.cumsum(column)[m - 1 :: -1]
    channel[-1] = np.cumsum(column[::-1])[:m]
    return channel


def _integrated(
    noise: StandardNoise, scale: FloatArray, edges: FloatArray, cells: FloatArray
) -> FloatArray:
    """Return the channel by the formula above, interval by interval and cell by cell."""
    cell = np.concatenate([[-np.inf], cells[1:-1], [np.inf]])[:, None]
    channel = np.minimum(cell[1:], edges[1:]) - np.maximum(cell[:-1], edges[:-1])
    np.maximum(channel, 0, out=channel)  # the part that is covered
    excess = scale * noise.excess(np.abs(cell - edges) / scale)
    channel -= np.diff(np.diff(excess, axis=1), axis=0)
    channel /= np.diff(edges)
    return np.asarray(np.maximum(channel, 0.0))  # rounding may leave -1e-17


def privacy_interval(distribution: Hiding, scale: float, confidence: float = 0.95) -> float:
    """Width of the interval in which the noise alone leaves the true value.

    Table 1 of AS00. Its entry for the Gaussian at 99.9%, 6.8 standard deviations, is a
    slip: the exact width is 6.58, which is what this function gives.

    Parameters
    ----------
    distribution : {"discretization", "uniform", "laplace", "gaussian"}
        How the value is hidden.
    scale : float > 0
        The width of a class, the half-width of the uniform noise, the scale b of the Laplace
        noise or the standard deviation of the Gaussian, in units of the attribute.
    confidence : float in (0, 1)
        c, as a fraction.

    Returns
    -------
    float
        The width in units of the attribute: c W, 2 c alpha, -2 b ln(1 - c), or 2 z sigma
        with z the (1 + c)/2 quantile of the standard normal distribution.

    Raises
    ------
    ValueError
        If ``distribution`` is unknown, ``scale`` is not positive or ``confidence`` is not
        inside (0, 1).

    Examples
    --------
    >>> for c in (0.5, 0.95, 0.999):
    ...     print(*(f"{privacy_interval(d, 1.0, c):.3f}" for d in ("uniform", "gaussian")))
    1.000 1.349
    1.900 3.920
    1.998 6.581
    """
    check.option(distribution, "distribution", ("discretization", *sorted(NOISES, reverse=True)))
    scale = check.number(scale, "scale", low=0, inclusive="neither")
    confidence = check.number(confidence, "confidence", low=0, high=1, inclusive="neither")
    if distribution == "discretization":
        return confidence * scale
    return 2 * NOISES[distribution].half_width(confidence) * scale
