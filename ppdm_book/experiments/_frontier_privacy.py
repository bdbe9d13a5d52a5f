"""What each release of the comparison gives away: information, and the best attack's gain.

Where each record is disguised by itself the adversary is Bayes-optimal, knows the class and a
pool that holds every record, and reads the attributes; what it gains is the share that it
reads right, less what it reads right without the release. A curator's release is no channel
of a record, and has no information per record. There the adversary knows all other records
and two candidates for the last one, and says which of them was in. Where that takes too long,
for invented records of large data sets, it tells members from others by how near their record
is to an invented one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ppdm.attacks import leave_one_out, membership_inference, recover_attributes
from ppdm.guidance import bit_probabilities, log_likelihood, one_hot
from ppdm.naive_bayes import CountNB
from ppdm.privacy import degree_of_disclosure, product_prior, record_information
from ppdm.typing import FloatArray, IntArray
from ppdm_book.experiments._frontier_data import FOLDS, Data, load
from ppdm_book.experiments._frontier_schemes import (
    guidance_of,
    invented_from,
    moves_of,
    release_invented,
    release_private,
)
from ppdm_book.experiments.lx14_others import told_apart
from ppdm_book.experiments.private import matched, pair_counts

#: Who is attacked, for each seed: so many are read, so many told from another.
READ, TOLD_APART = 500, 20
#: Records from which invented ones are learned again for each target, at most.
RELEARNED = 1_000
#: Draws where information is sampled, and releases that are enumerated at most.
SAMPLES, CELLS = 4_000, 2**26


class Told(NamedTuple):
    """I/H of whole records under both priors, the class being public."""

    pool: float
    product: float


class Attack(NamedTuple):
    """Which attack, what it gained over guessing, and what guessing reaches."""

    attack: str
    gain: float
    baseline: float


#: A curator's release has no channel of a record.
UNDEFINED = Told(math.nan, math.nan)


def told_by_channel(channel: Any, data: Data) -> Told:
    """Return what a channel says about whole records."""
    options: dict[str, Any] = {"n_samples": SAMPLES, "max_cells": CELLS, "random_state": 0}
    pool = record_information(channel, data.X, y=data.y, prior="pool", **options)
    product = record_information(channel, data.X, y=data.y, prior="product", **options)
    return Told(pool.degree, product.degree)


def told_by_guidance(data: Data, k: int) -> Told:
    """Return what R(t) says; under the product prior each tuple that a class may have counts."""
    T, V = tuples(data), guidance_of(tuples(data), data.y, k)
    options: dict[str, Any] = {"max_cells": 0, "random_state": 0}
    pool = degree_of_disclosure(
        T, bit_probabilities(T, V), y=data.y, n_samples=SAMPLES, **options
    )
    every, weights, classes = product_prior(data.X, data.y)
    T = one_hot(every, [data.k] * data.X.shape[1])
    n_samples = int(np.clip(3e7 / len(T), 100, SAMPLES))
    product = degree_of_disclosure(
        T, bit_probabilities(T, V), y=classes, weights=weights, n_samples=n_samples, **options
    )
    return Told(pool.degree, product.degree)


def tuples(data: Data) -> IntArray:
    """Return the records as bits, one a value."""
    return one_hot(data.X, [data.k] * data.X.shape[1])


def targets(data: Data, seed: int, n: int) -> IntArray:
    """Return the rows of those who are attacked."""
    return np.random.default_rng([seed, 1]).permutation(len(data.y))[:n]


@lru_cache(maxsize=6)
def candidates(dataset: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Return each different record and class once, and the share of people who have it."""
    data = load(dataset)
    once, counts = np.unique(np.column_stack([data.X, data.y]), axis=0, return_counts=True)
    return once[:, :-1], once[:, -1], counts / counts.sum()


def reading(channel: Any, released: Any, data: Data, dataset: str) -> Attack:
    """Read the attributes of these people from what they released."""
    pool, classes, prior = candidates(dataset)
    known = (data.y, classes)
    found = recover_attributes(channel, released, data.X, pool, prior=prior, known=known)
    return Attack("reading", found.gain, found.baseline)


def reading_guided(dataset: str, k: int, seed: int) -> Attack:
    """Read the attributes from R(t)."""
    data = load(dataset)
    V = guidance_of(tuples(data), data.y, k)
    people = data.take(targets(data, seed, READ))
    P = bit_probabilities(tuples(people), V)
    R = (np.random.default_rng([seed, 2]).random(P.shape) < P).astype(np.int8)

    def channel(R: Any, X: Any) -> FloatArray:
        return log_likelihood(R, one_hot(X, [data.k] * data.X.shape[1]), V)

    return reading(channel, R, people, dataset)


def blind(dataset: str) -> float:
    """Return the share of attributes that is read right without any release."""
    data = load(dataset)
    nb = CountNB(data.k).fit(data.X, data.y)
    return float(nb.pair_count_.max(axis=2).sum() / data.X.size)


def telling_apart(publish: Callable[[Data], FloatArray], data: Data, seed: int) -> Attack:
    """Tell the target from another, knowing all the others, where nothing is random."""
    found = leave_one_out(
        lambda X, rng: publish(Data(X, data.y, data.k)),
        data.X,
        targets=targets(data, seed, TOLD_APART),
        random_state=np.random.default_rng([seed, 3]),
    )
    return Attack("leave one out", found.gain, found.baseline)


def telling_from_counts(data: Data, epsilon: float, seed: int) -> Attack:
    """Tell the target from another of its class by noisy counts: the likelier one is named."""
    rng = np.random.default_rng([seed, 4])
    rows = targets(data, seed, READ)
    alike = data.y[rows][:, np.newaxis] == data.y
    other = np.array([rng.choice(np.flatnonzero(row)) for row in alike])
    differ = data.X[rows] != data.X[other]
    if data.k == 2:  # one count an attribute, in which they differ by one
        shift = differ.astype(np.float64)
    else:  # each has one more in a cell of its own
        shift = np.repeat(differ, 2, axis=1).astype(np.float64)
    noise = rng.laplace(scale=moves_of(data) / epsilon, size=shift.shape)
    score = (np.abs(noise + shift) - np.abs(noise)).sum(axis=1)
    hits = float((score > 0).mean() + (score == 0).mean() / 2)
    return Attack("leave one out", hits - 0.5, 0.5)


def telling_from_invented(data: Data, times: float, seed: int) -> Attack:
    """Tell the target from another of its class by learning the classifiers again."""
    if len(data.y) > RELEARNED:
        return membership(data, times, seed)
    rng = np.random.default_rng([seed, 6])
    released, _ = release_invented(data, times, rng)
    rows = targets(data, seed, TOLD_APART)
    found = told_apart(invented_from(), data.X, data.y, released, rows, rng)
    return Attack("leave one out", float(found.mean()) - 0.5, 0.5)


def telling_from_private(data: Data, epsilon: float, seed: int) -> Attack:
    """Tell each record from another of its class: whose pairs are missing in the release's."""
    rng = np.random.default_rng([seed, 7])
    released, classes = release_private(data, epsilon, rng)
    bits = data.X
    if data.k > 2:  # pairs of values, not of bits
        bits, released = (one_hot(X, [data.k] * X.shape[1]) for X in (data.X, released))
    told = matched(pair_counts(released, classes), bits, data.y, rng)
    return Attack("leave one out", float(told.mean()) - 0.5, 0.5)


def membership(data: Data, times: float, seed: int) -> Attack:
    """Tell members from others by their nearest invented record: AUC, with and without class."""
    rng = np.random.default_rng([seed, 5])
    apart = np.arange(len(data.y)) % FOLDS == 0
    members, others = data.take(np.flatnonzero(~apart)), data.take(np.flatnonzero(apart))
    released, classes = release_invented(members, times, rng)
    with_class = (classes, members.y, others.y)
    aucs = [
        membership_inference(released, members.X, others.X, y=y).auc for y in (None, with_class)
    ]
    return Attack("membership", max(aucs) - 0.5, 0.5)
