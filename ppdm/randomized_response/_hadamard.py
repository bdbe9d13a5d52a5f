"""Hadamard response: of very many values, in a report of a few bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _support as pure
from ppdm import _validation as check
from ppdm.channel import but_for
from ppdm.randomized_response._pure import PureProtocol
from ppdm.typing import AnyArray, BoolArray, Codes, FloatArray


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
    >>> found = estimate_frequencies(reports, response, method="simplex")
    >>> found.frequencies[[7, 99_999]].round(2), float(found.standard_errors[7].round(4))
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
        check_is_fitted(self)
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

    def _count_answers(
        self, block: AnyArray, feature: int, weight: FloatArray | None
    ) -> AnyArray:
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
