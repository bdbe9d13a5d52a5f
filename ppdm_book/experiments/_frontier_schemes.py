"""What each scheme of the comparison releases, and what the miner estimates from it.

A provider's scheme disguises every record once; folds choose among the disguised ones. A
curator's scheme releases something about the records of the fold's training set.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ppdm.classifiers import RandomizedResponseNB
from ppdm.exceptions import MissingClassWarning
from ppdm.generation import PrivateTreeGenerator, SampleGenerator
from ppdm.guidance import Guidance, bit_probabilities, one_hot
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation
from ppdm.typing import Codes, FloatArray, Groups, IntArray
from ppdm_book.experiments._frontier_data import Counts, Data, Miner, classify, count, sizes_of

#: Volunteers: the clear records with which guided perturbation begins.
N_VOLUNTEERS = 50
#: Of schemes whose bound on odds holds but for a probability.
DELTA = 1e-5


def groups_of(n_features: int, n_groups: int) -> Groups:
    """Return neighbouring attributes in so many groups, as even as they go."""
    return [part.tolist() for part in np.array_split(np.arange(n_features), n_groups)]


def coins(data: Data, theta: float, n_groups: int, rng: Any = None) -> RandomizedResponse:
    """Bits with a coin for each group; of so many groups as attributes, a coin for each."""
    d = data.X.shape[1]
    groups = groups_of(d, min(n_groups, d))
    return RandomizedResponse(theta, groups, random_state=rng).fit(data.X)


def one_asked(data: Data, epsilon: float, rng: Any = None) -> RandomizedResponse:
    """Ask one bit of each record, drawn by lot, at the whole epsilon of the record."""
    theta = float(expit(epsilon))
    return RandomizedResponse(theta, asked=1, random_state=rng).fit(data.X)


def unary(data: Data, epsilon: float, rng: Any = None) -> UnaryEncoding:
    """Unary encoding, epsilon an attribute."""
    return UnaryEncoding(data.k, epsilon, random_state=rng).fit(data.X)


def kary(data: Data, theta: float, rng: Any = None) -> CategoricalRandomizedResponse:
    """Codes kept with probability theta."""
    return CategoricalRandomizedResponse(data.k, theta, random_state=rng).fit(data.X)


def mine_channel(data: Data, scheme: Any) -> Miner:
    """Disguise once; the counts are undone by the channel's own inverse."""
    codes = scheme.codes(scheme.transform(data.X))
    inverse = [scheme.inverse_matrix(j) for j in range(data.X.shape[1])]

    def counts(rows: IntArray) -> Counts:
        released = count(codes[rows], data.y[rows], inverse[0].shape[1])
        true = np.array([table @ undo.T for table, undo in zip(released, inverse, strict=True)])
        return Counts(sizes_of(data.y[rows]), true)

    return counts


def mine_asked(data: Data, scheme: RandomizedResponse) -> Miner:
    """Ask once; who answered stands for all of the class."""
    released = scheme.transform(data.X)

    def counts(rows: IntArray) -> Counts:
        nb = RandomizedResponseNB(scheme.theta, asked=scheme.asked)
        nb.fit(released[rows], data.y[rows])
        return Counts(nb.class_count_, nb.pair_count_)

    return counts


def guidance_of(T: IntArray, y: IntArray, k: int) -> FloatArray:
    """V_k of the clear tuples' own A, which no miner has: the scheme at its best."""
    return Guidance(T.shape[1]).update(T, y).vectors(k)


def mine_guided(data: Data, k: int, rng: np.random.Generator) -> Miner:
    """Guide by the clear A of the training tuples; a share is of the attribute's set bits."""
    d = data.X.shape[1]
    T = one_hot(data.X, [data.k] * d)
    draws = rng.random(T.shape)

    def counts(rows: IntArray) -> Counts:
        tuples, y = T[rows], data.y[rows]
        P = bit_probabilities(tuples, guidance_of(tuples, y, k))
        R = draws[rows] < P
        ones = np.array([R[y == c].sum(axis=0) for c in (0, 1)], dtype=np.float64)
        return _spread(ones.reshape(2, d, data.k).swapaxes(0, 1), sizes_of(y))

    return counts


def _spread(weights: FloatArray, sizes: FloatArray) -> Counts:
    """Give each value its share of the class's records; an even one where nothing was set."""
    weights = np.where(weights.any(axis=2, keepdims=True), weights, 1.0)
    shares = weights / weights.sum(axis=2, keepdims=True)
    return Counts(sizes, shares * sizes[:, np.newaxis])


def mine_clear(data: Data) -> Miner:
    """Nothing is disguised."""

    def counts(rows: IntArray) -> Counts:
        y = data.y[rows]
        return Counts(sizes_of(y), count(data.X[rows], y, data.k))

    return counts


def release_svd(data: Data, rank: int, sparsity: float) -> FloatArray:
    """BSVD, or SSVD where something is dropped, of the codes."""
    svd = SparsifiedSVDPerturbation(rank, sparsity) if sparsity else TruncatedSVDPerturbation(rank)
    released: FloatArray = svd.fit_transform(data.X)
    return released


def invented_from() -> list[Any]:
    """Return the classifiers of LX14's first step, for codes; learning draws nothing.

    The tree is not pruned, as ``default_estimators`` prunes LX14's: it learns more of each
    person, and one who learns it again tells more of them apart.
    """
    return [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(n_neighbors=1)]


def release_invented(data: Data, times: float, rng: np.random.Generator) -> tuple[Any, IntArray]:
    """LX14's invented records, ``times`` as many as there were."""
    n_samples = int(times * len(data.y))
    return _publish(SampleGenerator(invented_from(), n_samples, random_state=rng), data)


def _publish(generator: Any, data: Data) -> tuple[Any, IntArray]:
    with warnings.catch_warnings():  # little agreement, or much noise, may lose a class
        warnings.simplefilter("ignore", MissingClassWarning)
        released, classes = generator.fit_resample(data.X, data.y)
    return released, classes


def release_private(
    data: Data, epsilon: float, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """As many records as there were, drawn from noisy counts of a tree of pairs."""
    generator = PrivateTreeGenerator(data.k, epsilon, DELTA, random_state=rng)
    released, classes = _publish(generator, data)
    return released.astype(np.intp), classes


def to_codes(released: FloatArray, k: int) -> Codes:
    """Return the code that each released number is nearest to."""
    return np.clip(np.rint(released), 0, k - 1).astype(np.intp)


def mine_svd(data: Data, rank: int, sparsity: float) -> Miner:
    """Count the released numbers as the codes that they are nearest to."""

    def counts(rows: IntArray) -> Counts:
        known = data.take(rows)
        codes = to_codes(release_svd(known, rank, sparsity), data.k)
        return Counts(sizes_of(known.y), count(codes, known.y, data.k))

    return counts


def mine_invented(data: Data, times: float, rng: np.random.Generator) -> Miner:
    """Count the invented records; their classes are those that were invented, too."""

    def counts(rows: IntArray) -> Counts:
        released, classes = release_invented(data.take(rows), times, rng)
        return Counts(sizes_of(classes), count(to_codes(released, data.k), classes, data.k))

    return counts


def mine_private(data: Data, epsilon: float, rng: np.random.Generator) -> Miner:
    """Count the private generator's records."""

    def counts(rows: IntArray) -> Counts:
        released, classes = release_private(data.take(rows), epsilon, rng)
        return Counts(sizes_of(classes), count(released, classes, data.k))

    return counts


def moves_of(data: Data) -> int:
    """Return by how much one record can move the released counts in all."""
    return int(data.X.shape[1]) * (1 if data.k == 2 else 2)


def noisy_counts(data: Data, epsilon: float, rng: np.random.Generator) -> Counts:
    """Add Laplace noise to the counts of naive Bayes: a curator's differential privacy.

    Neighbours differ in one whole record; its class is public and stays. Each attribute then
    moves one record from a cell to another. Of two values one count is released, for the
    other follows from the class's size; of more values all are. So the counts of d attributes
    move by d, or by 2 d, in all, and that over epsilon is the scale of the noise.
    """
    pairs = count(data.X, data.y, data.k)
    sizes = sizes_of(data.y)
    noisy = pairs + rng.laplace(scale=moves_of(data) / epsilon, size=pairs.shape)
    if data.k == 2:
        noisy[:, :, 0] = sizes - noisy[:, :, 1]
    return Counts(sizes, noisy)


def mine_central(data: Data, epsilon: float, rng: np.random.Generator) -> Miner:
    """Let a curator count the training records and add noise."""
    return lambda rows: noisy_counts(data.take(rows), epsilon, rng)


def volunteers_accuracy(data: Data, rng: np.random.Generator) -> float:
    """Learn from the volunteers alone and judge all others."""
    order = rng.permutation(len(data.y))
    known, others = data.take(order[:N_VOLUNTEERS]), data.take(order[N_VOLUNTEERS:])
    counts = mine_clear(known)(np.arange(N_VOLUNTEERS))
    return float((classify(counts, others.X) == others.y).mean())
