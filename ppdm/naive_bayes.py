"""Naive Bayes from counts; it knows nothing of privacy.

The classifier needs how many records of each class there are, and how many of them have
each value of each attribute. Whoever can estimate these counts can train it without ever
seeing a record (ZCM04, section 3.4). So the records may carry signed weights, whose sums
are such estimates. Counts add up: records may come in chunks, and two learners be added.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from operator import add
from typing import Self

import numpy as np
from scipy.special import log_softmax

from ppdm import _validation as check
from ppdm._coding import count_pairs
from ppdm._estimators import ClassifierMixin, OnCodes
from ppdm._statistics import made_legal
from ppdm._weighted import mass, numbers_of, public_classes, unit_of
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Categories,
    Codes,
    FloatArray,
    GivenCategories,
    IntArray,
)

__all__ = ["CountNB"]

#: A sum of signed weights up to so many records is zero, as in the tree.
ZERO_COUNT = 1e-6


class CountNB(ClassifierMixin, OnCodes):
    """Naive Bayes on coded attributes, from counts that may be signed.

    A record goes to the class C with the largest P(C) prod_j P(A_j | C), in logarithms, where
    P(A_j | C) = P(A_j, C) / P(C) (ZCM04, Eq. 6); a tie goes to the lowest class. P(C) and
    P(A_j | C) are quotients of counts. One that is not positive becomes 1/(2n), n being the
    number of records; one above 1, which signed weights can give, becomes 1. Weights above one
    are repeated records. Those that average less have no unit: n is (sum w)^2 / sum w^2, the
    number of records where all weigh the same.

    Parameters
    ----------
    n_values : int or list of int, default=None
        How many values an attribute has, 0, ..., n_values - 1: one number for all, or one
        each. None learns them from the first records, and refuses any other later.
    categories : list of array-like or None, default=None
        The labels of each attribute, in the order of their codes; None for one of codes. By
        default those of a pandas Categorical; texts are learnt from the first records.
    smoothing : float > 0, default=None
        Another rule for what is not positive: the counts of each class become the nearest ones
        that are not negative and add up to its size, then each value gets so many records
        more. It is the same for all learners from counts, and so for all disguises.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_values_ : ndarray of int, shape (n_features,)
    categories_ : list of ndarray, or None where all hold codes
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    References
    ----------
    ZCM04, section 3.4.

    Examples
    --------
    >>> from ppdm.naive_bayes import CountNB
    >>> X = [[0, 2], [0, 1], [1, 1], [1, 0], [1, 2]]
    >>> nb = CountNB().fit(X, ["no", "no", "yes", "yes", "yes"])
    >>> nb.predict([[0, 1], [1, 0]])
    array(['no', 'yes'], dtype='<U3')

    The last record is taken back by one of weight -1, and two learners add up:

    >>> nb.partial_fit([[1, 2]], ["yes"], sample_weight=[-1]).class_count_
    array([2., 2.])

    >>> (CountNB(3).fit(X[:3], [0, 0, 1]) + CountNB(3).fit(X[1:4], [0, 1, 1])).class_count_
    array([3., 3.])
    """

    classes_: AnyArray
    n_values_: IntArray
    categories_: Categories | None
    n_features_in_: int
    _n_codes: int
    _totals: tuple[AnyArray, AnyArray, AnyArray]
    _unit: float
    _undone: tuple[FloatArray, FloatArray] | None
    smoothing: float | None

    def __init__(
        self,
        n_values: int | Sequence[int] | None = None,
        *,
        categories: GivenCategories = None,
        smoothing: float | None = None,
    ) -> None:
        self.n_values = n_values
        self.categories = categories
        self.smoothing = smoothing

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the records.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Codes 0, 1, ..., or labels.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Signed weights, of a positive total.

        Returns
        -------
        CountNB

        Raises
        ------
        ValueError
            If ``X`` has a missing value, a value that is no code, or a category that its
            attribute does not have; if the total weight is not positive.
        """
        return self._count(X, y, None, sample_weight, first=True)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count more records; counts add up, bit for bit as if all had come at once.

        Weights that are no whole numbers add up as floats do. An error changes nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Codes 0, 1, ..., or labels.
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes there will be; by default those of the first call, and the same later.
        sample_weight : array-like of shape (n_samples,), default=None
            Signed weights; the total over all calls is positive.

        Returns
        -------
        CountNB

        Raises
        ------
        ValueError
            As ``fit``; also if ``classes`` are not those of the first call, or ``y`` has a class,
            or ``X`` a category, that were unknown then.
        """
        return self._count(X, y, classes, sample_weight, first=not hasattr(self, "classes_"))

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the class of each record, shape (n_samples,)."""
        scores = self.predict_joint_log_proba(X)
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def predict_joint_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return log P(C) prod_j P(A_j | C), shape (n_samples, n_classes)."""
        check.fitted(self)
        codes = self._codes(X, reset=False)
        self._true_counts()
        twin = copy(self)
        twin._unit = 1.0  # counts of records instead of weights, to compute with
        prior, given = twin._probabilities()
        scores: FloatArray = np.tile(np.log(prior), (len(codes), 1))
        tables = np.ascontiguousarray(np.log(given).swapaxes(1, 2))
        for table, column in zip(tables, codes.T, strict=True):
            scores += table.take(column, axis=0, mode="clip")  # codes are known to be right
        return scores

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`."""
        return np.asarray(log_softmax(self.predict_joint_log_proba(X), axis=1))

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class, shape (n_samples, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def _count(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None,
        sample_weight: ArrayLike | None,
        *,
        first: bool,
    ) -> Self:
        check.given("smoothing", self.smoothing)
        both = copy(self)  # an error leaves this learner as it was
        codes = both._training_codes(X, reset=first)
        known, label = check.classes(y, len(codes))
        weight = None if sample_weight is None else check.weights(sample_weight, label.size)
        if first:
            both.n_values_, both._n_codes = both._learn_values(codes)
            both.classes_ = known if classes is None else public_classes(classes)
            both._totals = np.array(0), np.array(0), np.array(0)
        elif classes is not None:
            check.alike(both.classes_, public_classes(classes), "classes")
        if not np.array_equal(known, both.classes_):
            label = numbers_of(known, both.classes_)[label]
        both._add(*both._tally(codes, label, weight), mass(weight, label.size))
        if first:
            both._true_counts()  # what cannot be undone is refused at once
        self.__dict__ = both.__dict__
        return self

    def __add__(self, other: Self) -> Self:
        """Return a learner with the counts of both; neither of the two is changed.

        Raises
        ------
        ValueError, TypeError
            If a parameter, the classes or the attributes differ, or the kind of learner.
        """
        if type(other) is not type(self):
            return NotImplemented
        check.fitted(self)
        check.fitted(other)
        learnt = ("classes_", "n_values_", "categories_", "n_features_in_", "feature_names_in_")
        for name in (*self.get_params(deep=False), *learnt, "_n_codes"):
            check.alike(getattr(self, name, None), getattr(other, name, None), name)
        both = copy(self)
        both._add(*other._totals)
        return both

    def _add(self, *totals: AnyArray) -> None:
        """Add what was counted elsewhere: classes, pairs and what the weights add up to."""
        classes, pairs, weighed = map(add, self._totals, totals)
        self._totals, self._undone, self._unit = (classes, pairs, weighed), None, unit_of(weighed)

    @property
    def class_count_(self) -> FloatArray:
        """The weight of each class, (n_classes,), estimated where it was disguised."""
        return self._true_counts()[0] * self._unit

    @property
    def pair_count_(self) -> FloatArray:
        """That of each class and value, (n_features, n_classes, values); 0 where there is none."""
        return self._true_counts()[1] * self._unit

    def _true_counts(self) -> tuple[FloatArray, FloatArray]:
        """Undo the totals once, when they are asked for: what adds up is what was counted.

        Returned are numbers of records, whatever each of them weighs.
        """
        check.fitted(self)
        if self._undone is None:
            of_class, of_pair = (total / self._unit for total in self._totals[:2])
            self._undone = self._undo(of_class, of_pair)
        return self._undone

    def _tally(
        self, codes: Codes, label: IntArray, weight: FloatArray | None
    ) -> tuple[AnyArray, AnyArray]:
        """Return the weight of each class, and of each class and value."""
        pairs = count_pairs(codes, label, weight, self.classes_.size, self._n_codes)
        return pairs[0].sum(axis=1), pairs

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        """Return how many values each attribute has and how many codes are counted at most."""
        known, d = getattr(self, "categories_", None), codes.shape[1]
        if self.n_values is not None:
            sizes = check.n_values(self.n_values, d, categories=known, low=1, in_all=np.inf)
            check.codes(codes, "X", sizes)
        else:
            most = check.MOST_VALUES
            check.demand(codes.max() < most, f"X must hold codes below {most}", int(codes.max()))
            sizes = [
                int(column.max()) + 1 if labels is None else len(labels)
                for column, labels in zip(codes.T, known or [None] * d, strict=True)
            ]
        return np.array(sizes), max(sizes)

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return true counts from those of the records given; here they are the same."""
        return classes, pairs

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        """Return the records to learn from as codes; those to predict are ``_codes``."""
        return self._codes(X, reset=reset)

    def _codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        table = check.coded_table(self, X, reset=reset, learn=True)
        return check.codes(table, "X", None if reset else self.n_values_)

    def _probabilities(self) -> tuple[FloatArray, FloatArray]:
        """Return P(C) and P(A_j | C) of shape (n_features, n_classes, values), all above 0."""
        n = self.class_count_.sum()
        prior = _above_zero(self.class_count_ / n, n)
        if self.smoothing is None:
            return prior, _above_zero(self.pair_count_ / (n * prior[:, np.newaxis]), n)
        added, total = float(self.smoothing), np.maximum(self.class_count_, ZERO_COUNT)
        given = np.ones_like(self.pair_count_)
        for table, counts, size in zip(given, self.pair_count_, self.n_values_, strict=True):
            legal = made_legal(counts[:, :size], "simplex", total)
            table[:, :size] = (legal + added) / (total[:, np.newaxis] + added * size)
        return prior, given


def _above_zero(shares: FloatArray, n: float) -> FloatArray:
    """Return shares of n records as probabilities that have a logarithm."""
    return np.where(shares > ZERO_COUNT / n, np.minimum(shares, 1.0), 0.5 / n)
