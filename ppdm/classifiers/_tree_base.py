"""What the classifiers around a tree share: its parameters, and how they predict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._coding import Grid
from ppdm._estimators import BaseEstimator, ClassifierMixin, OnCodes
from ppdm._readings import Chunk, Readings, learn, numbers_of
from ppdm.tree import CountTreeClassifier
from ppdm.tree._grow import Recode
from ppdm.tree._records import Members, Records
from ppdm.typing import AnyArray, Bits, FloatArray, IntArray


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
        check_is_fitted(self)
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

    def _read(self, chunk: Chunk, reset: bool) -> tuple[AnyArray, AnyArray, None]:
        """Return the records and the classes of a chunk, checked."""
        rule = "chunks must be pairs (X, y) for this learner"
        check.demand(chunk.weight is None, rule, "a sample_weight")
        table = self._records(chunk.X, reset=reset)
        classes, label = check.classes(chunk.y, len(table))
        return table, classes[label], None

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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Disguised bits.
        y : array-like of shape (n_samples,)
            Their classes, disguised or public.

        Returns
        -------
        object
            The fitted classifier.

        Raises
        ------
        ValueError, TypeError
            If ``X`` has a missing value or anything but 0 and 1, or a parameter is not allowed.
        """
        bits = self._records(X, reset=True)
        self.classes_, label = check.classes(y, len(bits))
        members, worth = self._undo(bits, label)
        return self._grow_on_bits(Records(members, worth=worth))

    def fit_chunks(
        self, chunks: Iterable[tuple[Any, ...]], *, classes: ArrayLike | None = None
    ) -> Self:
        """Grow the tree that :meth:`fit` grows, from records that are read chunk by chunk.

        No record is kept: at each level the chunks are read twice.

        Parameters
        ----------
        chunks : iterable of (X, y)
            Read again and again, as in :meth:`ppdm.tree.CountTreeClassifier.fit_chunks`.
        classes : array-like, optional
            The public set of classes, in which each label has to be. None takes those that occur.

        Returns
        -------
        object
            The same, bit for bit, as from all records at once.

        Raises
        ------
        TypeError, ValueError
            As :meth:`fit`; if ``chunks`` cannot be read again or change, have weights, or
            disagree in their columns or kinds, or a label is not among ``classes``.
        """
        readings = Readings.of(chunks)
        facts = learn(readings, self._read, classes)
        self.classes_ = facts.classes
        _, worth = self._undo(facts.ends[:1], np.zeros(1, dtype=np.intp))
        return self._grow_on_bits(Records(readings, self._read_undone, worth))

    def _undo(self, bits: Bits, label: IntArray) -> tuple[Members, FloatArray | None]:
        """Return records as the tree counts them, and what each kind of them weighs."""
        return Members.at_root(np.ascontiguousarray(bits.T, dtype=np.int32), label), None

    def _read_undone(self, chunk: Chunk) -> Members:
        bits, labels, _ = self._read(chunk, False)
        return self._undo(bits, numbers_of(labels, self.classes_))[0]

    def _grow_on_bits(self, records: Records) -> Self:
        edges = [np.arange(3.0)] * self.n_features_in_
        tree = self._grow(records, edges, criterion="entropy", split="multiway")
        self.estimator_: CountTreeClassifier = tree
        return self
