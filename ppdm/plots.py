"""Figures in one style, for light and for dark pages.

A figure has a transparent ground and dark ink. The book's style sheet turns the ink
round on dark pages (lightness inverted, hue kept); :data:`PALETTE` reads on both, and
its colours can be told apart by colour-blind readers. Each colour has a role, the same in
every chapter.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

__all__ = ["INK", "PALETTE", "label_ends", "use_style"]

INK = "#222222"

#: Role -> colour, after Okabe and Ito's colour-blind-safe set, darkened where thin
#: lines would be faint.
PALETTE = MappingProxyType(
    {
        "truth": "#222222",
        "disguised": "#C75300",
        "estimate": "#0072B2",
        "adversary": "#AA4386",
        "other": "#00805D",
        "quiet": "#767676",
    }
)

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
        color=[PALETTE[role] for role in ("estimate", "disguised", "other", "adversary", "truth")],
        linestyle=["-", "--", "-.", ":", "-"],
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

    Lines differ in colour and in dash, so that neither is needed to tell them apart.

    Examples
    --------
    >>> from ppdm import plots
    >>> plots.use_style()
    """
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
        What to write, and each line's key in :data:`PALETTE`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> fig, ax = plt.subplots()
    >>> label_ends(ax, 1.0, [0.5], ["what the adversary knows"], ["adversary"])
    >>> plt.close(fig)
    """
    for y, label, role in zip(np.asarray(ys, dtype=float), labels, roles, strict=True):
        ax.annotate(
            label,
            (x, float(y)),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=PALETTE[role],
        )
