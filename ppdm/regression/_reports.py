"""From what was released to what a fit needs: how likely each truth makes each report.

Nothing behind this file knows a scheme. Another coin for each person, a channel for each question,
some asked by lot, an answer that is missing: all are only other rows of P[report | truth].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._opening import matrix_of, open_reports
from ppdm._weighted import numbers_of
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray


class Likelihoods(NamedTuple):
    """How likely each truth makes each report."""

    classes: AnyArray
    """The true values, (K,)."""
    table: FloatArray
    """P[report | truth] of the reports that differ, (K, R)."""
    rows: IntArray
    """Which of them each person's report is, (n,); a missing one is the last, of ones."""
    told: BoolArray
    """Whose report is there, (n,)."""


def likelihoods(
    estimator: Any, reports: Any, scheme_of: ArrayLike | None, known: AnyArray | None
) -> Likelihoods:
    """Return P[report | truth] of each report, by the channel that its person had.

    Of answers in the clear the classes may be ``known``, from a fit.
    """
    shape = check.plain(reports, "y").shape
    rule = "y should be a 1d array or a table of reports, (n,) or (n, n_columns)"
    check.demand(len(shape) in (1, 2) and 0 not in shape, rule, shape)
    tables, rows, classes = list[FloatArray](), np.full(shape[0], -1), np.zeros(0)
    for scheme, had in _channels(estimator.scheme, scheme_of, shape[0]):
        if scheme is None:
            told, values, table, codes = _in_the_clear(reports, had, known, estimator.missing)
        else:
            answers = open_reports(scheme, reports, estimator.feature, missing=estimator.missing,
                                   name="y", what="scheme").of(had)  # fmt: skip
            told, table = answers.answered, matrix_of(answers.channel, what="scheme")
            values = check.labels_of(answers.channel, table.shape[1])
            codes = np.asarray(answers.codes() if told.any() else [], dtype=np.intp)
        if told.any():
            same = not tables or np.array_equal(classes, values)
            check.demand(same, "scheme must have channels of the same true values", values)
            rows[told], classes = codes + sum(map(len, tables)), values
            tables.append(table)
    check.demand(tables, "y must hold one that is not missing", "none")
    rank, K = int(np.linalg.matrix_rank(np.vstack(tables))), classes.size
    rule = f"scheme must tell {K} true values apart, by {K} linearly independent columns"
    check.demand(rank == K, rule, rank)
    table = np.vstack([*tables, np.ones(K)]).T
    never = int((table.max(axis=0) <= 0)[rows].sum())
    check.demand(not never, "y must be such as their channel releases", f"{never} others")
    told = (rows >= 0) | (estimator.missing == "refuse")  # whom a lot asked nothing, stays
    return Likelihoods(classes, table, rows, told)


def _channels(scheme: Any, scheme_of: Any, n: int) -> list[tuple[Any, BoolArray]]:
    """Return each channel that somebody had, and who did."""
    if not isinstance(scheme, Mapping):
        check.goes_with(scheme_of, "scheme_of", "a dict of schemes")
        return [(scheme, np.ones(n, dtype=np.bool_))]
    had = check.plain(scheme_of, "scheme_of")
    rule = f"scheme_of must say of each of the {n} reports in y which channel of scheme it had,"
    known = had.shape == (n,) and set(had.tolist()) <= set(scheme)
    check.demand(known, f"{rule} of {check.printed(list(scheme))}", scheme_of)
    return [(scheme[name], had == name) for name in scheme if (had == name).any()]


def _in_the_clear(
    answers: Any, had: BoolArray, known: AnyArray | None, missing: str
) -> tuple[BoolArray, AnyArray, FloatArray, IntArray]:
    """Return who answered, the true values, the identity as P[report | truth], and its rows."""
    table = check.plain(answers, "y")
    lost = check.missing_values(table).reshape(len(table), -1).any(axis=1)
    told = had & ~lost if missing == "drop" else had
    if not told.any():
        return told, np.zeros(0), np.zeros((0, 0)), np.zeros(0, dtype=np.intp)
    labels, codes = check.classes(table[told], int(told.sum()))
    classes = labels if known is None else known
    rule = "y must be of two classes or more (and of reports the scheme must be given)"
    check.demand(classes.size > 1, rule, f"one class, {classes.tolist()}")
    return told, classes, np.eye(classes.size), numbers_of(labels, classes)[codes]
