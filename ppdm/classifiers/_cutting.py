"""AS00's assignment of records to intervals, when records are read chunk by chunk.

:class:`ppdm.classifiers._dealing.Dealer` sorts the disguised values, and deals the lowest to the
first interval, and so on. Here the first record of each interval is found instead: its value,
and, where others have the same value, its row. A record then lies in the last interval whose
first record does not come after it. That is the same assignment, and needs no record but the
one that is assigned.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ppdm._readings import Chunk
from ppdm.classifiers._interval_counts import count_intervals
from ppdm.classifiers._order import Dealt, Ranks, find, pairs
from ppdm.noise._intervals import count_released
from ppdm.tree import ChunkedMembers, Members
from ppdm.typing import AnyArray, FloatArray, IntArray


class Cuts(NamedTuple):
    """The first record of each interval but the lowest, of one attribute.

    ``first`` (n_labels * n_cuts,) are labels and values, ascending; ``row`` those where records
    of the same value come before, else 0.
    """

    first: AnyArray
    row: IntArray
    n_cuts: int


def deal_chunks(
    members: ChunkedMembers,
    dealt: Dealt,
    channels: list[Any],
    rule: dict[str, Any],
    ends: FloatArray,
) -> tuple[ChunkedMembers, IntArray]:
    """Reconstruct each attribute for each label, and give the records their intervals.

    One reading counts what was released; two or three more find the cuts up to a hundred
    million records, and one more where values are equal.

    Parameters
    ----------
    members : ChunkedMembers
    dealt : Dealt
        Which records are dealt together, and which attributes.
    channels : list
        One bound channel an attribute.
    rule : dict
        When a reconstruction stops.
    ends : ndarray of shape (2, n_features)
        The range of the values.

    Returns
    -------
    members : ChunkedMembers
        With the new codes.
    steps : ndarray of int, shape (n_features,)
        The most steps that a label's reconstruction of each attribute took.
    """
    n_labels, n_features = dealt.wanted.shape
    features = np.flatnonzero(dealt.wanted.any(axis=0)).tolist()
    cells = {f: len(channels[f].channel_matrix()) for f in features}
    counted = members.readings.add_up(members.task(_count_released, dealt, channels, cells))
    sizes, counted = counted[:n_labels], counted[n_labels:]
    steps = np.zeros(n_features, dtype=np.intp)
    ranks, sought = {}, {}
    for feature in features:
        size = n_labels * cells[feature]
        tally, counted = counted[:size].reshape(n_labels, -1), counted[size:]
        asked = sizes * dealt.wanted[:, feature]
        counts, steps[feature] = count_intervals(tally, asked, channels[feature], rule)
        ranks[feature] = np.cumsum(counts, axis=1)[:, :-1]
        sought[feature] = _seek(ranks[feature], asked, *ends[:, feature])
    found = find(members, dealt, sought)
    cuts = {f: _cuts(ranks[f], sizes * dealt.wanted[:, f], *found[f]) for f in features}
    return members.then(partial(_deal, dealt=dealt, cuts=cuts)), steps


def _count_released(
    members: Members, chunk: Chunk, dealt: Dealt, channels: list[Any], cells: dict[int, int]
) -> IntArray:
    """Count the records of each label, and what was released, attributes in a row."""
    n_labels = len(dealt.wanted)
    labels = dealt.label[members.node, members.label]
    counts = [np.bincount(labels[labels >= 0], minlength=n_labels)]
    for feature, n_cells in cells.items():
        _, labels, values = dealt.inside(members, feature)
        tally = np.zeros((n_labels, n_cells), dtype=np.intp)
        if values.size:
            tally += count_released(channels[feature], values, labels, n_labels)
        counts.append(tally.ravel())
    return np.concatenate(counts)


def _open(rank: IntArray, sizes: IntArray) -> tuple[IntArray, ...]:
    """Return where an interval begins with a record that is not the lowest of its label."""
    return np.nonzero((rank > 0) & (rank < sizes[:, None]))


def _seek(rank: IntArray, sizes: IntArray, low: float, high: float) -> Ranks:
    """Begin the search for the records of these ranks (n_labels, n_cuts), in [low, high]."""
    label, place = _open(rank, sizes)
    beyond = np.nextafter(high, np.inf)
    return Ranks(
        label,
        rank[label, place],
        np.full(label.size, low + 0.0),
        np.full(label.size, beyond),
        sizes[label],
        np.zeros(label.size, dtype=np.intp),
    )


def _cuts(rank: IntArray, sizes: IntArray, value: FloatArray, row: IntArray) -> Cuts:
    """Put the records found in their places; others lie before or behind all records."""
    first = np.where(rank > 0, np.inf, -np.inf)
    rows = np.zeros_like(rank)
    where = _open(rank, sizes)
    first[where], rows[where] = value, row
    labels = np.broadcast_to(np.arange(len(rank))[:, None], rank.shape)
    return Cuts(pairs(labels, first).ravel(), rows.ravel(), rank.shape[1])


def _deal(members: Members, chunk: Chunk, dealt: Dealt, cuts: dict[int, Cuts]) -> Members:
    """Write the intervals of a chunk's records."""
    codes = members.codes.copy()
    for feature, cut in cuts.items():
        which, labels, values = dealt.inside(members, feature)
        both = pairs(labels, values)
        place = np.searchsorted(cut.first, both, side="right")
        rows = chunk.first + members.record[which]
        for k in np.flatnonzero(cut.row):  # records of the cut's value that came before it
            place -= (both == cut.first[k]) & (rows < cut.row[k])
        codes[feature, which] = place - labels * cut.n_cuts
    return members._replace(codes=codes)
