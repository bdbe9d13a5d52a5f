"""The inverse of randomised response as signed records.

A report counts theta/(2 theta - 1) times as itself and -(1 - theta)/(2 theta - 1) times as its
opposite; with several groups the weights multiply, over all ways to reverse groups. Whatever a
learner sums over records it may sum over these, and gets an unbiased estimate of the sum over the
true ones. Read backwards the same weights turn a function of the true record into a score of the
report, whose mean is an unbiased estimate of the function's mean.

Inside the package: :func:`undo_records` and :func:`record_scores` take what ``read_reports`` has
checked.

Both walk over unique patterns only, group by group: fourteen bits with fourteen coins give at
most 2^14 records and not 2^14 for each report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ppdm import _validation as check
from ppdm.randomized_response._channel import RandomizedResponse, read_reports
from ppdm.randomized_response._coins import Table, Words, inverse_weights, pack
from ppdm.typing import AnyArray, ArrayLike, Bits, FloatArray, IntArray

#: No more signed records than this are made: 4 million, a few hundred megabytes.
MAX_RECORDS = 1 << 22

#: Patterns are laid out in a table of up to this many places a record, sorted beyond.
_MOST_PLACES = 4



#: Rounding may move a sum of weights by this share of the number of records and no further.
MAX_ROUNDING = 1e-4


@dataclass(frozen=True, eq=False, kw_only=True)
class SignedRecords:
    """Weighted records that stand for the true ones in every sum.

    Attributes
    ----------
    X : ndarray of int8, shape (n_patterns, n_attributes)
        The attributes; no pattern occurs twice.
    y : ndarray of shape (n_patterns,) or None
        The classes; None where none were given.
    weight : ndarray of shape (n_patterns,)
        The signed weights; they add up to the number of disguised records.
    """

    X: Bits
    y: AnyArray | None
    weight: FloatArray


def signed_records(
    reports: ArrayLike, scheme: RandomizedResponse, *, y: ArrayLike | None = None
) -> SignedRecords:
    """Undo randomised response: records with signed weights, for any learner that counts.

    The total weight of the records with a property is an unbiased estimate of the number of true
    records with it: the inverse of the channel, a Kronecker product over groups, in closed form.

    Parameters
    ----------
    reports : array-like of shape (n, n_attributes)
        The disguised bits.
    scheme : RandomizedResponse
        The coins that disguised them.
    y : array-like of shape (n,), default=None
        The classes as they were released; needed where the scheme disguises the class.

    Returns
    -------
    SignedRecords
        ``X``, ``y``, ``weight``, in the lexicographic order of the patterns.

    Raises
    ------
    ValueError, TypeError
        As :func:`estimate_proportion`, and where the inverse has more than 4 million patterns,
        which takes many groups over many bits, or where theta is so near 1/2 for so many groups
        that rounding could reach the fourth digit: count those per expression.

    References
    ----------
    DZ03, Eq. 3; ZCM04, Eqs. 2 and 4, solved.

    Examples
    --------
    >>> from ppdm.randomized_response import RandomizedResponse, signed_records
    >>> reports = [[1, 1], [1, 1], [0, 0], [0, 1]]
    >>> records = signed_records(reports, RandomizedResponse(theta=0.75))
    >>> for bits, weight in zip(records.X, records.weight, strict=True):
    ...     print(bits, weight)
    [0 0] 0.5
    [0 1] 1.5
    [1 0] -0.5
    [1 1] 2.5
    """
    return undo_records(*read_reports(reports, scheme, y))


def undo_records(table: Table, theta: float, weight: FloatArray | None = None) -> SignedRecords:
    """Return the signed records of reports that were read, each with a weight or one."""
    found = spread(table, theta)
    weights = np.bincount(found.start, weight).astype(np.float64)
    for step in found.steps:
        shares = np.outer(found.weights, weights).ravel()
        weights = np.asarray(np.bincount(step.ravel(), shares), dtype=np.float64)
    return SignedRecords(X=found.X, y=found.y, weight=weights)


def _check_digits(theta: float, n_groups: int) -> None:
    """Refuse where rounding could move a sum of weights by more than ``MAX_ROUNDING``.

    The weights of one group have the absolute sum 1/|2 theta - 1|. Undoing the group so
    multiplies the absolute sum of all weights by that at most, and rounds each of them six
    times, by half an epsilon: three times in the group's weights, in a product, in a sum, and
    once more when a user sums them. Undoing all groups, and from the number of records on,
    these are 3 n_groups epsilon / |2 theta - 1|^n_groups.
    """
    digits = -n_groups * np.log10(abs(2.0 * theta - 1.0))
    if np.log10(3 * n_groups * np.finfo(np.float64).eps) + digits > np.log10(MAX_ROUNDING):
        raise ValueError(
            f"theta = {theta:g} is too near 1/2 for {n_groups} groups: weights of up to "
            f"|2 theta - 1|^-{n_groups} = 1e{digits:.0f} records each cancel in every sum, and "
            "a float has 16 digits. Use fewer groups, another theta, or estimate_proportion "
            "for one expression at a time"
        )


def record_scores(
    function: Callable[[Bits, AnyArray | None], ArrayLike], table: Table, theta: float
) -> FloatArray:
    """Give each report a score whose expected value is a function of the true record.

    The expected value is over the provider's coins. So the mean score is an unbiased
    estimate of the function's mean over the true records, and the scores' spread gives its
    standard error.

    Parameters
    ----------
    function : callable
        Called once, with attributes of shape (m, n_attributes) and classes of shape (m,) (or
        None, where the table has none); returns m numbers.
    table, theta :
        Of ``read_reports``.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    Which share of the true records has two equal bits? No conjunction says that:

    >>> reports = np.array([[1, 1], [1, 0], [0, 0], [1, 1]])
    >>> table, theta = read_reports(reports, RandomizedResponse(0.8, groups=[[0], [1]]))
    >>> equal = record_scores(lambda X, y: X[:, 0] == X[:, 1], table, theta)
    >>> round(float(equal.mean()), 3)
    1.194
    """
    found = spread(table, theta)
    values = np.asarray(function(found.X, found.y), dtype=np.float64)
    for step in reversed(found.steps):
        values = found.weights @ values[step]
    return values[found.start]


class Spread(NamedTuple):
    """The patterns that undoing the groups leads to, one after the other, and the way there."""

    X: Bits
    y: AnyArray | None
    start: IntArray  # (n_records,): each report's pattern before the first step
    steps: list[IntArray]  # (n_ways, n_patterns before): where a pattern goes, kept and reversed
    weights: FloatArray  # (n_ways,): two, but one at theta 0 and 1


def spread(table: Table, theta: float) -> Spread:
    """Undo one group after the other, on distinct patterns."""
    _check_digits(theta, len(table.groups))
    weights = inverse_weights(theta)
    reports, classes = words_of(table)
    words, start = unique_words(reports)
    ways, steps = np.flatnonzero(weights), []
    for mask in masks(table, reports.shape[1]):
        reached = np.concatenate([words ^ mask * np.uint64(way) for way in ways])
        words, target = unique_words(reached)
        rule = f"groups must give at most {MAX_RECORDS} signed records: take fewer, or estimate "
        rule += "single expressions with estimate_proportion"
        check.demand(len(words) <= MAX_RECORDS, rule, len(words))
        steps.append(target.reshape(ways.size, -1))
    X, y = records_of(words, table, classes)
    return Spread(X, y, start, steps, weights[ways])


def words_of(table: Table) -> tuple[Words, AnyArray | None]:
    """Return each record as words of 64 bits, and the classes.

    One number stands for a record of up to 64 bits: an exclusive or reverses a group, and
    sorting numbers takes a thirtieth of the time of sorting rows. A public class is the
    number of the class, in as many bits as that takes, at the end.
    """
    if table.y is None:
        return pack(table.bits), None
    classes, code = check.encode_classes(table.y)
    shifts = np.arange(_bits_for(classes))[::-1]
    class_bits = (code[:, np.newaxis] >> shifts & 1).astype(np.int8)
    return pack(np.column_stack([table.bits, class_bits])), classes


def _bits_for(classes: AnyArray) -> int:
    return int(classes.size - 1).bit_length()


def masks(table: Table, n_words: int) -> list[Words]:
    """Return the words that reverse each group; a public class is never reversed."""
    members = np.zeros((len(table.groups), n_words * 64), dtype=np.int8)
    for row, group in zip(members, table.groups, strict=True):
        row[group] = 1
    return list(pack(members))


def unique_words(words: Words) -> tuple[Words, IntArray]:
    """Return the distinct rows in order, and each row's place among them."""
    if words.shape[1] == 1:
        return _unique_numbers(words[:, 0])
    values, place = np.unique(words, axis=0, return_inverse=True)
    return values, place.reshape(-1)


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
