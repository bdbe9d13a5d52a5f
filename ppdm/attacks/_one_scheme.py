"""The adversary's posterior, and attacks on one scheme each, by what is weak in it.

Attributes that share a coin: in one group a report is the true record or its complement.

Guided perturbation: the provider's check, V'V = I, bounds how many directions are read and not
which (ZWZ05, section 4.2). So a malicious miner may ask for single bits, and get them.

Invented records: they reach as far as the original ones did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ppdm import _validation as check
from ppdm._statistics import entropy_bits
from ppdm.attacks._leave_one_out import AttackResult, judge_shares
from ppdm.channel._opening import matrix_of
from ppdm.randomized_response import RandomizedResponse
from ppdm.randomized_response._channel import coin_of
from ppdm.randomized_response._coins import distinct
from ppdm.typing import ArrayLike, Bits, FloatArray, IntArray


def bayes_posterior(
    channel: Any, prior: ArrayLike, *, feature: int | str | None = None
) -> FloatArray:
    """P[true | released] by Bayes' rule: all that can be said about one person.

    With a uniform prior this is an adversary that knows only the channel and the domain;
    with the reconstructed distribution as prior, one that also knows what the miner has
    learned. No estimate from the released value can beat one from this posterior.

    Parameters
    ----------
    channel : Channel, or array of shape (S, m)
        P[released | true]; columns sum to one.
    prior : array of shape (m,) or (..., m)
        The distribution of the true values as the adversary believes it.
    feature : int or str, default=None
        The attribute of a Channel, by number or name; needed where its attributes differ.

    Returns
    -------
    ndarray of shape (S, m) or (..., S, m)
        Row s is the distribution of the true value of one who released s. A value that
        the prior makes impossible has no posterior: its row is NaN.

    Raises
    ------
    ValueError
        If a column of ``channel`` or a prior does not sum to one.

    Examples
    --------
    Randomised response at 0.8, and one person in ten has the property:

    >>> bayes_posterior([[0.8, 0.2], [0.2, 0.8]], [0.1, 0.9]).round(3)
    array([[0.308, 0.692],
           [0.027, 0.973]])
    """
    matrix = matrix_of(channel, feature)
    belief = check.probabilities(prior, "prior", matrix.shape[-1])
    joint = matrix * belief[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(joint / joint.sum(axis=-1, keepdims=True))


def credible_interval(
    probabilities: ArrayLike, edges: ArrayLike, confidence: float = 0.95
) -> FloatArray:
    """Return the shortest interval that holds the true value with the given probability.

    Its width is what the adversary's knowledge leaves of the interval that
    :func:`ppdm.noise.privacy_interval` promises. The value is taken as spread evenly
    within each of the ``edges``' intervals; the width is then least where one end lies on
    an edge, so that all candidates are known.

    Parameters
    ----------
    probabilities : array of shape (..., m)
        Distributions over the intervals: a prior, or rows of :func:`bayes_posterior`.
    edges : array of shape (m + 1,)
        Edges of the intervals.
    confidence : float in (0, 1)
        The probability that the interval shall hold.

    Returns
    -------
    ndarray of shape (..., 2)
        Its ends, in units of the attribute; NaN where a distribution is NaN.

    Raises
    ------
    ValueError
        If a distribution does not sum to one, an edge is out of order, or ``confidence``
        is not inside (0, 1).

    Examples
    --------
    >>> credible_interval([0.05, 0.8, 0.1, 0.05], [0, 10, 20, 30, 40], 0.9)
    array([10., 30.])
    """
    cuts = check.edges(edges, ndim=1)
    share = check.given("confidence", confidence)
    given = check.array(probabilities, "probabilities")
    check.demand(given.ndim, "probabilities must have one dimension or more", given.tolist())
    rows = given.reshape(-1, given.shape[-1])
    known = ~np.isnan(rows).any(axis=1)
    ends = np.full((len(rows), 2), np.nan)
    if known.any():
        rows = check.probabilities(rows[known], "probabilities", len(cuts) - 1)
        ends[known] = _shortest(rows, cuts, share)
    return ends.reshape(*given.shape[:-1], 2)


def _shortest(rows: FloatArray, cuts: FloatArray, share: float) -> FloatArray:
    """Shortest intervals (R, 2) for distributions (R, m)."""
    right = _right_ends(rows, cuts, share)
    left = -_right_ends(rows[:, ::-1], -cuts[::-1], share)[:, ::-1]  # the same in the mirror
    starts = np.hstack([np.broadcast_to(cuts[:-1], right.shape), left])
    stops = np.hstack([right, np.broadcast_to(cuts[1:], left.shape)])
    widths = stops - starts
    # of equally short ones the first, not the one that rounding prefers
    best = (widths <= widths.min(axis=1, keepdims=True) * (1 + 1e-9)).argmax(axis=1)[:, None]
    return np.hstack([np.take_along_axis(side, best, axis=1) for side in (starts, stops)])


def _right_ends(rows: FloatArray, cuts: FloatArray, share: float) -> FloatArray:
    """For each left edge (R, m), the least right end that gives the share; inf where none."""
    n_rows, m = rows.shape
    cumulative = np.hstack([np.zeros((n_rows, 1)), rows.cumsum(axis=1)])
    cumulative /= cumulative[:, -1:]
    target = cumulative[:, :-1] + share
    # One search for all rows, row r being moved to [2 r, 2 r + 1]. The slack keeps a share
    # that an edge meets but for rounding from reaching into the next interval.
    row, slack = np.arange(n_rows)[:, None], 1e-9
    places = np.searchsorted((cumulative + 2.0 * row).ravel(), target - slack + 2.0 * row)
    cell = np.clip(places - row * (m + 1) - 1, 0, m - 1)
    below, above = cumulative[row, cell], cumulative[row, cell + 1]
    reached = (target <= 1 + slack) & (above > below)
    part = np.divide(target - below, above - below, out=np.full_like(below, np.inf), where=reached)
    part = np.where(reached, np.minimum(part, 1), np.inf)
    return np.asarray(cuts[cell] + part * np.diff(cuts)[cell])


@dataclass(frozen=True, eq=False, kw_only=True)
class DecodedRecords:
    """The true records as the adversary believes them to be.

    Attributes
    ----------
    records : ndarray of int8, shape (n_records, n_attributes)
    confidence : ndarray of shape (n_records, n_groups)
        How sure the adversary is of each group of each record.
    """

    records: Bits
    confidence: FloatArray

    def against(self, true: ArrayLike) -> AttackResult:
        """Compare with the true records, which the adversary does not see.

        Parameters
        ----------
        true : array-like of shape (n_records, n_attributes)

        Returns
        -------
        AttackResult
            ``success`` is the share of bits read right, ``baseline`` that of guessing each
            attribute's commoner value. The interval, normal over records, holds for records read by
            these clusters: whether the true cluster was chosen is one guess for all.

        Raises
        ------
        ValueError, TypeError
            If ``true`` has another shape, or anything but 0 and 1.
        """
        truth = check.bits(true, "true", ndim=2)
        check.of_shape(truth, "true", self.records.shape, "as the records have")
        common = truth.mean(axis=0) > 0.5
        hits, blind = ((guess == truth).mean(axis=1) for guess in (self.records, common))
        return judge_shares(hits, blind)


def complement_decoding(reports: ArrayLike, scheme: RandomizedResponse) -> DecodedRecords:
    """Find out who told the truth, where attributes share a coin, from the reports alone.

    In one group a report is the true record or its complement. If true records look alike
    and unlike complements, the reports fall into two clusters that mirror each other, and
    one of them holds the truth; theta says which, as soon as the liars are clearly more or
    fewer than half.

    Parameters
    ----------
    reports : array-like of shape (n_records, n_attributes)
        Disguised bits. A class that shares a coin is one more attribute.
    scheme : RandomizedResponse
        The coins that disguised them. Where theta is 1/2 the adversary still finds the clusters,
        and guesses which is the true one. A class of the scheme's is left aside.

    Returns
    -------
    DecodedRecords
        ``records``, and the ``confidence`` (from 0.5 to 1) in each of their groups, under the
        adversary's model.

    Raises
    ------
    ValueError, TypeError
        If scheme is no RandomizedResponse, or the reports lack a column of its, have a missing
        value or anything but 0 and 1.

    Notes
    -----
    The adversary models true records by independent attributes, of unknown shares of ones,
    and fits the shares to reports by expectation maximisation, once from each side of the
    reports' principal axis (which no coin can move: a record and its complement lie on one
    line). The likelier end gives P[truth | report] by Bayes' rule. No record is known to the
    adversary, no share, and no class.

    Which cluster is the true one depends on n coins alone: for theta > 1/2 the guess is wrong if
    fewer than half of the n providers told the truth, and then all records are wrong at once.

    One cluster of true records is assumed. If there are two that mirror each other (the parties
    of the Voting data), the attack finds the parties and not the liars. Where the class is
    public, decode each class by itself.

    References
    ----------
    The scheme is that of DZ03, section 4.1, and ZCM04, section 3.2, who do not consider it.

    Examples
    --------
    >>> import numpy as np
    >>> from ppdm.attacks import complement_decoding
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random((5000, 12)) < 0.15).astype(np.int8)
    >>> coin = RandomizedResponse(0.55, random_state=rng)
    >>> reported = coin.fit_transform(truth)
    >>> decoded = complement_decoding(reported, coin).records
    >>> float((reported == truth).all(axis=1).mean()), float((decoded == truth).all(axis=1).mean())
    (0.5598, 0.9984)
    """
    coin = coin_of(scheme, reports, "reports")
    theta = coin.theta_
    bits = check.bits(check.as_released(coin, reports, "reports"), "reports", ndim=2)
    records = bits.copy()
    confidence = []
    for group in coin._layout()[0]:
        first, place = distinct(bits[:, group])
        shares = np.bincount(place) / len(bits)
        signs = np.asarray(2.0 * bits[np.ix_(first, group)] - 1.0, dtype=np.float64)
        truthful = _truthful(signs, shares, theta, len(bits))[place]
        records[:, group] ^= (truthful < 0.5).astype(np.int8)[:, np.newaxis]
        confidence.append(np.maximum(truthful, 1 - truthful))
    return DecodedRecords(records=records, confidence=np.column_stack(confidence))


def _truthful(signs: FloatArray, weight: FloatArray, theta: float, n: int) -> FloatArray:
    """Return P[told the truth] for each reported pattern (n_patterns, n_bits) of +1 and -1."""
    axis = np.linalg.eigh(signs.T * weight @ signs)[1][:, -1]
    side = np.where(signs @ axis >= 0, 1.0, -1.0)
    mean = weight * side @ signs
    ends = [_fit(signs, weight, theta, n, start) for start in (mean, -mean)]
    return max(ends, key=lambda end: end[0])[1]


def _fit(
    signs: FloatArray, weight: FloatArray, theta: float, n: int, mean: FloatArray
) -> tuple[float, FloatArray]:
    """Return the likelihood that EM reaches from a mean of the true signs, and P[truth]."""
    limit = 1 - 1 / n  # a share of ones is at least half a record
    with np.errstate(divide="ignore"):
        prior = np.log(theta), np.log(1 - theta)
    for _ in range(1000):
        before = mean = np.clip(mean, -limit, limit)
        as_true = prior[0] + np.log1p(signs * mean).sum(axis=1)
        as_lie = prior[1] + np.log1p(-signs * mean).sum(axis=1)
        truthful = expit(as_true - as_lie)
        mean = weight * (2 * truthful - 1) @ signs
        if np.abs(mean - before).max() < 1e-7:
            break
    return float(weight @ np.logaddexp(as_true, as_lie)), truthful


def identity_guidance(bits: Sequence[int] | IntArray, n_bits: int) -> FloatArray:
    """Return a guidance that passes every check and reads chosen bits with certainty.

    Parameters
    ----------
    bits : sequence of int
        The bits to read, each once.
    n_bits : int >= 1
        Bits of a tuple.

    Returns
    -------
    ndarray of float64, shape (n_bits, len(bits))
        Those columns of the identity: R(t) is t in these bits and 0 elsewhere.

    Raises
    ------
    ValueError, TypeError
        If a bit is no whole number in [0, n_bits - 1], none is named, or one is named
        twice.

    Examples
    --------
    >>> from ppdm.guidance import check_guidance, perturb
    >>> V = check_guidance(identity_guidance([1, 2], n_bits=4), k=2, max_level=2)
    >>> perturb([0, 1, 0, 1], V)
    array([0, 1, 0, 0])
    """
    n_bits = check.given("n_bits", n_bits)
    given = check.sequence(bits, "bits", "integers")
    chosen = [check.integer(bit, "bits", low=0, high=n_bits - 1) for bit in given]
    alone = chosen and len(set(chosen)) == len(chosen)
    check.demand(alone, "bits must be one or more different bits", chosen)
    return np.eye(n_bits)[:, chosen]


def greedy_bits(T: ArrayLike, k: int) -> tuple[IntArray, FloatArray]:
    """Choose the bits to read: each next one leaves the least unknown about the tuple.

    Parameters
    ----------
    T : array-like of shape (n, n_bits)
        What the miner believes tuples are like: their empirical distribution.
    k : int in [1, n_bits]
        How many bits.

    Returns
    -------
    bits : ndarray of int, shape (k,)
        In the order of choice; of equals the first.
    degrees : ndarray of float64, shape (k,)
        The share of the tuple's entropy that the first 1, ..., k of them disclose.

    Raises
    ------
    ValueError, TypeError
        If T does not hold bits, all its rows are the same, or k is out of range.

    Notes
    -----
    Bits that are read are a function of the tuple, so they disclose their own entropy.
    Greedy choice need not find the best set: the degrees are lower bounds of what k
    columns disclose, and that is what refutes ZWZ05, Theorem 5.2.

    Examples
    --------
    Two attributes that agree, and a third: two bits tell everything.

    >>> T = [[1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1]]
    >>> greedy_bits(T, k=2)
    (array([0, 4]), array([0.5, 1. ]))
    """
    clear = check.bits(T, "T", ndim=2).astype(np.intp)
    k = check.given("k", k, high=clear.shape[1])
    whole = float(entropy_bits(np.unique(clear, axis=0, return_counts=True)[1]))
    check.demand(whole > 0, "T must hold tuples that differ, or nothing is disclosed", whole)
    seen = np.zeros(len(clear), dtype=np.intp)  # number of what has been read of each tuple
    bits, degrees = np.empty(k, dtype=np.intp), np.empty(k)
    for i in range(k):
        told = np.array([entropy_bits(np.bincount(2 * seen + column)) for column in clear.T])
        told[bits[:i]] = -1.0
        bits[i] = np.argmax(told >= told.max() - 1e-12)
        degrees[i] = told[bits[i]] / whole
        seen = np.unique(2 * seen + clear[:, bits[i]], return_inverse=True)[1]
    return bits, degrees


def attribute_box(released: ArrayLike) -> FloatArray:
    """Estimate the smallest and largest original value of every attribute.

    Parameters
    ----------
    released : array-like of shape (n_released, n_features)
        Two or more records that are uniform in the attribute box, as sample
        generation publishes them.

    Returns
    -------
    ndarray of shape (n_features, 2)
        Lower and upper end, in the units of the attribute.

    Raises
    ------
    ValueError
        If there are fewer than two records or a value is missing.

    Notes
    -----
    Of n uniform values the extremes fall short of each end by range/(n + 1) on
    average; the estimate moves each extreme outwards by (max - min)/(n - 1), which
    makes it unbiased, with a standard error of about range/n. The ends are values of
    real people, often of one person. Where the classifiers agree less towards an end,
    the estimate stays inside.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.random.default_rng(0).uniform(21, 81, size=(614, 1))
    >>> attribute_box(ages).round(1)
    array([[20.9, 81.1]])
    """
    table = check.numbers(released, "released", ndim=2)
    check.demand(len(table) > 1, "released must hold at least two records", len(table))
    low, high = table.min(axis=0), table.max(axis=0)
    step = (high - low) / (len(table) - 1)
    return np.column_stack([low - step, high + step])
