"""What the generators share, input and output, and the plainest: one Gaussian for each class."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.exceptions import MissingClassWarning
from ppdm.typing import AnyArray, FloatArray, IntArray, RandomState, ReleaseSize


class Resampler(BaseEstimator):
    """fit, sample and fit_resample; a subclass says how to learn and how to draw."""

    n_samples: ReleaseSize
    random_state: RandomState
    classes_: AnyArray
    box_: FloatArray

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
        values, labels = self._read(X, y)
        self.classes_ = check.classes(labels, len(values))[0]
        if self.classes_.size < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(f"y must hold at least two classes, got 1 class: {only!r}")
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
        wanted = self.n_samples if n_samples is None else n_samples
        n = self._n_original
        if not isinstance(wanted, str):
            n = check.integer(wanted, "n_samples", low=1, most=check.MOST_DRAWS)
        elif wanted != "same":
            raise ValueError(f"n_samples must be 'same' or an integer >= 1, got {wanted!r}")
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

    def _read(self, X: ArrayLike, y: ArrayLike) -> tuple[AnyArray, AnyArray]:
        """Return the records as numbers, and their classes."""
        return check.labelled_table(self, X, y, dtype=np.float64)

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        raise NotImplementedError

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Return n records and the codes (indices into classes_) of their classes."""
        raise NotImplementedError

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


class GaussianSampleGenerator(Resampler):
    """Invented records from one Gaussian for every class: the baseline.

    Parameters
    ----------
    n_samples : "same" or int, default="same"
        How many records to release; "same" is as many as there were.
    random_state : None, int or numpy.random.Generator, default=None
        An integer gives the same release at every call; pass one Generator to make
        several releases.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Shares of the classes in the data; released classes are drawn with them.
    means_ : ndarray of shape (n_classes, n_features)
    covariances_ : ndarray of shape (n_classes, n_features, n_features)
        Sample covariances (divisor n_c - 1).
    class_shares_ : ndarray of shape (n_classes,)
        Share of every class in the last release.
    box_ : ndarray of shape (n_features, 2)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        As in :class:`SampleGenerator`; here the box limits nothing.

    Raises
    ------
    ValueError
        If y has one class only, a class has fewer than two records (its release would
        be that record), or X has a missing or infinite value.

    Notes
    -----
    Values may fall outside the range of the data, below zero for a length too: they
    are left as drawn. No classifier is trained, so every draw is released.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> X_released, y_released = GaussianSampleGenerator(random_state=0).fit_resample(X, y)
    >>> X_released.shape
    (150, 4)
    """

    def __init__(
        self, n_samples: ReleaseSize = "same", *, random_state: RandomState = None
    ) -> None:
        self.n_samples: ReleaseSize = n_samples
        self.random_state = random_state

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        groups = [values[labels == label] for label in self.classes_]
        sizes = np.array([len(group) for group in groups])
        if sizes.min() < 2:
            rare = self.classes_.tolist()[sizes.argmin()]
            raise ValueError(f"y must have 2 or more records of every class, got 1 of {rare!r}")
        self.class_prior_: FloatArray = sizes / sizes.sum()
        self.means_: FloatArray = np.array([group.mean(axis=0) for group in groups])
        covariances = [np.atleast_2d(np.cov(group, rowvar=False)) for group in groups]
        self.covariances_: FloatArray = np.array(covariances)

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        codes = rng.choice(self.classes_.size, size=n, p=self.class_prior_)
        values = np.empty((n, self.means_.shape[1]))
        for c, (mean, covariance) in enumerate(zip(self.means_, self.covariances_, strict=True)):
            rows = np.flatnonzero(codes == c)
            # a singular covariance (constant columns, few records) is legal
            values[rows] = rng.multivariate_normal(
                mean, covariance, size=rows.size, check_valid="ignore", method="eigh"
            )
        return values, codes
