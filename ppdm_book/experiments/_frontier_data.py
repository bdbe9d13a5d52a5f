"""The six data sets of the comparison, as codes, and the one learner that all schemes share.

The class is public. Folds are i mod 5, of a record's place i. Where rows come grouped or were
drawn, a seed shuffles them first. What a scheme gives the miner are estimated counts of each
class and value; all are made probabilities by one rule, and then it is naive Bayes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ppdm.datasets import (
    AGRAWAL_DOMAIN,
    load_adult_binary,
    load_breast_cancer_wisconsin,
    load_pima,
    load_voting,
    make_agrawal,
)
from ppdm.reconstruction import project
from ppdm.typing import Codes, FloatArray, IntArray

FOLDS = 5
#: Records of function 2 (AS00's generator), the same for every seed.
N_F2 = 5_000
#: Public bounds of Pima's attributes: those of the file, which anybody can look up.
PIMA_DOMAIN = np.array(
    [[0, 17], [0, 199], [0, 122], [0, 99], [0, 846], [0, 67.1], [0.078, 2.42], [21, 81]]
)


@dataclass(frozen=True, eq=False)
class Data:
    """Records as codes 0, ..., k - 1 with their classes; values and edges where there are some."""

    X: Codes
    y: IntArray
    k: int
    values: Any = None
    edges: Any = None

    def take(self, rows: IntArray) -> Data:
        """Return these records."""
        values = None if self.values is None else self.values[rows]
        return Data(self.X[rows], self.y[rows], self.k, values, self.edges)


class Counts(NamedTuple):
    """What a miner knows: records of each class, and of each attribute, class and value."""

    classes: FloatArray
    pairs: FloatArray


#: From the rows to learn from to what the miner knows then.
Miner = Callable[[IntArray], Counts]


def _bits(X: Codes, y: IntArray) -> Data:
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


def count(codes: Codes, y: IntArray, n_values: int) -> FloatArray:
    """Count the records of each attribute, class and value, (d, 2, n_values)."""
    counts = [[np.bincount(c[y == k], minlength=n_values) for k in (0, 1)] for c in codes.T]
    return np.array(counts, dtype=np.float64)


def sizes_of(y: IntArray) -> FloatArray:
    """Return how many records each class has."""
    return np.bincount(y, minlength=2).astype(np.float64)


def classify(counts: Counts, X: Codes, *, added: float = 1.0) -> IntArray:
    """Return naive Bayes' class of each record, by the one rule of smoothing.

    Counts become the nearest table that has none below zero and adds up to the class's size
    (of two values: the estimate is cut to [0, 1]); then each value gets one record more
    (Laplace with the class size), or as many as are ``added``.
    """
    sizes = counts.classes[:, np.newaxis]
    legal = project(counts.pairs, method="simplex", total=np.maximum(counts.classes, 1e-9))
    smoothed = np.log((legal + added) / (sizes + added * legal.shape[2]))
    with np.errstate(divide="ignore"):  # a release may lack a class
        scores = np.tile(np.log(counts.classes), (len(X), 1))
    for table, column in zip(smoothed, X.T, strict=True):
        scores += table[:, column].T
    found: IntArray = scores.argmax(axis=1)
    return found


def over_folds(y: IntArray, found: Callable[[IntArray, IntArray], Any]) -> float:
    """Return the accuracy of ``found(train, test)``, the classes of each fold in turn."""
    fold = np.arange(len(y)) % FOLDS
    hits = 0
    for number in range(FOLDS):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        hits += int((found(train, test) == y[test]).sum())
    return hits / len(y)


def accuracy(data: Data, miner: Miner, *, added: float = 1.0) -> float:
    """Return the accuracy on clear records of each fold, learnt from the other four."""
    return over_folds(
        data.y, lambda train, test: classify(miner(train), data.X[test], added=added)
    )
