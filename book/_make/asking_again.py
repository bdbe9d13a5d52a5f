"""What *Asking again* measures of incomes, and its figure ``book/_static/asking_again.svg``.

A panel's incomes, asked for every week of a year, in several ways. The figure has what an adversary
misses a person's income by, over the number of her reports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import log
from pathlib import Path

import numpy as np
from curves import INK, below, beside, frame, joined

from ppdm.noise import AdditiveNoise
from ppdm.plots import PALETTE
from ppdm.randomized_response import MemoizedResponse

OUT = Path(__file__).resolve().parent.parent / "_static" / "asking_again.svg"
PEOPLE, WEEKS, RISE, TOP_INCOME = 3000, 52, 26, 10_000
SURVEYS, REPORTS = range(100), (1, 2, 4, 8, 16, 32, 52)
EDGES, MIDDLES = [2500, 5000, 7500], np.array([1250, 3750, 6250, 8750])
LEFT, RIGHT, TOP, FLOOR = 58, 452, 34, 250
HIGHEST = 2000  # of the axis

Answers = tuple[np.ndarray, np.ndarray]  # of each week and person, and the week's estimate


def panel(rng: np.random.Generator) -> np.ndarray:
    """Return everybody's income in every week, (weeks, people)."""
    level = rng.lognormal(np.log(3500), 1, 2 * PEOPLE)
    level = level[(level > 300) & (level < 8000)][:PEOPLE]
    drift = rng.normal(0, 0.005, (WEEKS, PEOPLE)).cumsum(axis=0)
    income = level * np.exp(drift)
    income[RISE:] *= 1.05
    return income.round()


def fresh(income: np.ndarray, rng: np.random.Generator, epsilon: float, turns: int) -> Answers:
    """Disguise anew; everybody answers so many times, all in the same weeks if in each."""
    noise = AdditiveNoise("laplace", domain=[[0, TOP_INCOME]], epsilon=epsilon, random_state=rng)
    reports = np.full(income.shape, np.nan)
    asked = rota(rng, turns)
    reports[asked] = noise.transform(income[asked][:, np.newaxis])[:, 0]
    return reports, np.nanmean(reports, axis=1)


def kept(
    income: np.ndarray,
    rng: np.random.Generator,
    permanent: float,
    turns: int,
    instantaneous: float | None = None,
) -> Answers:
    """Disguise each new interval once; who has the same turns shares an object."""
    codes = np.digitize(income, EDGES)
    asked, reports = rota(rng, turns), np.full(income.shape, np.nan)
    for first in range(WEEKS // turns):
        who = np.flatnonzero(asked[first])
        memo = MemoizedResponse(4, permanent, instantaneous, random_state=rng)
        for week in range(first, WEEKS, WEEKS // turns):
            told = memo.report(codes[week, who][:, np.newaxis])[:, 0]
            _, p, q = memo.support()
            reports[week, who] = (MIDDLES[told] - q * MIDDLES.sum()) / (p - q)
    return reports, np.nanmean(reports, axis=1)


def rota(rng: np.random.Generator, turns: int) -> np.ndarray:
    """Draw by lot who is asked when, (weeks, people)."""
    every = WEEKS // turns
    lot = rng.permutation(PEOPLE) % every
    return np.arange(WEEKS)[:, np.newaxis] % every == lot


WAYS: dict[str, Callable[..., Answers]] = {
    "naive": lambda *given: fresh(*given, 1, WEEKS),
    "all": lambda *given: fresh(*given, 4 / WEEKS, WEEKS),
    "rota of 1": lambda *given: fresh(*given, 4, 1),
    "rota of 4": lambda *given: fresh(*given, 1, 4),
    "kept": lambda *given: kept(*given, 1, WEEKS),
    "kept in a rota of 4": lambda *given: kept(*given, 1, 4),
    "two coins": lambda *given: kept(*given, 1, WEEKS, 1),
}


def missed(average: np.ndarray, income: np.ndarray) -> float:
    """Return what the best straight line from an average to an income misses it by, on average."""
    line = np.polyfit(average, income, 1)
    return float(abs(np.polyval(line, average) - income).mean())


@cache
def measured() -> dict[str, np.ndarray]:
    """Return of each way, by survey: errors of week, year and rise, and what adversaries miss.

    The error of a week is a root mean square over the weeks. What is missed stands after each of
    ``REPORTS``, where everybody answers in each week, and else after the last; behind it, what
    the first report and the average miss as they are.
    """
    found: dict[str, list[list[float]]] = {name: [] for name in (*WAYS, "guess", "truth")}
    for seed in SURVEYS:
        rng = np.random.default_rng(seed)
        income = panel(rng)
        true, year = income.mean(axis=1), income.mean(axis=0)
        middles = MIDDLES[np.digitize(income, EDGES)].mean(axis=1) - true
        found["guess"].append([float(abs(year - year.mean()).mean())])
        found["truth"].append([true[RISE] - true[RISE - 1], middles.mean()])
        for name, way in WAYS.items():
            reports, estimate = way(income, rng)
            off = estimate - true
            whole = not np.isnan(reports).any()
            averages = [np.nanmean(reports[:r], axis=0) for r in (REPORTS if whole else [WEEKS])]
            attacks = [missed(average, year) for average in averages]
            plain = [float(abs(averages[k] - year).mean()) for k in (0, -1)]
            errors = [float(np.sqrt((off**2).mean())), off.mean(), off[RISE] - off[RISE - 1]]
            found[name].append([*errors, *attacks, *plain])
    return {name: np.array(rows) for name, rows in found.items()}


def x(reports: int) -> float:
    """Return where a number of reports stands, on a scale of ratios."""
    span = log(REPORTS[-1])
    return round(LEFT + 30 + log(reports) / span * (RIGHT - LEFT - 56), 1)


def height(euros: float) -> float:
    """Return where so many euros stand."""
    return round(FLOOR - euros / HIGHEST * (FLOOR - TOP), 1)


def points(means: np.ndarray, spreads: np.ndarray, colour: str) -> str:
    """Draw means with their spreads, joined."""
    drawn, places = "", []
    for r, mean, spread in zip(REPORTS, means, spreads, strict=True):
        at, up = x(r), height(mean)
        places.append((at, up))
        drawn += (
            f'<path d="M{at} {height(mean - spread)}V{height(mean + spread)}" stroke="{colour}" '
            f'stroke-width="2"/><circle cx="{at}" cy="{up}" r="4" fill="{colour}"/>'
        )
    return f"{joined(places, colour)}\n{drawn}"


def curves() -> tuple[np.ndarray, np.ndarray, float]:
    """Return what is missed of fresh and of kept answers, (surveys, reports), and by a guess."""
    found, shown = measured(), slice(3, 3 + len(REPORTS))
    return found["naive"][:, shown], found["kept"][:, shown], float(found["guess"].mean())


def says() -> str:
    """Return what the figure shows in words; the page has them as alt text."""
    fresh_, kept_, guess = curves()
    at = ", ".join(f"{m:,.0f} of {r}" for r, m in zip(REPORTS, fresh_.mean(axis=0), strict=True))
    first, last = kept_.mean(axis=0)[[0, -1]]
    return (
        f"Euros missed over the number of reports. From the average of fresh reports: {at}. From "
        f"kept ones {first:,.0f} of 1, {last:,.0f} of {REPORTS[-1]}. A dashed line marks a guess, "
        f"{guess:,.0f}."
    )


def svg() -> str:
    """Draw the figure."""
    fresh_, kept_, guess = curves()
    means, last = fresh_.mean(axis=0), kept_.mean(axis=0)[-1]
    values = "".join(
        f'<text x="{x(r)}" y="{height(mean) + 26:.1f}" text-anchor="middle">{mean:,.0f}</text>'
        for r, mean in zip(REPORTS, means, strict=True)
    )
    across = "".join(below(x(r), FLOOR, f"{r}") for r in REPORTS)
    up = "".join(beside(LEFT, height(t), f"{t:,}") for t in range(0, HIGHEST + 1, 500))
    body = f"""<text x="{LEFT - 50}" y="16">euros missed</text>
<path d="M{LEFT} {TOP}V{FLOOR}H{RIGHT}" fill="none" stroke="{INK}"/>{up}
<path d="M{LEFT} {height(guess)}H{RIGHT}" stroke="{PALETTE["quiet"]}" stroke-width="2"
      stroke-dasharray="7 6"/>
<text x="{RIGHT}" y="{height(guess) - 10}" text-anchor="end">a guess {guess:,.0f}</text>
{points(kept_.mean(axis=0), kept_.std(axis=0, ddof=1), PALETTE["truth"])}
<text x="{RIGHT}" y="{height(last) + 24}" text-anchor="end">kept {last:,.0f}</text>
{points(means, fresh_.std(axis=0, ddof=1), PALETTE["estimate"])}
{values}
<text x="{x(4)}" y="{height(means[2]) + 46:.1f}" text-anchor="middle">fresh</text>
{across}
<text x="{(LEFT + RIGHT) / 2}" y="{FLOOR + 46}" text-anchor="middle"
      font-weight="bold">reports of hers</text>"""
    return frame("asking_again", 306, "What an adversary misses an income by", says(), body)


if __name__ == "__main__":
    OUT.write_text(svg(), encoding="utf-8")
    print(OUT)
