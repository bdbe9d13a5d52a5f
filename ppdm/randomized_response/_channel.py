"""One coin a group: Warner's question for records of bits."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm._support import Support, epsilon_of, kept, known_theta
from ppdm.channel import RecordPart, Scheme
from ppdm.channel._opening import bound
from ppdm.randomized_response import _coins as coins
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Bits,
    ClassGroup,
    Codes,
    FloatArray,
    Groups,
    IntArray,
    RandomState,
)


@dataclass(eq=False, repr=False)
class RandomizedResponse(SomeAsked, Scheme, OneToOneFeatureMixin, CodesTransformer):
    """Report the truth with probability ``theta``, the opposite otherwise.

    One coin is tossed for each group of attributes: all bits of the group are kept or all
    are reversed. With one column this is Warner's related-question model; with one group,
    the multivariate scheme of DZ03; with two, that of ZCM04.

    Parameters
    ----------
    theta : float in [0, 1], default=None
        Probability of telling the truth; this or ``epsilon`` is given. At 1/2 the report is
        independent of the truth; a provider may use it, but nobody can estimate anything from
        such reports.
    groups : list of lists of int or str, default=None
        The attributes that share a coin, by number or, of a DataFrame, by name; each attribute
        stands in one group. None is one group of all, ``[[0], [1], ...]`` a coin for each.
    class_group : None, int or "own", default=None
        The class is public (None), shares the coin of a group (its index), or has a coin of
        its own. Only :meth:`disguise` sees a class.
    asked : int, default=None
        Each record answers so many of its attributes, drawn at random, with a coin for each of
        them: ``groups`` is then None or ``[[0], [1], ...]``, and the class is public or has its
        own coin. Reports are floats, NaN where nothing was asked. None asks for all.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what one reported bit spends of local differential privacy, so that
        theta is 1 / (1 + e^-epsilon). A record spends it once for each bit that it reports, a
        class of its own coin included. Refused where answers share a coin: a record's epsilon
        is infinite there.
    random_state : None, int or numpy.random.Generator, default=None
        An int tosses the same coins at every call: right for tests, wrong for two
        providers. Simulations pass one Generator to all.

    Attributes
    ----------
    theta_, epsilon_ : float
        Both, whichever was given; they follow the parameters, before ``fit``, too. A theta
        below 1/2 has the epsilon of 1 - theta; it is infinite where answers share a coin (for
        ``groups=None`` that is known after ``fit``).
    n_features_in_ : int
        Number of bits of a record.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had names.

    Raises
    ------
    ValueError, TypeError
        If not exactly one of theta and epsilon is given, theta is no number in [0, 1] or
        epsilon none in (0, 20], or it is given where answers share a coin; if X holds anything
        but 0 and 1; if the groups overlap, leave an attribute out or name one that does not
        exist, or ``class_group`` none of them.

    See Also
    --------
    estimate_proportion : The share of records with some property, from disguised ones.
    signed_records : The inverse of this channel, for learners.

    Notes
    -----
    With ``asked`` the epsilon of a record is that of so many answers, and not of all: each may
    be told more openly. What is lost are counts of two attributes that nobody was asked both.

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
    array([1, 0, 1, 1, 0], dtype=int8)

    Attributes 0 and 1 share a coin, attribute 2 and the class share another:

    >>> rr = RandomizedResponse(0.7, groups=[[0, 1], [2]], class_group=1, random_state=0)
    >>> X, y = rr.disguise([[1, 1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 1])
    >>> X.tolist(), y.tolist()
    ([[1, 1, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 1])

    A coin for each bit, and what it spends; three bits spend it three times:

    >>> each = RandomizedResponse(epsilon=1.0, groups=[[0], [1], [2]]).fit([[0, 1, 1]])
    >>> round(each.theta_, 4), each.epsilon_, round(RandomizedResponse(0.7, [[0]]).epsilon_, 4)
    (0.7311, 1.0, 0.8473)
    >>> from ppdm.privacy import local_epsilon
    >>> round(local_epsilon(each), 12)
    3.0

    One question a person, which by lot:

    >>> one = RandomizedResponse(0.9, asked=1, random_state=0)
    >>> one.fit_transform([[1, 1, 0], [1, 0, 0]])
    array([[nan,  1., nan],
           [ 1., nan, nan]])
    """

    theta: float | None = None
    groups: Groups = None
    class_group: ClassGroup = None
    _: KW_ONLY
    asked: int | None = None
    epsilon: float | None = None
    random_state: RandomState = None

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
        known_theta(self.theta, self.epsilon)
        check.random_state(self.random_state)
        check.bit_table(self, X, reset=True)
        self._layout()
        return self

    def transform(self, X: ArrayLike) -> AnyArray:
        """Disguise attributes: each group is kept with probability theta, else reversed whole.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.

        Returns
        -------
        ndarray of int8, shape (n_records, n_bits)
            The disguised records; of float64 where only some attributes are asked.
        """
        groups, _ = self._layout()
        return self._reverse(check.bit_table(self, X, reset=False), groups)

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Disguise labelled records, the class as ``class_group`` says; fit if that was not done.

        Parameters
        ----------
        X : array-like of shape (n_records, n_bits)
            Zeros and ones.
        y : array-like of shape (n_records,), default=None
            The classes: zeros and ones, or anything where the class is public; then there may be
            none.

        Returns
        -------
        X : ndarray or DataFrame of shape (n_records, n_bits)
        y : ndarray or Series of shape (n_records,), or None
            Both disguised, of one toss of the coins; a public class as it came. Of a
            DataFrame or a Series one comes out, with the same columns, name and index.
        """
        check.in_step(X=X, y=y)
        X = self._in_order(X)
        table = coins.tabulate(check.bit_table(self, X, reset=False), y, *self._layout())
        released = self._reverse(table.bits, table.groups)
        if self.class_group is None:
            return check.like(released, X), y if check.is_frame(y) else table.y
        said = released[:, -1].astype(np.asarray(y).dtype)
        return check.like(np.ascontiguousarray(released[:, :-1]), X), check.like(said, y)

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
        return self._some(coins.coin_matrix(self._coin(feature)))

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return [[theta, theta - 1], [theta - 1, theta]] / (2 theta - 1): the inverse, (2, 2).

        Where only some attributes are asked, (2, 3): no answer is half a record of either value.
        There is none at theta = 1/2: a ValueError.
        """
        return self._some_inverse(coins.coin_inverse(check.invertible(self._coin(feature))))

    @property
    def theta_(self) -> float:
        """The probability of the truth, given as such or by ``epsilon``."""
        return known_theta(self.theta, self.epsilon)

    @property
    def epsilon_(self) -> float:
        """What one reported bit spends, infinite where answers share a coin.

        Without ``groups`` it is known after ``fit``: it depends on the number of attributes.
        """
        theta = self.theta_
        if self._shares():
            return float("inf")
        return epsilon_of(coins.coin_matrix(theta)) if self.epsilon is None else float(self.epsilon)

    def support(self, feature: int = 0) -> Support | None:
        """Return two values, theta and 1 - theta: of an attribute by itself. None at 1/2."""
        theta = self._coin(feature)
        return None if theta == 0.5 else kept(2, theta)

    def when_asked(self) -> SomeAsked:
        """Return the coins of who is asked, one for each attribute; see ``Channel``."""
        told: Any = super().when_asked()
        if told is not self:
            if check.is_fitted(self):
                self._layout()  # refuses what cannot be asked
            told.groups = [[j] for j in range(getattr(self, "n_features_in_", 1))]
        return told  # type: ignore[no-any-return]

    def class_inverse(self, feature: int | None = None) -> FloatArray | None:
        """Return what undoes a disguised class, alone or with an attribute; see ``Channel``.

        Eq. 2 of ZCM04 for a pair (class, value) that shares a coin, Eq. 4 for one that does not.
        """
        if feature is None:
            self._layout()  # refuses what cannot be, once for all attributes
        if self.class_group is None:
            return None
        theta = check.invertible(self.theta_)
        alone = coins.coin_inverse(theta)
        if feature is None:
            return alone
        if self._with_class(feature):
            return coins.coin_inverse(theta, 2)
        return np.asarray(np.kron(alone, self.inverse_matrix(feature)), dtype=np.float64)

    def record_channels(self) -> list[FloatArray]:
        """Return the independent channels that a record passes through, one for each group.

        A group of more than two bits is represented by two of them: what two bits that share
        a coin give away, more bits give away too. Their four values are 00, 01, 10 and 11.
        Where only some attributes are asked, one for each of these: which they are was drawn
        without a look at the record, and tells nothing of it. A disguised class is part of the
        record: one more bit of its group, or a part of its own.

        Examples
        --------
        >>> rr = RandomizedResponse(0.7, groups=[[0, 1, 2], [3]]).fit([[0, 1, 1, 0]])
        >>> [channel.shape for channel in rr.record_channels()]
        [(4, 4), (2, 2)]
        """
        groups, class_group = self._layout()
        sizes = [group.size for group in groups[: self.asked]]
        if class_group == "own":
            sizes.append(1)
        elif class_group is not None:
            sizes[int(class_group)] += 1
        theta = self.theta_
        return [coins.coin_matrix(theta, min(size, 2)) for size in sizes]

    def record_parts(self, records: ArrayLike) -> list[RecordPart]:
        """Return what these records release, one part for each group; see ``Channel``.

        Where only some attributes are asked all is one part: a row is a choice of attributes, the
        first by ``itertools.combinations``, and their answers, the first changing soonest.
        """
        groups, theta = self._layout()[0], self.theta_
        bits = self._records(records)
        if self.asked is not None:
            return super().record_parts(bits)
        return [coins.coin_part(bits[:, group], group, theta) for group in groups]

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return log P[released | record] of each release under each record; see ``Channel``."""
        groups, theta = self._layout()[0], self.theta_
        true = self._records(records)
        if self.asked is not None:
            return super().log_likelihood(released, true)
        said = check.bits(check.as_released(self, released, "released"), "released")
        with np.errstate(divide="ignore"):
            each = [np.log(coins.coin_likelihood(said[:, g], true[:, g], theta)) for g in groups]
        return np.asarray(np.sum(each, axis=0), dtype=np.float64)

    def _parts(self) -> list[FloatArray]:
        """Return what each attribute tells beside the others.

        That of one that shares its coin is (4, 2), of 00 and 01: the neighbour shows the coin.
        """
        (groups, class_group), theta = self._layout(), self.theta_
        together = {
            j: min(group.size + (number == class_group), 2)
            for number, group in enumerate(groups)
            for j in group.tolist()
        }
        return [coins.coin_matrix(theta, n)[:, :2] for _, n in sorted(together.items())]

    def codes(self, released: ArrayLike) -> Codes:
        """Return the bits that were reported, and 2 where nothing was asked; see ``Channel``."""
        one = check.plain(released, "released").ndim == 1
        if self.asked is not None or one or not check.is_fitted(self):
            return super().codes(released)
        whole = check.as_released(self, released, "released")
        return check.bits(whole, "released", advice=check.NOT_ASKED)

    def _answer_codes(self, block: ArrayLike, feature: int) -> Bits:
        return check.bits(block, "released", ndim=2, advice=check.NOT_ASKED)[:, 0]

    def _coin(self, feature: int) -> float:
        """Return theta of an attribute; all are alike."""
        n_features = getattr(self, "n_features_in_", None)
        check.given("feature", feature, high=n_features and n_features - 1)
        return self.theta_

    def _with_class(self, feature: int) -> bool:
        """Return whether an attribute shares the class's coin."""
        if self.class_group in (None, "own") or self.groups is None:
            return self.class_group == 0
        names = getattr(self, "feature_names_in_", range(feature + 1))
        return not {feature, names[feature]}.isdisjoint(self.groups[int(self.class_group)])

    def _records(self, records: ArrayLike) -> Bits:
        bits = check.bits(check.of_names(self, records, "records"), "records", ndim=2)
        check.of_shape(bits, "records", (None, self.n_features_in_), "a column an attribute")
        return bits

    def _shares(self) -> bool:
        if self.class_group not in (None, "own"):
            return True
        if self.asked is not None:
            return False
        if self.groups is not None:
            return any(len(group) > 1 for group in self.groups)
        check.fitted(self)
        return self.n_features_in_ > 1

    def _layout(self) -> tuple[list[IntArray], ClassGroup]:
        """Return who shares a coin, and with whom the class does; refuse what cannot be."""
        check.fitted(self)
        n_bits, names = self.n_features_in_, getattr(self, "feature_names_in_", None)
        groups = check.groups(self.groups, n_bits, names)
        class_group = check.class_group(self.class_group, len(groups))
        if self.asked is not None:
            check.given("asked", self.asked, high=n_bits)
            alone = self.groups is None or len(groups) == n_bits
            rule = "groups must be None or a coin for each attribute, [[0], [1], ...], where only "
            check.demand(alone, f"{rule}some are asked", self.groups)
            rule = "class_group must be None or 'own' where only some attributes are asked"
            check.demand(class_group in (None, "own"), rule, self.class_group)
            groups = [np.array([j]) for j in range(n_bits)]
        alone = class_group in (None, "own") and all(group.size == 1 for group in groups)
        rule = "groups must be [[0], [1], ...], a coin for each answer, where epsilon is given, "
        rule += "and class_group None or 'own' (where answers share a coin a record's epsilon is "
        rule += "infinite at every theta)"
        check.demand(self.epsilon is None or alone, rule, (self.groups, self.class_group))
        return groups, class_group

    def _reverse(self, bits: Bits, groups: list[IntArray]) -> AnyArray:
        """Toss a coin for each record and group, and reverse the groups that came up lies."""
        rng = check.stream(self.random_state, type(self).__name__)
        lies = rng.random((len(bits), len(groups))) >= self.theta_
        coin = np.empty(bits.shape[1], dtype=np.intp)
        for number, group in enumerate(groups):
            coin[group] = number
        # by rows, as the bits lie; lies[:, coin] would lie by columns, and take five times as long
        told = np.repeat(lies, coin.size, 1) if len(groups) == 1 else lies.take(coin, axis=1)
        said: Bits = told.view(np.int8)
        said ^= bits
        return self._by_lot(rng, said)


def read_reports(
    reports: ArrayLike, scheme: Any, y: ArrayLike | None = None, name: str = "reports"
) -> tuple[coins.Table, float]:
    """Return the reports of a scheme of coins as bits in their groups, and theta."""
    check.in_step(**{name: reports, "y": y})
    coin = coin_of(scheme, reports, name)
    bits = check.as_released(coin, reports, name)
    bits = check.bits(bits, name, ndim=2, advice=check.NOT_ASKED)
    theta = check.invertible(coin.theta_)
    return coins.tabulate(bits, y, *coin._layout()), theta


def coin_of(scheme: Any, reports: ArrayLike, name: str) -> RandomizedResponse:
    """Return the coins that reports came from, bound to their columns where they are not fitted."""
    rule = "scheme must be the RandomizedResponse that disguised the reports (estimate_frequencies "
    rule += "takes any scheme)"
    check.of_kind(scheme, RandomizedResponse, rule)
    known_theta(scheme.theta, scheme.epsilon)
    coin: RandomizedResponse = bound(scheme, reports, name)
    return coin
