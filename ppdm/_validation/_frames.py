"""Frames: columns by their names, and a frame again from an array.

pandas is not imported: a frame is known by what it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ppdm.typing import AnyArray


def names_of(X: Any) -> AnyArray | None:
    """Return the names of a frame's columns; None where not all are texts, or there are none."""
    listed = list(getattr(X, "columns", ()))
    if not listed or not all(isinstance(name, str) for name in listed):
        return None
    return np.array(listed, dtype=object)


def is_frame(given: Any) -> bool:
    """Return whether something is a DataFrame or a Series of pandas."""
    return hasattr(given, "index") and hasattr(given, "iloc")


def like(values: AnyArray, given: Any) -> Any:
    """Return an array, (n, d) or (n,), as the pandas object that was given: its index and names.

    Where no pandas object was given, the array.
    """
    if not is_frame(given):
        return values
    if hasattr(given, "columns"):
        return type(given)(values, index=given.index, columns=given.columns)
    return type(given)(values, index=given.index, name=given.name)


def numbered(columns: Any, name: str, names: AnyArray | None) -> Any:
    """Return columns with the number of each that is named; what names none as it is."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return columns
    listed = list(columns) if getattr(columns, "ndim", 1) == 1 else []
    if not any(isinstance(each, str) for each in listed):
        return columns
    return [number_of(each, name, names) if isinstance(each, str) else each for each in listed]


def number_of(column: str, name: str, names: AnyArray | None) -> int:
    """Return which column is meant by its name."""
    if names is None:
        raise ValueError(
            f"{name} may name columns where the records are a frame, whose columns have names, "
            f"got {column!r}: give numbers, from 0 on"
        )
    places = np.flatnonzero(names == column)
    if len(places) != 1:
        raise ValueError(
            f"{name} must name one of the columns {listed(names)}, got {column!r}, which stands "
            f"there {len(places)} times"
        )
    return int(places[0])


def listed(values: AnyArray | None) -> str:
    """Return at most ten values, for an error."""
    listed = [] if values is None else values.tolist()
    more = f", ... ({len(listed)} in all)" if len(listed) > 10 else ""
    return "[" + ", ".join(repr(each) for each in listed[:10]) + more + "]"
