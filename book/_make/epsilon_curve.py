"""The figure of *Cross-validate honestly*: ``book/_static/epsilon_curve.svg``.

Accuracy on Voting over the epsilon of one answer.
"""

from __future__ import annotations

from functools import cache
from math import log
from pathlib import Path

import numpy as np
from curves import INK, below, beside, frame, joined
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from ppdm.classifiers import DisguisedClassifier
from ppdm.datasets import load_voting
from ppdm.plots import PALETTE
from ppdm.randomized_response import RandomizedResponse

OUT = Path(__file__).resolve().parent.parent / "_static" / "epsilon_curve.svg"
EPSILONS, SEEDS = (0.05, 0.1, 0.2, 0.5, 1, 2, 4), range(20)
LEFT, RIGHT, TOP, FLOOR = 52, 452, 30, 250
LOW, HIGH = 0.5, 1.0  # of the axis


@cache
def curve() -> tuple[np.ndarray, np.ndarray, float]:
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


def x(epsilon: float) -> float:
    """Return where an epsilon stands, on a scale of ratios."""
    span = log(EPSILONS[-1] / EPSILONS[0])
    return round(LEFT + 22 + log(epsilon / EPSILONS[0]) / span * (RIGHT - LEFT - 44), 1)


def height(accuracy: float) -> float:
    """Return where an accuracy stands."""
    return round(FLOOR - (accuracy - LOW) / (HIGH - LOW) * (FLOOR - TOP), 1)


def point(epsilon: float, mean: float, spread: float) -> str:
    """Draw one mean with its spread, its value beside it, and both epsilons below the axis."""
    at, up = x(epsilon), height(mean)
    low, high = height(mean - spread), height(mean + spread)
    return (
        f'<path d="M{at} {low}V{high}" stroke="{PALETTE["estimate"]}" stroke-width="2"/>'
        f'<circle cx="{at}" cy="{up}" r="5" fill="{PALETTE["estimate"]}"/>'
        f'<text x="{at}" y="{high - 7:.1f}" text-anchor="middle">{mean:.2f}</text>'
        f"{below(at, FLOOR, f'{epsilon:g}')}"
        f'<text x="{at}" y="{FLOOR + 73}" text-anchor="middle">{16 * epsilon:g}</text>'
    )


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
    scores, _, larger = curve()
    means, spreads = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    rows = zip(EPSILONS, means, spreads, strict=True)
    points = "\n".join(point(*row) for row in rows)
    places = [(x(e), height(m)) for e, m in zip(EPSILONS, means, strict=True)]
    ticks = "".join(beside(LEFT, height(t), f"{t:.1f}") for t in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
    middle = (LEFT + RIGHT) / 2
    body = f"""<text x="{LEFT - 44}" y="16">accuracy on clear records</text>
<path d="M{LEFT} {TOP}V{FLOOR}H{RIGHT}" fill="none" stroke="{INK}"/>{ticks}
<path d="M{LEFT} {height(larger)}H{RIGHT}" stroke="{PALETTE["quiet"]}" stroke-width="2"
      stroke-dasharray="7 6"/>
<text x="{RIGHT}" y="{height(larger) + 20}" text-anchor="end">larger class {larger:.2f}</text>
{joined(places, PALETTE["estimate"])}
{points}
<text x="{middle}" y="{FLOOR + 44}" text-anchor="middle"
      font-weight="bold">epsilon of one answer</text>
<text x="{middle}" y="{FLOOR + 94}" text-anchor="middle"
      font-weight="bold">epsilon of the record</text>"""
    return frame("epsilon_curve", 350, "Accuracy over epsilon", says(scores, larger), body)


if __name__ == "__main__":
    OUT.write_text(svg(), encoding="utf-8")
    print(OUT)
