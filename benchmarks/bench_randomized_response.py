"""Randomised response against its peers, on one core: ``python bench_randomized_response.py``.

ID3 from 8,000 disguised Adult records against scikit-learn's entropy tree on the clear ones;
naive Bayes from a million disguised records of 32 bits against ``BernoulliNB`` on the clear
ones in its fastest form; the disguise of a million codes against multi_freq_ldpy's client;
and the classifiers of DZ03's experiment, 13 thetas with 50 disguises each.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time

import numpy as np
from _timing import paired_ratio, report
from sklearn.naive_bayes import BernoulliNB
from sklearn.tree import DecisionTreeClassifier

from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.datasets import load_adult_binary
from ppdm.randomized_response import CategoricalRandomizedResponse, RandomizedResponse

THETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)


def id3() -> None:
    rng = np.random.default_rng(0)
    X, y = load_adult_binary("train", return_X_y=True)
    order = rng.permutation(len(X))
    X, y = X[order], y[order]
    R, z = RandomizedResponse(0.7, random_state=rng).disguise(X, y)
    times = paired_ratio(
        lambda: RandomizedResponseTreeClassifier(0.7).fit(R, z),
        lambda: DecisionTreeClassifier(criterion="entropy").fit(X, y),
        repeats=101,
    )
    report("ID3, 8,000 x 14 disguised / sklearn tree, clear", times, 1.0)


def naive_bayes() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1_000_000)
    X = (rng.random((1_000_000, 32)) < 0.3 + 0.4 * y[:, np.newaxis]).astype(np.int8)
    R, z = RandomizedResponse(0.7, random_state=rng).disguise(X, y)
    clear = X.astype(np.float64)
    peer = BernoulliNB(binarize=None)
    times = paired_ratio(
        lambda: RandomizedResponseNB(0.7).fit(R, z), lambda: peer.fit(clear, y), repeats=11
    )
    report("naive Bayes, 1,000,000 x 32 disguised / BernoulliNB, clear", times, 0.25)


def codes() -> None:
    name = "1,000,000 codes of 10 values / multi_freq_ldpy's client"
    try:
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    except ImportError:
        print(f"{name:<58} skipped: not installed")
        return
    k, theta = 10, 0.6
    epsilon = float(np.log(theta / ((1 - theta) / (k - 1))))
    truth = np.random.default_rng(2).integers(0, k, (1_000_000, 1))
    scheme = CategoricalRandomizedResponse(k, theta, random_state=np.random.default_rng(3))
    scheme.fit(truth)
    column = truth[:, 0]
    times = paired_ratio(
        lambda: scheme.transform(truth),
        lambda: [GRR_Client(value, k, epsilon) for value in column],
    )
    report(name, times, 1 / 30)


def experiment() -> None:
    X, y = load_adult_binary("train", return_X_y=True)
    Xt, _ = load_adult_binary("test", return_X_y=True)
    rng = np.random.default_rng(4)
    for kind in (RandomizedResponseTreeClassifier, RandomizedResponseNB):
        start = time.perf_counter()
        for theta in THETAS:
            scheme = RandomizedResponse(theta, random_state=rng)
            for _ in range(50):
                kind(theta).fit(*scheme.disguise(X, y)).predict(Xt)
        seconds = time.perf_counter() - start
        print(f"650 disguises, fits and tests, {kind.__name__:<32} {seconds:6.1f} s")


if __name__ == "__main__":
    id3()
    naive_bayes()
    codes()
    experiment()
