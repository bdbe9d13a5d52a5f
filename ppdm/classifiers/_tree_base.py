"""What the classifiers around a tree share: its parameters, and how they predict."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ppdm import _validation as check
from ppdm._coding import Grid
from ppdm._estimators import BaseEstimator, ClassifierMixin, OnCodes
from ppdm.tree import CountTreeClassifier
from ppdm.tree._grow import Recode
from ppdm.tree._records import Records, weighed
from ppdm.typing import AnyArray, ArrayLike, Bits, FloatArray, IntArray


class TreeWrapper(ClassifierMixin, BaseEstimator):
    """A classifier that grows a ``CountTreeClassifier`` on disguised records.

    A subclass fits ``estimator_`` and ``classes_``. Its parameters that the tree has, too,
    are handed on by their names.
    """

    estimator_: CountTreeClassifier
    classes_: AnyArray
    n_features_in_: int

    def predict(self, X: ArrayLike) -> AnyArray:
        """Return the class of each clear record of X (n_samples, n_features), (n_samples,)."""
        check.fitted(self)
        tree, records = self.estimator_, self._records(X, reset=False)
        return np.asarray(tree.classes_[tree.tree_.label[tree._leaves(records)]])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the shares of the classes in each clear record's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Clear records.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check.fitted(self)
        tree, records = self.estimator_, self._records(X, reset=False)
        shares = np.zeros((len(records), self.classes_.size))
        # a class without a record is unknown to the tree
        known = np.isin(self.classes_, tree.classes_)
        shares[:, known] = tree.tree_.proba[tree._leaves(records)]
        return shares

    def _records(self, X: ArrayLike, *, reset: bool) -> AnyArray:
        """Return records, checked in ``fit`` (reset: reports of a scheme) or against it."""
        given = check.chosen(getattr(self, "scheme", None), X, "X") if reset else X
        return check.table(self, given, reset=reset, dtype=np.float64)

    def _grow(
        self,
        records: Records,
        edges: Sequence[FloatArray],
        recode: Recode | None = None,
        **options: Any,
    ) -> CountTreeClassifier:
        """Return a tree of coded records, with this classifier's parameters and these options."""
        tree, own = CountTreeClassifier(**options), self.get_params(deep=False)
        tree.set_params(**{name: own[name] for name in tree.get_params() if name in own})
        return tree._grow_coded(records, self.classes_, Grid(tuple(edges)), recode)


class BitTreeWrapper(TreeWrapper, OnCodes):
    """One whose records are bits: a multiway tree on attributes of two values."""

    classes_: AnyArray

    def _records(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check.bit_table(self, X, reset=reset)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Disguised bits.
        y : array-like of shape (n_samples,)
            Their classes, disguised or public.
        sample_weight : array-like of shape (n_samples,), optional
            How often each record came, a whole number from 0: patterns that were counted chunk by
            chunk are a tree's input, and give the tree of all records.

        Returns
        -------
        object
            The fitted classifier.

        Raises
        ------
        ValueError, TypeError
            If ``X`` has a missing value or anything but 0 and 1, a weight is no whole number from
            0, all are 0, or a parameter is not allowed.
        """
        bits = self._records(X, reset=True)
        if sample_weight is not None:
            check.repetitions(sample_weight, len(bits))
        bits, self.classes_, label, weight, _ = weighed(bits, y, sample_weight)
        edges, records = [np.arange(3.0)] * self.n_features_in_, self._undo(bits, label, weight)
        tree = self._grow(records, edges, criterion="entropy", split="multiway")
        self.estimator_: CountTreeClassifier = tree
        return self

    def _undo(self, bits: Bits, label: IntArray, weight: FloatArray | None) -> Records:
        """Return records as the tree counts them."""
        return Records(np.ascontiguousarray(bits.T, dtype=np.int32), label, weight)
