"""Additive noise as a channel between intervals.

Inside the package: :func:`count_released` counts a column by label and checks nothing.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._coding import count_codes, locate
from ppdm.channel import Channel
from ppdm.exceptions import warn_unexplained
from ppdm.noise._laws import StandardNoise
from ppdm.typing import AnyArray, Changes, FloatArray, IntArray, Undoing

_MAX_ADDED = 100_000  # cells at either end
_TOLERANCE = 1e-9  # of a cell: so little below an edge a value counts as on it
_CHUNK = 1 << 16  # values counted at a time: they stay in the cache, which halves the time
_FINEST = 10  # cells that the interval of a whole number is cut into, at most
_POINT = 1e-4  # half the width of the interval that stands for a whole number, in intervals


class BoundNoise(Channel):
    """A noise, or value classes, that were bound to public intervals, ``edges``."""

    edges: FloatArray

    def of(self, noise: Any, feature: int) -> Self:
        """Remember the noise that was bound, and what its attributes are called."""
        self.noise: Any = noise
        names = getattr(noise, "feature_names_in_", None)
        if names is not None:
            here = slice(None) if self.edges.ndim == 2 else slice(feature, feature + 1)
            self.feature_names_in_: AnyArray = names[here]
        return self

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Return it as it is: the noise and its edges are known; X and y are ignored."""
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Disguise numbers (n, n_features) by the noise that was bound."""
        noise = copy(self.noise)
        if hasattr(self, "random_state"):
            noise.random_state = self.random_state
        return np.asarray(noise.transform(X))

    def true_codes(self, column: ArrayLike, feature: int = 0) -> IntArray:
        """Return the interval of each clear number of an attribute, (n,); see ``Channel``."""
        values = check.numbers(column, "X").ravel()
        each = list(np.atleast_2d(self.edges))
        return locate(values, check.of_feature(each, feature, len(each))).astype(np.intp)


class IntervalChannel(BoundNoise):
    """Additive noise between intervals, as :meth:`ppdm.noise.AdditiveNoise.on` gives it.

    A true value is spread evenly over its interval. A disguised value outside the domain
    tells about the values near that end, so it gets a cell of its own; clipping or dropping
    it would bias the reconstruction.

    Parameters
    ----------
    noise : StandardNoise
        The noise at scale one.
    scale : ndarray of shape () or (d,)
        Its scale, of one attribute or of all d.
    edges : ndarray of shape (m + 1,) or (d, m + 1)
        Edges of the intervals.
    cells : array of shape (S + 1,) or (d, S + 1), optional
        Edges of the cells. Where None the intervals' edges, with so many cells of the
        intervals' mean width at either end that they cover the support of uniform noise, or
        five standard deviations of another.
    whole : bool, default=False
        Whether an interval stands for the whole number in its middle. Where the noise is
        narrow only cells finer than the intervals tell one number from the next.

    Attributes
    ----------
    edges, whole
        As given.
    cells : ndarray of shape (S + 1,) or (d, S + 1)
        All edges of the cells; S is the same for all attributes. The two end cells are open
        and take what lies beyond.
    n_features_in_ : int
        How many attributes the channel is bound to: d, or 1.

    Examples
    --------
    >>> from ppdm.noise import AdditiveNoise
    >>> channel = AdditiveNoise("uniform", scale=0.5).on([0, 0.5, 1])
    >>> channel.cells
    array([-0.5,  0. ,  0.5,  1. ,  1.5])
    >>> channel.channel_matrix()
    array([[0.25, 0.  ],
           [0.5 , 0.25],
           [0.25, 0.5 ],
           [0.  , 0.25]])
    >>> channel.count([-0.3, 0.2, 0.6, 0.7])
    array([1, 1, 2, 0])
    """

    undoing: Undoing = "em"

    def __init__(
        self,
        noise: StandardNoise,
        scale: FloatArray,
        edges: FloatArray,
        *,
        cells: ArrayLike | None = None,
        whole: bool = False,
    ) -> None:
        self.edges: FloatArray = edges
        self.whole: bool = whole
        self.n_features_in_: int = len(edges) if edges.ndim == 2 else 1
        self._noise, self._scale = noise, scale
        self._domain = edges[..., [0, -1]]
        if cells is None:
            laid = _refined(edges, scale) if whole else edges
            self.cells: FloatArray = _extended(noise, scale, laid)
            return
        self.cells = check.edges(cells, "cells", ndim=edges.ndim)
        check.of_shape(self.cells, "cells", (*edges.shape[:-1], None), "attributes as edges has")

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[disguised cell | true interval], with the value spread evenly over its interval.

        Parameters
        ----------
        feature : int, default=0
            Which of the attributes that the channel is bound to.

        Returns
        -------
        ndarray of shape (S, m)
            Each column sums to one.
        """
        scale, edges, cells = self._of(feature)
        if not self.whole:
            return interval_channel(self._noise, scale, edges, cells)
        channel = interval_channel(self._noise, scale, self._points(edges, feature), cells)
        return channel[:, ::2]  # the others are the gaps between the whole numbers

    def _points(self, edges: FloatArray, feature: int) -> FloatArray:
        """Return a narrow interval about the middle of each of one attribute's."""
        middle, half = (edges[1:] + edges[:-1]) / 2, _POINT * np.diff(edges)
        return np.stack([middle - half, middle + half], axis=-1).ravel()

    def midpoint_likelihood(self, feature: int = 0) -> FloatArray:
        """Density of the noise between the middles of cell and interval (AS00, section 3).

        The paper's kernel. It is a likelihood and not a channel: its columns, times the
        width of a cell, do not sum to one.

        Parameters
        ----------
        feature : int, default=0
            Which of the attributes that the channel is bound to.

        Returns
        -------
        ndarray of shape (S, m)
            f_Y per unit of the attribute. The ends of uniform noise belong to its support,
            up to one part in a billion.

        Examples
        --------
        >>> from ppdm.noise import AdditiveNoise
        >>> AdditiveNoise("uniform", scale=0.5).on([0, 0.5, 1]).midpoint_likelihood()
        array([[1., 0.],
               [1., 1.],
               [1., 1.],
               [0., 1.]])
        """
        scale, edges, cells = self._of(feature)
        middles, released = (edges[1:] + edges[:-1]) / 2, (cells[1:] + cells[:-1]) / 2
        return self._noise.density((released[:, None] - middles) / scale) / scale

    def of(self, noise: Any, feature: int) -> Self:
        """Remember its domain, too, where it was told one."""
        if noise.domain is not None or noise.epsilon is not None:
            domain = check.known_domain(noise)
            self._domain = domain if self.edges.ndim == 2 else domain[feature]
        return super().of(noise, feature)

    def set_params(self, *, epsilon: float) -> IntervalChannel:
        """Return the same intervals under noise of another epsilon, in place of its scale."""
        told = {name: None for name in ("scale",) if hasattr(self.noise, name)}
        noise = clone(self.noise).set_params(epsilon=epsilon, **told)
        bound: IntervalChannel = noise.on(self.edges, whole=self.whole)
        return bound

    def part_epsilons(self, changes: Changes) -> list[float]:
        """Return what the noise promises of each number, whatever intervals it is counted in.

        Over all values of the noise's domain, or, where it was told none, from the first edge to
        the last. What the intervals tell of each other is less, since a truth is averaged within
        its own: ``local_epsilon(channel.channel_matrix())``.
        """
        epsilons = self._noise.epsilon(np.ptp(self._domain, axis=-1) / self._scale)
        return [float(epsilon) for epsilon in np.atleast_1d(epsilons)]

    def n_released(self, feature: int = 0) -> int:
        """Return the number of cells."""
        return int(self.cells.shape[-1]) - 1

    def codes_of(self, block: ArrayLike, feature: int = 0) -> IntArray:
        """Return the cell of each disguised value of one attribute; see :meth:`codes`.

        It warns as :meth:`count` does of values that bounded noise never releases.
        """
        values = self._back(check.numbers(block, "released").reshape(-1, 1), feature)
        if n_beyond := self._n_beyond(values, feature):
            warn_unexplained(n_beyond, "they are counted in the nearest interval", 3)
        return locate(values[:, 0], self._of(feature)[2], _TOLERANCE).astype(np.intp)

    def codes(self, released: ArrayLike) -> IntArray:
        """Return the cell of each disguised value, (n,) or (n, d).

        A cell is closed on the left. Where cells are equally wide a value within a billionth
        of a cell of an edge lies above it, whatever the rounding of either.

        Parameters
        ----------
        released : array of shape (n,), (n, 1) or (n, d)
            Disguised values of one attribute, or of all that the channel is bound to.

        Raises
        ------
        ValueError, TypeError
            If a value is not a finite number, or the shapes do not fit.
        """
        table = self._table(released)
        return self._codes(table).reshape(np.shape(released))

    def count(
        self, released: ArrayLike, *, labels: ArrayLike | None = None, n_labels: int | None = None
    ) -> IntArray:
        """Count disguised values in the cells; counts of chunks add up.

        Parameters
        ----------
        released : array of shape (n,), (n, 1) or (n, d)
            Disguised values of one attribute, or of all that the channel is bound to.
        labels, n_labels
            As in :meth:`ppdm.channel.Channel.count`.

        Returns
        -------
        ndarray of int, shape (S,), (d, S), (n_labels, S) or (n_labels, d, S)

        Raises
        ------
        ValueError, TypeError
            If a value is not a finite number, or the shapes do not fit.

        Warns
        -----
        UnexplainedValueWarning
            If values lie more than a cell beyond the reach of bounded noise (within a cell it
            may be rounding).
        """
        check.in_step(released=released, labels=labels)
        table = self._table(released)
        group, n_groups = check.labels(labels, n_labels, len(table))
        tally = self._tally(table, group, n_groups)
        tally = tally if self.cells.ndim == 2 else tally[:, 0]
        return tally[0] if labels is None else tally

    def _tally(self, table: FloatArray, group: IntArray, n_groups: int) -> IntArray:
        """Count values (n, d), brought back to scale, by label: (n_groups, d, S)."""
        n_cells, n_beyond = self.cells.shape[-1] - 1, 0
        tally = np.zeros((n_groups, self.n_features_in_, n_cells), dtype=np.intp)
        for start in range(0, len(table), _CHUNK):
            rows = slice(start, start + _CHUNK)
            tally += count_codes(self._codes(table[rows]), n_cells, group[rows], n_groups)
            n_beyond += self._n_beyond(table[rows])
        if n_beyond:
            warn_unexplained(n_beyond, "they are counted in the nearest interval", 3)
        return tally

    def _of(self, feature: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scale, edges and cells of one attribute."""
        feature = check.given("feature", feature, high=self.n_features_in_ - 1)
        if self.edges.ndim == 1:
            return self._scale, self.edges, self.cells
        return self._scale[feature, ...], self.edges[feature], self.cells[feature]

    def _n_beyond(self, table: FloatArray, feature: int | None = None) -> int:
        """Count the values (n, d), or of one attribute, beyond the reach of bounded noise.

        A cell beyond is within it, since a value there may be rounding.
        """
        if not self._noise.bounded:
            return 0
        cells, reach = self.cells, self._noise.reach * self._scale
        width = (cells[..., -1] - cells[..., 0]) / (cells.shape[-1] - 1)
        low = np.minimum(cells[..., 0], self.edges[..., 0] - reach) - width
        high = np.maximum(cells[..., -1], self.edges[..., -1] + reach) + width
        if feature is not None and cells.ndim == 2:
            low, high = low[feature], high[feature]
        return int(np.count_nonzero((table < low) | (table >= high)))

    def _table(self, released: ArrayLike) -> FloatArray:
        """Return values (n, d), each a finite number."""
        chosen = check.chosen(self, released, "released")
        values = check.numbers(chosen, "released", ndim=(1, 2))
        table = values[:, None] if values.ndim == 1 else values
        check.of_shape(table, "released", (None, self.n_features_in_), "attributes as edges has")
        return self._back(table)

    def _back(self, table: FloatArray, feature: int | None = None) -> FloatArray:
        """Return disguised values (n, d), or of one attribute, on the attributes' scale: as is."""
        return table

    def _codes(self, table: FloatArray) -> IntArray:
        columns = zip(table.T, np.atleast_2d(self.cells), strict=True)
        return np.stack([locate(values, cells, _TOLERANCE) for values, cells in columns], axis=1)


def count_released(
    channel: Any, values: FloatArray, labels: IntArray, n_labels: int
) -> IntArray:
    """Count what one attribute's channel released (n,), by label: (n_labels, S).

    Nothing is checked, but by a channel that is not of this package's noises: its own ``count``
    is asked, where there is anything to count.
    """
    if isinstance(channel, IntervalChannel):
        return channel._tally(channel._back(values[:, np.newaxis]), labels, n_labels)[:, 0]
    if not values.size:
        return np.zeros((n_labels, len(channel.channel_matrix())), dtype=np.intp)
    return np.asarray(channel.count(values, labels=labels, n_labels=n_labels))


def _refined(edges: FloatArray, scale: FloatArray) -> FloatArray:
    """Cut intervals of whole numbers, the finer the narrower their noise is."""
    m = edges.shape[-1] - 1
    width = (edges[..., -1] - edges[..., 0]) / m
    finer = int(np.clip(np.ceil(_FINEST / np.min(scale / width)), 1, _FINEST))
    return np.linspace(edges[..., 0], edges[..., -1], m * finer + 1, axis=-1)


def _extended(noise: StandardNoise, scale: FloatArray, edges: FloatArray) -> FloatArray:
    """Add cells of the mean width at both ends until they cover the noise's reach."""
    width = (edges[..., -1:] - edges[..., :1]) / (edges.shape[-1] - 1)
    n_added = np.ceil(np.max(noise.reach * scale[..., None] / width) - 1e-9)
    rule = f"edges must be so wide that the noise reaches {_MAX_ADDED} intervals at most"
    check.demand(n_added <= _MAX_ADDED, rule, float(n_added))
    steps = width * np.arange(1, n_added + 1)
    return np.concatenate(
        [edges[..., :1] - steps[..., ::-1], edges, edges[..., -1:] + steps], axis=-1
    )


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
    cell = np.concatenate([[-np.inf], cells[1:-1], [np.inf]])[:, None]
    channel = np.minimum(cell[1:], edges[1:]) - np.maximum(cell[:-1], edges[:-1])
    np.maximum(channel, 0, out=channel)  # the part that is covered
    excess = scale * noise.excess(np.abs(cell - edges) / scale)
    channel -= np.diff(np.diff(excess, axis=1), axis=0)
    channel /= np.diff(edges)
    return np.asarray(np.maximum(channel, 0.0))  # rounding may leave -1e-17
