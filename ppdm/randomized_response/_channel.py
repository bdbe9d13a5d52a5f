"""One coin a group: the channel of Warner's question for records of bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._types import AnyArray, Bits, ClassGroup, FloatArray, Groups, IntArray, RandomState
from ppdm.channel import Channel, PairChannel, RecordPart
from ppdm.randomized_response._groups import OneCoin, coin_likelihood, coin_part, tabulate


class RandomizedResponse(Channel, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Report the truth with probability ``theta``, the opposite otherwise.

    One coin is tossed for each group of attributes: all bits of the group are kept or all
    are reversed. With one column this is Warner's related-question model; with one group,
    the multivariate scheme of DZ03; with two, that of ZCM04.

    Parameters
    ----------
    theta : float in [0, 1]
        Probability of telling the truth. At 1/2 the report is independent of the truth;
        a provider may use it, but nobody can estimate anything from such reports.
    groups : list of lists of int, default=None
        The attributes that share a coin; each attribute stands in one group. None is one
        group of all, ``[[0], [1], ...]`` a coin for each.
    class_group : None, int or "own", default=None
        The class is public (None), shares the coin of a group (its index), or has a coin of
        its own. Only :meth:`disguise` sees a class.
    random_state : None, int or numpy.random.Generator, default=None
        An int tosses the same coins at every call: right for tests, wrong for two
        providers. Simulations pass one Generator to all.

    Attributes
    ----------
    n_features_in_ : int
        Number of bits of a record.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.

    Raises
    ------
    ValueError, TypeError
        If theta is no number in [0, 1]; if X holds anything but 0 and 1; if the groups overlap,
        leave an attribute out or name one that does not exist, or ``class_group`` none of them.

    See Also
    --------
    estimate_proportion : The share of records with some property, from disguised ones.
    signed_records : The inverse of this channel, for learners.

    Notes
    -----
    In one group the report is the record or its complement, and nothing else. Where the
    true records look alike and unlike their complements, that hides next to nothing; see
    :func:`ppdm.attacks.complement_decoding` and :func:`ppdm.privacy.local_epsilon`.

    References
    ----------
    Warner (1965); DZ03, sections 3 and 4.1; ZCM04, sections 3.2 and 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> answers = np.array([[1], [0], [0], [1], [0]])
    >>> RandomizedResponse(theta=0.7, random_state=0).fit_transform(answers).ravel()
    array([1, 0, 0, 1, 1], dtype=int8)

    Attributes 0 and 1 share a coin, attribute 2 and the class share another:

    >>> rr = RandomizedResponse(0.7, groups=[[0, 1], [2]], class_group=1, random_state=0)
    >>> X, y = rr.disguise([[1, 1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 1])
    >>> X.tolist(), y.tolist()
    ([[1, 1, 0], [1, 0, 0], [1, 1, 0]], [0, 0, 0])
    """

    def __init__(
        self,
        theta: float,
        groups: Groups = None,
        class_group: ClassGroup = None,
        *,
        random_state: RandomState = None,
    ) -> None:
        self.theta = theta
        self.groups = groups
        self.class_group = class_group
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> RandomizedResponse:
        """Check the parameters and learn the number of bits; nothing else is learnt from ``X``.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.
        y : ignored

        Returns
        -------
        RandomizedResponse
        """
        check.theta(self.theta)
        check.random_state(self.random_state)
        bits = check.bit_table(self, X, reset=True)
        check.class_group(self.class_group, len(check.groups(self.groups, bits.shape[1])))
        return self

    def transform(self, X: ArrayLike) -> Bits:
        """Disguise attributes: each group is kept with probability theta, else reversed whole.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.

        Returns
        -------
        ndarray of int8, shape (n_records, n_bits)
            The disguised records.
        """
        groups, _ = self._layout()
        return self._reverse(check.bit_table(self, X, reset=False), groups)

    def disguise(self, X: ArrayLike, y: ArrayLike) -> tuple[Bits, AnyArray]:
        """Disguise labelled records, the class as ``class_group`` says; fit if that was not done.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.
        y : array-like of shape (n_records,)
            The classes: zeros and ones, or anything where the class is public.

        Returns
        -------
        X : ndarray of int8, shape (n_records, n_bits)
        y : ndarray of shape (n_records,)
            Both disguised, of one toss of the coins; a public class as it came.
        """
        if not hasattr(self, "n_features_in_"):
            self.fit(X)
        table = tabulate(check.bit_table(self, X, reset=False), y, self.groups, self.class_group)
        released = self._reverse(table.bits, table.groups)
        if table.y is not None:
            return released, table.y
        return np.ascontiguousarray(released[:, :-1]), released[:, -1].astype(np.asarray(y).dtype)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true] of one attribute by itself, whatever the groups.

        Parameters
        ----------
        feature : int, default=0
            The attribute; all are alike. (A whole group's: :meth:`record_channels`.)

        Returns
        -------
        ndarray of shape (2, 2)
            Column j is what a provider with truth j releases; it sums to one.

        Examples
        --------
        >>> RandomizedResponse(theta=0.75).channel_matrix()
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        return self._coin(feature).channel_matrix()

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return [[theta, theta - 1], [theta - 1, theta]] / (2 theta - 1): the inverse, (2, 2).

        There is none at theta = 1/2: a ValueError.
        """
        return self._coin(feature).inverse_matrix()

    def record_channels(self, *, with_class: bool = False) -> list[FloatArray]:
        """Return the independent channels that a record passes through, one for each group.

        A group of more than two bits is represented by two of them: what two bits that share
        a coin give away, more bits give away too. Their four values are 00, 01, 10 and 11.

        Parameters
        ----------
        with_class : bool, default=False
            Whether the class is part of the record. A public one passes an identity matrix.

        Examples
        --------
        >>> rr = RandomizedResponse(0.7, groups=[[0, 1, 2], [3]]).fit([[0, 1, 1, 0]])
        >>> [channel.shape for channel in rr.record_channels()]
        [(4, 4), (2, 2)]
        """
        groups, class_group = self._layout()
        sizes = [group.size for group in groups]
        extra: list[FloatArray] = []
        if check.flag(with_class, "with_class"):
            if class_group is None:
                extra = [np.eye(2)]
            elif class_group == "own":
                sizes.append(1)
            else:
                sizes[int(class_group)] += 1
        theta = check.theta(self.theta)
        return [OneCoin(theta, min(size, 2)).channel_matrix() for size in sizes] + extra

    def attribute_channels(self) -> list[FloatArray]:
        """Return what a release tells of each attribute to one who knows all the others.

        That of one that shares its coin is (4, 2), of 00 and 01: the neighbour shows the coin.
        """
        found: dict[int, FloatArray] = {}
        for group in self._layout()[0]:
            coin = OneCoin(check.theta(self.theta), min(group.size, 2))
            found |= dict.fromkeys(group.tolist(), coin.channel_matrix()[:, :2])
        return [found[j] for j in range(self.n_features_in_)]

    def record_parts(self, records: ArrayLike) -> list[RecordPart]:
        """Return what these records release, one part for each group; see ``Channel``."""
        groups, theta = self._layout()[0], check.theta(self.theta)
        bits = check.bit_table(self, records, reset=False, name="records")
        return [coin_part(bits[:, group], group, theta) for group in groups]

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return log P[released | record] of each release under each record; see ``Channel``."""
        groups, theta = self._layout()[0], check.theta(self.theta)
        said = check.bit_table(self, released, reset=False, name="released")
        true = check.bit_table(self, records, reset=False, name="records")
        with np.errstate(divide="ignore"):
            each = [np.log(coin_likelihood(said[:, g], true[:, g], theta)) for g in groups]
        return np.asarray(np.sum(each, axis=0), dtype=np.float64)

    def pair_channels(self) -> list[Channel]:
        """Return how the pair (class, value) of each attribute is disguised.

        The values of a pair are 00, 01, 10 and 11, the class first. The inverses are closed
        forms: Eq. 2 of ZCM04 for a pair that shares a coin, Eq. 4 for one that does not.

        Returns
        -------
        list of Channel
            One an attribute, equal ones for attributes that are disguised alike.

        Examples
        --------
        >>> rr = RandomizedResponse(0.75, groups=[[0], [1]], class_group=0).fit([[0, 1]])
        >>> for pair in rr.pair_channels():
        ...     print(pair.channel_matrix()[0])
        [0.75 0.   0.   0.25]
        [0.5625 0.1875 0.1875 0.0625]
        """
        groups, class_group = self._layout()
        theta = check.theta(self.theta)
        of_class = OneCoin(1.0 if class_group is None else theta)  # a public one is kept
        pairs: list[Channel] = [PairChannel(of_class, OneCoin(theta))] * self.n_features_in_
        if isinstance(class_group, int):
            for attribute in groups[class_group]:
                pairs[attribute] = OneCoin(theta, 2)
        return pairs

    def __sklearn_tags__(self) -> Tags:
        """Say that the input is bits and the output random."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.positive_only = True
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = []  # bits come out as int8
        return tags

    def _coin(self, feature: int) -> OneCoin:
        n_features = getattr(self, "n_features_in_", None)
        check.integer(feature, "feature", low=0, high=n_features and n_features - 1)
        return OneCoin(check.theta(self.theta))

    def _layout(self) -> tuple[list[IntArray], ClassGroup]:
        """Return who shares a coin, and with whom the class does."""
        check_is_fitted(self)
        groups = check.groups(self.groups, self.n_features_in_)
        return groups, check.class_group(self.class_group, len(groups))

    def _reverse(self, bits: Bits, groups: list[IntArray]) -> Bits:
        """Toss a coin for each record and group, and reverse the groups that came up lies."""
        rng = check.random_state(self.random_state)
        lies = rng.random((len(bits), len(groups))) >= check.theta(self.theta)
        coin = np.empty(bits.shape[1], dtype=np.intp)
        for number, group in enumerate(groups):
            coin[group] = number
        return bits ^ lies[:, coin].view(np.int8)
