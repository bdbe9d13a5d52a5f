"""From values to codes: which interval a value lies in, and how often each code occurs.

``edges`` are all m + 1 edges of m intervals, ``cuts`` the m - 1 inner ones. There is one
rule: a value on an edge belongs to the interval above it; what lies beyond the first or the
last edge belongs to the outer interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm import _validation as check
from ppdm._types import AnyArray, Bits, Codes, FloatArray, IntArray


def locate(values: AnyArray, edges: FloatArray, tolerance: float = 0.0) -> NDArray[np.int32]:
    """Return the interval of each value (n,) between ``edges`` (m + 1,), shape (n,).

    Where the intervals are about equally wide the place is computed and mended by one,
    which is several times as fast as a search. With a ``tolerance``, in intervals, and
    edges that are even within it, a value so little below an edge counts above it, and
    nothing needs to be mended.
    """
    last = edges.size - 2
    width = (edges[-1] - edges[0]) / (last + 1)
    uneven = np.abs(edges - (edges[0] + width * np.arange(last + 2))).max()
    if last == 0 or uneven >= width / 2:
        return np.searchsorted(edges[1:-1], values, side="right").astype(np.int32)
    with np.errstate(over="ignore"):  # a place beyond all numbers is beyond the last interval
        distance = (values - edges[0]) / width
    distance += tolerance
    place: NDArray[np.int32] = np.clip(distance, 0, last, out=distance).astype(np.int32)
    if tolerance and uneven <= tolerance * width:
        return place
    # off by one at most
    place -= values < edges[place]
    np.clip(place, 0, last, out=place)
    place += values >= edges[place + 1]
    np.clip(place, 0, last, out=place)
    return place


def between(values: AnyArray, low: float, high: float) -> FloatArray:
    """Return edges from low to high with a cut midway between any two distinct values (n,).

    Where no float lies midway, the cut is the larger value.
    """
    distinct = np.unique(values).astype(np.float64)
    middle = distinct[:-1] + np.diff(distinct) / 2
    cuts = np.where(middle > distinct[:-1], middle, distinct[1:])
    return np.concatenate([[low], cuts, [high]])


def cuts_below(cuts: ArrayLike) -> FloatArray:
    """Move cuts whose ties go down to the next larger float, where ties go up."""
    return np.nextafter(np.asarray(cuts, dtype=np.float64), np.inf)


def count_codes(
    codes: Codes, n_values: int, labels: ArrayLike | None = None, n_labels: int | None = None
) -> IntArray:
    """Count codes (n,) or (n, d), for each label where there are labels.

    Returns (n_values,), (d, n_values), (n_labels, n_values) or (n_labels, d, n_values).
    """
    table = codes[:, None] if codes.ndim == 1 else codes
    key, n_groups = np.zeros(len(table), dtype=np.intp), 1
    if labels is not None:
        key, n_groups = check.labels(labels, n_labels, len(table))
    key = key * n_values
    counts = [np.bincount(key + column, minlength=n_groups * n_values) for column in table.T]
    tally = np.stack(counts).reshape(-1, n_groups, n_values).swapaxes(0, 1)
    lead: tuple[Any, ...] = (n_groups,) if labels is not None else ()
    return tally.reshape(*lead, *codes.shape[1:], n_values)


def set_bits(codes: Codes, n_values: Sequence[int]) -> Bits:
    """Write codes (n, d) as bits (n, sum(n_values)): one bit an attribute is set, its value's."""
    bits = np.zeros((len(codes), sum(n_values)), dtype=np.int8)
    first = np.cumsum([0, *n_values[:-1]])
    bits[np.arange(len(codes))[:, np.newaxis], codes + first] = 1
    return bits
