"""Least squares where covariates, or a yes or no as the outcome, were disguised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ppdm import _validation as check
from ppdm._estimators import RegressorMixin
from ppdm._weighted import read_sample, with_stand_ins
from ppdm.channel import Channel
from ppdm.channel._opening import matrix_of, one_attribute, open_reports
from ppdm.noise import AdditiveNoise
from ppdm.regression._coefficients import Coefficients, covariates, names_of
from ppdm.typing import AnyArray, ArrayLike, FloatArray

#: The variance of each noise of scale one.
_VARIANCE = {"gaussian": 1.0, "uniform": 1 / 3, "laplace": 2.0}


class _Covariate(NamedTuple):
    """What is put in the place of a covariate.

    Attributes
    ----------
    scores : ndarray of shape (n, k)
        Unbiased for its true values: for having each but the first, or for the number.
    names : list of str
    coded : bool
        Whether they are scores of a disguised value.
    noise : float
        The variance of a number's noise.
    """

    scores: FloatArray
    names: list[str]
    coded: bool = False
    noise: float = 0.0


@dataclass(eq=False, repr=False)
class DisguisedLinearRegression(RegressorMixin, Coefficients):
    """Linear regression with disguised covariates, a disguised outcome, or both.

    Least squares needs the sums of products of the covariates, and of these with the outcome.
    Both have unbiased estimates: of a noisy number the variance of its noise is taken from the sum
    of its squares; a disguised value counts by its score, which is put in the place of its square,
    too, since a zero or one is its own. Whoever fits the reports as they are finds slopes that
    are too small, and of covariates that go with disguised ones wrong slopes, too.

    Parameters
    ----------
    disguised : dict, default=None
        The covariates that were disguised, by column number or a frame's name, each with its own
        ``AdditiveNoise``, variance of a noise, ``Channel`` or matrix P[released | true].
    y_scheme : Channel, array of shape (S, 2), default=None
        What a yes or no as the outcome came through; the fit is then the linear probability
        model: slopes are changes of the share of yes, and never diverge. None is for numbers:
        noise of mean zero on the outcome costs people, but no unbiasedness.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (p,), float
        A column for each covariate; for a disguised one of k values k - 1 columns, against its
        first value.
    covariance_ : ndarray of shape (p + 1, p + 1)
        Of intercept and coefficients, by the sandwich: right whatever the spread of the outcome.
    n_reports_ : int
    degrees_ : float
        Clusters less strata, of those with anybody who weighs something; infinite without clusters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``X`` has column names.

    Notes
    -----
    Both sides may be disguised where their coins are independent. Two attributes of one coin are
    refused: the product of their scores is not unbiased for the product of the two.

    Coverage of 95% intervals: .936 to .957 for a covariate with noise of one standard
    deviation or a coin of theta .75, .926 to .968 for the linear probability model.

    References
    ----------
    Fuller (1987), section 3.1, on errors of known variance.

    Examples
    --------
    The coin of a question is of theta .75, so that the slope of the reports is half as large:

    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> from ppdm.regression import DisguisedLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> smokes = rng.random(5000) < 0.3
    >>> days_ill = 4 + 3 * smokes + rng.normal(size=5000)
    >>> coin = RandomizedResponse(0.75, random_state=1)
    >>> reports = coin.fit_transform(smokes[:, np.newaxis])
    >>> DisguisedLinearRegression().fit(reports, days_ill).coef_.round(2)
    array([1.31])
    >>> model = DisguisedLinearRegression({0: coin}).fit(reports, days_ill)
    >>> model.coef_.round(2), model.standard_errors_.round(2)
    (array([2.95]), array([0.04, 0.12]))
    """

    disguised: Mapping[int | str, Any] | None = None
    _: KW_ONLY
    y_scheme: Any = None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> Self:
        """Solve the normal equations of unbiased sums.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Covariates, as they were released where they are disguised; of who weighs nothing they
            may be missing.
        y : array-like of shape (n,)
            The outcome, or its reports.
        sample_weight, clusters, strata : array-like of shape (n,), default=None
            As in :meth:`DisguisedLogisticRegression.fit`.

        Returns
        -------
        DisguisedLinearRegression

        Raises
        ------
        ValueError, TypeError
            If a report is none that its scheme releases, two attributes share a coin, or the
            corrected sums of squares are not positive: noise as large as the covariate, or too few
            people.
        """
        check.in_step(y=y, X=X, sample_weight=sample_weight, clusters=clusters, strata=strata)
        table = covariates(self, with_stand_ins(X, sample_weight), reset=True)
        outcome = self._outcome(y, len(table))
        sample = read_sample(len(table), sample_weight, clusters, strata)
        columns, W = self._read(table), sample.shares
        self._terms = [name for column in columns for name in column.names]
        V = np.hstack([column.scores for column in columns])
        means = W @ V
        # the sums of products, as they are of the scores, about the means
        Z = np.column_stack([np.ones(len(V)), V - means])
        A = Z.T @ (Z * W[:, np.newaxis])
        # what the disguise adds to them: a block for each disguised value, a number for each noise
        sizes = [column.scores.shape[1] for column in columns]
        attribute = np.repeat(np.arange(len(columns)), sizes)
        coded = np.repeat([column.coded for column in columns], sizes)
        noise = np.repeat([column.noise for column in columns], sizes)
        block = (attribute[:, np.newaxis] == attribute) & coded
        A[1:, 1:] -= block * (V.T @ (V * W[:, np.newaxis])) + np.diag(noise - coded * means)
        self._refuse(A, len(V))
        b = np.asarray(np.linalg.solve(A, Z.T @ (W * outcome)))
        # each person's part of the normal equations, corrected as their sums are
        scores = Z * (outcome - Z @ b)[:, np.newaxis]
        scores[:, 1:] += V * (V @ (block * b[1:, np.newaxis]) - coded * b[1:]) + noise * b[1:]
        inverse = np.linalg.inv(A)
        covariance = inverse @ sample.spread(scores * W[:, np.newaxis]) @ inverse
        back = np.eye(len(b))
        back[0, 1:] = -means
        self._keep(b, covariance, back, sample)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the expected outcome of people whose true covariates are X, (n,).

        Parameters
        ----------
        X : array-like of shape (n, d)
            In the clear; of an attribute that was disguised its true value.
        """
        check.fitted(self)
        columns = self._read(covariates(self, X), clear=True)
        scores = np.hstack([column.scores for column in columns])
        return np.asarray(scores @ self.coef_ + self.intercept_)

    def _outcome(self, y: ArrayLike, n: int) -> FloatArray:
        """Return the outcome, or the scores of its reports, (n,)."""
        from sklearn.utils import column_or_1d

        outcome = check.plain(y, "y")
        with check.naming("y", "an outcome for each record"):
            outcome = column_or_1d(outcome, warn=True)
        check.of_shape(outcome, "y", (n,), "an outcome for each row")
        if self.y_scheme is None:
            return check.numbers(outcome, "y")
        own = _attribute_called("y", self.y_scheme, "y_scheme")
        with check.naming("y_scheme", "a channel that can be undone"):
            inverse = check.invert_matrix(matrix_of(own, what="y_scheme"))
        check.demand(len(inverse) == 2, "y_scheme must have two true values", len(inverse))
        return np.asarray(inverse[1, open_reports(own, outcome, name="y").codes()])

    def _read(self, table: FloatArray, *, clear: bool = False) -> list[_Covariate]:
        """Return what stands in the place of the covariates (n, d), disguised or ``clear``."""
        d, names = table.shape[1], getattr(self, "feature_names_in_", None)
        disguised: Any = self.disguised if self.disguised is not None else {}
        check.of_kind(disguised, Mapping, "disguised must be a dict from columns to their schemes")
        places = [
            check.integer(place, "disguised", low=0, high=d - 1)
            for place in check.numbered(list(disguised), "disguised", names)
        ]
        rule = "disguised must name each covariate once"
        check.demand(len(set(places)) == len(places), rule, list(disguised))
        schemes = dict(zip(places, disguised.values(), strict=True))
        _refuse_one_coin([*schemes.values(), self.y_scheme])
        covariates = list[_Covariate]()
        for j, name in enumerate(names_of(self)):
            scheme: Any = schemes.get(j)
            if hasattr(scheme, "channel_matrix") or np.ndim(scheme) == 2:
                covariates.append(_scores(scheme, table[:, j], name, clear=clear))
            else:
                variance = _variance(scheme, j, d, names)
                covariates.append(_Covariate(table[:, [j]], [name], noise=variance))
        return covariates

    def _refuse(self, A: FloatArray, n: int) -> None:
        """Refuse sums that are no sums of squares, as noise and chance can make them."""
        unit = 1 / np.sqrt(np.maximum(np.abs(np.diag(A)), 1e-300))
        least = float(np.linalg.eigvalsh(unit[:, np.newaxis] * A * unit)[0])
        of = ", ".join(self._terms[:10])
        rule = f"X must vary by more than its disguise in each direction of {of} from n_samples={n}"
        rule += " (leave out what others tell, or ask more people), by a least eigenvalue above 0"
        check.demand(least > 1e-10, rule, least)


def _scores(scheme: Any, column: FloatArray, name: str, *, clear: bool) -> _Covariate:
    """Return scores unbiased for having each value but the first, (n, K - 1)."""
    own = _attribute_called(name, scheme, "disguised")
    matrix = matrix_of(own, what="disguised")
    values = check.labels_of(own, matrix.shape[1])
    if clear:
        scores = column[:, np.newaxis] == values
        rule = f"X must hold true values, {check.listed(values)}"
        check.refuse(~scores.any(axis=1), column, rule)
    else:
        codes = open_reports(own, column, name=name).codes()
        scores = check.invert_matrix(matrix)[:, codes].T
    names = [f"{name}={value}" for value in values[1:].tolist()]
    return _Covariate(scores[:, 1:].astype(np.float64), names if len(names) > 1 else [name], True)


def _attribute_called(column: str, scheme: Any, what: str) -> Channel:
    """Return the channel of the attribute of that name, or of any if all have one matrix."""
    known = column in getattr(scheme, "feature_names_in_", ())
    with check.naming(what, f"of one attribute for {column}, or know it by its name"):
        return one_attribute(scheme, column if known else None, what)


def _variance(scheme: Any, column: int, n_columns: int, names: AnyArray | None) -> float:
    """Return the variance of a covariate's noise, zero where it is clear.

    Of noise on several attributes its own is found by its name, or by place where none is known.
    """
    if scheme is None:
        return 0.0
    if not isinstance(scheme, AdditiveNoise):
        rule = "disguised (an AdditiveNoise, the variance of a noise, a Channel or a matrix)"
        return check.number(scheme, rule, low=0, inclusive="neither")
    scale, own_names = np.ravel(scheme._known_scale()), getattr(scheme, "feature_names_in_", None)
    if scale.size == 1:
        column = 0
    elif names is not None and own_names is not None:
        column = check.number_of(names[column], "disguised", own_names)
    else:
        check.of_shape(scale, "disguised", (n_columns,), "noise for one column or for all")
    return float(_VARIANCE[scheme.distribution] * scale[column] ** 2)


def _refuse_one_coin(schemes: list[Any]) -> None:
    """Refuse two attributes that share a coin, or may: their scores' product is biased."""
    for scheme in schemes:
        times = sum(each is scheme for each in schemes)
        if times > 1 and hasattr(scheme, "record_channels"):
            n = getattr(scheme, "n_features_in_", 0)  # before fit nobody knows who shares a coin
            apart = n if n == 0 or getattr(scheme, "asked", None) else len(scheme.record_channels())
            rule = "disguised must give attributes coins of their own, or products of scores are "
            rule += "biased: fit a scheme with a coin for each, groups=[[0], [1], ...], beforehand"
            check.demand(times <= n == apart, rule, scheme)
