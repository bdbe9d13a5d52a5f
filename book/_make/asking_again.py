"""What *Asking again* measures of incomes, and its figure ``book/_static/asking_again.svg``.

A panel's incomes, asked for every week of a year, in several ways. The figure has what an adversary
misses a person's income by, over the number of her reports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from curves import curve, means, ticks, write
from matplotlib.axes import Axes

from ppdm.noise import AdditiveNoise
from ppdm.plots import PALETTE
from ppdm.randomized_response import MemoizedResponse

PEOPLE, WEEKS, RISE, TOP_INCOME = 3000, 52, 26, 10_000
SURVEYS, REPORTS = range(100), (1, 2, 4, 8, 16, 32, 52)
EUROS = range(0, 2001, 500)  # of the axis
EDGES, MIDDLES = [2500, 5000, 7500], np.array([1250, 3750, 6250, 8750])

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
    last = kept_.mean(axis=0)[-1]

    def draw(ax: Axes) -> None:
        ax.axhline(guess, color=PALETTE["quiet"], ls="--")
        write(ax, f"a guess {guess:,.0f}", (REPORTS[-1], guess), (0, 10), ha="right")
        means(ax, REPORTS, kept_, PALETTE["truth"])
        write(ax, f"kept {last:,.0f}", (REPORTS[-1], last), (0, -26), ha="right")
        means(ax, REPORTS, fresh_, PALETTE["estimate"])
        for reports, mean in zip(REPORTS, fresh_.mean(axis=0), strict=True):
            write(ax, f"{mean:,.0f}", (reports, mean), (0, -28))
        write(ax, "fresh", (4, fresh_[:, 2].mean()), (0, -48))
        ticks(ax, REPORTS)
        ax.set(title="euros missed", xlabel="reports of hers", xlim=(0.7, 68), ylim=(0, 2000),
               yticks=EUROS, yticklabels=[f"{euros:,}" for euros in EUROS])

    return curve(306, "What an adversary misses an income by", says(), draw)
