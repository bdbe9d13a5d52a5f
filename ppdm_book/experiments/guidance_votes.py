"""Naive Bayes on perturbed votes at every level, beside every definition of disclosure.

``python -m ppdm_book.experiments guidance_votes`` writes the table ``guidance_votes`` (a minute or
two): ZWZ05, Figure 4. A chapter computes one row again with ``row(order, k, seed)``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ppdm.classifiers import GuidedNB
from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, bit_probabilities, one_hot, perturb
from ppdm.privacy import attribute_disclosure, degree_of_disclosure
from ppdm.typing import Order
from ppdm_book.experiments import _tables

N_VALUES = (2,) * 16
SEEDS = range(10)
LEVELS = range(1, 18)
#: Draws of R(t) a row, and of the posterior where disclosure cannot be enumerated.
DRAWS, SAMPLES = 20, 4_000


def row(order: Order, k: int, seed: int) -> _tables.Row:
    """Compute one row, with V of the clear tuples' A; all 435 members train and, clear, test."""
    rng = np.random.default_rng([seed, k])
    votes = load_voting(random_state=seed)
    T, y = one_hot(votes.data, N_VALUES), votes.target
    V = Guidance(T.shape[1], order).update(T, y).vectors(k)
    P = bit_probabilities(T, V)
    scores = [
        GuidedNB(N_VALUES).fit(perturb(T, V, random_state=rng), y).score(T, y) for _ in range(DRAWS)
    ]
    joint, given = (
        degree_of_disclosure(T, P, y=classes, n_samples=SAMPLES, random_state=rng)
        for classes in (None, y)
    )
    attribute, attribute_given = (
        np.mean([d.degree for d in attribute_disclosure(T, P, N_VALUES, y=classes)])
        for classes in (None, y)
    )
    return {
        "accuracy": float(np.mean(scores)),
        "accuracy_sd": float(np.std(scores, ddof=1)),
        "joint": joint.degree,
        "joint_error": joint.standard_error,
        "joint_given_class": given.degree,
        "attribute": float(attribute),
        "attribute_given_class": float(attribute_given),
    }


keys = partial(_tables.grid, order=("magnitude", "signed"), k=LEVELS, seed=SEEDS)
TABLES = (_tables.Table("guidance_votes", keys, row),)
