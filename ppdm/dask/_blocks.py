"""The blocks of Dask's arrays and data frames: whole records, each with its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from ppdm import _validation as check

#: So many parts are joined in one task: a few levels do for any number of blocks.
TOGETHER = 16


def need(module: str) -> Any:
    """Return a module of Dask's, or say how to get it."""
    return check.import_optional(module, "ppdm.dask", "dask")


def blocks_of(X: Any, y: Any, X_name: str = "X", y_name: str = "y") -> Iterator[tuple[Any, Any]]:
    """Yield blocks of whole records, each with its part of y, or None."""
    records = _delayed(X, X_name)
    if y is None:
        return ((block, None) for block in records)
    sizes, chunks = getattr(X, "chunks", None), getattr(y, "chunks", None)
    if chunks and sizes and not np.isnan([*chunks[0], *sizes[0]]).any() and len(X) == len(y):
        y = y.rechunk({0: sizes[0]})
    classes = _delayed(y, y_name)
    if len(classes) != len(records):
        raise ValueError(
            f"{y_name} must have the blocks of {X_name}, {len(records)}, got {len(classes)}"
        )
    return zip(records, classes, strict=True)


def _delayed(its: Any, name: str) -> list[Any]:
    """Return the blocks of something of Dask's, whole records each."""
    dask = need("dask")
    if not (dask.is_dask_collection(its) and hasattr(its, "to_delayed") and hasattr(its, "ndim")):
        raise TypeError(f"{name} must be an array or a data frame of Dask's, got {its!r}")
    if not hasattr(its, "chunks"):
        return list(its.to_delayed())
    whole = its.rechunk({1: -1}) if its.ndim == 2 else its
    # optimised one by one, X and y of one table would have tasks of one name that differ
    return list(np.ravel(whole.to_delayed(optimize_graph=False)))


def first_record(blocks: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return one record: what the scheme makes of it tells the type of all."""
    later = need("dask").delayed
    for X, y in blocks:
        found: tuple[Any, Any] = later(head)(X, y, 1).compute()
        if len(found[0]):
            return found
    raise ValueError("X must hold at least one record, got none in any block")


def head(X: Any, y: Any, n: int) -> tuple[Any, Any]:
    """Return the first n records of a block."""
    return X[:n], None if y is None else y[:n]


def total(parts: list[Any], join: Callable[[Any, Any], Any], name: str) -> Any:
    """Join what was counted in a tree, so that no worker and no wire carries all of it."""
    later = need("dask").delayed
    while len(parts) > 1:
        some = [parts[j : j + TOGETHER] for j in range(0, len(parts), TOGETHER)]
        parts = [later(_join)(join, its) for its in some]
    found = parts[0].compute()
    if found is None:
        raise ValueError(f"{name} must hold at least one record, got none in any block")
    return found


def _join(join: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    """Join the parts of some blocks, but of those that are empty, which have none."""
    counted = [part for part in parts if part is not None]
    return reduce(join, counted) if counted else None
