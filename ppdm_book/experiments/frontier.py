"""All schemes on one scale: accuracy against what is given away, on six data sets.

``python -m ppdm_book.experiments frontier`` writes the table ``frontier``; a chapter computes
single rows again with :func:`row`. A row says which scheme and setting; whom the provider must
trust (the ``curator`` who sees clear records, or ``nobody``); the accuracy of naive Bayes on
clear records, over five folds; I/H of the whole record, the class being public, where the
prior is the data (``information_pool``) and where in each class the attributes are independent
(``information_product``); the best attack that was tried, its gain over a guess and what the
guess reaches; epsilon and delta of the whole record; and the measure of the scheme's own paper.

What is the same for all: the class is public; folds are i mod 5, Adult's rows being shuffled;
estimated counts become the nearest legal table, and then each value gets one record more. Three
schemes have trees for a learner, as their names say; what they give away is what their noise does.

Seeds vary the noise, Adult's order, and who is attacked. Information is empty for a curator's
release, which is no channel of a record. The settings:

====================== ====================================== =================================
scheme                 setting                                own measure
====================== ====================================== =================================
one coin an attribute, theta: the probability of the truth    theta (DZ03, ZCM04)
4, 2 groups, one group
k-ary response         theta                                  epsilon of an attribute
unary encoding         epsilon of an attribute                epsilon of an attribute
uniform, Gaussian,     privacy at 95%, in ranges              privacy at 95% (AS00)
Laplace noise
guided perturbation    k, guided by the clear tuples' own A   I/H without the class (ZWZ05)
BSVD                   rank                                   value difference (LX14)
SSVD                   sparsity, rank 2                       value difference (LX14)
invented records       released records for each original     value difference (LX14)
central counts         epsilon of the record                  epsilon of the record
one asked              epsilon of the record                  epsilon of the record
Square Wave            epsilon of an attribute                epsilon of an attribute
private tree           epsilon of the record, delta 1e-5      epsilon of the record
trees on uniform or    privacy at 95%, in ranges              privacy at 95%
on Gaussian noise
clear, larger class,   0                                      none
volunteers, tree on
clear records
====================== ====================================== =================================
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import PredefinedSplit, cross_val_predict

from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.guidance import bit_probabilities
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.privacy import degree_of_disclosure, gaussian_epsilon, record_information
from ppdm.simulation import Simulation, simulate_schemes
from ppdm.typing import FloatArray, IntArray
from ppdm_book.experiments._frontier_data import LOADERS, VALUES, Data, load, shuffled
from ppdm_book.experiments._frontier_schemes import SAMPLES, SCHEMES, guidance_of
from ppdm_book.experiments._tables import Row, Table

SEEDS = range(5)
#: Settings at which I/H under the pool prior is .1, found by bisection; more seeds.
TENTH = {
    ("one coin an attribute", "voting"): 0.6498,
    ("one coin an attribute", "wisconsin"): 0.6748,
    ("one coin an attribute", "adult_midrange"): 0.6903,
    ("one coin an attribute", "adult_median"): 0.6826,
    ("unary encoding", "voting"): 0.8955,
    ("unary encoding", "wisconsin"): 1.0664,
    ("unary encoding", "adult_midrange"): 1.1725,
    ("unary encoding", "adult_median"): 1.1276,
    ("unary encoding", "pima"): 1.1129,
    ("unary encoding", "f2"): 1.0315,
    ("k-ary response", "pima"): 0.4655,
    ("k-ary response", "f2"): 0.4479,
    # one of Adult's questions never tells so much, though it be told in the clear
    ("one asked", "voting"): 5.1358,
    ("one asked", "wisconsin"): 3.1887,
    ("Square Wave", "pima"): 1.3414,
    ("Square Wave", "f2"): 1.0963,
}
MANY_SEEDS = range(40)
#: What is told in the clear: shares of the people, and how many volunteers.
_TELL_ALL = {"clear": 1.0, "tree on clear records": 1.0, "larger class": 0.0, "volunteers": 50}


def simulated(scheme: str, setting: float, dataset: str, seed: int, **options: Any) -> Simulation:
    """Run a scheme once, and the lines; those for noise on numbers see numbers."""
    one, data = SCHEMES[scheme], shuffled(dataset, seed)
    name = scheme.removeprefix("trees on ")  # trees' reports are those of their noise
    at = type(one.settings[0])(setting)  # a table's 2.0 directions are 2
    runs = {} if one.make is None else {f"{name} {at}": one.make(data, at)}
    on_numbers = one.datasets == VALUES and scheme != "k-ary response"
    given: dict[str, Any] = {"X": data.tuples if scheme == "guided perturbation" else data.X}
    if on_numbers:
        given = {"X": data.values, "edges": data.edges}
    options = {"learner": CountNB(smoothing=1.0), "attack": one.attack(data)} | options
    folds = PredefinedSplit(np.arange(len(data.y)) % 5)
    return simulate_schemes(
        **given, y=data.y, schemes=runs, repeats=1, cv=folds, random_state=seed, **options
    )


def row(scheme: str, setting: float, trust: str, dataset: str, seed: int) -> Row:
    """Compute one row; ``trust`` goes with the scheme."""
    one = SCHEMES[scheme]
    simulation = simulated(scheme, setting, dataset, seed)
    mine = simulation[scheme] if one.make is None else simulation.rows[0]
    told = simulation["clear"] if scheme == "tree on clear records" else mine
    pool, product, epsilon, own = _known(scheme, setting, dataset)
    return {
        "accuracy": float(mine.accuracy[0]),
        "information_pool": pool,
        "information_product": product,
        "attack": told.attack.replace("_", " "),
        "attack_gain": float(told.attack_gain[0]),
        "attack_baseline": float(told.attack_baseline[0]),
        "epsilon_record": told.epsilon_record if epsilon is None else epsilon,
        "delta": one.delta,
        "own_measure": own,
    }


@lru_cache(maxsize=1)
def _known(scheme: str, setting: float, dataset: str) -> tuple[float, float, float | None, float]:
    """Return what no seed changes: I/H under both priors, epsilon with a delta, own measure."""
    one, data, epsilon = SCHEMES[scheme], load(dataset), None
    if scheme in _TELL_ALL:
        share = _TELL_ALL[scheme] / len(data.y) if scheme == "volunteers" else _TELL_ALL[scheme]
        told = share, share
    elif one.trust == "curator":
        told = math.nan, math.nan
    elif scheme == "guided perturbation":
        told = _told_by_guidance(data, int(setting))
    else:
        made = SCHEMES[scheme.removeprefix("trees on ")].make
        disguise = made(data, setting)  # type: ignore[misc]
        if hasattr(disguise, "on"):
            width = np.ptp(data.edges, axis=1)
            if one.delta:
                scale = AdditiveNoise.fit(disguise, data.values).scale_
                epsilon = gaussian_epsilon(one.delta, scale, width)
            channel = between_intervals(disguise, data)
        else:
            channel = disguise.fit(data.X)
        options: dict[str, Any] = {"n_samples": SAMPLES, "random_state": 0}
        pool, product = (
            record_information(channel, data.X, y=data.y, prior=prior, **options).degree
            for prior in ("pool", "product")
        )
        told = pool, product
    return *told, epsilon, one.own(data, setting)


def between_intervals(noise: Any, data: Data) -> list[FloatArray]:
    """Return each attribute's channel, from intervals to cells an eighth of an interval wide."""
    noise.fit(data.values)
    matrices = []
    for j, edges in enumerate(data.edges):
        cells = noise.on(np.linspace(edges[0], edges[-1], 8 * data.k + 1), feature=j).cells
        matrices.append(noise.on(edges, feature=j, cells=cells).channel_matrix())
    return matrices


def _told_by_guidance(data: Data, k: int) -> tuple[float, float]:
    """Return what R(t) says; under the product prior each tuple that a class may have counts."""
    V = guidance_of(data.tuples, data.y, k)
    options: dict[str, Any] = {"max_cells": 0, "random_state": 0}
    P = bit_probabilities(data.tuples, V)
    pool = degree_of_disclosure(data.tuples, P, y=data.y, n_samples=SAMPLES, **options)
    every, weights, classes = product_prior(data.X, data.y)
    T = Data(every, classes, data.k).tuples
    n_samples = int(np.clip(3e7 / len(T), 100, SAMPLES))
    product = degree_of_disclosure(
        T, bit_probabilities(T, V), y=classes, weights=weights, n_samples=n_samples, **options
    )
    return pool.degree, product.degree


def product_prior(X: IntArray, y: IntArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Write the product prior down: each record that it allows, its share, and its class."""
    tables, shares = [], []
    for label in np.unique(y):
        own = X[y == label]
        each = [np.bincount(column) / len(own) for column in own.T]
        grid = np.meshgrid(*map(np.flatnonzero, each), indexing="ij")
        tables.append(np.stack([axis.ravel() for axis in grid], axis=1))
        columns = zip(each, tables[-1].T, strict=True)
        shares.append(len(own) / len(y) * np.prod([p[values] for p, values in columns], axis=0))
    classes = np.repeat(np.unique(y), [len(table) for table in tables])
    return np.concatenate(tables), np.concatenate(shares), classes


def cases() -> Iterator[Row]:
    """Name the rows of the table."""
    for dataset in LOADERS:
        for name, scheme in SCHEMES.items():
            if dataset not in scheme.datasets:
                continue
            tenth = TENTH.get((name, dataset))
            for setting in (*scheme.settings, *([] if tenth is None else [tenth])):
                many = setting == tenth or name == "volunteers"
                for seed in MANY_SEEDS if many else SEEDS:
                    yield {
                        "scheme": name,
                        "setting": setting,
                        "trust": scheme.trust,
                        "dataset": dataset,
                        "seed": seed,
                    }


def dead_zone(dataset: str, theta: float) -> float:
    """Return the share of (person, attribute) where a coin's report changes no guess.

    Who knows the class guesses its commoner value. A report, true with probability theta,
    changes that where the value's share of the class is below theta, and nowhere else.
    """
    data = load(dataset)
    shares = [
        [np.bincount(column, minlength=data.k).max() / len(rows) for column in rows.T]
        for rows in (data.X[data.y == label] for label in (0, 1))
    ]
    sizes = np.bincount(data.y) / len(data.y)
    return float(sizes @ (np.array(shares) >= theta).mean(axis=1))


def smoothed(dataset: str, theta: float, seed: int, *, added: float) -> float:
    """Return the accuracy with a coin an attribute where ``added`` records smooth a value."""
    data = shuffled(dataset, seed)
    coins = SCHEMES["one coin an attribute"].make(data, theta)  # type: ignore[misc]
    coins.set_params(random_state=np.random.default_rng([seed, 6]))
    model = DisguisedClassifier(coins, RandomizedResponseNB(smoothing=added))
    folds = PredefinedSplit(np.arange(len(data.y)) % 5)
    return float((cross_val_predict(model, data.X, data.y, cv=folds) == data.y).mean())


TABLES = (Table("frontier", cases, row, digits=5),)
