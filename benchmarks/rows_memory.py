"""Memory, in sizes of the input.

The most that a call holds at a time beside its input, what it returns included, over the bytes
of the input. NumPy reports its arrays to Python's own count of memory.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from _data import agrawal_codes
from _rows import row
from _timing import peak_ratio
from rows_frequencies import collected, inverse
from rows_learners import COIN, disguised, reconstructed
from sklearn.tree import DecisionTreeClassifier as Sklearn

from ppdm.classifiers import (
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.datasets import AGRAWAL_INTEGER, make_agrawal
from ppdm.randomized_response import RandomizedResponse
from ppdm.tree import CountTreeClassifier

N, SMALL = 1_000_000, 100_000
of_input = partial(row, peer="the bytes of the input", target=3.0, n=N, small=SMALL, memory=True)


@of_input("memory: one coin a record, 32 bits")
def coin(n: int) -> tuple[Any, int]:
    X, *_ = disguised(n)
    rng = np.random.default_rng(0)
    return partial(RandomizedResponse(0.7, random_state=rng).fit(X).transform, X), X.nbytes


@of_input("memory: Gaussian noise, 9 floats")
def noise(n: int) -> tuple[Any, int]:
    X, _, adding, _ = reconstructed(n, "gaussian")
    return partial(adding.transform, X), X.nbytes


@of_input("memory: inverse from reports of 200 values")
def frequencies(n: int) -> tuple[Any, int]:
    reports, channel = collected(n, 200, 1.0)
    return partial(inverse, reports, channel), reports.nbytes


@of_input("memory: naive Bayes from 32 bits")
def naive_bayes(n: int) -> tuple[Any, int]:
    _, _, R, z = disguised(n)
    return partial(RandomizedResponseNB(COIN).fit, R, z), R.nbytes + z.nbytes


@of_input("memory: count tree, 9 codes, leaves of 100")
def count_tree(n: int) -> tuple[Any, int]:
    codes, labels = agrawal_codes(n, 2, flipped=False)
    tree = CountTreeClassifier(min_samples_leaf=100)
    return partial(tree.fit, codes, labels), codes.nbytes + labels.nbytes


@of_input("memory: ByClass with reconstruction, 9 floats")
def byclass(n: int) -> tuple[Any, int]:
    _, y, noise, Z = reconstructed(n, "gaussian")
    tree = ReconstructedTreeClassifier(noise, "byclass", integer_features=AGRAWAL_INTEGER)
    return partial(tree.fit, Z, y), Z.nbytes + y.nbytes


@of_input("memory: tree from 32 bits, all distinct", n=SMALL)
def distinct_bits(n: int) -> tuple[Any, int]:
    _, _, R, z = disguised(n)
    return partial(RandomizedResponseTreeClassifier(COIN).fit, R, z), R.nbytes + z.nbytes


@row("memory: exact tree, 9 floats", "what scikit-learn's tree holds of the same",
     target=1.0, n=N, small=SMALL, memory=True)  # fmt: skip
def exact_tree(n: int) -> tuple[Any, int]:
    X, y = make_agrawal(n, 2, random_state=0)
    ours, peer = (tree(min_samples_leaf=n // 1000) for tree in (CountTreeClassifier, Sklearn))
    ours.n_intervals = None
    held = peak_ratio(partial(peer.fit, X, y), 1).ratio
    return partial(ours.fit, X, y), int(held)
