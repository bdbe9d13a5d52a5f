"""What the generators of :mod:`ppdm.generation` share: input and output."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ppdm import _validation as check
from ppdm._types import AnyArray, FloatArray, IntArray, RandomState
from ppdm.exceptions import MissingClassWarning


class Resampler(BaseEstimator):  # type: ignore[misc]
    """fit, sample and fit_resample; a subclass says how to learn and how to draw."""

    n_samples: str | int
    random_state: RandomState

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from the original records.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The original records, numeric, without missing values.
        y : array-like of shape (n_samples,)
            Their classes, two or more, of any type.

        Returns
        -------
        self : object
        """
        values, labels = validate_data(self, X, y, dtype=np.float64)
        self.classes_ = check.classes(labels, len(values))[0]
        if self.classes_.size < 2:
            raise ValueError(
                f"y must hold at least two classes, got 1 class: {self.classes_.tolist()[0]!r}"
            )
        self.box_: FloatArray = np.column_stack([values.min(axis=0), values.max(axis=0)])
        self._n_original = len(values)
        # a pandas frame or series is answered in kind, without importing pandas here
        self._frame: Any = (type(X), X.columns) if hasattr(X, "columns") else None
        self._series: Any = (type(y), y.name) if hasattr(y, "name") else None
        self._learn(values, labels)
        return self

    def sample(self, n_samples: int | None = None) -> tuple[Any, Any]:
        """Draw a release from what ``fit`` learned.

        Parameters
        ----------
        n_samples : int, optional
            How many records; by default the constructor's ``n_samples``.

        Returns
        -------
        X_released : ndarray or DataFrame of shape (n_samples, n_features)
            The invented records, of the type that ``fit`` was given.
        y_released : ndarray or Series of shape (n_samples,)
            Their classes.

        Warns
        -----
        MissingClassWarning
            If the release holds no record of one of the original classes.
        """
        check_is_fitted(self)
        n = self._n_wanted(self.n_samples if n_samples is None else n_samples)
        values, codes = self._draw(n, check.random_state(self.random_state))
        self.class_shares_: FloatArray = np.bincount(codes, minlength=self.classes_.size) / n
        lost = self.classes_[self.class_shares_ == 0].tolist()
        if lost:
            warnings.warn(
                f"the release of {n} records holds none of class {', '.join(map(repr, lost))}",
                MissingClassWarning,
                stacklevel=2,
            )
        labels = self.classes_[codes]
        if self._series is not None:
            kind, name = self._series
            labels = kind(labels, name=name)
        return self._as_input(values), labels

    def fit_resample(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
        """``fit``, then ``sample``: the release in one call, as in imbalanced-learn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The original records.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        X_released, y_released
            As from :meth:`sample`.
        """
        return self.fit(X, y).sample()

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        raise NotImplementedError

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Return n records and the codes (indices into classes_) of their classes."""
        raise NotImplementedError

    def _n_wanted(self, n_samples: str | int) -> int:
        if isinstance(n_samples, str):
            if n_samples != "same":
                raise ValueError(f"n_samples must be 'same' or an integer >= 1, got {n_samples!r}")
            return self._n_original
        return check.integer(n_samples, "n_samples", low=1)

    def _as_input(self, values: FloatArray) -> Any:
        """Give values the type that X had in fit: a matrix or a frame with its column names."""
        if self._frame is None:
            return values
        kind, names = self._frame
        return kind(values, columns=names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
