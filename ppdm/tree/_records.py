"""The records of a level, and how often each class has each code at each node.

Counts are all that a tree asks of records. A learner of many records counts equal ones first, and
gives each pattern once, with its count for a weight.
"""

import numpy as np

from ppdm import _validation as check
from ppdm._weighted import mass, unit_of
from ppdm.tree._nodes import LEAF, ZERO_COUNT
from ppdm.typing import AnyArray, ArrayLike, BoolArray, Codes, FloatArray, IntArray

#: Counting into a table is taken up to this many table entries a record, sorting beyond.
_DENSE = 8
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
    """

    def __init__(
        self, codes: Codes, label: IntArray, weight: FloatArray | None = None, unit: float = 1.0
    ) -> None:
        self.codes, self.label, self.weight, self.unit = codes, label, weight, unit
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
        place = np.where(threshold[here] == LEAF, code, code > threshold[here])
        self.node = first[here] + place

    def class_counts(self, n_nodes: int, n_classes: int) -> FloatArray:
        """Return the total weight of each class at each node, (n_nodes, n_classes)."""
        counts = _tally(self.node * n_classes + self.label, self.weight, n_nodes * n_classes)
        return counts.reshape(n_nodes, n_classes).astype(np.float64, copy=False)

    def cells(
        self, block: slice, n_nodes: int, n_classes: int, width: int
    ) -> tuple[AnyArray, IntArray]:
        """Return counts of classes (n_classes, n_cells) of the cells with records in them.

        A cell is a value of a feature at a node. The second array holds the number of each cell,
        ``(feature * n_nodes + node) * width + value``, the features being those of the block.
        """
        codes = self.codes[block]
        n, size = len(codes), len(codes) * n_nodes * width
        cells: IntArray | None = None
        key = np.arange(n)[:, None] * (n_nodes * width) + self.node * width
        key += codes
        if n_classes * size > codes.size * _DENSE:
            cells, place = np.unique(key, return_inverse=True)
            key, size = place.reshape(codes.shape), cells.size
        key += self.label * size
        weight = None if self.weight is None else np.tile(self.weight, n)
        counts = _tally(key.ravel(), weight, n_classes * size).reshape(n_classes, size)
        # weights may cancel
        some = np.abs(counts) > ZERO_COUNT if counts.dtype.kind == "f" else counts
        occupied = np.flatnonzero(some.any(axis=0))
        if occupied.size < size:
            counts = counts.take(occupied, axis=1)
        return counts, occupied if cells is None else cells[occupied]


def _tally(key: IntArray, weight: FloatArray | None, size: int) -> AnyArray:
    """Count keys (k,), or add up their weights (k,)."""
    if weight is None:
        return np.bincount(key, minlength=size)
    # NumPy counts no keys as integers, weighted or not
    return np.bincount(key, weight, size).astype(np.float64)


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
