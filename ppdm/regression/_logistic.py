"""Logistic regression of an answer that nobody saw, from its report and clear covariates."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import ClassifierMixin
from ppdm._readings import numbers_of
from ppdm._weighted import Design, read_design, spread
from ppdm.exceptions import UnidentifiedWarning
from ppdm.regression._coefficients import Coefficients, carried, covariates, named
from ppdm.regression._fit import FAR, Maximum, Problem, maximise, posterior, standardised
from ppdm.regression._reports import Likelihoods, likelihoods
from ppdm.typing import AnyArray, FloatArray, Missing


class DisguisedLogisticRegression(ClassifierMixin, Coefficients):
    """What a disguised answer depends on: logistic regression through any channel.

    The covariates are clear, the answer was disguised. A report's likelihood is
    ``sum_k L[k] p[k]``: the model's P(truth k | x) times the channel's P(report | truth k). It is
    made as large as it can be (Scheers and Dayton 1988; Van den Hout et al. 2007). Whoever fits a
    logistic regression to the reports themselves finds slopes near zero, and small errors.

    Parameters
    ----------
    scheme : Channel, array of shape (S, K) or dict of them, default=None
        What the reports came through: a scheme, or P[report | truth]. A dict names several,
        for people or questions that had different ones: ``fit`` then takes ``scheme_of``. All
        have the same true values. None stands for answers in the clear.
    feature : int, default=0
        Which of the scheme's attributes the answer is.
    prior_sd : float > 0, default=None
        A normal prior of this standard deviation on the log odds per standard deviation of each
        covariate, and of twice that on the log odds at their means. 2.5 keeps small surveys from
        answers without a finite maximum; slopes are then pulled a little to zero. None is maximum
        likelihood.
    missing : {"refuse", "drop"}, default="refuse"
        What becomes of who has no report (NaN): "drop" leaves her out of the fit, and her chances
        given the report are those given x alone.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The true values.
    coef_, intercept_ : ndarray of shape (K - 1, d), (K - 1,)
        Changes of the log odds of each value against ``classes_[0]``.
    covariance_ : ndarray of shape ((K - 1)(d + 1), (K - 1)(d + 1))
        Of intercept and coefficients, value after value. The inverse of the observed information;
        with weights, clusters or strata the sandwich, which is right for them.
    log_likelihood_ : float
        Of the reports, without the prior: twice a difference between two fits, one of them with
        some covariates less, is a likelihood ratio.
    n_reports_, n_missing_, n_iter_ : int
        People fitted, people left out, steps.
    degrees_ : float
        Clusters less strata; infinite without clusters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``X`` has column names.

    See Also
    --------
    DisguisedLinearRegression : For few people, or disguised covariates.

    Notes
    -----
    Weights are survey weights: only their ratios count, and ten times the weights give the same
    errors. In other learners of the package a weight is so many records.

    Coverage of 95% intervals, nominally .95, of a slope of .8 per standard deviation, 150 to 500
    surveys each:

    =======  =========  =========  =========
    reports  theta .6   theta .7   theta .9
    =======  =========  =========  =========
    300      .99 (a)    .96        .95
    1,000    .96 (b)    .96        .95
    5,000    .93        .92        .97
    =======  =========  =========  =========

    (a) where there was a finite maximum, in 65%; (b) in 97%.

    Where the model is wrong, clear and disguised answers lead to different best fits.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> from ppdm.regression import DisguisedLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(45, 15, 4000)
    >>> cheats = rng.random(4000) < 1 / (1 + np.exp(1 - (age - 45) / 20))
    >>> coin = RandomizedResponse(0.75, random_state=1)
    >>> reports = coin.fit_transform(cheats[:, np.newaxis])[:, 0]
    >>> model = DisguisedLogisticRegression(coin).fit(age[:, np.newaxis], reports)
    >>> model.coef_.round(3), model.standard_errors_[:, 1:].round(3)
    (array([[0.048]]), array([[0.006]]))

    What a member of 60 says, who reported no: before her report is known, and after.

    >>> model.predict_proba([[60]]).round(2), model.predict_proba([[60]], [0]).round(2)
    (array([[0.56, 0.44]]), array([[0.79, 0.21]]))
    """

    classes_: AnyArray
    coef_: FloatArray
    intercept_: Any
    covariance_: FloatArray
    n_reports_: int
    degrees_: float
    log_likelihood_: float
    n_missing_: int
    n_iter_: int

    def __init__(
        self,
        scheme: Any = None,
        *,
        feature: int = 0,
        prior_sd: float | None = None,
        missing: Missing = "refuse",
    ) -> None:
        self.scheme = scheme
        self.feature = feature
        self.prior_sd = prior_sd
        self.missing = missing

    def fit(
        self,
        X: ArrayLike | None,
        y: ArrayLike,
        scheme_of: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> Self:
        """Find the coefficients that make the reports likeliest.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
            Covariates, in the clear. None fits the share alone.
        y : array-like of shape (n,) or (n, n_columns)
            The reports: what was released of the answer, or whole records.
        scheme_of : array-like of shape (n,), default=None
            Which of the channels of a dict each person had.
        sample_weight : array-like of shape (n,), default=None
            Survey weights, of which only ratios count. Who weighs nothing is left out.
        clusters : array-like of shape (n,), default=None
            Who was drawn together: a school, a household; a person, where a row is an answer.
        strata : array-like of shape (n,), default=None
            Parts of the population of which each was drawn by itself.

        Returns
        -------
        DisguisedLogisticRegression

        Warns
        -----
        UnidentifiedWarning
            If no finite coefficients are likeliest (a group's share of reports lies beyond what
            the channel lets out), or covariates depend on each other.

        Raises
        ------
        ValueError, TypeError
            If X holds anything but finite numbers, a report is none that the scheme releases, the
            scheme does not tell the true values apart, or there is only one value; if weights
            are negative or all zero, or a stratum has one cluster.
        """
        check.parameters(self)
        table, known = self._read(X, y, scheme_of, reset=True)
        n = len(table)
        design = read_design(n, sample_weight, clusters, strata)
        counted = known.told & (design.weights > 0)
        check.demand(counted.any(), "sample_weight must be above zero for a report", "no such one")
        self.n_reports_, self.n_missing_ = int(counted.sum()), int(n - known.told.sum())
        if not counted.all():
            table = table[counted]
            design = read_design(len(table), *(
                None if each is None else check.plain(each, "design")[counted]
                for each in (sample_weight, clusters, strata)))  # fmt: skip
        rows = known.rows[counted]
        centre, basis, dependent = standardised(table, design.weights)
        problem = Problem(X=table, weights=design.weights, table=known.table.T, rows=rows,
                          centre=centre, basis=basis)  # fmt: skip
        precision = np.zeros((len(known.classes) - 1, basis.shape[1]))
        if self.prior_sd is not None:
            precision += 1 / self.prior_sd**2
            precision[:, 0] /= 4
        found = maximise(problem, precision.ravel())
        self.classes_, self.n_iter_, self.degrees_ = known.classes, found.n_iter, design.degrees
        value = found.sums.value + float(precision.ravel() @ found.parameters**2) / 2
        self.log_likelihood_ = value + float(design.weights @ known.largest[rows])
        self._keep(problem, found, design)
        self._warn(found, problem, dependent)
        return self

    def predict_proba(
        self,
        X: ArrayLike | None,
        reports: ArrayLike | None = None,
        scheme_of: ArrayLike | None = None,
    ) -> FloatArray:
        """Return the probability of each true value, given x, or given her report, too.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
        reports : array-like of shape (n,) or (n, n_columns), default=None
            What these people released.
        scheme_of : array-like of shape (n,), default=None
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, K)
        """
        check_is_fitted(self)
        if reports is None:
            table = np.zeros((1, 0)) if self._has_none(X) else covariates(self, X)
            return np.asarray(self._chances(table, np.ones((self.classes_.size, 1)))[0].T)
        table, known = self._read(X, reports, scheme_of)
        return np.asarray(self._chances(table, known.table[known.rows].T)[2].T)

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the likeliest true value of each person, (n,)."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def score(
        self,
        X: ArrayLike | None,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        scheme_of: ArrayLike | None = None,
    ) -> float:
        """Return the mean of log P(report | x): an accuracy against reports would mean little.

        Parameters
        ----------
        X : array-like of shape (n, d) or None
        y : array-like of shape (n,) or (n, n_columns)
            Their reports.
        sample_weight, scheme_of : array-like of shape (n,), default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        table, known = self._read(X, y, scheme_of)
        weights = read_design(len(table), sample_weight, None, None).weights * known.told
        likely = self._chances(table, known.table[known.rows].T)[1]
        with np.errstate(divide="ignore"):
            each = np.log(likely) + known.largest[known.rows]
        return float(np.average(each, weights=weights))

    def _labels(self, terms: list[str]) -> dict[str, Any]:
        values = np.repeat(self.classes_[1:], len(terms))
        return {"value": values, "term": terms * (self.classes_.size - 1)}

    def _more(self, estimates: FloatArray, low: FloatArray, high: FloatArray) -> dict[str, Any]:
        pairs = {"odds_ratio": estimates, "odds_low": low, "odds_high": high}
        with np.errstate(over="ignore"):
            return {name: np.exp(each) for name, each in pairs.items()}

    def _read(
        self, X: Any, reports: Any, scheme_of: Any, *, reset: bool = False
    ) -> tuple[FloatArray, Likelihoods]:
        """Return covariates (n, d) and how likely each truth makes the reports."""
        if reset and X is None:
            self.n_features_in_ = 0
        table = None if self._has_none(X) else covariates(self, X, reset=reset)
        scheme = self.scheme
        if not reset and scheme is None:  # a class that is not among these reports, too
            scheme, reports = np.eye(self.classes_.size), self._numbered(reports)
        known = likelihoods(scheme, reports, self.feature, scheme_of, self.missing)
        n = len(known.rows)
        if table is None:
            return np.zeros((n, 0)), known
        check.demand(len(table) == n, f"X must have a row for each of {n} reports", len(table))
        return table, known

    def _has_none(self, X: Any) -> bool:
        """Return whether there are no covariates; with some in the fit there must be."""
        rule = "X must be a table of covariates, as it was in fit"
        check.demand(X is not None or self.n_features_in_ == 0, rule, X)
        return X is None

    def _numbered(self, y: Any) -> AnyArray:
        """Return the numbers of clear answers, (n,), among the classes that were fitted."""
        classes, code = check.classes(y, len(np.atleast_1d(check.plain(y, "y"))))
        return numbers_of(classes, self.classes_)[code]

    def _chances(self, table: FloatArray, given: FloatArray) -> Any:
        log_odds = self.coef_ @ table.T + self.intercept_[:, np.newaxis]
        return posterior(log_odds, given)

    def _keep(self, problem: Problem, found: Maximum, design: Design) -> None:
        """Set the coefficients and their covariance on the scale of X."""
        to_zero = np.eye(len(problem.basis))
        to_zero[0, 1:] = -problem.centre
        back = to_zero @ problem.basis
        coefficients: FloatArray = found.parameters.reshape(self.classes_.size - 1, -1) @ back.T
        self.intercept_, self.coef_ = coefficients[:, 0], coefficients[:, 1:]
        information = found.sums.information
        inverse: FloatArray = np.full_like(information, np.nan)
        if np.linalg.eigvalsh(information)[0] > 0:
            inverse = np.asarray(np.linalg.inv(information))
        if not design.simple:
            meat = spread(problem.scores(found.parameters), design)
            inverse = np.asarray(inverse @ meat @ inverse)
        self.covariance_ = carried(back, inverse)

    def _warn(self, found: Maximum, problem: Problem, dependent: Any) -> None:
        """Say of which coefficients the reports do not tell the size."""
        if dependent.any():
            unknown = np.tile(np.append(True, dependent), self.classes_.size - 1)
            self.covariance_[unknown] = self.covariance_[:, unknown] = np.nan
            warnings.warn(
                f"covariates {named(self, dependent)} depend on each other or do not vary: their "
                "coefficients are the least that fit, without errors; leave some out",
                UnidentifiedWarning,
                stacklevel=3,
            )
        size = np.linalg.eigvalsh(found.sums.information)
        far = np.abs(found.parameters.reshape(self.classes_.size - 1, -1)).max(axis=0) > FAR
        runs = not found.converged or size[0] <= 1e-9 * size[-1]
        if self.prior_sd is None and (far.any() or runs):
            some = problem.basis[1:] @ far != 0
            what = named(self, some) if some.any() else "the intercept"
            factor = np.max(1 / np.maximum(problem.table.min(axis=0), 1e-300))
            warnings.warn(
                f"no finite coefficients are likeliest, see {what}: {self.n_reports_} reports, "
                f"each of which changes the odds of an answer by a factor of {factor:.3g} at most, "
                "lie beyond what the channel lets out of some group. Give prior_sd=2.5, or take "
                "DisguisedLinearRegression, fewer covariates or more people",
                UnidentifiedWarning,
                stacklevel=3,
            )
