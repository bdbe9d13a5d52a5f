"""The noises that value distortion may add, each at scale one, and their interval channel.

The scale of the uniform noise is its half-width, that of the Gaussian its standard
deviation. Both are symmetric about zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Array = NDArray[np.float64]

MAX_ADDED = 100_000  # cells at either end of the disguised grid


@dataclass(frozen=True)
class StandardNoise:
    """A symmetric noise Y of scale one.

    Attributes
    ----------
    sample
        Draws an array of the given shape from a Generator.
    density
        f_Y at each value.
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

    sample: Callable[[np.random.Generator, tuple[int, ...]], Array]
    density: Callable[[Array], Array]
    excess: Callable[[Array], Array]
    half_width: Callable[[float], float]
    reach: float
    bounded: bool


def _uniform_density(y: Array) -> Array:
    # the ends belong to the support: a difference of two midpoints that should be
    # exactly one may come out one rounding error above it
    return np.where(np.abs(y) <= 1 + 1e-9, 0.5, 0.0)


def _uniform_excess(t: Array) -> Array:
    return np.maximum(1 - t, 0) ** 2 / 4


def _gaussian_density(y: Array) -> Array:
    density: Array = np.exp(-0.5 * y**2) / np.sqrt(2 * np.pi)
    return density


def _gaussian_excess(t: Array) -> Array:
    t = np.minimum(t, 38.0)  # beyond, both terms are zero in double precision; inf * 0 is not
    return np.maximum(_gaussian_density(t) - t * ndtr(-t), 0.0)


NOISES: dict[str, StandardNoise] = {
    "gaussian": StandardNoise(
        sample=lambda rng, shape: rng.standard_normal(shape),
        density=_gaussian_density,
        excess=_gaussian_excess,
        half_width=lambda confidence: float(ndtri(0.5 + confidence / 2)),
        reach=5.0,
        bounded=False,
    ),
    "uniform": StandardNoise(
        sample=lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
        density=_uniform_density,
        excess=_uniform_excess,
        half_width=lambda confidence: confidence,
        reach=1.0,
        bounded=True,
    ),
}


def interval_channel(
    noise: StandardNoise, scale: Array, edges: Array, disguised_edges: Array
) -> Array:
    """P[disguised cell | true interval], the true value uniform within its interval.

    Integrated over an interval [l, u] and a cell [a, b], the distribution function of
    the noise gives

        P = (G(b - l) - G(b - u) - G(a - l) + G(a - u)) / (u - l),  G(z) = E[max(z - Y, 0)].

    As G(z) = max(z, 0) + excess(|z|) for a symmetric noise, P is the part of the interval
    that the cell covers plus what the noise spills over the edges. In this form the
    probability of a far cell is a difference of small numbers and keeps its digits.

    ``scale`` is () or (d,), ``edges`` (m + 1,) or (d, m + 1), ``disguised_edges``
    (S + 1,) or (d, S + 1); the result is (S, m) or (d, S, m). The two end cells are open:
    they take all that lies beyond.
    """
    width = edges[..., 1:2] - edges[..., :1]
    uneven = max(np.abs(np.diff(grid) - width).max() for grid in (edges, disguised_edges))
    if uneven > 1e-9 * width.min():
        return _integrated(noise, scale, edges, disguised_edges)
    # With one width only the distance of cell and interval counts: each column is the first
    # one moved on. It is computed on a longer grid, of which the end cells take the rest.
    m, n_cells = edges.shape[-1] - 1, disguised_edges.shape[-1] - 1
    longer = disguised_edges[..., :1] + width * np.arange(1 - m, n_cells + 1)
    column = _integrated(noise, scale, edges[..., :2], longer)[..., 0]
    moved = sliding_window_view(column, n_cells, axis=-1)[..., ::-1, :]
    channel = np.swapaxes(moved, -1, -2).copy()
    channel[..., 0, :] = np.cumsum(column, axis=-1)[..., m - 1 :: -1]
    channel[..., -1, :] = np.cumsum(column[..., ::-1], axis=-1)[..., :m]
    return channel


def _integrated(noise: StandardNoise, scale: Array, edges: Array, disguised_edges: Array) -> Array:
    """Return the channel by the formula above, interval by interval and cell by cell."""
    cells = disguised_edges.copy()
    cells[..., 0], cells[..., -1] = -np.inf, np.inf
    cell, edge = cells[..., :, None], edges[..., None, :]
    unit = np.asarray(scale)[..., None, None]
    channel = np.minimum(cell[..., 1:, :], edge[..., 1:])
    channel -= np.maximum(cell[..., :-1, :], edge[..., :-1])
    np.maximum(channel, 0, out=channel)  # the part that is covered
    excess = unit * noise.excess(np.abs(cell - edge) / unit)
    channel -= np.diff(np.diff(excess, axis=-1), axis=-2)
    channel /= np.diff(edge, axis=-1)
    return np.maximum(channel, 0.0, out=channel)  # rounding may leave -1e-17


def midpoint_likelihood(
    noise: StandardNoise, scale: Array, edges: Array, disguised_edges: Array
) -> Array:
    """Density of the noise between the middles of cell and interval; shapes as above."""
    middles = (edges[..., None, 1:] + edges[..., None, :-1]) / 2
    released = (disguised_edges[..., 1:, None] + disguised_edges[..., :-1, None]) / 2
    unit = np.asarray(scale)[..., None, None]
    return noise.density((released - middles) / unit) / unit


def extended_edges(noise: StandardNoise, scale: Array, edges: Array) -> Array:
    """Add cells of the intervals' mean width at both ends until they cover the noise's reach."""
    width = (edges[..., -1:] - edges[..., :1]) / (edges.shape[-1] - 1)
    n_added = np.ceil(np.max(noise.reach * np.asarray(scale)[..., None] / width) - 1e-9)
    if n_added > MAX_ADDED:
        raise ValueError(
            f"edges make intervals too narrow for the noise: {n_added:g} cells of their width "
            f"would have to be added at either end, {MAX_ADDED} are allowed"
        )
    steps = width * np.arange(1, n_added + 1)
    return np.concatenate(
        [edges[..., :1] - steps[..., ::-1], edges, edges[..., -1:] + steps], axis=-1
    )
