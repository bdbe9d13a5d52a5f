"""Numbers as a reader of a figure could see them: in steps of a small part of the axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdm.typing import FloatArray, IntArray

#: A reader sees this part of an axis: numbers are rounded to the next finer power of ten.
_PARTS = 200
#: A series of up to so many values is written whole, a longer one at so many places.
_WHOLE, _PLACES = 24, 16
#: Into how many columns and rows the cells of many points are.
_COLUMNS, _ROWS = 8, 4


@dataclass(frozen=True, kw_only=True)
class Ruler:
    """How finely an axis is read: its limits, and whether it is linear."""

    low: float
    high: float
    linear: bool = True

    def round(self, values: FloatArray) -> list[str]:
        """Return values as text; what differs in the last bits only is the same text."""
        # A little is added: ends of a step, such as 0.125, must not depend on the last bit.
        if not self.linear:
            return [f"{float(f'{value * (1 + 1e-6):.3g}'):g}" for value in values]
        decimals = int(np.ceil(np.log10(_PARTS / max(abs(self.high - self.low), 1e-300))))
        shifted = np.asarray(values, dtype=float) + 1e-3 * 10.0**-decimals
        return [_short(value, decimals) for value in np.round(shifted, decimals)]

    def cells(self, values: FloatArray, n: int) -> FloatArray:
        """Return in which of n equal parts of the axis each value lies."""
        low, high = (self.low, self.high) if self.linear else np.log([self.low, self.high])
        with np.errstate(divide="ignore", invalid="ignore"):
            places = values if self.linear else np.log(values)
        part = np.floor((places - low) / (high - low) * n + 1e-6)
        inner: FloatArray = np.clip(np.nan_to_num(part), 0, n - 1)
        return inner


def _short(value: float, decimals: int) -> str:
    text = f"{value:.{max(decimals, 0)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def places(along: FloatArray, ruler: Ruler) -> IntArray:
    """Return which points of a long line are told: evenly along the axis, else along the line."""
    n = len(along)
    if ruler.linear or not np.all(np.diff(along) > 0) or along[0] <= 0:
        return np.linspace(0, n - 1, _PLACES).round().astype(int)
    even = np.geomspace(along[0], along[-1], _PLACES)
    return np.unique(np.searchsorted(along, even * (1 - 1e-6)).clip(0, n - 1))


def series(name: str, values: FloatArray, ruler: Ruler, at: IntArray | None = None) -> str:
    """Return a series in order: whole if short or even, else at places and as a whole."""
    values = np.asarray(values, dtype=float)
    said = ruler.round(values)
    if not said:
        return f"{name} nothing"
    if len(set(said)) == 1:
        return f"{name} {said[0]}"
    steps = np.diff(values)
    if len(said) > 3 and np.allclose(steps, steps.mean(), rtol=1e-6, atol=0):
        return f"{name} {said[0]} to {said[-1]}"
    if len(said) <= _WHOLE:
        return f"{name} {' '.join(said)}"
    if at is None:
        at = np.linspace(0, len(said) - 1, _PLACES).round().astype(int)
    seen = values[np.isfinite(values)]
    if not len(seen):
        return f"{name} nothing finite"
    mean, low, high = ruler.round(np.array([seen.mean(), seen.min(), seen.max()]))
    return f"{name} {' '.join(said[i] for i in at)} (mean {mean}, {low} to {high})"


def points(x: FloatArray, y: FloatArray, across: Ruler, up: Ruler) -> str:
    """Return points whose order nobody sees: pairs if few, else sorted, with counts a cell."""
    if len(x) <= _WHOLE:
        found = zip(across.round(x), up.round(y), strict=True)
        pairs = sorted(found, key=lambda pair: tuple(map(float, pair)))
        return "at " + " ".join(f"({left}, {height})" for left, height in pairs)
    counts = np.zeros((_ROWS, _COLUMNS), dtype=int)
    cells = (up.cells(y, _ROWS).astype(int), across.cells(x, _COLUMNS).astype(int))
    np.add.at(counts, cells, 1)
    rows = " / ".join(" ".join(map(str, row)) for row in counts[::-1])
    sorted_x, sorted_y = series("x", np.sort(x), across), series("y", np.sort(y), up)
    return f"sorted {sorted_x}; sorted {sorted_y}; from the top {rows}"


def grid(image: FloatArray, ruler: Ruler) -> str:
    """Return the means of an image's parts, 8 x 8 at most, row by row as it is stored."""
    for axis in (0, 1):
        edges = np.linspace(0, image.shape[axis], min(8, image.shape[axis]) + 1).astype(int)
        sizes = np.diff(edges).reshape((-1, 1) if axis == 0 else (1, -1))
        sums = np.add.reduceat(image, edges[:-1], axis=axis)
        image = sums / sizes.reshape(sizes.shape + (1,) * (image.ndim - 2))
    return " / ".join(" ".join(ruler.round(row.ravel())) for row in image)
