"""What several releases guarantee together, and what Gaussian noise guarantees.

A mechanism is (epsilon, delta)-differentially private if P[M(x) in S] is at most
e^epsilon P[M(x') in S] + delta, for all sets S of releases and all two inputs x, x' that
differ in what may change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from ppdm import _validation as check

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
    each = np.atleast_1d(check.array(epsilon, "epsilon")).ravel()
    check.demand(each.min() >= 0, "epsilon must be one or more numbers >= 0", epsilon)  # no NaN
    chances = np.atleast_1d(check.numbers(delta, "delta", low=0, high=1)).ravel()
    rule = f"delta must be one number or one for each of {len(each)} epsilons"
    check.demand(len(chances) in (1, len(each)), rule, len(chances))
    times = check.given("repeats", repeats)
    slack = check.given("slack", slack)
    basic = float(times * each.sum())
    deltas = float(times * np.broadcast_to(chances, each.shape).sum())
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
    level = check.given("gaussian_delta.epsilon", epsilon)
    return _delta(level, _ratio(scale, sensitivity))


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
    as_many = not noise.ndim or not moves.ndim or noise.shape == moves.shape
    rule = f"sensitivity must have as many values as scale, {noise.size}"
    check.demand(as_many, rule, moves.size)
    return float(np.linalg.norm(np.atleast_1d(moves / noise)))


def _delta(epsilon: float, ratio: float) -> float:
    if ratio == 0:
        return 0.0
    near, far = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return max(float(ndtr(near) - np.exp(epsilon + log_ndtr(far))), 0.0)
