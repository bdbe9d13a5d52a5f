"""AS00's figures 5 and 6, and value classes in place of noise.

``python -m ppdm_book.experiments as00`` takes less than eleven minutes.

as00_accuracy
    Accuracy on 5,000 clear records of each strategy (figures 5 and 6).
as00_classes
    Accuracy of trees from value classes as wide as the noise of the same privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.tree import CountTreeClassifier
from ppdm.typing import FloatArray, IntArray, Noise, Pruning, Strategy
from ppdm_book.experiments._tables import Row, Table, grid

SEEDS = (0, 1, 2)
PRIVACIES = (0.25, 0.5, 1.0, 1.5, 2.0)
DISTRIBUTIONS = ("uniform", "gaussian")
STRATEGIES = ("randomized", "global", "byclass", "local")
TEST_RECORDS = 5_000
#: What each function asks for, and commission: it is 0 just where the salary is 75,000 or more.
ASKED = {1: [2], 2: [0, 1, 2], 3: [0, 1, 2, 3], 4: [0, 1, 8], 5: [0, 1, 6, 7, 8]}
#: By what part of its width the first value class begins below the lowest value.
STARTS = {"even": 0.0, "quarter": 0.25, "half": 0.5, "three quarters": 0.75}


def draw(
    function: int, seed: int, records: int = 100_000
) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
    """Draw training and test records of one function: X, y, X_test, y_test."""
    rng = np.random.default_rng([seed, function, records])
    X, y = make_agrawal(records, function, random_state=rng)
    X_test, y_test = make_agrawal(TEST_RECORDS, function, random_state=rng)
    return X, y, X_test, y_test


def disguise(
    X: FloatArray, distribution: Noise, privacy: float, seed: int
) -> tuple[AdditiveNoise, FloatArray]:
    """Add noise to all nine attributes; return the fitted noise and the disguised records."""
    rng = np.random.default_rng([seed, DISTRIBUTIONS.index(distribution), int(1000 * privacy)])
    noise = AdditiveNoise(distribution, privacy, domain=AGRAWAL_DOMAIN, random_state=rng).fit(X)
    return noise, noise.transform(X)


def accuracy(
    function: int,
    distribution: Noise,
    privacy: float,
    strategy: Strategy,
    seed: int,
    records: int = 100_000,
    pruning: Pruning = "sliq",
) -> Row:
    """Fit one strategy; return its accuracy on clear test records and its number of leaves.

    For ``"none"``, the paper's Original, distribution and privacy play no part; its values are
    cut midway between any two that occur.
    """
    X, y, X_test, y_test = draw(function, seed, records)
    noise = AdditiveNoise(domain=AGRAWAL_DOMAIN)
    if strategy != "none":
        noise, X = disguise(X, distribution, privacy, seed)
    tree = ReconstructedTreeClassifier(
        noise, strategy, integer_features=AGRAWAL_INTEGER, pruning=pruning
    ).fit(X, y)
    return {
        "accuracy": f"{tree.score(X_test, y_test):.4f}",
        "leaves": tree.estimator_.get_n_leaves(),
    }


def classes(function: int, privacy: float, placed: str, seed: int) -> Row:
    """Grow a tree from value classes whose interval at 95% is ``privacy`` of the range.

    ``placed`` is a name of ``STARTS``, or ``"cuts"``: classes of 25,000 in salary, 20 years in
    age and one step of education, whose edges are the cuts of functions 1 to 3. ``best`` is the
    share that is right if each cell of the attributes of ``ASKED`` is given its larger class.
    """
    X, y, X_test, y_test = draw(function, seed)
    low, high = AGRAWAL_DOMAIN.T
    width = privacy / 0.95 * (high - low)
    first = low - STARTS.get(placed, 0.0) * width
    if placed == "cuts":
        first[[0, 3]], width[[0, 2, 3]] = (0, -0.5), (25_000, 20, 1)
    membership = ValueClassMembership(width=width, domain=np.stack([first, high], axis=1))
    named, named_test = membership.transform(X), membership.transform(X_test)
    tree = CountTreeClassifier(n_intervals=None, pruning="sliq").fit(named, y)
    places = 8 ** np.arange(len(ASKED[function]))  # no attribute has over seven classes
    cell, cell_test = (each[:, ASKED[function]] @ places for each in (named, named_test))
    larger = np.bincount(cell, y - 0.5, minlength=cell_test.max() + 1) > 0
    return {
        "accuracy": f"{tree.score(named_test, y_test):.4f}",
        "leaves": tree.get_n_leaves(),
        "best": f"{(larger[cell_test] == y_test).mean():.4f}",
    }


def accuracy_keys() -> Iterator[Row]:
    """Name the rows of as00_accuracy, the quick ones first."""
    for records, seed, function in product((10_000, 100_000), SEEDS, (1, 2, 3, 4, 5)):
        for pruning, privacies in (("sliq", PRIVACIES), ("stochastic", (1.0,))):
            first = {"records": records, "pruning": pruning, "seed": seed, "function": function}
            yield first | {"distribution": "none", "privacy": 0.0, "strategy": "none"}
            cells = grid(distribution=DISTRIBUTIONS, privacy=privacies, strategy=STRATEGIES)
            yield from (first | cell for cell in cells)


def classes_keys() -> Iterator[Row]:
    """Name the rows of as00_classes: from 100% on all values are in one class."""
    for function, seed in product(range(1, 6), SEEDS):
        for privacy, placed in product((0.25, 0.5), STARTS):
            yield {"function": function, "privacy": privacy, "placed": placed, "seed": seed}
        for privacy in (1.0, 2.0):
            yield {"function": function, "privacy": privacy, "placed": "even", "seed": seed}
        if function < 4:
            yield {"function": function, "privacy": 0.25, "placed": "cuts", "seed": seed}


TABLES = (
    Table("as00_classes", classes_keys, classes),
    Table("as00_accuracy", accuracy_keys, accuracy),
)
