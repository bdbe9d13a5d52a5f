"""Coefficients with their errors: intervals and a table with names, of either regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm._statistics import normal_quantile
from ppdm._weighted import Sample
from ppdm.typing import AnyArray, FloatArray

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
        check_is_fitted(self)
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
        check_is_fitted(self)
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
        self.n_reports_, self.degrees_ = int(sample.counted.sum()), sample.degrees


def covariates(estimator: Any, X: Any, *, reset: bool = False) -> FloatArray:
    """Return the covariates given to an estimator, (n, d); of texts say what to do with them."""
    values = check.plain(X, "X")
    objects = values.ravel().tolist() if values.dtype.kind in "OUS" else []
    text = next((value for value in objects if isinstance(value, str)), None)
    rule = "X must hold numbers (make zeros and ones of labels first, by scikit-learn's "
    check.demand(text is None, f"{rule}OneHotEncoder(drop='first'))", text, TypeError)
    lost = check.missing_values(values)
    if values.ndim == 2 and lost.any():
        names = check.names_of(X)
        of = [f"x{j}" if names is None else names[j] for j in np.flatnonzero(lost.any(axis=0))]
        called = check.listed(np.array(of))[1:-1]
        advice = "take these people out, or in fit give them a sample_weight of zero"
        check.refuse_missing(values, called, "X", advice)
    return check.numbers(check.records(estimator, X, reset=reset), "X", low=-_MOST, high=_MOST)


def names_of(estimator: Any) -> list[str]:
    """Return what the covariates are called: a frame's names, or x0, x1, ..."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else list(names)
