"""Guided perturbation with what can be mended mended, beside the volunteers alone: ZWZ05 3 to 6.

``python -m ppdm_book.experiments mended`` writes the table ``mended`` (some minutes); a chapter
computes rows again with ``row(scheme, seed)``. Everybody votes as in the House of 1984, the party
is public, 32 members are volunteers and tell all, and the classifier, naive Bayes, is tested on
all clear votes. The schemes:

``volunteers``
    the 32 alone. Whatever follows has to beat them.
``by magnitude``
    the protocol with eigenvalues ordered by magnitude; R(t) is taken for a tuple, as in the paper.
``by likelihood``
    besides, each epoch's V is public for ever. So the chance of each report under each of the
    2^16 records is known, squares, cuts and all. EM fits a share of each vote in each party to
    all reports and the volunteers; A* gets what is expected of t't, given the report.
``one round``
    no volunteers: each is asked one vote, by lot, through a coin of epsilon 1.
``two rounds``
    half of them so; the others answer, at epsilon 1 too, whether the classifier of the first
    half calls their record a Republican's. Parties go by these answers, undone.

``leverage`` is the largest that a V had: where it stays below a cap, the cap changes nothing.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit

from ppdm.classifiers import GuidedNB, RandomizedResponseNB
from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, log_likelihood, one_hot, perturb
from ppdm.randomized_response import RandomizedResponse
from ppdm.typing import FloatArray, IntArray
from ppdm_book.experiments import _tables

SCHEMES = ("volunteers", "by magnitude", "by likelihood", "one round", "two rounds")
SEEDS = range(20)
N_VOTES, N_VOLUNTEERS, BATCH, MU = 16, 32, 50, 0.15
#: Steps of EM within an epoch, and after the last.
STEPS, LAST_STEPS = 2, 15
THETA = float(expit(1.0))


def row(scheme: str, seed: int) -> _tables.Row:
    """Compute one row."""
    house = load_voting(random_state=0)
    votes, y = house.data.astype(np.intp), house.target
    order = np.random.default_rng([seed, 1]).permutation(len(y))
    rng = np.random.default_rng([seed, 2])
    if scheme == "one round":
        return {"accuracy": _one_round(votes, y, order, rng)[1], "overlap": "", "leverage": ""}
    if scheme == "two rounds":
        return {"accuracy": _two_rounds(votes, y, order, rng), "overlap": "", "leverage": ""}
    return _guided(scheme, votes, y, order, rng)


def _one_round(votes: IntArray, y: IntArray, some: IntArray, rng: Any) -> tuple[Any, float]:
    """Ask one vote each; return the classifier and its accuracy."""
    coin = RandomizedResponse(THETA, asked=1, random_state=rng)
    nb = RandomizedResponseNB(coin).fit(*coin.disguise(votes[some], y[some]))
    return nb, float(nb.score(votes, y))


def _two_rounds(votes: IntArray, y: IntArray, order: IntArray, rng: Any) -> float:
    first, second = np.array_split(order, 2)
    called = _one_round(votes, y, first, rng)[0].predict(votes)[:, np.newaxis]
    coin = RandomizedResponse(THETA, random_state=rng)
    nb = RandomizedResponseNB(coin).fit(*coin.disguise(called[second], y[second]))
    return float(nb.score(called, y))


def _guided(scheme: str, votes: IntArray, y: IntArray, order: IntArray, rng: Any) -> _tables.Row:
    T = one_hot(votes, [2] * N_VOTES)
    true_plane = Guidance(2 * N_VOTES).update(T, y).vectors(2)
    start, rest = order[:N_VOLUNTEERS], order[N_VOLUNTEERS:]
    if scheme == "volunteers":
        rest = rest[:0]
    learn = _Likelihood if scheme == "by likelihood" else _AsSent
    miner = learn(T[start], y[start])
    V, leverage = _directions(miner.A()), 0.0
    for at in range(0, len(rest), BATCH):
        people = rest[at : at + BATCH]
        leverage = max(leverage, float((V**2).sum(axis=1).max()))
        miner.receive(perturb(T[people], V, random_state=rng), y[people], V)
        V = _directions(miner.A())
    overlap = float(np.linalg.norm(true_plane.T @ _directions(miner.A(), 2)) ** 2 / 2)
    right = miner.predict(T, votes) == y
    return {"accuracy": float(right.mean()), "overlap": overlap, "leverage": leverage}


def _directions(A: FloatArray, k: int | None = None) -> FloatArray:
    """Return the eigenvectors of the k largest eigenvalues, k* at 15% where it is None."""
    sizes, vectors = np.linalg.eigh(A)
    largest = np.argsort(-np.abs(sizes))
    sizes = np.abs(sizes[largest])
    return np.asarray(vectors[:, largest[: k or max(1, int((sizes > MU * sizes[0]).sum()))]])


class _AsSent:
    """The paper's miner: R(t) is a tuple like another."""

    def __init__(self, T: IntArray, y: IntArray) -> None:
        self.T, self.y = T, y

    def receive(self, R: IntArray, y: IntArray, V: FloatArray) -> None:
        self.T, self.y = np.concatenate([self.T, R]), np.append(self.y, y)

    def A(self) -> FloatArray:
        return np.asarray((self.T.T * (1.0 - 2 * self.y)) @ self.T)

    def predict(self, T: IntArray, votes: IntArray) -> IntArray:
        return np.asarray(GuidedNB([2] * N_VOTES).fit(self.T, self.y).predict(T))


class _Likelihood:
    """The miner who keeps each report's V, and believes in shares of votes in each party."""

    def __init__(self, T: IntArray, y: IntArray) -> None:
        self.start, self.n = (T, y), np.bincount(y, minlength=2)
        self.every = np.array(list(product([0, 1], repeat=N_VOTES)), dtype=np.float32)
        self.bits = one_hot(self.every.astype(np.intp), [2] * N_VOTES)
        self.clear = np.array([T[y == c, 1::2].sum(axis=0) for c in (0, 1)], dtype=np.float64)
        self.shares = (self.clear + 1) / (self.n[:, np.newaxis] + 2)
        self.told: list[list[FloatArray]] = [[], []]  # log-likelihoods of each party's reports

    def receive(self, R: IntArray, y: IntArray, V: FloatArray) -> None:
        found = log_likelihood(R, self.bits, V).astype(np.float32)
        for c in (0, 1):
            self.told[c].append(found[y == c])
        self.n = self.n + np.bincount(y, minlength=2)
        self.step(STEPS)

    def step(self, times: int) -> None:
        """EM: how often each record is expected, and the shares of votes in these."""
        for _ in range(times):
            ones = self.clear + np.array([self.expected(c) @ self.every for c in (0, 1)])
            self.shares = (ones + 1) / (self.n[:, np.newaxis] + 2)

    def expected(self, c: int) -> FloatArray:
        """Return how often each record is expected among a party's reports, (2^16,)."""
        odds = np.log(self.shares[c] / (1 - self.shares[c])).astype(np.float32)
        prior = self.every @ odds
        total = np.zeros(len(prior))
        for logs in self.told[c]:
            if len(logs):
                joint = logs + prior
                np.exp(joint - joint.max(axis=1, keepdims=True), out=joint)
                total += (1 / joint.sum(axis=1)) @ joint
        return total

    def A(self) -> FloatArray:
        T, y = self.start
        found = (T.T * (1.0 - 2 * y)) @ T
        weights = self.expected(0) - self.expected(1)
        return np.asarray(found + (self.bits.T * weights) @ self.bits)

    def predict(self, T: IntArray, votes: IntArray) -> IntArray:
        self.step(LAST_STEPS)
        logs = np.log(self.shares), np.log(1 - self.shares)
        scores = votes @ logs[0].T + (1 - votes) @ logs[1].T + np.log(self.n)
        return np.asarray(scores.argmax(axis=1))


keys = partial(_tables.grid, scheme=SCHEMES, seed=SEEDS)
TABLES = (_tables.Table("mended", keys, row, digits=5),)
