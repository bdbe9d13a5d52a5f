"""Randomised response for codes: any perturbation matrix, that of the unrelated question too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from ppdm import _validation as check
from ppdm._support import MOST_IN_MATRIX, Support, epsilon_of, in_matrix, inverse, kept, known_theta
from ppdm.channel._opening import as_channel
from ppdm.randomized_response._asked import OfCodes
from ppdm.typing import AnyArray, ArrayLike, Codes, FloatArray, RandomState

#: So many values are disguised at a time, for what is used on the way to stay in the cache.
_BLOCK = 1 << 15


class Kept(Support):
    """The channel of k-ary response: the truth with probability p, any other value with q."""

    @property
    def epsilon(self) -> float:
        return epsilon_of(np.array([[self.p, self.q]]))

    def matrix(self) -> FloatArray:
        in_matrix(self.n_values)
        return np.asarray(np.where(np.eye(self.n_values) == 1, self.p, self.q))

    def inverse(self) -> FloatArray:
        if self.p == self.q:
            return check.invert_matrix(self.matrix())
        in_matrix(self.n_values)
        return inverse(self, np.eye(self.n_values))

    def part(self) -> FloatArray:
        """Return the matrix, or where it is too large what tells two of its values apart."""
        if self.n_values <= MOST_IN_MATRIX:
            return self.matrix()
        return np.array([[self.p, self.q], [self.q, self.p], [1 - self.p - self.q] * 2])

    def send(self, codes: Codes, rng: np.random.Generator, released: Codes) -> None:
        """Draw what each code becomes by k-ary response, from one random number each.

        This is ``Given.send`` without its matrix: where the number falls in the distribution
        function of the code's column. In units of q that has a step of one for each value, but for
        the true one, whose step is p / q; a number beyond the true value is moved back by what that
        step is longer. Whoever draws "the truth, or else another value" draws other numbers, and
        results that are stored would change.
        """
        k, p, q = self
        for first in range(0, codes.size, _BLOCK):
            column = codes[first : first + _BLOCK].astype(np.float64)
            draws = rng.random(column.size)
            if q > 0:
                draws /= q
                low = np.minimum(draws, column)
                draws -= (p / q - 1) * (draws >= column)
                np.maximum(draws, low, out=draws)
                column = np.minimum(draws, k - 1, out=draws)
            released[first : first + _BLOCK] = column


class Given(NamedTuple):
    """A channel that was given as a matrix."""

    given: FloatArray

    @property
    def n_values(self) -> int:
        return len(self.given)

    @property
    def epsilon(self) -> float:
        return epsilon_of(self.given)

    def matrix(self) -> FloatArray:
        return self.given.copy()

    def part(self) -> FloatArray:
        return self.matrix()

    def inverse(self) -> FloatArray:
        return check.invert_matrix(self.given)

    def send(self, codes: Codes, rng: np.random.Generator, released: Codes) -> None:
        """Draw what each code becomes: invert the distribution function of its column."""
        ends = (np.cumsum(self.given, axis=0) / self.given.sum(axis=0)).T
        ends[:, -1] = np.inf
        draws = rng.random(codes.size)
        for value, upto in enumerate(ends):
            rows = np.flatnonzero(codes == value)
            released[rows] = np.searchsorted(upto, draws[rows], side="right")


@dataclass(eq=False, repr=False)
class CategoricalRandomizedResponse(OfCodes):
    """Report codes through a known matrix, each attribute on its own.

    Parameters
    ----------
    n_values : int or list of int, default=None
        How many values an attribute has: one number for all, or one each. Needed with ``theta``
        and ``epsilon``, unless there are categories.
    theta : float in [0, 1], default=None
        The probability of the true value; this, ``channel`` or ``epsilon`` is given. The other
        n_values - 1 share the rest alike. At 1/n_values the report is independent of the truth.
    channel : Channel, array-like of shape (k, k) or a list of such, default=None
        P[released | true] instead of ``theta``; columns sum to one. One for all attributes or
        a list with one each.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what one reported code spends of local differential privacy, so that
        theta is 1 / (1 + (k - 1) e^-epsilon) for k values. A record of d attributes spends it d
        times; of which some are asked, so many times.
    asked : int, default=None
        Each record answers so many of its attributes, drawn at random. Reports are floats, or
        objects where there are labels, and NaN where nothing was asked. None asks for all.
    categories : list of array-like or None, default=None
        The public labels of each attribute, in the order of their codes; None for an attribute
        that holds codes. Without them a pandas Categorical's own are taken. They are never
        learnt from the values of records: these are what is to be hidden. Note that pandas
        itself learns them in ``astype("category")``: a category that nobody has is then missing,
        and which ones occur is told. Declare them, ``pd.Categorical(values, categories=[...])``.
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
    ValueError
        If not exactly one of ``theta``, ``epsilon`` and ``channel`` is given, theta is outside
        [0, 1] or epsilon outside (0, 20], a channel is not square or a column does not sum to
        one; if ``X`` has a missing value, a code that is not whole, or one that its attribute
        does not have.

    See Also
    --------
    ppdm.reconstruction.estimate_frequencies : The shares of the true values, from disguised ones.
    ppdm.classifiers.RandomizedResponseNB : Naive Bayes from disguised codes.
    unrelated_question : A matrix that can be inverted even where theta is 1/2.

    References
    ----------
    ZCM04, section 3.1, and DZ03, section 6, name categorical data as the extension to make.

    Examples
    --------
    >>> from ppdm.randomized_response import CategoricalRandomizedResponse
    >>> krr = CategoricalRandomizedResponse(n_values=5, theta=0.6, random_state=0)
    >>> krr.fit_transform([[0], [1], [2], [3], [4]]).ravel()
    array([0, 1, 1, 3, 0])
    >>> krr.inverse_matrix()[0].round(3)
    array([ 1.8, -0.2, -0.2, -0.2, -0.2])
    >>> krr.epsilon_.round(3), CategoricalRandomizedResponse([2, 5], epsilon=1.0).theta_.round(3)
    (array([1.792]), array([0.731, 0.405]))

    Labels come back as labels:

    >>> parties = [["red", "green", "blue"]]
    >>> krr = CategoricalRandomizedResponse(theta=0.6, categories=parties, random_state=6)
    >>> krr.fit_transform([["red"], ["blue"], ["green"]]).ravel()
    array(['blue', 'green', 'green'], dtype=object)

    One question a person, which by lot, spends what one answer spends:

    >>> one = CategoricalRandomizedResponse(4, epsilon=2.0, asked=1, random_state=0)
    >>> one.fit_transform([[0, 3, 2], [1, 3, 0]])
    array([[nan, nan,  0.],
           [nan,  3., nan]])
    """

    theta: float | None = None
    channel: Any = None

    def transform(self, X: ArrayLike) -> AnyArray:
        """Disguise records, each value by itself.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Codes 0, 1, ..., or labels.

        Returns
        -------
        ndarray of shape (n_records, n_attributes)
            The disguised codes, of the integer type of ``X`` where it has one that holds all
            values, else of the smallest that does; labels where there are categories. NaN where
            nothing was asked.
        """
        check.fitted(self)
        codes, channels = self._read(X, reset=False)
        rng = check.stream(self.random_state, type(self).__name__)
        most = max(channel.n_values for channel in channels)
        released = np.empty(codes.shape, dtype=check.wide_enough(codes.dtype, most))
        for j, channel in enumerate(channels):
            channel.send(codes[:, j], rng, released[:, j])
        return self._by_lot(rng, check.to_labels(released, self.categories_))

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true] of attribute ``feature``, (k, k): any one where all are alike.

        Where only some are asked, (k + 1, k): the last row is no answer.
        """
        return self._some(self._of_feature(feature).matrix())

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes attribute ``feature`` on counts, (k, k): closed form for ``theta``.

        Where only some are asked, (k, k + 1): no answer is an even part of each value.

        Raises
        ------
        ValueError
            If the columns are linearly dependent, as they are where theta is 1/k.
        """
        return self._some_inverse(self._of_feature(feature).inverse())

    def support(self, feature: int = 0) -> Support | None:
        """Return the chances of a report of the true and of another value; see ``Channel``.

        None where a matrix was given, or the two are the same.
        """
        law = self._of_feature(feature)
        told = isinstance(law, Kept) and not np.isclose(law.p, law.q, rtol=0, atol=1e-12)
        return law if told else None

    def n_released(self, feature: int = 0) -> int:
        """Return how many values are released, one more where only some are asked."""
        n_values: int = self._of_feature(feature).n_values
        return n_values + (self.asked is not None)

    @property
    def theta_(self) -> FloatArray:
        """The probability of each attribute's true value, (n_attributes,), with ``n_values`` only.

        It follows the parameters; before ``fit`` there is one for each number of values given.
        """
        if self.channel is not None:
            raise AttributeError("theta_ goes with n_values: a channel may have no such number")
        return np.array([each.p for each in self._known_channels()])

    @property
    def epsilon_(self) -> FloatArray:
        """What a report of each attribute spends, (n_attributes,), whatever was given."""
        return np.array([each.epsilon for each in self._known_channels()])

    def _parts(self) -> list[FloatArray]:
        """Return each attribute's channel; of k-ary response two values tell all."""
        return [each.part() for each in self._known_channels()]

    def _known_channels(self) -> list[Any]:
        return self._told(getattr(self, "n_features_in_", None))

    def _told(self, n_features: int | None) -> list[Any]:
        """Return each attribute's channel: ``Kept``, or ``Given`` where matrices were."""
        given = {name: getattr(self, name) for name in ("theta", "channel", "epsilon")}
        one = sum(value is not None for value in given.values()) == 1
        check.demand(one, "give either theta or channel or epsilon", given)
        categories = check.known_categories(self)
        if self.channel is None:
            sizes = check.n_values(self.n_values, n_features, categories=categories, in_all=np.inf)
            return [Kept(*kept(k, known_theta(self.theta, self.epsilon, k))) for k in sizes]
        rule = "n_values goes with theta, not with channel"
        check.demand(self.n_values is None, rule, self.n_values)
        if categories is not None and n_features is None:
            n_features = len(categories)
        whole: Any = as_channel(_in_order(self.channel, categories), n_features)
        each = range(n_features or int(getattr(whole, "n_features_in_", 1)))
        matrices = [check.matrix(whole.channel_matrix(j)) for j in each]
        for matrix in matrices:
            check.of_shape(matrix, "channel", (len(matrix),) * 2, "as many released as true values")
        if categories is not None:
            with check.naming("channel", "of as many values as an attribute has categories"):
                check.n_values(
                    list(map(len, matrices)), n_features, categories=categories, in_all=np.inf
                )
        return [Given(matrix) for matrix in matrices]


def _in_order(channel: Any, categories: Any) -> Any:
    """Return a frame's matrix, or a list of them, with rows and columns as the categories are.

    Labels 0, 1, ... are a frame's own and no names: it stays as it is.
    """
    if isinstance(channel, list | tuple):
        each = categories or [None] * len(channel)
        pairs = zip(channel, each, strict=False)  # too many or few are refused later
        return [_in_order(one, known if known is None else [known]) for one, known in pairs]
    if not check.is_table(channel):
        return channel
    rows, columns = channel.index.tolist(), channel.columns.tolist()
    if rows == columns == list(range(len(rows))):
        return channel
    for known in categories or [None]:
        wanted = rows if known is None else known.tolist()
        rule = f"channel must have rows and columns of the labels {check.printed(wanted)}"
        legal = len(set(rows)) == len(rows) and {*rows} == {*columns} == {*wanted}
        check.demand(legal, rule, (rows, columns))
        channel = channel.loc[wanted, wanted]
    return channel


def unrelated_question(
    theta: float | None = None,
    prevalence: float | ArrayLike | None = None,
    *,
    epsilon: float | None = None,
    random_state: RandomState = None,
) -> CategoricalRandomizedResponse:
    """Answer the sensitive question with probability ``theta``, else an unrelated one.

    How people answer the unrelated question ("were you born in April?") is known, and has
    nothing to do with the sensitive one. The reports say something about the truth at every
    theta above 0, at 1/2 too, where the related-question model says nothing.

    Parameters
    ----------
    theta : float in [0, 1], default=None
        Probability of the sensitive question; this or ``epsilon`` is given.
    prevalence : float in [0, 1] or array-like of shape (k,)
        The share of people who say 1 (yes) to the unrelated question; for k answers, the
        share of each.
    epsilon : float in (0, 20], default=None
        Instead of ``theta``: what one answer spends of local differential privacy. An answer
        betrays most that is rare among the unrelated ones, so that theta is x / (1 + x) with
        x = (e^epsilon - 1) times the smallest prevalence, which must be above zero.
    random_state : None, int or numpy.random.Generator, default=None
        Of the transformer.

    Returns
    -------
    CategoricalRandomizedResponse
        Its matrix is theta I + (1 - theta) prevalence 1'; its ``epsilon_`` is the answer's.

    Raises
    ------
    ValueError
        If not exactly one of theta and epsilon is given, theta or a prevalence is outside
        [0, 1], k prevalences do not sum to one, or epsilon is outside (0, 20] or given where a
        prevalence is zero.

    References
    ----------
    DZ03, section 3, and ZCM04, section 4.3.3, name the model as the way out at theta = 1/2;
    its estimator, (r - (1 - theta) prevalence) / theta for the share r of yes, is that of
    Greenberg, Abul-Ela, Simmons and Horvitz (1969).

    Examples
    --------
    >>> from ppdm.randomized_response import unrelated_question
    >>> from ppdm.reconstruction import invert
    >>> ask = unrelated_question(0.5, prevalence=1 / 12)
    >>> ask.channel_matrix().round(3)
    array([[0.958, 0.458],
           [0.042, 0.542]])
    >>> estimate = invert(ask.channel_matrix(), counts=[76, 24])
    >>> estimate.proportions.round(3), estimate.standard_errors.round(1)
    (array([0.603, 0.397]), array([8.6, 8.6]))
    """
    check.random_state(random_state)
    if np.ndim(check.plain(prevalence, "prevalence")) == 0:
        yes = check.given("prevalence", prevalence)
        shares = np.array([1 - yes, yes])
    else:
        given = check.numbers(cast(ArrayLike, prevalence), "prevalence", ndim=1)
        shares = check.probabilities(given, "prevalence", given.size)
    rule = "epsilon needs every prevalence above zero (an answer to the unrelated question that "
    rule += "nobody gives betrays the truth)"
    check.demand(epsilon is None or shares.min() > 0, rule, shares.tolist())
    known = known_theta(theta, epsilon)
    if epsilon is not None:
        odds = float(np.expm1(float(epsilon)) * shares.min())
        known = odds / (1 + odds)
    matrix = known * np.eye(shares.size) + (1 - known) * shares[:, np.newaxis]
    return CategoricalRandomizedResponse(channel=matrix, random_state=random_state)
