"""What weights mean: repetitions to a learner; of a survey's people how each was drawn.

With survey weights, clusters and strata a sum of scores is off by more than if all had been drawn
singly.

A person's score tells how much an estimate moves with her. Scores of one cluster are added up
first, since its people are alike, and what is left of each sum's distance from the mean of its
stratum is the spread (the linearised variance, Binder 1983). A group is a part of the sample, and
no sample of its own: a cluster without anybody of it has a sum of zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ppdm import _validation as check
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray

T = TypeVar("T")
#: A sum of weights up to so many records is zero.
_NOTHING = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """How people were drawn: what each counts, and who was drawn together.

    A unit is a cluster, or a person where each was drawn by herself. Whoever is looked at, the
    design keeps its units: who is in no group, answered nothing or weighs nothing adds zero.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Of each person, one at most; only ratios count.
    unit, stratum : ndarray of int, shape (n,), or None
        Those of each person; None where each is a unit, and where all are one stratum.
    sizes : ndarray of int, shape (H,)
        How many units of the whole design each stratum has.
    simple : bool
        Whether all count the same and were drawn singly. Then nothing here is of a million people's
        length, which would take twenty times as long as to count their reports.
    """

    weights: FloatArray
    unit: IntArray | None
    stratum: IntArray | None
    sizes: IntArray
    simple: bool

    def of(self, rows: BoolArray | None) -> Sample:
        """Return some of the people, all where None."""
        if rows is None:
            return self
        if self.simple:
            return replace(self, weights=np.broadcast_to(1.0, int(np.count_nonzero(rows))))
        unit, stratum = (None if one is None else one[rows] for one in (self.unit, self.stratum))
        return replace(self, weights=self.weights[rows], unit=unit, stratum=stratum)

    @cached_property
    def counted(self) -> BoolArray:
        """Who weighs more than nothing, (n,)."""
        return self.weights > 0

    @property
    def n(self) -> int:
        """How many weigh more than nothing."""
        return self.weights.size if self.simple else int(self.counted.sum())

    @cached_property
    def shares(self) -> FloatArray:
        """What each counts of all, (n,); NaN where all weigh nothing."""
        return np.asarray(self.weights / (self.weights[self.counted].sum() or np.nan))

    @property
    def degrees(self) -> float:
        """Own clusters less their strata, for Student's t; infinite without clusters."""
        return np.inf if self.unit is None else float(self._units[1].size - self._units[2].size)

    def spread(self, scores: FloatArray) -> FloatArray:
        """Return the variance (p, p) of the sum of scores (n, p), each times its weight before.

        Of each stratum h the sums of its m_h units less their mean, squared, times m_h / (m_h - 1).
        Units without anybody here who weighs something have a sum of zero, as in R's survey
        package. That is too little where only c of all M units of these strata have anybody, so
        here, and not in R, it is multiplied by c (M - 1) / ((c - 1) M). The factor is one for a
        whole sample and for whole strata, and tends to one as a group grows; without strata the
        variance is that of the c units alone. NaN where there are no more units than strata.
        """
        group, stratum, m = self._units
        sums = _added(scores[self.counted], group)
        mean = _added(sums, stratum) / m
        apart, n_empty = sums - mean[stratum], m - np.bincount(stratum)[:, np.newaxis]
        times = self._times(m)
        of_empty = (mean * times * n_empty).T @ mean
        return np.asarray((apart * times[stratum]).T @ apart + of_empty)

    def _times(self, m: IntArray) -> FloatArray:
        """Return the factor of each stratum of so many units, (h, 1); NaN if they tell nothing."""
        c, M = self._units[1].size, m.sum()
        if c <= m.size:
            return np.full(m.shape, np.nan)
        return np.asarray(c * (M - 1) / ((c - 1) * M) * m / np.maximum(m - 1, 1))

    @cached_property
    def _units(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return each counted person's unit, its stratum, and the size of each stratum, (h, 1)."""
        own = self.of(self.counted)
        each = np.arange(own.weights.size)
        unit = each if own.unit is None else own.unit
        stratum = np.zeros_like(each) if own.stratum is None else own.stratum
        _, first, group = np.unique(unit, return_index=True, return_inverse=True)
        seen, stratum = np.unique(stratum[first], return_inverse=True)
        return group, stratum, self.sizes[seen, np.newaxis]


def weighted_mean(scores: FloatArray, sample: Sample) -> tuple[float, float, float]:
    """Return the weighted mean of scores (n,), its linearised error and its effective n.

    So many people in a simple sample have the same error. It is the variance of one report's score
    over that of the mean, and one more, for the n - 1 of a simple sample. NaN of nobody.
    """
    if not sample.n:
        return np.nan, np.nan, np.nan
    share = sample.shares
    mean = float(share @ scores)
    off = scores - mean
    variance = float(sample.spread((share * off)[:, np.newaxis])[0, 0])
    one = float(share @ off**2)
    n = one / variance + 1 if variance > 0 else float(sample.n)
    return mean, float(np.sqrt(variance)), n


def weighted_means(
    sums: Callable[[Any, FloatArray | None], tuple[FloatArray, FloatArray]], sample: Sample
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Do the same for k scores a person, which may be too many for a table, (k,) each.

    ``sums(rows, weight)`` are the sums over some people of their scores, each times its weight, and
    of their squares; of all people, each weighing one, where both are None.
    """
    if sample.simple:
        n = sample.n
        mean, square = (total / n for total in sums(None, None))
        variance = (square - mean**2) / (n - 1) if n > 1 else np.full(mean.size, np.nan)
        return mean, np.sqrt(np.maximum(variance, 0)), np.full(mean.size, float(n))
    rows, share = np.flatnonzero(sample.counted), sample.shares[sample.counted]
    unit, stratum, m = sample._units
    mean, square = sums(rows, share)
    times = sample._times(m)[:, 0]
    of_unit = times[stratum]
    if sample.unit is not None:
        members = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
        off = np.zeros(mean.size)
        for own, t in zip(members, of_unit, strict=True):
            off += t * (sums(rows[own], share[own])[0] - share[own].sum() * mean) ** 2
    else:  # of one person the square of the sum is the sum of the square
        weight = of_unit[unit] * share**2
        first, second = sums(rows, weight)
        off = second - 2 * mean * first + mean**2 * weight.sum()
    for h, t in enumerate(times if times.size > 1 else []):  # of one the sum is zero
        own = np.flatnonzero(stratum[unit] == h)
        off -= t / m[h] * (sums(rows[own], share[own])[0] - share[own].sum() * mean) ** 2
    variance = np.maximum(off, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.where(variance > 0, (square - mean**2) / variance + 1, float(rows.size))
    return mean, np.sqrt(variance), alike


def read_sample(
    n: int, sample_weight: ArrayLike | None, clusters: ArrayLike | None, strata: ArrayLike | None
) -> Sample:
    """Return how ``n`` people were drawn; who weighs nothing stays, with a weight of zero."""
    weights: FloatArray = np.broadcast_to(1.0, n)
    if sample_weight is not None:
        weights = check.weights(sample_weight, n)
        check.refuse(weights < 0, weights, "sample_weight must not be negative")
        rule = "sample_weight must hold a weight above zero: Zero weights only"
        check.demand(weights.any(), rule, 0.0)
        weights = weights / weights.max()
    unit = stratum = None
    sizes = np.array([n])
    if clusters is not None:
        unit = check.encode_classes(check.class_values(clusters, "clusters", n))[1]
        sizes = unit.max(keepdims=True) + 1
    if strata is not None:
        stratum = check.encode_classes(check.class_values(strata, "strata", n))[1]
        of_unit = stratum if unit is None else stratum[np.unique(unit, return_index=True)[1]]
        twice = 0 if unit is None else np.count_nonzero(of_unit[unit] != stratum)
        rule = "clusters must each lie in one of the strata, numbered anew in each"
        check.demand(not twice, rule, f"{twice} people elsewhere")
        sizes = np.bincount(of_unit)
    if not clusters is strata is None:
        fewest = int(sizes.min() if stratum is None else sizes[stratum[weights > 0]].min())
        rule = "clusters and strata must leave two people or clusters in each stratum, or nothing "
        rule += "tells how they differ (join a stratum that has one to another stratum)"
        check.demand(fewest > 1, rule, fewest)
    simple = sample_weight is clusters is strata is None
    return Sample(weights=weights, unit=unit, stratum=stratum, sizes=sizes, simple=simple)


def by_group(
    estimate: Callable[[BoolArray | None, Sample], T], reports: Any, scheme: Any, by: Any,
    **drawn: Any,
) -> dict[Any, T]:
    """Return an estimate for all people, with None for their rows, and one for each group.

    ``drawn`` is what :func:`read_sample` takes.
    """
    n = len(np.atleast_1d(check.plain(reports, "reports")))
    check.demand(n, "reports must not be empty", n)
    check.in_step(reports=reports, by=by, **drawn)
    labels = None if by is None else _labels(by, n)
    check.not_reported(scheme, labels, reports)
    sample = read_sample(n, **drawn)
    groups = {} if labels is None else _groups(labels)
    rule = "by must not have a group called 'all', which is the total's key (rename it)"
    check.demand("all" not in groups, rule, "all")
    total: dict[Any, BoolArray | None] = {"all": None}
    return {name: estimate(rows, sample.of(rows)) for name, rows in (total | groups).items()}


def _labels(by: Any, n: int) -> AnyArray:
    """Return the labels of n people as they were given, (n,) or (n, k); None for a missing one."""
    # as objects: a frame's whole numbers would be floats beside a gap or beside another type
    table = check.labelled(by.astype(object) if check.is_frame(by) else by, "by")
    rule = "by must be the labels themselves (of a frame a column, df['ward']), and not a name"
    check.demand(table.ndim, rule, by, TypeError)
    check.of_shape(table, "by", (n, None)[: table.ndim], "labels for each of the reports")
    if table.dtype.kind in "mM":  # NumPy's own dates and times would be numbers
        table = table.astype(f"{table.dtype.kind}8[us]")
    labels = table.astype(object)
    labels[check.missing_values(labels)] = None
    return labels


def _groups(labels: AnyArray) -> dict[Any, BoolArray]:
    """Return which people each group has, by its label; of several columns by a tuple.

    Labels are texts, whole numbers, or of another type that has an order: dates, intervals.
    Those without one are a group, too, the first.
    """
    several = labels.ndim == 2
    for column in labels.T if several else [labels]:
        known = [label for label in column.tolist() if label is not None]
        kinds = set(map(type, known))
        if len(kinds) > 1 or kinds == {float}:
            kind = np.float64 if kinds == {float} else object
            check.class_values(np.array(known, dtype=kind), "by")
    rows = [tuple(row) if several else (row,) for row in labels.tolist()]
    with check.naming("by", "labels that have an order"):
        names = sorted(set(rows), key=lambda row: [(label is not None, label) for label in row])
    number = {row: g for g, row in enumerate(names)}
    group = np.array([number[row] for row in rows])
    return {row if several else row[0]: group == g for g, row in enumerate(names)}


def with_stand_ins(X: Any, sample_weight: ArrayLike | None) -> Any:
    """Return covariates (n, d); who weighs nothing has somebody's who does: hers may be missing."""
    if X is None or sample_weight is None:
        return X
    table, idle = check.plain(X, "X"), check.plain(sample_weight, "sample_weight") == 0
    if table.shape[:1] != np.shape(idle) or not idle.any() or idle.all():  # fit says what is wrong
        return X
    rows = np.where(idle, np.argmin(idle), np.arange(idle.size))
    return X.iloc[rows] if check.is_frame(X) else table[rows]


def _added(scores: FloatArray, group: IntArray) -> FloatArray:
    """Return the sum of scores (n, p) of each group."""
    return np.stack([np.bincount(group, column) for column in scores.T], axis=1)


def public_classes(classes: ArrayLike) -> AnyArray:
    """Return the classes that are given, ascending."""
    known = np.unique(check.class_values(classes, "classes"))
    check.demand(known.size, "classes must have a class at least", classes)
    return known


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
