"""A private generator: noisy counts of single attributes and of a tree of pairs, and sampling.

What the noise costs is reckoned in zero-concentrated differential privacy. A mechanism is rho-zCDP
if for any two neighbouring tables and every order alpha > 1 the Renyi divergence of its releases
is at most rho alpha. Such rhos add up over releases (Bun and Steinke 2016). Gaussian noise of
standard deviation s on numbers that change by at most D in Euclidean length has rho =
D^2 / (2 s^2); a choice by the exponential mechanism at epsilon has epsilon^2 / 8 (Cesar and Rogers
2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from ppdm import _validation as check
from ppdm._coding import cell_width, middles
from ppdm._estimators import OnCodes
from ppdm._weighted import numbers_of, public_classes
from ppdm.generation._generators import Resampler
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Categories,
    FloatArray,
    GivenCategories,
    IntArray,
    RandomState,
    ReleaseSize,
)


@dataclass(eq=False, repr=False)
class PrivateTreeGenerator(Resampler, OnCodes):
    """Invented records from noisy counts of pairs that form a tree, with an epsilon and a delta.

    Three thirds of the budget: counts of each attribute and of the class, with Gaussian noise;
    which pairs depend on each other most, one choice after the other by the exponential mechanism,
    so that the pairs form a tree; counts of these pairs, with Gaussian noise. Records are then
    drawn from the class along the tree. Only the noisy counts see the data: any number of records
    may be drawn from one ``fit``, and nothing else of the data is kept.

    Parameters
    ----------
    n_values : int or sequence of int, default=None
        The number of values of each attribute, coded 0, 1, ...; one number for all. None is as
        many as there are categories, and 2 where all attributes hold codes.
    epsilon : float > 0, default=1.0
    delta : float in (0, 1), default=1e-5
        What ``fit`` promises each record, where neighbouring tables differ in one record's
        values or class. The number of records is public, and so is the set of classes.
    n_samples : "same" or int, default="same"
        How many records to release; "same" is as many as there were.
    random_state : None, int or numpy.random.Generator, default=None
        An integer gives the same noise at every fit and the same release at every sample: for
        tests. Whoever knows it can take the noise away.
    categories : list of array-like or None, default=None
        The public labels of each attribute, in the order of their codes; None for an attribute
        that holds codes. Without them a pandas Categorical's own are taken. They are never
        learnt from the values of records: which of them occur is for the noise to hide.
    classes : array-like of shape (n_classes,), default=None
        The public set of classes, of which some may not occur. None takes the categories where
        ``y`` is a pandas Categorical, and else the classes in ``y``: these are then public, and
        epsilon does not count that a release shows them, a class of one person, too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The public classes, in order.
    categories_ : list of ndarray or None
        The labels of each attribute; None where all hold codes.
    rho_ : float
        The whole budget in zero-concentrated differential privacy.
    scales_ : tuple of two floats
        Standard deviations of the noise on counts of one attribute and on those of pairs.
    pairs_ : list of (int, int)
        The tree's edges, from the class outwards: parent attribute, attribute; -1 is the
        class.
    class_shares_ : ndarray of shape (n_classes,)
        Share of every class in the last release.
    box_ : ndarray of shape (n_features, 2)
        Smallest and largest code: from ``n_values`` or the categories, not from the data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``X`` has column names.

    Raises
    ------
    ValueError, TypeError
        If epsilon, delta or ``n_values`` is out of range, X holds something else than codes
        below ``n_values`` or labels of the attribute, texts come without categories, y has a
        class that is not one of ``classes``, or there is one class only.

    Notes
    -----
    Changing one record moves two counts of a table by one, so d + 1 tables change by
    sqrt(2 (d + 1)) in Euclidean length, and d pairs by sqrt(2 d). The score of a pair is the sum of
    absolute differences between its counts and those that independent attributes with the noisy
    shares would have; it changes by at most 2. McKenna, Miklau and Sheldon (2021), "Winning the
    NIST Contest", whose tree of pairs this is, without their estimation of all tables at once:
    a negative count becomes zero, and a value that was never seen takes the attribute's own shares.

    The noise of a count is put into public cells, a thousandth of its standard deviation wide, and
    counts are whole numbers of cells; so no digit of a release tells of the sum. NumPy's 53 bits
    a draw are left: they add less than 1e-11 to epsilon and 1e-14 e^epsilon to delta for each
    count (derived as for Laplace noise, in the book's fine print to AS00).

    Examples
    --------
    >>> from ppdm.datasets import load_voting
    >>> X, y = load_voting(fill="mode", return_X_y=True)
    >>> generator = PrivateTreeGenerator(epsilon=1.0, random_state=0)
    >>> X_released, y_released = generator.fit_resample(X, y)
    >>> X_released.shape, len(generator.pairs_)
    ((435, 16), 16)

    Labels come back as labels, and bools as bools:

    >>> coats = [["red", "long"], ["red", "short"], ["blue", "long"], ["blue", "long"]]
    >>> labels = [["red", "green", "blue"], ["short", "long"]]
    >>> generator = PrivateTreeGenerator(categories=labels, random_state=0)
    >>> generator.fit(coats * 50, [1, 1, 0, 0] * 50).sample(3)[0]
    array([['red', 'long'],
           ['blue', 'long'],
           ['red', 'short']], dtype=object)
    """

    categories_: Categories | None = field(init=False)

    n_values: int | Sequence[int] | None = None
    epsilon: float = 1.0
    delta: float = 1e-5
    n_samples: ReleaseSize = "same"
    _: KW_ONLY
    random_state: RandomState = None
    categories: GivenCategories = None
    classes: ArrayLike | None = None

    def record_epsilon(self) -> float:
        """Return the epsilon of a record, its class with it, which holds but for ``delta``."""
        return float(check.given("PrivateTreeGenerator.epsilon", self.epsilon))

    def _read(self, X: ArrayLike) -> AnyArray:
        """Return the records as codes, by public categories."""
        codes = check.codes(check.coded_table(self, X, reset=True), "X")
        # a Categorical column comes back as one, of the public categories, and bools as bools
        known: Any = self.categories_
        kinds: list[Any] = [np.asarray(X).dtype] * codes.shape[1]
        if check.is_frame(X):
            kinds = list(getattr(X, "dtypes", []))
        self._kinds = {
            j: type(kind)(known[j], ordered=kind.ordered)
            if hasattr(kind, "categories") else kind
            for j, kind in enumerate(kinds) if hasattr(kind, "categories") or kind.kind == "b"
        }  # fmt: skip
        return codes

    def _read_classes(self, y: ArrayLike, n: int) -> tuple[AnyArray, IntArray]:
        """Return the public classes, given or declared, and the number of each record's."""
        known, label = super()._read_classes(y, n)
        declared = getattr(getattr(y, "dtype", None), "categories", known)
        public = public_classes(declared if self.classes is None else self.classes)
        return public, numbers_of(known, public)[label]

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        d = values.shape[1]
        n_values = 2 if self.n_values is None and self.categories_ is None else self.n_values
        sizes = check.n_values(n_values, d, categories=self.categories_)
        epsilon = check.given("PrivateTreeGenerator.epsilon", self.epsilon)
        delta = check.given("delta", self.delta)
        table = np.column_stack([  # the class comes first
            np.searchsorted(self.classes_, labels), check.codes(values, "X", sizes)])
        self.box_: FloatArray = np.column_stack([np.zeros(d), np.array(sizes) - 1.0])
        self.rho_: float = rho_of(epsilon, delta)
        # spawned, or sample() would draw the same numbers from the same seed
        rng = check.stream(self.random_state, type(self).__name__).spawn(1)[0]
        self._count(table, [self.classes_.size, *sizes], rng)

    def _count(self, table: IntArray, sizes: list[int], rng: np.random.Generator) -> None:
        """Measure, choose and measure: a third of rho each."""
        d = len(sizes) - 1
        single, double = (float(np.sqrt(3 * m / self.rho_)) for m in (d + 1, d))
        self.scales_: tuple[float, float] = (single, double)
        self._shares = [
            _shares(_noisy(np.bincount(column, minlength=size), single, rng))
            for column, size in zip(table.T, sizes, strict=True)]
        tree = self._tree(table, sizes, np.sqrt(8 * self.rho_ / 3 / d), rng)
        self.pairs_: list[tuple[int, int]] = [(a - 1, b - 1) for a, b in tree]
        self._given = []
        for a, b in tree:
            rows = np.maximum(_noisy(_pair(table, sizes, a, b), double, rng), 0)
            rows[rows.sum(axis=1) == 0] = self._shares[b]
            self._given.append(rows / rows.sum(axis=1, keepdims=True))

    def _tree(
        self, table: IntArray, sizes: list[int], epsilon: float, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        """Choose d pairs, each time among those that join something new to the tree."""
        n, m = len(table), len(sizes)
        score = np.full((m, m), -np.inf)
        for a in range(m):
            for b in range(a):
                expected = n * np.outer(self._shares[a], self._shares[b])
                score[a, b] = score[b, a] = np.abs(_pair(table, sizes, a, b) - expected).sum()
        tree, inside = [], [0]
        while len(inside) < m:
            outside = [a for a in range(m) if a not in inside]
            # with Gumbel noise the largest is a draw of the exponential mechanism
            chances = epsilon / (2 * 2) * score[np.ix_(inside, outside)]
            best = np.argmax(chances + rng.gumbel(size=chances.shape))
            at, to = divmod(int(best), len(outside))
            tree.append((inside[at], outside[to]))
            inside.append(outside[to])
        return tree

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        drawn = np.empty((n, len(self._shares)), dtype=np.intp)
        drawn[:, 0] = rng.choice(self.classes_.size, size=n, p=self._shares[0])
        for (a, b), given in zip(self.pairs_, self._given, strict=True):
            below = given.cumsum(axis=1)[:, :-1]
            drawn[:, b + 1] = (rng.random((n, 1)) >= below[drawn[:, a + 1]]).sum(axis=1)
        return drawn[:, 1:].astype(np.float64), drawn[:, 0]

    def _as_input(self, values: FloatArray) -> Any:
        two = self.box_[:, 1] == 1
        if self.categories_ is not None:
            values = check.to_labels(values.astype(np.intp), self.categories_)
        if self._frame is None:
            return values.astype(np.bool_) if self._kinds and two.all() else values
        released = super()._as_input(values).infer_objects()
        for j, kind in self._kinds.items():
            if hasattr(kind, "categories") or two[j]:
                released.isetitem(j, released.iloc[:, j].astype(kind))
        return released


def _noisy(counts: IntArray, scale: float, rng: np.random.Generator) -> FloatArray:
    """Add Gaussian noise in cells so narrow that each whole number is an edge of some."""
    noise = scale * rng.standard_normal(counts.shape)
    return counts + middles(noise, np.minimum(cell_width(scale), 1))


def _shares(counts: FloatArray) -> FloatArray:
    """Return noisy counts as shares: what is negative is zero, and if all is, all are alike."""
    legal = np.maximum(counts, 0)
    return np.asarray(legal / legal.sum() if legal.any() else np.full(legal.size, 1 / legal.size))


def _pair(table: IntArray, sizes: list[int], a: int, b: int) -> IntArray:
    """Count the values of two columns together."""
    codes = table[:, a] * sizes[b] + table[:, b]
    return np.bincount(codes, minlength=sizes[a] * sizes[b]).reshape(sizes[a], sizes[b])


def log_delta(rho: float, epsilon: float) -> float:
    """Return the logarithm of rho-zCDP's delta at epsilon (Canonne, Kamath and Steinke 2020).

    Their Proposition 12: the least of exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha /
    (alpha - 1) over alpha > 1.
    """

    def at(log_over: float) -> float:
        over = float(np.exp(log_over))  # alpha - 1
        alpha = 1 + over
        return over * (alpha * rho - epsilon) + alpha * float(np.log(over / alpha)) - log_over

    # a small epsilon has its least at an order of about log(1 / delta) / epsilon
    highest = 20 + max(0.0, -float(np.log(epsilon)))
    least = minimize_scalar(at, bounds=(-20, highest), method="bounded", options={"xatol": 1e-10})
    return min(0.0, float(least.fun))


@lru_cache
def rho_of(epsilon: float, delta: float) -> float:
    """Return the largest rho of which every release is (epsilon, delta)-differentially private."""

    def over(log_rho: float) -> float:
        return log_delta(float(np.exp(log_rho)), epsilon) - float(np.log(delta))

    low = high = float(np.log(epsilon))
    while over(low) > 0:
        low -= 10
    while over(high) <= 0:  # a large delta allows more than epsilon
        high += 1
    return float(np.exp(brentq(over, low, high, xtol=1e-12)))
