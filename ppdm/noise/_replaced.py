"""The channel of uniform noise of which a share is replaced by pure noise."""

from __future__ import annotations

import numpy as np

from ppdm.noise._distributions import NOISES
from ppdm.noise._intervals import IntervalChannel
from ppdm.typing import FloatArray


class ReplacedChannel(IntervalChannel):
    """Uniform noise with a share of pure noise between intervals, as ``SquareWave.on`` gives it.

    The reports are brought back to the attribute's scale (:class:`Piecewise` stretches them)
    and counted in cells of the intervals' width, over the whole range of the reports.

    Parameters
    ----------
    edges : ndarray of shape (m + 1,) or (d, m + 1)
        Edges of the intervals; they cover the domain.
    domain : ndarray of shape (2,) or (d, 2)
        The lowest and highest true value.
    half_width : float > 0
        Of the noise, in units of the domain's width.
    replaced : float in (0, 1)
        The share of reports that is drawn from the whole range.
    stretch : float >= 1
        What reports were multiplied by, about the middle of the domain.
    whole : bool, default=False
        Whether an interval stands for the whole number in its middle.

    Attributes
    ----------
    edges, whole
        As given.
    cells : ndarray of shape (S + 1,) or (d, S + 1)
        Edges of the cells, in units of the attribute.
    n_features_in_ : int
        How many attributes the channel is bound to: d, or 1.
    """

    def __init__(
        self,
        edges: FloatArray,
        domain: FloatArray,
        half_width: float,
        replaced: float,
        stretch: float = 1.0,
        *,
        whole: bool = False,
    ) -> None:
        low, high = domain[..., 0], domain[..., 1]
        _check_edges(edges, low, high)
        scale = half_width * (high - low)
        super().__init__(NOISES["uniform"], scale, edges, whole=whole)
        self._domain, self._replaced, self._stretch = domain, replaced, stretch

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[disguised cell | true interval], with the value spread evenly over its interval.

        Of an interval that reaches beyond the domain only the part inside holds values.

        Parameters
        ----------
        feature : int, default=0
            Which of the attributes that the channel is bound to.

        Returns
        -------
        ndarray of shape (S, m)
            Each column sums to one.
        """
        near = super().channel_matrix(feature)
        low, high = self._range(feature)
        cells = np.atleast_2d(self.cells)[feature].clip(low, high)
        cells[[0, -1]] = low, high
        anywhere = np.diff(cells) / (high - low)
        return np.asarray((1 - self._replaced) * near + self._replaced * anywhere[:, None])

    def midpoint_likelihood(self, feature: int = 0) -> FloatArray:
        """Density of a report between the middles of cell and interval, (S, m).

        As :meth:`IntervalChannel.midpoint_likelihood`: a likelihood and not a channel.
        """
        near = super().midpoint_likelihood(feature)
        low, high = self._range(feature)
        return np.asarray((1 - self._replaced) * near + self._replaced / (high - low))

    def _of(self, feature: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scale, edges and cells of one attribute, the intervals cut to the domain."""
        scale, edges, cells = super()._of(feature)
        if self.whole:
            return scale, edges, cells
        low, high = np.atleast_2d(self._domain)[feature]
        return scale, edges.clip(low, high), cells

    def _range(self, feature: int) -> tuple[float, float]:
        """Return the least and the largest report of one attribute, brought back to scale."""
        low, high = np.atleast_2d(self._domain)[feature]
        scale = np.atleast_1d(self._scale)[feature]
        return float(low - scale), float(high + scale)

    def _back(self, table: FloatArray) -> FloatArray:
        """Return reports (n, d) brought back to the scale of the attributes."""
        if self._stretch == 1:
            return table
        middle = self._domain.mean(axis=-1)
        return np.asarray(middle + (table - middle) / self._stretch)


def _check_edges(edges: FloatArray, low: FloatArray, high: FloatArray) -> None:
    slack = 1e-9 * (high - low)
    first, last = edges[..., :2].mean(axis=-1), edges[..., -2:].mean(axis=-1)
    inside = (first >= low - slack) & (last <= high + slack)
    covered = (edges[..., 0] <= low + slack) & (edges[..., -1] >= high - slack)
    wrong = np.atleast_1d(~(inside & covered))
    if wrong.any():
        j = int(np.argmax(wrong))
        row, least, largest = np.atleast_2d(edges)[j], np.atleast_1d(low)[j], np.atleast_1d(high)[j]
        raise ValueError(
            f"edges must cover the domain, from {least:g} to {largest:g}, with the middles of all "
            f"intervals inside it, got {row[0]:g}, {row[1]:g} to {row[-2]:g}, {row[-1]:g}"
        )
