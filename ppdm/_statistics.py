"""Statistics of shares: entropy, estimates made legal, how far off an estimate may be; bounds."""

from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy
from scipy.stats import norm
from scipy.stats import t as student

from ppdm import _validation as check
from ppdm.typing import ArrayLike, FloatArray


def entropy_bits(weights: ArrayLike) -> FloatArray:
    """Return the entropy in bits along the last axis, of counts or of probabilities.

    0 log 0 is 0, and no result is -0.
    """
    shares = np.asarray(weights, dtype=np.float64)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    return np.asarray(-xlogy(shares, shares).sum(axis=-1) / np.log(2) + 0.0)


def at_most(bound: float) -> str:
    """Write a bound in three digits, rounded up, or it would promise too much.

    >>> at_most(403.43), at_most(2.0), at_most(1.15e26)
    ('404', '2', '1.15E26')
    """
    up = Context(3, ROUND_CEILING).normalize(Decimal(f"{bound:.12g}"))
    return f"{up:,f}" if up < 10**12 else str(up).replace("+", "")


def made_legal(estimates: FloatArray, method: str, total: FloatArray) -> FloatArray:
    """Clip and scale, or go to the nearest point of the simplex: rows (..., m) to sums (...)."""
    wanted = total[..., np.newaxis]
    if method == "clip":
        kept = np.maximum(estimates, 0)
        return np.asarray(kept * (wanted / kept.sum(axis=-1, keepdims=True)))
    # the constant is the largest that some number of the biggest values allows
    ranked = -np.sort(-estimates, axis=-1)
    surplus = (np.cumsum(ranked, axis=-1) - wanted) / np.arange(1, estimates.shape[-1] + 1)
    n_kept = np.count_nonzero(ranked > surplus, axis=-1, keepdims=True)
    return np.maximum(estimates - np.take_along_axis(surplus, n_kept - 1, axis=-1), 0)


def normal_quantile(confidence: float, degrees: Any = np.inf) -> Any:
    """Return how many standard errors an estimate is off at most, with this confidence.

    By Student's t, where errors have so many ``degrees`` of freedom, (...): (...).
    """
    below = (1 + check.given("confidence", confidence)) / 2
    return np.where(np.isinf(degrees), norm.ppf(below), student.ppf(below, degrees))[()]


def report_error(true: Any, false: Any, share: float) -> Any:
    """Return the standard error of a share from one report, ``error / sqrt(n)`` from n.

    A report supports a value with probability ``true`` from those who have it, with ``false``
    from the others. Infinite where the two are equal.
    """
    reported = share * true + (1 - share) * false
    with np.errstate(divide="ignore"):
        return np.sqrt(reported * (1 - reported)) / abs(true - false)


def people_for(one: Any, error: Any) -> Any:
    """Return the smallest n with one / sqrt(n) <= error; whole but for rounding is whole."""
    return np.maximum(np.ceil((one / error) ** 2 * (1 - 1e-12)), 1)


def people_to_compare(
    true: Any, false: Any, shares: tuple[float, Any], confidence: float, power: float
) -> Any:
    """Return how many people in each of two groups show that their shares differ.

    By the test with one pooled share, of this confidence and power; what a report supports is as
    in :func:`report_error`.
    """
    a, b = (share * true + (1 - share) * false for share in shares)
    both = (a + b) / 2
    spread = normal_quantile(confidence) * np.sqrt(2 * both * (1 - both))
    spread = spread + norm.ppf(power) * np.sqrt(a * (1 - a) + b * (1 - b))
    return people_for(spread, np.abs(a - b))


class Scored(NamedTuple):
    """Shares that are means of n reports' weights.

    A weight is one of two numbers, which add up to ``slope``. Of a weighted mean n is the number of
    reports that say as much; ``degrees`` are for Student's t.
    """

    share: Any
    error: Any
    n: Any
    slope: Any
    degrees: float = np.inf

    def variance(self, share: Any) -> Any:
        """Return the variance of one report's weight if the share were another, (...).

        Its mean square is slope * share less a constant, and the ``error`` says which.
        """
        square = self.error**2 * (self.n - 1) + self.share**2 - self.slope * self.share
        return square + self.slope * share - share**2

    def interval(self, confidence: float) -> FloatArray:
        """Return Wilson's interval (..., 2).

        Kept is each share t with (share - t)^2 <= z^2 / n * variance(t).
        """
        z = normal_quantile(confidence, self.degrees) ** 2 / self.n
        middle = self.share + z * self.slope / 2
        least = self.share**2 - z * self.variance(0.0)
        half = np.sqrt(np.maximum(middle**2 - (1 + z) * least, 0))
        return np.stack([(middle - half) / (1 + z), (middle + half) / (1 + z)], axis=-1)
