"""The schemes of the comparison: each one's settings, its miner, and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ppdm.guidance import bit_probabilities
from ppdm.privacy import (
    degree_of_disclosure,
    gaussian_epsilon,
    local_epsilon,
    value_difference,
)
from ppdm.typing import FloatArray
from ppdm_book.experiments import _frontier_noise as noises
from ppdm_book.experiments import _frontier_privacy as privacy
from ppdm_book.experiments import _frontier_schemes as schemes
from ppdm_book.experiments._frontier_data import BITS, VALUES, Data, Miner, accuracy, load
from ppdm_book.experiments._frontier_privacy import Attack, Told
from ppdm_book.experiments._frontier_schemes import DELTA

THETAS = (0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
#: At 95%, in ranges.
PRIVACIES = (0.25, 0.5, 1.0, 2.0)
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


def _channel(
    make: Callable[..., Any],
    own: Callable[[float], float],
    mine: Callable[[Data, Any], Miner] = schemes.mine_channel,
) -> dict[str, Any]:
    """Describe a scheme that sends codes through ``make(data, setting, rng=)``, a channel."""

    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            noisy = make(data, setting, rng=np.random.default_rng([seed, 2]))
            return _read(noisy, lambda people: noisy.transform(people.X), dataset, seed)

        known = make(data, setting)
        told = partial(privacy.told_by_channel, known)
        return Given(told, attack, local_epsilon(known), 0.0, lambda data: own(setting))

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, mine(data, make(data, setting, rng=rng)))

    return {"trust": "nobody", "accuracy": found, "given": given}


def _by_counts(data: Data, noise: Any, rng: np.random.Generator) -> float:
    return accuracy(data, noises.mine_noise(data, noise))


def _noise(
    make: Callable[..., Any],
    bound: Callable[[Any, FloatArray], tuple[float, float]],
    settings: tuple[float, ...] = PRIVACIES,
    found: Callable[[Data, Any, np.random.Generator], float] = _by_counts,
) -> Scheme:
    """Describe noise on values; ``bound`` is epsilon and delta of the noise, given the ranges."""

    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            noisy = make(data, setting, rng=np.random.default_rng([seed, 2]))
            return _read(channel, lambda people: noisy.transform(people.values), dataset, seed)

        noise = make(data, setting)
        channel = noises.between_intervals(noise, data)
        epsilon, delta = bound(noise, data.edges[:, -1] - data.edges[:, 0])
        told = partial(privacy.told_by_channel, channel)
        return Given(told, attack, epsilon, delta, lambda data: setting)

    def learned(data: Data, setting: float, rng: np.random.Generator) -> float:
        return found(data, make(data, setting, rng=rng), rng)

    return Scheme("nobody", settings, VALUES, learned, given)


def _uniform(**options: Any) -> Scheme:
    make = partial(noises.additive, kind="uniform")
    return _noise(make, lambda noise, width: (math.inf, 0.0), **options)


def _gaussian(**options: Any) -> Scheme:
    make = partial(noises.additive, kind="gaussian")
    return _noise(
        make, lambda noise, width: (gaussian_epsilon(DELTA, noise.scale_, width), DELTA), **options
    )


def _laplace() -> Scheme:
    make = partial(noises.additive, kind="laplace")
    return _noise(make, lambda noise, width: (float((width / noise.scale_).sum()), 0.0))


def _square_wave() -> Scheme:
    return _noise(
        noises.square_wave,
        lambda wave, width: (wave.epsilon * len(width), 0.0),
        (0.5, 1.0, 2.0, 4.0),
    )


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


def _curator(
    settings: tuple[float, ...],
    mine: Callable[[Data, float, np.random.Generator], Miner],
    attack: Callable[[Data, float, int], Attack],
    own: Callable[[Data, float], float] = lambda data, setting: setting,
    epsilon: Callable[[float], float] = lambda setting: setting,
    delta: float = 0.0,
) -> Scheme:
    """Describe a curator's release; its setting is epsilon unless ``epsilon`` says otherwise."""

    def given(data: Data, setting: float) -> Given:
        return Given(
            lambda data: privacy.UNDEFINED,
            lambda dataset, seed: attack(load(dataset), setting, seed),
            epsilon(setting),
            delta,
            lambda data: own(data, setting),
        )

    def found(data: Data, setting: float, rng: np.random.Generator) -> float:
        return accuracy(data, mine(data, setting, rng))

    return Scheme("curator", settings, ALL, found, given)


def _svd(settings: tuple[float, ...], arguments: Callable[[float], tuple[int, float]]) -> Scheme:
    def publish(data: Data, setting: float) -> Any:
        return schemes.release_svd(data, *arguments(setting))

    return _curator(
        settings,
        lambda data, setting, rng: schemes.mine_svd(data, *arguments(setting)),
        lambda data, setting, seed: privacy.telling_apart(
            partial(publish, setting=setting), data, seed
        ),
        lambda data, setting: value_difference(data.X, publish(data, setting)),
        lambda setting: math.inf,
    )


def _invented() -> Scheme:
    def own(data: Data, setting: float) -> float:
        released, _ = schemes.release_invented(data, setting, np.random.default_rng(0))
        return value_difference(data.X, released)

    # the labels are those of classifiers that learned the records: no epsilon
    learned = schemes.mine_invented, privacy.telling_from_invented
    return _curator((1.0,), *learned, own, lambda setting: math.inf)


def _line(
    trust: str,
    share: Callable[[Data], float],
    epsilon: float,
    found: Callable[..., float],
    datasets: tuple[str, ...] = ALL,
) -> Scheme:
    """Describe a line: a share of the people disclose all, the others nothing."""

    def given(data: Data, setting: float) -> Given:
        def attack(dataset: str, seed: int) -> Attack:
            guess = privacy.blind(dataset)
            return Attack("reading", share(data) * (1 - guess), guess)

        told = Told(share(data), share(data))
        return Given(lambda data: told, attack, epsilon, 0.0, lambda data: math.nan)

    return Scheme(trust, (0.0,), datasets, lambda data, setting, rng: found(data, rng), given)


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
    "uniform noise": _uniform(),
    "Gaussian noise": _gaussian(),
    "Laplace noise": _laplace(),
    "guided perturbation": _guided(),
    "BSVD": _svd((1, 2, 4), lambda rank: (int(rank), 0.0)),
    "SSVD": _svd((0.1, 0.3), lambda sparsity: (2, sparsity)),
    "invented records": _invented(),
    "central counts": _curator(
        (0.1, 0.3, 1.0, 3.0, 10.0), schemes.mine_central, privacy.telling_from_counts
    ),
    # a row draws by its scheme's place in this list: what is new comes last
    "one asked": Scheme(
        settings=(0.5, 1.0, 2.0, 4.0),
        datasets=BITS,
        **_channel(schemes.one_asked, lambda epsilon: epsilon, schemes.mine_asked),
    ),
    "Square Wave": _square_wave(),
    "trees on uniform noise": _uniform(found=noises.trees_on_noise),
    "trees on Gaussian noise": _gaussian(found=noises.trees_on_noise),
    "tree on clear records": _line(
        "curator", lambda data: 1.0, math.inf, lambda data, rng: noises.tree_on_clear(data), VALUES
    ),
    "private tree": _curator(
        (0.5, 1.0, 2.0, 4.0), schemes.mine_private, privacy.telling_from_private, delta=DELTA
    ),
}
