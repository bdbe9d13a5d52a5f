"""One artist of a figure as text: what it looks like, and where it is."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex, to_rgba
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle, StepPatch
from matplotlib.text import Annotation, Text

from ppdm.plots import PALETTE
from ppdm.typing import FloatArray
from ppdm_book.figures._visible import Ruler, grid, places, points, series

_ROLES = {color.lower(): role for role, color in PALETTE.items()}


def quoted(text: str) -> str:
    """Return a text in quotes, on one line."""
    return '"' + text.replace("\n", "\\n") + '"'


def rulers(ax: Axes) -> tuple[Ruler, Ruler]:
    """Return how finely the two sides of an axes are read."""
    sides = ((ax.get_xlim(), ax.get_xscale()), (ax.get_ylim(), ax.get_yscale()))
    x, y = (Ruler(low=low, high=high, linear=s == "linear") for (low, high), s in sides)
    return x, y


def points_of(line: Line2D) -> FloatArray:
    """Return the points of a line, shape (n, 2)."""
    points: FloatArray = np.asarray(line.get_xydata(), dtype=float)
    return points


def _color(color: Any) -> str:
    """Return a colour's role, else its code; several, each once."""
    rows = [color] if isinstance(color, str) or np.ndim(color) < 2 else list(color)
    codes = dict.fromkeys("none" if _clear(row) else to_hex(row) for row in rows)
    names = [_ROLES.get(code, code) for code in codes]
    return "many colours" if len(names) > 3 else " and ".join(names) or "none"


def _clear(color: Any) -> bool:
    return color is None or (color == "none" if isinstance(color, str) else to_rgba(color)[3] == 0)


def look(artist: Artist) -> str:
    """Return the kind of an artist and what tells it from another of that kind."""
    alpha = artist.get_alpha()
    end = f" alpha {alpha:g}" if isinstance(alpha, float | int) and alpha < 1 else ""
    if isinstance(artist, Line2D):
        dash, marker = artist.get_linestyle(), artist.get_marker()
        joined = dash not in ("None", "none", "", " ")
        kind = "line" if joined else "points"
        look = f"{kind} {_color(artist.get_color())}{f' {dash}' if joined else ''}"
        if joined and artist.get_linewidth() != mpl.rcParams["lines.linewidth"]:
            look += f" {artist.get_linewidth():g} wide"
        if marker not in (None, "None", "none", "", " "):
            hollow = _clear(artist.get_markerfacecolor())
            look += f" marker {marker}{' hollow' if hollow else ''}"
        step = artist.get_drawstyle()
        return look + ("" if step == "default" else f" {step}") + end
    if isinstance(artist, Text):
        return f"text {_color(artist.get_color())}{end}"
    if isinstance(artist, Patch):
        kind = {Rectangle: "bars", StepPatch: "stairs"}.get(type(artist), "shape")
        face = _color(artist.get_facecolor()) if artist.get_fill() else "none"
        stroke = "-" if artist.get_linestyle() in ("-", "solid") else "broken"
        edge = f"edge {_color(artist.get_edgecolor())} {stroke}" if face == "none" else face
        return f"{kind} {edge}{f' hatch {artist.get_hatch()}' if artist.get_hatch() else ''}{end}"
    if isinstance(artist, AxesImage | QuadMesh):
        colors = artist.get_cmap()(np.array([0.0, 0.5, 1.0]))
        low, high = (f"{value:.3g}" for value in artist.get_clim())
        return f"image {low} to {high} as {_color(colors)}{end}"
    if isinstance(artist, Collection):
        offsets = np.any(np.asarray(artist.get_offsets()))
        face, edge = _color(artist.get_facecolor()), _color(artist.get_edgecolor())
        kind = "points" if offsets else "lines" if face == "none" else "area"
        return f"{kind} {edge if face == 'none' else face}{end}"
    return f"{type(artist).__name__.lower()} {end}"


def data(ax: Axes, artists: list[Artist]) -> str:
    """Return the data of artists of one look, in units of the axes."""
    x, y = rulers(ax)
    first = artists[0]
    if isinstance(first, Text):
        return ", ".join(_text(ax, text) for text in artists if isinstance(text, Text))
    if isinstance(first, AxesImage | QuadMesh):
        low, high = first.get_clim()
        if isinstance(first, QuadMesh):
            corners = np.asarray(first.get_coordinates())[[0, -1], [0, -1]]
            ends = corners.T.ravel()
        else:
            ends = np.array(first.get_extent())
        values: FloatArray = np.ma.filled(np.ma.asarray(first.get_array(), dtype=float), np.nan)
        sides = f"x {' to '.join(x.round(ends[:2]))}; y {' to '.join(y.round(ends[2:]))}"
        return f"{sides}; {grid(values, Ruler(low=low, high=high))}"
    if isinstance(first, StepPatch):
        values, edges, base = first.get_data()
        down, ground = first.orientation == "horizontal", np.ravel(0 if base is None else base)
        along, out = (y, x) if down else (x, y)
        names = ("y", "x") if down else ("x", "y")
        said = f"{series(names[0], edges, along)}; {series(names[1], values, out)}"
        return said + (f"; from {' '.join(out.round(ground))}" if np.any(ground) else "")
    if isinstance(first, Rectangle):
        boxes = np.array([_inside(ax, bar, bar.get_path().vertices) for bar in artists
                          if isinstance(bar, Rectangle)])
        low, high = boxes.min(axis=1), boxes.max(axis=1)
        four = (("left", low[:, 0], x), ("right", high[:, 0], x),
                ("bottom", low[:, 1], y), ("top", high[:, 1], y))
        return "; ".join(series(name, values, ruler) for name, values, ruler in four)
    across, up = np.concatenate([_places(ax, artist) for artist in artists]).T
    if isinstance(first, Collection) and len(first.get_facecolor()) == len(across) > 1:
        codes = np.array([_color(color) for color in first.get_facecolor()])
        colors = [(code, codes == code) for code in sorted(set(codes))]
        return "; ".join(f"{c} {points(across[at], up[at], x, y)}" for c, at in colors)
    if look(first).startswith("points"):
        return points(across, up, x, y)
    at = places(across, x) if len(across) else None
    return f"{series('x', across, x, at)}; {series('y', up, y, at)}"


def _places(ax: Axes, artist: Artist) -> FloatArray:
    """Return the points of a line, a shape or a collection, shape (n, 2)."""
    if isinstance(artist, Line2D):
        return _inside(ax, artist, points_of(artist))
    if isinstance(artist, Patch):
        return _inside(ax, artist, artist.get_path().vertices)
    if isinstance(artist, Collection):
        if look(artist).startswith("points"):
            offsets = np.asarray(artist.get_offsets())
            return _back(ax, artist.get_offset_transform().transform(offsets))
        paths = [path.vertices for path in artist.get_paths()]
        return _inside(ax, artist, np.concatenate(paths) if paths else np.empty((0, 2)))
    return np.empty((0, 2))


def _inside(ax: Axes, artist: Artist, where: Any) -> FloatArray:
    """Return an artist's points in units of the axes, whatever units it was drawn in."""
    inside: FloatArray = np.asarray(where, dtype=float)
    if artist.get_transform() == ax.transData or not len(inside):
        return inside
    return _back(ax, artist.get_transform().transform(inside))


def _back(ax: Axes, there: Any) -> FloatArray:
    """Return points of the canvas as data."""
    return np.asarray(ax.transData.inverted().transform(there), dtype=float)


def _text(ax: Axes, text: Text) -> str:
    x, y = rulers(ax)
    if isinstance(text, Annotation):
        at, moved = _point(text.xy, text.xycoords, x, y), ""
        if text.anncoords != "data" or tuple(text.xyann) != tuple(text.xy):
            moved = f" text {_point(text.xyann, text.anncoords, x, y)} {text.anncoords}"
        return f"{quoted(text.get_text())} at {at}{moved}"
    there = _inside(ax, text, [text.get_unitless_position()])[0]
    return f"{quoted(text.get_text())} at {_point(there, 'data', x, y)}"


def _point(place: Any, units: Any, x: Ruler, y: Ruler) -> str:
    left, height = np.asarray(place, dtype=float)
    if units != "data":
        return f"({left:g}, {height:g})"
    return f"({x.round(np.array([left]))[0]}, {y.round(np.array([height]))[0]})"
