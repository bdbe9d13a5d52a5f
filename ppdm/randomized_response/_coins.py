"""What a record's coins are as a channel: how it is read, undone, measured and attacked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._budget import CoinBudget, refuse_shared
from ppdm.channel import Channel, PairChannel, RecordPart
from ppdm.randomized_response._asked import (
    AskedCoin,
    asked_likelihood,
    asked_part,
    own_coins,
    read_answers,
)
from ppdm.randomized_response._groups import OneCoin, coin_likelihood, coin_part, who_shares
from ppdm.typing import ClassGroup, Codes, FloatArray, IntArray


class CoinChannel(CoinBudget, Channel):
    """The channel of records whose attributes have coins, in groups, or are asked by lot.

    Everything follows from the parameters of :class:`RandomizedResponse`, which tosses them.
    """

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true] of one attribute by itself, whatever the groups.

        Parameters
        ----------
        feature : int, default=0
            The attribute; all are alike. (A whole group's: :meth:`record_channels`.)

        Returns
        -------
        ndarray of shape (2, 2)
            Column j is what a provider with truth j releases; it sums to one. Where only some
            attributes are asked, (3, 2): the last row is no answer.

        Examples
        --------
        >>> from ppdm.randomized_response import RandomizedResponse
        >>> RandomizedResponse(theta=0.75).channel_matrix()
        array([[0.75, 0.25],
               [0.25, 0.75]])
        """
        return self._coin(feature).channel_matrix()

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return [[theta, theta - 1], [theta - 1, theta]] / (2 theta - 1): the inverse, (2, 2).

        Where only some attributes are asked, (2, 3): no answer is half a record of either value.
        There is none at theta = 1/2: a ValueError.
        """
        return self._coin(feature).inverse_matrix()

    def attribute_channels(self) -> list[FloatArray]:
        """Return what a release tells of each attribute to one who knows all the others.

        That of one that shares its coin is (4, 2), of 00 and 01: the neighbour shows the coin.
        """
        groups, found = self._layout()[0], dict[int, FloatArray]()
        if self.asked is not None:
            return [self.channel_matrix()] * self.n_features_in_
        for group in groups:
            coin = OneCoin(self.theta_, min(group.size, 2))
            found |= dict.fromkeys(group.tolist(), coin.channel_matrix()[:, :2])
        return [found[j] for j in range(self.n_features_in_)]

    def record_parts(self, records: ArrayLike) -> list[RecordPart]:
        """Return what these records release, one part for each group; see ``Channel``.

        Where only some attributes are asked all is one part, of C(n_bits, asked) 2^asked rows.
        """
        groups, theta = self._layout()[0], self.theta_
        bits = check.bit_table(self, records, reset=False, name="records")
        if self.asked is not None:
            return [asked_part(bits, theta, self.asked)]
        return [coin_part(bits[:, group], group, theta) for group in groups]

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return log P[released | record] of each release under each record; see ``Channel``."""
        groups, theta = self._layout()[0], self.theta_
        true = check.bit_table(self, records, reset=False, name="records")
        if self.asked is not None:
            return asked_likelihood(self._answers(released, ndim=2), true, theta)
        said = check.bit_table(self, released, reset=False, name="released")
        with np.errstate(divide="ignore"):
            each = [np.log(coin_likelihood(said[:, g], true[:, g], theta)) for g in groups]
        return np.asarray(np.sum(each, axis=0), dtype=np.float64)

    def codes(self, released: ArrayLike) -> Codes:
        """Return which value each report is: 0, 1, and 2 for NaN where nothing was asked.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_features)
            What :meth:`RandomizedResponse.transform` gives, of one attribute or of all.

        Returns
        -------
        ndarray of int, shape (n,) or (n, n_features)

        Raises
        ------
        ValueError, TypeError
            If anything else was released, or not ``asked`` answers in each record.
        """
        if self.asked is None:
            return super().codes(released)
        return self._answers(released, ndim=(1, 2))

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
        >>> from ppdm.randomized_response import RandomizedResponse
        >>> rr = RandomizedResponse(0.75, groups=[[0], [1]], class_group=0).fit([[0, 1]])
        >>> for pair in rr.pair_channels():
        ...     print(pair.channel_matrix()[0])
        [0.75 0.   0.   0.25]
        [0.5625 0.1875 0.1875 0.0625]
        """
        groups, class_group = self._layout()
        theta = self.theta_
        of_class = OneCoin(1.0 if class_group is None else theta)  # a public one is kept
        pairs: list[Channel] = [PairChannel(of_class, self._coin(0))] * self.n_features_in_
        if isinstance(class_group, int):
            for attribute in groups[class_group]:
                pairs[attribute] = OneCoin(theta, 2)
        return pairs

    def _answers(self, released: ArrayLike, ndim: int | tuple[int, ...]) -> Codes:
        """Return 0, 1 and 2 of what was released by those who were asked."""
        self._layout()
        found = check.array(released, "released", ndim=ndim)
        return read_answers(found, int(self.asked or 0), self.n_features_in_)

    def _coin(self, feature: int) -> Channel:
        """Return what one attribute by itself goes through."""
        n_features = getattr(self, "n_features_in_", None)
        check.integer(feature, "feature", low=0, high=n_features and n_features - 1)
        theta = self.theta_
        if self.asked is None:
            return OneCoin(theta)
        self._layout()
        return AskedCoin(theta, self.asked / self.n_features_in_)

    def _layout(self) -> tuple[list[IntArray], ClassGroup]:
        """Return who shares a coin, and with whom the class does."""
        check_is_fitted(self)
        groups, names = self.groups, getattr(self, "feature_names_in_", None)
        if self.asked is not None:
            groups = own_coins(self.asked, self.n_features_in_, groups, self.class_group, names)
        found, class_group = who_shares(groups, self.class_group, self.n_features_in_, names)
        refuse_shared(self.epsilon, found, class_group)
        return found, class_group
