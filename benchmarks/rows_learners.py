"""Learners from disguised records against learners from clear ones.

The same people on both sides, disguised for ours and clear for the peer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from _data import agrawal_codes, bits
from _rows import row
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, CategoricalNB
from sklearn.tree import DecisionTreeClassifier

from ppdm.classifiers import (
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, load_adult_binary, make_agrawal
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse
from ppdm.regression import DisguisedLogisticRegression
from ppdm.tree import CountTreeClassifier
from ppdm.typing import Noise

N, SMALL = 1_000_000, 50_000
COIN = RandomizedResponse(0.7)


def disguised(n: int) -> tuple[Any, Any, Any, Any]:
    X, y = bits(n)
    coin = clone(COIN).set_params(random_state=np.random.default_rng(2))
    return X, y, *coin.disguise(X, y)


@row("naive Bayes from 32 bits", "scikit-learn's BernoulliNB",
     target=0.25, n=N, small=SMALL, repeats=11)  # fmt: skip
def naive_bayes(n: int) -> tuple[Any, Any]:
    X, y, R, z = disguised(n)
    clear, peer = X.astype(np.float64), BernoulliNB(binarize=None)
    return lambda: RandomizedResponseNB(COIN).fit(R, z), lambda: peer.fit(clear, y)


@row("naive Bayes from 32 bits, a batch", "river's BernoulliNB, learn_many",
     target=None, n=N, small=SMALL, repeats=3)  # fmt: skip
def river_naive_bayes(n: int) -> tuple[Any, Any]:
    import pandas as pd
    from river.naive_bayes import BernoulliNB as River

    X, y, R, z = disguised(n)
    frame, classes = pd.DataFrame(X.astype(np.float64)), pd.Series(y)
    frame.columns = [f"bit {j}" for j in range(X.shape[1])]
    return lambda: RandomizedResponseNB(COIN).fit(R, z), lambda: River().learn_many(frame, classes)


@row("ID3, 8,000 x 14 bits of Adult", "scikit-learn's entropy tree",
     target=1.0, n=8_000, small=8_000, repeats=51)  # fmt: skip
def id3(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X, y = load_adult_binary("train", return_X_y=True)
    order = rng.permutation(len(X))[:n]
    X, y = X[order], y[order]
    R, z = clone(COIN).set_params(random_state=rng).disguise(X, y)
    return (
        lambda: RandomizedResponseTreeClassifier(COIN).fit(R, z),
        lambda: DecisionTreeClassifier(criterion="entropy").fit(X, y),
    )


@row("tree from 32 bits, to depth 10", "scikit-learn's entropy tree, to depth 10",
     target=1.0, n=N, small=SMALL, repeats=3)  # fmt: skip
def deep_tree(n: int) -> tuple[Any, Any]:
    X, y, R, z = disguised(n)
    return (
        lambda: RandomizedResponseTreeClassifier(COIN, max_depth=10).fit(R, z),
        lambda: DecisionTreeClassifier(criterion="entropy", max_depth=10).fit(X, y),
    )


def count_trees(size: int, repeats: int, leaf: int, target: float, flipped: bool) -> None:
    """Add a row: a tree from whole numbers, in the clear on both sides."""
    what = "function 5, 20% of labels flipped" if flipped else "function 2"

    @row(f"count tree, {size:,} x 9 codes, {what}, leaves of {leaf}",
         "scikit-learn's tree on the same",
         target=target, n=size, small=20_000, repeats=repeats)  # fmt: skip
    def count_tree(n: int) -> tuple[Any, Any]:
        codes, labels = agrawal_codes(n, 5 if flipped else 2, flipped=flipped)
        ours = CountTreeClassifier(min_samples_leaf=leaf)
        peer = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
        return partial(ours.fit, codes, labels), partial(peer.fit, codes, labels)


for leaf, target in ((100, 0.35), (1, 0.6)):
    for size, repeats in ((100_000, 5), (N, 3)):
        for flipped in (False, True):
            count_trees(size, repeats, leaf, target, flipped)


def reconstructed(n: int, distribution: Noise) -> tuple[Any, ...]:
    X, y = make_agrawal(n, 2, random_state=0)
    noise = AdditiveNoise(distribution, domain=AGRAWAL_DOMAIN, random_state=0)
    return X, y, noise, noise.fit(X).transform(X)


def byclasses(what: str, distribution: Noise) -> None:
    """Add a row: AS00's ByClass, reconstruction included."""

    @row(f"ByClass with reconstruction, 9 floats, {what} noise",
         "scikit-learn's tree on clear floats",
         target=1.0, n=100_000, small=20_000, repeats=5)  # fmt: skip
    def byclass(n: int) -> tuple[Any, Any]:
        X, y, noise, Z = reconstructed(n, distribution)
        ours = ReconstructedTreeClassifier(noise, "byclass", integer_features=AGRAWAL_INTEGER)
        return partial(ours.fit, Z, y), partial(DecisionTreeClassifier(random_state=0).fit, X, y)


byclasses("uniform", "uniform")
byclasses("Gaussian", "gaussian")


def predictions(name: str, n: int, target: float, function: int, *, flipped: bool) -> None:
    """Add a row: how fast a grown tree predicts, each tree its own of the same records."""

    @row(f"count tree predicts {n:,} x 9 codes, {name}", "scikit-learn's tree on the same",
         target=target, n=n, small=min(n, 20_000), repeats=11)  # fmt: skip
    def predict(size: int) -> tuple[Any, Any]:
        codes, labels = agrawal_codes(size, function, flipped=flipped)
        learnt, leaf = slice(100_000), 100 if flipped else 1
        ours = CountTreeClassifier(min_samples_leaf=leaf).fit(codes[learnt], labels[learnt])
        peer = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
        peer.fit(codes[learnt], labels[learnt])
        return partial(ours.predict, codes), partial(peer.predict, codes)


for size in (10_000, N):
    predictions("function 2", size, 1.0, 2, flipped=False)
    predictions("function 5, 20% of labels flipped", size, 1.0, 5, flipped=True)


def exact_trees(function: int) -> None:
    """Add a row: a tree that cuts between all values, as scikit-learn's does."""

    @row(f"exact tree, 10,000 x 9 floats, function {function}", "scikit-learn's tree on the same",
         target=1.0, n=10_000, small=10_000, repeats=11)  # fmt: skip
    def exact_tree(n: int) -> tuple[Any, Any]:
        X, y = make_agrawal(n, function, random_state=0)
        ours = CountTreeClassifier(n_intervals=None)
        return partial(ours.fit, X, y), partial(DecisionTreeClassifier(random_state=0).fit, X, y)


for function in (1, 2, 5):
    exact_trees(function)


@row("naive Bayes predicts 10,000 x 32 bits", "scikit-learn's BernoulliNB on bits as floats",
     target=1.0, n=10_000, small=10_000, repeats=21)  # fmt: skip
def predicted_bits(n: int) -> tuple[Any, Any]:
    X, y = bits(n)
    clear = X.astype(np.float64)
    ours, peer = CountNB(2).fit(X, y), BernoulliNB(binarize=None).fit(clear, y)
    return partial(ours.predict, X), partial(peer.predict, clear)


@row("naive Bayes predicts 10,000 x 9 codes", "scikit-learn's CategoricalNB",
     target=1.0, n=10_000, small=10_000, repeats=21)  # fmt: skip
def predicted_codes(n: int) -> tuple[Any, Any]:
    X, y = agrawal_codes(n, 2, flipped=False)
    ours, peer = CountNB(100).fit(X, y), CategoricalNB(min_categories=100).fit(X, y)
    return partial(ours.predict, X), partial(peer.predict, X)


@row("logistic regression of a disguised answer", "scikit-learn's, unpenalised, of clear ones",
     target=2.0, n=N, small=SMALL, repeats=7)  # fmt: skip
def logistic(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    y = (rng.random(n) < 1 / (1 + np.exp(1 - X @ np.linspace(-0.5, 0.5, 10)))).astype(int)
    coin = RandomizedResponse(0.75, random_state=np.random.default_rng(1))
    reports = coin.fit_transform(y[:, np.newaxis])[:, 0]
    ours, peer = DisguisedLogisticRegression(coin), LogisticRegression(C=np.inf)
    return lambda: ours.fit(X, reports), lambda: peer.fit(X, y)
