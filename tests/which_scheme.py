"""Facts of *Which scheme, and when none*: what surveys show that no formula judges."""

import numpy as np
from by_path import load
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import BernoulliNB

from ppdm.classifiers import DisguisedClassifier
from ppdm.randomized_response import RandomizedResponse


def students():
    """AUC: clear, curator, one of 40, all, one and a secret class; their spreads; draws."""
    def at(seed, d=40):
        rng = np.random.default_rng(seed)
        shift = rng.choice([-0.05, 0.05], d)
        shares = rng.uniform(0.3, 0.7, d) + np.array([-shift, shift])
        y, leaves = (rng.random((2, 5_000)) < 0.3).astype(int)
        X, unseen = ((rng.random((5_000, d)) < shares[by]).astype(int) for by in (y, leaves))
        counts = np.array([X[y == c].sum(axis=0) for c in (0, 1)]) + rng.laplace(0, d / 2, (2, d))
        part = np.clip(counts / np.bincount(y)[:, np.newaxis], 0.001, 0.999)
        scores = [BernoulliNB().fit(X, y).predict_proba(unseen)[:, 1],
                  unseen @ np.diff(np.log(part / (1 - part)), axis=0)[0]]  # fmt: skip
        each = [[j] for j in range(d)]
        for asked in ({"epsilon": 2, "asked": 1}, {"epsilon": 2 / d, "groups": each},
                      {"epsilon": 1, "asked": 1, "class_group": "own"}):  # fmt: skip
            coins = RandomizedResponse(**asked, random_state=rng)
            scores.append(DisguisedClassifier(coins).fit(X, y).predict_proba(unseen)[:, 1])
        return [roc_auc_score(leaves, score) for score in scores]

    found = np.array([at(seed) for seed in range(100)])
    return [*found.mean(axis=0), *found.std(axis=0, ddof=1), len(found)]


def sites():
    """Of the top 20 found by unary encoding, by k-ary response, with their spreads; draws."""
    n, k, top, found = 2_000_000, 1_000, np.arange(20), []
    shares = 1 / np.arange(1, k + 1)
    lie = 1 / (k - 1 + np.e)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        true = rng.multinomial(n, shares / shares.sum())
        bits = rng.binomial(true, 0.5) + rng.binomial(n - true, 1 / (1 + np.e))
        kept = rng.binomial(true, 1 - k * lie)
        codes = kept + rng.multinomial(n - kept.sum(), np.full(k, 1 / k))
        found.append([np.isin(np.argsort(-seen)[:20], top).sum() for seen in (bits, codes)])
    return [*np.mean(found, axis=0), *np.std(found, axis=0, ddof=1), len(found)]


def needed():
    """People for three points at epsilon 1: of 1, 4, 16, 40 questions; in the clear."""
    script = load("book/_make/people_needed.py")
    return [*(script.people(d, 1) for d in script.QUESTIONS), script.clear()]
