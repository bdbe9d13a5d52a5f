"""What each release of the comparison gives away: information, and the best attack's gain.

A scheme that disguises each record by itself has a channel. Then the adversary is
Bayes-optimal, knows the class and a pool that holds every record, and reads the attributes;
its gain is the share that it reads right, less what it reads right without the release. A
curator's release has no channel of a record. Then the adversary knows all other records and
two candidates for the last one, and says which of them was in.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ppdm._types import FloatArray, IntArray
from ppdm.attacks import recover_attributes
from ppdm.experiments._frontier_data import Data, load
from ppdm.guidance import bit_probabilities, log_likelihood, one_hot
from ppdm.privacy import degree_of_disclosure, record_information

#: People who are attacked, drawn anew for each seed, and draws where information is sampled.
TARGETS, SAMPLES = 1_000, 4_000
#: Releases that are enumerated at most; more are drawn.
CELLS = 2**22


class Told(NamedTuple):
    """I/H under both priors, the class being public."""

    pool: float
    product: float


class Attack(NamedTuple):
    """Which attack, what it gained over guessing, and what guessing reaches."""

    name: str
    gain: float
    baseline: float


NOTHING = Told(math.nan, math.nan)


def told_by_channel(channel: Any, data: Data) -> Told:
    """Return what a channel says about whole records."""
    degrees = [
        record_information(
            channel,
            data.X,
            y=data.y,
            prior=prior,
            n_samples=SAMPLES,
            max_cells=CELLS,
            random_state=0,
        ).degree
        for prior in ("pool", "product")
    ]
    return Told(*degrees)


def told_by_guidance(data: Data, V: FloatArray) -> Told:
    """Return what R(t) says; under the product prior every tuple that a class may have."""
    n_values = [data.k] * data.X.shape[1]
    T = one_hot(data.X, n_values)
    pool = degree_of_disclosure(
        T, bit_probabilities(T, V), y=data.y, n_samples=SAMPLES, max_cells=CELLS, random_state=0
    )
    X, y, weights = every_record(data)
    T = one_hot(X, n_values)
    product = degree_of_disclosure(
        T,
        bit_probabilities(T, V),
        y=y,
        weights=weights,
        n_samples=SAMPLES // 10,
        max_cells=0,
        random_state=0,
    )
    return Told(pool.degree, product.degree)


def every_record(data: Data) -> tuple[IntArray, IntArray, FloatArray]:
    """Return every record that each class may have, its class, and its product probability."""
    codes = np.stack(np.meshgrid(*[np.arange(data.k)] * data.X.shape[1], indexing="ij"), -1)
    codes = codes.reshape(-1, data.X.shape[1])
    parts = []
    for c in (0, 1):
        known = data.X[data.y == c]
        share = (known[:, :, np.newaxis] == np.arange(data.k)).mean(axis=0)
        chance = np.prod([row[column] for row, column in zip(share, codes.T, strict=True)], axis=0)
        there = chance > 0
        n = len(known)
        parts.append((codes[there], np.full(there.sum(), c), n * chance[there]))
    X, y, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return X, y, weights


def targets(data: Data, seed: int) -> IntArray:
    """Return who is attacked."""
    rng = np.random.default_rng([seed, 1])
    return rng.permutation(len(data.y))[:TARGETS]


@lru_cache(maxsize=6)
def candidates(dataset: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Return each different record with its class once, and the share of people who have it."""
    data = load(dataset)
    table = np.column_stack([data.X, data.y])
    once, counts = np.unique(table, axis=0, return_counts=True)
    return once[:, :-1], once[:, -1], counts / counts.sum()


def reading(channel: Any, released: Any, data: Data, dataset: str) -> Attack:
    """Attack these releases of these records: read their attributes, the class being public."""
    pool, classes, prior = candidates(dataset)
    found = recover_attributes(
        channel, released, data.X, pool, prior=prior, known=(data.y, classes)
    )
    return Attack("reading", found.gain, found.baseline)


def guided_likelihood(V: FloatArray, k: int) -> Any:
    """Return log P[R | record] of guided perturbation, the records as codes."""
    return lambda R, X: log_likelihood(R, one_hot(X, [k] * np.shape(X)[1]), V)
