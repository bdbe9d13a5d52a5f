"""Schemes against simpler forms of themselves.

What an elaborate scheme costs beside the plain one, on the same records in the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from _rows import row
from numpy.typing import NDArray

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, load_pima, make_agrawal
from ppdm.generation import SampleGenerator
from ppdm.guidance import Guidance, one_hot, perturb
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import reconstruct_distribution
from ppdm_book.experiments.as00 import disguise, draw
from ppdm_book.experiments.mixture import new_tree

SEED, BATCH, LEVEL = 0, 100, 8
N_VALUES, NOMINAL = (4, 4, 4, 5, 4, 9, 4, 4, 4), (3, 5)


def against_byclass(n: int, other: str) -> tuple[Any, Any]:
    X, y, *_ = draw(2, 0)
    X, y = X[:n], y[:n]
    noise, Z = disguise(X, "gaussian", 1.0, 0)
    byclass = ReconstructedTreeClassifier(noise, "byclass", integer_features=AGRAWAL_INTEGER)
    if other == "local":
        tree = ReconstructedTreeClassifier(noise, "local", integer_features=AGRAWAL_INTEGER)
    else:
        tree = new_tree(other, noise, AGRAWAL_INTEGER, 0)
    return partial(tree.fit, Z, y), partial(byclass.fit, Z, y)


@row("Local, 100,000 x 9 floats, Gaussian noise", "ByClass",
     target=5.0, n=100_000, small=20_000, repeats=3)  # fmt: skip
def local(n: int) -> tuple[Any, Any]:
    return against_byclass(n, "local")


@row("mixture, fast form, 100,000 x 9 floats, Gaussian noise", "ByClass",
     target=2.5, n=100_000, small=20_000, repeats=3)  # fmt: skip
def mixture(n: int) -> tuple[Any, Any]:
    return against_byclass(n, "fast")


@row("guidance, a refresh every 100 of 100,000 tuples of 42 bits", "ByClass's reconstruction",
     target=None, n=100_000, small=20_000, repeats=3)  # fmt: skip
def guidance(n: int) -> tuple[Any, Any]:
    X, y = make_agrawal(n, 3, random_state=0)
    cuts = [
        None if j in NOMINAL else np.quantile(column, [0.25, 0.5, 0.75])
        for j, column in enumerate(X.T)
    ]
    T = one_hot(X, N_VALUES, cuts=cuts)
    R = perturb(T, Guidance(T.shape[1]).update(T, y).vectors(LEVEL), random_state=1)
    noise = AdditiveNoise("gaussian", domain=AGRAWAL_DOMAIN, random_state=2).fit(X)
    released = noise.transform(X)
    intervals = np.linspace(AGRAWAL_DOMAIN[:, 0], AGRAWAL_DOMAIN[:, 1], 101, axis=1)

    def guide() -> None:
        held = Guidance(R.shape[1])
        for start in range(0, len(R), BATCH):
            held.update(R[start : start + BATCH], y[start : start + BATCH])
            held.vectors(held.disclosure_level())

    def reconstruct() -> None:
        for j, edges in enumerate(intervals):
            reconstruct_distribution(released[:, j], noise, edges, labels=y, feature=j)

    return guide, reconstruct


def loop(estimators: Sequence[Any], box: NDArray[Any], n: int) -> list[NDArray[Any]]:
    """Return n records by the loop of LX14, Fig. 1."""
    rng = np.random.default_rng(SEED)
    low, width = box[:, 0], box[:, 1] - box[:, 0]
    records: list[NDArray[Any]] = []
    while len(records) < n:
        candidate = low + rng.random(len(box)) * width
        votes = [estimator.predict(candidate[None])[0] for estimator in estimators]
        if all(vote == votes[0] for vote in votes):
            records.append(candidate)
    return records


@row("sample generation, 768 records of Pima", "the paper's loop over candidates",
     target=0.01, n=768, small=768, repeats=3)  # fmt: skip
def generation(n: int) -> tuple[Any, Any]:
    X, y = load_pima(return_X_y=True)
    # a Generator: an int would be a stream of the scheme's own
    generator = SampleGenerator(random_state=np.random.default_rng(SEED)).fit(X, y)
    alone = partial(loop, generator.estimators_, generator.box_, n)
    np.testing.assert_array_equal(generator.sample()[0], alone())  # the same release
    return generator.sample, alone


@row("make_agrawal, 50,000 records", "river's generator",
     target=0.01, n=50_000, small=10_000, repeats=3)  # fmt: skip
def agrawal(n: int) -> tuple[Any, Any]:
    from river.datasets import synth

    return (
        partial(make_agrawal, n, 2, random_state=0),
        lambda: list(synth.Agrawal(classification_function=1, seed=0).take(n)),
    )
