"""What a report may say about its provider: epsilon, odds before and after it, information.

Information is in bits: what a channel discloses, and what independent random bits do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import comb

from ppdm import _validation as check
from ppdm._statistics import entropy_bits
from ppdm.channel._opening import as_channel, matrix_of
from ppdm.typing import AnyArray, ArrayLike, BoolArray, Changes, FloatArray, IntArray, RandomState

#: Logarithm of a probability of zero: finite, so that zero times it is zero.
_LOG_ZERO = -1e5
#: Table entries worked on at a time.
_CHUNK = 2**20


def mutual_information(
    channel: Any, prior: ArrayLike, *, feature: int | str | None = None
) -> float:
    """Return how many bits a report says on average about the true value of one attribute.

    I(true; released) = H(true) - H(true | released): what is known about the value after the
    report beside what was known before.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array-like of shape (m,)
        The distribution of the true values.
    feature : int or str, default=None
        The attribute of a Channel, by number or name; needed where its attributes differ.

    Returns
    -------
    float
        In bits, from 0 to the entropy of the prior.

    Raises
    ------
    ValueError
        If a column of ``channel`` or the prior does not sum to one, something is negative, or
        their sizes differ.

    Examples
    --------
    A fair bit reported truthfully three times in four:

    >>> round(mutual_information([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5]), 4)
    0.1887
    """
    matrix, belief = channel_and_prior(channel, prior, feature)
    told = float(entropy_bits(matrix @ belief) - belief @ entropy_bits(matrix.T))
    return min(max(told, 0.0), float(entropy_bits(belief)))  # what lies outside is rounding


def channel_and_prior(
    channel: Any, prior: ArrayLike, feature: int | str | None
) -> tuple[FloatArray, FloatArray]:
    """Check the channel of one attribute, (S, m), and one distribution of its true values."""
    matrix = matrix_of(channel, feature)
    belief = check.probabilities(prior, "prior", matrix.shape[1])
    check.of_shape(belief, "prior", (matrix.shape[1],), "one distribution")
    return matrix, belief


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """How much a release says about the records, of what there is to say.

    Attributes
    ----------
    degree : float
        ``information / entropy``, in [0, 1].
    information : float
        Mutual information of record and release, bits.
    entropy : float
        Entropy of the record, bits.
    standard_error : float
        Of ``degree``; 0 where it is exact.
    exact : bool
        Whether every outcome was enumerated; else outcomes were drawn.
    """

    degree: float
    information: float
    entropy: float
    standard_error: float
    exact: bool


class Information(NamedTuple):
    """Mutual information in bits, beside the most that it could be, and the error of the first."""

    told: float
    entropy: float
    standard_error: float
    exact: bool


class Sampling(NamedTuple):
    """How hard to try: table entries for an exact answer, else so many draws."""

    max_cells: int
    n_samples: int
    rng: np.random.Generator

    def told(
        self, secret: float, weights: FloatArray, log_given: Callable[..., Any], starts: IntArray
    ) -> Information:
        """Say what is told by the posterior at each draw of a record and its release.

        ``log_given`` draws a release of each of some records, and returns its log-likelihood
        under every record. Where records that share a secret begin, is in ``starts``. The mean
        entropy of the posterior is unbiased for what is left of the secret.
        """
        left = np.empty(self.n_samples)
        step = max(1, _CHUNK // len(weights))
        for start in range(0, left.size, step):
            size = left[start : start + step].size
            log_posterior = log_given(self.rng.choice(len(weights), size=size, p=weights))
            log_posterior += np.log(weights)
            log_posterior -= log_posterior.max(axis=1, keepdims=True)
            posterior = np.add.reduceat(np.exp(log_posterior), starts, axis=1)
            left[start : start + step] = entropy_bits(posterior)
        error = float(left.std(ddof=1) / np.sqrt(len(left)))
        return Information(secret - float(left.mean()), secret, error, False)


def read_sampling(max_cells: int, n_samples: int, random_state: RandomState) -> Sampling:
    """Check how hard to try."""
    return Sampling(
        check.given("max_cells", max_cells),
        check.given("privacy.n_samples", n_samples),
        check.random_state(random_state),
    )


def disclosed(
    told_by: Callable[[BoolArray], Information], classes: AnyArray, weights: FloatArray, name: str
) -> Disclosure:
    """Sum up, over classes, what is told by the rows of each: information given the class."""
    told = secret = variance = 0.0
    exact = True
    for c in np.unique(classes):
        rows = classes == c
        share = float(weights[rows].sum() / weights.sum())
        part = told_by(rows)
        told += share * part.told
        secret += share * part.entropy
        variance += (share * part.standard_error) ** 2
        exact &= part.exact
    check.demand(secret > 0, f"{name} must hold values that differ, to be disclosed", secret)
    if exact:  # what lies outside the range is rounding
        told = min(max(told, 0.0), secret)
    return Disclosure(
        degree=told / secret,
        information=told,
        entropy=secret,
        standard_error=float(np.sqrt(variance)) / secret,
        exact=exact,
    )


def of_bits(
    labels: IntArray,
    weights: FloatArray,
    P: FloatArray,
    n_draws: int,
    sampling: Sampling,
    rows: BoolArray,
) -> Information:
    """Return what ``n_draws`` independent draws of the bits of some rows say about the label."""
    labels, weights, P = labels[rows], weights[rows], P[rows]
    order = np.argsort(labels, kind="stable")
    labels, weights, P = labels[order], weights[order] / weights.sum(), P[order]
    secret = float(entropy_bits(np.bincount(labels, weights)))
    P = np.round(P, 12)  # what is certain but for rounding is certain
    P = P[:, np.ptp(P, axis=0) > 0]  # a bit that does not depend on the record is silent
    certain = np.isin(P, (0.0, 1.0)).all(axis=0)
    # what the bits say that are a function of the record
    key = np.unique(P[:, certain], axis=0, return_inverse=True)[1].reshape(-1)
    n_outcomes = float(n_draws + 1) ** int((~certain).sum())
    if certain.all() or n_outcomes * len(P) <= sampling.max_cells:
        both = np.unique(np.stack([labels, key]), axis=1, return_inverse=True)[1].reshape(-1)
        of_key, of_both = (float(entropy_bits(np.bincount(each, weights))) for each in (key, both))
        told = secret + of_key - of_both
        if not certain.all():
            ends = np.cumsum(np.bincount(key))[:-1]
            told += sum(
                float(weights[one].sum())
                * _told_by_enumeration(labels[one], weights[one], P[np.ix_(one, ~certain)], n_draws)
                for one in np.split(np.argsort(key, kind="stable"), ends)
            )
        return Information(told, secret, 0.0, True)
    with np.errstate(divide="ignore"):
        log_one = np.maximum(np.log(P), _LOG_ZERO)
        log_zero = np.maximum(np.log1p(-P), _LOG_ZERO)

    def log_given(truth: IntArray) -> FloatArray:
        ones = sampling.rng.binomial(n_draws, P[truth]).astype(np.float64)
        return np.asarray(ones @ log_one.T + (n_draws - ones) @ log_zero.T)

    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    return sampling.told(secret, weights, log_given, starts)


def _told_by_enumeration(
    labels: IntArray, weights: FloatArray, P: FloatArray, n_draws: int
) -> float:
    """I(label; bits) from the probability of every outcome; labels ascend."""
    present, labels = np.unique(labels, return_inverse=True)
    weights = weights / weights.sum()
    alone = len(present) == len(P)  # each record its own secret: no joint table is needed
    counts = np.arange(n_draws + 1)
    n_outcomes = len(counts) ** P.shape[1]
    joint = np.zeros((1 if alone else len(present), n_outcomes))
    noise = 0.0  # H(bits | record)
    step = max(1, _CHUNK // n_outcomes)
    for start in range(0, len(P), step):
        rows = slice(start, start + step)
        p = P[rows, :, np.newaxis]
        chances = comb(n_draws, counts) * p**counts * (1 - p) ** (n_draws - counts)
        noise += float(weights[rows] @ entropy_bits(chances).sum(axis=1))
        table = weights[rows, np.newaxis]
        for j in range(P.shape[1]):
            table = (table[:, :, np.newaxis] * chances[:, np.newaxis, j]).reshape(len(table), -1)
        here = np.zeros_like(labels[rows]) if alone else labels[rows]
        starts = np.flatnonzero(np.diff(here, prepend=-1))
        joint[here[starts]] += np.add.reduceat(table, starts, axis=0)
    if not alone:
        noise = float(entropy_bits(joint.ravel()) - entropy_bits(joint.sum(axis=1)))
    return float(entropy_bits(joint.sum(axis=0))) - noise


def local_epsilon(*channels: Any, changes: Changes = "record") -> float:
    """Return the epsilon of local differential privacy of what a provider releases.

    The largest logarithm of a ratio P[released | one truth] / P[released | another truth]:
    what a single report can say about its provider, to an adversary who knows anything else.
    Where some report is possible under one truth and impossible under another it is infinite.

    An epsilon is of something, and numbers for different things must not be compared: the two
    truths are records that differ in what ``changes``.

    Parameters
    ----------
    *channels : Channel or array-like of shape (n_released, n_true)
        Independent parts of one record. A matrix P[released | true], columns summing to one,
        is one part; a :class:`ppdm.channel.Channel` says itself what its parts are, and
        noise that is bound to intervals what it promises of the numbers (its ``part_epsilons``).
    changes : {"record", "group", "attribute", "bit"}, default="record"
        "record": all attributes at once, and the class where it is disguised, too; the epsilons
        of the parts add up. "group": one
        part, that is the attributes that share a coin; the others stay. "attribute": one
        attribute, when all others stay and all that was released is seen. "bit": one
        released bit is all that is seen, or one code, and the truth behind it changes. This
        last is what schemes are advertised by, and it bounds none of the others.

    Returns
    -------
    float
        In [0, inf], in nats. 0 says that the reports do not depend on the truth.

    Raises
    ------
    ValueError
        If no channel is given, one has a negative entry, or a column that does not sum to
        one, or ``changes`` is none of these.

    See Also
    --------
    compose : Several releases of one record. gaussian_epsilon : Gaussian noise, which has none.
    audit_epsilon : A lower bound, from draws.

    Notes
    -----
    The related-question model has ``|ln(theta / (1 - theta))|`` for one attribute, and N times
    that for N attributes with a coin each. For a group of two or more attributes it is
    infinite at every theta, even 1/2: 01 may have come from 01 or 10, and never from 11. A class
    that is public is no part of the record. DZ03 (section 5.3) and ZCM04
    (section 4.3) judge by the single attribute, seen by itself.

    Examples
    --------
    >>> from ppdm.privacy import local_epsilon
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> round(local_epsilon([[0.7, 0.3], [0.3, 0.7]]), 4)
    0.8473
    >>> each = RandomizedResponse(0.7, groups=[[0], [1], [2]]).fit([[0, 1, 1]])
    >>> round(local_epsilon(each), 4), round(local_epsilon(each, changes="attribute"), 4)
    (2.5419, 0.8473)
    >>> shared = RandomizedResponse(0.7, groups=[[0, 1], [2]]).fit([[0, 1, 1]])
    >>> local_epsilon(shared, changes="attribute"), round(local_epsilon(shared, changes="bit"), 4)
    (inf, 0.8473)
    >>> local_epsilon(RandomizedResponse(0.7, class_group=0).fit([[0]]))
    inf
    """
    check.given("changes", changes)
    check.demand(channels, "local_epsilon needs at least one channel", channels)
    schemes = [as_channel(channel) for channel in channels]
    if changes == "record":
        return float(sum(scheme.record_epsilon() for scheme in schemes))
    return max(epsilon for scheme in schemes for epsilon in scheme.part_epsilons(changes))


@dataclass(frozen=True, eq=False, kw_only=True)
class PosteriorOdds:
    """By how much each report moves an adversary's odds.

    Attributes
    ----------
    before : float
        The odds without a report.
    after : ndarray of shape (S,)
        The odds after each report; NaN where it is impossible either way.
    factor : ndarray of shape (S,)
        ``after / before``.
    largest : float
        The largest factor, up or down: at least 1, and at most e^epsilon.
    """

    before: float
    after: FloatArray
    factor: FloatArray
    largest: float


def posterior_odds(
    channel: Any, prior: ArrayLike, truths: int | Sequence[int], *, feature: int | str | None = None
) -> PosteriorOdds:
    """Return the odds of some true values against all others, before and after each report.

    Epsilon bounds the factor by which a report moves them, for every prior and every
    property. It does not bound where they end: odds of 1 to 1000 that rise tenfold are still
    small, and a property that nearly everybody has was no secret before.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array-like of shape (m,)
        The distribution of the true values as the adversary believes it.
    truths : int or sequence of int
        The true values of which the odds are asked: a property.
    feature : int or str, default=None
        The attribute of a Channel, by number or name; needed where its attributes differ.

    Returns
    -------
    PosteriorOdds

    Raises
    ------
    ValueError, TypeError
        If a column of the channel or the prior does not sum to one; if a value does not
        exist, or either side has probability zero: no report moves the odds of what is
        impossible.

    See Also
    --------
    local_epsilon : The logarithm of the largest factor over all properties and priors.

    Examples
    --------
    One in ten has the property, and says so with probability .7:

    >>> odds = posterior_odds([[0.7, 0.3], [0.3, 0.7]], [0.9, 0.1], truths=1)
    >>> round(odds.before, 3), odds.after.round(3), round(odds.largest, 3)
    (0.111, array([0.048, 0.259]), 2.333)
    """
    matrix, belief = channel_and_prior(channel, prior, feature)
    one = np.zeros(len(belief), dtype=np.bool_)
    for value in np.atleast_1d(check.plain(truths, "truths")):
        one[check.integer(value, "truths", low=0, high=len(belief) - 1)] = True
    for side, name in ((one, "truths"), (~one, "all others")):
        check.demand(belief[side].any(), f"prior must give {name} a probability above 0", 0)
    before = float(belief[one].sum() / belief[~one].sum())
    high, low = matrix[:, one] @ belief[one], matrix[:, ~one] @ belief[~one]
    with np.errstate(divide="ignore", invalid="ignore"):
        after = high / low
        factor = after / before
        largest = float(np.exp(np.nanmax(np.abs(np.log(factor)))))
    return PosteriorOdds(before=before, after=after, factor=factor, largest=largest)
