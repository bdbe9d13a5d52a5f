"""The records of a level, and how often each class has each code at each node.

This is all that a tree asks of records. :class:`Members` answers from memory;
:class:`ChunkedMembers` keeps no record: it reads the chunks again, takes those of a chunk
through the steps that were made so far, and adds the counts up. So the same functions count,
drop and move records in either case, and a tree from chunks is the tree from all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ppdm._readings import Chunk, Readings
from ppdm.tree._kinds import Kinds
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
    """The m records of a level."""

    record: IntArray
    """Their rows in the training set, or in the chunk, (m,)."""
    codes: Codes
    """(n_features, m)."""
    node: IntArray
    """Their nodes, (m,)."""
    label: IntArray
    """Their classes, (m,)."""
    weight: FloatArray | None
    """Their weights, (m,); None where each counts one. With ``kinds``: the parts of the
    weights, (n_rows, m)."""
    kinds: Kinds | None = None
    """The kinds that the records are of, or None."""
    values: FloatArray | None = None
    """The values of all records, (n_records, n_features), which ``record`` counts, where codes
    are still to be found."""

    @classmethod
    def at_root(
        cls,
        codes: Codes,
        label: IntArray,
        weight: FloatArray | None = None,
        kinds: Kinds | None = None,
    ) -> Members:
        """Return all records, at node 0; the arguments are the attributes."""
        rows = np.arange(label.size)
        return cls(rows, codes, np.zeros(label.size, dtype=np.intp), label, weight, kinds)

    def take(self, which: IntArray) -> Members:
        """Return some of the records."""
        weight = None if self.weight is None else self.weight[..., which]
        return self._replace(
            record=self.record[which],
            codes=self.codes.take(which, axis=1),
            node=self.node[which],
            label=self.label[which],
            weight=weight,
        )

    def keep(self, nodes: BoolArray) -> Members:
        """Drop the records of the other nodes of a level, and number the nodes anew."""
        if nodes.all():
            return self
        rest = self.take(np.flatnonzero(nodes[self.node]))
        return rest._replace(node=(np.cumsum(nodes) - 1)[rest.node])

    def move(self, feature: IntArray, threshold: IntArray, first: IntArray) -> Members:
        """Move each record to the child of its node that its code leads to."""
        here = self.node
        code = self.codes[feature[here], np.arange(here.size)]
        return self._replace(node=child_of(code, threshold[here], first[here]))

    def class_counts(self, n_nodes: int, n_classes: int) -> FloatArray:
        """Return the total weight of each class at each node, (n_nodes, n_classes)."""
        counts = weigh(count_classes(self, n_nodes, n_classes), self.kinds)
        return counts.astype(np.float64, copy=False)

    def together(self, entries: int) -> int:
        """Return how many features are counted at once, of which each has so many entries."""
        size = max(1, self.node.size)
        return max(1, _BLOCK // size, size // entries)

    def cells(
        self, block: slice, n_nodes: int, n_classes: int, width: int
    ) -> tuple[AnyArray, IntArray]:
        """Add up the weights over group x code x class; a group is a node and a feature.

        Returns the counts of the cells that are not empty, (n_classes, n_cells), and the place
        of each, group * width + code, ascending; the groups of a feature stand side by side.
        """
        entries = n_nodes * width * n_classes
        if entries > self.node.size * (_SPARSE if entries <= _SMALL else _DENSE):
            return _sort(_cells(self, block, n_nodes, width), self, n_classes)
        return _occupied(weigh(_tabulate(self, block, n_nodes, n_classes, width), self.kinds))


#: What has been done to the records since they were read: each step takes the members of a
#: chunk, and the chunk, and returns the members after it.
Step = Callable[[Members, Chunk], Members]


class ChunkedMembers(NamedTuple):
    """The records of a level that are read anew, chunk by chunk, whenever they are counted."""

    readings: Readings
    """What is read."""
    read: Callable[[Chunk], Members]
    """Takes a chunk and returns its :class:`Members`, all at the root."""
    kinds: Kinds | None = None
    """As in :class:`Members`."""
    steps: tuple[Step, ...] = ()
    """What leads from the root to this level."""

    def then(self, step: Step) -> ChunkedMembers:
        """Return the records after one more step."""
        return self._replace(steps=(*self.steps, step))

    def task(self, function: Callable[..., Any], *args: Any) -> Callable[[Chunk], Any]:
        """Return a function of a chunk: bring its records here and apply ``function``."""
        return partial(_replay, self.read, self.steps, function, args)

    def keep(self, nodes: BoolArray) -> ChunkedMembers:
        """As :meth:`Members.keep`."""
        return self if nodes.all() else self.then(partial(_keep, nodes=nodes))

    def move(self, feature: IntArray, threshold: IntArray, first: IntArray) -> ChunkedMembers:
        """As :meth:`Members.move`."""
        return self.then(partial(_move, feature=feature, threshold=threshold, first=first))

    def class_counts(self, n_nodes: int, n_classes: int) -> FloatArray:
        """As :meth:`Members.class_counts`; one reading."""
        counts = self.readings.add_up(self.task(_count_classes, n_nodes, n_classes))
        return weigh(counts, self.kinds).astype(np.float64, copy=False)

    def together(self, entries: int) -> int:
        """As :meth:`Members.together`."""
        n_rows = 1 if self.kinds is None else self.kinds.n_rows
        return max(1, _MOST_ENTRIES // (entries * n_rows))

    def cells(
        self, block: slice, n_nodes: int, n_classes: int, width: int
    ) -> tuple[AnyArray, IntArray]:
        """As :meth:`Members.cells`; one reading."""
        table = self.readings.add_up(self.task(_count_cells, block, n_nodes, n_classes, width))
        return _occupied(weigh(table, self.kinds))


def weigh(counts: AnyArray, kinds: Kinds | None) -> AnyArray:
    """Return the weight of what was added up: parts, (n_rows, ...), where there are kinds."""
    return counts if kinds is None else kinds.weigh(counts)


def count_classes(members: Members, n_nodes: int, n_classes: int) -> AnyArray:
    """Count the classes at each node, ([n_rows,] n_nodes, n_classes)."""
    counts = _tally(members.node * n_classes + members.label, members.weight, n_nodes * n_classes)
    return counts.reshape(*counts.shape[:-1], n_nodes, n_classes)


def _replay(
    read: Callable[[Chunk], Members],
    steps: tuple[Step, ...],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    chunk: Chunk,
) -> Any:
    """Read a chunk's records, take them to their nodes and return what is asked of them."""
    members = read(chunk)
    for step in steps:
        members = step(members, chunk)
    return function(members, chunk, *args)


def _keep(members: Members, chunk: Chunk, nodes: BoolArray) -> Members:
    return members.keep(nodes)


def _move(
    members: Members, chunk: Chunk, feature: IntArray, threshold: IntArray, first: IntArray
) -> Members:
    return members.move(feature, threshold, first)


def _count_classes(members: Members, chunk: Chunk, n_nodes: int, n_classes: int) -> AnyArray:
    return count_classes(members, n_nodes, n_classes)


def _count_cells(
    members: Members, chunk: Chunk, block: slice, n_nodes: int, n_classes: int, width: int
) -> AnyArray:
    return _tabulate(members, block, n_nodes, n_classes, width)


def _cells(members: Members, block: slice, n_nodes: int, width: int) -> IntArray:
    """Return the place of each record in each feature of a block, (n_features, m)."""
    codes = members.codes[block]
    first = np.arange(len(codes))[:, None] * (n_nodes * width)
    return np.asarray((first + members.node * width) + codes)


def _tally(key: IntArray, weight: FloatArray | None, size: int) -> AnyArray:
    """Count keys (k,), or add up their weights (k,), or those of each row (n_rows, k)."""
    if weight is None:
        return np.bincount(key, minlength=size)
    counts = [np.bincount(key, row, size) for row in np.atleast_2d(weight)]
    # NumPy counts no keys as integers, weighted or not
    return np.asarray(counts, dtype=np.float64).reshape(*weight.shape[:-1], size)


def _tabulate(
    members: Members, block: slice, n_nodes: int, n_classes: int, width: int
) -> AnyArray:
    """Count into a table with a place for every class and cell, ([n_rows,] n_classes, n_cells).

    What the keys of all features have in common is made once; few records have the keys of
    several features made together, one after the other, with the same weights.
    """
    codes, weight, size = members.codes[block], members.weight, n_classes * n_nodes * width
    common = (members.label * n_nodes + members.node) * width
    tables = []
    step = max(1, _BLOCK // max(1, common.size))
    for start in range(0, len(codes), step):
        key, its = common + codes[start : start + step], weight
        if len(key) > 1:
            key += np.arange(0, len(key) * size, size)[:, None]
            if weight is not None:
                its = weight[..., None, :].repeat(len(key), axis=-2)
                its = its.reshape(*weight.shape[:-1], -1)
        tables.append(_tally(key.ravel(), its, len(key) * size))
    table = np.concatenate(tables, axis=-1)
    rows = table.shape[:-1]
    table = table.reshape(*rows, len(codes), n_classes, n_nodes * width)
    return np.moveaxis(table, -2, -3).reshape(*rows, n_classes, -1)


def _sort(cell: IntArray, members: Members, n_classes: int) -> tuple[AnyArray, IntArray]:
    """Count by sorting, for many more cells than records."""
    weight, shift = members.weight, (n_classes - 1).bit_length()
    key = ((cell << shift) | members.label).ravel()
    if weight is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[..., order % weight.shape[-1]]
    cell = key >> shift
    new = np.empty(cell.size, dtype=np.bool_)
    new[0] = True
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    place = np.cumsum(new) - 1
    n_found = int(place[-1]) + 1
    place += (key & ((1 << shift) - 1)) * n_found
    counts = weigh(_tally(place, weight, n_found * n_classes), members.kinds)
    counts, cell = counts.reshape(n_classes, n_found), cell[new]
    if weight is None:
        return counts, cell
    counts, occupied = _occupied(counts)  # weights may cancel
    return counts, cell[occupied]


def _occupied(counts: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the cells that hold a class whose count is not zero, and their places."""
    some = np.abs(counts) > ZERO_COUNT if counts.dtype.kind == "f" else counts
    occupied = np.flatnonzero(some.any(axis=0))
    whole = occupied.size == counts.shape[1]
    return (counts if whole else counts.take(occupied, axis=1)), occupied
