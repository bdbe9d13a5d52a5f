"""Records that are read again and again, chunk by chunk, and what is counted in them.

A learner that needs more than one look at its records, and must not keep them, gets a source
of chunks that can be read from its beginning as often as it likes. Here the source is checked:
that it can be read again, and that each reading gives the same records.

What is counted is a pure function of one chunk, whose results add up. :meth:`Readings.add_up`
and :meth:`Readings.map` are all that a learner calls; another engine, as :mod:`ppdm.dask`, has
readings of its own with these two.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from operator import iadd
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import AnyArray, FloatArray, IntArray

Result = TypeVar("Result")


class Chunk(NamedTuple):
    """Some of the records.

    ``first`` is the number of records before them, or -1 where nobody has counted these yet.
    """

    X: Any
    y: Any
    weight: Any
    first: int

    def mark(self) -> int:
        """Return a number that hangs on all that the chunk holds."""
        found = zlib.crc32(repr(len(self.X)).encode())
        for part, name in zip(self, ("X", "y", "sample_weight"), strict=False):
            found = zlib.crc32(_bytes(part, name), found)
        return found


class Readings:
    """A source of chunks ``(X, y)`` or ``(X, y, sample_weight)`` that is read several times.

    Parameters
    ----------
    source : iterable
        Each ``iter(source)`` starts with the first chunk. A chunk may be empty.

    Raises
    ------
    TypeError
        If the source is no iterable or can be read only once. While it is read: if a chunk is
        no such tuple.
    ValueError
        While it is read: if there is no record, or a later reading gives other records.

    Examples
    --------
    >>> readings = Readings([([[1.0], [2.0]], [0, 1]), ([[3.0]], [1])])
    >>> readings.add_up(lambda chunk: np.bincount(chunk.y, minlength=2))
    array([1, 2])
    """

    def __init__(self, source: Any) -> None:
        if not isinstance(source, Iterable):
            raise TypeError(
                f"chunks must be an iterable of chunks (X, y), got {type(source).__name__}"
            )
        if isinstance(source, Iterator):
            raise TypeError(
                "chunks must be an iterable that can be read again, as a list, or an object whose "
                f"__iter__ begins anew, got {type(source).__name__}, which ends after one reading"
            )
        self._source = source
        self._marks: list[int] | None = None  # of the first reading that came to its end

    @classmethod
    def of(cls, chunks: Any) -> Readings:
        """Return readings as they are, and those of any other source."""
        return chunks if isinstance(chunks, Readings) else cls(chunks)

    def __iter__(self) -> Iterator[Chunk]:
        """Read all chunks that hold a record; each is compared with the first reading's."""
        first, marks, before = 0, [], self._marks
        for number, given in enumerate(self._source):
            chunk = _chunk(given, number, first)
            marks.append(chunk.mark())
            if before is not None and before[number : number + 1] != marks[-1:]:
                raise ValueError(
                    f"chunks must give the same records at each reading, got others in chunk "
                    f"{number}"
                )
            if len(chunk.X):
                yield chunk
                first += len(chunk.X)
        if before is not None and len(marks) != len(before):
            raise ValueError(
                f"chunks must give the same records at each reading, got {len(marks)} chunks after "
                f"{len(before)}"
            )
        if not first:
            raise ValueError("chunks must hold a record, got none")
        self._marks = marks

    def map(self, function: Callable[[Chunk], Result]) -> Iterator[Result]:
        """Return what a function says of each chunk, in their order."""
        return map(function, self)

    def add_up(
        self,
        function: Callable[[Chunk], Result],
        join: Callable[[Result, Result], Result] | None = None,
    ) -> Result:
        """Return a function of each chunk, joined in their order: by default the sum of arrays."""
        return reduce(join or iadd, self.map(function))


class Facts(NamedTuple):
    """What the first reading learns of all records that weigh something.

    ``n`` is their number, ``low`` and ``high`` the range of each attribute, ``classes`` those
    that occur, ``total`` the sum of the weights and ``plain`` whether each is one.
    """

    n: int
    low: AnyArray
    high: AnyArray
    classes: AnyArray
    total: float
    plain: bool

    @property
    def ends(self) -> AnyArray:
        """The range as two records, (2, n_features): the lowest values and the highest."""
        return np.stack([self.low, self.high])


def learn(
    readings: Readings,
    read: Callable[[Chunk, bool], tuple[AnyArray, AnyArray]],
    classes: ArrayLike | None,
) -> Facts:
    """Read all chunks for the first time, and check that they agree.

    ``read(chunk, reset)`` gives the table and the labels of a chunk, checked; ``reset`` is True
    for the first one. ``classes`` are the public classes, if they are known.
    """
    public = None if classes is None else np.unique(check.class_values(classes, "classes"))
    if public is not None and not public.size:
        raise ValueError("classes must have a class at least, got none")
    found = readings.add_up(partial(_look, read, public), _join)
    if found.n == 0 or found.total <= 0:
        raise ValueError(
            f"sample_weight must have a total above zero, got {found.total:g} in all chunks"
        )
    return found


def numbers_of(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return each label's number among the classes (ascending); another label is refused."""
    number = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    unknown = classes[number] != labels
    if unknown.any():
        raise ValueError(
            f"y must hold only labels among classes {classes.tolist()}, got "
            f"{labels[int(np.argmax(unknown))]!r} in a chunk"
        )
    return np.asarray(number)


def weights_of(chunk: Chunk) -> FloatArray | None:
    """Return a chunk's weights: whole numbers, whose sums are the same in any order."""
    if chunk.weight is None:
        return None
    weight = check.weights(chunk.weight, len(chunk.X))
    check.refuse(
        np.rint(weight) != weight,
        weight,
        "sample_weight must hold whole numbers in chunks (sums of others depend on their order)",
    )
    return weight


def _look(
    read: Callable[[Chunk, bool], tuple[AnyArray, AnyArray]], public: AnyArray | None, chunk: Chunk
) -> Facts:
    table, labels = read(chunk, chunk.first == 0)
    if public is not None:
        numbers_of(labels, public)
    return _facts(table, labels, weights_of(chunk))


def _facts(table: AnyArray, labels: AnyArray, weight: FloatArray | None) -> Facts:
    if weight is not None and not weight.all():
        some = weight != 0
        table, labels, weight = table[some], labels[some], weight[some]
    n = len(table)
    if n == 0:
        nothing = table.max(axis=0, initial=0), table.min(axis=0, initial=0)
        return Facts(0, *nothing, labels, 0.0, False)
    classes = check.encode_classes(labels)[0]
    total = float(n) if weight is None else float(weight.sum())
    plain = weight is None or bool((weight == 1).all())
    return Facts(n, table.min(axis=0), table.max(axis=0), classes, total, plain)


def _join(a: Facts, b: Facts) -> Facts:
    if a.low.size != b.low.size:
        raise ValueError(
            f"X must have as many columns in each chunk, got {b.low.size} after {a.low.size}"
        )
    kinds = [
        "numbers" if each.classes.dtype.kind in "biuf" else "texts" for each in (a, b)
    ]
    if kinds[0] != kinds[1]:
        raise ValueError(f"y must be of one kind in all chunks, got {kinds[1]} after {kinds[0]}")
    if (a.low.dtype.kind == "f") != (b.low.dtype.kind == "f"):
        raise ValueError(
            f"X must be of one kind in all chunks, got {b.low.dtype} after {a.low.dtype}"
        )
    if not a.n or not b.n:
        return (a if a.n else b)._replace(plain=False)
    return Facts(
        a.n + b.n,
        np.minimum(a.low, b.low),
        np.maximum(a.high, b.high),
        np.unique(np.concatenate([a.classes, b.classes])),
        a.total + b.total,
        a.plain and b.plain,
    )


def _chunk(given: Any, number: int, first: int) -> Chunk:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise TypeError(
            "chunks must give tuples (X, y) or (X, y, sample_weight), got "
            f"{type(given).__name__} as chunk {number}"
        )
    X, y, weight = (*given, None)[:3]
    sizes = _size(X, "X", number), _size(y, "y", number)
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"X and y must hold as many records, got {sizes[0]} and {sizes[1]} in chunk {number}"
        )
    return Chunk(X, y, weight, first)


def _size(part: Any, name: str, number: int) -> int:
    try:
        return len(part)
    except TypeError as error:
        raise TypeError(
            f"{name} must be an array, got {type(part).__name__} in chunk {number}"
        ) from error


def _bytes(part: Any, name: str) -> Any:
    """Return what a part of a chunk holds, to be compared."""
    values = np.empty(0) if part is None else check.plain(part, name)
    if values.dtype.kind not in "biuf":
        try:
            values = values.astype(str)
        except ValueError as error:
            raise ValueError(f"{name} must hold numbers or texts, got other things") from error
    return np.ascontiguousarray(values).ravel().view(np.uint8)
