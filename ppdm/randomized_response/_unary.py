"""Unary encoding and Hadamard response: of many values, in bits or in a few bytes.

Unary encoding releases a code of k values as k bits, each with a coin of its own.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ppdm import _support as pure
from ppdm import _validation as check
from ppdm._support import but_for
from ppdm.randomized_response._asked import PureProtocol
from ppdm.typing import AnyArray, ArrayLike, Bits, BoolArray, Codes, FloatArray, IntArray

#: An attribute of more values has a channel matrix of more than 2^16 rows.
MOST_VALUES = 16
#: So many bits are drawn at a time, for their random numbers to stay in the cache.
_DRAWS = 1 << 15


@dataclass(eq=False, repr=False)
class UnaryEncoding(PureProtocol):
    """Release an attribute of k values as k bits, with the least variance for rare values.

    The bit of the true value is 1 with probability p = 1/2, every other bit with probability
    q = 1/(e^epsilon + 1), each by a coin of its own. What is released about an attribute is
    the vector of its k bits: that is the unit of epsilon. Two truths differ in two bits, and
    the vector tells them apart by at most a factor (1 - q)/q = e^epsilon. The bits are no k
    independent answers; whoever adds up the epsilons of single bits gets another number.
    Where it is ``symmetric``, every bit is kept with probability p = 1 - q =
    e^(epsilon/2)/(e^(epsilon/2) + 1): basic RAPPOR.

    Parameters
    ----------
    n_values : int or list of int, default=None
        How many values an attribute has, each >= 2: one number for all, or one each. None
        takes the number of the categories.
    epsilon : float > 0, default=None
        The epsilon of local differential privacy of one attribute; those of several
        attributes that are asked add up.
    symmetric : bool, default=False
        Keep each bit with the same probability, as basic RAPPOR does. The variance of a rare
        value is then (e^(epsilon/2) + 1)^2 / (4 e^(epsilon/2)) times as large.
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
    HadamardResponse : A report of a few bytes, however many values there are.
    ppdm.classifiers.RandomizedResponseNB : Naive Bayes from what is released.

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
    estimation, USENIX Security: "optimized unary encoding", and "symmetric" for basic RAPPOR of
    Erlingsson, Pihur and Korolova (2014), CCS.

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

    _: KW_ONLY
    symmetric: bool = False

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
        check.fitted(self)
        codes, laws = self._read(X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        sizes, (_, truth, lie) = [law.n_values for law in laws], laws[0]
        place = codes.astype(np.intp) + np.cumsum([0, *sizes[:-1]])  # of each value's own bit
        released = np.empty((len(codes), sum(sizes)), dtype=np.int8)
        step = max(1, _DRAWS // sum(sizes))
        for first in range(0, len(codes), step):
            own, bits = place[first : first + step], released[first : first + step]
            draws = rng.random(bits.shape)
            np.less(draws, lie, out=bits.view(np.bool_))
            row = np.arange(len(bits))[:, np.newaxis]
            bits[row, own] = draws[row, own] < truth
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
        each = zip(names, values, self._told(self.n_features_in_), strict=True)
        bits = [
            f"{name}_{value}"
            for name, known, law in each
            for value in (range(law.n_values) if known is None else known)
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
        return self._some(vectors_given_value(*self.support(feature)))

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes attribute ``feature`` on counts, without bias, (k, 2**k).

        An entry is (bit j of the row - q) / (p - q): each value is estimated from its own bit.
        Where only some are asked, one more column is no answer, an even part of each value.

        Raises
        ------
        ValueError
            If the attribute has more than 16 values.
        """
        law = self.support(feature)
        return self._some_inverse(pure.inverse(law, vectors(law.n_values).T))

    def _count_answers(self, block: AnyArray, feature: int, weight: FloatArray | None) -> AnyArray:
        """Count how many reports have each bit unset and set, (n_values, 2)."""
        bits = self._bits_of(block, feature)
        if weight is not None:
            # einsum makes floats of some bits at a time: all of them would be wide
            return but_for(np.einsum("i,ij->j", weight, bits), weight.sum())
        # up to 255 fit into a byte, and bytes add up six times as fast as wide integers
        by_byte = [bits[i : i + 255].sum(0, dtype=np.uint8) for i in range(0, len(bits), 255)]
        return but_for(np.array(by_byte).sum(axis=0, dtype=np.int64), len(bits))

    def columns_of(self, feature: int = 0) -> slice:
        """Return the columns of an attribute's bits."""
        k, laws = self._size(feature), self._told(getattr(self, "n_features_in_", None))
        first = feature * k if len(laws) == 1 else sum(law.n_values for law in laws[:feature])
        return slice(first, first + k)

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
        _, p, q = self._law(2)
        return np.array([[1 - q, 1 - p], [q, p]])

    def n_released(self, feature: int = 0) -> int:
        """Return 2**k, and one more where only some are asked."""
        return (1 << self._size(feature)) + (self.asked is not None)

    def _answer_codes(self, block: ArrayLike, feature: int) -> Codes:
        return self._bits_of(block, feature) @ powers(self._size(feature))

    def _law(self, k: int) -> pure.Support:
        symmetric = check.given("symmetric", self.symmetric)
        return pure.unary(k, self.epsilon_, symmetric=symmetric)

    def _bits_of(self, block: ArrayLike, feature: int) -> Bits:
        """Return the bits of one attribute, one for each value."""
        bits = check.bits(block, "released", ndim=2)
        shape = None, self._size(feature)
        check.of_shape(bits, "released", shape, f"the bits of attribute {feature}")
        return bits


def powers(k: int) -> IntArray:
    """Return what each of k bits adds to the row of the channel matrix."""
    rule = f"n_values must be at most {MOST_VALUES} for the channel of a whole attribute, which "
    rule += "has a row for each of 2^k vectors (estimate_frequencies counts each value without one)"
    check.demand(k <= MOST_VALUES, rule, k)
    return 1 << np.arange(k)[::-1]


def vectors(k: int) -> Bits:
    """Return every vector of k bits, in the order of the rows."""
    each = powers(k)  # refuses what has too many vectors before they are laid out
    return (np.arange(2**k)[:, np.newaxis] & each > 0).astype(np.int8)


def vectors_given_value(k: int, p: float, q: float) -> FloatArray:
    """Return P[vector | value]: p or 1 - p for the own bit, q or 1 - q for each other."""
    bits = vectors(k)
    others = bits.sum(axis=1, keepdims=True) - bits  # set bits of other values
    own = np.where(bits == 1, p, 1 - p)
    return np.asarray(own * q**others * (1 - q) ** (k - 1 - others), dtype=np.float64)


@dataclass(eq=False, repr=False)
class HadamardResponse(PureProtocol):
    """Release one number for an attribute of very many values: a column of a Hadamard matrix.

    Every value has a row of signs, and any two rows agree in half of their K columns. A report is a
    column, drawn from those that are positive in the row of the true value with probability
    p = e^epsilon / (e^epsilon + 1), else from the others. So it supports half of all values; the
    true one with p, any other one with q = 1/2. K is the smallest power of two above the number of
    values, and a report has log2 K bits where unary encoding sends one for each value.

    Parameters
    ----------
    n_values : int or list of int, default=None
        How many values an attribute has, each >= 2: one number for all, or one each. None takes
        the number of the categories.
    epsilon : float in (0, 20], default=None
        The epsilon of local differential privacy of one attribute; those of several attributes that
        are asked add up.
    asked : int, default=None
        Each record answers so many of its attributes, drawn at random. Reports are floats, NaN
        where nothing was asked. None asks for all.
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
    ValueError, TypeError
        If epsilon is not in (0, 20], an attribute has fewer than two values, or ``X`` holds a
        missing value, or anything but codes or labels that its attribute has. What needs a matrix
        (``channel_matrix``, EM, attacks) is refused for more than 4,096 values; shares, intervals
        and naive Bayes need none.

    See Also
    --------
    UnaryEncoding : Less error at a large epsilon, in a report of as many bits as there are values.

    Notes
    -----
    The estimated share of a rare value has variance (e^epsilon + 1)^2 / (n (e^epsilon - 1)^2) from
    n records, however many values there are: (e^(epsilon/2) + e^(-epsilon/2))^2 / 4 times that of
    unary encoding, which is 1.27 at epsilon 1 and 2.38 at epsilon 2. All shares are found at once,
    by a transform of the counts of the K columns that takes K log2 K additions.

    References
    ----------
    Acharya, Sun and Zhang (2019), Hadamard response: estimating distributions privately,
    efficiently, and with little communication, AISTATS, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import HadamardResponse
    >>> from ppdm.reconstruction import estimate_frequencies
    >>> sites = np.repeat([[7], [99_999]], [30_000, 10_000], axis=0)
    >>> response = HadamardResponse(100_000, epsilon=2.0, random_state=0)
    >>> reports = response.fit_transform(sites)
    >>> shares = estimate_frequencies(reports, response, method="simplex")
    >>> shares.frequencies[[7, 99_999]].round(2), float(shares.standard_errors[7].round(4))
    (array([0.73, 0.22]), 0.0054)
    """

    def transform(self, X: ArrayLike) -> AnyArray:
        """Draw a column for each value.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Codes 0, 1, ..., or labels.

        Returns
        -------
        ndarray of int32, shape (n_records, n_attributes)
            Columns 0, ..., K - 1; of float64, with NaN, where only some attributes are asked.
        """
        check.fitted(self)
        codes, laws = self._read(X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        row = codes.astype(np.int32) + 1  # row 0 is positive everywhere and tells nothing
        ends = [_columns(law.n_values) for law in laws]
        column = rng.integers(0, ends, codes.shape, dtype=np.int32)
        truth = rng.random(codes.shape) < laws[0].p
        # the other sign is one bit away: the lowest that the row has
        column ^= (row & -row) * (_positive(row, column) != truth)
        return self._by_lot(rng, column)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released column | true value] of an attribute of at most 4,096 values, (K, k).

        Where only some attributes are asked, one more row is no answer.
        """
        _, p, _ = self.support(feature)
        supports = self._supports(feature)
        return self._some(np.where(supports.T, p, 1 - p) * 2 / supports.shape[1])

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes an attribute on counts, without bias, (k, K): from its supports."""
        return self._some_inverse(pure.inverse(self.support(feature), self._supports(feature)))

    def _count_answers(self, block: AnyArray, feature: int, weight: FloatArray | None) -> AnyArray:
        """Count by a fast transform, (k, 2)."""
        k = self._size(feature)
        signed = np.bincount(self._answer_codes(block, feature), weight, _columns(k))
        n = signed.sum()
        for width in (1 << bit for bit in range(signed.size.bit_length() - 1)):
            low, high = np.moveaxis(signed.reshape(-1, 2, width), 1, 0)
            signed = np.stack([low + high, low - high], axis=1).ravel()
        ones = (n + signed[1 : k + 1]) / 2
        return but_for(ones if weight is not None else ones.astype(np.int64), n)

    def n_released(self, feature: int = 0) -> int:
        """Return K, and one more where only some are asked."""
        return _columns(self._size(feature)) + (self.asked is not None)

    def _answer_codes(self, block: ArrayLike, feature: int) -> Codes:
        sizes = [_columns(self._size(feature))]  # a column has no label
        return check.codes(block, "released", sizes, first=feature)[:, 0]

    def _law(self, k: int) -> pure.Support:
        return pure.hadamard(k, self.epsilon_)

    def _supports(self, feature: int) -> BoolArray:
        """Return which columns support which values, (k, K)."""
        k = self._size(feature)
        pure.in_matrix(k)
        return _positive(np.arange(1, k + 1)[:, np.newaxis], np.arange(_columns(k)))


def _columns(k: int) -> int:
    """Return the order of the matrix: the smallest power of two above k."""
    return 1 << k.bit_length()


def _positive(row: Codes, column: Codes) -> BoolArray:
    """Return whether Sylvester's matrix is positive there: an even number of bits is in both."""
    return np.asarray(np.bitwise_count(row & column) % 2 == 0)
