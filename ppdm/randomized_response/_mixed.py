"""A record of mixed kinds: a channel for each question, and one epsilon for all."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm._support import Support
from ppdm.channel import Channel, Scheme
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Categories,
    Changes,
    Codes,
    FloatArray,
    RandomState,
    Undoing,
)


@dataclass(eq=False, repr=False)
class MixedResponse(SomeAsked, Scheme, OneToOneFeatureMixin, CodesTransformer):
    """Report a record of mixed kinds, each attribute through a channel of its own.

    A yes or no goes through a coin, one of k values through k-ary response or unary encoding, and a
    number through noise between public edges (``noise.on(edges)``).

    Parameters
    ----------
    channels : dict, list of Channel, or Channel
        One for each attribute: by the name of its column, in order, or one for all. Each is
        :class:`RandomizedResponse`, :class:`CategoricalRandomizedResponse`, :class:`UnaryEncoding`,
        :class:`HadamardResponse`, ``noise.on(edges)`` of noise on one number, or a scheme of one's
        own that is a :class:`ppdm.channel.Channel`; it is copied, and sees its own column. None
        leaves a column open: it is public, is released as it is, and spends nothing; texts and
        Categoricals are learnt from as they are, numbers are left out of estimates and learners.
        Every column has to be named, for none to be left open by mistake.
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
        The copies, each fitted to its attribute.
    open_ : tuple of int
        The open columns of numbers, of which nothing is estimated and nothing learnt.
    public_ : tuple of int
        All open columns.
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
    The class is public beside a mixed record: ``disguise(X, y)`` returns ``y`` as it is, and
    ``local_epsilon`` does not count it. Where it is a secret, take :class:`RandomizedResponse` with
    ``class_group="own"`` on bits. An attribute of ``epsilon``'s even part is in ``channels_``; the
    channel that was given keeps its own.

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

    A frame is told by its columns. The ward is public:

    >>> import pandas as pd
    >>> from ppdm.noise import AdditiveNoise
    >>> people = pd.DataFrame({"ward": ["a", "b"], "smokes": [1, 0], "age": [31.0, 58.0]})
    >>> age = AdditiveNoise("laplace", epsilon=1.0, domain=[[20, 70]]).on([20, 45, 70])
    >>> kinds = {"smokes": RandomizedResponse(epsilon=1.0), "age": age, "ward": None}
    >>> reports, _ = MixedResponse(kinds, random_state=0).disguise(people)
    >>> reports.columns.tolist(), reports["ward"].tolist()
    (['ward', 'smokes', 'age'], ['a', 'b'])
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
        each = self._each(len(columns))
        self._share()
        shared: dict[str, Any] = {}
        if self.epsilon is not None:
            total = check.given("MixedResponse.epsilon", self.epsilon)
            n_told = self.asked or sum(channel is not None for channel in each)
            shared = {"epsilon": total / max(n_told, 1), "theta": None}
        self.channels_: list[Any] = []
        for j, (channel, column) in enumerate(zip(each, columns, strict=True)):
            name = f"channels[{j}]"
            if channel is None:
                rule = f"{name} must be a channel where only some attributes are asked"
                check.demand(self.asked is None, rule, None)
                self.channels_.append(_Open().fit(column))
                continue
            bare = hasattr(channel, "on") and not hasattr(channel, "channel_matrix")
            rule = f"{name} must have channel_matrix (a number needs intervals: noise.on(edges))"
            check.demand(not bare, rule, channel, TypeError)
            check.having(channel, name, "fit", "transform", "channel_matrix")
            twin = clone(channel, safe=False)
            own = {n: value for n, value in shared.items() if n == "epsilon" or hasattr(twin, n)}
            called = self._called(j)
            takes = f"a channel that takes {called}"
            with check.renaming(called, column, "X"), check.naming(name, takes):
                twin = check.having(twin, name, "set_params").set_params(**own) if own else twin
                self.channels_.append(twin.fit(column))
        known = [(check.known_categories(one) or [None])[0] for one in self.channels_]
        public = [j for j, channel in enumerate(each) if channel is None]
        self.public_: tuple[int, ...] = tuple(public)
        self.open_: tuple[int, ...] = tuple(j for j in public if known[j] is None)
        none = all(one is None for one in known)
        self.categories_: Categories | None = None if none else known
        return self

    def _each(self, d: int) -> list[Any]:
        """Return the channel of each of ``d`` columns, as given in order, by name or for all."""
        given = self.channels
        if isinstance(given, Mapping):
            names = getattr(self, "feature_names_in_", None)
            rule = "channels may name columns where records are a frame with names: give a list"
            check.demand(names is not None, rule, list(given))
            assert names is not None
            apart = {*names} - {*given}, {*given} - {*names}
            lost, more = (sorted(map(str, one)) for one in apart)
            rule = f"channels must name every column of X, {check.listed(names)}, and no other "
            rule += f"(lost: {lost}, unknown: {more}): leave what has no channel out of X, or give "
            rule += "it None to publish it as it is"
            check.demand(not lost and not more, rule, list(given))
            return [given[name] for name in names]
        each = [given] * d if hasattr(given, "channel_matrix") else given
        return check.sequence(each, "channels", "channels, one an attribute", d)

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
        check.fitted(self)
        columns = check.each_column(self, X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        said = []
        for j, (channel, column) in enumerate(zip(self.channels_, columns, strict=True)):
            own = copy(channel)
            own.random_state = rng
            called = self._called(j)
            with check.naming_column(called, column, "X", f"what the channel of {called} takes"):
                said.append(np.asarray(own.transform(column)))
        if any(one.dtype.kind not in "biuf" for one in said):  # beside texts numbers stay numbers
            said = [one.astype(object) for one in said]
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
        each = [getattr(one, "get_feature_names_out", list)([name]) for one, name in pairs]
        return np.concatenate(each, dtype=object)

    @property
    def undoing(self) -> Undoing:  # type: ignore[override]
        """EM where the channel of any attribute is undone by it: the classifier has one method."""
        given = self.channels
        each = given.values() if isinstance(given, Mapping) else np.ravel(given)
        return "em" if any(one is not None and one.undoing == "em" for one in each) else "raw"

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

    def attribute(self, feature: int) -> Channel:
        """Return an attribute's own channel."""
        return self._of_feature(feature)

    def part_epsilons(self, changes: Changes) -> list[float]:
        """Return what each attribute's channel promises; of a record, the largest that are asked.

        Of one attribute the lot changes nothing, since it does not look at the record. Several
        parts of an attribute are told together, so that they add up.
        """
        check.fitted(self)
        each = [channel.part_epsilons(changes) for channel in self.channels_]
        return sorted((sum(parts) for parts in each if parts), reverse=True)[: self.asked]

    def support(self, feature: int = 0) -> Support | None:
        """Return the chances of an attribute's own channel; see ``Channel``."""
        return self._of_feature(feature).support()

    def n_released(self, feature: int = 0) -> int:
        """Return the rows of an attribute's matrix."""
        return self._of_feature(feature).n_released() + (self.asked is not None)

    def columns_of(self, feature: int = 0) -> slice:
        """Return the columns that an attribute's own channel releases."""
        check.fitted(self)
        widths = [one.columns_of(0).stop for one in self.channels_]
        width = check.of_feature(widths, feature, self.n_features_in_)
        first = sum(widths[:feature])
        return slice(first, first + width)

    def true_codes(self, column: ArrayLike, feature: int = 0) -> Codes:
        """Return which true value each clear one is, by the attribute's own channel."""
        with check.renaming(self._called(feature), column, "X"):
            return self._of_feature(feature).true_codes(column)

    def bound_to(self, n_columns: int, names: AnyArray | None = None) -> Channel:
        """Refuse to be used before ``fit``: what each column is, is known from then on."""
        known = "the reports will do where each answer is one column, and else one invented record"
        check.fitted(self, msg=f"This %(name)s is not fitted yet: fit learns columns ({known})")
        return self

    def _answer_codes(self, block: ArrayLike, feature: int) -> Codes:
        channel, called = self._of_feature(feature), self._called(feature)
        with check.naming_column(called, (), "released", f"what the channel of {called} releases"):
            return channel.codes_of(block)

    def _count_answers(self, block: AnyArray, feature: int, weight: FloatArray | None) -> AnyArray:
        with check.renaming(self._called(feature), block, "reports"):
            return self._of_feature(feature).count_support(block, weight=weight)

    def _parts(self) -> list[FloatArray]:
        """Return the channels of all attributes but the open ones, which are no secret."""
        check.fitted(self)
        pairs = [(one, parts) for one in self.channels_ if (parts := one.record_channels())]
        return [parts[0] if len(parts) == 1 else one.channel_matrix() for one, parts in pairs]

    def _of_feature(self, feature: int) -> Channel:
        check.fitted(self)
        channel: Channel = check.of_feature(self.channels_, feature, self.n_features_in_)
        return channel

    def _called(self, feature: int) -> str:
        return check.called_by(feature, getattr(self, "feature_names_in_", None))


class _Open(Channel):
    """A public column: its labels come as they went in; numbers have no channel."""

    random_state: RandomState = None

    def fit(self, X: Any) -> Self:
        """Learn its labels, which are public."""
        values = np.asarray(X).ravel()
        kind = getattr(X, "dtypes", [None])[0]
        labels = getattr(kind, "categories", None)
        if labels is None and values.dtype.kind in "OUS":
            labels = sorted(set(values.tolist()))
        self.categories_ = None if labels is None else [np.asarray(labels)]
        return self

    def transform(self, X: Any) -> AnyArray:
        """Return the column as it is."""
        return np.asarray(X)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        rule = "feature must be a disguised attribute, or an open one of labels (cut numbers into "
        check.demand(self.categories_, f"{rule}labels first)", feature)
        return np.eye(sum(map(len, self.categories_ or [])))

    def record_channels(self) -> list[FloatArray]:
        return []

    def part_epsilons(self, changes: Changes) -> list[float]:
        return []
