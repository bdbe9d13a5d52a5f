"""Naive Bayes and ID3 on randomised responses.

Counts are undone, then an ordinary naive Bayes learns; records are signed, then an ordinary tree.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._coding import count_pairs
from ppdm._estimators import OfScheme
from ppdm._support import Support
from ppdm.channel._opening import bound
from ppdm.classifiers._tree_base import BitTreeWrapper
from ppdm.naive_bayes import ZERO_COUNT, CountNB
from ppdm.randomized_response._channel import coin_of, read_reports
from ppdm.randomized_response._signed import undo_records
from ppdm.reconstruction._em import iterate
from ppdm.tree._records import Records
from ppdm.typing import AnyArray, ArrayLike, Bits, Codes, FloatArray, IntArray, Undoing


@dataclass(eq=False, repr=False)
class RandomizedResponseNB(OfScheme, CountNB):
    """Naive Bayes learnt from what a known channel released: coins, codes, bits, noise, any.

    Naive Bayes needs P(C) and P(A_j, C) only. So reports are counted for each class and attribute,
    and the scheme says how these counts are undone, the class's coin with them where the class is
    disguised. It learns from reports and predicts from clear records. ``class_count_`` and
    ``pair_count_`` are estimates of the true counts. Of a scheme that asks some attributes of each
    record, those who answered stand for all of their class.

    Parameters
    ----------
    scheme : Channel, array-like of shape (S, m) or a list of matrices
        What disguised the records: any :class:`ppdm.channel.Channel`, or P[released | true] of
        codes 0, ..., S - 1, one matrix for all attributes or a list with one each.
    method : {"raw", "em"}, default="raw"
        How counts are undone: by the channel's inverse, without bias, or by EM
        (:func:`ppdm.reconstruction.em`), where the inverse would blow up chance, as that of
        noise on numbers does. EM needs a public class.
    smoothing : float > 0, default=None
        As in :class:`ppdm.naive_bayes.CountNB`.

    Attributes
    ----------
    scheme_ : Channel
        The scheme as it was in ``fit``: what is set in it later changes no count.
    classes_ : ndarray of shape (n_classes,)
    class_count_, pair_count_ : ndarray
        Estimated number of true records of each class, (n_classes,), and of each class and value of
        each attribute, (n_attributes, n_classes, values); a negative one is kept as it is.
    n_values_ : ndarray of int, shape (n_attributes,)
        How many true values each attribute has.
    n_features_in_ : int
        Number of columns of the disguised records; several an attribute where the channel
        releases several, as :class:`ppdm.randomized_response.UnaryEncoding` does.
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    References
    ----------
    ZCM04, section 3.4, with Eq. 2 for a pair in one group and Eq. 4 for a pair in two.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import RandomizedResponseNB
    >>> from ppdm.randomized_response import CategoricalRandomizedResponse, RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 4000)
    >>> X = (rng.random((4000, 3)) < 0.2 + 0.6 * y[:, np.newaxis]).astype(int)
    >>> scheme = RandomizedResponse(0.7, groups=[[0, 1], [2]], class_group=1, random_state=rng)
    >>> nb = RandomizedResponseNB(scheme).fit(*scheme.disguise(X, y))
    >>> nb.predict([[0, 0, 0], [1, 1, 1]])
    array([0, 1])

    Values of several kinds, and a public class:

    >>> y = np.repeat(["benign", "malignant"], 2000)
    >>> X = (y == "malignant")[:, np.newaxis] * 2 + rng.integers(0, 3, (4000, 2))
    >>> krr = CategoricalRandomizedResponse(n_values=5, theta=0.6, random_state=rng)
    >>> RandomizedResponseNB(krr).fit(*krr.disguise(X, y)).predict([[0, 1], [3, 4]])
    array(['benign', 'malignant'], dtype='<U9')
    """

    scheme: Any = None
    _: KW_ONLY
    method: Undoing = "raw"
    smoothing: float | None = None

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> AnyArray:
        """Return whole reports, (n, n_columns): they are made codes, or counted, by the scheme."""
        scheme = bound(self.scheme, X, "X", "scheme")
        reports = check.code_table(self, check.chosen(scheme, X, "X"), reset=reset)
        if reset:
            self.scheme_: Any = check.snapshot(scheme)
        else:
            check.alike(self.scheme_, check.snapshot(scheme), "scheme")
        return check.as_released(scheme, reports, "X")

    def _learn_values(self, codes: AnyArray) -> tuple[IntArray, int]:
        told = self.scheme_.when_asked()
        em = check.given("RandomizedResponseNB.method", self.method) == "em"
        rule = "method must be 'raw' where the class is disguised"
        check.demand(not em or told.class_inverse() is None, rule, self.method)
        each = range(self.scheme_.n_features_in_)
        self._laws: list[Support | None] = [None if em else told.support(j) for j in each]
        sizes = [told.channel_matrix(j).shape[1] if law is None else law.n_values
                 for j, law in enumerate(self._laws)]  # fmt: skip
        # the supports of each value and then the answers, or codes and then no answer
        self._by_support: list[bool] = [
            law is not None and told.n_released(j) != law.n_values
            for j, law in enumerate(self._laws)
        ]
        released = map(self.scheme_.n_released, each)
        pairs = zip(self._by_support, sizes, released, strict=True)
        return np.array(sizes), max(size + 1 if law else n for law, size, n in pairs)

    @check.naming("X", "what the scheme releases")
    def _tally(
        self, codes: AnyArray, label: IntArray, weight: FloatArray | None
    ) -> tuple[AnyArray, AnyArray]:
        """Return the weight of each class, and of each class and released value or support."""
        scheme, n_classes = self.scheme_, self.classes_.size
        of_class = np.bincount(label, weight, n_classes)
        if not any(self._by_support):
            released = scheme.codes(codes)
            return of_class, count_pairs(released, label, weight, n_classes, self._n_codes)
        pairs = np.zeros((len(self._laws), n_classes, self._n_codes), dtype=of_class.dtype)
        for j, by_support in enumerate(self._by_support):
            block, size = codes[:, scheme.columns_of(j)], self.n_values_[j]
            for c in np.unique(label):
                rows = label == c
                own = None if weight is None else weight[rows]
                if by_support:
                    counts = scheme.count_support(block[rows], j, weight=own)
                    pairs[j, c, :size], pairs[j, c, size] = counts[:, 1], counts[0].sum()
                else:
                    released = scheme.codes_of(block[rows], j)
                    pairs[j, c] = np.bincount(released, own, self._n_codes)
        return of_class, pairs

    def _codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        scheme, d = self.scheme_, self.n_values_.size
        alike = self.n_features_in_ == d
        named = check.of_names(scheme, X, "X")  # in any order; other columns are left out
        clear = check.code_table(self, named, reset=reset) if alike else check.plain(named, "X")
        check.of_shape(clear, "X", (None, d), "a column an attribute")
        return np.stack([scheme.true_codes(column, j) for j, column in enumerate(clear.T)], axis=1)

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        told = self.scheme_.when_asked()
        alone = told.class_inverse()
        check.two_classes(self.classes_, None if alone is None else "own")
        true = np.zeros((len(pairs), classes.size, int(self.n_values_.max())))
        for j, size in enumerate(self.n_values_):
            said = pairs[j, :, : size if self._by_support[j] else told.n_released(j)]
            n = pairs[j, :, size] if self._by_support[j] else said.sum(axis=1)
            if alone is not None and told is self.scheme_:
                both = said.reshape(-1) @ told.class_inverse(j).T
                true[j, :, :size] = both.reshape(classes.size, size)
                continue
            counts = self._of_values(said, n, j)
            if told is not self.scheme_:  # who was asked, by lot, stands for all of the class
                some = np.abs(n) > ZERO_COUNT
                scale = np.where(some, classes / np.where(some, n, 1.0), 0.0)
                even = np.where(some, 0.0, classes / size)
                counts = counts * scale[:, np.newaxis] + even[:, np.newaxis]
            true[j, :, :size] = counts if alone is None else alone @ counts
        return (classes if alone is None else alone @ classes), true

    def _of_values(self, said: FloatArray, n: FloatArray, j: int) -> FloatArray:
        """Return the counts of an attribute's true values, (n_classes, k), from ``n`` answers."""
        told, law = self.scheme_.when_asked(), self._laws[j]
        if law is not None:
            return np.asarray((said - law.q * n[:, np.newaxis]) / (law.p - law.q))
        if self.method == "raw":
            return np.asarray(said @ told.inverse_matrix(j).T)
        shares = iterate(told.channel_matrix(j), said, None, keep_history=False)
        return np.asarray(shares.probabilities * n[:, np.newaxis])


@dataclass(eq=False, repr=False)
class RandomizedResponseTreeClassifier(OfScheme, BitTreeWrapper):
    """ID3 learnt from randomised responses.

    ID3 needs counts only, and signed records give unbiased estimates of all of them. So this
    is ID3 on signed records. It splits on the attribute of highest information gain, also
    where that is zero, until a node has one class or no attribute is left; ties go to the
    lowest attribute, and to the lowest class in a leaf; a child without records takes its
    parent's class. Counts below zero are taken as zero after they are summed, never before.

    Parameters
    ----------
    scheme : RandomizedResponse
        The coins that disguised the records, and the class where it was disguised.
    max_depth : int, optional
        No split is made at this depth; the root's is 0.

    Attributes
    ----------
    scheme_ : RandomizedResponse
        The coins as they were in ``fit``.
    classes_ : ndarray of shape (n_classes,)
    estimator_ : CountTreeClassifier
        The tree; its ``export_text`` prints it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if scheme is no RandomizedResponse, its theta is 1/2, the reports lack a column
        of its or hold anything but 0 and 1; if the class is disguised and there are not two.

    Notes
    -----
    From chunks, signed records are counted by what they weigh, in whole numbers, so that no chunk
    and no order changes a sum.

    See Also
    --------
    ppdm.randomized_response.signed_records : What the tree is grown from.
    ppdm.utility.disguised_accuracy : How good it is, from disguised test records.

    References
    ----------
    DZ03, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import RandomizedResponseTreeClassifier
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (4000, 3))
    >>> y = X[:, 1] & X[:, 2]
    >>> coin = RandomizedResponse(0.7, random_state=rng)
    >>> tree = RandomizedResponseTreeClassifier(coin).fit(*coin.disguise(X, y))
    >>> tree.predict([[0, 1, 1], [1, 1, 0]])
    array([1, 0])
    """

    scheme: Any = None
    _: KW_ONLY
    max_depth: int | None = None

    def _records(self, X: ArrayLike, *, reset: bool) -> Bits:
        """Return records as bits: reports in ``fit``, whose columns are those of the scheme."""
        if not reset:
            return super()._records(X, reset=reset)
        coin = coin_of(self.scheme, X, "X")
        self.scheme_: Any = check.snapshot(coin)
        return super()._records(check.chosen(coin, X, "X"), reset=reset)

    def _undo(self, bits: Bits, label: IntArray, weight: FloatArray | None) -> Records:
        check.two_classes(self.classes_, self.scheme_.class_group)
        signed = undo_records(*read_reports(bits, self.scheme_, label, "X"), weight)
        codes = np.ascontiguousarray(signed.X.T, dtype=np.int32)
        return Records(codes, np.asarray(signed.y, dtype=np.intp), signed.weight)
