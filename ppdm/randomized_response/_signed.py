"""The inverse of randomised response as signed records.

A report counts theta/(2 theta - 1) times as itself and -(1 - theta)/(2 theta - 1) times as its
opposite; with several groups the weights multiply, over all ways to reverse groups. Whatever a
learner sums over records it may sum over these, and gets an unbiased estimate of the sum over the
true ones. Read backwards the same weights turn a function of the true record into a score of the
report, whose mean is an unbiased estimate of the function's mean.

Both walk over unique patterns only, group by group: fourteen bits with fourteen coins give at
most 2^14 records and not 2^14 for each report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm import _validation as check
from ppdm._budget import known_theta, refuse_shared
from ppdm._types import AnyArray, Bits, ClassGroup, FloatArray, Groups, IntArray
from ppdm.randomized_response._groups import Table, inverse_weights, tabulate

#: No more signed records than this are made: 4 million, a few hundred megabytes.
MAX_RECORDS = 1 << 22

#: Rounding may move a sum of weights by this share of the number of records and no further.
MAX_ROUNDING = 1e-4

Words = NDArray[np.uint64]


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
    disguised: ArrayLike,
    theta: float | None = None,
    *,
    y: ArrayLike | None = None,
    groups: Groups = None,
    class_group: ClassGroup = None,
    epsilon: float | None = None,
) -> SignedRecords:
    """Undo randomised response: records with signed weights, for any learner that counts.

    The total weight of the records with a property is an unbiased estimate of the number of true
    records with it: the inverse of the channel, a Kronecker product over groups, in closed form.

    Parameters
    ----------
    disguised : array-like of shape (n, n_attributes)
        The disguised bits.
    theta : float in [0, 1], not 1/2, default=None
        The probability with which each provider told the truth, for each group; this or
        ``epsilon`` is given.
    y : array-like of shape (n,), default=None
        The disguised classes.
    groups, class_group : default=None
        Who shared a coin, as in :class:`RandomizedResponse`.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what each answer spent, as in :class:`RandomizedResponse`.

    Returns
    -------
    SignedRecords
        ``X``, ``y``, ``weight``, in the lexicographic order of the patterns.

    Raises
    ------
    ValueError
        As :func:`estimate_proportion`, and where the inverse has more than 4 million patterns,
        which takes many groups over many bits, or where theta is so near 1/2 for so many groups
        that rounding could reach the fourth digit: count those per expression.

    References
    ----------
    DZ03, Eq. 3; ZCM04, Eqs. 2 and 4, solved.

    Examples
    --------
    >>> records = signed_records([[1, 1], [1, 1], [0, 0], [0, 1]], theta=0.75)
    >>> for bits, weight in zip(records.X, records.weight, strict=True):
    ...     print(bits, weight)
    [0 0] 0.5
    [0 1] 1.5
    [1 0] -0.5
    [1 1] 2.5
    """
    theta = known_theta(theta, epsilon)
    weights = inverse_weights(theta)
    names = check.names_of(disguised)
    table = tabulate(check.bits(disguised, "disguised", ndim=2), y, groups, class_group, names)
    refuse_shared(epsilon, table.groups)
    _check_digits(theta, len(table.groups))
    reports, classes = _words(table)
    start, counts = _tally(reports)
    words, steps = _spread(start, _masks(table, reports.shape[1]), weights)
    weight = counts.astype(np.float64)
    for step in steps:
        shares = np.outer(step.weights, weight).ravel()
        weight = np.asarray(np.bincount(step.target.ravel(), shares), dtype=np.float64)
    X, labels = _records(words, table, y, classes)
    return SignedRecords(X=X, y=labels, weight=weight)


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
    function: Callable[[Bits, AnyArray | None], ArrayLike],
    disguised: ArrayLike,
    theta: float | None = None,
    *,
    y: ArrayLike | None = None,
    groups: Groups = None,
    class_group: ClassGroup = None,
    epsilon: float | None = None,
) -> FloatArray:
    """Give each report a score whose expected value is a function of the true record.

    The expected value is over the provider's coins. So the mean score is an unbiased
    estimate of the function's mean over the true records, and the scores' spread gives its
    standard error.

    Parameters
    ----------
    function : callable
        Called once, with attributes of shape (m, n_attributes) and classes of shape (m,) (or
        None, where no ``y`` is given); returns m numbers.
    disguised, theta, y, groups, class_group, epsilon :
        As for :func:`signed_records`.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        As :func:`signed_records`, and if the function returns another number of values.

    Examples
    --------
    Which share of the true records has two equal bits? No conjunction says that:

    >>> reports = [[1, 1], [1, 0], [0, 0], [1, 1]]
    >>> equal = record_scores(lambda X, y: X[:, 0] == X[:, 1], reports, 0.8, groups=[[0], [1]])
    >>> round(float(equal.mean()), 3)
    1.194
    """
    check.function(function, "function")
    theta = known_theta(theta, epsilon)
    weights = inverse_weights(theta)
    names = check.names_of(disguised)
    table = tabulate(check.bits(disguised, "disguised", ndim=2), y, groups, class_group, names)
    refuse_shared(epsilon, table.groups)
    _check_digits(theta, len(table.groups))
    reports, classes = _words(table)
    start, position = _unique(reports)
    words, steps = _spread(start, _masks(table, reports.shape[1]), weights)
    values = np.asarray(function(*_records(words, table, y, classes)), dtype=np.float64)
    if values.shape != (len(words),):
        raise ValueError(
            f"function must return one number a record, shape ({len(words)},), got {values.shape}"
        )
    for step in reversed(steps):
        values = step.weights @ values[step.target]
    return values[position]


class _Step(NamedTuple):
    """One group undone: where each pattern goes, kept and reversed, and with what weight."""

    weights: FloatArray  # (n_ways,): two, but one at theta 0 and 1
    target: IntArray  # (n_ways, n_patterns before)


def _spread(
    words: Words, masks: list[Words], weights: FloatArray
) -> tuple[Words, list[_Step]]:
    """Return the patterns that reversing groups leads to, and the way there."""
    ways = np.flatnonzero(weights)
    steps = []
    for mask in masks:
        reached = np.concatenate([words ^ mask * np.uint64(way) for way in ways])
        words, target = _unique(reached)
        if len(words) > MAX_RECORDS:
            raise ValueError(
                f"groups give more than {MAX_RECORDS} signed records: take fewer groups, or "
                "estimate single expressions with estimate_proportion"
            )
        steps.append(_Step(weights[ways], target.reshape(ways.size, -1)))
    return words, steps


def _words(table: Table) -> tuple[Words, AnyArray | None]:
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


def _masks(table: Table, n_words: int) -> list[Words]:
    """Return the words that reverse each group; a public class is never reversed."""
    members = np.zeros((len(table.groups), n_words * 64), dtype=np.int8)
    for row, group in zip(members, table.groups, strict=True):
        row[group] = 1
    return list(_pack(members))


def _tally(words: Words) -> tuple[Words, IntArray]:
    """Return the distinct rows in order, and how often each occurs."""
    if words.shape[1] == 1:  # sorting values alone is faster than ordering them
        values, counts = np.unique(words[:, 0], return_counts=True)
        return values[:, np.newaxis], counts
    distinct, place = _unique(words)
    return distinct, np.bincount(place)


def _unique(words: Words) -> tuple[Words, IntArray]:
    """Return the distinct rows in order, and each row's place among them."""
    if words.shape[1] == 1:
        values, place = np.unique(words[:, 0], return_inverse=True)
        return values[:, np.newaxis], place
    order = np.lexsort(words.T[::-1])
    ordered = words[order]
    new = np.ones(len(words), dtype=np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(words), dtype=np.intp)
    place[order] = np.cumsum(new) - 1
    return ordered[new], place


def _records(
    words: Words, table: Table, y: ArrayLike | None, classes: AnyArray | None
) -> tuple[Bits, AnyArray | None]:
    """Return patterns as attributes and classes again."""
    n_bits = table.bits.shape[1]
    packed = np.ascontiguousarray(words).astype(">u8").view(np.uint8)
    rows = np.unpackbits(packed, axis=1).astype(np.int8)
    bits = np.ascontiguousarray(rows[:, :n_bits])
    if y is None:
        return bits, None
    if classes is None:
        return np.ascontiguousarray(bits[:, :-1]), bits[:, -1].astype(np.asarray(y).dtype)
    width = _bits_for(classes)
    code = rows[:, n_bits : n_bits + width] @ (1 << np.arange(width)[::-1])
    return bits, classes[code]
