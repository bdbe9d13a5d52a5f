"""What an attack reached, beside what a guess without the release reaches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from ppdm.typing import FloatArray

#: Of every interval.
_CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """How far an attack came.

    Attributes
    ----------
    success : float
        What the attack reached: a share of hits.
    baseline : float
        What the same adversary reaches without the release, in the same unit.
    interval : tuple of two floats
        A 95% confidence interval of ``success``; each attack says which.
    n : int
        How many targets were attacked.
    """

    success: float
    baseline: float
    interval: tuple[float, float]
    n: int

    @property
    def gain(self) -> float:
        """What the release added: success minus baseline."""
        return self.success - self.baseline


def share_interval(hits: float, n: int, confidence: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share.

    Ties give part of a hit. The interval is continuous in the hits, and then wider than it
    need be: a number in [0, 1] varies less than a hit of the same mean.
    """
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return low, high


def mean_interval(values: FloatArray) -> tuple[float, float]:
    """Return the normal interval of a mean over independent targets."""
    half = float(ndtri(0.5 + _CONFIDENCE / 2)) * float(values.std(ddof=1)) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def judge_hits(credits: FloatArray, blind: FloatArray) -> AttackResult:
    """Return the result of credits in [0, 1], one a target, beside those of a blind guess."""
    n = len(credits)
    hits = min(float(credits.sum()), float(n))  # a sum of thirds may be above by rounding
    return AttackResult(
        success=hits / n,
        baseline=float(blind.mean()),
        interval=share_interval(hits, n, _CONFIDENCE),
        n=n,
    )


def judge_shares(shares: FloatArray, blind: FloatArray) -> AttackResult:
    """Return the result of shares of attributes, one share a target.

    The attributes of one target are not independent, so the interval is the normal one over
    targets, cut at 0 and 1. Where all targets have the same share there is no spread to estimate
    it from; it is then that of as many hits.
    """
    if len(shares) < 2 or np.ptp(shares) < 1e-12:
        return judge_hits(shares, blind)
    low, high = mean_interval(shares)
    return AttackResult(
        success=float(shares.mean()),
        baseline=float(blind.mean()),
        interval=(max(low, 0.0), min(high, 1.0)),
        n=len(shares),
    )
