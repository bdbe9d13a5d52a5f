"""What an attack reached, beside a guess without the release; and the attack that leaves one out.

It asks what a release says of one person to someone who knows all the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import betaincinv, ndtri

from ppdm import _validation as check
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray, RandomState

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
    interval = share_interval(hits, n, _CONFIDENCE)
    return AttackResult(success=hits / n, baseline=float(blind.mean()), interval=interval, n=n)


def judge_shares(shares: FloatArray, blind: FloatArray) -> AttackResult:
    """Return the result of shares of attributes, one share a target.

    The attributes of one target are not independent, so the interval is the normal one over
    targets, cut at 0 and 1. Where all targets have the same share there is no spread to estimate
    it from; it is then that of as many hits.
    """
    result = judge_hits(shares, blind)
    if len(shares) < 2 or np.ptp(shares) < 1e-12:
        return result
    low, high = mean_interval(shares)
    return replace(result, interval=(max(low, 0.0), min(high, 1.0)))


#: Numbers that differ by no more than this part of the largest one are equal but for rounding.
_ROUNDING = 1e-9
#: What a curator publishes, from its records and a source of random numbers.
Mechanism = Callable[[AnyArray, np.random.Generator], ArrayLike]


@dataclass(frozen=True, eq=False, kw_only=True)
class LeaveOneOutResult(AttackResult):
    """How many targets were told from the other candidates.

    Attributes
    ----------
    targets : ndarray of int, shape (n,)
        The rows that were attacked.
    credits : ndarray of shape (n,)
        1 for a target that was identified, 0 for one that was not, and between them for one
        that tied with others.
    """

    targets: IntArray = field(repr=False)
    credits: FloatArray = field(repr=False)


def leave_one_out(
    mechanism: Mechanism,
    records: ArrayLike,
    *,
    targets: ArrayLike | None = None,
    candidates: ArrayLike | None = None,
    n_draws: int | None = None,
    random_state: RandomState = None,
) -> LeaveOneOutResult:
    """Attack a published result, knowing the mechanism and every record but the target's.

    The adversary does what the curator did, once with each candidate in the target's place,
    and takes the one that gives what was published. Against this adversary a release without
    randomness protects nobody on whom it depends.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(records, rng)`` returns what is published, numbers of any shape, always
        the same one: a table, a matrix, some counts.
    records : array-like of shape (n_records, n_attributes)
        The true records, in the clear.
    targets : array-like of int, optional
        The rows to attack, one after another; all for None.
    candidates : array-like of shape (k, n_attributes), optional
        Whom each target may be, besides itself. None: one other record of the data, drawn at
        random, so that the question is whether the target or that one is in the data.
    n_draws : int >= 2, optional
        Releases to draw with each candidate, of a mechanism that is random. None: it is not.
    random_state : None, int or numpy.random.Generator, default=None
        For the other records, and for the mechanism.

    Returns
    -------
    LeaveOneOutResult
        ``success`` is the share of targets identified, those who tie having equal parts;
        ``baseline`` one over the number of different candidates. The interval is
        Clopper-Pearson's, over targets.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, no other candidate differs from a target, the mechanism raises one of
        them, returns other shapes or no numbers, or gives two releases for the same records though
        ``n_draws`` is None.

    Notes
    -----
    Of a random mechanism the likelihood of what was published is taken from the draws: each
    number for itself, normal, with the candidate's mean and a variance common to all
    candidates. A better model of the draws can only do better, so that the success is a lower
    bound. Numbers that do not vary are compared: those that differ by less than 1e-9 of the largest
    one published are equal.

    Examples
    --------
    The truncated SVD publishes a table that has no noise in it:

    >>> import numpy as np
    >>> from ppdm.svd import TruncatedSVDPerturbation
    >>> people = np.random.default_rng(0).normal(size=(30, 4))
    >>> def publish(A, rng):
    ...     return TruncatedSVDPerturbation(n_components=1).fit_transform(A)
    >>> attack = leave_one_out(publish, people, candidates=people, random_state=0)
    >>> attack.success, round(attack.baseline, 3)
    (1.0, 0.033)

    A mean with noise that is large beside one person's part in it:

    >>> def noisy_mean(A, rng):
    ...     return A.mean(axis=0) + rng.normal(size=4)
    >>> attack = leave_one_out(noisy_mean, people, n_draws=20, random_state=0)
    >>> attack.interval[0] < 0.5 < attack.interval[1]
    True
    """
    check.numbers(records, "records", ndim=2)
    table = np.asarray(records)
    rows = np.arange(len(table)) if targets is None else check.rows(targets, "targets", len(table))
    rng = check.random_state(random_state)
    draws = check.given("leave_one_out.n_draws", n_draws)
    others = None
    if candidates is not None:
        check.numbers(candidates, "candidates", ndim=2)
        others, d = np.unique(np.asarray(candidates), axis=0), table.shape[1]
        check.of_shape(others, "candidates", (None, d), "the columns of records")
    if draws is None:
        first, second = (_publish(mechanism, table, rng) for _ in range(2))
        rule = "n_draws must be given for a mechanism that is random (same records, other results)"
        check.demand(np.array_equal(first, second), rule, None)
    credits, blind = np.empty((2, rows.size))
    for i, row in enumerate(rows):
        people = _people(table, row, others, rng)  # the target is the first of them
        published = _publish(mechanism, table, rng)
        repeated = [
            _publish(mechanism, np.concatenate([table[:row], [person], table[row + 1 :]]), rng)
            for person in np.repeat(people, draws or 1, axis=0)
        ]
        for release in repeated:
            check.of_shape(release, "what mechanism returns", published.shape, "as for all records")
        releases = np.array(repeated).reshape(len(people), draws or 1, -1)
        best = _likeliest(published.ravel(), releases)
        credits[i], blind[i] = best[0] / best.sum(), 1 / len(people)
    return LeaveOneOutResult(**vars(judge_hits(credits, blind)), targets=rows, credits=credits)


def _likeliest(published: FloatArray, repeated: FloatArray) -> BoolArray:
    """Return which candidates explain the release best, from their releases (k, draws, p)."""
    means = repeated.mean(axis=1)
    variance = repeated.var(axis=1).mean(axis=0)
    rounding = _ROUNDING * (np.abs(published).max() or 1.0)
    varies = variance > rounding**2
    away = np.abs(published - means)
    possible = (away[:, ~varies] <= rounding).all(axis=1)
    score = -(away[:, varies] ** 2 / (2 * variance[varies])).sum(axis=1)
    score[~possible] = -np.inf
    top = score.max()  # where none is possible, every candidate explains it as badly
    return np.asarray(score >= top - 1e-9 * max(1.0, abs(top)))


def _publish(mechanism: Mechanism, table: AnyArray, rng: np.random.Generator) -> FloatArray:
    with check.naming("mechanism", "a function of the records and of a Generator"):
        published = mechanism(table.copy(), rng)
    return np.atleast_1d(check.numbers(published, "what mechanism returns"))


def _people(
    table: AnyArray, row: int, others: AnyArray | None, rng: np.random.Generator
) -> AnyArray:
    """Return the different records that a target may be, its own first."""
    target = table[row]
    rest = table if others is None else others
    rest = rest[(rest != target).any(axis=1)]
    name = "records" if others is None else "candidates"
    check.demand(len(rest), f"{name} must hold a record that differs from target {row}", "none")
    if others is None:
        rest = rest[[rng.integers(len(rest))]]
    return np.concatenate([target[np.newaxis], rest])
