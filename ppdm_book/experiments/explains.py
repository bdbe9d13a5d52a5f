"""How often the 95% intervals of disguised answers hold the truth: slopes, differences, shares.

``python -m ppdm_book.experiments explains`` writes the table ``explains`` (some minutes). A row is
400 surveys of ``n`` people with a coin of ``theta``. ``finite`` is the share of surveys whose
logistic fit ended without a warning; the other columns are the shares of surveys whose interval
holds the truth:

``slope``, ``group``
    coefficients .8 of a normal covariate and .5 of a group, of the finite fits.
``prior``
    the slope again, with ``prior_sd=2.5``, of all surveys.
``linear``
    the difference of the group's shares, .2 to .3, as the coefficient of the linear model.
``difference``
    the same difference by :func:`ppdm.regression.estimate_difference`.
``weighted``
    a share of .14, of whom a tenth that has more was asked nine times as often, by weights.
``clustered``
    the same share, from 30 clusters of people alike in each of the two strata.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from ppdm.exceptions import NegativeEstimateWarning, UnidentifiedWarning
from ppdm.randomized_response import RandomizedResponse, estimate_proportion
from ppdm.regression import (
    DisguisedLinearRegression,
    DisguisedLogisticRegression,
    estimate_difference,
)
from ppdm.typing import FloatArray, IntArray
from ppdm_book.experiments._tables import Row, Table, grid

SURVEYS = 400
SLOPES = (0.8, 0.5)


def reported(share: FloatArray, theta: float, rng: np.random.Generator) -> IntArray:
    """Return the reports of people who say yes in truth with these probabilities."""
    return (rng.random(share.size) < 1 - theta + (2 * theta - 1) * share).astype(np.intp)


def fitted(n: int, theta: float, rng: np.random.Generator) -> Row:
    """Return whether one survey's fits are finite, and which of their intervals hold the truth."""
    X = np.column_stack([rng.normal(size=n), rng.random(n) < 0.5]).astype(np.float64)
    reports = reported(1 / (1 + np.exp(1 - X @ SLOPES)), theta, rng)
    found: Row = {}
    for name, prior_sd in (("slope", None), ("prior", 2.5)):
        model = DisguisedLogisticRegression(RandomizedResponse(theta), prior_sd=prior_sd)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UnidentifiedWarning)
            low, high = model.fit(X, reports).interval()[0, 1:].T
        finite = float(not told)
        held = np.where(finite, (low <= SLOPES) & (high >= SLOPES), np.nan)
        found |= {"finite": finite} if name == "slope" else {}
        found |= {name: held[0]} | ({"group": held[1]} if name == "slope" else {})
    return found


def compared(n: int, theta: float, rng: np.random.Generator) -> Row:
    """Return which intervals hold the difference of two groups' shares."""
    second = np.arange(n) % 2
    reports = reported(np.where(second, 0.3, 0.2), theta, rng)
    a, b = (estimate_proportion(reports[second == g], theta) for g in (1, 0))
    coin = RandomizedResponse(theta)
    model = DisguisedLinearRegression(y_scheme=coin).fit(second[:, np.newaxis], reports)
    return {"linear": holds(model.interval()[1], 0.1),
            "difference": holds(estimate_difference(a, b).interval(), 0.1)}  # fmt: skip


def weighted(n: int, theta: float, rng: np.random.Generator) -> Row:
    """Return which intervals hold a share, of people drawn singly or in clusters."""
    rare = np.arange(n) * 2 // n
    clusters = np.arange(n) * 60 // n
    found = {}
    for name, alike in (("weighted", 0.0), ("clustered", 0.08)):
        own = rng.uniform(-alike, alike, 60)[clusters]
        reports = reported(np.where(rare, 0.5, 0.1) + own, theta, rng)
        drawn: dict[str, Any] = {"strata": rare} | ({"clusters": clusters} if alike else {})
        share = estimate_proportion(reports, theta, sample_weight=np.where(rare, 1, 9), **drawn)
        found[name] = holds(share.interval(), 0.14)
    return found


def holds(interval: FloatArray, truth: float) -> float:
    """Return 1 where an interval holds the truth, else 0."""
    return float(interval[0] <= truth <= interval[1])


def row(n: int, theta: float, seed: int) -> Row:
    """Draw surveys and count; an interval of a fit that is not finite is not counted."""
    rng = np.random.default_rng([45, n, round(100 * theta), seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NegativeEstimateWarning)
        each = [fitted(n, theta, rng) | compared(n, theta, rng) | weighted(n, theta, rng)
                for _ in range(SURVEYS)]  # fmt: skip
    return {name: float(np.nanmean([survey[name] for survey in each])) for name in each[0]}


cases = partial(grid, n=(300, 1000, 5000), theta=(0.6, 0.7, 0.8, 0.9), seed=range(5))
TABLES = (Table("explains", cases, row, digits=6),)
