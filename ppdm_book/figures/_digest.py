"""What a figure shows, as text: a wrong curve is a wrong line of it.

Two pictures cannot be compared byte by byte: fonts, resolution and the drawing library's version
change them. What was drawn can be, so a digest is made from the artists, not from the pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

from ppdm_book.figures._artists import data, look, points_of, quoted, rulers
from ppdm_book.figures._visible import Ruler

#: A line of so few points is a mark: those of one look are written together.
_MARK = 5


def digest(fig: Figure) -> str:
    """Describe what a figure shows, as finely as a reader could see it.

    For each axes: title, names, scales and limits, ticks that were chosen; then each artist from
    the lowest to the topmost: its kind, label, colour (by its role in
    :data:`ppdm.plots.PALETTE`), dash and marker, and its data. Numbers are rounded to less than
    1/200 of the axis. A series of more than 24 values is written at 16 places, with its mean and
    range; points that no line joins are written in no order, many of them by their sorted
    coordinates and the number in each of 8 x 4 cells; an image by the means of at most 8 x 8
    parts. Fonts and resolution do not matter.

    Parameters
    ----------
    fig : matplotlib Figure
        What was drawn.

    Returns
    -------
    str
        One paragraph for each axes and each artist.

    Raises
    ------
    TypeError
        If fig is no Figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> fig, ax = plt.subplots()
    >>> line = ax.plot([0, 1, 2], [0.1, 0.8, 0.3], "-", color="#0072B2", label="found")
    >>> limits = ax.set(xlabel="step", xlim=(0, 2), ylim=(0, 1))
    >>> print(digest(fig))
    figure 6.4 x 4.8
    axes 1, row 1, column 1: x "step" 0 to 2; y 0 to 1
      line "found" estimate -: x 0 1 2; y 0.1 0.8 0.3
    >>> plt.close(fig)
    """
    if not isinstance(fig, Figure):
        raise TypeError(f"fig must be a matplotlib Figure, got {type(fig).__name__}")
    width, height = (f"{size:g}" for size in fig.get_size_inches())
    lines = [f"figure {width} x {height}"]
    names = (fig.get_suptitle(), fig.get_supxlabel(), fig.get_supylabel())
    for side, name in zip(("title", "x", "y"), names, strict=True):
        lines += [f"  {side} {quoted(name)}"] if name else []
    others = (text.get_text() for text in fig.texts)
    lines += [f"  text {quoted(text)}" for text in others if text not in names]
    lines += [_legend(legend) for legend in fig.legends]
    for number, ax in enumerate(fig.axes, 1):
        if ax.get_visible():
            lines.append(_frame(ax, number))
            lines += _artists(ax) if ax.get_label() != "<colorbar>" else ["  colour bar"]
    return "\n".join(
        fill(line, 100, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in lines
    )


def _frame(ax: Axes, number: int) -> str:
    """Return title, place, names, scales, limits and chosen ticks of an axes."""
    place = ax.get_subplotspec()
    where = f", row {place.rowspan.start + 1}, column {place.colspan.start + 1}" if place else ""
    titles = "".join(
        f" {quoted(ax.get_title(loc))}" for loc in ("left", "center", "right") if ax.get_title(loc)
    )
    sides = f"x{_axis(ax.xaxis, rulers(ax)[0])}; y{_axis(ax.yaxis, rulers(ax)[1])}"
    return f"axes {number}{where}{titles}: {sides}{'' if ax.axison else '; no axes drawn'}"


def _axis(axis: Axis, ruler: Ruler) -> str:
    name, scale = axis.get_label_text(), axis.get_scale()
    low, high = ruler.round(np.array([ruler.low, ruler.high]))
    said = f" {quoted(name)}" if name else ""
    said += f" {low} to {high}" + ("" if scale == "linear" else f" {scale}")
    if isinstance(axis.get_major_locator(), FixedLocator):  # others depend on the room for text
        said += f", ticks {' '.join(ruler.round(np.asarray(axis.get_majorticklocs(), float)))}"
        if isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter):
            words = [tick.get_text() for tick in axis.get_majorticklabels()]
            said += "".join(f" {quoted(word)}" for word in words if word)
    return said


def _artists(ax: Axes) -> list[str]:
    """Return a line for each artist from the lowest to the topmost; marks of one look share one."""
    names, hidden = {}, set()
    for container in ax.containers:
        parts = list(_flat(container))
        labels = [str(each.get_label() or "") for each in (container, *parts) if each is not None]
        label = next((label for label in labels if label and not label.startswith("_")), "")
        names.update({id(part): label for part in parts})
        if isinstance(container, ErrorbarContainer):
            hidden |= {id(cap) for cap in container.lines[1]}  # where the bars end, said once
    drawn = {id(a) for a in (*ax.lines, *ax.patches, *ax.collections, *ax.images, *ax.texts)}
    drawn |= {id(artist) for artist in ax.artists}
    shown: dict[object, tuple[str, list[Artist]]] = {}
    for artist in sorted(ax.get_children(), key=lambda artist: artist.get_zorder()):
        if id(artist) not in drawn - hidden or not artist.get_visible():
            continue
        label = names.get(id(artist)) or str(artist.get_label() or "")
        head = look(artist)
        if label and not label.startswith("_"):
            head = head.replace(" ", f" {quoted(label)} ", 1)
        together = isinstance(artist, Rectangle | Text) or (
            isinstance(artist, Line2D) and len(points_of(artist)) <= _MARK
        )
        key: object = (head, together) if together else id(artist)
        shown.setdefault(key, (head, []))[1].append(artist)
    lines = [f"  {head}: {data(ax, artists)}" for head, artists in shown.values()]
    legend = ax.get_legend()
    return lines + ([_legend(legend)] if legend else [])


def _flat(parts: Iterable[Any]) -> Iterable[Any]:
    for part in parts:
        yield from (_flat(part) if isinstance(part, list | tuple) else [part])


def _legend(legend: Legend) -> str:
    title = legend.get_title().get_text()
    entries = (
        f"{quoted(text.get_text())} {look(handle)}"
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        if handle is not None
    )
    return f"  legend{f' {quoted(title)}' if title else ''}: " + ", ".join(entries)
