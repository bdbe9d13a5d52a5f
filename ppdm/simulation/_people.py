"""Clear records, given or drawn, and how each scheme sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.channel import Channel
from ppdm.simulation._intervals import NoiseOnIntervals, cut
from ppdm.typing import AnyArray, Codes, FloatArray


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
            return cut(table.astype(np.float64), self.edges)
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
