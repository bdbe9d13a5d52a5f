"""Noise on numbers as a channel of public intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.channel import Channel
from ppdm.typing import FloatArray, IntArray

#: Parts that an interval is cut into: finer ones tell nothing more.
_FINER = 8


class NoiseOnIntervals(Channel, BaseEstimator):
    """Noise on numbers, as a channel from their public intervals to what is released.

    What is released is a cell of noisy numbers, an eighth of an interval wide. It takes numbers;
    the miner's shares, and the classifier's records, are of intervals.

    Parameters
    ----------
    noise : AdditiveNoise or SquareWave
    edges : array-like of shape (n_attributes, m + 1)
        Public edges of the intervals.

    Attributes
    ----------
    n_features_in_ : int

    Examples
    --------
    >>> from ppdm.noise import AdditiveNoise
    >>> noise = NoiseOnIntervals(AdditiveNoise("uniform", scale=0.5), [[0, 1, 2]])
    >>> noise.fit([[0.1], [1.7]]).channel_matrix().shape
    (24, 2)
    >>> noise.intervals([[0.1], [1.0]]).tolist()
    [[0], [1]]
    """

    def __init__(self, noise: Any, edges: ArrayLike) -> None:
        self.noise = noise
        self.edges = edges

    def fit(self, X: ArrayLike, y: object = None) -> NoiseOnIntervals:
        """Fit the noise to numbers (n, n_attributes), and bind it to the intervals.

        Raises
        ------
        ValueError, TypeError
            If edges are out of order, not those of each attribute, or as the noise says.
        """
        check.having(self.noise, "noise", "on", "fit", "transform")
        edges, _ = self._of_each(X)
        parts = np.linspace(edges[:, :-1], edges[:, 1:], _FINER, axis=2, endpoint=False)
        fine = np.column_stack([parts.reshape(len(edges), -1), edges[:, -1]])
        self.channel_ = clone(self.noise).fit(X).on(fine)
        self.noise_ = clone(self.noise).fit(X)
        self.n_features_in_: int = len(edges)
        return self

    def transform(self, X: ArrayLike) -> IntArray:
        """Disguise numbers (n, n_attributes); the cell of each comes out."""
        return np.asarray(self.channel_.codes(self.noise_.transform(X)))

    def intervals(self, X: ArrayLike) -> IntArray:
        """Return in which interval each number lies, (n, n_attributes)."""
        edges, values = self._of_each(X)
        return cut(values, edges)

    def _of_each(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the edges, and the numbers of as many attributes."""
        edges, values = check.edges(self.edges, "edges", ndim=2), check.numbers(X, "X", ndim=2)
        check.of_shape(values, (None, len(edges)), f"X must have {len(edges)} columns as edges has")
        return edges, values

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released cell | interval], a number being spread evenly over its interval."""
        matrix = self.channel_.channel_matrix(feature)
        return np.asarray(matrix.reshape(len(matrix), -1, _FINER).mean(axis=2))


def cut(values: FloatArray, edges: FloatArray) -> IntArray:
    """Return the interval of each number; what is beyond the outer edges is in an outer one."""
    each = zip(values.T, edges[:, 1:-1], strict=True)
    return np.column_stack([np.searchsorted(inner, column, side="right") for column, inner in each])
