"""Naive Bayes on randomised responses: reported counts undone, then an ordinary classifier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_codes, check_option
from ppdm.classifiers._randomized_response_tree import check_bit_table, check_two_classes
from ppdm.naive_bayes import ZERO_COUNT, CountNB
from ppdm.randomized_response._categorical import spread_channels
from ppdm.randomized_response._groups import (
    ClassGroup,
    Groups,
    check_class_group,
    check_groups,
    check_invertible,
    inverse_weights,
)
from ppdm.reconstruction import em, project

FloatArray = NDArray[np.float64]


class Cells(NamedTuple):
    """How the cells of a count table are disguised: one channel, or a stack of them."""

    channel: FloatArray
    inverse: FloatArray

    def beside(self, other: Cells) -> Cells:
        """Return the channel of pairs whose parts are disguised independently."""
        return Cells(
            np.asarray(np.kron(self.channel, other.channel), dtype=np.float64),
            np.asarray(np.kron(self.inverse, other.inverse), dtype=np.float64),
        )


class _DisguisedNB(CountNB):
    """Naive Bayes whose counts come through a known channel.

    A subclass says which: that of the classes (None where they are public), and that of each
    attribute's values or, where the class is disguised, of its pairs (class, value).
    """

    projection: str | None

    def _cells(self) -> tuple[Cells | None, Cells]:
        raise NotImplementedError

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        of_class, of_cell = self._cells()
        if of_class is None:
            return classes, self._estimate(of_cell, pairs)
        joint = self._estimate(of_cell, pairs.reshape(len(pairs), 1, -1))
        return self._estimate(of_class, classes), joint.reshape(pairs.shape)

    def _estimate(self, cells: Cells, counts: FloatArray) -> FloatArray:
        """Undo the channel on counts (..., cells), and make the result legal if asked to."""
        option = check_option(self.projection, "projection", (None, "clip", "simplex", "em"))
        total = counts.sum(axis=-1, keepdims=True)
        if option == "em":
            legal: FloatArray = total * _likeliest(cells.channel, counts)
            return legal
        estimates: FloatArray = np.matmul(counts, np.swapaxes(cells.inverse, -1, -2))
        if option is not None:
            some = total[..., 0] > ZERO_COUNT
            estimates[some] = project(estimates[some], method=option)
        return estimates


def _likeliest(channel: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the shares that EM finds; a stack of channels goes with the first axis."""
    stacked = channel.ndim == 3
    tables = np.moveaxis(counts, 0, -2) if stacked else counts
    shares = em(channel, tables, stop="tol", keep_history=False).probabilities
    return np.moveaxis(shares, -2, 0) if stacked else shares


class RandomizedResponseNB(_DisguisedNB):
    """Naive Bayes learnt from randomised responses.

    Naive Bayes needs P(C) and P(A_j, C) only; each is an expression in one or two groups. So
    the reported counts are undone pair by pair, in closed form, whatever the number of
    attributes and groups; the result is naive Bayes on signed records.

    Parameters
    ----------
    theta : float in [0, 1], not 1/2
        The probability with which each provider told the truth.
    groups, class_group : default=None
        Who shared a coin, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    projection : {None, "clip", "simplex", "em"}, default=None
        What becomes of estimated counts below zero. None keeps them in ``pair_count_``;
        :class:`ppdm.naive_bayes.CountNB` says what the classifier makes of them.
        The others make each table legal: cut at zero and scaled, the nearest legal table, or
        the likeliest.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Estimated number of true records of each class.
    pair_count_ : ndarray of shape (n_features, n_classes, 2)
        Estimated number of true records of each class and value, of each attribute.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    References
    ----------
    ZCM04, section 3.4, with Eq. 2 for a pair in one group and Eq. 4 for a pair in two.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import RandomizedResponseNB
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 4000)
    >>> X = (rng.random((4000, 3)) < 0.2 + 0.6 * y[:, np.newaxis]).astype(int)
    >>> scheme = RandomizedResponse(0.7, groups=[[0, 1], [2]], class_group=1, random_state=rng)
    >>> nb = RandomizedResponseNB(0.7, groups=[[0, 1], [2]], class_group=1)
    >>> nb.fit(*scheme.disguise(X, y)).predict([[0, 0, 0], [1, 1, 1]])
    array([0, 1])
    """

    def __init__(
        self,
        theta: float,
        groups: Groups = None,
        class_group: ClassGroup = None,
        *,
        projection: str | None = None,
    ) -> None:
        self.theta = theta
        self.groups = groups
        self.class_group = class_group
        self.projection = projection

    def _codes(self, X: ArrayLike, *, reset: bool) -> NDArray[np.int8]:
        return check_bit_table(self, X, reset=reset)

    def _learn_values(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        return np.full(codes.shape[1], 2)

    def _cells(self) -> tuple[Cells | None, Cells]:
        theta = check_invertible(self.theta)
        groups = check_groups(self.groups, self.n_features_in_)
        class_group = check_class_group(self.class_group, len(groups))
        one_bit = _both_ways(theta, n_bits=1)
        if class_group is None:
            return None, one_bit
        check_two_classes(self.classes_, class_group)
        together = np.zeros((self.n_features_in_, 1, 1), dtype=np.bool_)
        if class_group != "own":
            together[groups[int(class_group)]] = True
        shared, apart = _both_ways(theta, n_bits=2), one_bit.beside(one_bit)
        return one_bit, Cells(
            np.where(together, shared.channel, apart.channel),
            np.where(together, shared.inverse, apart.inverse),
        )


class CategoricalRandomizedResponseNB(_DisguisedNB):
    """Naive Bayes learnt from codes that went through known matrices, attribute by attribute.

    Parameters
    ----------
    channel : array-like of shape (k, k), or a list of such
        P[released | true] of the values: one matrix for all attributes or a list with one
        each, as ``record_channels`` of
        :class:`ppdm.randomized_response.CategoricalRandomizedResponse` returns it.
    class_channel : array-like of shape (n_classes, n_classes), default=None
        P[released | true] of the class; None where it is public.
    projection : {None, "clip", "simplex", "em"}, default=None
        What becomes of estimated counts below zero, as in :class:`RandomizedResponseNB`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, pair_count_ : ndarray
        The estimated counts, as in :class:`ppdm.naive_bayes.CountNB`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only where ``X`` has column names.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.classifiers import CategoricalRandomizedResponseNB
    >>> from ppdm.randomized_response import CategoricalRandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["benign", "malignant"], 2000)
    >>> X = (y == "malignant")[:, np.newaxis] * 2 + rng.integers(0, 3, (4000, 2))
    >>> krr = CategoricalRandomizedResponse(n_values=5, p=0.6, random_state=rng).fit(X)
    >>> nb = CategoricalRandomizedResponseNB(krr.record_channels()).fit(krr.transform(X), y)
    >>> nb.predict([[0, 1], [3, 4]])
    array(['benign', 'malignant'], dtype='<U9')
    """

    def __init__(
        self, channel: Any, class_channel: Any = None, *, projection: str | None = None
    ) -> None:
        self.channel = channel
        self.class_channel = class_channel
        self.projection = projection

    def _learn_values(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        sizes = [len(channel) for channel in self._channels(codes.shape[1])]
        check_codes(codes, "X", sizes)
        return np.array(sizes)

    def _channels(self, n_features: int) -> list[FloatArray]:
        """Return the channel of each attribute; one for all may be given."""
        return spread_channels(self.channel, n_features, "channel")

    def _cells(self) -> tuple[Cells | None, Cells]:
        channels = self._channels(self.n_features_in_)
        of_value = Cells(
            _pad(channels), _pad([_inverse(channel, "channel") for channel in channels])
        )
        if self.class_channel is None:
            return None, of_value
        (matrix,) = spread_channels(self.class_channel, 1, "class_channel")
        if len(matrix) != self.classes_.size:
            raise ValueError(
                f"class_channel must have one column for each of the classes "
                f"{self.classes_.tolist()}, got {len(matrix)}"
            )
        of_class = Cells(matrix, _inverse(matrix, "class_channel"))
        return of_class, of_class.beside(of_value)


def _inverse(channel: FloatArray, name: str) -> FloatArray:
    if np.linalg.matrix_rank(channel) < len(channel):
        raise ValueError(
            f"{name} must be invertible, got a singular matrix: some shares of true values "
            "give the same reports"
        )
    return np.asarray(np.linalg.inv(channel))


def _both_ways(theta: float, n_bits: int) -> Cells:
    """Return the channel of bits that share a coin, and its inverse in closed form."""
    same = np.eye(2**n_bits)
    keep, reverse = inverse_weights(theta)
    return Cells(
        theta * same + (1 - theta) * same[::-1],
        keep * same + reverse * same[::-1],
    )


def _pad(matrices: list[FloatArray]) -> FloatArray:
    """Stack matrices of several sizes; values that an attribute does not have stay put."""
    size = max(len(matrix) for matrix in matrices)
    stack = np.tile(np.eye(size), (len(matrices), 1, 1))
    for place, matrix in zip(stack, matrices, strict=True):
        place[: len(matrix), : len(matrix)] = matrix
    return stack
