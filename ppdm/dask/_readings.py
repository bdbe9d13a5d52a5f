"""Blocks that are read again and again, each where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import add
from typing import Any, NamedTuple, TypeVar

from ppdm._readings import Chunk, Readings
from ppdm.dask._blocks import TOGETHER, blocks_of, first_record, need, total

Result = TypeVar("Result")


class BlockReadings(Readings):
    """Records in blocks of Dask's, as a learner reads chunks; no record travels.

    What is asked of a chunk is sent to the blocks, and its answers come back. With each answer
    comes a mark of the records that it is about: a block that is computed again, and then holds
    others, is refused.

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
        self._head = Chunk(*first_record(self._blocks), None, 0)
        self._looks: list[_Look] | None = None

    def __iter__(self) -> Iterator[Chunk]:
        """Fetch the blocks one after the other; nothing that learns does so."""
        return self.map(_itself)

    def map(self, function: Callable[[Chunk], Result]) -> Iterator[Result]:
        """Return what a function says of each block, in their order, some blocks at a time."""
        looks: list[_Look] = []
        tasks = self._tasks(function)
        for j in range(0, len(tasks), TOGETHER):
            for answer in need("dask").compute(*tasks[j : j + TOGETHER]):
                if answer is not None:
                    looks += answer.looks
                    yield answer.result
        self._compare(looks)

    def add_up(
        self,
        function: Callable[[Chunk], Result],
        join: Callable[[Result, Result], Result] | None = None,
    ) -> Result:
        """As :meth:`Readings.add_up`; blocks are joined where they lie."""
        answer = total(self._tasks(function), partial(_join, join or add), "X")
        self._compare(answer.looks)
        result: Result = answer.result
        return result

    def _tasks(self, function: Callable[[Chunk], Any]) -> list[Any]:
        """Return a task for each block."""
        later = need("dask").delayed
        if self._looks is None:
            function(self._head)  # what a learner notes of its first chunk, it notes here
        first = {look.block: look.first for look in self._looks or []}
        its, ask = later(function, pure=False, traverse=False), later(_ask)
        return [ask(its, *block, j, first.get(j, -1)) for j, block in enumerate(self._blocks)]

    def _compare(self, looks: list[_Look]) -> None:
        """Note what the first reading saw; refuse another one that saw something else."""
        seen, n = [], 0
        for look in looks:
            seen.append(look._replace(first=n))
            n += look.size
        if self._looks is None:
            self._looks = seen
        for was, now in zip(self._looks, seen, strict=False):
            if was != now:
                raise ValueError(
                    "X and y must hold the same records whenever they are computed, got others in "
                    f"block {was.block}"
                )
        if len(self._looks) != len(seen):
            raise ValueError(
                "X and y must hold the same records whenever they are computed, got "
                f"{len(seen)} blocks with records after {len(self._looks)}"
            )


class _Look(NamedTuple):
    """What was seen of a block: how many records, a mark of them, and how many come before."""

    block: int
    size: int
    mark: int
    first: int = -1


class _Answer(NamedTuple):
    result: Any
    looks: list[_Look]


def _ask(
    function: Callable[[Chunk], Any], X: Any, y: Any, block: int, first: int
) -> _Answer | None:
    """Answer for one block: a task."""
    if len(X) != len(y):
        raise ValueError(
            f"y must have a class for each of {len(X)} records, got {len(y)} in block {block}"
        )
    if len(X) == 0:
        return None
    chunk = Chunk(X, y, None, first)
    return _Answer(function(chunk), [_Look(block, len(X), chunk.mark())])


def _join(join: Callable[[Any, Any], Any], a: _Answer, b: _Answer) -> _Answer:
    return _Answer(join(a.result, b.result), a.looks + b.looks)


def _itself(chunk: Chunk) -> Chunk:
    return chunk
