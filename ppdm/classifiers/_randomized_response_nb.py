"""Naive Bayes on disguised records: counts undone, then an ordinary classifier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._budget import CoinBudget
from ppdm.channel import PairChannel
from ppdm.naive_bayes import ZERO_COUNT, CountNB
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import em, project
from ppdm.typing import Bits, ClassGroup, Codes, FloatArray, Groups, IntArray, Projection


class _Disguise(NamedTuple):
    """What some attributes' counts came through: a channel and which of its attributes."""

    columns: list[int]
    channel: Any
    feature: int = 0


class _DisguisedNB(CountNB):
    """Naive Bayes whose counts come through a known channel.

    A subclass says which: that of the classes (None where they are public), and those of each
    attribute's values or, where the class is disguised, of its pairs (class, value).
    """

    projection: Projection

    def _disguises(self) -> tuple[Any, list[_Disguise]]:
        raise NotImplementedError

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        of_class, of_values = self._disguises()
        true = np.zeros((*pairs.shape[:2], int(self.n_values_.max())))
        for columns, channel, feature in of_values:
            matrix = check.channel(channel, ndim=2, feature=feature)
            n_together = 1 if of_class is None else classes.size  # classes in one cell's table
            n_released, n_true = (size // n_together for size in matrix.shape)
            cells = pairs[columns, :, :n_released]
            if of_class is not None:
                cells = cells.reshape(len(columns), -1)
            estimates = self._estimate(channel, feature, cells)
            true[columns, :, :n_true] = estimates.reshape(len(columns), classes.size, n_true)
        if of_class is not None:
            classes = self._estimate(of_class, 0, classes)
        return classes, true

    def _projection(self) -> Any:
        return check.option(self.projection, "projection", (None, "clip", "simplex", "em"))

    def _estimate(self, channel: Any, feature: int, counts: FloatArray) -> FloatArray:
        """Undo the channel on counts (..., S), and make the result (..., m) legal if asked to."""
        option = self._projection()
        total = counts.sum(axis=-1, keepdims=True)
        if option == "em":
            matrix = check.channel(channel, ndim=2, feature=feature)
            found = em(matrix, counts, stop="tol", keep_history=False)
            return np.asarray(total * found.probabilities)
        estimates: FloatArray = counts @ check.inverse_of(channel, feature).T
        if option is not None:
            some = total[..., 0] > ZERO_COUNT
            estimates[some] = project(estimates[some], method=option)
        return estimates


class RandomizedResponseNB(CoinBudget, _DisguisedNB):
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
    projection : {None, "clip", "simplex", "em"}, default=None
        What becomes of estimated counts below zero. None keeps them in ``pair_count_``;
        :class:`ppdm.naive_bayes.CountNB` says what the classifier makes of them.
        The others make each table legal: cut at zero and scaled, the nearest legal table, or
        the likeliest.

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

    def __init__(
        self,
        theta: float | None = None,
        groups: Groups = None,
        class_group: ClassGroup = None,
        *,
        asked: int | None = None,
        epsilon: float | None = None,
        projection: Projection = None,
    ) -> None:
        self.theta = theta
        self.groups = groups
        self.class_group: ClassGroup = class_group
        self.asked = asked
        self.epsilon = epsilon
        self.projection: Projection = projection

    def _codes(self, X: ArrayLike, *, reset: bool) -> Bits:
        return check.bit_table(self, X, reset=reset)

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        if self.asked is None:
            return self._codes(X, reset=reset)
        reports = check.code_table(self, X, reset=reset)
        scheme = self._scheme(reports.shape[1], self.asked)
        with check.naming("X", "reports of some attributes each"):
            return scheme.codes(reports)

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        return np.full(codes.shape[1], 2), 2 if self.asked is None else 3

    def _undo(self, classes: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
        return super()._undo(classes, pairs if self.asked is None else _stand_for_all(pairs))

    def _scheme(self, n_features: int, asked: int | None) -> RandomizedResponse:
        # who was asked had a coin each
        groups = self.groups if asked is self.asked else [[j] for j in range(n_features)]
        if groups is not None:
            names = getattr(self, "feature_names_in_", None)
            groups = [group.tolist() for group in check.groups(groups, n_features, names)]
        scheme = RandomizedResponse(
            self.theta, groups, self.class_group, asked=asked, epsilon=self.epsilon
        )
        return scheme.fit(np.zeros((1, n_features), dtype=np.int8))

    def _disguises(self) -> tuple[Any, list[_Disguise]]:
        check.invertible(self.theta_)
        n_features = self.n_values_.size
        scheme = self._scheme(n_features, None)
        if self.class_group is None:
            return None, [_Disguise(list(range(n_features)), scheme)]
        check.two_classes(self.classes_, self.class_group)
        alike: dict[Any, list[int]] = {}  # what is disguised alike is undone together
        for attribute, channel in enumerate(scheme.pair_channels()):
            alike.setdefault(channel, []).append(attribute)
        return scheme, [_Disguise(columns, channel) for channel, columns in alike.items()]


def _stand_for_all(pairs: FloatArray) -> FloatArray:
    """Scale the answers of those asked, (d, classes, 3), up to all of their class, (d, classes, 2).

    Whom a question went to was drawn without a look at anybody. Of whom nobody was asked, half
    stand for each answer.
    """
    total = pairs.sum(axis=2, keepdims=True)
    said = pairs[:, :, :2].sum(axis=2, keepdims=True)
    some = np.abs(said) > ZERO_COUNT
    scaled: FloatArray = pairs[:, :, :2] * total / np.where(some, said, 1.0)
    return np.where(some, scaled, total / 2)


class CategoricalRandomizedResponseNB(_DisguisedNB):
    """Naive Bayes learnt from values that went through a known channel, each by itself.

    It learns from what the channel releases and predicts from clear values: codes 0, 1, ..., or
    labels where the channel has categories. ``class_count_`` and ``pair_count_`` are estimates of
    the true counts.

    Parameters
    ----------
    channel : Channel, array-like of shape (S, m) or a list of matrices
        P[released | true] of the values: any :class:`ppdm.channel.Channel`, one matrix for
        all attributes or a list with one each. A matrix reads released codes 0, ..., S - 1; a
        Channel reads what it releases by its ``codes``.
    class_channel : Channel or array-like of shape (n_classes, n_classes), default=None
        P[released | true] of the class; None where it is public.
    projection : {None, "clip", "simplex", "em"}, default=None
        What becomes of estimated counts below zero, as in :class:`RandomizedResponseNB`.

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

    def __init__(
        self, channel: Any, class_channel: Any = None, *, projection: Projection = None
    ) -> None:
        self.channel = channel
        self.class_channel = class_channel
        self.projection: Projection = projection

    def _training_codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        disguised = check.code_table(self, X, reset=reset)
        if hasattr(self.channel, "codes"):
            codes: Codes = self.channel.codes(disguised)
            return codes
        matrices = check.matrices_of(self.channel, disguised.shape[1])
        return check.codes(disguised, "X", [len(matrix) for matrix in matrices])

    def _learn_values(self, codes: Codes) -> tuple[IntArray, int]:
        shapes = [matrix.shape for matrix in check.matrices_of(self.channel, codes.shape[1])]
        n_released, n_true = np.array(shapes).T
        return n_true, int(n_released.max())

    def _codes(self, X: ArrayLike, *, reset: bool) -> Codes:
        if self.n_features_in_ == self.n_values_.size:
            table = check.coded_table(self, X, reset=reset, of=self.channel)
            return check.codes(table, "X", self.n_values_)
        clear = check.to_codes(check.plain(X, "X"), check.known_categories(self.channel))
        if clear.ndim != 2 or clear.shape[1] != self.n_values_.size:
            raise ValueError(
                f"X must have {self.n_values_.size} column(s), a code for each attribute, "
                f"got shape {clear.shape}"
            )
        return check.codes(clear, "X", self.n_values_)

    def _disguises(self) -> tuple[Any, list[_Disguise]]:
        each = _attribute_by_attribute(self.channel, self.n_values_.size)
        if self.class_channel is None:
            return None, each
        n_classes = self.classes_.size
        shape = check.channel(self.class_channel, "class_channel", ndim=2).shape
        if shape != (n_classes, n_classes):
            raise ValueError(
                "class_channel must have one row and one column for each of the classes "
                f"{self.classes_.tolist()}, got shape {shape}"
            )
        check.inverse_of(self.class_channel, name="class_channel")
        if self._projection() != "em":
            for d in each:
                check.inverse_of(d.channel, d.feature)
        pairs = [d._replace(channel=PairChannel(self.class_channel, d.channel)) for d in each]
        return self.class_channel, pairs


def _attribute_by_attribute(channel: Any, n_features: int) -> list[_Disguise]:
    """Return the disguise of each attribute; those of one matrix are undone together."""
    if hasattr(channel, "channel_matrix"):
        return [_Disguise([j], channel, j) for j in range(n_features)]
    if not check.is_list(channel):
        return [_Disguise(list(range(n_features)), channel)]
    return [_Disguise([j], matrix) for j, matrix in enumerate(channel)]
