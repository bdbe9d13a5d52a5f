"""The records of a level, and how often each class has each code at each node.

Counts are all that a tree asks of records. A learner of many records counts equal ones first, and
gives each pattern once, with its count for a weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._weighted import mass, unit_of
from ppdm.tree._nodes import ZERO_COUNT, child_of
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray, IntArray

#: The keys of features are made together while they are within this many (and in cache).
_BLOCK = 1 << 16
#: Counting into a table is taken up to this many table entries a record, sorting beyond ...
_DENSE = 4
#: ... or up to this many, while the table is small: 16 MB.
_SPARSE, _SMALL = 32, 1 << 21
#: Beyond so many records floats no longer count ones.
_MOST = 2**53


class Records:
    """The m records that are at a level: their codes, classes, weights and nodes.

    Parameters
    ----------
    codes : ndarray of int, shape (n_features, m)
    label : ndarray of int, shape (m,)
        Their classes.
    weight : ndarray of shape (m,), optional
        How much each counts, maybe less than nothing; None where each counts one.
    unit : float, default=1
        What the weights were divided by: a record's own.
    values : optional
        What the codes are made of, for whoever gives records other codes on the way.
    """

    def __init__(
        self,
        codes: Codes,
        label: IntArray,
        weight: FloatArray | None = None,
        unit: float = 1.0,
        values: Any = None,
    ) -> None:
        self.codes, self.label, self.weight = codes, label, weight
        self.unit, self.values = unit, values
        self.row, self.node = np.arange(label.size), np.zeros(label.size, dtype=np.intp)

    def keep(self, nodes: BoolArray) -> None:
        """Drop the records of the other nodes of a level, and number the nodes anew."""
        if nodes.all():
            return
        which = np.flatnonzero(nodes[self.node])
        self.codes, self.label, self.row = (
            self.codes.take(which, axis=1), self.label[which], self.row[which]
        )  # fmt: skip
        self.weight = None if self.weight is None else self.weight[which]
        self.node = (np.cumsum(nodes) - 1)[self.node[which]]

    def move(self, feature: IntArray, threshold: IntArray, first: IntArray) -> None:
        """Move each record to the child of its node that its code leads to."""
        here = self.node
        code = self.codes[feature[here], np.arange(here.size)]
        self.node = child_of(code, threshold[here], first[here])

    def class_counts(self, n_nodes: int, n_classes: int) -> FloatArray:
        """Return the total weight of each class at each node, (n_nodes, n_classes)."""
        counts = _tally(self.node * n_classes + self.label, self.weight, n_nodes * n_classes)
        return counts.reshape(n_nodes, n_classes).astype(np.float64, copy=False)

    def together(self, entries: int) -> int:
        """Return how many features are counted at once, of which each has so many entries."""
        size: int = max(1, self.node.size)
        return max(1, _BLOCK // size, size // entries)

    def cells(
        self, block: slice, n_nodes: int, n_classes: int, width: int
    ) -> tuple[AnyArray, IntArray]:
        """Add up the weights over group x code x class; a group is a node and a feature.

        Return the counts (n_classes, n_occupied), those of the groups' occupied cells one after
        the other, and the cells' places among all ``width`` of every group.
        """
        entries, places = n_nodes * n_classes * width, None
        if entries > self.node.size * (_SPARSE if entries <= _SMALL else _DENSE):
            counts, places = _sort(self, block, n_nodes, n_classes, width)
        else:
            counts = _tabulate(self, block, n_nodes, n_classes, width)
        # weights may cancel
        some = np.abs(counts) > ZERO_COUNT if counts.dtype.kind == "f" else counts
        occupied = np.flatnonzero(some.any(axis=0))
        if occupied.size < counts.shape[1]:
            counts = counts.take(occupied, axis=1)
        return counts, occupied if places is None else places[occupied]


def _tally(key: IntArray, weight: FloatArray | None, size: int) -> AnyArray:
    """Count keys (k,), or add up their weights (k,)."""
    if weight is None:
        return np.bincount(key, minlength=size)
    # NumPy counts no keys as integers, weighted or not
    return np.bincount(key, weight, size).astype(np.float64)


def _tabulate(
    records: Records, block: slice, n_nodes: int, n_classes: int, width: int
) -> AnyArray:
    """Count into a table with a place for every class and cell, (n_classes, n_cells).

    Where a feature fills the block, the records' part of the key is made once for all features:
    a million records feel each pass that is saved.
    """
    codes, size, at = records.codes[block], n_nodes * width, records.node * width
    tables, common, n = [], at, 0
    step = max(1, _BLOCK // max(1, at.size))
    for start in range(0, len(codes), step):
        part, weight = codes[start : start + step], records.weight
        if len(part) != n:
            n = len(part)
            common = records.label * (n * size) + at
        key = common + part
        if n > 1:
            key += np.arange(0, n * size, size)[:, None]
            weight = None if weight is None else np.tile(weight, n)
        table = _tally(key.ravel(), weight, n_classes * n * size)
        tables.append(table.reshape(n_classes, n * size))
    return tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)


def _sort(
    records: Records, block: slice, n_nodes: int, n_classes: int, width: int
) -> tuple[AnyArray, IntArray]:
    """Count by sorting, for many more cells than records; return counts and the cells' places."""
    codes, weight, shift = records.codes[block], records.weight, (n_classes - 1).bit_length()
    first = np.arange(len(codes))[:, None] * (n_nodes * width)
    cell = (first + records.node * width) + codes
    key = ((cell << shift) | records.label).ravel()
    if weight is None:
        key.sort()
    else:
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[order % weight.size]
    cell = key >> shift
    new = np.empty(cell.size, dtype=np.bool_)
    new[0] = True
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    place = np.cumsum(new) - 1
    n_found = int(place[-1]) + 1
    place += (key & ((1 << shift) - 1)) * n_found
    counts = _tally(place, weight, n_found * n_classes)
    return counts.reshape(n_classes, n_found), cell[new]


def weighed(
    table: AnyArray, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[AnyArray, AnyArray, IntArray, FloatArray | None, float]:
    """Return the records that weigh something, the classes that they have, and weights (n,).

    Of each record the number of its class. The weights are in units, which come last, and None
    where all are 1.
    """
    classes, label = check.classes(y, len(table))
    if sample_weight is None:
        return table, classes, label, None, 1.0
    weight = check.weights(sample_weight, label.size)
    rule = f"sample_weight must be of {_MOST:,} records together at most"
    check.demand(np.abs(weight).sum() <= _MOST, rule, float(np.abs(weight).max()))
    unit = unit_of(mass(weight, weight.size))
    some = weight != 0
    if not some.all():
        table, label, weight = table[some], label[some], weight[some]
    occurring, label = check.encode_classes(label)
    alike = bool((weight == unit).all())
    return table, classes[occurring], label, None if alike else weight / unit, unit
