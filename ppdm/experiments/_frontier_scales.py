"""The schemes of the comparison: each one's settings, its miner, and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ppdm.experiments import _frontier_privacy as privacy
from ppdm.experiments import _frontier_schemes as schemes
from ppdm.experiments._frontier_data import BITS, VALUES, Data, accuracy, load
from ppdm.experiments._frontier_privacy import Attack, Told
from ppdm.guidance import bit_probabilities
from ppdm.privacy import (
    degree_of_disclosure,
    gaussian_epsilon,
    local_epsilon,
    value_difference,
)

#: Delta of Gaussian noise, which has no epsilon without one.
DELTA = 1e-5
THETAS = (0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
ALL = (*BITS, *VALUES)
EACH = 99  # groups: more than there are attributes


@dataclass(frozen=True)
class Given:
    """What is given away: what ``told`` and ``attack`` find, and numbers that need no seed."""

    told: Callable[[Data], Told]
    attack: Callable[[str, int], Attack]
    epsilon: float
    delta: float
    own: Callable[[Data], float]


@dataclass(frozen=True)
class Scheme:
    """A scheme of the comparison: its miner's accuracy, and what it gives away."""

    trust: str
    settings: tuple[float, ...]
    datasets: tuple[str, ...]
    accuracy: Callable[[Data, float, np.random.Generator], float]
    given: Callable[[Data, float], Given]


def _read(channel: Any, transform: Callable[[Data], Any], dataset: str, seed: int) -> Attack:
    data = load(dataset)
    people = data.take(privacy.targets(data, seed, privacy.READ))
    return privacy.reading(channel, transform(people), people, dataset)


def _channel(make: Callable[..., Any], own: Callable[[float], float]) -> dict[str, Any]:
    """Describe a scheme that sends codes through ``make(data, setting, rng=)``, a channel."""

    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            noisy = make(data, setting, rng=np.random.default_rng([seed, 2]))
            return _read(noisy, lambda people: noisy.transform(people.X), dataset, seed)

        known = make(data, setting)
        told = partial(privacy.told_by_channel, known)
        return Given(told, attack, local_epsilon(known), 0.0, lambda data: own(setting))

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_channel(data, make(data, setting, rng=rng)))

    return {"trust": "nobody", "accuracy": found, "given": given}


def _noise(kind: str) -> Scheme:
    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            noisy = schemes.additive(data, kind, setting, np.random.default_rng([seed, 2]))
            return _read(channel, lambda people: noisy.transform(people.values), dataset, seed)

        noise = schemes.additive(data, kind, setting)
        channel = schemes.between_intervals(noise, data)
        width = data.edges[:, -1] - data.edges[:, 0]
        epsilon, delta = math.inf, 0.0
        if kind == "laplace":
            epsilon = float((width / noise.scale_).sum())
        if kind == "gaussian":
            epsilon, delta = gaussian_epsilon(DELTA, noise.scale_, width), DELTA
        told = partial(privacy.told_by_channel, channel)
        return Given(told, attack, epsilon, delta, lambda data: setting)

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_noise(data, schemes.additive(data, kind, setting, rng)))

    return Scheme("nobody", (0.25, 0.5, 1.0, 2.0), VALUES, found, given)


def _guided() -> Scheme:
    def given(data: Data, setting: float) -> Given:
        def own(data: Data) -> float:
            T = privacy.tuples(data)
            P = bit_probabilities(T, schemes.guidance_of(T, data.y, int(setting)))
            options: dict[str, Any] = {"max_cells": 0, "n_samples": privacy.SAMPLES}
            return degree_of_disclosure(T, P, random_state=0, **options).degree

        return Given(
            lambda data: privacy.told_by_guidance(data, int(setting)),
            lambda dataset, seed: privacy.reading_guided(dataset, int(setting), seed),
            math.inf,  # a projection above one is cut: that bit is then certain
            0.0,
            own,
        )

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_guided(data, int(setting), rng))

    return Scheme("nobody", (1, 2, 3, 4, 6, 8), ALL, found, given)


def _svd(settings: tuple[float, ...], arguments: Callable[[float], tuple[int, float]]) -> Scheme:
    def publish(data: Data, setting: float) -> Any:
        return schemes.release_svd(data, *arguments(setting))

    def given(data: Data, setting: float) -> Given:
        return Given(
            lambda data: privacy.UNDEFINED,
            lambda dataset, seed: privacy.telling_apart(
                partial(publish, setting=setting), load(dataset), seed
            ),
            math.inf,
            0.0,
            lambda data: value_difference(data.X, publish(data, setting)),
        )

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_svd(data, *arguments(setting)))

    return Scheme("curator", settings, ALL, found, given)


def _invented() -> Scheme:
    def given(data: Data, setting: float) -> Given:
        def own(data: Data) -> float:
            released, _ = schemes.release_invented(data, setting, np.random.default_rng(0))
            return value_difference(data.X, released)

        return Given(
            lambda data: privacy.UNDEFINED,
            lambda dataset, seed: privacy.telling_from_invented(load(dataset), setting, seed),
            math.inf,  # the labels are those of classifiers that learned the records
            0.0,
            own,
        )

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_invented(data, setting, rng))

    return Scheme("curator", (1.0,), ALL, found, given)


def _central() -> Scheme:
    def given(data: Data, setting: float) -> Given:
        return Given(
            lambda data: privacy.UNDEFINED,
            lambda dataset, seed: privacy.telling_from_counts(load(dataset), setting, seed),
            setting,
            0.0,
            lambda data: setting,
        )

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, schemes.mine_central(data, setting, rng))

    return Scheme("curator", (0.1, 0.3, 1.0, 3.0, 10.0), ALL, found, given)


def _line(
    trust: str, share: Callable[[Data], float], epsilon: float, found: Callable[..., float]
) -> Scheme:
    """Describe a line: a share of the people disclose all, the others nothing."""

    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            guess = privacy.blind(dataset)
            return Attack("reading", share(data) * (1 - guess), guess)

        told = Told(share(data), share(data))
        return Given(lambda data: told, attack, epsilon, 0.0, lambda data: math.nan)

    return Scheme(trust, (0.0,), ALL, lambda data, setting, rng: found(data, rng), given)


def _attribute_epsilon(k: int) -> Callable[[float], float]:
    return lambda theta: math.log(theta * (k - 1) / (1 - theta))


def _coins(n_groups: int) -> Scheme:
    make = partial(schemes.coins, n_groups=n_groups)
    return Scheme(settings=THETAS, datasets=BITS, **_channel(make, lambda theta: theta))


SCHEMES: dict[str, Scheme] = {
    "clear": _line(
        "curator",
        lambda data: 1.0,
        math.inf,
        lambda data, rng: accuracy(data, schemes.mine_clear(data)),
    ),
    "larger class": _line(
        "nobody", lambda data: 0.0, 0.0, lambda data, rng: np.bincount(data.y).max() / len(data.y)
    ),
    "volunteers": _line(
        "nobody",
        lambda data: schemes.N_VOLUNTEERS / len(data.y),
        math.inf,
        schemes.volunteers_accuracy,
    ),
    "one coin an attribute": _coins(EACH),
    "4 groups": _coins(4),
    "2 groups": _coins(2),
    "one group": _coins(1),
    "k-ary response": Scheme(
        settings=(0.35, 0.4, 0.5, 0.6, 0.8),
        datasets=VALUES,
        **_channel(schemes.kary, _attribute_epsilon(4)),
    ),
    "unary encoding": Scheme(
        settings=(0.25, 0.5, 1.0, 2.0, 3.0),
        datasets=ALL,
        **_channel(schemes.unary, lambda epsilon: epsilon),
    ),
    "uniform noise": _noise("uniform"),
    "Gaussian noise": _noise("gaussian"),
    "Laplace noise": _noise("laplace"),
    "guided perturbation": _guided(),
    "BSVD": _svd((1, 2, 4), lambda rank: (int(rank), 0.0)),
    "SSVD": _svd((0.1, 0.3), lambda sparsity: (2, sparsity)),
    "invented records": _invented(),
    "central counts": _central(),
}
