"""Naive Bayes on disguised records: counts undone, then an ordinary classifier."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.naive_bayes import ZERO_COUNT, CountNB
from ppdm.randomized_response._asked import answered, some_inverse
from ppdm.randomized_response._coins import Coins, coin_inverse
from ppdm.reconstruction._em import iterate
from ppdm.typing import Bits, ClassGroup, Codes, FloatArray, Groups, IntArray, Undoing


@dataclass(eq=False, repr=False)
class RandomizedResponseNB(Coins, CountNB):
    """Naive Bayes learnt from randomised responses.

    Naive Bayes needs P(C) and P(A_j, C) only; each is an expression in one or two groups. So
    the reported counts are undone pair by pair, in closed form, whatever the number of
    attributes and groups; the result is naive Bayes on signed records. ``class_count_`` and
    ``pair_count_`` are estimates of the true counts.

    Parameters
    ----------
    theta : float in [0, 1], not 1/2, default=None
        The probability with which each provider told the truth; this or ``epsilon`` is given.
    groups, class_group : default=None
        Who shared a coin, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    asked : int, default=None
        How many attributes each provider was asked, drawn at random; reports then hold NaN
        where nothing was asked. Those who answered stand for all of their class.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what each answer spent, as in
        :class:`ppdm.randomized_response.RandomizedResponse`.
    smoothing : float > 0, default=None
        As in :class:`ppdm.naive_bayes.CountNB`.

    Attributes
    ----------
    theta_, epsilon_ : float
        Both, whichever was given, as in :class:`ppdm.randomized_response.RandomizedResponse`.
    classes_ : ndarray of shape (n_classes,)
    class_count_, pair_count_ : ndarray
        Estimated number of true records of each class, (n_classes,), and of each class and value of
        each attribute, (n_features, n_classes, 2); a negative one is kept as it is.
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

    theta: float | None = None
    groups: Groups = None
    class_group: ClassGroup = None
    _: KW_ONLY
    asked: int | None = None
    epsilon: float | None = None
    smoothing: float | None = None

    def _codes(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check.bit_table(self, X, reset=reset)

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        if self.asked is None:
            return self._codes(X, reset=reset)
        reports = check.code_table(self, X, reset=reset)
        self._layout()
        told = answered(reports, self.asked, [1] * self.n_features_in_, "X")
        return np.where(told, check.bits(np.where(told, reports, 0), "X"), 2)

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        return np.full(codes.shape[1], 2), 2 if self.asked is None else 3

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        theta = check.invertible(self.theta_)
        groups, class_group = self._layout()
        alone = value = coin_inverse(theta)
        if self.asked is not None:
            share = self.asked / len(pairs)
            pairs, value = _stand_for_all(pairs, share), some_inverse(alone, share)
        if class_group is None:
            return classes, pairs @ value.T
        check.two_classes(self.classes_, class_group)
        # Eq. 2 of ZCM04 for a pair (class, value) that shares a coin, Eq. 4 for one that does not
        reported = pairs.reshape(len(pairs), -1)
        true = reported @ np.kron(alone, value).T
        if isinstance(class_group, int):
            shared = groups[class_group]
            true[shared] = reported[shared] @ coin_inverse(theta, 2).T
        return classes @ alone.T, true.reshape(len(pairs), 2, 2)


def _stand_for_all(pairs: FloatArray, share: float) -> FloatArray:
    """Scale counts of answers and, the last, of none, (..., S + 1), to the ``share`` that is asked.

    Whom a question went to was drawn without a look at anybody: who was asked stands for all of the
    class. Where nobody was asked the counts stay, and each value gets an even part.
    """
    n = pairs.sum(axis=-1, keepdims=True)
    said = n - pairs[..., -1:]
    some = np.abs(said) > ZERO_COUNT
    scale = np.where(some, share * n / np.where(some, said, 1.0), 1.0)
    none = np.where(some, (1 - share) * n, n)
    return np.concatenate([pairs[..., :-1] * scale, none], axis=-1)


@dataclass(eq=False, repr=False)
class CategoricalRandomizedResponseNB(CountNB):
    """Naive Bayes learnt from values that went through a known channel, each by itself.

    It learns from what the channel releases and predicts from clear values: codes 0, 1, ..., or
    labels where the channel has categories. ``class_count_`` and ``pair_count_`` are estimates of
    the true counts. Of a scheme that asks some attributes of each record, those who answered stand
    for all of their class.

    Parameters
    ----------
    channel : Channel, array-like of shape (S, m) or a list of matrices
        P[released | true] of the values: any :class:`ppdm.channel.Channel`, one matrix for
        all attributes or a list with one each. A matrix reads released codes 0, ..., S - 1; a
        Channel reads what it releases by its ``codes``.
    method : {"raw", "em"}, default="raw"
        How counts are undone: by the channel's inverse, without bias, or by EM
        (:func:`ppdm.reconstruction.em`), where the inverse would blow up chance, as that of
        noise on numbers does.
    smoothing : float > 0, default=None
        As in :class:`ppdm.naive_bayes.CountNB`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_values_ : ndarray of int, shape (n_attributes,)
        How many true values each attribute has.
    n_features_in_ : int
        Number of columns of the disguised records; several an attribute where the channel
        releases several, as :class:`ppdm.randomized_response.UnaryEncoding` does.
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
    >>> krr = CategoricalRandomizedResponse(n_values=5, theta=0.6, random_state=rng).fit(X)
    >>> nb = CategoricalRandomizedResponseNB(krr).fit(krr.transform(X), y)
    >>> nb.predict([[0, 1], [3, 4]])
    array(['benign', 'malignant'], dtype='<U9')
    """

    channel: Any = None
    _: KW_ONLY
    method: Undoing = "raw"
    smoothing: float | None = None

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        disguised = check.code_table(self, X, reset=reset)
        if hasattr(self.channel, "codes"):
            return np.asarray(self.channel.codes(disguised))
        matrices = check.matrices_of(self.channel, disguised.shape[1])
        return check.codes(disguised, "X", [len(matrix) for matrix in matrices])

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        shapes = [matrix.shape for matrix in check.matrices_of(self.channel, codes.shape[1])]
        n_released, n_true = np.array(shapes).T
        return n_true, int(n_released.max())

    def _codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        if self.n_features_in_ == self.n_values_.size:
            clear = check.coded_table(self, X, reset=reset, of=self.channel)
        else:
            clear = check.to_codes(check.plain(X, "X"), check.known_categories(self.channel))
        d = self.n_values_.size
        check.of_shape(clear, (None, d), f"X must have {d} column(s), a code for each attribute")
        return check.codes(clear, "X", self.n_values_)

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        n_classes, n_features = classes.size, self.n_values_.size
        true = np.zeros((n_features, n_classes, int(self.n_values_.max())))
        if check.given("CategoricalRandomizedResponseNB.method", self.method) == "em":
            for j, matrix in enumerate(check.matrices_of(self.channel, n_features)):
                shares = iterate(matrix, pairs[j, :, : len(matrix)], None, keep_history=False)
                true[j, :, : matrix.shape[1]] = shares.probabilities * classes[:, np.newaxis]
            return classes, true
        asked = getattr(self.channel, "asked", None)
        for j, inverse in enumerate(self._inverses(n_features)):
            n_true, n_released = inverse.shape
            said = pairs[j, :, :n_released]
            said = said if asked is None else _stand_for_all(said, asked / n_features)
            true[j, :, :n_true] = said @ inverse.T
        return classes, true

    def _inverses(self, n_features: int) -> list[FloatArray]:
        """Return what undoes each attribute; a matrix that is all attributes' is inverted once."""
        channel = self.channel
        if hasattr(channel, "channel_matrix"):
            return [check.inverse_of(channel, feature=j) for j in range(n_features)]
        matrices = check.matrices_of(channel, n_features)
        inverses = {id(matrix): check.invert_matrix(matrix) for matrix in matrices}  # each once
        return [inverses[id(matrix)] for matrix in matrices]
