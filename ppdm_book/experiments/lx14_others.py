"""Leave one out on invented records: who knows all the others learns the classifiers again.

A released record was drawn at random, but its class is what classifiers said that had learned
the true records (LX14, section 2). They draw nothing. So an adversary who knows every record
but one puts a candidate in its place, trains them again, and asks them for the classes of the
released records. The true candidate gives all of them; another may give one differently, and is
then ruled out for certain. Candidates who give the same are level. (The volume where the
classifiers agree would tell a little more; this adversary leaves it out.)

``python -m ppdm_book.experiments lx14_others`` writes the table lx14_others, one row a release:
20 training records, each told from another of its class. ``success`` is the share that is told,
ties counting one half: 1/2 is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from ppdm.attacks import leave_one_out
from ppdm.datasets import load_voting
from ppdm.generation import default_estimators
from ppdm.typing import AnyArray, FloatArray, IntArray
from ppdm_book.experiments import lx14
from ppdm_book.experiments._tables import Row, Table, grid

TRIALS = 10
N_TARGETS = 20


def told_apart(
    estimators: Sequence[Any],
    X: AnyArray,
    y: AnyArray,
    released: AnyArray,
    targets: IntArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Tell each target from another record of its class.

    Parameters
    ----------
    estimators : sequence of classifiers
        Those of the first step; learning draws nothing.
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        The true records and their classes, which are public.
    released : ndarray of shape (m, d)
        The invented records.
    targets : ndarray of int
        Rows of X.
    rng : numpy.random.Generator
        Draws the other record for each target.

    Returns
    -------
    ndarray of shape (n_targets,)
        1 for a target told from the other, 1/2 where both explain the release; class by class.
    """
    classes = np.unique(y)
    credits = []
    for label in np.unique(y[targets]):
        inside = y == label

        def relearn(people: AnyArray, _: Any, inside: AnyArray = inside) -> AnyArray:
            everybody = X.copy()
            everybody[inside] = people
            says = [clone(e).fit(everybody, y).predict(released) for e in estimators]
            return np.searchsorted(classes, says)

        rows = np.searchsorted(np.flatnonzero(inside), targets[y[targets] == label])
        credits.append(leave_one_out(relearn, X[inside], targets=rows, random_state=rng).credits)
    return np.concatenate(credits)


def train(dataset: str, trial: int) -> tuple[AnyArray, AnyArray]:
    """Return LX14's training records, or all members of the House."""
    if dataset == "voting":
        votes, party = load_voting(fill="mode", return_X_y=True)
        return votes, party
    X, y, *_ = lx14.split(dataset, trial)
    return X, y


def row(dataset: str, parameter: float, trial: int) -> Row:
    """Attack one release of ``parameter`` times as many records as there were."""
    X, y = train(dataset, trial)
    released, *_ = lx14.release((dataset, "generator", parameter, trial), X, y)
    rng = np.random.default_rng([lx14.SEED, trial, round(parameter)])
    targets = rng.choice(len(X), N_TARGETS, replace=False)
    credits = told_apart(default_estimators(), X, y, released, targets, rng)
    return {"success": credits.mean()}


cases = partial(
    grid, dataset=("pima", "iris", "voting"), parameter=(1.0, 4.0, 16.0), trial=range(TRIALS)
)
TABLES = (Table("lx14_others", cases, row, digits=6),)
