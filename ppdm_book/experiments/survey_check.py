"""How much honest guidance reads: what the survey's client warns of though nobody attacks.

``python -m ppdm_book.experiments survey_check`` writes the table ``survey_check`` (ten minutes). A
row is one survey from its start on: the guidance of its last epoch, or its guidance of a given
level, and the most that it reads of any answer, of anybody and of those who answer much like one
of the respondents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from ppdm.datasets import load_adult_binary, load_breast_cancer_wisconsin, load_voting
from ppdm.guidance import answers_read, one_hot
from ppdm.protocol import DataMiner, collect, draw_levels
from ppdm.typing import IntArray
from ppdm_book.experiments._tables import Row, Table, grid

Schema = Literal["votes", "adult", "wisconsin", "twenty"]
Start = Literal["clear", "coins"]
SCHEMAS: tuple[Schema, ...] = ("votes", "adult", "wisconsin", "twenty")
STARTS: tuple[Start, ...] = ("clear", "coins")
SEEDS = range(125)
#: Of these levels the votes' guidance is measured, too, whatever k* is; 0 stands for k*.
LEVELS, LEVEL_SEEDS = (3, 4, 6, 10, 16), range(10)
#: Records of a population that is larger.
PEOPLE = 600


def population(schema: Schema, seed: int) -> tuple[tuple[int, ...], IntArray, IntArray]:
    """Return the numbers of values, the tuples and the classes of a survey's respondents.

    The votes; Adult as 14 questions of two values; Wisconsin's nine cut at 3 and 6; and twenty
    questions of two values, of which each class gives the one with a probability of its own.
    """
    rng = np.random.default_rng([seed, SCHEMAS.index(schema)])
    if schema == "votes":
        votes = load_voting(random_state=seed)
        X, y = votes.data, votes.target
    elif schema == "adult":
        adult = load_adult_binary()
        some = rng.permutation(len(adult.data))[:PEOPLE]
        X, y = adult.data[some], adult.target[some]
        asked = np.ptp(adult.data, axis=0) > 0
        X = X[:, asked]
    elif schema == "wisconsin":
        cells = load_breast_cancer_wisconsin()
        X = np.digitize(np.nan_to_num(cells.data, nan=1.0), [3, 6])
        y = cells.target
    else:
        y = rng.integers(0, 2, PEOPLE)
        X = rng.random((PEOPLE, 20)) < rng.beta(3, 3, (2, 20))[y]
    X = np.asarray(X).astype(int)
    sizes = tuple((X.max(axis=0) + 1).clip(2).tolist())
    return sizes, one_hot(X, sizes), (y == np.unique(y)[1]).astype(int)


def row(schema: Schema, start: Start, seed: int, level: int) -> Row:
    """Run one survey: the level k of its guidance, and the largest share that is read right."""
    sizes, T, y = population(schema, seed)
    rng = np.random.default_rng([seed, 99])
    order = rng.permutation(len(T))
    miner = DataMiner(sizes, mu=0.15, batch_size=100)
    if start == "coins":
        miner.bootstrap_random(len(sizes), random_state=seed)  # the default of `ppdm_survey`
    levels = draw_levels(len(T), sum(sizes), random_state=rng)
    collect(miner, T[order], y[order], levels, random_state=rng)
    V = miner.guidance.vectors(level) if level else miner.guides[-1]
    person = T[rng.integers(len(T))]
    anybody, alike = (
        float(answers_read(V, sizes, record=record, random_state=rng).max())
        for record in (None, person)
    )
    return {
        "n_received": miner.n_received, "k": V.shape[1], "anybody": anybody, "alike": alike
    }


def keys() -> Iterator[Row]:
    """Name the rows of the table."""
    for seed in SEEDS:
        yield from grid(schema=SCHEMAS, start=STARTS, seed=[seed], level=[0])
    for seed in LEVEL_SEEDS:
        yield from grid(schema=["votes"], start=STARTS, seed=[seed], level=LEVELS)


TABLES = (Table("survey_check", keys, row, digits=4),)
