"""What the drawn pictures have in common: the book's style, and a text that can be read aloud.

Dark ink on a transparent ground, as the chapters' figures; labels are large enough for a phone.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ppdm_book.figures import use_style

CURVE = {"font.size": 15, "axes.titlesize": 15, "axes.labelweight": "bold", "axes.grid": False}


def picture(
    size: tuple[float, float], title: str, says: str, draw: Callable[[Figure], None], **style: Any
) -> str:
    """Return what is drawn, so many points wide and high, as an SVG that says what it shows."""
    text = io.StringIO()
    with mpl.rc_context():
        use_style()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ppdm", **style})
        fig = Figure(figsize=(size[0] / 72, size[1] / 72))
        draw(fig)
        fig.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    head, start, rest = text.getvalue().partition("<defs>")
    return f"{head}<title>{title}</title>\n<desc>{escape(says)}</desc>\n{start}{rest}"


def curve(height: float, title: str, says: str, draw: Callable[[Axes], None]) -> str:
    """Return a curve as a page shows it, over a level scale of ratios."""

    def plot(fig: Figure) -> None:
        ax = fig.subplots()
        ax.set_xscale("log")
        draw(ax)

    return picture((470, height), title, says, plot, **CURVE)


def ticks(ax: Axes, values: Sequence[float], words: Sequence[str] | None = None) -> None:
    """Write these values on the level scale, or words in their place."""
    ax.set_xticks(values, words or [f"{value:g}" for value in values])
    ax.set_xticks([], minor=True)


def means(ax: Axes, at: Sequence[float], found: np.ndarray, colour: str) -> None:
    """Draw the means over the rows, joined, each with a standard deviation up and down."""
    ax.errorbar(at, found.mean(axis=0), found.std(axis=0, ddof=1), fmt="o-", color=colour)


def write(ax: Axes, text: str, at: tuple[float, float], off: tuple[float, float],
          ha: str = "center", **how: Any) -> None:  # fmt: skip
    """Write a text so many points away from a place."""
    ax.annotate(text, at, off, textcoords="offset points", ha=ha, **how)
