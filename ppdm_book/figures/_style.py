"""The style itself, and the plain text that a figure has in Jupyter."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.figure import Figure

from ppdm.plots import PALETTE, TURNS
from ppdm_book.figures._digest import digest

INK = PALETTE["truth"]

_STYLE: dict[Any, Any] = {
    "figure.figsize": (7.0, 3.6),
    "figure.dpi": 110,
    "figure.facecolor": "none",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": INK,
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.prop_cycle": cycler(
        color=[PALETTE[role] for role in TURNS], linestyle=["-", "--", "-.", ":", "-"]
    ),
    "grid.color": "#767676",
    "grid.alpha": 0.35,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "xtick.color": INK,
    "ytick.color": INK,
    "image.cmap": "cividis",
}


def use_style() -> None:
    """Draw every following figure in the book's style.

    Lines differ in colour and in dash, so that neither is needed to tell them apart. In
    Jupyter a figure's plain text becomes its :func:`digest`; the page shows the picture.

    Examples
    --------
    >>> from ppdm_book import figures
    >>> figures.use_style()
    """
    # Who has not loaded IPython is not in it.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        plt.switch_backend(mpl.get_backend())  # loaded later, it would forget what comes next
        formatter = shell.display_formatter.formatters["text/plain"]
        formatter.for_type(Figure, lambda fig, printer, _cycle: printer.text(digest(fig)))
    mpl.rcParams.update(_STYLE)
