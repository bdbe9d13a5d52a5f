"""A dry run: what a survey's own file would give with so many people, before anybody is asked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from ppdm.classifiers import GuidedNB
from ppdm.guidance import answers_read, one_hot
from ppdm.protocol import DataMiner, collect, draw_levels
from ppdm.typing import FloatArray, IntArray
from ppdm_survey._app import report
from ppdm_survey._coin import WHOLE, CoinChannel, Tally, grouped
from ppdm_survey._schema import Survey

#: Surveys that are simulated: the mean of so many errs half as much as that of a hundred.
SURVEYS = 400

#: Random starts that are drawn until both classes occur and fewer than all directions are asked.
_STARTS = 1000

#: Of the classes in a dry run, the larger one's part of the people.
_LARGER = 0.6

#: By so much a classifier must beat always naming the larger class, or a survey is not worth it.
_WORTH = 0.02


class Forecast(NamedTuple):
    """What a dry run found: means over surveys, how far these may be off, and what to say of it."""

    numbers: dict[str, float]
    errors: dict[str, float]
    """The means' standard errors: more surveys make them smaller."""
    lines: list[str]
    advised: bool


def start_seed(survey: Survey, n: int, *, mu: float, batch_size: int, seed: int | None) -> int:
    """Return the first seed whose random start has both classes and asks for fewer than all bits.

    Raises
    ------
    ValueError
        If none of many does.
    """
    first = int(np.random.default_rng().integers(2**31)) if seed is None else seed
    for each in range(first, first + _STARTS):
        miner = DataMiner(survey.n_values, mu=mu, batch_size=batch_size, keep=False)
        miner.bootstrap_random(n, random_state=each)
        guidance = miner.guidance
        if guidance.A0.any() and guidance.A1.any() and miner.inquire().k < survey.n_bits:
            return each
    raise ValueError(f"random_start must give both classes and ask for fewer than all directions, "
                     f"got none in {_STARTS} starts of {n} tuples")


#: How a question begins that another one seems to lead to: it says whom it is not put to, or means
#: by a word what stands before.
_LED_TO = re.compile(r"\b(if (so|yes|not|no)|did you report|wenn (ja|nein)|falls)\b|\b(it|them)\?$",
                     re.IGNORECASE)


def check_coin(survey: Survey, channel: CoinChannel, people: int, margin: float, *,
               batch_size: int = 1, surveys: int = SURVEYS, seed: int = 0) -> Forecast:
    """Simulate a coin survey and say which margins are to be expected."""
    rng = np.random.default_rng([seed, *b"check"])
    asked = survey.attributes
    private = [j for j, one in enumerate(asked) if not one.open]
    opened = [one.open for one in asked]
    widths, alone, by_group = np.zeros((surveys, len(private))), 0, list[Sequence[float]]()
    for row in tqdm(widths, "check", leave=False, disable=None):
        codes = _records(rng, _shares(rng, survey), people)
        alone += int((np.unique(codes[:, opened], axis=0, return_counts=True)[1] == 1).sum())
        tally = Tally(channel)
        tally.add(channel.report(codes, rng.integers(0, WHOLE, (people, channel.n_words))))
        # nobody asked: anything may be
        row[:] = np.nan_to_num([tally.question(j).margins.max() for j in private], nan=1.0)
        if shown := [*chain(*grouped(survey, tally, margin).values())]:
            margins = [one["margin"] for one in shown]
            by_group.append((min(margins), max(margins), min(one["n"] for one in shown)))
    expected = widths.mean(axis=0)
    worst = private[expected.argmax()]
    # a share of evenly given answers cannot be told from nobody's
    needed = [channel.people_for(1 / asked[j].n_values, j) for j in private]
    lost = [asked[j].name for j, n in zip(private, needed, strict=True) if people < n]
    right = {j: one.chances[0] if one.kind == "k-ary" else _bits_read(*one.chances, one.n_values)
             for j, one in enumerate(channel.columns) if j in private}
    best = max(private, key=lambda j: right[j] - 1 / asked[j].n_values)
    seems = [one.name for one in survey.attributes
             if _LED_TO.search(one.label) and not one.may_not_apply]
    lines = report("check_coin.txt", survey, people=people, channel=channel, margin=margin,
                   least=expected.min(), most=expected.max(), lost=lost, enough=max(needed),
                   worst=survey.attributes[worst].name, more=channel.people_for(margin, worst),
                   best=survey.attributes[best].name, read=right[best], seems=seems, n=len(private),
                   guess=1 / survey.n_values[best], batch_size=batch_size, liars=people / 100,
                   opened=[one.name for one in asked if one.open], alone=alone / surveys,
                   by_group=np.mean(by_group, axis=0) if by_group else None)
    numbers = {"margin": float(expected.max()), "read": right[best]}
    error = float(widths[:, expected.argmax()].std()) / surveys**0.5
    return Forecast(numbers, {"margin": error, "read": 0.0}, lines, not lost)


def check_guided(survey: Survey, people: int, *, mu: float, batch_size: int, start: int,
                 surveys: int = SURVEYS, seed: int = 0) -> Forecast:
    """Simulate a survey by guided perturbation: who is served, what is learnt, what is read."""
    rng = np.random.default_rng([seed, *b"check"])
    rounds = tqdm(range(surveys), "check", leave=False, disable=None)
    found = np.array([_guided(survey, people, mu, batch_size, start, rng) for _ in rounds])
    names = ("served", "level", "accuracy", "read")
    numbers = dict(zip(names, found.mean(axis=0).tolist(), strict=True))
    errors = dict(zip(names, (found.std(axis=0) / surveys**0.5).tolist(), strict=True))
    learnt = numbers["accuracy"] > _LARGER + max(_WORTH, 2 * errors["accuracy"])
    advised = learnt and numbers["served"] >= 0.5
    lines = report("check_guided.txt", survey, **numbers, errors=errors, surveys=surveys,
                   batch_size=batch_size, nobody=(found[:, 0] == 0).sum(), larger=_LARGER,
                   learnt=learnt, advised=advised)
    return Forecast(numbers, errors, lines, advised)


def _guided(survey: Survey, people: int, mu: float, batch_size: int, start: int,
            rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Return one survey's share served, first level, accuracy, and the answer read best."""
    miner = DataMiner(survey.n_values, mu=mu, batch_size=batch_size)
    if start:
        seed = start_seed(survey, start, mu=mu, batch_size=batch_size,
                          seed=int(rng.integers(2**31)))
        miner.bootstrap_random(start, random_state=seed)
    first = miner.inquire()
    read = answers_read(miner.ready(first.epoch).V, survey.n_values, random_state=rng).max()
    shares = [list(_shares(rng, survey)) for _ in range(2)]
    y = (rng.random(people + 1000) >= _LARGER).astype(np.int64)
    each = [_records(rng, of, len(y)) for of in shares]  # answers depend on the class
    T = one_hot(np.where(y[:, np.newaxis] == 1, each[1], each[0]), survey.n_values)
    levels = draw_levels(people, survey.n_bits, random_state=rng)
    result = collect(miner, T[:people], y[:people], levels, random_state=rng)
    served = float((result.epoch >= 0).mean())
    R, labels = miner.training_set()
    whole = len(R) // batch_size * batch_size  # nothing is learnt from an epoch that is not over
    accuracy = _LARGER
    if whole:
        learner = GuidedNB(survey.n_values).partial_fit(R[:whole], labels[:whole], classes=[0, 1])
        accuracy = float((learner.predict(T[people:]) == y[people:]).mean())
    return served, float(first.k), accuracy, float(read)


def _bits_read(own: float, other: float, k: int) -> float:
    """Return how often the likeliest of k values is right from unary encoding's bits."""
    # a set bit is drawn among those of the others that are set, too; where none is, any value
    alone = (1 - (1 - other) ** k) / (k * other)  # the mean of 1 / (1 + so many others)
    return own * alone + (1 - own) * (1 - other) ** (k - 1) / k


def _shares(rng: np.random.Generator, survey: Survey) -> Iterator[FloatArray]:
    """Draw the shares of each question's answers: none is very rare."""
    return (rng.dirichlet(np.full(k, 5.0)) for k in survey.n_values)


def _records(rng: np.random.Generator, shares: Iterable[FloatArray], n: int) -> IntArray:
    """Draw n records whose answers have these shares."""
    return np.column_stack([rng.choice(len(one), n, p=one) for one in shares])
