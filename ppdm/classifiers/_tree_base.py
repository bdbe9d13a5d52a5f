"""What the classifiers around a tree share: its parameters, and how they predict."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator, ClassifierMixin
from ppdm._readings import Chunk, Facts, Readings, learn
from ppdm.tree import ChunkedMembers, CountTreeClassifier, Members
from ppdm.typing import AnyArray, Bits, FloatArray


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
        check_is_fitted(self)
        return self.estimator_.predict(self._records(X, reset=False))

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
        check_is_fitted(self)
        found = self.estimator_.predict_proba(self._records(X, reset=False))
        shares = np.zeros((len(found), self.classes_.size))
        # a class whose estimates are all exactly zero is unknown to the tree
        shares[:, np.isin(self.classes_, self.estimator_.classes_)] = found
        return shares

    def _records(self, X: ArrayLike, *, reset: bool) -> AnyArray:
        """Return records, checked in ``fit`` (reset) or against it."""
        values: AnyArray = check.table(self, X, reset=reset, dtype=np.float64)
        return values

    def _new_tree(self, **options: Any) -> CountTreeClassifier:
        """Return an unfitted tree with this classifier's parameters, and these options."""
        tree, own = CountTreeClassifier(**options), self.get_params(deep=False)
        tree.set_params(**{name: own[name] for name in tree.get_params() if name in own})
        return tree


class BitTreeWrapper(TreeWrapper):
    """One whose records are bits: a multiway tree on attributes of two values."""

    def _records(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check.bit_table(self, X, reset=reset)

    def _grow_on_bits(self, bits: AnyArray, y: ArrayLike) -> CountTreeClassifier:
        """Return a tree grown on bits (n, n_bits)."""
        tree = self._new_tree(criterion="entropy", split="multiway")
        return tree.fit_codes(bits, y, [np.arange(3)] * bits.shape[1])

    def _grow_on_members(
        self, members: Members | ChunkedMembers, classes: AnyArray, n_bits: int
    ) -> CountTreeClassifier:
        """Return a tree grown on bits that were laid out by this classifier."""
        tree = self._new_tree(criterion="entropy", split="multiway")
        return tree.fit_members(members, classes, [np.arange(3)] * n_bits)

    def __sklearn_tags__(self) -> Tags:
        """Say that the input is bits."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.positive_only = True
        return tags


def learn_bits(tree: Any, readings: Readings, classes: ArrayLike | None) -> Facts:
    """Read chunks of bits for the first time, and check them; they have no weights."""
    return learn(readings, partial(read_bits, tree), classes)


def read_bits(tree: Any, chunk: Chunk, reset: bool) -> tuple[AnyArray, AnyArray]:
    """Return the bits and the labels of a chunk, as a tree of bits checks them."""
    if chunk.weight is not None:
        raise ValueError("chunks must be pairs (X, y) for a tree on bits, got a sample_weight")
    bits = tree._records(chunk.X, reset=reset)
    check.classes(chunk.y, len(bits))
    return bits, np.asarray(chunk.y).ravel()
