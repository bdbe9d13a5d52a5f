"""What pages measure that are no chapters; each row is one seed.

``python -m ppdm_book.experiments pages`` takes half a minute.

pages_honest
    *Cross-validate honestly*, Voting, means of five folds: accuracy of a pipeline that disguises
    what it predicts and of ``DisguisedClassifier``; how far the second is from that pipeline's last
    step; then, with one theta told and another believed, accuracy, error of a share and log loss.
pages_cuts
    *Cross-validate honestly* and *Which scheme*, Pima, means of five folds: accuracy of naive Bayes
    from codes at epsilon 2, cut in three ways, then of scikit-learn's from clear codes and from a
    private tree's records at epsilon 2 and 4.
pages_students, pages_sites
    *Which scheme*: the AUC of who leaves, clear, from a curator's counts, and by coins for one
    question of forty, for all, and for one and a secret class; how many of the 20 commonest of
    1,000 sites unary encoding and k-ary response find.
pages_monthly
    *Asking again*, the coin kept or fresh: squares of the errors of a month, of the year and of a
    rise; how often a kept answer's interval holds the share of all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, CategoricalNB
from sklearn.pipeline import make_pipeline

from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.datasets import load_pima, load_voting
from ppdm.generation import PrivateTreeGenerator
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MemoizedResponse,
    RandomizedResponse,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.typing import AnyArray, IntArray
from ppdm_book.experiments._tables import Row, Table, grid

THETAS = ((0.9, 0.9), (0.9, 0.7), (0.7, 0.7), (0.7, 0.9))  # told, believed
#: Quarters of ranges that everybody knows, of each measure of Pima.
PUBLIC_CUTS = np.linspace(
    [0, 0, 0, 0, 0, 0, 0, 20], [20, 200, 140, 100, 900, 70, 2.5, 90], 5)[1:-1]  # fmt: skip


def over_folds(
    X: AnyArray, y: IntArray, seed: int, measure: Callable[[IntArray, IntArray], Row]
) -> Row:
    """Average what is measured on five folds that the seed shuffles."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
    each = [measure(*fold) for fold in folds]
    return {name: float(np.mean([row[name] for row in each])) for name in each[0]}


def honest(seed: int) -> Row:
    """Measure pipelines, and coins of another theta than was told, on Voting."""
    X, y = load_voting(random_state=0, return_X_y=True)
    groups = [[j] for j in range(16)]

    def measure(train: IntArray, test: IntArray) -> Row:
        coins = RandomizedResponse(0.7, groups=groups, random_state=seed)
        naive = make_pipeline(coins, RandomizedResponseNB(coins)).fit(X[train], y[train])
        own = DisguisedClassifier(coins).fit(X[train], y[train])
        naive_, own_, last = (m.score(X[test], y[test]) for m in (naive, own, naive[-1]))
        row = {"naive": naive_, "own": own_, "apart": abs(own_ - last)}
        true = np.array([X[train][y[train] == c].mean(axis=0) for c in (0, 1)]).T
        for told, believed in THETAS:
            coins = RandomizedResponse(told, groups=groups, random_state=seed)
            model = RandomizedResponseNB(RandomizedResponse(believed, groups=groups))
            model.fit(*coins.disguise(X[train], y[train]))
            shares = model.pair_count_[:, :, 1] / model.class_count_
            at = f"_{told}_{believed}"
            row["accuracy" + at] = model.score(X[test], y[test])
            row["error" + at] = abs(shares - true).mean()
            row["loss" + at] = log_loss(y[test], model.predict_proba(X[test]))
        return row

    return over_folds(X, y, seed, measure)


def cuts(seed: int) -> Row:
    """Measure three ways to cut, and records of a private tree, on Pima."""
    X, y = load_pima(return_X_y=True)
    rng = np.random.default_rng(seed)

    def measure(train: IntArray, test: IntArray) -> Row:
        known, row = X[train], {}
        ways = {"public": PUBLIC_CUTS,
                "widths": np.linspace(known.min(axis=0), known.max(axis=0), 5)[1:-1],
                "quartiles": np.quantile(known, [0.25, 0.5, 0.75], axis=0)}  # fmt: skip
        for name, cut in ways.items():
            codes = (X[:, np.newaxis] >= cut).sum(axis=1)
            krr = CategoricalRandomizedResponse(4, epsilon=2, random_state=seed)
            model = DisguisedClassifier(krr).fit(codes[train], y[train])
            row[name] = model.score(codes[test], y[test])
        codes = (X[:, np.newaxis] >= PUBLIC_CUTS).sum(axis=1)
        tables = {"clear": (codes[train], y[train])}
        for epsilon in (2, 4):
            tree = PrivateTreeGenerator(4, epsilon=epsilon, random_state=rng)
            tables[f"private_{epsilon}"] = tree.fit_resample(*tables["clear"])
        for name, table in tables.items():
            row[name] = CategoricalNB(min_categories=4).fit(*table).score(codes[test], y[test])
        return row

    return over_folds(X, y, seed, measure)


def students(seed: int) -> Row:
    """Draw 5,000 students, of whom three in ten leave, and rank as many more."""
    d, rng = 40, np.random.default_rng(seed)
    shift = rng.choice([-0.05, 0.05], d)
    shares = rng.uniform(0.3, 0.7, d) + np.array([-shift, shift])
    y, leaves = (rng.random((2, 5_000)) < 0.3).astype(int)
    X, unseen = ((rng.random((5_000, d)) < shares[by]).astype(int) for by in (y, leaves))
    counts = np.array([X[y == c].sum(axis=0) for c in (0, 1)]) + rng.laplace(0, d / 2, (2, d))
    part = np.clip(counts / np.bincount(y)[:, np.newaxis], 0.001, 0.999)
    scores = {"clear": BernoulliNB().fit(X, y).predict_proba(unseen)[:, 1],
              "curator": unseen @ np.diff(np.log(part / (1 - part)), axis=0)[0]}  # fmt: skip
    ways: Row = {"one": {"epsilon": 2, "asked": 1},
                 "all": {"epsilon": 2 / d, "groups": [[j] for j in range(d)]},
                 "secret": {"epsilon": 1, "asked": 1, "class_group": "own"}}  # fmt: skip
    for name, how in ways.items():
        coins = RandomizedResponse(**how, random_state=rng)
        scores[name] = DisguisedClassifier(coins).fit(X, y).predict_proba(unseen)[:, 1]
    return {name: roc_auc_score(leaves, score) for name, score in scores.items()}


def sites(seed: int) -> Row:
    """Count two million people's reports of their site at epsilon 1; site k is liked as 1/k."""
    n, k, rng = 2_000_000, 1_000, np.random.default_rng(seed)
    shares = 1 / np.arange(1, k + 1)
    true = rng.multinomial(n, shares / shares.sum())
    bits = rng.binomial(true, 0.5) + rng.binomial(n - true, 1 / (1 + np.e))
    kept = rng.binomial(true, 1 - k / (k - 1 + np.e))
    codes = kept + rng.multinomial(n - kept.sum(), np.full(k, 1 / k))
    seen = {"unary": bits, "k_ary": codes}
    return {name: int((np.argsort(-each)[:20] < 20).sum()) for name, each in seen.items()}


def monthly(seed: int) -> Row:
    """Ask 3,000 people in twelve months; before the seventh 7% of the others turn to yes."""
    n, months, share, rng = 3_000, 12, 0.3, np.random.default_rng(seed)
    yes, rate = rng.random(n) < share, share
    memo = MemoizedResponse(2, permanent=2, random_state=rng)
    anew = CategoricalRandomizedResponse(2, epsilon=4 / months, random_state=rng)
    off, held = [], []
    for month in range(months):
        again, answer = rng.random(n) < 0.02, rng.random(n) < share
        yes, rate = np.where(again, answer, yes), 0.98 * rate + 0.02 * share
        if month == 6:
            yes, rate = yes | (rng.random(n) < 0.07), rate + 0.07 * (1 - rate)
        answers = yes[:, np.newaxis].astype(int)
        kept = estimate_frequencies(memo.report(answers), memo)
        fresh = estimate_frequencies(anew.fit_transform(answers), anew)
        low, high = kept.interval()[1]
        held.append(low <= rate <= high)
        off.append([one.frequencies[1] - yes.mean() for one in (kept, fresh)])
    row: Row = {}
    for name, one in zip(("kept", "fresh"), np.transpose(off), strict=True):
        row[f"{name}_month"] = (one**2).mean()
        row[f"{name}_year"], row[f"{name}_rise"] = one.mean() ** 2, (one[6] - one[5]) ** 2
    return row | {"holds": np.mean(held)}


TABLES = tuple(
    Table(f"pages_{row.__name__}", partial(grid, seed=range(seeds)), row, digits=6)
    for row, seeds in ((honest, 20), (cuts, 20), (students, 100), (sites, 200), (monthly, 200))
)
