"""MixtureTreeClassifier beside AS00's figures 5 and 6, and where it loses.

``python -m ppdm_book.experiments mixture`` takes about half an hour.

mixture_accuracy
    Accuracy on 5,000 clear records: ``"fast"`` is the default, one tree; ``"three starts"``, at
    100% only, has three; ``"full"``, there and of function 2 only, has 100 iterations of plain
    EM, three starts and six trees. Three seeds at 100%, two elsewhere. ByClass and Local are in
    ``as00_accuracy`` for seeds 1 and 2, here for seed 3.
mixture_copula
    The same of a class that depends on which of two correlated attributes is larger.

The settings were chosen on function 2 with seeds 0, 10 and 11, so these seeds are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np
from scipy.special import ndtr
from sklearn.base import ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from ppdm.classifiers import MixtureTreeClassifier, ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER
from ppdm.noise import AdditiveNoise
from ppdm.typing import BoolArray, FloatArray, IntArray, Noise, Strategy
from ppdm_book.experiments._tables import Row, Table, grid
from ppdm_book.experiments.as00 import DISTRIBUTIONS, PRIVACIES, TEST_RECORDS, disguise, draw

SEEDS = (1, 2, 3)
FORMS: dict[str, dict[str, Any]] = {
    "fast": {},
    "three starts": {"n_starts": 3},
    "full": {"online": False, "n_passes": 100, "n_starts": 3, "n_draws": 2},
}
#: The attributes of real numbers, whose ranges the copula's take.
REAL = (0, 1, 2, 6, 7, 8)
CORRELATION = 0.8


def new_tree(method: str, noise: AdditiveNoise, integer: BoolArray, seed: int) -> ClassifierMixin:
    """Return one of ``FORMS``, or a strategy of ``ReconstructedTreeClassifier``, unfitted.

    ``"large leaves"`` is scikit-learn's tree with at least 300 records in a leaf: it knows of no
    noise.
    """
    if method == "large leaves":
        return DecisionTreeClassifier(min_samples_leaf=300, random_state=seed)
    if method in FORMS:
        return MixtureTreeClassifier(
            noise, integer_features=integer, random_state=seed, **FORMS[method]
        )
    return ReconstructedTreeClassifier(noise, cast(Strategy, method), integer_features=integer)


def accuracy(
    function: int,
    distribution: Noise,
    privacy: float,
    method: str,
    seed: int,
    records: int = 100_000,
) -> Row:
    """Fit one method to what :mod:`ppdm_book.experiments.as00` draws and disguises."""
    X, y, X_test, y_test = draw(function, seed, records)
    noise, Z = disguise(X, distribution, privacy, seed)
    tree = new_tree(method, noise, AGRAWAL_INTEGER, seed).fit(Z, y)
    return {"accuracy": f"{tree.score(X_test, y_test):.4f}"}


def draw_copula(n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Draw six attributes, each correlated to the one before, and their class.

    From ranks u_0, ..., u_5 the class is (u_0 > u_1) xor (u_2 > .6 and u_3 < .6). Then u_1 becomes
    its root, u_2 its power 1.5 and u_4 its square, and all are stretched to the ranges of
    Agrawal's attributes of real numbers.
    """
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    u = ndtr(rng.multivariate_normal(np.zeros(6), CORRELATION**steps, n))
    y = (u[:, 0] > u[:, 1]) ^ ((u[:, 2] > 0.6) & (u[:, 3] < 0.6))
    low, high = AGRAWAL_DOMAIN[list(REAL)].T
    return low + (high - low) * u ** [1, 0.5, 1.5, 1, 2, 1], y.astype(np.intp)


def copula(
    distribution: Noise, privacy: float, method: str, seed: int, records: int = 100_000
) -> Row:
    """Fit one method to disguised records of ``draw_copula``."""
    rng = np.random.default_rng([seed, DISTRIBUTIONS.index(distribution), int(1000 * privacy)])
    X, y = draw_copula(records, rng)
    X_test, y_test = draw_copula(TEST_RECORDS, rng)
    domain = AGRAWAL_DOMAIN[list(REAL)]
    noise = AdditiveNoise(distribution, privacy, domain=domain, random_state=rng).fit(X)
    Z = X if method == "none" else noise.transform(X)
    tree = new_tree(method, noise, np.zeros(6, dtype=np.bool_), seed).fit(Z, y)
    return {"accuracy": f"{tree.score(X_test, y_test):.4f}"}


def accuracy_keys() -> Iterator[Row]:
    """Name the rows of mixture_accuracy, those at 100% first."""
    cells = [(1.0, seed) for seed in SEEDS]
    cells += [(p, seed) for seed in SEEDS[:2] for p in PRIVACIES if p != 1.0]
    for (privacy, seed), function in product(cells, (1, 2, 3, 4, 5)):
        at_100 = privacy == 1.0
        methods = ["fast"] + ["three starts"] * at_100 + ["full"] * (at_100 and function == 2)
        methods += ["byclass", "local"] * (seed == 3)
        first = {"seed": [seed], "function": [function]}
        yield from grid(**first, distribution=DISTRIBUTIONS, privacy=[privacy], method=methods)


ALL = ("none", "randomized", "large leaves", "byclass", "local", *FORMS)
copula_keys = partial(grid, seed=SEEDS, distribution=["gaussian"], privacy=(0.5, 1.0), method=ALL)

TABLES = (
    Table("mixture_copula", copula_keys, copula),
    Table("mixture_accuracy", accuracy_keys, accuracy),
)
