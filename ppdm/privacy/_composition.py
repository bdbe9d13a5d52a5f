"""What several releases guarantee together, what Gaussian noise does, and a budget.

A budget says what may be spent of a person's privacy, what has been, and stops before too much.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from ppdm import _validation as check
from ppdm.channel import Channel
from ppdm.exceptions import BudgetExceededError
from ppdm.privacy._information import local_epsilon
from ppdm.typing import ArrayLike, Codes

#: Epsilon grows with the square of sensitivity over scale.
_LARGEST_RATIO = 1e150


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A guarantee of differential privacy.

    Attributes
    ----------
    epsilon : float
        In [0, inf], in nats.
    delta : float
        In [0, 1]; 0 is pure differential privacy.

    Raises
    ------
    ValueError, TypeError
        If either is no such number.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (isinstance(self.epsilon, float) and self.epsilon == np.inf):
            check.number(self.epsilon, "epsilon", low=0)
        check.number(self.delta, "delta", low=0, high=1)


def compose(
    epsilon: ArrayLike, delta: ArrayLike = 0.0, *, repeats: int = 1, slack: float = 0.0
) -> Guarantee:
    r"""Return what independent releases of one record guarantee together.

    They may be of its attributes or of the record again: epsilons add up, and deltas do.
    With a ``slack`` of delta, many small epsilons add up more slowly, like a root of their
    number. The list is fixed beforehand; where what comes next depends on what was seen, take
    a :class:`Budget`.

    Parameters
    ----------
    epsilon : float or array-like >= 0
        Of each release.
    delta : float or array-like in [0, 1], default=0
        Of each release; one for all, or one each.
    repeats : int >= 1, default=1
        How often all of them are made.
    slack : float in [0, 1), default=0
        What may be added to delta. 0 is basic composition.

    Returns
    -------
    Guarantee
        The least of three bounds. For independent releases the basic sum is exact where
        nothing is granted to delta.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or the numbers of epsilons and deltas differ.

    Notes
    -----
    Dwork, Rothblum and Vadhan (2010), Boosting and differential privacy, Theorem III.3, in the
    form for unequal releases of Kairouz, Oh and Viswanath (2015), The composition theorem for
    differential privacy, Theorem 3.5: with L the lesser of ln(1 / slack) and
    :math:`\ln(e + \sqrt{\sum_i \epsilon_i^2} / slack)`,

    .. math:: \sum_i \epsilon_i \tanh(\epsilon_i / 2) + \sqrt{2 L \sum_i \epsilon_i^2}

    Examples
    --------
    Sixteen answers, and the same again a hundred times; then with one in a million granted:

    >>> round(compose([0.1] * 16).epsilon, 3), round(compose([0.1] * 16, repeats=100).epsilon, 3)
    (1.6, 160.0)
    >>> round(compose([0.1] * 16, repeats=100, slack=1e-6).epsilon, 3)
    29.019
    """
    each, chances = check.array(epsilon, "epsilon"), check.numbers(delta, "delta", low=0, high=1)
    check.demand(each.min() >= 0, "epsilon must be one or more numbers >= 0", epsilon)  # no NaN
    each, chances = map(np.ravel, check.broadcast(epsilon=each, delta=chances))
    times = check.given("repeats", repeats)
    slack = check.given("slack", slack)
    basic = float(times * each.sum())
    deltas = float(times * chances.sum())
    if slack > 0 and np.isfinite(basic):
        drift, squares = times * float(each @ np.tanh(each / 2)), times * float(each @ each)
        grows = min(np.log(1 / slack), np.log(np.e + np.sqrt(squares) / slack))
        advanced = drift + float(np.sqrt(2 * grows * squares))
        if advanced < basic:
            return Guarantee(epsilon=advanced, delta=min(deltas + slack, 1.0))
    return Guarantee(epsilon=basic, delta=min(deltas, 1.0))


def gaussian_delta(epsilon: float, scale: ArrayLike, sensitivity: ArrayLike) -> float:
    r"""Return the exact delta of Gaussian noise at some epsilon.

    Gaussian noise has no finite epsilon: far enough out, a report is any number of times
    likelier under one truth than under another. Delta bounds how often that happens. On a
    range without bounds nothing is guaranteed.

    Parameters
    ----------
    epsilon : float >= 0
    scale : float or array-like > 0
        The standard deviation of the noise, of one number or of each that is released.
    sensitivity : float or array-like >= 0
        By how much each number can change: for a provider's value the width of its range.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or the sizes of both do not fit.

    Notes
    -----
    With r the Euclidean length of sensitivity / scale,

    .. math:: \delta(\epsilon) = \Phi(r/2 - \epsilon/r) - e^\epsilon \Phi(-r/2 - \epsilon/r)

    Balle and Wang (2018), Improving the Gaussian mechanism for differential privacy,
    Theorem 8.

    Examples
    --------
    AS00's 100% privacy at 95%: the noise's interval is as wide as the range.

    >>> scale = 1 / (2 * 1.959964)
    >>> round(gaussian_delta(1.0, scale, sensitivity=1.0), 3)
    0.92
    """
    return _delta(check.given("gaussian_delta.epsilon", epsilon), _ratio(scale, sensitivity))


def gaussian_epsilon(delta: float, scale: ArrayLike, sensitivity: ArrayLike) -> float:
    """Return the exact epsilon of Gaussian noise at some delta: the inverse of gaussian_delta.

    Parameters
    ----------
    delta : float in (0, 1)
    scale, sensitivity : float or array-like
        As for :func:`gaussian_delta`.

    Returns
    -------
    float
        The least epsilon >= 0 with this delta.

    Raises
    ------
    ValueError, TypeError
        As :func:`gaussian_delta`.

    Examples
    --------
    >>> round(gaussian_epsilon(1e-6, scale=1.0, sensitivity=[0.6, 0.8]), 3)
    4.887
    """
    chance = check.given("delta", delta)
    ratio = _ratio(scale, sensitivity)
    rule = f"sensitivity must be at most {_LARGEST_RATIO:g} times scale, or epsilon has no number"
    check.demand(ratio <= _LARGEST_RATIO, rule, ratio)
    if _delta(0.0, ratio) <= chance:
        return 0.0
    high = 1.0
    while _delta(high, ratio) > chance:
        high *= 2
    return float(brentq(lambda epsilon: _delta(epsilon, ratio) - chance, 0.0, high, xtol=1e-12))


def _ratio(scale: ArrayLike, sensitivity: ArrayLike) -> float:
    """Return the length of sensitivity / scale."""
    noise = check.numbers(scale, "scale", ndim=(0, 1))
    moves = check.numbers(sensitivity, "sensitivity", ndim=(0, 1))
    check.demand(noise.min() > 0, "scale must be > 0", scale)
    check.demand(moves.min() >= 0, "sensitivity must be >= 0", sensitivity)
    noise, moves = check.broadcast(scale=noise, sensitivity=moves)
    return float(np.linalg.norm(np.atleast_1d(moves / noise)))


def _delta(epsilon: float, ratio: float) -> float:
    if ratio == 0:
        return 0.0
    near, far = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return max(float(ndtr(near) - np.exp(epsilon + log_ndtr(far))), 0.0)


_ROUNDING = 1 + 1e-9  # .1 + .2 exceeds .3 in floats


class Budget:
    r"""What may be spent of one record, and what has been: charge each release before it is made.

    Unlike :func:`compose`, which needs the whole list beforehand, it holds where what comes next,
    and what that spends, depends on what was seen.

    Parameters
    ----------
    epsilon : float > 0
        What all releases may spend together.
    delta : float in [0, 1), default=0
        Of what they may.
    slack : float in [0, delta], default=0
        What part of delta is kept for small epsilons to add up more slowly. 0 counts their sum.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, or slack is above delta.

    Notes
    -----
    The sum of the epsilons bounds what is spent whatever happens. With a slack a release is also
    made where

    .. math:: \tfrac12 \sum_i \epsilon_i^2 + \sqrt{2 \ln(1 / slack) \sum_i \epsilon_i^2}

    stays within the budget. Such a filter keeps the *whole* budget however the releases are
    chosen. What ``spent`` says with a slack holds, but for a probability of slack, where the
    epsilons and their number are fixed beforehand, and not for who stops spending by what was
    seen. Deltas add up. Whitehouse, Ramdas,
    Rogers and Wu (2023), Fully-adaptive composition in differential privacy, ICML. Sums are
    compared with a relative tolerance of 1e-9. What the 53 bits of NumPy's random numbers add to
    the epsilon of a noise is not counted.

    Examples
    --------
    >>> from ppdm.privacy import Budget
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> coin = RandomizedResponse(epsilon=0.5, groups=[[0], [1]]).fit([[0, 1]])
    >>> budget = Budget(2.5)
    >>> round(budget.charge(coin).epsilon, 9)
    1.5
    >>> round(budget.charge(coin).epsilon, 9), round(budget.spent.epsilon, 9)
    (0.5, 2.0)
    >>> budget.charge(coin)
    Traceback (most recent call last):
    ...
    ppdm.exceptions.BudgetExceededError: release must fit into epsilon 0.5 and delta 0, got 1 and 0
    """

    def __init__(self, epsilon: float, delta: float = 0.0, *, slack: float = 0.0) -> None:
        self.epsilon: float = check.given("Budget.epsilon", epsilon)
        self.delta: float = check.given("Budget.delta", delta)
        self.slack: float = check.given("slack", slack)
        check.demand(slack <= delta, f"slack must be at most delta = {delta:g}", slack)
        self._sum, self._squares, self._delta = 0.0, 0.0, self.slack
        self._of_kept: dict[Any, float] = {}
        # 2 ln(1/slack): with a root a of it, the bound of squares s^2 is s^2 / 2 + a s
        self._root = np.sqrt(2 * np.log(1 / slack)) if slack else np.inf

    @property
    def spent(self) -> Guarantee:
        """What all that was charged spends together, by the lower of both bounds (see Notes)."""
        return Guarantee(epsilon=self._bound(self._sum, self._squares), delta=self._delta)

    @property
    def left(self) -> Guarantee:
        """The most that one more release may spend."""
        most = 0.0
        if self.slack:  # the length of all epsilons at which the bound is the budget
            length = 2 * self.epsilon / (np.sqrt(self._root**2 + 2 * self.epsilon) + self._root)
            most = float(np.sqrt(max(length**2 - self._squares, 0.0)))
        epsilon = max(self.epsilon - self._sum, most, 0.0)
        return Guarantee(epsilon=epsilon, delta=max(self.delta - self._delta, 0.0))

    def charge(self, release: Any, *, repeats: int = 1) -> Guarantee:
        """Add what a release spends, or refuse it; the release itself is made by the caller.

        Parameters
        ----------
        release : Channel, noise, private generator or Guarantee
            A scheme that says what a record spends, or a guarantee, as of :func:`compose`. A
            :class:`ppdm.randomized_response.MemoizedResponse` is charged as if each report were of
            a new answer: for kept ones take :meth:`report`.
        repeats : int >= 1, default=1
            How often it is made.

        Returns
        -------
        Guarantee
            What is left.

        Raises
        ------
        BudgetExceededError
            If it would spend more than is left. Nothing is then charged.
        TypeError
            If ``release`` is none of these.
        """
        times, cost = check.given("repeats", repeats), _spends(release)
        self._spend(times * cost.epsilon, times * cost.epsilon**2, times * cost.delta)
        return self.left

    def report(self, kept: Any, X: ArrayLike) -> Codes:
        """Report answers that are kept, and charge what these reports add; or refuse both.

        Parameters
        ----------
        kept : MemoizedResponse
            Charged is its ``spent_`` once X is reported, of the person who has spent the most, less
            what it was charged before: nothing where kept responses go out again as they are.
        X : array-like of int, shape (n_people, n_attributes)
            Everybody's true codes now.

        Returns
        -------
        ndarray of int, shape (n_people, n_attributes)
            What ``kept.report(X)`` returns.

        Raises
        ------
        BudgetExceededError
            If it would spend more than is left. Nothing is then reported or charged.
        ValueError, TypeError
            As ``kept.report``, and if ``kept`` is no such response.
        """
        legal = hasattr(type(kept), "spent_")
        check.demand(legal, "kept must be a MemoizedResponse", kept, TypeError)
        trial = deepcopy(kept)
        trial.report(X)
        before, after = self._of_kept.get(kept, 0.0), float(trial.spent_.max())
        # all its reports are one release: of an increment by itself the square would be too small
        self._spend(after - before, after**2 - before**2, 0.0)
        self._of_kept = {**self._of_kept, kept: after}
        return np.asarray(kept.report(X))

    def _spend(self, epsilon: float, square: float, delta: float) -> None:
        """Add to the sums, or refuse to."""
        total, squares, deltas = self._sum + epsilon, self._squares + square, self._delta + delta
        within = self._bound(total, squares) <= self.epsilon * _ROUNDING
        if not (within and deltas <= self.delta * _ROUNDING):
            most = f"epsilon {self.left.epsilon:g} and delta {self.left.delta:g}"
            rule = f"release must fit into {most}, got {epsilon:g} and {delta:g}"
            raise BudgetExceededError(rule)
        self._sum, self._squares, self._delta = total, squares, deltas

    def _bound(self, total: float, squares: float) -> float:
        """Return the lower of both bounds of epsilon."""
        return min(total, squares / 2 + self._root * float(np.sqrt(squares))) if total else 0.0


def _spends(release: Any) -> Guarantee:
    """Return what one release of a record spends."""
    if isinstance(release, Guarantee):
        return release
    if isinstance(release, Channel):
        return Guarantee(epsilon=local_epsilon(release), delta=0.0)
    check.having(release, "release", "epsilon")
    # of a noise the sum over its attributes, which it must know: epsilon is one attribute's
    own = "epsilon_" if hasattr(type(release), "epsilon_") else "epsilon"
    epsilon = float(np.sum(getattr(release, own)))
    return Guarantee(epsilon=epsilon, delta=getattr(release, "delta", 0.0))
