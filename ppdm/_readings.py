"""Records that are read again and again, chunk by chunk, and what is counted in them.

A learner that needs more than one look at its records, and must not keep them, gets a source
of chunks that can be read from its beginning as often as it likes. What is counted is a pure
function of one chunk, whose results add up. :meth:`Readings.add_up` is all that a learner calls;
another engine, as :mod:`ppdm.dask`, has readings of its own with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import AnyArray, FloatArray, IntArray

Result = TypeVar("Result")

#: A sum of weights up to so many records is zero.
_NOTHING = 1e-6
#: Where the middle half of an attribute lies is looked up in so many rows.
_ROWS = 2048


class Chunk(NamedTuple):
    """Some of the records; ``number`` counts the chunks that hold any, in their order, from 0."""

    X: Any
    y: Any
    weight: Any = None
    number: int = 0


#: What a learner reads of a chunk, the first or another one: table, labels and weights.
Read = Callable[[Chunk, bool], tuple[AnyArray, AnyArray, FloatArray | None]]


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
        While it is read: if there is no record.

    Examples
    --------
    >>> readings = Readings([([[1.0], [2.0]], [0, 1]), ([[3.0]], [1])])
    >>> readings.add_up(lambda chunk: np.bincount(chunk.y, minlength=2))
    array([1, 2])
    """

    def __init__(self, source: Any) -> None:
        rule = "chunks must be an iterable of chunks (X, y) that can be read again (a list, or an "
        rule += "object whose __iter__ begins anew)"
        again = isinstance(source, Iterable) and not isinstance(source, Iterator)
        check.demand(again, rule, type(source).__name__, TypeError)
        self._source = source

    @classmethod
    def of(cls, chunks: Any) -> Readings:
        """Return readings as they are, and those of any other source."""
        return chunks if isinstance(chunks, Readings) else cls(chunks)

    def _chunks(self) -> Iterator[Chunk]:
        """Yield each chunk that holds a record."""
        n_read = 0
        for place, given in enumerate(self._source):
            chunk = _chunk(given, place)
            if len(chunk.X):
                yield chunk._replace(number=n_read)
                n_read += 1
        check.demand(n_read, "chunks must hold a record", n_read)

    def add_up(
        self,
        function: Callable[[Chunk], Result],
        join: Callable[[Result, Result], Result] = add,
    ) -> Result:
        """Return a function of each chunk, joined in their order: by default the sum of arrays."""
        return reduce(join, map(function, self._chunks()))


class Facts(NamedTuple):
    """What the first reading learns of all records that weigh something.

    ``n`` is their number, ``ends`` (2, n_features) the lowest and the highest value of each
    attribute, ``middle`` (2, n_features) its :func:`middle_half` in any chunk, ``classes`` those
    that occur and ``mass`` what their weights add up to.
    """

    n: int
    ends: AnyArray
    middle: AnyArray
    classes: AnyArray
    mass: AnyArray


def learn(readings: Readings, read: Read, classes: ArrayLike | None) -> Facts:
    """Read all chunks for the first time, and check that their classes agree.

    ``read(chunk, reset)`` gives the table, the labels and the weights of a chunk, checked;
    ``reset`` is True for the first one. ``classes`` are the public classes, if they are known.
    """
    public = None if classes is None else public_classes(classes)
    found = readings.add_up(partial(_look, read, public), _join)
    unit_of(np.zeros(3) if found is None else found.mass)
    assert found is not None
    return found


def public_classes(classes: ArrayLike) -> AnyArray:
    """Return the classes that are given, ascending."""
    found = np.unique(check.class_values(classes, "classes"))
    check.demand(found.size, "classes must have a class at least", classes)
    return found


def mass(weight: FloatArray | None, n: int) -> AnyArray:
    """Return the sums of n weights, of their sizes and of their squares, which add up in chunks."""
    if weight is None:
        return np.full(3, n)
    with np.errstate(over="ignore"):  # weights that large are repetitions, however many
        return np.array([weight.sum(), np.abs(weight).sum(), np.square(weight).sum()])


def unit_of(mass: AnyArray) -> float:
    """Return what a record weighs, by their :func:`mass`; refuse records that weigh nothing.

    Weights above one are repetitions. Below, they have no unit, and the total is that of Kish's
    effective number of records, (sum w)^2 / sum w^2. Signed records keep theirs, one.
    """
    total, size, square = mass.tolist()
    unit = min(1.0, square / size) if size else 1.0
    rule = "sample_weight must have a total above zero, or the records stand for nobody"
    check.demand(total > _NOTHING * unit > 0, rule, float(total))
    return unit


def numbers_of(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return each label's number among the classes (ascending); another label is refused."""
    number = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    unknown = classes[number] != labels
    rule = f"y must hold only labels among classes {check.listed(classes)}"
    check.demand(not unknown.any(), rule, labels[unknown].tolist()[:1])
    return np.asarray(number)


def weighing(
    table: AnyArray, labels: AnyArray, weight: FloatArray | None
) -> tuple[AnyArray, AnyArray, FloatArray | None]:
    """Return the records that weigh something, their labels and weights."""
    if weight is None or weight.all():
        return table, labels, weight
    some = weight != 0
    return table[some], labels[some], weight[some]


def _look(read: Read, public: AnyArray | None, chunk: Chunk) -> Facts | None:
    table, labels, weight = weighing(*read(chunk, chunk.number == 0))
    if public is not None:
        numbers_of(labels, public)
    if not len(table):
        return None
    ends, classes = np.stack([table.min(axis=0), table.max(axis=0)]), check.encode_classes(labels)
    return Facts(len(table), ends, middle_half(table), classes[0], mass(weight, len(table)))


def middle_half(table: AnyArray) -> AnyArray:
    """Return between which values half of each attribute lies, (2, n_features), from some rows."""
    rows = np.sort(table[:: len(table) // _ROWS + 1], axis=0)
    return rows[[len(rows) // 4, 3 * len(rows) // 4]]


def _join(a: Facts | None, b: Facts | None) -> Facts | None:
    if a is None or b is None:
        return b if a is None else a
    kinds = ["numbers" if each.classes.dtype.kind in "biuf" else "texts" for each in (a, b)]
    if kinds[0] != kinds[1]:
        raise ValueError(f"y must be of one kind in all chunks, got {kinds[1]} after {kinds[0]}")
    ends, middle = (
        np.stack([np.minimum(x[0], y[0]), np.maximum(x[1], y[1])])
        for x, y in ((a.ends, b.ends), (a.middle, b.middle))
    )
    classes = np.unique(np.concatenate([a.classes, b.classes]))
    return Facts(a.n + b.n, ends, middle, classes, a.mass + b.mass)


def _chunk(given: Any, place: int) -> Chunk:
    rule = f"chunks must give tuples (X, y) or (X, y, sample_weight), as chunk {place} must be"
    legal = isinstance(given, tuple | list) and len(given) in (2, 3)
    check.demand(legal, rule, type(given).__name__, TypeError)
    X, y, weight = (*given, None)[:3]
    for part, name in ((X, "X"), (y, "y")):
        no_rows = getattr(part, "ndim", 1) == 0 or hasattr(part, "toarray")
        rule = f"{name} must be an array in chunk {place}"
        check.demand(isinstance(part, Sized) and not no_rows, rule, type(part).__name__, TypeError)
    rule = f"X and y of chunk {place} must hold as many records"
    check.demand(len(X) == len(y), rule, (len(X), len(y)))
    return Chunk(X, y, weight)
