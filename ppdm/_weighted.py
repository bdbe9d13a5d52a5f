"""Survey weights, clusters and strata: how far a sum of scores is off that were not drawn singly.

A person's score tells how much an estimate moves with her. Scores of one cluster are added up
first, since its people are alike, and what is left of each sum's distance from the mean of its
stratum is the spread (the linearised variance, Binder 1983).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from ppdm import _validation as check
from ppdm.typing import BoolArray, FloatArray, IntArray


class Design(NamedTuple):
    """How people were drawn: what each counts, and who was drawn together."""

    weights: FloatArray
    """Of each person, (n,); their mean is one, since only ratios count."""
    clusters: IntArray | None
    """The cluster of each, (n,); None where each is drawn by herself."""
    strata: IntArray | None
    """The stratum of each, (n,); None where there is one."""
    degrees: float
    """Clusters less strata, for Student's t; infinite without clusters."""
    simple: bool
    """Whether all count the same and were drawn singly."""


class Answers(NamedTuple):
    """What some people released, and how they were drawn."""

    reports: Any
    y: Any = None
    sample_weight: Any = None
    clusters: Any = None
    strata: Any = None

    @property
    def drawn_simply(self) -> bool:
        """Whether all count the same and were drawn singly."""
        return self.sample_weight is None and self.clusters is None and self.strata is None

    def of(self, rows: BoolArray) -> Answers:
        """Return the same of some people only."""
        return Answers(*(
            each if each is None else (each if check.is_frame(each) else np.asarray(each))[rows]
            for each in self))  # fmt: skip

    def design(self, rows: BoolArray) -> Design:
        """Return how those who answered were drawn."""
        some = Answers(np.zeros(len(rows)), *self[1:])
        if not rows.all():
            some = some.of(rows)
        return read_design(int(rows.sum()), some.sample_weight, some.clusters, some.strata)


def answers_of(reports: Any, y: Any, sample_weight: Any, clusters: Any, strata: Any) -> Answers:
    """Return what people released and how they were drawn, each of one length."""
    n = len(np.atleast_1d(check.plain(reports, "reports")))
    check.demand(n, "reports must not be empty", n)
    if y is not None:
        check.of_shape(check.plain(y, "y"), (n,), f"y must have a class for each of {n} reports")
    if sample_weight is not None:
        check.weights(sample_weight, n)
    for name, labels in (("clusters", clusters), ("strata", strata)):
        if labels is not None:
            check.class_values(labels, name, n)
    return Answers(reports, y, sample_weight, clusters, strata)


class WeightedMean(NamedTuple):
    """The mean of weighted scores, and how many reports say as much about it."""

    mean: float
    error: float
    n: float
    """Of a simple sample with the same standard error: what the score interval takes for n."""


def groups_of(by: Any, n: int) -> dict[Any, BoolArray]:
    """Return which of n people each group has, by its label; of several columns by a tuple.

    A missing label is None: these people are a group, too.
    """
    table = check.plain(by, "by")
    columns = table[:, np.newaxis] if table.ndim == 1 else table
    rule = f"by must have a label for each of {n} reports, or a row of labels"
    check.of_shape(columns, (n, None), rule)
    codes, known = np.full(columns.shape, -1), list[list[Any]]()
    for j, column in enumerate(columns.T):
        there = ~check.missing_values(column)
        labels = check.class_values(column[there], "by")
        values, codes[there, j] = check.encode_classes(labels)
        known.append([*values.tolist(), None])  # -1 is the last
    rows, group = np.unique(codes, axis=0, return_inverse=True)
    found = [tuple(each[c] for each, c in zip(known, row, strict=True)) for row in rows.tolist()]
    names = found if table.ndim == 2 else [name for (name,) in found]
    return {name: group.reshape(-1) == g for g, name in enumerate(names)}


def read_design(
    n: int, sample_weight: ArrayLike | None, clusters: ArrayLike | None, strata: ArrayLike | None
) -> Design:
    """Return the design of ``n`` people; who weighs nothing stays, with a weight of zero."""
    weights = np.ones(n) if sample_weight is None else check.weights(sample_weight, n)
    check.refuse(weights < 0, weights, "sample_weight must not be negative")
    total = weights.sum()
    check.demand(total > 0, "sample_weight must hold a weight above zero: Zero weights only", total)
    simple = sample_weight is None and clusters is None and strata is None
    group, stratum = (_numbered(each, name, n) for each, name in (
        (clusters, "clusters"), (strata, "strata")))  # fmt: skip
    counted = weights > 0
    degrees = np.inf
    if group is not None:
        degrees = float(_sizes(group[counted], None if stratum is None else stratum[counted]))
    return Design(weights * (counted.sum() / total), group, stratum, degrees, simple)


def _numbered(labels: ArrayLike | None, name: str, n: int) -> IntArray | None:
    if labels is None:
        return None
    return np.asarray(check.encode_classes(check.class_values(labels, name, n))[1], dtype=np.intp)


def _sizes(group: IntArray, stratum: IntArray | None) -> int:
    """Return clusters less strata; refuse a cluster of two strata, and a stratum of one cluster."""
    of = np.zeros_like(group) if stratum is None else stratum
    pairs = np.unique(np.stack([group, of]), axis=1)
    twice = pairs.shape[1] - np.unique(pairs[0]).size
    check.demand(not twice, "clusters must each lie in one of the strata, numbered anew in each",
                 f"{twice} that do not")  # fmt: skip
    fewest = int(np.unique(pairs[1], return_counts=True)[1].min())
    rule = "clusters must be two or more, in each of the strata, or nothing tells how they differ"
    check.demand(fewest > 1, rule, fewest)
    return int(pairs.shape[1] - np.unique(pairs[1]).size)


def spread(scores: FloatArray, design: Design) -> FloatArray:
    """Return the variance (p, p) of the sum of scores (n, p), each times its weight before.

    Of each stratum h the m_h sums of clusters less their mean, squared, times m_h / (m_h - 1).
    Who weighs nothing is no cluster.
    """
    scores = scores[design.weights > 0]
    group, stratum = (
        None if each is None else each[design.weights > 0]
        for each in (design.clusters, design.strata)
    )
    if group is not None:
        _, first, group = np.unique(group, return_index=True, return_inverse=True)
        scores = _added(scores, group)
        stratum = None if stratum is None else stratum[first]
    if stratum is None:
        stratum = np.zeros(len(scores), dtype=np.intp)
    stratum = np.unique(stratum, return_inverse=True)[1]
    m = np.bincount(stratum).astype(np.float64)
    check.demand(m.min() > 1, "strata must hold two people or clusters each", int(m.min()))
    apart = scores - (_added(scores, stratum) / m[:, np.newaxis])[stratum]
    return np.asarray((apart * (m / (m - 1))[stratum, np.newaxis]).T @ apart)


def _added(scores: FloatArray, group: IntArray) -> FloatArray:
    """Return the sum of scores (n, p) of each group."""
    n = len(group)
    ones = csr_array((np.ones(n), (group, np.arange(n))), shape=(int(group.max()) + 1, n))
    return np.asarray(ones @ scores)


def weighted_mean(scores: FloatArray, design: Design) -> WeightedMean:
    """Return the weighted mean of scores (n,), its linearised error and its effective n.

    The effective n is the variance of one report's score over that of the mean, and one more, for
    the n - 1 of a simple sample.
    """
    share = design.weights / design.weights.sum()
    mean = float(share @ scores)
    off = scores - mean
    variance = float(spread((share * off)[:, np.newaxis], design)[0, 0])
    one = float(share @ off**2)
    n = one / variance + 1 if variance > 0 else float((design.weights > 0).sum())
    return WeightedMean(mean, float(np.sqrt(variance)), n)
