"""Logistic regression of a disguised answer: the likelihood, its maximum, the estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import block_diag
from scipy.special import softmax

from ppdm import _validation as check
from ppdm._estimators import ClassifierMixin
from ppdm._statistics import at_most
from ppdm._weighted import Sample, read_sample, with_stand_ins
from ppdm.exceptions import UnidentifiedWarning, warn
from ppdm.regression._coefficients import (
    Coefficients,
    Likelihoods,
    covariates,
    likelihoods,
    names_of,
)
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray, Missing

#: So many people at a time, for their numbers to stay in the cache.
_BLOCK = 1 << 13
#: Of more people than so many every twentieth is asked first where to start.
_MANY, _SOME = 200_000, 20
#: A covariate whose own part of the correlations is less is made of the others.
_DEPENDENT = 1e-10
#: In logarithms of the likelihood: a step that promises less is the last; below the other it may
#: be lost in rounding, and is taken unseen.
_DONE, _UNSEEN = 1e-14, 1e-6
#: A step changes no parameter by more.
_LONGEST = 5.0
_MOST_STEPS = 200


class Sums(NamedTuple):
    """What one pass over the people gives, with the prior.

    Attributes
    ----------
    value : float
    score : ndarray of shape (P,)
        Of the parameters, value by value of the answer.
    information : ndarray of shape (P, P)
        Less the second derivatives.
    """

    value: float
    score: FloatArray
    information: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Covariates and reports; the parameters are (K - 1, r), or P in a row.

    Attributes
    ----------
    Z : ndarray of shape (n, r)
        What the log odds are sums of: a column of ones, and the covariates.
    weights : ndarray of shape (n,)
    table : ndarray of shape (K, R)
        P[report | truth].
    rows : ndarray of int, shape (n,)
        Which report each person made.
    precision : ndarray of shape (P,)
        One over the prior's variance of each parameter, zero where there is none.
    """

    Z: FloatArray
    weights: FloatArray
    table: FloatArray
    rows: IntArray
    precision: FloatArray

    def sums(self, parameters: FloatArray, *, clear: bool = False) -> Sums:
        """Return value, score and information; ``clear`` leaves out what the disguise took."""
        P, K = parameters.size, len(self.table)
        coefficients = parameters.reshape(K - 1, -1)
        value, score = 0.0, np.zeros(coefficients.shape)
        information = np.zeros(2 * coefficients.shape)
        for first in range(0, len(self.Z), _BLOCK):
            some = slice(first, first + _BLOCK)
            Z, weights = self.Z[some], self.weights[some]
            p, q, w = posterior(coefficients @ Z.T, self.table[:, self.rows[some]])
            with np.errstate(divide="ignore"):
                value += float(weights @ np.log(q))
            score += ((w - p)[1:] * weights) @ Z
            for j, k in np.ndindex(K - 1, K - 1):
                h = _covariance(p[1:], j, k) - (0 if clear else _covariance(w[1:], j, k))
                information[j, :, k] += Z.T @ (Z * (h * weights)[:, np.newaxis])
        pulled = self.precision * parameters
        value -= float(pulled @ parameters) / 2
        whole = information.reshape(P, P) + np.diag(self.precision)
        return Sums(value, score.ravel() - pulled, whole)

    def scores(self, parameters: FloatArray) -> FloatArray:
        """Return each person's score, (n, P), times her weight."""
        log_odds = parameters.reshape(len(self.table) - 1, -1) @ self.Z.T
        p, _, w = posterior(log_odds, self.table[:, self.rows])
        off = ((w - p)[1:] * self.weights).T
        return np.asarray((off[:, :, np.newaxis] * self.Z[:, np.newaxis]).reshape(len(off), -1))


class Maximum(NamedTuple):
    """Where the likelihood is largest, or where its steps ended.

    It is ``settled`` if they ended where the reports tell each parameter.
    """

    parameters: FloatArray
    sums: Sums
    n_iter: int
    settled: bool


def posterior(log_odds: FloatArray, given: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(truth | x), P(report | x) and P(truth | x, report), (K, m), (m,) and (K, m).

    ``log_odds`` are those against the first value, (K - 1, m), ``given`` is P(report | truth).
    """
    p = softmax(np.concatenate([np.zeros((1, log_odds.shape[1])), log_odds]), axis=0)
    w = given * p
    q = w.sum(axis=0)
    return p, q, w / np.where(q > 0, q, 1.0)


def standardised(X: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return a fit's table (n, r), its way back to coefficients, and which covariates depend.

    The table has a column of ones, and covariates about their centre, so that a parameter is a
    change of the log odds per standard deviation. Where covariates depend on each other, it leaves
    out what they do not tell: the coefficients are then the least ones that say the same. The way
    back (d + 1, r) is that from parameters to intercept and coefficients.
    """
    share = weights / weights.sum()
    centre = share @ X
    apart = X - centre
    spread = apart.T @ (apart * share[:, np.newaxis])
    sd = np.sqrt(np.diag(spread))
    varies = sd > 1e-10 * np.abs(centre)
    unit = np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)
    size, direction = np.linalg.eigh(unit[:, np.newaxis] * spread * unit)
    kept = size > _DEPENDENT
    dependent = ~varies | (np.abs(direction[:, ~kept]).max(axis=1, initial=0) > 1e-6)
    columns = np.eye(len(sd)) if kept.all() else direction[:, kept]
    basis = unit[:, np.newaxis] * columns
    back = block_diag(np.ones((1, 1)), basis)
    back[0, 1:] = -centre @ basis
    return np.column_stack([np.ones(len(X)), apart @ basis]), back, dependent


def maximise(problem: Problem) -> Maximum:
    """Return the maximum of likelihood and prior, found by Newton's steps from zero.

    Where the likelihood is not concave they are those of clear answers, whose information is never
    negative, so that they lead uphill.
    """
    at = np.zeros(problem.precision.size)
    if len(problem.Z) > _MANY:
        few = replace(problem, Z=problem.Z[::_SOME], weights=problem.weights[::_SOME],
                      rows=problem.rows[::_SOME], precision=problem.precision / _SOME)  # fmt: skip
        near = maximise(few)
        at = near.parameters if near.settled else at
    now = problem.sums(at)
    for n_iter in range(1, _MOST_STEPS + 1):
        size, direction = np.linalg.eigh(now.information)
        told = bool(size[0] > 1e-9 * size[-1])
        if not told:
            size, direction = np.linalg.eigh(problem.sums(at, clear=True).information)
            size = np.maximum(size, 1e-12 * size[-1] + 1e-300)
        step = direction @ ((direction.T @ now.score) / size)
        step *= min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300))
        promised = float(now.score @ step)
        if promised < _DONE:
            return Maximum(at, now, n_iter, settled=told)
        there = problem.sums(at + step)
        while there.value < now.value and promised >= _UNSEEN:
            step, promised = step / 2, promised / 2
            there = problem.sums(at + step)
        at, now = at + step, there
    return Maximum(at, now, _MOST_STEPS, settled=False)


def covariance_of(problem: Problem, maximum: Maximum, sample: Sample) -> FloatArray:
    """Return the parameters' covariance (P, P), NaN where the information has no inverse.

    That inverse, or, of people who count unlike or were drawn together, the sandwich.
    """
    size, direction = np.linalg.eigh(maximum.sums.information)
    inverse = np.asarray((direction / np.where(size > 1e-300, size, np.nan)) @ direction.T)
    if sample.simple:
        return inverse
    return np.asarray(inverse @ sample.spread(problem.scores(maximum.parameters)) @ inverse)


def _covariance(p: FloatArray, j: int, k: int) -> FloatArray:
    """Return diag(p) - pp' at (j, k), for chances of values (.., m): (m,)."""
    return np.asarray((p[j] if j == k else 0) - p[j] * p[k])


#: A coefficient beyond runs away: log odds per standard deviation, or over a covariate's range.
_FAR = 10.0


@dataclass(eq=False, repr=False)
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
    feature : int or str, default=None
        Which of the scheme's attributes the answer is; of one that was fitted to a frame by name.
        Needed where there are several.
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
        some covariates less, is a likelihood ratio. Not with weights, clusters or strata, which
        make it too large: there compare ``b @ inv(V) @ b`` with chi squared, where b are the
        coefficients in question and V is their part of ``covariance_``.
    n_reports_, n_missing_, n_iter_ : int
        People fitted, people left out, steps.
    degrees_ : float
        Clusters less strata, of those with anybody who is fitted; infinite without clusters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``X`` has column names.

    See Also
    --------
    DisguisedLinearRegression : For few people, or disguised covariates.

    Notes
    -----
    Weights are survey weights: only their ratios count, and ten times the weights give the same
    errors. In other learners of the package a weight is so many records. Errors of a part of the
    sample (some without a report, or with a weight of zero) are as in
    :func:`ppdm.randomized_response.estimate_proportion`, whose notes have the factor.

    Coverage of 95% intervals of a slope of .8 per standard deviation, by 2,000 surveys each, where
    .935 to .965 agrees with nominal (``ppdm_book.experiments`` has the table ``explains``):

    =======  =========  =========  =========  =========
    reports  theta .6   theta .7   theta .8   theta .9
    =======  =========  =========  =========  =========
    300      .987 (a)   .969 (b)   .963       .952
    1,000    .964 (c)   .962       .958       .956
    5,000    .954       .950       .950       .946
    =======  =========  =========  =========  =========

    Of the surveys that had a finite maximum: (a) 64%, (b) 99%, (c) 97%.

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

    scheme: Any = None
    _: KW_ONLY
    feature: int | str | None = None
    prior_sd: float | None = None
    missing: Missing = "refuse"

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
            Covariates, in the clear; of who weighs nothing they may be missing. None fits the share
            alone.
        y : array-like of shape (n,) or (n, n_columns)
            The reports: what was released of the answer, or whole records.
        scheme_of : array-like of shape (n,), default=None
            Which of the channels of a dict each person had.
        sample_weight : array-like of shape (n,), default=None
            Survey weights, of which only ratios count. Who weighs nothing is left out of the fit,
            and stays in the design: so a fit of a group has zero weights for the others.
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
        check.in_step(y=y, X=X, scheme_of=scheme_of, sample_weight=sample_weight,
                      clusters=clusters, strata=strata)  # fmt: skip
        table, known = self._read(with_stand_ins(X, sample_weight), y, scheme_of, reset=True)
        sample = read_sample(len(table), sample_weight, clusters, strata)
        counted = known.told & sample.counted
        check.demand(counted.any(), "sample_weight must be above zero for a report", "no such one")
        table, sample = table[counted], sample.of(counted)
        weights = sample.weights / sample.weights.mean()
        Z, back, dependent = standardised(table, weights)
        n_more = known.classes.size - 1
        precision = np.full((n_more, back.shape[1]), (self.prior_sd or np.inf) ** -2.0)
        precision[:, 0] /= 4
        problem = Problem(Z=Z, weights=weights, table=known.table, rows=known.rows[counted],
                          precision=precision.ravel())  # fmt: skip
        maximum = maximise(problem)
        self.n_iter_: int = maximum.n_iter
        self.classes_: AnyArray = known.classes
        self._terms = names_of(self)
        self.n_missing_: int = int((~known.told).sum())
        penalty = float(problem.precision @ maximum.parameters**2) / 2
        self.log_likelihood_: float = maximum.sums.value + penalty
        parameters = maximum.parameters.reshape(n_more, -1)
        self._keep(parameters, covariance_of(problem, maximum, sample), back, sample)
        unknown = np.tile(np.append(dependent.any(), dependent), n_more)
        self.covariance_[unknown] = self.covariance_[:, unknown] = np.nan
        runs = not maximum.settled or bool((np.abs(parameters) > _FAR).any())
        # a rare value's standard deviation is small: how far is told by the whole range
        far = (np.abs(self.coef_) * np.ptp(table, axis=0) > _FAR) & ~(
            self.standard_errors_[:, 1:] < np.abs(self.coef_))  # fmt: skip
        told = self.prior_sd is not None or not runs
        for doubt in self._doubts(dependent, None if told else far.any(axis=0), known.table):
            warn(doubt, UnidentifiedWarning)
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
        check.fitted(self)
        if reports is None:
            return self._chances(self._covariates(X), np.ones((self.classes_.size, 1)))[0].T
        check.in_step(reports=reports, X=X, scheme_of=scheme_of)
        table, known = self._read(X, reports, scheme_of)
        return self._chances(table, known.table[:, known.rows])[2].T

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
        check.fitted(self)
        check.in_step(y=y, X=X, scheme_of=scheme_of, sample_weight=sample_weight)
        table, known = self._read(X, y, scheme_of)
        weights = read_sample(len(table), sample_weight, None, None).weights * known.told
        with np.errstate(divide="ignore"):
            logs = np.log(self._chances(table, known.table[:, known.rows])[1])
        return float(np.average(logs, weights=weights))

    def _read(
        self, X: Any, reports: Any, scheme_of: Any, *, reset: bool = False
    ) -> tuple[FloatArray, Likelihoods]:
        """Return covariates (n, d) and how likely each truth makes the reports."""
        table, classes = self._covariates(X, reset=reset), None if reset else self.classes_
        known = likelihoods(self, reports, scheme_of, classes)
        n = len(known.rows)
        table = np.zeros((n, 0)) if X is None else table
        check.demand(len(table) == n, f"X must have a row for each of {n} reports", len(table))
        return table, known

    def _covariates(self, X: Any, *, reset: bool = False) -> FloatArray:
        """Return the covariates, (n, d); where there are none, as in the fit, (1, 0)."""
        if X is not None:
            return covariates(self, X, reset=reset)
        self.n_features_in_: int = 0 if reset else self.n_features_in_
        check.demand(self.n_features_in_ == 0, "X must be a table of covariates, as in fit", X)
        return np.zeros((1, 0))

    def _chances(self, table: FloatArray, given: FloatArray) -> tuple[FloatArray, ...]:
        """Return P(truth | x), P(report | x) and P(truth | x, report), by P(report | truth)."""
        return posterior(self.coef_ @ table.T + self.intercept_[:, np.newaxis], given)

    def _named(self, which: BoolArray) -> str:
        """Return the names of some covariates, five at most."""
        names = [repr(str(self._terms[j])) for j in np.flatnonzero(which)[:5]]
        return ", ".join(names) or "the intercept"

    def _doubts(
        self, dependent: BoolArray, far: BoolArray | None, table: FloatArray
    ) -> Iterator[str]:
        """Yield of which coefficients the reports do not tell the size, where some are ``far``."""
        if dependent.any():
            yield (
                f"covariates {self._named(dependent)} depend on each other or do not vary: their "
                "coefficients are the least that fit, without errors; leave some out"
            )
        if far is not None:
            odds = np.max(table.max(axis=0) / np.maximum(table.min(axis=0), 1e-300))
            yield (
                f"no finite coefficients are likeliest, see {self._named(far)}: {self.n_reports_} "
                "reports, each of which changes the odds of an answer by a factor of "
                f"{at_most(odds)} at most, lie beyond what the channel lets out of some group. "
                "Give prior_sd=2.5, or take DisguisedLinearRegression, or fewer covariates"
            )
