"""Additive noise as a channel between the intervals of one attribute."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._coding import count_pairs, locate
from ppdm._estimators import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from ppdm.channel import Channel, Scheme
from ppdm.exceptions import PPDMWarning, warn, warn_unexplained
from ppdm.noise._laws import StandardNoise
from ppdm.typing import AnyArray, ArrayLike, Changes, FloatArray, IntArray, Undoing

_MAX_ADDED = 100_000  # cells at either end
_TOLERANCE = 1e-9  # of a cell: so little below an edge a value counts as on it
_FINEST = 10  # cells that the interval of a whole number is cut into, at most
_POINT = 1e-4  # half the width of the interval that stands for a whole number, in intervals


class NumberScheme(Scheme, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """What hides numbers, each attribute by itself, in a public or a learnt domain."""

    n_features_in_: int
    domain: ArrayLike | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = self.domain is None and getattr(self, "scale", None) is None
        tags.non_deterministic = hasattr(self, "random_state")
        return tags


class BoundNoise(Channel):
    """A noise, or value classes, between public ``edges`` of an attribute and its ``cells``."""

    noise: Any
    edges: FloatArray
    cells: FloatArray
    n_features_in_: int

    def __init__(self, noise: Any, feature: int, edges: FloatArray) -> None:
        self.noise, self.edges, self.n_features_in_ = noise, edges, 1
        if (m := edges.size - 1) > 4_000:
            memory = 2 * (m / 4_000) ** 2
            warn(f"edges bound {m:,} intervals: their channel takes {memory:.1f} GB", PPDMWarning)
        names = getattr(noise, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_: AnyArray = names[feature : feature + 1]

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Return it as it is, X (n, 1) being numbers: the noise and its edges are known."""
        check.numbers(X, "X", ndim=2)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Disguise numbers (n, 1) by the noise that was bound."""
        noise = copy(self.noise)
        if hasattr(self, "random_state"):
            noise.random_state = self.random_state
        return np.asarray(noise.transform(X))

    def true_codes(self, column: ArrayLike, feature: int = 0) -> IntArray:
        """Return the interval of each clear number, (n,); see ``Channel``."""
        return locate(check.numbers(column, "X").ravel(), self.edges).astype(np.intp)

    def n_released(self, feature: int = 0) -> int:
        """Return the number of cells, or classes."""
        return self.cells.size - 1

    def count(
        self, released: ArrayLike, *, labels: ArrayLike | None = None, n_labels: int | None = None
    ) -> IntArray:
        """Count reports (n,) or (n, 1) in the cells, (S,) or (n_labels, S); see ``Channel``.

        Warns
        -----
        UnexplainedValueWarning
            If values lie more than a cell beyond the reach of bounded noise (within a cell it
            may be rounding).
        """
        check.in_step(released=released, labels=labels)
        codes = self.codes_of(check.as_released(self, released, "released")[:, 0])
        group, n_groups = check.labels(labels, n_labels, len(codes))
        tally = count_pairs(codes[:, np.newaxis], group, None, n_groups, self.n_released())[0]
        return np.asarray(tally[0] if labels is None else tally)


class IntervalChannel(BoundNoise):
    """Additive noise between intervals, as :meth:`ppdm.noise.AdditiveNoise.on` gives it.

    A true value is spread evenly over its interval. A disguised value outside the domain
    tells about the values near that end, so it gets a cell of its own; clipping or dropping
    it would bias the reconstruction.

    Parameters
    ----------
    noise : AdditiveNoise or SquareWave
        The noise that was bound.
    feature : int
        Its attribute.
    edges : ndarray of shape (m + 1,)
        Edges of the intervals.
    law : StandardNoise
        The noise at scale one.
    scale : float or ndarray of shape ()
        Its scale.
    cells : array of shape (S + 1,), optional
        Edges of the cells. Where None the intervals' edges, with so many cells of the
        intervals' mean width at either end that they cover the support of uniform noise, or
        five standard deviations of another.
    whole : bool, default=False
        Whether an interval stands for the whole number in its middle. Where the noise is
        narrow only cells finer than the intervals tell one number from the next.

    Attributes
    ----------
    noise, edges, whole
        As given.
    cells : ndarray of shape (S + 1,)
        All edges of the cells, in units of the attribute. The two end cells are open and take
        what lies beyond.
    n_features_in_ : int
        One.

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
        noise: Any,
        feature: int,
        edges: FloatArray,
        law: StandardNoise,
        scale: Any,
        *,
        cells: ArrayLike | None = None,
        whole: bool = False,
    ) -> None:
        super().__init__(noise, feature, edges)
        self.whole: bool = whole
        self._law, self._scale = law, scale
        told = noise.domain is not None or noise.epsilon is not None
        self._domain = check.known_domain(noise)[feature] if told else edges[[0, -1]]
        if cells is None:
            own = _extended(law, scale, _refined(edges, scale) if whole else edges)
        else:
            own = check.edges(cells, "cells", ndim=1)
        self.cells: FloatArray = own

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[disguised cell | true interval], with the value spread evenly over its interval.

        Parameters
        ----------
        feature : int, default=0
            The one attribute.

        Returns
        -------
        ndarray of shape (S, m)
            Each column sums to one.
        """
        check.given("feature", feature, high=0)
        channel = interval_channel(self._law, self._scale, self._spread(), self.cells)
        return channel[:, ::2] if self.whole else channel  # without the gaps between numbers

    def _spread(self) -> FloatArray:
        """Return the edges between which values are spread: of whole numbers, about them."""
        if not self.whole:
            return self.edges
        middle, half = (self.edges[1:] + self.edges[:-1]) / 2, _POINT * np.diff(self.edges)
        return np.stack([middle - half, middle + half], axis=-1).ravel()

    def midpoint_likelihood(self, feature: int = 0) -> FloatArray:
        """Density of the noise between the middles of cell and interval (AS00, section 3).

        The paper's kernel. It is a likelihood and not a channel: its columns, times the
        width of a cell, do not sum to one.

        Parameters
        ----------
        feature : int, default=0
            The one attribute.

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
        check.given("feature", feature, high=0)
        edges, cells = self.edges if self.whole else self._spread(), self.cells
        middles, released = (edges[1:] + edges[:-1]) / 2, (cells[1:] + cells[:-1]) / 2
        apart = (released[:, np.newaxis] - middles) / self._scale
        return np.asarray(self._law.density(apart) / self._scale)

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
        return [float(self._law.epsilon(np.ptp(self._domain) / self._scale))]

    def codes_of(self, block: ArrayLike, feature: int = 0) -> IntArray:
        """Return the cell of each disguised value; see ``Channel``.

        A cell is closed on the left. Where cells are equally wide a value within a billionth
        of a cell of an edge lies above it, whatever the rounding of either. It warns as
        :meth:`count` does of values that bounded noise never releases.
        """
        check.given("feature", feature, high=0)
        values = self._back(check.numbers(block, "released").ravel())
        if self._law.bounded and (n_beyond := self._n_beyond(values)):
            warn_unexplained(n_beyond, "they are counted in the nearest interval")
        return locate(values, self.cells, _TOLERANCE).astype(np.intp)

    def _n_beyond(self, values: FloatArray) -> int:
        """Count the values (n,) beyond the reach of bounded noise, and beyond a cell more.

        In that cell it may be rounding.
        """
        edges, cells, reach = self.edges, self.cells, self._law.reach * self._scale
        width = (cells[-1] - cells[0]) / (cells.size - 1)
        low = np.minimum(cells[0], edges[0] - reach) - width
        high = np.maximum(cells[-1], edges[-1] + reach) + width
        return int(np.count_nonzero((values < low) | (values >= high)))

    def _back(self, values: FloatArray) -> FloatArray:
        """Return disguised values (n,) on the attribute's scale: as they are."""
        return values


def _refined(edges: FloatArray, scale: Any) -> FloatArray:
    """Cut intervals of whole numbers, the finer the narrower their noise is."""
    m = edges.size - 1
    width = (edges[-1] - edges[0]) / m
    finer = int(np.clip(np.ceil(_FINEST / (scale / width)), 1, _FINEST))
    return np.linspace(edges[0], edges[-1], m * finer + 1)


def _extended(noise: StandardNoise, scale: Any, edges: FloatArray) -> FloatArray:
    """Add cells of the mean width at both ends until they cover the noise's reach."""
    width = (edges[-1] - edges[0]) / (edges.size - 1)
    n_added = np.ceil(noise.reach * scale / width - 1e-9)
    rule = f"edges must be so wide that the noise reaches {_MAX_ADDED} intervals at most"
    check.demand(n_added <= _MAX_ADDED, rule, float(n_added))
    steps = width * np.arange(1, n_added + 1)
    return np.concatenate([edges[0] - steps[::-1], edges, edges[-1] + steps])


def interval_channel(
    noise: StandardNoise, scale: Any, edges: FloatArray, cells: FloatArray
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
