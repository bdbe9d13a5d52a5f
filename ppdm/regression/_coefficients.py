"""From what was released to what a fit needs, tables of coefficients, and differences of shares.

A fit needs how likely each truth makes each report, and knows no scheme. Another coin for each
person, a channel for each question, some asked by lot, an answer that is missing: all are only
other rows of P[report | truth].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm._statistics import Scored, normal_quantile
from ppdm._weighted import Sample, numbers_of
from ppdm.channel._opening import matrix_of, open_reports
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray


class Likelihoods(NamedTuple):
    """How likely each truth makes each report.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The true values.
    table : ndarray of shape (K, R)
        P[report | truth] of the reports that differ.
    rows : ndarray of int, shape (n,)
        Which of them each person's report is; a missing one is the last, of ones.
    told : ndarray of bool, shape (n,)
        Whose report is there.
    """

    classes: AnyArray
    table: FloatArray
    rows: IntArray
    told: BoolArray


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


if TYPE_CHECKING:
    import pandas as pd

#: A covariate beyond has no square.
_MOST = 1e100


class Coefficients(BaseEstimator):
    """What is fitted: an intercept and a coefficient for each covariate, maybe of several values.

    Where they have an order the intercept comes first, and value follows value.
    """

    classes_: AnyArray
    coef_: FloatArray
    intercept_: Any
    covariance_: FloatArray
    n_features_in_: int
    n_reports_: int
    degrees_: float
    _terms: list[str]

    @property
    def standard_errors_(self) -> FloatArray:
        """Of the intercept, which is first, and the coefficients: (..., d + 1).

        NaN of covariates that depend on each other.
        """
        errors = np.sqrt(np.diag(self.covariance_))
        return np.asarray(errors.reshape(self._estimates().shape))

    def interval(self, confidence: float = 0.95) -> FloatArray:
        """Return a confidence interval for the intercept and each coefficient.

        Normal; with clusters by Student's t, with clusters less strata degrees of freedom.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95

        Returns
        -------
        ndarray of shape (..., d + 1, 2)
            Low and high, the intercept's first; NaN where an error is unknown.
        """
        check.fitted(self)
        half = normal_quantile(confidence, self.degrees_) * self.standard_errors_
        return np.stack([self._estimates() - half, self._estimates() + half], axis=-1)

    def to_frame(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return a frame of pandas: a row for the intercept and each covariate, by its name.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95
            Of ``low`` and ``high``, and of the limits of odds ratios.

        Raises
        ------
        ImportError
            If pandas is not installed: ``ppdm[data]``.
        """
        check.fitted(self)
        pandas = check.import_optional("pandas", "to_frame")
        estimates, errors = self._estimates(), self.standard_errors_
        low, high = np.moveaxis(self.interval(confidence), -1, 0)
        terms, columns = ["intercept", *self._terms], dict[str, Any]()
        of_values = estimates.ndim == 2  # coefficients of log odds
        if of_values:
            columns["value"] = np.repeat(self.classes_[1:], len(terms))
        columns |= {"term": np.broadcast_to(terms, estimates.shape), "coefficient": estimates}
        columns |= {"standard_error": errors, "low": low, "high": high}
        columns["p_value"] = 2 * student.sf(np.abs(estimates / errors), self.degrees_)
        if of_values:
            with np.errstate(over="ignore"):
                odds = np.exp([estimates, low, high])
            columns |= zip(("odds_ratio", "odds_low", "odds_high"), odds, strict=True)
        frame: pd.DataFrame = pandas.DataFrame({k: np.ravel(v) for k, v in columns.items()})
        return frame

    def _estimates(self) -> FloatArray:
        return np.concatenate([np.asarray(self.intercept_)[..., np.newaxis], self.coef_], axis=-1)

    def _keep(
        self, parameters: FloatArray, covariance: FloatArray, back: FloatArray, sample: Sample
    ) -> None:
        """Set intercept, coefficients and covariance, which ``back`` (d + 1, r) makes."""
        estimates = parameters @ back.T
        whole = np.kron(np.eye(len(covariance) // back.shape[1]), back)
        self.intercept_, self.coef_ = estimates[..., 0], estimates[..., 1:]
        self.covariance_ = np.asarray(whole @ covariance @ whole.T)
        self.n_reports_, self.degrees_ = sample.n, sample.degrees


def covariates(estimator: Any, X: Any, *, reset: bool = False) -> FloatArray:
    """Return the covariates given to an estimator, (n, d); of texts say what to do with them."""
    values = check.plain(X, "X")
    objects = values.ravel().tolist() if values.dtype.kind in "OUS" else []
    text = next((value for value in objects if isinstance(value, str)), None)
    rule = "X must hold numbers (make zeros and ones of labels first, by scikit-learn's "
    check.demand(text is None, f"{rule}OneHotEncoder(drop='first'))", text, TypeError)
    if values.ndim == 2:
        advice = "take these people out, or in fit give them a sample_weight of zero"
        check.refuse_missing(values, "X", advice)
    return check.numbers(check.records(estimator, X, reset=reset), "X", low=-_MOST, high=_MOST)


def names_of(estimator: Any) -> list[str]:
    """Return what the covariates are called: a frame's names, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else list(names)


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferenceEstimate:
    """The difference of two estimates from different people.

    Attributes
    ----------
    difference : float or ndarray of shape (m,)
        The first less the second.
    standard_error : float or ndarray of shape (m,)
    degrees : float or ndarray of shape (m,)
        For Student's t, from both errors and both degrees (Welch and Satterthwaite); infinite
        where no group was drawn in clusters.
    p_value : float or ndarray of shape (m,)
        Of the test that there is none, two-sided. With clusters Student's t of the difference
        over its error. Of people drawn singly, shares are tested by the variance that both groups'
        reports would have if they had one share, which keeps its level in small groups.
    estimates : tuple
        The two.
    """

    difference: FloatArray | float
    standard_error: FloatArray | float
    degrees: FloatArray | float
    p_value: FloatArray | float
    estimates: tuple[Any, Any] = field(repr=False)

    def interval(self, confidence: float = 0.95) -> FloatArray:
        """Return a confidence interval for the difference.

        With clusters Student's t: it leaves out 0 where, and only where, the p-value is below
        1 - confidence. Of people drawn singly Newcombe's (1998): the distances of both estimates
        from the ends of their own intervals, put together as the sides of a right angle. It and
        the pooled test are what textbooks have, and near the border they may differ.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95

        Returns
        -------
        ndarray of shape (2,) or (m, 2)
            Low and high.
        """
        if not np.isinf([estimate._scored.degrees for estimate in self.estimates]).all():
            low = high = normal_quantile(confidence, self.degrees) * self.standard_error
        else:
            (a_below, a_above), (b_below, b_above) = (
                np.moveaxis(estimate.interval(confidence), -1, 0) - estimate._scored.share
                for estimate in self.estimates
            )
            low, high = np.hypot(a_below, b_above), np.hypot(a_above, b_below)
        return np.stack([self.difference - low, self.difference + high], axis=-1)


def estimate_difference(a: Any, b: Any) -> DifferenceEstimate:
    """Estimate the difference of two estimates of the same thing, from different people.

    Parameters
    ----------
    a, b : ProportionEstimate or FrequencyEstimate
        Both of one kind, such as two groups of ``estimate_proportion(..., by=)``; their
        channels may differ.

    Returns
    -------
    DifferenceEstimate
        Of frequencies one for each value.

    Raises
    ------
    ValueError, TypeError
        If one is no estimate with an ``interval``, or they have different values.

    Notes
    -----
    Groups are of different people, drawn apart. For two groups in the same clusters take
    :class:`DisguisedLinearRegression` with ``clusters=``.

    How often the interval covers the truth, in 32 cells of theta .6 to 1, groups of 30 to 2,500
    and shares .02 to .4: .944 to .963. The level of the test is .042 to .061.
    With 3, 4 and 6 clusters of 30 in each group, whose shares differ by a standard deviation of
    .1, the interval covers .959, .963 and .947; of 3 clusters beside 12 it covers .924.

    References
    ----------
    Newcombe (1998), method 10; Welch (1947); Satterthwaite (1946).

    Examples
    --------
    >>> from ppdm.randomized_response import estimate_proportion
    >>> from ppdm.regression import estimate_difference
    >>> nurses = estimate_proportion([1] * 220 + [0] * 280, 0.75)
    >>> doctors = estimate_proportion([1] * 160 + [0] * 240, 0.75)
    >>> gap = estimate_difference(nurses, doctors)
    >>> round(gap.difference, 3), gap.interval().round(3), round(gap.p_value, 3)
    (0.08, array([-0.05 ,  0.208]), 0.227)
    """
    for estimate, name in ((a, "a"), (b, "b")):
        is_scored = isinstance(getattr(estimate, "_scored", None), Scored)
        check.demand(is_scored, f"{name} must be an estimate of shares", estimate, TypeError)
    x, y = a._scored, b._scored
    values: list[Any] = [getattr(estimate, "categories", None) for estimate in (a, b)]
    check.demand(np.array_equal(*values), "a and b must be estimates of the same values", values)
    difference, error = x.share - y.share, np.hypot(x.error, y.error)
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.isinf([x.degrees, y.degrees]).all():
            # of both groups' reports, as if both had the share that says most of both together
            pooled = (x.n * x.share + y.n * y.share) / (x.n + y.n)
            spread = np.sqrt(sum(np.maximum(z.variance(pooled), 0) / z.n for z in (x, y)))
            degrees = np.full_like(error, np.inf)
            p_value = 2 * norm.sf(np.abs(difference) / spread)
        else:
            parts = (x.error / error) ** 4 / x.degrees + (y.error / error) ** 4 / y.degrees
            spread, degrees = error, np.where(error > 0, 1 / parts, x.degrees + y.degrees)
            p_value = 2 * student.sf(np.abs(difference) / spread, degrees)
    p_value = np.where((difference == 0) & (spread == 0), 1.0, p_value)
    numbers = (difference, error, degrees, p_value)
    difference, error, degrees, p_value = (float(v) if np.ndim(v) == 0 else v for v in numbers)
    return DifferenceEstimate(
        difference=difference, standard_error=error, degrees=degrees, p_value=p_value,
        estimates=(a, b),
    )  # fmt: skip
