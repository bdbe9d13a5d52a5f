"""Survey weights, clusters and strata: how far a sum of scores is off that were not drawn singly.

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
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """How people were drawn: what each counts, and who was drawn together.

    A unit is a cluster, or a person where each was drawn by herself. Whoever is looked at, the
    design keeps its units: who is in no group, answered nothing or weighs nothing adds zero.
    """

    weights: FloatArray
    """Of each person, (n,), one at most; only ratios count."""
    unit: IntArray
    """The unit of each person, (n,)."""
    stratum: IntArray
    """The stratum of each unit of the whole design, (U,)."""
    clustered: bool
    """Whether the units are clusters."""
    simple: bool
    """Whether all count the same and were drawn singly."""

    def of(self, rows: BoolArray | None) -> Sample:
        """Return some of the people, all where None."""
        if rows is None:
            return self
        return replace(self, weights=self.weights[rows], unit=self.unit[rows])

    @property
    def counted(self) -> BoolArray:
        """Who weighs more than nothing, (n,)."""
        return self.weights > 0

    @cached_property
    def shares(self) -> FloatArray:
        """What each counts of all, (n,); NaN where all weigh nothing."""
        return np.asarray(self.weights / (self.weights.sum() or np.nan))

    @cached_property
    def units(self) -> IntArray:
        """The units of who is looked at and weighs something, (c,)."""
        return np.unique(self.unit[self.counted])

    @cached_property
    def strata(self) -> IntArray:
        """Their strata, each once."""
        return np.unique(self.stratum[self.units])

    @property
    def degrees(self) -> float:
        """Their clusters less their strata, for Student's t; infinite without clusters."""
        return float(self.units.size - self.strata.size) if self.clustered else np.inf

    def spread(self, scores: FloatArray) -> FloatArray:
        """Return the variance (p, p) of the sum of scores (n, p), each times its weight before.

        Of each stratum h the sums of all its m_h units less their mean, squared, times
        m_h / (m_h - 1): the law for domains of R's survey package. Where few units have anybody
        that is too little, so that here, and not in R, it is multiplied by c (M - 1) / ((c - 1) M),
        c being the units with anybody who weighs something, and M all units of their strata. The
        factor is one for a whole sample and for whole strata, and tends to one in large groups;
        without strata it gives what the c units give alone. NaN where c is not more than the
        strata.
        """
        c, U, m = self.units.size, self.stratum.size, np.bincount(self.stratum)
        if c <= self.strata.size:
            return np.full((scores.shape[1],) * 2, np.nan)
        sums = _added(scores, self.unit, U)
        apart = sums - (_added(sums, self.stratum, m.size) / m[:, np.newaxis])[self.stratum]
        M = int(m[self.strata].sum())
        times = c * (M - 1) / ((c - 1) * M) * m / np.maximum(m - 1, 1)
        return np.asarray((apart * times[self.stratum, np.newaxis]).T @ apart)


def weighted_mean(scores: FloatArray, sample: Sample) -> tuple[float, float, float]:
    """Return the weighted mean of scores (n,), its linearised error and its effective n.

    So many people in a simple sample have the same error. It is the variance of one report's score
    over that of the mean, and one more, for the n - 1 of a simple sample. NaN of nobody.
    """
    if not sample.counted.any():
        return np.nan, np.nan, np.nan
    share = sample.shares
    mean = float(share @ scores)
    off = scores - mean
    variance = float(sample.spread((share * off)[:, np.newaxis])[0, 0])
    one = float(share @ off**2)
    n = one / variance + 1 if variance > 0 else float(sample.counted.sum())
    return mean, float(np.sqrt(variance)), n


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
    unit, label = (
        of_all if labels is None else check.encode_classes(check.class_values(labels, name, n))[1]
        for name, labels, of_all in (
            ("clusters", clusters, np.arange(n)),
            ("strata", strata, np.zeros(n, dtype=np.intp)),
        )
    )
    stratum = np.zeros(unit.max(initial=-1) + 1, dtype=np.intp)
    stratum[unit] = label
    twice = np.count_nonzero(stratum[unit] != label)
    rule = "clusters must each lie in one of the strata, numbered anew in each"
    check.demand(not twice, rule, f"{twice} people elsewhere")
    if not clusters is strata is None:
        fewest = int(np.bincount(stratum)[label[weights > 0]].min())
        rule = "clusters and strata must leave two people or clusters in each stratum, or nothing "
        rule += "tells how they differ (join a stratum that has one to another stratum)"
        check.demand(fewest > 1, rule, fewest)
    return Sample(
        weights=weights,
        unit=unit,
        stratum=stratum,
        clustered=clusters is not None,
        simple=sample_weight is clusters is strata is None,
    )


def by_group(
    estimate: Callable[[BoolArray | None, Sample], T],
    reports: Any,
    scheme: Any,
    by: Any,
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
    rule = f"by must have a label for each of {n} reports, or a row of labels"
    check.of_shape(table, (n, None)[: table.ndim], rule)
    if table.dtype.kind in "mM":  # NumPy's own dates and times would be numbers
        table = table.astype(f"{table.dtype.kind}8[us]")
    labels = table.astype(object)
    labels[check.missing_values(labels)] = None
    return labels


def _groups(labels: AnyArray) -> dict[Any, BoolArray]:
    """Return which people each group has, by its label; of several columns by a tuple.

    Those without a label are a group, too.
    """
    columns = labels.T if labels.ndim == 2 else [labels]
    codes, known = np.full((len(labels), len(columns)), -1), list[list[Any]]()
    for j, column in enumerate(columns):
        there = np.array([label is not None for label in column.tolist()])
        values, codes[there, j] = _encoded(column[there])
        known.append([*values, None])  # -1 is the last
    rows, group = np.unique(codes, axis=0, return_inverse=True)
    tuples = [tuple(each[c] for each, c in zip(known, row, strict=True)) for row in rows.tolist()]
    names = tuples if labels.ndim == 2 else [name for (name,) in tuples]
    return {name: group.reshape(-1) == g for g, name in enumerate(names)}


def _encoded(labels: AnyArray) -> tuple[list[Any], list[int]]:
    """Return the values of a column of labels in order, and the number of each label's.

    Texts and whole numbers, or others of one type that have an order: dates, intervals.
    """
    kinds = {type(label) for label in labels.tolist()}
    if kinds == {float}:
        labels = labels.astype(np.float64)
    if len(kinds) > 1 or kinds & {str, int, bool, float}:
        check.class_values(labels, "by")
    with check.naming("by", "labels that have an order"):
        values = sorted(set(labels.tolist()))
        number = {value: code for code, value in enumerate(values)}
        return values, [number[label] for label in labels.tolist()]


def some(values: Any, rows: BoolArray | None) -> Any:
    """Return some rows of what has one for each person, all where None."""
    if values is None or rows is None:
        return values
    return (values if check.is_frame(values) else np.asarray(values))[rows]


def with_stand_ins(X: Any, sample_weight: ArrayLike | None) -> Any:
    """Return covariates (n, d); who weighs nothing has somebody's who does: hers may be missing."""
    if X is None or sample_weight is None:
        return X
    table, idle = check.plain(X, "X"), check.plain(sample_weight, "sample_weight") == 0
    if table.shape[:1] != np.shape(idle) or not idle.any():  # what is wrong is said later
        return X
    rows = np.where(idle, np.argmin(idle), np.arange(idle.size))
    return X.iloc[rows] if check.is_frame(X) else table[rows]


def _added(scores: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return the sum of scores (n, p) of each group, (n_groups, p)."""
    return np.stack([np.bincount(group, column, n_groups) for column in scores.T], axis=1)
