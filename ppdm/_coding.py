"""From values to codes: which interval a value lies in, and how often each code occurs.

``edges`` are all m + 1 edges of m intervals, ``cuts`` the m - 1 inner ones. There is one
rule: a value on an edge belongs to the interval above it; what lies beyond the first or the
last edge belongs to the outer interval. A whole number v is the interval [v - 1/2, v + 1/2).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm.typing import AnyArray, ArrayLike, Bits, Categories, Codes, FloatArray, IntArray


def cell_width(scale: FloatArray | float) -> FloatArray:
    """Return the power of two near scale / 1024: what is divided by it loses no digit."""
    return np.ldexp(1.0, np.rint(np.log2(scale)).astype(np.intp) - 10)


def middles(values: FloatArray, width: FloatArray) -> FloatArray:
    """Return the middle of the cell that each value is in."""
    return np.asarray((np.floor(values / width) + 0.5) * width)


#: Whole numbers that span more than this are cut midway between those that occur, like floats.
_WIDE = 1 << 20
#: So many records are counted at a time, for what is used on the way to stay in the cache.
_BLOCK = 1 << 12


def locate(values: AnyArray, edges: FloatArray, tolerance: float = 0.0) -> NDArray[np.int32]:
    """Return the interval of each value (n,) between ``edges`` (m + 1,), shape (n,).

    Where the intervals are about equally wide the place is computed and mended by one,
    which is several times as fast as a search. With a ``tolerance``, in intervals, and
    edges that are even within it, a value so little below an edge counts above it, and
    nothing needs to be mended.
    """
    last = edges.size - 2
    width = (edges[-1] - edges[0]) / (last + 1)
    uneven = np.abs(edges - (edges[0] + width * np.arange(last + 2))).max()
    if last == 0 or uneven >= width / 2:
        return np.searchsorted(edges[1:-1], values, side="right").astype(np.int32)
    with np.errstate(over="ignore"):  # a place beyond all numbers is beyond the last interval
        distance = (values - edges[0]) / width
    distance += tolerance
    place: NDArray[np.int32] = np.clip(distance, 0, last, out=distance).astype(np.int32)
    if tolerance and uneven <= tolerance * width:
        return place
    # off by one at most
    place -= values < edges[place]
    np.clip(place, 0, last, out=place)
    place += values >= edges[place + 1]
    np.clip(place, 0, last, out=place)
    return place


def between(values: AnyArray, low: float, high: float) -> FloatArray:
    """Return edges from low to high with a cut midway between any two distinct values (n,).

    Where no float lies midway, the cut is the larger value.
    """
    distinct = np.unique(values).astype(np.float64)
    middle = distinct[:-1] + np.diff(distinct) / 2
    cuts = np.where(middle > distinct[:-1], middle, distinct[1:])
    return np.concatenate([[low], cuts, [high]])


def count_pairs(
    codes: Codes, label: IntArray, weight: FloatArray | None, n_classes: int, n_values: int
) -> AnyArray:
    """Return the total weight of each class and value, (n_features, n_classes, n_values).

    Without weights these are counts, and integers.
    """
    if n_values == 2 and n_classes < codes.shape[1]:
        return _count_bits(codes, label, weight, n_classes)
    key = label * n_values if n_classes > 1 else label
    counts = [np.bincount(key + column, weight, n_classes * n_values) for column in codes.T]
    return np.array(counts).reshape(-1, n_classes, n_values)


def _count_bits(
    bits: Codes, label: IntArray, weight: FloatArray | None, n_classes: int
) -> AnyArray:
    """Count set bits as a product of matrices, who is of a class times what is set.

    Of 32 columns and two classes it takes a fifth of the time that ``bincount`` takes.
    """
    of_class = np.bincount(label, weight, n_classes)
    of_one = np.zeros((n_classes, bits.shape[1]))
    kind = np.float32 if weight is None else np.float64  # so many ones are exact in either
    for first in range(0, len(bits), _BLOCK):
        rows = slice(first, first + _BLOCK)
        member = (label[rows] == np.arange(n_classes)[:, np.newaxis]).astype(kind)
        member *= 1 if weight is None else weight[rows]
        of_one += member @ bits[rows].astype(kind)
    of_one = of_one.T.astype(of_class.dtype)
    return np.stack([of_class - of_one, of_one], axis=2)


def set_bits(codes: Codes, n_values: Sequence[int]) -> Bits:
    """Write codes (n, d) as bits (n, sum(n_values)): one bit an attribute is set, its value's."""
    bits = np.zeros((len(codes), sum(n_values)), dtype=np.int8)
    first = np.cumsum([0, *n_values[:-1]])
    bits[np.arange(len(codes))[:, np.newaxis], codes + first] = 1
    return bits


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
        True where fractions and whole numbers outside are refused; False where the outer
        intervals have no end.
    labels : list of ndarray or None
        What the intervals of each attribute stand for, where they stand for labels.
    """

    edges: tuple[FloatArray, ...]
    whole: bool = False
    closed: bool = False
    labels: Categories | None = None

    @property
    def n_values(self) -> IntArray:
        """The number of intervals of each attribute."""
        return np.array([e.size - 1 for e in self.edges], dtype=np.intp)

    def encode(self, X: AnyArray) -> NDArray[np.int32]:
        """Return the codes of values (n_samples, n_features), shape (n_features, n_samples)."""
        if self.closed:
            low, high = np.array([edges[[0, -1]] for edges in self.edges]).T
            wrong = np.less(X, low) | np.greater(X, high)
            if X.dtype.kind == "f":
                wrong |= np.rint(X) != X
            ends = f"from {(low + 0.5).tolist()} to {(high - 0.5).tolist()}"
            check.refuse(wrong, X, f"X must hold whole numbers {ends}")
        codes = np.empty(X.shape[::-1], dtype=np.int32)
        for j, edges in enumerate(self.edges):
            codes[j] = locate(np.ascontiguousarray(X[:, j]), edges)
        return codes


def learn_grid(X: AnyArray, n_intervals: int | None, *, closed: bool) -> Grid:
    """Lay a grid over data, by their type.

    Whole numbers (an integer or boolean ``X``) are intervals each; floats are cut into
    ``n_intervals`` of equal width, or midway between the distinct values where that is
    None. Where whole numbers are ``closed``, an unseen one beyond them has no place.
    """
    whole = X.dtype.kind in "biu"
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)]).astype(np.float64)
    with np.errstate(over="ignore"):
        span = bounds[:, 1] - bounds[:, 0]
    too_far = ~np.isfinite(span) | (whole & (np.abs(bounds).max(axis=1) > 2.0**52))
    rule = "X must have a range that double precision can cut into intervals"
    check.refuse_attribute(too_far, bounds, rule)
    if whole and (span <= _WIDE).all():
        steps = (np.arange(low, high + 2) - 0.5 for low, high in bounds)
        return Grid(tuple(steps), whole=True, closed=closed)
    if whole or n_intervals is None:
        edges = (between(column, *ends) for column, ends in zip(X.T, bounds, strict=True))
    else:
        edges = (_equal_width(low, high, n_intervals) for low, high in bounds)
    return Grid(tuple(edges))


def with_labels(grid: Grid, labels: Categories | None) -> Grid:
    """Return the grid with an interval for each label, whether or not it occurs."""
    if labels is None:
        return grid
    edges = [
        own if known is None else np.arange(len(known) + 1, dtype=np.float64) - 0.5
        for own, known in zip(grid.edges, labels, strict=True)
    ]
    return replace(grid, edges=tuple(edges), labels=labels)


def given_grid(edges: Sequence[ArrayLike], n_features: int) -> Grid:
    """Return the grid of the edges that someone gives, of one interval at least each."""
    given = check.sequence(edges, "edges", "arrays (one a feature)", n_features)
    return Grid(tuple(check.edges(e, f"edges[{j}]", ndim=1, least=1) for j, e in enumerate(given)))


def _equal_width(low: float, high: float, n_intervals: int) -> FloatArray:
    """Return n_intervals + 1 edges; fewer where the range has no room for them."""
    edges = np.unique(np.linspace(low, high, n_intervals + 1))
    return edges if edges.size > 1 else np.array([low, high])
