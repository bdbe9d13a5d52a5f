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

TARGET, N, SMALL, INPUT = 3.0, 1_000_000, 100_000, "the bytes of the input"


@row("memory: one coin a record, 32 bits", INPUT, target=TARGET, n=N, small=SMALL, memory=True,
     where="The array that is returned, and a coin for each record.",
     floor="The array that is returned: once the input.")  # fmt: skip
def coin(n: int) -> tuple[Any, int]:
    X, *_ = disguised(n)
    rng = np.random.default_rng(0)
    return partial(RandomizedResponse(0.7, random_state=rng).fit(X).transform, X), X.nbytes


@row("memory: Gaussian noise, 9 floats", INPUT, target=TARGET, n=N, small=SMALL, memory=True,
     where="The array that is returned, in which the noise is drawn.",
     floor="The array that is returned: once the input.")  # fmt: skip
def noise(n: int) -> tuple[Any, int]:
    X, _, adding, _ = reconstructed(n, "gaussian")
    return partial(adding.transform, X), X.nbytes


@row("memory: inverse from reports of 200 values", INPUT, target=TARGET, n=N, small=SMALL,
     memory=True,
     where="Two copies of the codes, while they are checked and counted.",
     floor="A count for each value: nothing beside the input.")  # fmt: skip
def frequencies(n: int) -> tuple[Any, int]:
    reports, channel = collected(n, 200, 1.0)
    return partial(inverse, reports, channel), reports.nbytes


@row("memory: naive Bayes from 32 bits", INPUT, target=TARGET, n=N, small=SMALL, memory=True,
     where="Eight bits packed into a byte, by class, and a code for each record's class.",
     floor="A count for each bit and class: nothing beside the input.")  # fmt: skip
def naive_bayes(n: int) -> tuple[Any, int]:
    _, _, R, z = disguised(n)
    return partial(RandomizedResponseNB(COIN).fit, R, z), R.nbytes + z.nbytes


@row("memory: count tree, 9 codes, leaves of 100", INPUT, target=TARGET, n=N, small=SMALL,
     memory=True,
     where="The codes by attribute, and the records of a level with their nodes and cells.",
     floor="The codes by attribute: once the input.")  # fmt: skip
def count_tree(n: int) -> tuple[Any, int]:
    codes, labels = agrawal_codes(n, 2, flipped=False)
    tree = CountTreeClassifier(min_samples_leaf=100)
    return partial(tree.fit, codes, labels), codes.nbytes + labels.nbytes


@row("memory: ByClass with reconstruction, 9 floats", INPUT, target=TARGET, n=N, small=SMALL,
     memory=True,
     where="The codes, the order in which the records are dealt out to intervals, and "
           "those of a level.",
     floor="The codes by attribute: once the input.",
     reason="Records are dealt out by class, and the order, the codes and the records of a "
            "level lie side by side in numbers of eight bytes; from chunks that are read "
            "again a tree needs no more than one of them.")  # fmt: skip
def byclass(n: int) -> tuple[Any, int]:
    _, y, noise, Z = reconstructed(n, "gaussian")
    tree = ReconstructedTreeClassifier(noise, "byclass", integer_features=AGRAWAL_INTEGER)
    return partial(tree.fit, Z, y), Z.nbytes + y.nbytes


@row("memory: tree from 32 bits, all distinct", INPUT, target=TARGET, n=SMALL, small=SMALL,
     memory=True,
     where="Two signed records for each distinct report, with a word, a weight and two "
           "places of eight bytes each.",
     floor="One signed record for each distinct report, and its weight.",
     reason="Of 32 bits hardly two reports are alike, so each becomes two records, which "
            "the inverse needs side by side; of 14 bits 32,768 are all there can be, "
            "however many report.")  # fmt: skip
def distinct_bits(n: int) -> tuple[Any, int]:
    _, _, R, z = disguised(n)
    return partial(RandomizedResponseTreeClassifier(COIN).fit, R, z), R.nbytes + z.nbytes


@row("memory: exact tree, 9 floats", "what scikit-learn's tree holds of the same",
     target=1.0, n=N, small=SMALL, memory=True,
     where="Edges between all values, codes by attribute, each record's class, row and node; and "
           "of the attribute that is counted a running sum for each value.",
     floor="The codes by attribute: half the input.",
     reason="Counts of a million distinct values are a table as long as the records, and the "
            "scores of their cuts, too; with 100 intervals they are not.")  # fmt: skip
def exact_tree(n: int) -> tuple[Any, int]:
    X, y = make_agrawal(n, 2, random_state=0)
    ours, peer = (tree(min_samples_leaf=n // 1000) for tree in (CountTreeClassifier, Sklearn))
    ours.n_intervals = None
    held = peak_ratio(partial(peer.fit, X, y), 1).ratio
    return partial(ours.fit, X, y), int(held)
