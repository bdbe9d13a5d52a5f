"""Intervals, disguised cells and channels of the attributes of a record.

Lengths are counted in intervals of the attribute, from its lowest edge. In these units
attributes whose noise is as wide have the same channel, and are reconstructed together.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppdm.exceptions import UnexplainedValueWarning
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import bin_disguised, em

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

#: An interval is cut into at most this many disguised cells.
_FINEST = 10
#: Half the width of the interval that stands for a whole number, in intervals.
_POINT = 1e-4


@dataclass(frozen=True)
class Stop:
    """When the iteration stops, see :func:`ppdm.reconstruction.em`."""

    rule: str | None
    tol: float | None
    max_iter: int


@dataclass(frozen=True, eq=False)
class Block:
    """Attributes that share one channel.

    Attributes
    ----------
    features : ndarray of int, shape (k,)
        The attributes' columns.
    low, width : ndarray of float, shape (k,)
        Each attribute's lowest edge and the width of its intervals.
    n_values : int
        How many intervals there are, m.
    noise : AdditiveNoise
        The noise in intervals.
    grid : ndarray of float
        What the disguised cells extend: the intervals' edges, or finer ones.
    channel : ndarray of float, shape (S, m)
        P[disguised cell | true interval].
    """

    features: IntArray
    low: FloatArray
    width: FloatArray
    n_values: int
    noise: AdditiveNoise
    grid: FloatArray
    channel: FloatArray

    def count(self, X: FloatArray, groups: NDArray[np.integer], n_groups: int) -> IntArray:
        """Count disguised records in the cells, (n_groups, k, S), those nothing explains too."""
        scaled = (X[:, self.features] - self.low) / self.width
        grids = np.tile(self.grid, (len(self.features), 1))
        return bin_disguised(scaled, self.noise, grids, groups=groups, n_groups=n_groups)

    def reconstruct(
        self, counts: NDArray[np.integer], stop: Stop
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Estimate distributions over the intervals, (..., m), from counts (..., S); the steps."""
        channel, tally = _explained(self.channel, counts)
        result = em(
            channel,
            tally,
            stop=stop.rule,
            tol=stop.tol,
            max_iter=stop.max_iter,
            keep_history=False,
        )
        return result.probabilities, result.n_iter


def make_blocks(
    noise: AdditiveNoise,
    scale: FloatArray,
    edges: list[FloatArray],
    integer: BoolArray,
) -> list[Block]:
    """Put the attributes whose channel is the same into one block.

    Parameters
    ----------
    noise : AdditiveNoise
        Says which distribution.
    scale : ndarray of float, shape (n_features,)
        The scale of each attribute's noise, in its units.
    edges : list of ndarray
        Edges of each attribute's intervals, equally wide.
    integer : ndarray of bool, shape (n_features,)
        Whether an interval stands for the whole number in its middle.

    Returns
    -------
    list of Block
    """
    low = np.array([e[0] for e in edges])
    n_values = np.array([len(e) - 1 for e in edges])
    width = np.array([e[-1] for e in edges]) - low
    width /= n_values
    ratio = scale / width
    keys = [f"{m} {r:.9e} {w}" for m, r, w in zip(n_values, ratio, integer, strict=True)]
    blocks = []
    for key in dict.fromkeys(keys):
        features = np.flatnonzero(np.array(keys) == key)
        first = features[0]
        unit = AdditiveNoise(noise.distribution, scale=float(ratio[first]))
        m = int(n_values[first])
        grid, channel = _channel(unit, m, float(ratio[first]), bool(integer[first]))
        blocks.append(Block(features, low[features], width[features], m, unit, grid, channel))
    return blocks


def _channel(
    noise: AdditiveNoise, m: int, ratio: float, whole: bool
) -> tuple[FloatArray, FloatArray]:
    """Return what the cells extend and the channel, in intervals.

    A value spread over its interval is seen in cells as wide as the intervals. A whole
    number lies in the middle of its interval, and where the noise is narrow only finer
    cells tell it from its neighbours.
    """
    edges = np.arange(m + 1.0)
    if not whole:
        return edges, noise.channel_matrix(edges)
    finer = int(np.clip(np.ceil(_FINEST / ratio), 1, _FINEST))
    grid = np.linspace(0.0, m, m * finer + 1)
    points = (np.arange(m)[:, None] + [0.5 - _POINT, 0.5 + _POINT]).ravel()
    channel = noise.channel_matrix(points, noise.disguised_edges(grid))
    return grid, channel[:, ::2]  # the others are the gaps between the whole numbers


def _explained(
    channel: FloatArray, counts: NDArray[np.integer]
) -> tuple[FloatArray, NDArray[np.integer]]:
    """Move what lies in cells that no true value reaches to the nearest cell that one does."""
    reached = channel.any(axis=1)
    beyond = int(counts[..., ~reached].sum())
    if not beyond:
        return channel[reached], counts[..., reached]
    warnings.warn(
        f"{beyond} disguised value(s) lie where no whole number and its noise can reach; "
        "they are counted in the nearest cell: check integer, and the noise's scale",
        UnexplainedValueWarning,
        stacklevel=2,
    )
    cells, known = np.arange(len(channel)), np.flatnonzero(reached)
    nearest = np.abs(cells[:, None] - known).argmin(axis=1)
    return channel[reached], counts @ (nearest[:, None] == np.arange(len(known)))
