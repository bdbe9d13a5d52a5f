"""Schemes of three columns of bits, people and their reports: what is a law of all goes through.

A new scheme is tested by being in the list.
"""

import numpy as np
import pandas as pd

from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

NAMES = ["a", "b", "c"]
#: An attribute of one is a question that only some are asked.
SCHEMES = {
    "one coin": lambda: RandomizedResponse(0.8),
    "coins": lambda: RandomizedResponse(0.8, groups=[["a"], ["b", "c"]]),
    "own class": lambda: RandomizedResponse(0.8, groups=[[0], [1], [2]], class_group="own"),
    "class in a group": lambda: RandomizedResponse(0.8, groups=[[0], [1, 2]], class_group=1),
    "coins, two asked": lambda: RandomizedResponse(0.8, asked=2),
    "k-ary": lambda: CategoricalRandomizedResponse(2, epsilon=2.0),
    "k-ary, one asked": lambda: CategoricalRandomizedResponse(2, epsilon=2.0, asked=1),
    "matrices": lambda: CategoricalRandomizedResponse(
        channel=[np.array([[0.9, 0.3], [0.1, 0.7]]), np.eye(2), np.array([[0.6, 0.2], [0.4, 0.8]])]
    ),
    "unary": lambda: UnaryEncoding(2, 2.0),
    "unary, one asked": lambda: UnaryEncoding([2, 2, 2], 2.0, asked=1),
    "symmetric unary": lambda: UnaryEncoding(2, 2.0, symmetric=True),
    "Hadamard": lambda: HadamardResponse(2, 2.0),
    "Hadamard, two asked": lambda: HadamardResponse(2, 2.0, asked=2),
    "mixed": lambda: MixedResponse(
        {"b": RandomizedResponse(0.8), "a": UnaryEncoding(2, 1.0), "c": HadamardResponse(2, 1.0)}
    ),
    "mixed, one asked": lambda: MixedResponse(
        [RandomizedResponse(0.8), UnaryEncoding(2, 1.0), HadamardResponse(2, 1.0)], asked=1
    ),
}
ASKED = [name for name in SCHEMES if SCHEMES[name]().asked is not None]
COINS = [name for name in SCHEMES if isinstance(SCHEMES[name](), RandomizedResponse)]
#: Candidates for a record.
FEW = pd.DataFrame([[i >> 2, i >> 1 & 1, i & 1] for i in range(8)], columns=NAMES)


def people(n=400, seed=3):
    """Return records and a class that goes with b, by an index that is not their place."""
    rng = np.random.default_rng(seed)
    index = np.arange(n)[::-1] + 1000
    X = pd.DataFrame(rng.random((n, 3)) < [0.2, 0.5, 0.7], index, NAMES).astype(int)
    return X, (X["b"] ^ (rng.random(n) < 0.2)).astype(int).rename("class")


def disguised(name, seed=4):
    """Return a scheme, the records, and what it makes of them and of their classes."""
    X, y = people()
    scheme = SCHEMES[name]().set_params(random_state=seed)
    return (scheme, X, *scheme.disguise(X, y))
