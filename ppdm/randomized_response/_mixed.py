"""A record of mixed kinds: a channel for each question, and one epsilon for all."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import AnyArray, Categories, Codes, FloatArray, RandomState


@dataclass(eq=False, repr=False)
class MixedResponse(SomeAsked, OneToOneFeatureMixin, CodesTransformer):
    """Report a record of mixed kinds, each attribute through a channel of its own.

    A yes or no goes through a coin, one of k values through k-ary response or unary encoding. A
    number is told by its interval, cut beforehand at public edges (``numpy.digitize``).

    Parameters
    ----------
    channels : list of Channel, or Channel
        One for each attribute, in order, or one for all: :class:`RandomizedResponse`,
        :class:`CategoricalRandomizedResponse`, :class:`UnaryEncoding`, or an estimator of one's own
        that is a :class:`ppdm.channel.Channel`. Each is cloned, and sees its own column.
    epsilon : float > 0, default=None
        What the whole record spends of local differential privacy. Each answer gets an even part
        of it, in place of the channel's own ``theta`` or ``epsilon``. None leaves the channels as
        they are.
    asked : int, default=None
        Each record answers so many of its attributes, drawn at random. Reports are floats, or
        objects where there are labels, and NaN where nothing was asked. None asks for all.
    random_state : None, int or numpy.random.Generator, default=None
        Of all draws, in place of the channels' own. An int draws the same at every call: right for
        tests, wrong for two providers.

    Attributes
    ----------
    channels_ : list of Channel
        The clones, each fitted to its attribute.
    categories_ : list of ndarray or None
        The labels of each attribute; None where all hold codes.
    n_features_in_ : int
        Number of attributes of a record.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.

    Raises
    ------
    ValueError, TypeError
        If there is not one channel for each attribute, one is no channel with ``fit`` and
        ``transform``, refuses its parameters or its column, or has no ``epsilon`` where one is to
        be shared.

    See Also
    --------
    ppdm.privacy.local_epsilon : The epsilon of the record.
    ppdm.reconstruction.estimate_frequencies : The shares of each attribute's values.

    Notes
    -----
    With ``asked`` a record spends the sum of the largest epsilons, of so many channels as are
    asked: the lot may fall on them. So where ``epsilon`` is None the channels should spend alike.

    Examples
    --------
    Who smokes, one of four parties, and an income between public edges, two of them asked:

    >>> import numpy as np
    >>> from ppdm.privacy import local_epsilon
    >>> from ppdm.randomized_response import CategoricalRandomizedResponse, MixedResponse
    >>> from ppdm.randomized_response import RandomizedResponse, UnaryEncoding
    >>> income = np.digitize([18, 25, 52], [20, 30, 40, 50])
    >>> records = np.column_stack([[1, 0, 0], [3, 0, 1], income])
    >>> kinds = [RandomizedResponse(), CategoricalRandomizedResponse(4), UnaryEncoding(5)]
    >>> mixed = MixedResponse(kinds, epsilon=2.0, asked=2, random_state=0)
    >>> mixed.fit_transform(records)
    array([[ 1.,  2., nan, nan, nan, nan, nan],
           [ 1., nan,  0.,  1.,  0.,  0.,  0.],
           [ 0., nan,  0.,  0.,  0.,  0.,  1.]])
    >>> round(local_epsilon(mixed), 12)
    2.0
    """

    channels: Any
    _: KW_ONLY
    epsilon: float | None = None
    asked: int | None = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> MixedResponse:
        """Check the parameters and fit each channel to its attribute.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Bits, codes 0, 1, ... or labels, as each channel takes them.
        y : ignored

        Returns
        -------
        MixedResponse
        """
        check.random_state(self.random_state)
        columns = check.each_column(self, X, reset=True)
        d, given = len(columns), self.channels
        each = [given] * d if hasattr(given, "get_params") else given
        each = check.sequence(each, "channels", "channels, one an attribute", d)
        self._share()
        shared: dict[str, Any] = {}
        if self.epsilon is not None:
            total = check.given("MixedResponse.epsilon", self.epsilon)
            shared = {"epsilon": total / (self.asked or d), "theta": None}
        self.channels_: list[Any] = []
        for j, (channel, column) in enumerate(zip(each, columns, strict=True)):
            name = f"channels[{j}]"
            twin = clone(check.having(channel, name, "fit", "transform", "channel_matrix"))
            own = {n: value for n, value in shared.items() if n == "epsilon" or hasattr(twin, n)}
            with check.naming(name, f"a channel that takes X[:, {j}]"):
                self.channels_.append(twin.set_params(**own).fit(column))
        known = [(check.known_categories(one) or [None])[0] for one in self.channels_]
        none = all(one is None for one in known)
        self.categories_: Categories | None = None if none else known
        return self

    def transform(self, X: ArrayLike) -> AnyArray:
        """Disguise records, each attribute by its own channel.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_records, n_columns)
            What the channels release, side by side: k columns of a unary-encoded attribute, one of
            any other.
        """
        check_is_fitted(self)
        columns = check.each_column(self, X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        said = []
        for j, (channel, column) in enumerate(zip(self.channels_, columns, strict=True)):
            own = copy(channel)
            own.random_state = rng
            with check.naming("X", f"what channels[{j}] takes"):
                said.append(np.asarray(own.transform(column)))
        return self._by_lot(rng, np.concatenate(said, axis=1))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> AnyArray:
        """Return a name for each column, as the attributes' channels give them.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The attributes' names, where ``X`` had none.

        Returns
        -------
        ndarray of str objects, shape (n_columns,)
        """
        pairs = zip(self.channels_, super().get_feature_names_out(input_features), strict=True)
        return np.concatenate([channel.get_feature_names_out([name]) for channel, name in pairs])

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true] of attribute ``feature``, that of its own channel.

        Where only some are asked, with one more row: the last is no answer.
        """
        return self._some(self._of_feature(feature).channel_matrix())

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes attribute ``feature`` on counts, as its own channel does.

        Where only some are asked, with one more column: no answer is an even part of each value.
        """
        return self._some_inverse(self._of_feature(feature).inverse_matrix())

    def codes(self, released: ArrayLike) -> Codes:
        """Return which value each report is, (n, n_attributes); see ``Channel``.

        NaN, where nothing was asked, is one more code of the attribute.
        """
        if self.asked is not None:
            return super().codes(released)
        return np.column_stack([channel.codes(block) for block, channel in self._answers(released)])

    def _answers(self, released: ArrayLike) -> list[tuple[AnyArray, Any]]:
        """Return of each attribute what those who were asked it answered, and its channel."""
        told, filled = self._open(released)
        check.of_shape(filled, (None, None), "released must have a row for each record")
        blocks = np.split(filled, np.cumsum(self._widths())[:-1], axis=1)
        each = zip(self.channels_, blocks, told.T, strict=True)
        return [(block[rows], channel) for channel, block, rows in each]

    def _parts(self) -> list[FloatArray]:
        return [channel.record_channels()[0] for channel in self.channels_]

    def _widths(self) -> list[int]:
        return [len(channel.get_feature_names_out(["x"])) for channel in self.channels_]

    def _n_released(self, feature: int = 0) -> int:
        return int(self._of_feature(feature)._n_released()) + (self.asked is not None)

    def _of_feature(self, feature: int) -> Any:
        check_is_fitted(self)
        return check.of_feature(self.channels_, feature, self.n_features_in_)
