"""What epsilon says in words a provider understands: odds before and after a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import BoolArray, FloatArray


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
    channel: Any,
    prior: ArrayLike,
    truths: int | Sequence[int],
    *,
    against: int | Sequence[int] | None = None,
    feature: int = 0,
) -> PosteriorOdds:
    """Return the odds of some true values against others, before and after each report.

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
    against : int or sequence of int, optional
        The true values that they are compared with. None: all others.
    feature : int, default=0
        The attribute of a Channel.

    Returns
    -------
    PosteriorOdds

    Raises
    ------
    ValueError, TypeError
        If a column of the channel or the prior does not sum to one; if a value does not
        exist, stands on both sides, or either side has probability zero: no report moves
        the odds of what is impossible.

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
    matrix = check.channel(channel, ndim=2, feature=feature)
    belief = check.probabilities(prior, "prior", matrix.shape[1])
    if belief.ndim != 1:
        raise ValueError(f"prior must be one distribution, got shape {belief.shape}")
    one = _members(truths, "truths", len(belief))
    other = ~one if against is None else _members(against, "against", len(belief))
    if (one & other).any():
        raise ValueError(f"against must hold none of truths, got {against!r} and {truths!r}")
    for side, name in ((one, "truths"), (other, "against")):
        if belief[side].sum() <= 0:
            raise ValueError(f"prior must give {name} a probability above 0, got 0")
    before = float(belief[one].sum() / belief[other].sum())
    high, low = matrix[:, one] @ belief[one], matrix[:, other] @ belief[other]
    after = np.full(len(matrix), np.nan)
    np.divide(high, low, out=after, where=low > 0)
    after[(low == 0) & (high > 0)] = np.inf
    factor = after / before
    with np.errstate(divide="ignore"):
        largest = float(np.exp(np.nanmax(np.abs(np.log(factor)))))
    return PosteriorOdds(before=before, after=after, factor=factor, largest=largest)


def _members(values: int | Sequence[int], name: str, size: int) -> BoolArray:
    """Return which of ``size`` true values are named."""
    chosen = np.zeros(size, dtype=bool)
    for value in np.atleast_1d(check.plain(values, name)):
        chosen[check.integer(value, name, low=0, high=size - 1)] = True
    return chosen
