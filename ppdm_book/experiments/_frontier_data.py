"""The six data sets of the comparison, as bits or as intervals of numbers; the class is public."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ppdm.datasets import (
    AGRAWAL_DOMAIN,
    load_adult_binary,
    load_breast_cancer_wisconsin,
    load_pima,
    load_voting,
    make_agrawal,
)
from ppdm.guidance import one_hot
from ppdm.typing import AnyArray, FloatArray, IntArray

#: Records of function 2 (AS00's generator), the same for every seed.
N_F2 = 5_000
#: Public bounds of Pima's attributes: those of the file, which anybody can look up.
PIMA_DOMAIN = np.array(
    [[0, 17], [0, 199], [0, 122], [0, 99], [0, 846], [0, 67.1], [0.078, 2.42], [21, 81]]
)


@dataclass(frozen=True, eq=False)
class Data:
    """Records as codes 0, ..., k - 1 with their classes; values and edges where there are some."""

    X: IntArray
    y: IntArray
    k: int
    values: Any = None
    edges: Any = None

    def take(self, rows: IntArray) -> Data:
        """Return these records."""
        values = None if self.values is None else self.values[rows]
        return Data(self.X[rows], self.y[rows], self.k, values, self.edges)

    @property
    def tuples(self) -> IntArray:
        """The records as bits, one a value."""
        return one_hot(self.X, [self.k] * self.X.shape[1])


def _bits(X: AnyArray, y: IntArray) -> Data:
    return Data(X.astype(np.intp), y, 2)


def _intervals(table: tuple[FloatArray, IntArray], domain: FloatArray) -> Data:
    """Cut each attribute into four public intervals of equal width."""
    values, y = table
    edges = np.linspace(domain[:, 0], domain[:, 1], 5, axis=1)
    inner = zip(values.T, edges[:, 1:-1], strict=True)
    codes = [np.searchsorted(cuts, column, side="right") for column, cuts in inner]
    return Data(np.column_stack(codes), y, 4, values, edges)


LOADERS: dict[str, Callable[[], Data]] = {
    "voting": lambda: _bits(*load_voting(fill="mode", return_X_y=True)),
    "wisconsin": lambda: _bits(*load_breast_cancer_wisconsin(binary=True, return_X_y=True)),
    "adult_midrange": lambda: _bits(*load_adult_binary("all", return_X_y=True)),
    "adult_median": lambda: _bits(*load_adult_binary("all", cut="median", return_X_y=True)),
    "pima": lambda: _intervals(load_pima(return_X_y=True), PIMA_DOMAIN),
    "f2": lambda: _intervals(make_agrawal(N_F2, 2, random_state=0), AGRAWAL_DOMAIN),
}
BITS = ("voting", "wisconsin", "adult_midrange", "adult_median")
VALUES = ("pima", "f2")


@lru_cache(maxsize=6)
def load(dataset: str) -> Data:
    """Return the records in the order of their file."""
    return LOADERS[dataset]()


def shuffled(dataset: str, seed: int) -> Data:
    """Return the records as one seed sees them: Adult's shuffled, the others in file order."""
    data = load(dataset)
    if not dataset.startswith("adult"):
        return data
    return data.take(np.random.default_rng(seed).permutation(len(data.y)))
