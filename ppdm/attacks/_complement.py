"""Decoding records whose attributes share a coin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ppdm import _validation as check
from ppdm.attacks._result import AttackResult, check_confidence, judge_shares
from ppdm.typing import Bits, FloatArray, Groups


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

    def against(self, true: ArrayLike, *, confidence: float = 0.95) -> AttackResult:
        """Compare with the true records, which the adversary does not see.

        Parameters
        ----------
        true : array-like of shape (n_records, n_attributes)
        confidence : float in (0, 1), default=0.95
            Of the interval: normal, over records.

        Returns
        -------
        AttackResult
            ``success`` is the share of bits read right, ``baseline`` that of guessing each
            attribute's commoner value. The interval holds for records read by these clusters:
            whether the true cluster was chosen is one guess for all.

        Raises
        ------
        ValueError, TypeError
            If ``true`` has another shape, or anything but 0 and 1.
        """
        share, truth = check_confidence(confidence), check.bits(true, "true", ndim=2)
        if truth.shape != self.records.shape:
            raise ValueError(
                f"true must have the shape of the records, {self.records.shape}, got {truth.shape}"
            )
        common = truth.mean(axis=0) > 0.5
        hits, blind = ((guess == truth).mean(axis=1) for guess in (self.records, common))
        return judge_shares(hits, blind, share)


def complement_decoding(
    disguised: ArrayLike, theta: float, *, groups: Groups = None
) -> DecodedRecords:
    """Find out who told the truth, where attributes share a coin, from the reports alone.

    In one group a report is the true record or its complement. If true records look alike
    and unlike complements, the reports fall into two clusters that mirror each other, and
    one of them holds the truth; theta says which, as soon as the liars are clearly more or
    fewer than half.

    Parameters
    ----------
    disguised : array-like of shape (n_records, n_attributes)
        Disguised bits. A class that shares a coin is one more attribute.
    theta : float in [0, 1]
        The probability with which each provider told the truth. At 1/2 the adversary still
        finds the clusters, and guesses which is the true one.
    groups : list of lists of int or str, default=None
        The attributes that share a coin, as in
        :class:`ppdm.randomized_response.RandomizedResponse`. None is one group.

    Returns
    -------
    DecodedRecords
        ``records``, and the ``confidence`` (from 0.5 to 1) in each of their groups, under the
        adversary's model.

    Raises
    ------
    ValueError
        If theta is outside [0, 1], disguised has a missing value or anything but 0 and 1, or
        groups overlap or leave an attribute out.

    Notes
    -----
    The adversary models true records by independent attributes, of unknown shares of ones,
    and fits the shares to reports by expectation maximisation, once from each side of the
    reports' principal axis (which no coin can move: a record and its complement lie on one
    line). The likelier end gives P[truth | report] by Bayes' rule. No record is known to the
    adversary, no share, and no class.

    Which cluster is the true one hangs on n coins alone: for theta > 1/2 the guess is wrong if
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
    >>> reported = RandomizedResponse(0.55, random_state=rng).fit_transform(truth)
    >>> decoded = complement_decoding(reported, theta=0.55).records
    >>> float((reported == truth).all(axis=1).mean()), float((decoded == truth).all(axis=1).mean())
    (0.5598, 0.9984)
    """
    theta = check.theta(theta)
    bits = check.bits(disguised, "disguised", ndim=2)
    records = bits.copy()
    confidence = []
    for group in check.groups(groups, bits.shape[1], check.names_of(disguised)):
        patterns, place, counts = np.unique(
            bits[:, group], axis=0, return_inverse=True, return_counts=True
        )
        shares = np.asarray(counts / len(bits), dtype=np.float64)
        signs = np.asarray(2.0 * patterns - 1.0, dtype=np.float64)
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
