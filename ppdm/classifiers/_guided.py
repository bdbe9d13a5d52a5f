"""Learning from R(t): rows of bits with none, one or several for an attribute.

The paper hands R(t) to an ordinary classifier as it is (ZWZ05, section 3): no
distribution is reconstructed. Both classifiers here are ordinary ones on the bits, fitted
on R(t) and predicting on clear tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator
from ppdm.classifiers._tree_base import BitTreeWrapper
from ppdm.guidance._perturbation import bit_groups
from ppdm.naive_bayes import CountNB
from ppdm.typing import ArrayLike, Bits, Codes, Criterion, FloatArray, IntArray, Pruning


class GuidedNB(CountNB):
    """Naive Bayes learnt from R(t).

    The probability of a value, given the class, is the number of its set bits over all
    set bits of the attribute, each plus one (Laplace): rows without a bit for the
    attribute do not count, rows with two count twice. A clear tuple is scored by its set
    bits. ``pair_count_`` counts the tuples of each class in which a bit is unset and set.

    Parameters
    ----------
    n_values : sequence of int >= 2
        How many values each attribute has.
    smoothing : float > 0, default=None
        Instead of Laplace's correction of the bits: each value's share of the set bits is one of
        the class's records (an even one where no bit is set), then as in
        :class:`ppdm.naive_bayes.CountNB`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, pair_count_ : ndarray
        Tuples of each class, (n_classes,), and of each class in which a bit is unset and set,
        (n_bits, n_classes, 2).
    n_features_in_ : int
        Number of bits.
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if X does not hold bits or not ``sum(n_values)`` of them.

    Notes
    -----
    ZWZ05, section 6, does not say how a row that is no tuple is counted; this is our
    reading. On undisguised tuples it is ordinary naive Bayes with Laplace's correction.
    A class named in ``partial_fit`` that has no tuple yet has uniform values and a prior
    of half a tuple.

    Examples
    --------
    >>> from ppdm.classifiers import GuidedNB
    >>> from ppdm.guidance import one_hot
    >>> T = one_hot([[0, 0], [0, 1], [1, 1], [1, 2]], [2, 3])
    >>> GuidedNB([2, 3]).fit(T, [0, 0, 1, 1]).predict(T)
    array([0, 0, 1, 1])
    """

    n_values: Any  # CountNB allows one number for all, or None

    def __init__(self, n_values: Sequence[int], *, smoothing: float | None = None) -> None:
        self.n_values = n_values
        self.smoothing = smoothing

    def _codes(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check_tuple_bits(self, X, self.n_values, reset=reset)

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        return np.full(codes.shape[1], 2), 2

    @property
    def bit_count_(self) -> FloatArray:
        """Set bits of each class, (n_classes, n_bits); a negative count is none."""
        return np.maximum(self.pair_count_[:, :, 1].T, 0.0)

    def _probabilities(self) -> tuple[FloatArray, FloatArray]:
        """Return 1 for an unset bit, which says nothing, its value's probability for a set one."""
        prior, sizes = super()._probabilities()[0], list(self.n_values)
        starts = [group.start for group in bit_groups(sizes)]

        def shares_of(weights: FloatArray) -> FloatArray:
            whole = np.repeat(np.add.reduceat(weights, starts, axis=1), sizes, axis=1)
            each = np.repeat(sizes, sizes)
            return np.where(whole > 0, weights / np.where(whole > 0, whole, 1.0), 1 / each)

        if self.smoothing is None:
            shares = shares_of(self.bit_count_ + 1.0)
        else:
            records = shares_of(self.bit_count_) * np.maximum(self.class_count_, 0.0)[:, np.newaxis]
            shares = shares_of(records + self.smoothing)
        return prior, np.stack([np.ones_like(shares), shares], axis=2).swapaxes(0, 1)


@dataclass(eq=False, repr=False)
class GuidedTreeClassifier(BitTreeWrapper):
    """A decision tree learnt from R(t).

    Each bit is an attribute of two values, so rows with several bits of an attribute, or
    none, need no rule of their own.

    Parameters
    ----------
    n_values : sequence of int >= 2
        How many values each attribute has.
    criterion : {"entropy", "gini"}, default="entropy"
        The impurity of a node; by entropy the tree is ID3, as in the paper.
    max_depth, min_samples_leaf, min_impurity_decrease
        When to stop, as in ``CountTreeClassifier``; by default, not before the end.
    pruning : {"sliq", "stochastic", None}, default="sliq"
        What to cut back afterwards. R(t) is noise for the most part, and a tree that is
        not pruned learns it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : CountTreeClassifier
        The tree; its ``export_text`` prints it.
    n_features_in_ : int
        Number of bits.
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if X does not hold bits or not ``sum(n_values)`` of them, or a parameter is
        not allowed.

    Notes
    -----
    ZWZ05, section 6. The test tuples are clear, and R(t) has fewer bits than they: a path
    of unset bits is common in training and never taken by a clear tuple.

    Examples
    --------
    >>> from ppdm.classifiers import GuidedTreeClassifier
    >>> from ppdm.guidance import one_hot
    >>> T = one_hot([[0, 0], [0, 1], [1, 1], [1, 2]] * 5, [2, 3])
    >>> GuidedTreeClassifier([2, 3]).fit(T, [0, 0, 1, 1] * 5).predict(T[:4])
    array([0, 0, 1, 1])
    """

    n_values: Sequence[int]
    _: KW_ONLY
    criterion: Criterion = "entropy"
    max_depth: int | None = None
    min_samples_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    pruning: Pruning = "sliq"

    def _records(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check_tuple_bits(self, X, self.n_values, reset=reset)


def check_tuple_bits(
    estimator: BaseEstimator, X: ArrayLike, n_values: Sequence[int], *, reset: bool
) -> Bits:
    """Return the tuples given to an estimator as bits, as many as their values need."""
    bits = check.bit_table(estimator, X, reset=reset)
    check.of_shape(bits, "X", (None, sum(check.n_values(n_values))), "a bit for each value")
    return bits
