"""Who is taken to lie in which interval: AS00's dealing of records (section 4.2).

A tree splits records, so each record needs an interval. The disguised values are sorted; the
lowest ones are taken for the first interval, the next ones for the second, as many as were
reconstructed for each. So all records are needed at once: a chunk does not know how many values
of the others come before its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppdm.noise._intervals import count_released
from ppdm.reconstruction._distribution import reconstruct
from ppdm.tree._records import Records
from ppdm.typing import BoolArray, FloatArray, IntArray


class Values:
    """The disguised values of the records, each attribute's order found when it is asked for."""

    def __init__(self, X: FloatArray) -> None:
        self.columns = np.ascontiguousarray(X.T)
        self._orders: dict[int, IntArray] = {}

    def order(self, feature: int) -> IntArray:
        """Return the rows in the order of an attribute, equal values as they come."""
        if feature not in self._orders:
            values = self.columns[feature]
            order = np.argsort(values)
            ordered = values[order]
            if (ordered[1:] == ordered[:-1]).any():  # only equal values need a stable sort
                order = np.argsort(values, kind="stable")
            self._orders[feature] = order
        return self._orders[feature]


@dataclass(frozen=True, eq=False)
class Dealing:
    """Which records are dealt together: those of a label, each attribute by itself.

    ``label`` (n_nodes, n_classes) is the label of the records of a class at a node, or -1 where
    they keep their intervals; ``wanted`` (n_labels, n_features) says which attributes are dealt
    for each label.
    """

    label: IntArray
    wanted: BoolArray

    def labelled(self, records: Records) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Yield for each attribute which records are dealt it, and their labels."""
        labels = self.label[records.node, records.label]
        for feature, wanted in enumerate(self.wanted.T):
            if wanted.any():
                which = np.flatnonzero(np.append(wanted, False)[labels])
                yield feature, which, labels[which]

    def columns(self, records: Records) -> Iterator[tuple[tuple[int, int], IntArray]]:
        """Yield attribute, label, and the label's records in the order of the attribute."""
        n_labels = len(self.wanted)
        slot = np.empty(records.values.columns.shape[1], dtype=np.int32)
        for feature, which, labels in self.labelled(records):
            slot[:] = -1
            slot[records.row[which]] = np.arange(which.size)
            order = slot[records.values.order(feature)]
            order = order[order >= 0]
            small = labels.astype(np.min_scalar_type(n_labels))  # small integers sort faster
            order = order[np.argsort(small[order], kind="stable")]
            starts = np.cumsum(np.bincount(labels, minlength=n_labels))
            for label, part in enumerate(np.split(which[order], starts[:-1])):
                if self.wanted[label, feature]:
                    yield (feature, label), part


def deal(
    records: Records,
    dealing: Dealing,
    channels: list[Any],
    rule: dict[str, Any],
) -> IntArray:
    """Reconstruct each attribute for each label, and give the records their intervals.

    Parameters
    ----------
    records : Records
        With :class:`Values`; they are taken to their intervals.
    dealing : Dealing
    channels : list
        One bound channel an attribute.
    rule : dict
        When a reconstruction stops: ``stop``, ``tol`` and ``max_iter``.

    Returns
    -------
    ndarray of int, shape (n_features,)
        The most steps that a label's reconstruction of each attribute took.
    """
    columns, n_labels = records.values.columns, len(dealing.wanted)
    steps = np.zeros(len(channels), dtype=np.intp)
    counts: dict[int, IntArray] = {}
    for feature, which, labels in dealing.labelled(records):
        values = columns[feature][records.row[which]]
        tally = count_released(channels[feature], values, labels, n_labels)
        found = reconstruct(channels[feature], tally, keep_history=False, **rule)
        steps[feature] = found.n_iter.max()
        counts[feature] = largest_remainder(found.probabilities, tally.sum(axis=1))
    codes = records.codes.copy()
    for (feature, label), which in dealing.columns(records):  # the lowest values come first
        dealt = counts[feature][label]
        codes[feature, which] = np.repeat(np.arange(dealt.size, dtype=codes.dtype), dealt)
    records.codes = codes
    return steps


def largest_remainder(shares: FloatArray, totals: NDArray[np.integer]) -> IntArray:
    """Round ``totals`` times ``shares`` to whole counts that add up exactly.

    Each count is rounded down; what is missing goes, one each, to those that lost most,
    the first ones among equals.

    Parameters
    ----------
    shares : ndarray of shape (..., m)
        Not negative, each row summing to one.
    totals : ndarray of int, shape (...)
        What each row of counts adds up to.

    Returns
    -------
    ndarray of int, shape (..., m)

    Examples
    --------
    >>> largest_remainder(np.array([0.5, 0.3, 0.2]), np.array(11)).tolist()
    [6, 3, 2]
    """
    exact = shares * totals[..., None]
    counts = np.floor(exact).astype(np.intp)
    missing = totals - counts.sum(axis=-1)
    lost = np.argsort(counts - exact, axis=-1, kind="stable")
    place = np.argsort(lost, axis=-1)
    counts += place < missing[..., None]
    return counts
