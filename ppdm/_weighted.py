"""What weights mean: repetitions to a learner; of a survey's people how each was drawn.

With survey weights, clusters and strata a sum of scores is off by more than if all had been drawn
singly.

A person's score tells how much an estimate moves with her. Scores of one cluster are added up
first, since its people are alike, and what is left of each sum's distance from the mean of its
stratum is the spread (the linearised variance, Binder 1983).
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
#: A sum of weights up to so many records is zero.
_NOTHING = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """How people were drawn: what each counts, and who was drawn together."""

    weights: FloatArray
    """Of each person, (n,), one at most; only ratios count."""
    clusters: IntArray | None
    """The cluster of each, (n,); None where each is drawn by herself."""
    strata: IntArray | None
    """The stratum of each, (n,); None where there is one."""
    simple: bool
    """Whether all count the same and were drawn singly."""

    def of(self, rows: BoolArray | None) -> Sample:
        """Return some of the people, all where None."""
        if rows is None:
            return self
        clusters, strata = some(self.clusters, rows), some(self.strata, rows)
        return replace(self, weights=self.weights[rows], clusters=clusters, strata=strata)

    @cached_property
    def counted(self) -> BoolArray:
        """Who weighs more than nothing, (n,)."""
        counted = self.weights > 0
        rule = "sample_weight must hold a weight above zero: Zero weights only"
        check.demand(counted.any(), rule, 0.0)
        return counted

    @cached_property
    def shares(self) -> FloatArray:
        """What each counts of all, (n,)."""
        return np.asarray(self.weights / self.weights[self.counted].sum())

    @property
    def degrees(self) -> float:
        """Clusters less strata, for Student's t; infinite without clusters."""
        if self.clusters is None:
            return np.inf
        stratum = self._units[1]
        return float(stratum.size - np.unique(stratum).size)

    def spread(self, scores: FloatArray) -> FloatArray:
        """Return the variance (p, p) of the sum of scores (n, p), each times its weight before.

        Of each stratum h the m_h sums of clusters less their mean, squared, times m_h / (m_h - 1).
        Who weighs nothing is no cluster.
        """
        group, stratum = self._units
        sums, m = _added(scores[self.counted], group), np.bincount(stratum)[:, np.newaxis]
        apart = sums - (_added(sums, stratum) / m)[stratum]
        return np.asarray((apart * (m / (m - 1))[stratum]).T @ apart)

    @cached_property
    def _units(self) -> tuple[IntArray, IntArray]:
        """Return the number of each counted person's cluster, and of each cluster's stratum."""
        counted = np.flatnonzero(self.counted)
        clusters = np.arange(counted.size) if self.clusters is None else self.clusters[counted]
        strata = np.zeros_like(counted) if self.strata is None else self.strata[counted]
        _, first, group = np.unique(clusters, return_index=True, return_inverse=True)
        stratum = np.unique(strata, return_inverse=True)[1]
        twice = np.count_nonzero(stratum != stratum[first][group])
        rule = "clusters must each lie in one of the strata, numbered anew in each"
        check.demand(not twice, rule, f"{twice} people elsewhere")
        fewest = int(np.bincount(stratum[first]).min())
        rule = "clusters and strata must leave two people or clusters in each stratum, or nothing "
        check.demand(fewest > 1, f"{rule}tells how they differ", fewest)
        return group, stratum[first]


def weighted_mean(scores: FloatArray, sample: Sample) -> tuple[float, float, float]:
    """Return the weighted mean of scores (n,), its linearised error and its effective n.

    So many people in a simple sample have the same error. It is the variance of one report's score
    over that of the mean, and one more, for the n - 1 of a simple sample.
    """
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
        weights = weights / max(weights.max(initial=0), np.finfo(np.float64).tiny)
    cluster, stratum = (
        labels if labels is None else check.encode_classes(check.class_values(labels, name, n))[1]
        for name, labels in (("clusters", clusters), ("strata", strata))
    )
    simple = sample_weight is clusters is strata is None
    return Sample(weights=weights, clusters=cluster, strata=stratum, simple=simple)


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
    check.not_reported(scheme, by, reports)
    sample = read_sample(n, **drawn)
    groups = {} if by is None else _groups(by, n)
    rule = "by must not have a group called 'all', which is the total's key (rename it)"
    check.demand("all" not in groups, rule, "all")
    total: dict[Any, BoolArray | None] = {"all": None}
    return {name: estimate(rows, sample.of(rows)) for name, rows in (total | groups).items()}


def _groups(by: Any, n: int) -> dict[Any, BoolArray]:
    """Return which of n people each group has, by its label; of several columns by a tuple.

    A missing label is None: these people are a group, too.
    """
    rule = "by must be the labels themselves (of a frame a column, df['ward']), and not a name"
    table = check.plain(by, "by")
    check.demand(table.ndim, rule, by, TypeError)
    columns = table[:, np.newaxis] if table.ndim == 1 else table
    rule = f"by must have a label for each of {n} reports, or a row of labels"
    check.of_shape(columns, (n, None), rule)
    codes, known = np.full(columns.shape, -1), list[list[Any]]()
    for j, column in enumerate(columns.T):
        there = ~check.missing_values(column)
        values, codes[there, j] = check.encode_classes(check.class_values(column[there], "by"))
        known.append([*values.tolist(), None])  # -1 is the last
    rows, group = np.unique(codes, axis=0, return_inverse=True)
    found = [tuple(each[c] for each, c in zip(known, row, strict=True)) for row in rows.tolist()]
    names = found if table.ndim == 2 else [name for (name,) in found]
    return {name: group.reshape(-1) == g for g, name in enumerate(names)}


def some(values: Any, rows: BoolArray | None) -> Any:
    """Return some rows of what has one for each person, all where None."""
    if values is None or rows is None:
        return values
    return (values if check.is_frame(values) else np.asarray(values))[rows]


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
