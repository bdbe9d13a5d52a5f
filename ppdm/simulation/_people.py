"""Clear records, given or drawn; noise on their numbers; how each scheme sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.channel import Channel, Scheme
from ppdm.typing import AnyArray, Codes, FloatArray, IntArray

#: Parts that an interval is cut into: finer ones tell nothing more.
_FINER = 8


class NoiseOnIntervals(Scheme, Channel, BaseEstimator):
    """Noise on numbers, as a channel from their public intervals to what is released.

    What is released is a cell of noisy numbers, an eighth of an interval wide. It takes numbers;
    the miner's shares, and the classifier's records, are of intervals.
    """

    def __init__(self, noise: Any, edges: FloatArray) -> None:
        self.noise = noise
        self.edges = edges

    def fit(self, X: ArrayLike, y: object = None) -> NoiseOnIntervals:
        """Fit the noise to numbers (n, n_attributes), and bind it to the intervals."""
        low, high = self.edges[:, :-1], self.edges[:, 1:]
        parts = np.linspace(low, high, _FINER, axis=2, endpoint=False).reshape(len(low), -1)
        self.noise_: Any = clone(self.noise).fit(X)
        self.channel_: Any = self.noise_.on(np.column_stack([parts, high[:, -1]]))
        self.n_features_in_: int = len(low)
        return self

    def transform(self, X: ArrayLike) -> IntArray:
        """Disguise numbers (n, n_attributes); the cell of each comes out."""
        return np.asarray(self.channel_.codes(self.noise_.transform(X)))

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released cell | interval], a number being spread evenly over its interval."""
        matrix = self.channel_.channel_matrix(feature)
        return np.asarray(matrix.reshape(len(matrix), -1, _FINER).mean(axis=2))


    def true_codes(self, column: ArrayLike, feature: int = 0) -> IntArray:
        """Return the interval of each clear number of an attribute."""
        return _cut(np.reshape(column, (-1, 1)), self.edges[feature : feature + 1])[:, 0]

    def record_epsilon(self) -> float:
        """Return what the noise spends on a record of numbers, and not of their intervals."""
        return float(self.noise_.record_epsilon())


def _cut(values: FloatArray, edges: FloatArray) -> IntArray:
    """Return the interval of each number; what is beyond the outer edges is in an outer one."""
    each = zip(values.T, edges[:, 1:-1], strict=True)
    return np.column_stack([np.searchsorted(inner, column, side="right") for column, inner in each])


@dataclass(frozen=True, eq=False, kw_only=True)
class People:
    """Clear records and their classes; or how many people are drawn, and from which shares."""

    n: int
    X: Any = None
    y: Any = None
    shares: list[FloatArray] | None = None
    edges: FloatArray | None = None
    #: Values of each attribute, where the records are bits or codes, or intervals are public.
    sizes: list[int] | None = None

    @classmethod
    def read(cls, X: Any, y: Any, shares: Any, edges: Any) -> People:
        """Check records, or what they are drawn from."""
        if check.is_integer(X):
            check.goes_with(y, "y", "a table X")
            check.goes_with(edges, "edges", "a table X")
            stated = check.sequence(shares, "shares", "distributions, of X people who are drawn")
            check.demand(stated, "shares must hold a distribution for each attribute", shares)
            known = [check.probabilities(one, "shares", np.size(one)) for one in stated]
            n = check.given("simulate_schemes.X", X)
            return cls(n=n, shares=known, sizes=[one.size for one in known])
        check.goes_with(shares, "shares", "a number of people, X")
        table = X if check.is_frame(X) else check.plain(X, "X")
        check.of_shape(np.asarray(table), (None, None), "X must be a table, (n, n_attributes)")
        n = len(table)
        check.demand(n > 1, "X must hold two records or more", n)
        if y is not None:
            names, label = check.classes(y, n)
            check.demand(len(names) > 1, "y must have two classes or more", names.tolist())
            y = names[label]
        if edges is None:
            return cls(n=n, X=table, y=y, sizes=_sizes(np.asarray(table)))
        cuts = check.edges(edges, "edges", ndim=2)
        d = check.numbers(table, "X", ndim=2).shape[1]
        check.of_shape(cuts, (d, None), f"edges must be those of the {d} attribute(s) of X")
        return cls(n=n, X=table, y=y, edges=cuts, sizes=[cuts.shape[1] - 1] * d)

    def drawn(self, rng: np.random.Generator) -> People:
        """Return these people, or as many new ones."""
        if self.shares is None:
            return self
        columns = [rng.choice(share.size, self.n, p=share) for share in self.shares]
        return replace(self, X=np.column_stack(columns))

    def codes(self) -> Codes | None:
        """Return the records as codes, or as intervals; None where they are other numbers."""
        table = np.asarray(self.X)
        if self.edges is not None:
            return _cut(table.astype(np.float64), self.edges)
        if self.sizes is not None:
            return table.astype(np.intp)
        if is_numeric(table):
            return None
        return np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])

    def seen(self, scheme: Any) -> tuple[Any, Any]:
        """Return the records as a scheme takes them, and as codes of its own, if it has any."""
        categories = check.known_categories(scheme)
        if categories is not None:
            return self.X, check.to_codes(check.plain(self.X, "X"), categories)
        of_numbers = isinstance(scheme, NoiseOnIntervals) or not isinstance(scheme, Channel)
        codes = None if self.sizes is None else self.codes()
        return (self.X if self.edges is None or of_numbers else codes), codes


def take(table: Any, rows: Any) -> Any:
    """Return some rows of an array or a frame."""
    return table.iloc[rows] if check.is_frame(table) else table[rows]


def is_numeric(table: Any) -> bool:
    """Return whether a table holds numbers."""
    return np.asarray(table).dtype.kind in "biuf"


def _sizes(table: AnyArray) -> list[int] | None:
    """Return how many values each attribute has, two at least; None where none are codes."""
    if not is_numeric(table):
        return None
    whole = check.numbers(table, "X", ndim=2)
    if (whole < 0).any() or (np.floor(whole) != whole).any() or whole.max() >= check.MOST_VALUES:
        return None
    sizes: list[int] = np.maximum(whole.max(axis=0).astype(np.intp) + 1, 2).tolist()
    return sizes
