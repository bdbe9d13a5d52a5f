"""The figure of *Cross-validate honestly*: ``book/_static/epsilon_curve.svg``.

Accuracy on Voting over the epsilon of one answer.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from curves import curve, means, ticks, write
from matplotlib.axes import Axes
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from ppdm.classifiers import DisguisedClassifier
from ppdm.datasets import load_voting
from ppdm.plots import PALETTE
from ppdm.randomized_response import RandomizedResponse

EPSILONS, SEEDS = (0.05, 0.1, 0.2, 0.5, 1, 2, 4), range(20)


@cache
def measured() -> tuple[np.ndarray, np.ndarray, float]:
    """Return each seed's accuracies, the epsilon it would choose, and the larger class's share."""
    X, y = load_voting(random_state=0, return_X_y=True)
    scores, best = [], []
    for seed in SEEDS:
        coins = RandomizedResponse(epsilon=1, groups=[[j] for j in range(16)], random_state=seed)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        grid = {"disguise__epsilon": EPSILONS}
        search = GridSearchCV(DisguisedClassifier(coins), grid, cv=folds).fit(X, y)
        scores.append(search.cv_results_["mean_test_score"])
        best.append(search.best_params_["disguise__epsilon"])
    return np.array(scores), np.array(best), float(max(y.mean(), 1 - y.mean()))


def says(scores: np.ndarray, larger: float) -> str:
    """Return what the figure shows in words; the page has them as alt text."""
    means, spreads = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    at = ", ".join(f"{m:.2f} at {e:g}" for e, m in zip(EPSILONS, means, strict=True))
    return (
        f"Accuracy over the epsilon of one answer: {at}. Its spread goes from {spreads[0]:.2f} to "
        f"{spreads[-1]:.3f}. A dashed line marks the larger class, {larger:.2f}."
    )


def svg() -> str:
    """Draw the figure."""
    scores, _, larger = measured()

    def draw(ax: Axes) -> None:
        means(ax, EPSILONS, scores, PALETTE["estimate"])
        for epsilon, mean in zip(EPSILONS, scores.mean(axis=0), strict=True):
            write(ax, f"{mean:.2f}", (epsilon, mean), (5, -17), ha="left")
        ax.axhline(larger, color=PALETTE["quiet"], ls="--")
        write(ax, f"larger class {larger:.2f}", (EPSILONS[-1], larger), (0, -20), ha="right")
        ticks(ax, EPSILONS, [f"{epsilon:g}\n{16 * epsilon:g}" for epsilon in EPSILONS])
        ax.set(title="accuracy on clear records", ylim=(0.5, 1), xlim=(0.04, 8),
               xlabel="epsilon of one answer,\nbelow it of the record")

    return curve(350, "Accuracy over epsilon", says(scores, larger), draw)
