"""Names beside the ends of lines, instead of a legend."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ppdm.plots import PALETTE


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
        ax.annotate(label, place, (6, 0), textcoords="offset points", va="center", color=color)
