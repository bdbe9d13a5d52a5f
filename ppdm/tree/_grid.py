"""From values to integer codes: where each attribute is cut into intervals.

Interval k of an attribute with edges e_0 < e_1 < ... is [e_k, e_(k+1)). A whole number v is
the interval [v - 1/2, v + 1/2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm import _validation as check
from ppdm._coding import between, locate
from ppdm._types import AnyArray, FloatArray, IntArray

#: Whole numbers that span more than this are cut midway between those that occur, like floats.
_WIDE = 1 << 20


@dataclass(frozen=True, eq=False)
class Grid:
    """The edges of each attribute's intervals.

    Attributes
    ----------
    edges : tuple of ndarray
        One ascending array of K + 1 edges an attribute; a constant one has two equal edges.
    whole : bool
        True where interval k is a whole number, the first edge + 1/2 + k.
    closed : bool
        True where values outside are refused (and fractions, where ``whole``); False where
        the outer intervals have no end.
    """

    edges: tuple[FloatArray, ...]
    whole: bool = False
    closed: bool = False

    @property
    def n_values(self) -> IntArray:
        """The number of intervals of each attribute."""
        return np.array([e.size - 1 for e in self.edges], dtype=np.intp)

    def encode(self, X: AnyArray, features: Iterable[int] | None = None) -> NDArray[np.int32]:
        """Return the codes of values (n_samples, n_features), shape (n_features, n_samples).

        With ``features``, the other rows are left at zero; all values are checked.
        """
        if self.closed:
            self._check(X)
        if self.whole and X.dtype.kind in "iu":
            first = np.array([int(e[0] + 0.5) for e in self.edges])
            last = first + self.n_values - 1
            return np.ascontiguousarray((np.clip(X, first, last) - first).T, dtype=np.int32)
        codes = np.zeros(X.shape[::-1], dtype=np.int32)
        for j in range(len(self.edges)) if features is None else features:
            codes[j] = locate(np.ascontiguousarray(X[:, j]), self.edges[j])
        return codes

    def _check(self, X: AnyArray) -> None:
        low = np.array([e[0] for e in self.edges])
        high = np.array([e[-1] for e in self.edges])
        wrong = np.less(X, low) | np.greater(X, high)
        if self.whole and X.dtype.kind == "f":
            wrong |= np.rint(X) != X
        if wrong.any():
            i, j = (int(k) for k in np.argwhere(wrong)[0])
            inside = f"in [{low[j]:g}, {high[j]:g}]"
            if self.whole:
                inside = f"a whole number from {low[j] + 0.5:.0f} to {high[j] - 0.5:.0f}"
            raise ValueError(
                f"X must be {inside} in feature {j}, got {X[i, j].item()!r} in row {i}"
            )


def learn_grid(
    X: AnyArray, n_intervals: int | None, domain: ArrayLike | None, *, categories: bool
) -> Grid:
    """Lay a grid over data, by their type.

    Whole numbers (an integer or boolean ``X``) are intervals each; floats are cut into
    ``n_intervals`` of equal width, or midway between the distinct values where that is
    None. ``domain`` (n_features, 2) says where the grid begins and ends, None takes the
    range of the data. ``categories`` are closed: an unseen value has no place in them.
    """
    whole = X.dtype.kind in "biu"
    if domain is not None:
        bounds = check.domain(domain, X.shape[1], whole=whole)
    else:
        bounds = np.column_stack([X.min(axis=0), X.max(axis=0)]).astype(np.float64)
    with np.errstate(over="ignore"):
        span = bounds[:, 1] - bounds[:, 0]
    too_far = ~np.isfinite(span) | (whole & (np.abs(bounds).max(axis=1) > 2.0**52))
    if too_far.any():
        j = int(np.argmax(too_far))
        raise ValueError(
            f"X must have a range that double precision can cut into intervals, "
            f"got {bounds[j, 0]:g} to {bounds[j, 1]:g} in feature {j}"
        )
    if whole and (span <= _WIDE).all():
        steps = (np.arange(low, high + 2) - 0.5 for low, high in bounds)
        return Grid(tuple(steps), whole=True, closed=categories or domain is not None)
    if whole or n_intervals is None:
        edges = (between(column, *ends) for column, ends in zip(X.T, bounds, strict=True))
    else:
        edges = (_equal_width(low, high, n_intervals) for low, high in bounds)
    return Grid(tuple(edges), closed=domain is not None)


def given_grid(edges: Sequence[ArrayLike], n_features: int) -> Grid:
    """Return the grid of the edges that someone gives, of one interval at least each."""
    if len(edges) != n_features:
        raise ValueError(
            f"edges must hold one array for each of the {n_features} features, got {len(edges)}"
        )
    return Grid(tuple(check.edges(e, f"edges[{j}]", ndim=1, least=1) for j, e in enumerate(edges)))


def _equal_width(low: float, high: float, n_intervals: int) -> FloatArray:
    """Return n_intervals + 1 edges; fewer where the range has no room for them."""
    edges = np.unique(np.linspace(low, high, n_intervals + 1))
    return edges if edges.size > 1 else np.array([low, high])
