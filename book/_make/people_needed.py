"""The figure of *Which scheme, and when none*: ``book/_static/people_needed.svg``.

How many people a share within three points needs, over the epsilon of the whole record.
"""

from __future__ import annotations

import numpy as np
from curves import curve, ticks, write
from matplotlib.axes import Axes

from ppdm.compare import choose_scheme
from ppdm.plots import PALETTE

MARGIN, QUESTIONS, EPSILONS = 0.03, (1, 4, 16, 40), np.geomspace(0.1, 30, 61)
ROLES = "estimate", "other", "adversary", "disguised"
LOW, HIGH = 140, 8e7  # of the upright axis
POWERS = {1e3: "1,000", 1e4: "10,000", 1e5: "100,000", 1e6: "1 million", 1e7: "10 million"}


def people(questions: int, epsilon: float) -> float:
    """Return how many people so many yes-or-no questions need."""
    choice = choose_scheme(1, yes_no=questions, margin=MARGIN, epsilon=epsilon)
    return choice.best.people


def clear() -> float:
    """Return how many answers in the clear are needed; a coin that never lies needs no fewer."""
    return people(1, 20)


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

    def draw(ax: Axes) -> None:
        ax.set(title="people needed", yscale="log", ylim=(LOW, HIGH), xlim=(0.04, EPSILONS[-1]),
               xlabel="epsilon of the whole record", yticks=[*POWERS], yticklabels=POWERS.values())
        ax.grid(axis="y")
        ax.axhspan(LOW, clear(), color=PALETTE["quiet"], alpha=0.25, lw=0)
        ax.axhline(clear(), color=PALETTE["truth"], ls="--")
        none = f"none: with fewer than {clear():,.0f} even\nanswers in the clear are off by more"
        write(ax, none, (0.045, clear()), (0, -10), ha="left", va="top")
        for d, role in zip(QUESTIONS, ROLES, strict=True):
            needed = [people(d, epsilon) for epsilon in EPSILONS]
            ax.plot(EPSILONS, needed, color=PALETTE[role])
            write(ax, f"{d}", (EPSILONS[0], needed[0]), (-6, 0), ha="right", va="center",
                  color=PALETTE[role], weight="bold")
        write(ax, "questions in all", (EPSILONS[0], HIGH), (-24, -14), ha="left")
        ticks(ax, [0.1, 0.3, 1, 3, 10, 30])

    return curve(422, "People needed over epsilon", says(), draw)
