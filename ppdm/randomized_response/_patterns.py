"""Records packed into words, and the patterns that reversing groups leads to.

Only unique patterns are walked over, group by group, so that fourteen bits with fourteen
coins give at most 2^14 records and not 2^14 for each report.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm.randomized_response._groups import Table
from ppdm.typing import AnyArray, Bits, FloatArray, IntArray

#: No more signed records than this are made: 4 million, a few hundred megabytes.
MAX_RECORDS = 1 << 22

#: Patterns are laid out in a table of up to this many places a record, sorted beyond.
_MOST_PLACES = 4

Words = NDArray[np.uint64]


class Step(NamedTuple):
    """One group undone: where each pattern goes, kept and reversed, and with what weight."""

    weights: FloatArray  # (n_ways,): two, but one at theta 0 and 1
    target: IntArray  # (n_ways, n_patterns before)


def spread(
    words: Words, masks: list[Words], weights: FloatArray
) -> tuple[Words, list[Step]]:
    """Return the patterns that reversing groups leads to, and the way there."""
    ways = np.flatnonzero(weights)
    steps = []
    for mask in masks:
        reached = np.concatenate([words ^ mask * np.uint64(way) for way in ways])
        words, target = unique_words(reached)
        if len(words) > MAX_RECORDS:
            raise ValueError(
                f"groups give more than {MAX_RECORDS} signed records: take fewer groups, or "
                "estimate single expressions with estimate_proportion"
            )
        steps.append(Step(weights[ways], target.reshape(ways.size, -1)))
    return words, steps


def words_of(table: Table) -> tuple[Words, AnyArray | None]:
    """Return each record as words of 64 bits, and the classes.

    One number stands for a record of up to 64 bits: an exclusive or reverses a group, and
    sorting numbers takes a thirtieth of the time of sorting rows. A public class is the
    number of the class, in as many bits as that takes, at the end.
    """
    if table.y is None:
        return _pack(table.bits), None
    classes, code = check.encode_classes(table.y)
    shifts = np.arange(_bits_for(classes))[::-1]
    class_bits = (code[:, np.newaxis] >> shifts & 1).astype(np.int8)
    return _pack(np.column_stack([table.bits, class_bits])), classes


def _bits_for(classes: AnyArray) -> int:
    return int(classes.size - 1).bit_length()


def _pack(bits: Bits) -> Words:
    """Pack rows of bits into words that sort as the rows do."""
    n, n_bits = bits.shape
    packed = np.zeros((n, -(-n_bits // 64) * 8), dtype=np.uint8)
    packed[:, : -(-n_bits // 8)] = np.packbits(bits, axis=1)
    return packed.view(">u8").astype(np.uint64)


def masks(table: Table, n_words: int) -> list[Words]:
    """Return the words that reverse each group; a public class is never reversed."""
    members = np.zeros((len(table.groups), n_words * 64), dtype=np.int8)
    for row, group in zip(members, table.groups, strict=True):
        row[group] = 1
    return list(_pack(members))


def tally_words(words: Words) -> tuple[Words, IntArray]:
    """Return the distinct rows in order, and how often each occurs."""
    distinct, place = unique_words(words)
    return distinct, np.bincount(place)


def unique_words(words: Words) -> tuple[Words, IntArray]:
    """Return the distinct rows in order, and each row's place among them."""
    if words.shape[1] == 1:
        return _unique_numbers(words[:, 0])
    order = np.lexsort(words.T[::-1])
    ordered = words[order]
    new = np.ones(len(words), dtype=np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(words), dtype=np.intp)
    place[order] = np.cumsum(new) - 1
    return ordered[new], place


def _unique_numbers(numbers: Words) -> tuple[Words, IntArray]:
    """As :func:`unique_words`, of rows of one word.

    Where few bits are used, as many places are laid out as there may be patterns: that takes a
    tenth of the time of sorting.
    """
    used = int(np.bitwise_or.reduce(numbers))
    shift = np.uint64(max((used & -used).bit_length() - 1, 0))
    n_places = (used >> int(shift)) + 1
    if n_places > _MOST_PLACES * len(numbers):
        values, place = np.unique(numbers, return_inverse=True)
        return values[:, np.newaxis], place
    at = (numbers >> shift).astype(np.intp)
    occurs = np.zeros(n_places, dtype=np.bool_)
    occurs[at] = True
    distinct = np.flatnonzero(occurs).astype(np.uint64) << shift
    return distinct[:, np.newaxis], (np.cumsum(occurs) - 1)[at]


def records_of(
    words: Words, table: Table, classes: AnyArray | None
) -> tuple[Bits, AnyArray | None]:
    """Return patterns as attributes and classes again."""
    n_bits = table.bits.shape[1]
    packed = np.ascontiguousarray(words).astype(">u8").view(np.uint8)
    rows = np.unpackbits(packed, axis=1).astype(np.int8)
    bits = np.ascontiguousarray(rows[:, :n_bits])
    if table.class_type is not None:
        return np.ascontiguousarray(bits[:, :-1]), bits[:, -1].astype(table.class_type)
    if classes is None:
        return bits, None
    width = _bits_for(classes)
    code = rows[:, n_bits : n_bits + width] @ (1 << np.arange(width)[::-1])
    return bits, classes[code]
