"""The blocks of Dask's arrays and data frames: whole records with their classes, read as chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._readings import Chunk, Readings

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


class BlockReadings(Readings):
    """Records in blocks of Dask's, as a learner reads chunks; no record travels.

    What is asked of a chunk is sent to the blocks, and its answers come back.

    Parameters
    ----------
    X, y : dask.array.Array, dask.dataframe.DataFrame or Series
        In the same blocks, some of which may be empty.

    Raises
    ------
    ImportError, TypeError, ValueError
        As :func:`ppdm.dask.fit`.
    """

    def __init__(self, X: Any, y: Any) -> None:
        self._blocks = list(blocks_of(X, y))
        self._head: Chunk | None = Chunk(*first_record(self._blocks))

    def map(self, function: Callable[[Chunk], Any]) -> Iterator[Any]:
        """Return what a function says of each block, in their order, some blocks at a time."""
        tasks = self._tasks(function)
        for j in range(0, len(tasks), TOGETHER):
            answers = need("dask").compute(*tasks[j : j + TOGETHER])
            yield from (answer for answer in answers if answer is not None)

    def add_up(
        self, function: Callable[[Chunk], Any], join: Callable[[Any, Any], Any] = add
    ) -> Any:
        """As :meth:`Readings.add_up`; blocks are joined where they lie."""
        return total(self._tasks(function), join, "X")

    def _tasks(self, function: Callable[[Chunk], Any]) -> list[Any]:
        """Return a task for each block."""
        if self._head is not None:
            function(self._head)  # what a learner notes of its first chunk, it notes here
            self._head = None
        later = need("dask").delayed
        ask, sent = later(_ask), later(function, pure=False, traverse=False)
        return [ask(sent, *block, number) for number, block in enumerate(self._blocks, 1)]


def _ask(function: Callable[[Chunk], Any], X: Any, y: Any, number: int) -> Any:
    """Answer for one block: a task; None where it is empty."""
    if len(X) != len(y):
        raise ValueError(
            f"y must have a class for each of {len(X)} records, got {len(y)} in block {number - 1}"
        )
    return None if len(X) == 0 else function(Chunk(X, y, None, number))
