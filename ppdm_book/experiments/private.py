"""Invented records with an epsilon, beside those without: accuracy, and who is found in them.

``python -m ppdm_book.experiments private`` writes two tables (some minutes). In
``private_release`` half of the records, drawn anew for each seed, is released, naive Bayes learns
from the release, and is tested on the clear other half; ``auc`` is that of the membership attack
by the nearest released record. Data are the bits of the frontier. The schemes:

``clear``, ``larger class``
    the half itself; nothing but which class is larger.
``invented``
    LX14's, with classifiers that learn from the codes.
``gaussian``
    one Gaussian for each class, rounded to codes.
``private tree``
    at an epsilon, with a delta of 1e-5.

In ``private_others`` the adversary knows all records but one, and that it is one of two of the same
class. ``success`` is that of :func:`ppdm.attacks.leave_one_out`, on the counts of all pairs, with
ten targets a release. ``matched`` is another adversary's, of all records: he takes all others'
counts off the released ones, and asks which of the two is nearer to what is left. In ``matched_16``
the release is 16 times as large.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ppdm.attacks import leave_one_out, membership_inference
from ppdm.exceptions import MissingClassWarning
from ppdm.generation import GaussianSampleGenerator, PrivateTreeGenerator, SampleGenerator
from ppdm.naive_bayes import CountNB
from ppdm.typing import AnyArray, FloatArray, IntArray
from ppdm_book.experiments._frontier_data import load
from ppdm_book.experiments._tables import Row, Table, grid

DATASETS = ("voting", "wisconsin")
SEEDS = range(20)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
PLAIN = ("clear", "larger class", "invented", "gaussian")
N_TARGETS, N_DRAWS = 10, 8
#: Of the private tree, whose bound on odds holds but for a probability.
DELTA = 1e-5


def invented_from() -> list[Any]:
    """Return the classifiers of LX14's first step, for codes; learning draws nothing.

    The tree is not pruned, as ``default_estimators`` prunes LX14's: it learns more of each
    person, and one who learns it again tells more of them apart.
    """
    return [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(n_neighbors=1)]


def release(
    scheme: str, epsilon: float, dataset: str, rows: IntArray, rng: np.random.Generator
) -> tuple[AnyArray, IntArray]:
    """Publish these records by one scheme."""
    data = load(dataset).take(rows)
    if scheme == "clear":
        return data.X, data.y
    generators = {
        "invented": SampleGenerator(invented_from()),
        "gaussian": GaussianSampleGenerator(),
        "private tree": PrivateTreeGenerator(data.k, epsilon, DELTA),
    }
    with warnings.catch_warnings():  # much noise may lose a class
        warnings.simplefilter("ignore", MissingClassWarning)
        X, y = generators[scheme].set_params(random_state=rng).fit_resample(data.X, data.y)
    return np.clip(np.rint(X), 0, data.k - 1).astype(np.intp), y


def release_row(dataset: str, scheme: str, epsilon: float, seed: int) -> Row:
    """Release one half, learn from it, and look for its records in it."""
    data = load(dataset)
    rng = np.random.default_rng([42, seed])
    half, other = np.array_split(rng.permutation(len(data.y)), 2)
    if scheme == "larger class":
        larger = np.bincount(data.y[half]).argmax()
        return {"accuracy": (data.y[other] == larger).mean(), "auc": np.nan}
    X, y = release(scheme, epsilon, dataset, half, rng)
    if len(np.unique(y)) == 1:
        found = np.full(len(other), y[0])
    else:
        found = CountNB(n_values=data.k).fit(X, y).predict(data.X[other])
    attack = membership_inference(X, data.X[half], data.X[other])
    return {"accuracy": (found == data.y[other]).mean(), "auc": attack.auc}


def pair_counts(X: AnyArray, y: AnyArray) -> FloatArray:
    """Count all pairs of bits, the class being one of them, and the bits alone."""
    bits = np.column_stack([y, X]).astype(np.float64)
    return bits.T @ bits


def matched(counts: FloatArray, X: AnyArray, y: AnyArray, rng: np.random.Generator) -> FloatArray:
    """Tell each record from another of its class, knowing all the others.

    Parameters
    ----------
    counts : ndarray of shape (d + 1, d + 1)
        Released counts of pairs, on the scale of the data.
    X, y : ndarray of shapes (n, d) and (n,)
        The true bits and classes.
    rng : numpy.random.Generator
        Draws the other record.

    Returns
    -------
    ndarray of shape (n,)
        1 for a target that is told, 1/2 where the two are level.
    """
    others = np.empty(len(y), dtype=np.intp)
    for label in np.unique(y):
        inside = np.flatnonzero(y == label)
        others[inside] = inside[rng.integers(inside.size, size=inside.size)]
    left = counts - pair_counts(X, y)  # without the target: plus its own pairs
    true, false = (np.column_stack([y, people]).astype(np.float64) for people in (X, X[others]))
    # |left + tt' - ss'|^2 for the two candidates s: the true one leaves |left|^2
    shared = (true * false).sum(axis=1) ** 2
    size = (true**2).sum(axis=1) ** 2 + (false**2).sum(axis=1) ** 2 - 2 * shared
    along = [np.einsum("ij,jk,ik->i", z, left, z) for z in (true, false)]
    gap = 2 * (along[0] - along[1]) + size
    return np.where(size == 0, 0.5, (np.sign(gap) + 1) / 2)


def others_row(dataset: str, epsilon: float, seed: int) -> Row:
    """Attack one release as one who knows all other records."""
    data = load(dataset)
    rng = np.random.default_rng([43, seed])
    n = len(data.y)
    table = np.column_stack([data.y, data.X])

    def publish(records: AnyArray, rng: np.random.Generator) -> FloatArray:
        generator = PrivateTreeGenerator(data.k, epsilon, DELTA, random_state=rng)
        X, y = generator.fit_resample(records[:, 1:], records[:, 0])
        return pair_counts(X, y)[np.triu_indices(table.shape[1])]

    targets = rng.choice(n, N_TARGETS, replace=False)
    told = leave_one_out(publish, table, targets=targets, n_draws=N_DRAWS, random_state=rng)
    counted = {}
    for name, times in (("matched", 1), ("matched_16", 16)):
        generator = PrivateTreeGenerator(data.k, epsilon, DELTA, times * n, random_state=rng)
        counts = pair_counts(*generator.fit_resample(data.X, data.y)) / times
        counted[name] = matched(counts, data.X, data.y, rng).mean()
    return {"success": told.success, **counted}


def release_cases() -> Iterator[Row]:
    """Name the rows: what has no epsilon, then the tree at four."""
    for dataset in DATASETS:
        yield from grid(dataset=[dataset], scheme=PLAIN, epsilon=[np.inf], seed=SEEDS)
        yield from grid(dataset=[dataset], scheme=["private tree"], epsilon=EPSILONS, seed=SEEDS)


others_cases = partial(grid, dataset=DATASETS, epsilon=(1.0, 4.0), seed=range(10))
TABLES = (
    Table("private_release", release_cases, release_row, digits=6),
    Table("private_others", others_cases, others_row, digits=6),
)
