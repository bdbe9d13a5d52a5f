"""The README's figure, which is the tour's: ``book/_static/one_coin.svg``.

A hand-made SVG: it follows the reader's light or dark setting, which no PNG does, and a line of
it is the same on every machine. The seed and the order of the draws are the tour's.
"""

from __future__ import annotations

import numpy as np

from ppdm.datasets import load_voting
from ppdm.randomized_response import RandomizedResponse

THETA, EVENINGS = 0.7, 2000
LOW, HIGH = 0.2, 0.64  # of the axis
WIDTH, FLOOR, TOP = 720, 260, 62

STYLE = """
  .ground { fill: #ffffff } text, .ink { fill: #222222 } .axis { stroke: #222222 }
  .naive { stroke: #c75300; fill: none } .naive-text { fill: #c75300 }
  .undone { fill: #0072b2; fill-opacity: .5 } .undone-text { fill: #0072b2 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #121212 } text, .ink { fill: #e6e6e6 } .axis { stroke: #e6e6e6 }
    .naive { stroke: #ff9a4d } .naive-text { fill: #ff9a4d }
    .undone { fill: #4db2ec } .undone-text { fill: #4db2ec }
  }"""
#: To undo the coin is to stretch the shares about one half, by 1 / (2 theta - 1): once, and then
#: the label comes.
MOVES = """
  .undone { transform-origin: %spx %spx; animation: undo 4s ease-in-out backwards }
  .undone-text { animation: come 4.5s backwards }
  @keyframes undo { 0%%, 30%% { transform: scale(%s, %s) } }
  @keyframes come { 0%%, 90%% { opacity: 0 } }
  @media (prefers-reduced-motion: reduce) { .undone, .undone-text { animation: none } }"""


def shares() -> tuple[float, np.ndarray, np.ndarray]:
    """Return the true share of yes, and each evening's naive and corrected one."""
    house = load_voting(fill=None)
    votes = house.data[:, house.feature_names.index("physician_fee_freeze")]
    votes = votes[~np.isnan(votes)].astype(int)[:, np.newaxis]
    coin = RandomizedResponse(THETA, random_state=np.random.default_rng(42))
    coin.fit_transform(votes)  # the tour's first evening
    naive = np.array([coin.transform(votes).mean() for _ in range(EVENINGS)])
    return votes.mean(), naive, (naive - (1 - THETA)) / (2 * THETA - 1)


def x(share: float) -> float:
    """Return where a share stands."""
    return round(30 + (share - LOW) / (HIGH - LOW) * (WIDTH - 60), 1)


def steps(values: np.ndarray, bar: float, tallest: int) -> str:
    """Return the outline of a histogram as an SVG path."""
    edges = bar / 2 + np.arange(LOW, HIGH, bar)
    counts, _ = np.histogram(values, edges)
    heights = FLOOR - (FLOOR - TOP) * counts / tallest
    corners = zip(edges[:-1], edges[1:], heights, strict=True)
    line = " ".join(f"L{x(a)} {h:.1f} L{x(b)} {h:.1f}" for a, b, h in corners)
    return f"M{x(edges[0])} {FLOOR} {line} L{x(edges[-1])} {FLOOR}"


def svg() -> str:
    """Draw the figure."""
    truth, naive, undone = shares()
    bar = 2 / 424 / (2 * THETA - 1)  # two possible estimates a bar
    tallest = np.histogram(naive, bar / 2 + np.arange(LOW, HIGH, bar))[0].max()
    ticks = "".join(
        f'<path class="axis" d="M{x(t)} {FLOOR}v6"/>'
        f'<text x="{x(t)}" y="{FLOOR + 24}" text-anchor="middle">{t:.1f}</text>'
        for t in (0.2, 0.3, 0.4, 0.5, 0.6)
    )
    middle, blue, orange = WIDTH / 2, x(0.355), x(0.515)
    below = "estimated share of yes (424 people, survey repeated 2,000 times)"
    said = (f"{EVENINGS:,} evenings: the reports as they are counted average {naive.mean():.3f}, "
            f"the estimates {undone.mean():.3f}; the truth is {truth:.3f}.")
    return f"""<!-- Made by book/_make/one_coin.py. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 310" role="img"
     aria-labelledby="title desc" font-family="DejaVu Sans, Verdana, sans-serif" font-size="15">
<title id="title">A coin is undone on the count</title>
<desc id="desc">{said}</desc>
<style>{STYLE}{MOVES % (x(0.5), FLOOR, round(2 * THETA - 1, 9), round(1 / (2 * THETA - 1), 9))}
</style>
<rect class="ground" width="{WIDTH}" height="310" rx="8"/>
<path class="undone" d="{steps(undone, bar, tallest)}"/>
<path class="naive" stroke-width="2" d="{steps(naive, bar, tallest)}"/>
<path class="axis" stroke-width="2.5" d="M{x(truth)} 36V{FLOOR}"/>
<path class="axis" d="M{x(LOW)} {FLOOR}H{x(HIGH)}"/>{ticks}
<text x="{x(truth)}" y="26" text-anchor="middle" font-weight="bold">truth {truth:.3f}</text>
<text class="undone-text" x="{blue}" y="150" text-anchor="end">coin undone,</text>
<text class="undone-text" x="{blue}" y="171" text-anchor="end">on average {undone.mean():.3f}</text>
<text class="naive-text" x="{orange}" y="100">reports as counted,</text>
<text class="naive-text" x="{orange}" y="121">on average {naive.mean():.3f}</text>
<text x="{middle}" y="304" text-anchor="middle">{below}</text>
</svg>
"""
