"""What the data miner learns from disguised bits: a share, and how far it may be off.

Every estimate here is a mean of scores, one score a record: the number whose expected
value, over the provider's coins, is 1 where the true record satisfies the expression and 0
where it does not. So the spread of the scores is the estimate's standard error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._statistics import Scored
from ppdm._weighted import Sample, by_group, weighted_mean
from ppdm.channel._opening import open_reports
from ppdm.exceptions import NegativeEstimateWarning, warn
from ppdm.randomized_response._channel import RandomizedResponse, coin_of
from ppdm.randomized_response._coins import inverse_weights, tabulate
from ppdm.typing import ArrayLike, BoolArray, FloatArray, IntArray, Missing


@dataclass(frozen=True, kw_only=True)
class ProportionEstimate:
    """What the data miner knows about a share after undoing the channel.

    Attributes
    ----------
    proportion : float
        The unbiased estimate; it may lie outside [0, 1] and is kept as it is.
    standard_error : float
        Of the share in the population the respondents are a random sample of.
    disguise_error : float
        Of the share among these respondents: the coins' part alone.
    n : int
        Number of records; where it is zero the share is NaN.
    effective_n : float
        Of how many people, drawn singly, the share would have this standard error: n, but where
        they were weighted or drawn in clusters; with strata it may be more than n. The interval
        takes it for n.
    degrees : float
        Clusters less strata, for Student's t, of those in which the group has anybody; infinite
        without clusters.
    """

    proportion: float
    standard_error: float
    disguise_error: float
    n: int
    effective_n: float
    degrees: float = np.inf

    @classmethod
    def from_scores(cls, scores: ArrayLike, counts: ArrayLike | None = None) -> ProportionEstimate:
        """Turn scores into their mean and its two errors.

        Parameters
        ----------
        scores : array-like of shape (n,), or (m,) with counts
            One a record: its expected value is 1 where something holds for the true record, else 0.
        counts : array-like of int, shape (m,), optional
            How many records have each score.

        Returns
        -------
        ProportionEstimate
        """
        each = check.numbers(scores, "scores", ndim=1)
        times = np.ones(each.size) if counts is None else check.counts(counts, each.size)
        n, total = int(times.sum()), float(times @ each**2)
        mean = float(times @ each) / n
        coins = total - n * mean  # 0 or 1 is its own square
        if abs(coins) <= 1e-12 * total:
            coins = 0.0
        spread = float(times @ (each - mean) ** 2)
        return cls(
            proportion=mean,
            standard_error=float(np.sqrt(spread / (n - 1) / n)) if n > 1 else np.nan,
            disguise_error=float(np.sqrt(coins)) / n if coins >= 0 else np.nan,
            n=n,
            effective_n=float(n),
        )

    def interval(self, confidence: float = 0.95) -> FloatArray:
        """Return a confidence interval for the share in the population.

        Wilson's score interval, as :meth:`ppdm.reconstruction.FrequencyEstimate.interval` gives
        it, which has its coverage for one question. Of conjunctions in one to three groups, at
        theta .55, .7 and .9 and 50 to 5,000 records, .937 to .958 of 1,000 or 4,000 draws are
        covered.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95

        Returns
        -------
        ndarray of shape (2,)
            Low and high; they may lie beyond 0 and 1, where no share is. NaN where the standard
            error is.
        """
        return self._scored.interval(confidence)

    @property
    def _scored(self) -> Scored:
        return Scored(self.proportion, self.standard_error, self.effective_n, 1.0, self.degrees)


def estimate_proportion(
    reports: ArrayLike,
    scheme: RandomizedResponse | float,
    expression: Mapping[int | str, Any] | None = None,
    *,
    y: ArrayLike | None = None,
    by: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    missing: Missing = "refuse",
) -> Any:
    """Estimate the share of true records that satisfy a conjunction, from disguised ones.

    For one question, with ``r`` the share of ones among the reports, this is
    ``(r - (1 - theta)) / (2 theta - 1)``: Warner's estimator, and the solution of the two
    equations of DZ03, section 3. For an expression E within one group it solves Eq. 3 of
    DZ03 (Eq. 2 of ZCM04), and for E1 E2 in two groups Eq. 4 of ZCM04. The opposite of E has
    every literal reversed (it is not "not E"); a literal on a public class stays.

    Parameters
    ----------
    reports : array-like of shape (n,) or (n, n_attributes)
        The disguised bits; NaN where nothing was asked.
    scheme : RandomizedResponse, or float in [0, 1]
        The coins that disguised them: it knows theta and who shares a coin. For a single column a
        number will do, the probability theta with which each provider told the truth.
    expression : dict, default=None
        The literals that hold together, attribute index to value: ``{0: 1, 3: 0}`` is
        "attribute 0 is 1 and attribute 3 is 0". A column of a DataFrame may be called by its
        name. The key ``"class"`` stands for ``y``.
        None is ``{0: 1}``, for records of one bit.
    y : array-like of shape (n,), default=None
        The classes as they were released; needed where the scheme disguises the class.
    by : array-like of shape (n,) or (n, k), default=None
        A public label of each person, or several: an estimate is made for each group. None may
        be called "all", the key of the total.
    sample_weight : array-like of shape (n,), default=None
        Survey weights, of which only ratios count; not so many records, as in learners.
    clusters, strata : array-like of shape (n,), default=None
        Who was drawn together, and from which part of the population.
    missing : {"refuse", "drop"}, default="refuse"
        What becomes of who left out a question that the expression names: "drop" estimates from
        those who answered, ``n`` of them.

    Returns
    -------
    ProportionEstimate, with ``by`` a dict of them
        Keys are ``"all"`` and the labels (tuples of several), None for a missing one.
        ``proportion``, ``standard_error``, ``disguise_error``, ``n``. The first error is for
        respondents drawn at random from a population; its square is unbiased (NaN where n is
        1). The second is for a question put to everybody, where only the coins are random:
        ``sqrt(theta (1 - theta) (N(E) + N(opposite of E))) / (n |2 theta - 1|)`` in one
        group, where it is exact; with more groups its square is an unbiased estimate (NaN
        where that is negative).

    Warns
    -----
    NegativeEstimateWarning
        If the estimate lies outside [0, 1].

    Raises
    ------
    ValueError, TypeError
        If scheme is no RandomizedResponse, or a number for records of several bits (it does not
        say who shares a coin); if theta is 1/2; if the reports are empty, lack a column of the
        scheme, have a missing value or anything but 0 and 1; if the scheme disguises the class
        and y is None; if a literal names an attribute, a class or a value that does not exist.

    Notes
    -----
    Only the groups that an expression touches count, and a report's score is a product over
    them: theta/(2 theta - 1) where the report agrees with all literals of the group,
    -(1 - theta)/(2 theta - 1) where it agrees with none, 0 otherwise. So no system of 2^g
    equations is solved, whatever the number g of groups.

    Where the scheme asks some attributes of each record, those who were asked all that the
    expression names stand for everybody: it was drawn by lot. ``n`` is their number.

    A group, those who answered, and those who weigh something are a part of the sample. A cluster
    with nobody of the part stays in the design, with a sum of zero. The variance is that of R's
    survey package times c (M - 1) / ((c - 1) M), which R has not and without which errors of small
    groups would be too small: c is how many clusters (or people, where they were drawn singly) the
    part has, and M how many there are in its strata. The factor tends to one as a group grows.
    Degrees of freedom are the part's own; where it has none left, such as one cluster or one
    person, there is an estimate, and NaN for its standard error and interval.

    References
    ----------
    Warner (1965); DZ03, sections 3 and 4.2; ZCM04, sections 3.2 and 3.3.

    Examples
    --------
    >>> from ppdm.randomized_response import RandomizedResponse, estimate_proportion
    >>> estimate = estimate_proportion([1] * 46 + [0] * 54, 0.7)
    >>> round(estimate.proportion, 3), round(estimate.standard_error, 3)
    (0.4, 0.125)
    >>> estimate.interval().round(3)
    array([0.164, 0.643])

    Of 100 records of two bits that share a coin, how many are 11?

    >>> reports = [[1, 1]] * 40 + [[0, 0]] * 30 + [[1, 0]] * 30
    >>> shared = RandomizedResponse(0.7)
    >>> round(100 * estimate_proportion(reports, shared, {0: 1, 1: 1}).proportion, 3)
    47.5
    """
    n_columns = check.n_columns(reports, "reports")
    if np.isscalar(scheme):
        rule = "scheme must be a RandomizedResponse for records of several bits: a number does not "
        check.demand(n_columns < 2, f"{rule}say who shares a coin", scheme)
        scheme = RandomizedResponse(scheme)  # type: ignore[arg-type]
    coin = coin_of(scheme, reports, "reports")
    if expression is None:
        rule = "reports must have one column (records of several bits need an expression)"
        check.demand(coin.n_features_in_ == 1, rule, n_columns)
    literals = _check_expression({0: 1} if expression is None else expression, coin, y)
    check.given("missing", missing)
    if y is not None:
        check.in_step(reports=reports, y=y)
        n = len(np.atleast_1d(check.plain(reports, "reports")))
        check.of_shape(check.plain(y, "y"), "y", (n,), "a class for each of the reports")
    scores, score_of, told = _scores(coin, reports, literals, y, missing)

    def estimate_some(rows: BoolArray | None, sample: Sample) -> ProportionEstimate:
        some = score_of if rows is None else score_of[rows[told]]
        return _mean_of(scores, some, sample.of(told if rows is None else told[rows]))

    drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
    estimates = by_group(estimate_some, reports, coin, by, **drawn)
    for estimate in estimates.values():
        if abs(estimate.proportion - 0.5) > 0.5 + 1e-12:
            warn(
                f"the estimated proportion {estimate.proportion:.4g} lies outside [0, 1] and is "
                f"kept: with {estimate.n} reports at theta = {coin.theta_:g} chance alone can do "
                "this",
                NegativeEstimateWarning,
            )
    return estimates["all"] if by is None else estimates


def _mean_of(scores: FloatArray, score_of: IntArray, people: Sample) -> ProportionEstimate:
    """Return the mean score of some people; NaN of nobody."""
    if people.simple and score_of.size:
        counts = [np.count_nonzero(score_of == one) for one in range(scores.size)]
        return ProportionEstimate.from_scores(scores, counts)
    each = scores[score_of]
    mean, error, n = weighted_mean(each, people)
    coins = float(people.shares**2 @ (each**2 - each))
    return ProportionEstimate(
        proportion=mean,
        standard_error=error,
        disguise_error=float(np.sqrt(coins)) if coins >= 0 < n else np.nan,
        n=people.n,
        effective_n=n,
        degrees=people.degrees,
    )


def _scores(
    coin: RandomizedResponse, reports: Any, literals: dict[int | str, Any], y: Any, missing: str
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Return the scores of a conjunction, which of them each answer has, and who answered.

    A score is a product over the coins that the conjunction touches, of who was asked all that it
    names: one factor where the report agrees with all literals of the coin, another where it agrees
    with none, zero where it agrees with some. Another public class scores nothing.
    """
    groups, class_group = coin._layout()
    whole, last = check.as_released(coin, reports, "reports"), coin.n_features_in_
    wanted = [int(j) for j in literals if j not in ("class", last)]
    opened = [open_reports(coin, whole, j, missing=missing) for j in wanted]
    told = reduce(np.logical_and, [one.answered for one in opened], np.full(len(whole), True))
    rule = "reports must hold somebody who answered the expression's attributes"
    check.demand(told.any(), rule, "none")
    y = None if y is None else check.plain(y, "y")[told]
    each = [one.codes() if told.all() else one.codes()[told[one.answered]] for one in opened]
    bits = np.array(each, dtype=np.int8).reshape(-1, np.count_nonzero(told)).T
    table = tabulate(bits, y, groups, class_group)  # with a disguised class as the last bit
    agrees = {j: table.bits[:, i] == literals[j] for i, j in enumerate(wanted)}
    if last in literals:
        agrees[last] = table.bits[:, -1] == literals[last]
    of_coins = [group.tolist() for group in groups]
    if class_group == "own":
        of_coins.append([last])
    elif class_group is not None:
        of_coins[class_group].append(last)
    n_coins, n_agree = 0, np.zeros(len(bits), dtype=np.min_scalar_type(len(of_coins) + 1))
    split = np.zeros(len(bits), dtype=np.bool_)  # some literals of a coin agree and some do not
    for members in of_coins:
        own = [agrees[j] for j in members if j in agrees]
        if own:
            all_agree, some_agree = reduce(np.logical_and, own), reduce(np.logical_or, own)
            n_coins += 1
            n_agree += all_agree
            if len(own) > 1:
                split |= some_agree > all_agree
    if "class" in literals:
        split |= table.y != literals["class"]
    kept, reverse = inverse_weights(check.invertible(coin.theta_))
    agreed = np.arange(n_coins + 1)
    scores = np.append(kept**agreed * reverse ** agreed[::-1], 0.0)
    n_agree[split] = n_coins + 1
    return scores, n_agree, told


def _check_expression(
    expression: Mapping[int | str, Any], coin: RandomizedResponse, y: Any
) -> dict[int | str, Any]:
    """Return the literals by bit; ``"class"`` stays a key only where the class is public."""
    legal = isinstance(expression, Mapping) and expression
    check.demand(legal, "expression must be a dict of at least one literal", expression)
    n_attributes, names = coin.n_features_in_, getattr(coin, "feature_names_in_", None)
    literals: dict[int | str, Any] = {}
    for key, value in expression.items():
        is_index = isinstance(key, int | np.integer) and not isinstance(key, bool)
        if key == "class" and y is not None:
            key = "class" if coin.class_group is None else n_attributes
        elif isinstance(key, str) and names is not None:
            key = check.number_of(key, "expression", names)
        elif not (is_index and 0 <= int(key) < n_attributes):
            allowed = f"attributes 0, ..., {n_attributes - 1} and, where y is given, 'class'"
            check.demand(False, f"expression may name {allowed}", key)
        if key == "class":
            known = np.unique(check.class_values(y, "y"))
            rule = f"expression must set 'class' to one that y holds, {check.listed(known)}"
            check.demand(np.ndim(value) == 0 and value in known, rule, value)
        elif not (np.ndim(value) == 0 and value in (0, 1)):
            check.demand(False, f"expression must set {key!r} to 0 or 1", value)
        place = key if key == "class" else int(key)
        check.demand(place not in literals, "expression must name each attribute once", expression)
        literals[place] = value
    return literals
