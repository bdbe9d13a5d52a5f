"""Least squares where covariates, or a yes or no as the outcome, were disguised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import RegressorMixin
from ppdm._weighted import read_design, spread
from ppdm.noise import AdditiveNoise
from ppdm.regression._coefficients import Coefficients, carried, covariates
from ppdm.regression._reports import opened, rows_of, truths_of
from ppdm.typing import AnyArray, FloatArray, IntArray

#: The variance of each noise of scale one.
_VARIANCE = {"gaussian": 1.0, "uniform": 1 / 3, "laplace": 2.0}


class _Columns(NamedTuple):
    """What is put in the place of the covariates."""

    scores: FloatArray
    """Unbiased for the true covariates, (n, p)."""
    of: IntArray
    """Which covariate each column is of, (p,)."""
    noise: FloatArray
    """The variance of its noise, (p,)."""
    coded: AnyArray
    """Whether it is the score of a disguised value, (p,)."""
    names: list[str]


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
        Clusters less strata; infinite without clusters.
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

    coef_: FloatArray
    intercept_: Any
    covariance_: FloatArray
    n_reports_: int
    degrees_: float

    def __init__(
        self, disguised: Mapping[int | str, Any] | None = None, *, y_scheme: Any = None
    ) -> None:
        self.disguised = disguised
        self.y_scheme = y_scheme

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
            Covariates, as they were released where they are disguised.
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
        table = covariates(self, X, reset=True)
        outcome = self._outcome(y, len(table))
        design = read_design(len(table), sample_weight, clusters, strata)
        columns = self._columns(table)
        V, W = columns.scores, design.weights
        centre: FloatArray = W @ V / W.sum()
        Z = np.column_stack([np.ones(len(V)), V - centre])
        # what the disguise adds to the sums of products: a block for each covariate
        same = (columns.of[:, np.newaxis] == columns.of) & columns.coded
        extra = same * (V.T @ (V * W[:, np.newaxis])) + np.diag(W.sum() * columns.noise)
        extra -= np.diag(columns.coded * (W @ V))
        A = Z.T @ (Z * W[:, np.newaxis])
        A[1:, 1:] -= extra
        self._refuse(A, columns, len(V))
        b = np.linalg.solve(A, Z.T @ (W * outcome))
        wrong = V * (V @ (same * b[1:, np.newaxis]) - columns.coded * b[1:]) + columns.noise * b[1:]
        scores = Z * (outcome - Z @ b)[:, np.newaxis]
        scores[:, 1:] += wrong
        inverse = np.linalg.inv(A)
        covariance = inverse @ spread(scores * W[:, np.newaxis], design) @ inverse
        back = np.eye(len(b))
        back[0, 1:] = -centre
        self.intercept_, self.coef_ = float((back @ b)[0]), np.asarray(b[1:])
        self.covariance_, self._names = carried(back, covariance), columns.names
        self.n_reports_, self.degrees_ = int((W > 0).sum()), design.degrees
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the expected outcome of people whose true covariates are X, (n,).

        Parameters
        ----------
        X : array-like of shape (n, d)
            In the clear; of an attribute that was disguised its true value.
        """
        check_is_fitted(self)
        columns = self._columns(covariates(self, X), clear=True)
        return np.asarray(columns.scores @ self.coef_ + self.intercept_)

    def _outcome(self, y: ArrayLike, n: int) -> FloatArray:
        """Return the outcome, or the scores of its reports, (n,)."""
        from sklearn.utils import column_or_1d

        given = check.plain(y, "y")
        with check.naming("y", "an outcome for each record"):
            given = column_or_1d(given, warn=True)
        check.demand(len(given) == n, f"y must have an outcome for each of {n} rows", len(given))
        if self.y_scheme is None:
            return check.numbers(given, "y")
        values, matrix, codes = rows_of(*opened(self.y_scheme, given, name="y_scheme"))
        check.demand(len(values) == 2, "y_scheme must have two true values", values.tolist())
        return np.asarray(check.inverse_of(matrix)[1, codes])

    def _columns(self, table: FloatArray, *, clear: bool = False) -> _Columns:
        """Return what stands in the place of the covariates (n, d), disguised or ``clear``."""
        d, names = table.shape[1], getattr(self, "feature_names_in_", None)
        given: Any = self.disguised if self.disguised is not None else {}
        rule = "disguised must be a dict from columns to their schemes"
        check.demand(isinstance(given, Mapping), rule, given, TypeError)
        schemes = {
            check.number_of(key, "disguised", names) if isinstance(key, str)
            else check.integer(key, "disguised", low=0, high=d - 1): scheme
            for key, scheme in given.items()
        }  # fmt: skip
        _refuse_one_coin([*schemes.values(), self.y_scheme])
        scores, noise, coded = list[FloatArray](), list[float](), list[bool]()
        of, terms = list[int](), list[str]()
        for j in range(d):
            scheme: Any = schemes.get(j)
            name = f"x{j}" if names is None else names[j]
            is_channel = hasattr(scheme, "channel_matrix") or np.ndim(scheme) == 2
            own, labels = _scores(scheme, table[:, j], clear) if is_channel else (table[:, [j]], [])
            k = own.shape[1]
            scores.append(own)
            noise += [0.0 if is_channel else _variance(scheme, j, d)] * k
            coded, of = coded + [is_channel] * k, of + [j] * k
            terms += [name] if k == 1 else [f"{name}={label}" for label in labels]
        return _Columns(np.hstack(scores), np.array(of), np.array(noise), np.array(coded), terms)

    def _terms(self) -> list[str]:
        return self._names

    def _refuse(self, A: FloatArray, columns: _Columns, n: int) -> None:
        """Refuse sums that are no sums of squares, as noise and chance can make them."""
        unit = 1 / np.sqrt(np.maximum(np.abs(np.diag(A)), 1e-300))
        least = float(np.linalg.eigvalsh(unit[:, np.newaxis] * A * unit)[0])
        if least <= 1e-10:
            names = ", ".join(columns.names[:10])
            raise ValueError(
                f"X must vary by more than its disguise, in each direction: the corrected sums of "
                f"squares of {names} from n_samples={n} have the least eigenvalue {least:.3g} (1 "
                "where no covariate depends on others): leave out what does, or ask more people"
            )


def _scores(scheme: Any, column: FloatArray, clear: bool) -> tuple[FloatArray, list[Any]]:
    """Return scores unbiased for having each value but the first, (n, K - 1), and these values."""
    if clear:
        values, _ = truths_of(scheme)
        found = column[:, np.newaxis] == values
        check.refuse(~found.any(axis=1), column, f"X must hold true values, {values.tolist()}")
        return found[:, 1:].astype(np.float64), values[1:].tolist()
    values, matrix, codes = rows_of(*opened(scheme, column, name="disguised"))
    return check.inverse_of(matrix)[1:, codes].T, values[1:].tolist()


def _variance(scheme: Any, column: int, n_columns: int) -> float:
    """Return the variance of a covariate's noise, zero where it is clear."""
    if scheme is None:
        return 0.0
    if not isinstance(scheme, AdditiveNoise):
        rule = "disguised (an AdditiveNoise, the variance of a noise, a Channel or a matrix)"
        return check.number(scheme, rule, low=0, inclusive="neither")
    scale = np.ravel(scheme._known_scale())
    rule = f"disguised must have noise for one column or for all {n_columns}"
    check.demand(scale.size in (1, n_columns), rule, scale.size)
    return float(_VARIANCE[scheme.distribution] * scale[column if scale.size > 1 else 0] ** 2)


def _refuse_one_coin(schemes: list[Any]) -> None:
    """Refuse two attributes that share a coin, or may: their scores' product is biased."""
    for scheme in schemes:
        times = sum(each is scheme for each in schemes)
        if times > 1 and hasattr(scheme, "record_channels"):
            n = getattr(scheme, "n_features_in_", 0)  # before fit nobody knows who shares a coin
            apart = n if n == 0 or getattr(scheme, "asked", None) else len(scheme.record_channels())
            rule = "disguised must give attributes coins of their own, since of one that two share "
            rule += "the product of their scores is biased: fit the scheme with a coin for each "
            rule += "(groups=[[0], [1], ...]), or give each attribute its own scheme"
            check.demand(times <= n == apart, rule, scheme)
