"""Unary encoding: a code of k values is released as k bits, each with a coin of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import AnyArray, Bits, Codes, FloatArray, GivenCategories, IntArray, RandomState

#: An attribute of more values has a channel matrix of more than 2^16 rows.
MOST_VALUES = 16
#: So many bits are summed at a time: their sum fits a byte.
_BLOCK = 255
#: So many bits are drawn at a time, for their random numbers to stay in the cache.
_DRAWS = 1 << 15


@dataclass(eq=False, repr=False)
class UnaryEncoding(SomeAsked, OneToOneFeatureMixin, CodesTransformer):
    """Release an attribute of k values as k bits, with the least variance for rare values.

    The bit of the true value is 1 with probability p = 1/2, every other bit with probability
    q = 1/(e^epsilon + 1), each by a coin of its own. What is released about an attribute is
    the vector of its k bits: that is the unit of epsilon. Two truths differ in two bits, and
    the vector tells them apart by at most a factor (1 - q)/q = e^epsilon. The bits are no k
    independent answers; whoever adds up the epsilons of single bits gets another number.

    Parameters
    ----------
    n_values : int or list of int, default=None
        How many values an attribute has, each >= 2: one number for all, or one each. None
        takes the number of the categories.
    epsilon : float > 0, default=None
        The epsilon of local differential privacy of one attribute; those of several
        attributes that are asked add up.
    asked : int, default=None
        Each record answers so many of its attributes, drawn at random. Reports are floats, NaN in
        all bits of what was not asked. None asks for all.
    categories : list of array-like or None, default=None
        The public labels of each attribute, as in :class:`CategoricalRandomizedResponse`.
    random_state : None, int or numpy.random.Generator, default=None
        An int draws the same at every call: right for tests, wrong for two providers.
        Simulations pass one Generator to all.

    Attributes
    ----------
    n_features_in_ : int
        Number of attributes of a record.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.
    categories_ : list of ndarray or None
        The labels of each attribute; None where all hold codes.

    Raises
    ------
    TypeError
        If epsilon is not a number, or ``X`` does not hold codes.
    ValueError
        If epsilon is not finite and above 0, an attribute has fewer than two values, or ``X``
        has a missing value, a code that is not whole, or one that its attribute does not have.

    See Also
    --------
    CategoricalRandomizedResponse : One code is released; better for few values or a large epsilon.
    ppdm.classifiers.CategoricalRandomizedResponseNB : Naive Bayes from what is released.

    Notes
    -----
    The estimated share of a value that is rare has variance
    4 e^epsilon / (n (e^epsilon - 1)^2) from n records, however many values there are; that of
    a code kept or replaced at the same epsilon grows with k.

    Of two values it is Warner's question with half of the answers erased: 00 and 11, one report
    in two, are as likely under either truth; 10 and 01 are randomised response at theta =
    1/(1 + e^-epsilon).

    References
    ----------
    Wang, Blocki, Li and Jha (2017), Locally differentially private protocols for frequency
    estimation, USENIX Security: "optimized unary encoding".

    Examples
    --------
    >>> from ppdm.privacy import local_epsilon
    >>> from ppdm.randomized_response import UnaryEncoding
    >>> unary = UnaryEncoding(n_values=4, epsilon=2.0, random_state=0)
    >>> unary.fit_transform([[0], [3], [3]])
    array([[1, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0]], dtype=int8)
    >>> round(local_epsilon(unary), 12)
    2.0
    """

    n_values: int | Sequence[int] | None = None
    epsilon: float | None = None
    _: KW_ONLY
    asked: int | None = None
    categories: GivenCategories = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> UnaryEncoding:
        """Check the parameters and learn the number of attributes; nothing else is learnt.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Codes 0, 1, ..., or labels.
        y : ignored

        Returns
        -------
        UnaryEncoding
        """
        self._chance_of_a_lie()
        check.random_state(self.random_state)
        self._read(X, reset=True)
        self._share()
        return self

    def transform(self, X: ArrayLike) -> AnyArray:
        """Disguise records, each bit by itself.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Codes 0, 1, ..., or labels.

        Returns
        -------
        ndarray of int8, shape (n_records, sum of n_values)
            The bits, attribute by attribute; of float64, with NaN, where only some are asked.
        """
        check_is_fitted(self)
        codes, sizes = self._read(X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        lie = self._chance_of_a_lie()
        place = codes.astype(np.intp) + np.cumsum([0, *sizes[:-1]])  # of each value's own bit
        released = np.empty((len(codes), sum(sizes)), dtype=np.int8)
        step = max(1, _DRAWS // sum(sizes))
        for first in range(0, len(codes), step):
            own, bits = place[first : first + step], released[first : first + step]
            draws = rng.random(bits.shape)
            np.less(draws, lie, out=bits.view(np.bool_))
            row = np.arange(len(bits))[:, np.newaxis]
            bits[row, own] = draws[row, own] < 0.5
        return self._by_lot(rng, released)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> AnyArray:
        """Return a name for each bit, of the attribute and its value: ``colour_red``, ``x0_2``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The attributes' names, where ``X`` had none.

        Returns
        -------
        ndarray of str objects, shape (sum of n_values,)
        """
        names = super().get_feature_names_out(input_features)
        values = self.categories_ or [None] * self.n_features_in_
        each = zip(names, values, self._sizes(self.n_features_in_), strict=True)
        bits = [
            f"{name}_{value}"
            for name, known, size in each
            for value in (range(size) if known is None else known)
        ]
        return np.array(bits, dtype=object)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released vector of bits | true value] of attribute ``feature``, (2**k, k).

        Row 0 stands for no bit, row 1 for the last bit alone, row 2**k - 1 for all bits. Where only
        some attributes are asked, one more row is no answer.

        Raises
        ------
        ValueError
            If the attribute has more than 16 values.
        """
        return self._some(vectors_given_value(self._size(feature), self._chance_of_a_lie()))

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes attribute ``feature`` on counts, without bias, (k, 2**k).

        An entry is (bit j of the row - q) / (1/2 - q): each value is estimated from its own bit.
        Where only some are asked, one more column is no answer, an even part of each value.

        Raises
        ------
        ValueError
            If the attribute has more than 16 values.
        """
        q = self._chance_of_a_lie()
        return self._some_inverse((vectors(self._size(feature)).T - q) / (0.5 - q))

    def support(self, feature: int = 0) -> tuple[int, float, float]:
        """Return of an attribute the number of values, and how likely their bits are set.

        Returns
        -------
        n_values, p, q : int, float, float
            The bit of the true value is 1 with probability p = 1/2, any other one with q, of who
            is asked.
        """
        return self._size(feature), 0.5, self._chance_of_a_lie()

    def count_bits(self, released: ArrayLike) -> IntArray:
        """Count how often each bit was unset and set, by who was asked; counts of chunks add up.

        They are what :func:`ppdm.reconstruction.estimate_frequencies` takes as ``counts``, for
        any number of values.

        Parameters
        ----------
        released : array-like of shape (n, sum of n_values)
            What :meth:`transform` gives.

        Returns
        -------
        ndarray of int, shape (sum of n_values, 2)

        Examples
        --------
        >>> unary = UnaryEncoding(3, epsilon=1.0)
        >>> unary.count_bits([[0, 1, 1], [0, 1, 0]]).tolist()
        [[2, 0], [0, 2], [1, 1]]
        """
        told, filled = self._open(released) if self.asked else (None, released)
        bits, sizes = self._released_bits(filled)
        ones = np.zeros(bits.shape[1], dtype=np.int64)
        for first in range(0, len(bits), _BLOCK):  # sums of 255 bits fit a byte, and are fast
            ones += bits[first : first + _BLOCK].view(np.uint8).sum(axis=0, dtype=np.uint8)
        n = len(bits) if told is None else np.repeat(told.sum(axis=0), sizes)
        return np.stack([n - ones, ones], axis=1)

    def split_bits(self, counts: IntArray) -> list[IntArray]:
        """Return the counts of each attribute's bits, (n_values, 2)."""
        sizes = self._sizes_of(len(counts))
        rule = f"counts must have a row for each of {sum(sizes)} bits"
        check.of_shape(counts, (sum(sizes), 2), rule)
        parts, n = np.split(counts, np.cumsum(sizes)[:-1]), counts.sum(axis=1)
        alike = [n] if self.asked is None else [part.sum(axis=1) for part in parts]
        rule = "counts must be of as many reports for each bit, one or more"
        check.demand(n.max() > 0 and not any(map(np.ptp, alike)), rule, n.tolist())
        return parts

    def bit_channel(self) -> FloatArray:
        """P[bit | whether the value is the bit's], of any bit of any attribute.

        It counts one value among the others, however many they are:
        ``invert(unary.bit_channel(), [n - ones, ones]).counts[1]``.

        Returns
        -------
        ndarray of shape (2, 2)
            Row and column 1 stand for a bit that is set and for the bit's own value.

        Examples
        --------
        >>> UnaryEncoding(100, epsilon=1.0).bit_channel().round(3)
        array([[0.731, 0.5  ],
               [0.269, 0.5  ]])
        """
        q = self._chance_of_a_lie()
        return np.array([[1 - q, 0.5], [q, 0.5]])

    def codes(self, released: ArrayLike) -> Codes:
        """Return which vector of bits each report is: its row of the channel matrix.

        NaN in all bits of an attribute, which was not asked, is the last row.

        Parameters
        ----------
        released : array-like of shape (n, sum of n_values)
            What :meth:`transform` gives.

        Returns
        -------
        ndarray of int, shape (n, n_attributes)

        Raises
        ------
        ValueError, TypeError
            If anything but bits is there, or another number of them, or an attribute has more
            than 16 values.
        """
        if self.asked is not None:
            return super().codes(released)
        bits, sizes = self._released_bits(released)
        weights = np.concatenate([powers(k) for k in sizes])
        return np.add.reduceat(bits * weights, np.cumsum([0, *sizes[:-1]]), axis=1)

    def _parts(self) -> list[FloatArray]:
        """Return of each attribute two of its values, seen through their two bits, (4, 2).

        The other bits are drawn alike under both and tell nothing of which it was. So this works
        for any number of values.
        """
        return [vectors_given_value(2, self._chance_of_a_lie())] * self.n_features_in_

    def _widths(self) -> list[int]:
        return self._sizes(self.n_features_in_)

    def _n_released(self, feature: int = 0) -> int:
        return 2 * int(powers(self._size(feature))[0]) + (self.asked is not None)

    def _chance_of_a_lie(self) -> float:
        """Return q, the probability that the bit of another value is 1."""
        epsilon = check.given("UnaryEncoding.epsilon", self.epsilon)
        return float(expit(-epsilon))

    def _released_bits(self, released: ArrayLike) -> tuple[Bits, list[int]]:
        """Return what was released, and how many values each attribute has."""
        bits = check.bits(released, "released", ndim=2)
        sizes = self._sizes_of(bits.shape[1])
        rule = f"released must have {sum(sizes)} bits a record, one for each value of "
        check.of_shape(bits, (None, sum(sizes)), f"{rule}{len(sizes)} attribute(s)")
        return bits, sizes

    def _sizes_of(self, n_bits: int) -> list[int]:
        """Return how many values each attribute has; one size alone is that of all, before fit."""
        sizes = self._sizes(getattr(self, "n_features_in_", None))
        if len(sizes) == 1 and not hasattr(self, "n_features_in_"):
            sizes *= max(n_bits // sizes[0], 1)
        return sizes

    def _sizes(self, n_features: int | None) -> list[int]:
        categories = check.known_categories(self)
        return check.n_categories(self.n_values, categories, n_features, low=2)

    def _size(self, feature: int) -> int:
        n_features = getattr(self, "n_features_in_", None)
        return check.of_feature(self._sizes(n_features), feature, n_features)

    def _read(self, X: ArrayLike, *, reset: bool) -> tuple[Codes, list[int]]:
        table = check.coded_table(self, X, reset=reset)
        sizes = self._sizes(table.shape[1])
        return check.codes(table, "X", sizes), sizes


def powers(k: int) -> IntArray:
    """Return what each of k bits adds to the row of the channel matrix."""
    rule = f"n_values must be at most {MOST_VALUES} for the channel of a whole attribute, which "
    rule += "has a row for each of 2^k vectors (count_bits counts each value by itself)"
    check.demand(k <= MOST_VALUES, rule, k)
    return 1 << np.arange(k)[::-1]


def vectors(k: int) -> Bits:
    """Return every vector of k bits, in the order of the rows."""
    each = powers(k)  # refuses what has too many vectors before they are laid out
    return (np.arange(2**k)[:, np.newaxis] & each > 0).astype(np.int8)


def vectors_given_value(k: int, q: float) -> FloatArray:
    """Return P[vector | value]: 1/2 for the own bit, q or 1 - q for each other."""
    bits = vectors(k)
    others = bits.sum(axis=1, keepdims=True) - bits  # set bits of other values
    return np.asarray(0.5 * q**others * (1 - q) ** (k - 1 - others), dtype=np.float64)
