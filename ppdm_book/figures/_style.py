"""The style itself, names at the ends of lines, and the plain text that a figure has in Jupyter."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from ppdm.plots import PALETTE
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
        color=list(PALETTE.values())[:-1], linestyle=["-", "--", "-.", ":", "-"]
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


def label_ends(ax: Axes, x: float, ys: ArrayLike, labels: list[str], roles: list[str]) -> None:
    """Write each line's name beside its last point, in the line's colour.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to write.
    x : float
        Where the lines end.
    ys : array-like of shape (n_lines,)
        Their heights there.
    labels, roles : list of str, length n_lines
        What to write, and each line's key in :data:`ppdm.plots.PALETTE`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> fig, ax = plt.subplots()
    >>> label_ends(ax, 1.0, [0.5], ["what the adversary knows"], ["adversary"])
    >>> plt.close(fig)
    """
    for y, label, role in zip(np.asarray(ys, dtype=float), labels, roles, strict=True):
        place, color = (x, float(y)), PALETTE[role]
        ax.annotate(label, place, (6, 0), textcoords="offset points", va="center", color=color,
                    path_effects=[withStroke(linewidth=3, foreground="white")])
