"""The records of a level, and how often each class has each code at each node.

Counts are all that a tree asks of records, and counts of chunks add up. Records in memory are one
chunk, which is kept and taken from level to level. Chunks that are read anew are taken through
all steps that were made so far, counted, and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import add
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ppdm._readings import Chunk, Readings
from ppdm.tree._nodes import ZERO_COUNT, child_of
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray, IntArray

#: The keys of features are made together while they are within this many (and in cache).
_BLOCK = 1 << 16
#: Counting into a table is taken up to this many table entries a record, sorting beyond ...
_DENSE = 4
#: ... or up to this many, while the table is small: 16 MB.
_SPARSE, _SMALL = 32, 1 << 21
#: One reading of the chunks counts features together up to this many table entries: 64 MB.
_MOST_ENTRIES = 1 << 23


class Members(NamedTuple):
    """The m records of a chunk that are at a level."""

    codes: Codes
    """(n_features, m)."""
    label: IntArray
    """Their classes, (m,)."""
    weight: FloatArray | None
    """How often each counts as a record of each kind, (n_kinds, m); None where each counts one."""
    row: IntArray
    """Their rows in the chunk, (m,)."""
    node: IntArray
    """Their nodes, (m,)."""
    values: Any
    """What the codes are made of, for whoever gives records other codes on the way."""

    @classmethod
    def at_root(
        cls,
        codes: Codes,
        label: IntArray,
        weight: FloatArray | None = None,
        values: Any = None,
    ) -> Members:
        """Return all records of a chunk, at node 0; the arguments are the attributes."""
        rows, nodes = np.arange(label.size), np.zeros(label.size, dtype=np.intp)
        return cls(codes, label, weight, rows, nodes, values)

    def mark(self) -> int:
        """Return a checksum of the records."""
        mark = 0
        for part in (self.codes, self.label, self.weight):
            mark = mark if part is None else crc32(np.ascontiguousarray(part).data, mark)
        return mark

    def keep(self, nodes: BoolArray) -> Members:
        """Drop the records of the other nodes of a level, and number the nodes anew."""
        if nodes.all():
            return self
        which = np.flatnonzero(nodes[self.node])
        return self._replace(
            codes=self.codes.take(which, axis=1),
            label=self.label[which],
            weight=None if self.weight is None else self.weight[:, which],
            row=self.row[which],
            node=(np.cumsum(nodes) - 1)[self.node[which]],
        )

    def move(self, feature: IntArray, threshold: IntArray, first: IntArray) -> Members:
        """Move each record to the child of its node that its code leads to."""
        here = self.node
        code = self.codes[feature[here], np.arange(here.size)]
        return self._replace(node=child_of(code, threshold[here], first[here]))


Step = Callable[[Members], Members]
Count = Callable[[Members], Any]
Join = Callable[[Any, Any], Any]


class Records:
    """All records of a level, in memory or in chunks.

    Parameters
    ----------
    source : Members or Readings
        The records in memory, or the chunks.
    read : callable, optional
        Takes a chunk and returns its :class:`Members`, all at the root. None for those in memory.
    worth : ndarray of float, shape (n_kinds,), optional
        What a record of each kind weighs, where records have weights. So whole numbers are added
        up, which no order and no chunks change, and weighed at the end.
    unit : float, default=1
        What the weights were divided by: a record's own.
    """

    def __init__(
        self,
        source: Members | Readings,
        read: Callable[[Chunk], Members] | None = None,
        worth: FloatArray | None = None,
        unit: float = 1.0,
    ) -> None:
        self.source: Any = source
        self._read, self._worth, self.unit = read, worth, unit
        self._steps: tuple[Step, ...] = ()
        self._mark: int | None = None

    def then(self, step: Step) -> None:
        """Take the records one step further."""
        if self._read is None:
            self.source = step(self.source)
        else:
            self._steps = (*self._steps, step)

    def add_up(self, count: Count, join: Join = add) -> Any:
        """Return what is counted in all records; one reading of chunks."""
        if self._read is None:
            return count(self.source)
        task = partial(_at_level, self._read, self._steps, count)
        mark, found = self.source.add_up(task, partial(_join, join))
        self._refuse_changed(mark)
        return found

    def _refuse_changed(self, mark: int) -> None:
        """Refuse chunks that were not read with this mark before."""
        if self._mark not in (None, mark):
            raise ValueError("chunks must give the same records at each reading, got others")
        self._mark = mark

    def class_counts(self, n_nodes: int, n_classes: int) -> FloatArray:
        """Return the total weight of each class at each node, (n_nodes, n_classes)."""
        counts = self.add_up(partial(_count_classes, n_nodes=n_nodes, n_classes=n_classes))
        return self._weighed(counts).reshape(n_nodes, n_classes).astype(np.float64, copy=False)

    def together(self, entries: int) -> int:
        """Return how many features are counted at once, of which each has so many entries."""
        if self._read is None:
            size: int = max(1, self.source.node.size)
            return max(1, _BLOCK // size, size // entries)
        return max(1, _MOST_ENTRIES // (entries * (1 if self._worth is None else self._worth.size)))

    def cells(
        self, block: slice, n_nodes: int, n_classes: int, width: int
    ) -> tuple[AnyArray, IntArray]:
        """Add up the weights over group x code x class; a group is a node and a feature.

        Returns the counts of the cells that are not empty, (n_classes, n_cells), and the place
        of each, group * width + code, ascending; the groups of a feature stand side by side.
        """
        entries, places = n_nodes * n_classes * width, None
        if self._read is None and entries > self.source.node.size * (
            _SPARSE if entries <= _SMALL else _DENSE
        ):
            counts, places = _sort(self.source, block, n_nodes, n_classes, width)
        else:
            counts = self.add_up(partial(_tabulate, block, n_nodes, n_classes, width))
        counts = self._weighed(counts)
        # weights may cancel
        some = np.abs(counts) > ZERO_COUNT if counts.dtype.kind == "f" else counts
        occupied = np.flatnonzero(some.any(axis=0))
        if occupied.size < counts.shape[1]:
            counts = counts.take(occupied, axis=1)
        return counts, occupied if places is None else places[occupied]

    def _weighed(self, counts: AnyArray) -> AnyArray:
        """Return the weight of counts of each kind, (n_kinds, ...)."""
        if self._worth is None:
            return np.asarray(counts[0])
        kinds = [worth * count for worth, count in zip(self._worth, counts, strict=True)]
        return np.asarray(np.add.reduce(kinds))


def _at_level(read: Any, steps: tuple[Step, ...], count: Count, chunk: Chunk) -> tuple[int, Any]:
    """Read a chunk's records, take them to their nodes and count them; mark what was read."""
    members = read(chunk)
    mark = members.mark()
    for step in steps:
        members = step(members)
    return mark, count(members)


def _join(join: Join, a: tuple[int, Any], b: tuple[int, Any]) -> tuple[int, Any]:
    return a[0] + b[0], join(a[1], b[1])


def _count_classes(members: Members, n_nodes: int, n_classes: int) -> AnyArray:
    """Count the classes at each node, (n_kinds, n_nodes * n_classes)."""
    return _tally(members.node * n_classes + members.label, members.weight, n_nodes * n_classes)


def _tally(key: IntArray, weight: FloatArray | None, size: int) -> AnyArray:
    """Count keys (k,), or add up the weights of each kind (n_kinds, k); (n_kinds, size)."""
    if weight is None:
        return np.bincount(key, minlength=size)[np.newaxis]
    # NumPy counts no keys as integers, weighted or not
    return np.stack([np.bincount(key, kind, size) for kind in weight]).astype(np.float64)


def _tabulate(
    block: slice, n_nodes: int, n_classes: int, width: int, members: Members
) -> AnyArray:
    """Count into a table with a place for every class and cell, (n_kinds, n_classes, n_cells).

    What the keys of all features have in common is made once; few records have the keys of
    several features made together, one after the other, with the same weights.
    """
    codes, size, at = members.codes[block], n_nodes * width, members.node * width
    tables, common, n = [], at, 0
    step = max(1, _BLOCK // max(1, at.size))
    for start in range(0, len(codes), step):
        part, weight = codes[start : start + step], members.weight
        if len(part) != n:
            n = len(part)
            common = members.label * (n * size) + at
        key = common + part
        if n > 1:
            key += np.arange(0, n * size, size)[:, None]
            weight = None if weight is None else np.tile(weight, n)
        table = _tally(key.ravel(), weight, n_classes * n * size)
        tables.append(table.reshape(-1, n_classes, n * size))
    return tables[0] if len(tables) == 1 else np.concatenate(tables, axis=2)


def _sort(
    members: Members, block: slice, n_nodes: int, n_classes: int, width: int
) -> tuple[AnyArray, IntArray]:
    """Count by sorting, for many more cells than records; return counts and the cells' places."""
    codes, weight, shift = members.codes[block], members.weight, (n_classes - 1).bit_length()
    first = np.arange(len(codes))[:, None] * (n_nodes * width)
    cell = (first + members.node * width) + codes
    key = ((cell << shift) | members.label).ravel()
    if weight is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[:, order % weight.shape[1]]
    cell = key >> shift
    new = np.empty(cell.size, dtype=np.bool_)
    new[0] = True
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    place = np.cumsum(new) - 1
    n_found = int(place[-1]) + 1
    place += (key & ((1 << shift) - 1)) * n_found
    counts = _tally(place, weight, n_found * n_classes)
    return counts.reshape(-1, n_classes, n_found), cell[new]
