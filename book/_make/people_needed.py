"""The figure of *Which scheme, and when none*: ``book/_static/people_needed.svg``.

How many people a share within three points needs, over the epsilon of the whole record.
"""

from __future__ import annotations

from math import log10
from pathlib import Path

import numpy as np
from curves import INK, below, beside, frame, joined

from ppdm.compare import choose_scheme
from ppdm.plots import PALETTE

OUT = Path(__file__).resolve().parent.parent / "_static" / "people_needed.svg"
MARGIN, QUESTIONS, EPSILONS = 0.03, (1, 4, 16, 40), np.geomspace(0.1, 30, 61)
ROLES = "estimate", "other", "adversary", "disguised"
LEFT, RIGHT, TOP, FLOOR = 96, 452, 54, 364
LOW, HIGH = 2.15, 7.5  # of the upright axis: powers of ten


def people(questions: int, epsilon: float) -> float:
    """Return how many people so many yes-or-no questions need."""
    choice = choose_scheme(1, yes_no=questions, margin=MARGIN, epsilon=epsilon)
    return choice.best.people


def clear() -> float:
    """Return how many answers in the clear are needed; a coin that never lies needs no fewer."""
    return people(1, 20)


def x(epsilon: float) -> float:
    """Return where an epsilon stands, on a scale of ratios."""
    span = log10(EPSILONS[-1] / EPSILONS[0])
    return round(LEFT + 40 + log10(epsilon / EPSILONS[0]) / span * (RIGHT - LEFT - 48), 1)


def height(number: float) -> float:
    """Return where so many people stand, on a scale of ratios."""
    return round(FLOOR - (log10(number) - LOW) / (HIGH - LOW) * (FLOOR - TOP), 1)


def says() -> str:
    """Return what the figure shows in words; the page has them as alt text."""
    needed = ", ".join(
        f"{people(d, 1):,.0f} and {people(d, 10):,.0f} for {d} question{'s' if d > 1 else ''}"
        for d in QUESTIONS
    )
    return (
        f"People needed for a share within 3 points, falling with the epsilon of the whole record. "
        f"At epsilon 1 and 10: {needed}. Below a dashed line at {clear():,.0f} people, those that "
        f"answers in the clear need, lies a zone named none."
    )


def svg() -> str:
    """Draw the figure."""
    ground = height(clear())
    curves = "\n".join(
        joined([(x(e), height(people(d, e))) for e in EPSILONS], PALETTE[role], 2.5)
        + f'<text x="{x(EPSILONS[0]) - 7}" y="{height(people(d, EPSILONS[0])) + 5}" '
        f'text-anchor="end" fill="{PALETTE[role]}" font-weight="bold">{d}</text>'
        for d, role in zip(QUESTIONS, ROLES, strict=True)
    )
    powers = {3: "1,000", 4: "10,000", 5: "100,000", 6: "1 million", 7: "10 million"}
    up = "".join(beside(LEFT, height(10**power), text) for power, text in powers.items())
    grid = "".join(f"M{LEFT} {height(10**power)}H{RIGHT}" for power in powers)
    across = "".join(below(x(e), FLOOR, f"{e:g}") for e in (0.1, 0.3, 1, 3, 10, 30))
    body = f"""<text x="{LEFT - 88}" y="16">people needed</text>
<path d="{grid}" stroke="{PALETTE["quiet"]}" stroke-width="0.5"/>
<path d="M{LEFT} {ground}H{RIGHT}V{FLOOR}H{LEFT}Z" fill="{PALETTE["quiet"]}" fill-opacity="0.25"/>
<path d="M{LEFT} {TOP}V{FLOOR}H{RIGHT}" fill="none" stroke="{INK}"/>{up}
<path d="M{LEFT} {ground}H{RIGHT}" stroke="{INK}" stroke-width="1.5" stroke-dasharray="7 6"/>
<text x="{LEFT + 8}" y="{ground + 22}">none: with fewer than {clear():,.0f} even</text>
<text x="{LEFT + 8}" y="{ground + 40}">answers in the clear are off by more</text>
{curves}
<text x="{x(EPSILONS[0]) - 26}" y="{TOP - 8}">questions in all</text>
{across}
<text x="{(LEFT + RIGHT) / 2}" y="{FLOOR + 46}" text-anchor="middle"
      font-weight="bold">epsilon of the whole record</text>"""
    return frame("people_needed", 422, "People needed over epsilon", says(), body)


if __name__ == "__main__":
    OUT.write_text(svg(), encoding="utf-8")
    print(OUT)
