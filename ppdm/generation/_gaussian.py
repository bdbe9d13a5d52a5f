"""The plain baseline: one Gaussian for each class, behind the same interface."""

from __future__ import annotations

import numpy as np

from ppdm._types import AnyArray, FloatArray, IntArray, RandomState
from ppdm.generation._resampler import Resampler

__all__ = ["GaussianSampleGenerator"]


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
        self,
        n_samples: str | int = "same",
        *,
        random_state: RandomState = None,
    ) -> None:
        self.n_samples = n_samples
        self.random_state = random_state

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        groups = [values[labels == label] for label in self.classes_]
        sizes = np.array([len(group) for group in groups])
        if sizes.min() < 2:
            rare = self.classes_.tolist()[sizes.argmin()]
            raise ValueError(f"every class must have at least 2 records, got 1 of class {rare!r}")
        d = values.shape[1]
        self.class_prior_: FloatArray = sizes / sizes.sum()
        self.means_: FloatArray = np.array([group.mean(axis=0) for group in groups])
        self.covariances_: FloatArray = np.array(
            [np.cov(group, rowvar=False).reshape(d, d) for group in groups]
        )

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
