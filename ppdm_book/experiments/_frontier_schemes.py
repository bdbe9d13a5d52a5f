"""The schemes of the comparison: settings, own measures, and attacks of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import expit

from ppdm import randomized_response as rr
from ppdm.classifiers import (
    DisguisedClassifier,
    MixtureTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.generation import PrivateTreeGenerator, SampleGenerator
from ppdm.guidance import Guidance, bit_probabilities, one_hot
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.privacy import degree_of_disclosure, value_difference
from ppdm.protocol import GuidedPerturbation
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation
from ppdm.typing import AnyArray, FloatArray, IntArray
from ppdm_book.experiments._frontier_data import BITS, VALUES, Data
from ppdm_book.experiments.lx14_others import told_apart
from ppdm_book.experiments.private import DELTA, invented_from, matched, pair_counts

THETAS = (0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
#: At 95%, in ranges.
PRIVACIES = (0.25, 0.5, 1.0, 2.0)
#: Who is attacked, for each seed: so many are read, so many told from another.
READ, TOLD_APART = 500, 20
#: Records from which invented ones are learned again for each target, at most.
RELEARNED = 1_000
#: Draws where information is sampled, and releases that are enumerated at most.
SAMPLES = 4_000


@dataclass(frozen=True)
class Scheme:
    """What is run at a setting; None for a line. Its own measure is the setting, if not said."""

    make: Callable[[Data, float], Any] | None
    settings: tuple[float, ...] = (0.0,)
    datasets: tuple[str, ...] = (*BITS, *VALUES)
    trust: str = "nobody"
    own: Callable[[Data, float], float] = lambda data, setting: setting
    attack: Callable[[Data], Any] = lambda data: True
    delta: float = 0.0


class ClearGuidance(GuidedPerturbation):
    """Guided by V_k of all tuples' own A, which no miner has: the scheme at its best."""

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Return R(t) of all, and the public classes."""
        self.n_features_in_ = X.shape[1]
        self.V_ = guidance_of(X, y, self.max_level)
        draws = np.random.default_rng(self.random_state).random(X.shape)
        return (draws < bit_probabilities(X, self.V_)).astype(np.intp), y


def guidance_of(T: IntArray, y: IntArray, k: int) -> FloatArray:
    """V_k of the clear tuples' own A."""
    return Guidance(T.shape[1]).update(T, y).vectors(k)


class SeededBefore(DisguisedClassifier):
    """Noise and its learner, seeded after one number more: so the stored rows were drawn.

    They are of a learner that was told its noise, with a seed, before the scheme was told once.
    """

    def __init__(self, disguise: Any, classifier: Any = None, before_random_state: int = 0):
        super().__init__(disguise, classifier)
        self.before_random_state = before_random_state


class NoisyCountNB(CountNB):
    """Naive Bayes of counts with Laplace noise: a curator's differential privacy.

    Neighbours differ in one whole record; its class is public and stays. Each attribute then
    moves one record from a cell to another. Of two values one count is released, for the other
    follows from the class's size; of more values all are. So the counts of d attributes move by
    d, or by 2 d, in all, and that over epsilon is the scale of the noise.
    """

    def __init__(self, n_values: int, epsilon: float, smoothing: float, random_state: int = 0):
        super().__init__(n_values, smoothing=smoothing)
        self.epsilon = epsilon
        self.random_state = random_state

    def record_epsilon(self) -> float:
        """Return what the counts spend on a record."""
        return self.epsilon

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        rng = np.random.default_rng(self.random_state)
        scale = len(pairs) * min(pairs.shape[2] - 1, 2) / self.epsilon
        noisy = pairs + rng.laplace(scale=scale, size=pairs.shape)
        if pairs.shape[2] == 2:
            noisy[:, :, 0] = classes - noisy[:, :, 1]
        return classes, noisy


def _coins(n_groups: int | None) -> Scheme:
    """Bits with a coin for each group of neighbours, or for each attribute."""

    def make(data: Data, theta: float) -> Any:
        parts = np.array_split(np.arange(data.X.shape[1]), n_groups or data.X.shape[1])
        return rr.RandomizedResponse(theta, [part.tolist() for part in parts])

    return Scheme(make, THETAS, BITS)


def _noise(kind: Any, *, tree: bool = False) -> Scheme:
    """Noise of a privacy at 95%; trees grow on records drawn from mixtures."""

    def make(data: Data, privacy: float) -> Any:
        noise = AdditiveNoise(kind, privacy, domain=data.edges[:, [0, -1]])
        if not tree:
            return noise
        whole = (data.values == np.rint(data.values)).all(axis=0)  # public, as ranges are
        return SeededBefore(noise, MixtureTreeClassifier(noise, integer_features=whole))

    return Scheme(make, PRIVACIES, VALUES, delta=DELTA if kind == "gaussian" else 0.0)


def _clear_tree(data: Data, setting: float) -> Any:
    noise = AdditiveNoise(domain=data.edges[:, [0, -1]])
    whole = (data.values == np.rint(data.values)).all(axis=0)
    return ReconstructedTreeClassifier(noise, "none", integer_features=whole)


def _guided(data: Data, k: float) -> Any:
    return ClearGuidance([data.k] * data.X.shape[1], int(k))


def _guided_own(data: Data, k: float) -> float:
    P = bit_probabilities(data.tuples, guidance_of(data.tuples, data.y, int(k)))
    options: dict[str, Any] = {"max_cells": 0, "n_samples": SAMPLES, "random_state": 0}
    return degree_of_disclosure(data.tuples, P, **options).degree


def _told(credits: AnyArray) -> Any:
    return SimpleNamespace(gain=float(np.mean(credits)) - 0.5, baseline=0.5)


def _tell_from_counts(data: Data) -> Any:
    """Tell the target from another of its class by noisy counts: the likelier one is named."""

    def leave_one_out(scheme: NoisyCountNB, X: Any, y: Any, rng: np.random.Generator) -> Any:
        rows = rng.permutation(len(y))[:READ]
        other = np.array([rng.choice(np.flatnonzero(y == y[row])) for row in rows])
        # of two values one count an attribute differs by one; else each has one more of its own
        moves = 1 if data.k == 2 else 2
        shift = np.repeat(X[rows] != X[other], moves, axis=1).astype(np.float64)
        noise = rng.laplace(scale=shift.shape[1] / scheme.epsilon, size=shift.shape)
        score = (np.abs(noise + shift) - np.abs(noise)).sum(axis=1)
        return _told((np.sign(score) + 1) / 2)

    return leave_one_out


def _tell_from_private(data: Data) -> Any:
    """Tell each record from another of its class: whose pairs are missing in the release's."""

    def leave_one_out(scheme: Any, X: Any, y: Any, rng: np.random.Generator) -> Any:
        released, classes = scheme.fit_resample(X, y)
        if data.k > 2:  # pairs of values, not of bits
            X, released = (one_hot(t.astype(int), [data.k] * t.shape[1]) for t in (X, released))
        return _told(matched(pair_counts(released, classes), X, y, rng))

    return leave_one_out


def _tell_from_invented(data: Data) -> Any:
    """Tell the target from another of its class by learning the classifiers again."""

    def leave_one_out(scheme: Any, X: Any, y: Any, rng: np.random.Generator) -> Any:
        released, _ = scheme.fit_resample(X, y)
        rows = rng.permutation(len(y))[:TOLD_APART]
        return _told(told_apart(invented_from(), X, y, released, rows, rng))

    return leave_one_out if len(data.y) <= RELEARNED else True


def _difference(make: Callable[[Data, float], Any]) -> Callable[[Data, float], float]:
    """Return the value difference of a release (LX14)."""

    def own(data: Data, setting: float) -> float:
        scheme = make(data, setting)
        if hasattr(scheme, "fit_resample"):
            scheme.set_params(random_state=np.random.default_rng(0))
            return value_difference(data.X, scheme.fit_resample(data.X, data.y)[0])
        return value_difference(data.X, scheme.fit_transform(data.X))

    return own


def _table(make: Callable[[Data, float], Any], *settings: float, **more: Any) -> Scheme:
    """Describe a table that a curator publishes, judged by its value difference."""
    return Scheme(make, settings, trust="curator", own=_difference(make), **more)


_NONE: dict[str, Any] = {"own": lambda data, setting: math.nan}
SCHEMES: dict[str, Scheme] = {
    "clear": Scheme(None, trust="curator", **_NONE),
    "larger class": Scheme(None, **_NONE),
    "volunteers": Scheme(None, **_NONE),
    "one coin an attribute": _coins(None),
    "4 groups": _coins(4),
    "2 groups": _coins(2),
    "one group": _coins(1),
    "k-ary response": Scheme(
        lambda data, theta: rr.CategoricalRandomizedResponse(data.k, theta),
        (0.35, 0.4, 0.5, 0.6, 0.8),
        VALUES,
        own=lambda data, theta: math.log(theta * (data.k - 1) / (1 - theta)),
    ),
    "unary encoding": Scheme(
        lambda data, epsilon: rr.UnaryEncoding(data.k, epsilon), (0.25, 0.5, 1.0, 2.0, 3.0)
    ),
    "uniform noise": _noise("uniform"),
    "Gaussian noise": _noise("gaussian"),
    "Laplace noise": _noise("laplace"),
    "guided perturbation": Scheme(_guided, (1, 2, 3, 4, 6, 8), own=_guided_own),
    "BSVD": _table(lambda data, rank: TruncatedSVDPerturbation(int(rank)), 1, 2, 4),
    "SSVD": _table(lambda data, sparsity: SparsifiedSVDPerturbation(2, sparsity), 0.1, 0.3),
    "invented records": _table(
        lambda data, times: SampleGenerator(invented_from()), 1.0, attack=_tell_from_invented
    ),
    "central counts": Scheme(
        lambda data, epsilon: NoisyCountNB(data.k, epsilon, 1.0),
        (0.1, 0.3, 1.0, 3.0, 10.0),
        trust="curator",
        attack=_tell_from_counts,
    ),
    "one asked": Scheme(
        lambda data, epsilon: rr.RandomizedResponse(float(expit(epsilon)), asked=1),
        (0.5, 1.0, 2.0, 4.0),
        BITS,
    ),
    "Square Wave": Scheme(
        lambda data, epsilon: SquareWave(epsilon, domain=data.edges[:, [0, -1]]),
        (0.5, 1.0, 2.0, 4.0),
        VALUES,
    ),
    "trees on uniform noise": _noise("uniform", tree=True),
    "trees on Gaussian noise": _noise("gaussian", tree=True),
    "tree on clear records": Scheme(_clear_tree, datasets=VALUES, trust="curator", **_NONE),
    "private tree": Scheme(
        lambda data, epsilon: PrivateTreeGenerator(data.k, epsilon, DELTA),
        (0.5, 1.0, 2.0, 4.0),
        trust="curator",
        attack=_tell_from_private,
        delta=DELTA,
    ),
}
