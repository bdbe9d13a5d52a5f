"""Generators: what they share, LX14's, and the plainest, one Gaussian for each class.

LX14's provider trains classifiers on the true records, invents records at random inside the range
of every attribute, keeps those on which all classifiers give the same class and publishes them
with that class (section 2 and Fig. 1). No record is disguised: the release is new, and what it
carries of the data went through the classifiers and through the ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.channel import Scheme
from ppdm.exceptions import MissingClassWarning, warn
from ppdm.typing import AnyArray, ArrayLike, FloatArray, IntArray, RandomState, ReleaseSize

_LARGEST_BATCH = 1 << 16  # candidates judged at once: bounds the memory


class Resampler(Scheme, BaseEstimator):
    """fit, sample and fit_resample; a subclass says how to learn and how to draw."""

    n_samples: ReleaseSize
    random_state: RandomState
    classes_: AnyArray

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
        values = self._read(X)
        self.classes_, label = self._read_classes(y, len(values))
        known = self.classes_.tolist()
        check.demand(len(known) > 1, "y must hold two classes or more, not one class", known)
        self.box_: FloatArray = np.column_stack([values.min(axis=0), values.max(axis=0)])
        self._n_original = len(values)
        # a pandas frame or series is answered in kind, without importing pandas here
        kinds: tuple[Any, Any] = type(X), type(y)
        self._frame = partial(kinds[0], columns=X.columns) if hasattr(X, "columns") else None
        self._series = partial(kinds[1], name=y.name) if hasattr(y, "name") else np.asarray
        self._learn(values, self.classes_[label])
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
        check.fitted(self)
        wanted = self.n_samples if n_samples is None else n_samples
        same = isinstance(wanted, str) and wanted == "same"
        n = self._n_original if same else check.given("n_samples", wanted)
        values, codes = self._draw(n, check.stream(self.random_state, type(self).__name__))
        self.class_shares_: FloatArray = np.bincount(codes, minlength=self.classes_.size) / n
        lost = self.classes_[self.class_shares_ == 0].tolist()
        if lost:
            warn(
                f"the release of {n} records holds none of class {', '.join(map(repr, lost))}",
                MissingClassWarning,
            )
        return self._as_input(values), self._series(self.classes_[codes])

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
        check.in_step(X=X, y=y)
        return self.fit(X, y).sample()

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Return a release in place of the records: :meth:`fit_resample`, which needs classes."""
        check.demand(y is not None, "y must hold the classes, which the release invents, too", y)
        return self.fit_resample(X, y)

    def _read(self, X: ArrayLike) -> AnyArray:
        """Return the records as numbers."""
        return check.table(self, X, reset=True, dtype=np.float64)

    def _read_classes(self, y: ArrayLike, n: int) -> tuple[AnyArray, IntArray]:
        """Return the classes in order and the number of each record's among them."""
        return check.classes(y, n)

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        raise NotImplementedError

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Return n records and the codes (indices into classes_) of their classes."""
        raise NotImplementedError

    def _as_input(self, values: FloatArray) -> Any:
        """Give values the type that X had in fit: a matrix or a frame with its column names."""
        return values if self._frame is None else self._frame(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def default_estimators() -> list[Any]:
    """Return the two classifiers of LX14: a pruned entropy tree and the nearest neighbour.

    Returns
    -------
    list of two unfitted classifiers
        The tree stands in for WEKA's J48: entropy, at least two records a leaf,
        cost-complexity pruning at 0.01 bit, which on the Pima data leaves about as
        many leaves as J48 does (13; without pruning 120). The neighbour measures
        distances as WEKA's IBk: every attribute scaled to [0, 1] by the range in the
        training records.

    Examples
    --------
    >>> tree, neighbour = default_estimators()
    >>> tree.get_params()["criterion"], neighbour[-1].n_neighbors
    ('entropy', 1)
    """
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, ccp_alpha=0.01, random_state=0
    )
    return [tree, make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1))]


@dataclass(eq=False, repr=False)
class SampleGenerator(Resampler):
    """Invented records, uniform in the attribute box, on which all classifiers agree.

    Parameters
    ----------
    estimators : list of classifiers, optional
        One or more scikit-learn classifiers. They are cloned and fitted on the original
        records. By default those of :func:`default_estimators`.
    n_samples : "same" or int, default="same"
        How many records to release; "same" is as many as there were.
    random_state : None, int or numpy.random.Generator, default=None
        An integer gives the same release at every call; pass one Generator to make
        several releases.

    Attributes
    ----------
    estimators_ : list of fitted classifiers
    classes_ : ndarray of shape (n_classes,)
        Those in ``y``: the release makes public which there are.
    box_ : ndarray of shape (n_features, 2)
        Smallest and largest value of every attribute. The release shows it to everyone.
    n_drawn_ : int
        Candidates looked at for the last release.
    acceptance_rate_ : float
        Released records over candidates, in (0, 1].
    class_shares_ : ndarray of shape (n_classes,)
        Share of every class in the last release. It follows the volume where the
        classifiers say that class, not the share of the class in the data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where ``X`` has column names.

    Raises
    ------
    ValueError
        If y has one class only, X has a missing or infinite value, or ``n_samples``
        is out of range; in ``sample``, if the classifiers agree so rarely that 1,000
        candidates for every wanted record, and 100,000 in all, do not suffice.
    TypeError
        If an estimator is not a classifier.

    Notes
    -----
    LX14, Fig. 1. Every column is taken as continuous, whole numbers in the data or not; a
    constant one stays constant. Candidates are judged in batches; the release is, record by record,
    that of the paper's loop over single candidates with the same random numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> generator = SampleGenerator(random_state=0)
    >>> X_released, y_released = generator.fit_resample(X, y)
    >>> X_released.shape, bool((X_released >= X.min(axis=0)).all())
    ((150, 4), True)
    >>> X_more, y_more = generator.sample(600)
    >>> y_more.size, 0.5 < generator.acceptance_rate_ < 1
    (600, True)
    """

    estimators: Sequence[Any] | None = None
    n_samples: ReleaseSize = "same"
    _: KW_ONLY
    random_state: RandomState = None

    def _learn(self, values: FloatArray, labels: AnyArray) -> None:
        given = default_estimators() if self.estimators is None else self.estimators
        estimators = check.sequence(given, "estimators", "classifiers")
        check.demand(estimators, "estimators must hold at least one classifier", estimators)
        for estimator in estimators:
            legal = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
            rule = "estimators must be scikit-learn classifiers"
            check.demand(legal and is_classifier(estimator), rule, estimator, TypeError)
        inputs = self._as_input(values)
        self.estimators_: list[Any] = [clone(each).fit(inputs, labels) for each in estimators]

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        limit = max(100_000, 1000 * n)
        low, high = self.box_.T
        records: list[FloatArray] = []
        codes: list[IntArray] = []
        n_kept = n_drawn = 0
        while n_kept < n:
            # the share of candidates kept so far, or what it may be while there is none
            rate = n_kept / n_drawn if n_kept else 1 / (1 + 2 * n_drawn / n)
            wanted = int(1.1 * (n - n_kept) / rate) + 64
            size = min(wanted, _LARGEST_BATCH, limit - n_drawn)
            rule = f"estimators must agree more often: on {n} of {n_drawn} candidates"
            check.demand(size, rule, n_kept)
            candidates = low + rng.random((size, low.size)) * (high - low)
            rows, agreed = self._agreed(candidates)
            surplus = n_kept + rows.size >= n
            rows, agreed = rows[: n - n_kept], agreed[: n - n_kept]
            records.append(candidates[rows])
            codes.append(agreed)
            n_kept += rows.size
            # candidates after the last one released do not count as looked at
            n_drawn += int(rows[-1]) + 1 if surplus else size
        self.n_drawn_ = n_drawn
        self.acceptance_rate_: float = n / n_drawn
        return np.vstack(records), np.concatenate(codes)

    def _agreed(self, candidates: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the rows on which all classifiers agree, and the code of the class."""
        first, *others = self.estimators_
        votes = first.predict(self._as_input(candidates))
        rows = np.arange(len(candidates))
        for estimator in others:
            if rows.size:
                rows = rows[estimator.predict(self._as_input(candidates[rows])) == votes[rows]]
        return rows, np.searchsorted(self.classes_, votes[rows])


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
        As in :class:`SampleGenerator`.
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
        rule = f"y must have 2 or more records of every class, {check.listed(self.classes_)}"
        check.demand(sizes.min() > 1, rule, sizes.tolist())
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
