"""Whether two groups differ: the difference of two estimates, its interval and a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from ppdm import _validation as check
from ppdm.typing import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferenceEstimate:
    """The difference of two estimates from different people.

    Attributes
    ----------
    difference : float or ndarray of shape (m,)
        The first less the second.
    standard_error : float or ndarray of shape (m,)
    p_value : float or ndarray of shape (m,)
        Of the test that there is none, two-sided. For shares it takes the variance that both
        groups' reports would have if they had one share, which keeps its level in small groups.
    estimates : tuple
        The two.
    """

    difference: FloatArray | float
    standard_error: FloatArray | float
    p_value: FloatArray | float
    estimates: tuple[Any, Any]

    def interval(self, confidence: float = 0.95) -> FloatArray:
        """Return a confidence interval for the difference.

        Newcombe's (1998): the distances of both estimates from the ends of their own intervals,
        put together as the sides of a right angle.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.95

        Returns
        -------
        ndarray of shape (2,) or (m, 2)
            Low and high.
        """
        (a, first), (b, second) = (
            (_share(each), np.asarray(each.interval(confidence))) for each in self.estimates
        )
        low = np.hypot(a - first[..., 0], second[..., 1] - b)
        high = np.hypot(first[..., 1] - a, b - second[..., 0])
        return np.stack([self.difference - low, self.difference + high], axis=-1)


def estimate_difference(a: Any, b: Any) -> DifferenceEstimate:
    """Estimate the difference of two estimates of the same thing, from different people.

    Parameters
    ----------
    a, b : ProportionEstimate or FrequencyEstimate
        Both of one kind, such as two groups of ``estimate_proportion(..., by=)``; their
        channels may differ.

    Returns
    -------
    DifferenceEstimate
        Of frequencies one for each value.

    Raises
    ------
    ValueError, TypeError
        If one is no estimate with an ``interval``, or they have different values.

    Notes
    -----
    Groups are of different people, drawn apart. For two groups in the same clusters take
    :class:`DisguisedLinearRegression` with ``clusters=``.

    How often the interval covers the truth, in 32 cells of theta .6 to 1, groups of 30 to 2,500
    and shares .02 to .4: .944 to .963. The level of the test is .042 to .061.

    References
    ----------
    Newcombe (1998), method 10.

    Examples
    --------
    >>> from ppdm.randomized_response import estimate_proportion
    >>> from ppdm.regression import estimate_difference
    >>> nurses = estimate_proportion([1] * 220 + [0] * 280, 0.75)
    >>> doctors = estimate_proportion([1] * 160 + [0] * 240, 0.75)
    >>> found = estimate_difference(nurses, doctors)
    >>> round(found.difference, 3), found.interval().round(3), round(found.p_value, 3)
    (0.08, array([-0.05 ,  0.208]), 0.227)
    """
    for name, each in (("a", a), ("b", b)):
        check.having(each, name, "interval")
        known = hasattr(each, "proportion") or hasattr(each, "frequencies")
        check.demand(known, f"{name} must be an estimate of shares", each, TypeError)
    rule = "a and b must be estimates of the same values"
    check.demand(np.shape(_share(a)) == np.shape(_share(b)), rule, (a, b))
    check.demand(np.array_equal(_values(a), _values(b)), rule, (_values(a), _values(b)))
    x, y = _share(a), _share(b)
    # of both groups' reports, as if both had the share that says most of both together
    n, m = _n(a), _n(b)
    pooled = (n * x + m * y) / (n + m)
    variances = [_variance(each, pooled) for each in (a, b)]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(x - y) / np.sqrt(variances[0] / n + variances[1] / m)
    p_value = np.where(x == y, 1.0, 2 * norm.sf(z))
    error = np.hypot(_error(a), _error(b))
    of_one = np.ndim(x) == 0
    return DifferenceEstimate(
        difference=float(x - y) if of_one else x - y,
        standard_error=float(error) if of_one else error,
        p_value=float(p_value) if of_one else p_value,
        estimates=(a, b),
    )


def _share(estimate: Any) -> Any:
    return estimate.proportion if hasattr(estimate, "proportion") else estimate.frequencies


def _error(estimate: Any) -> Any:
    one = hasattr(estimate, "proportion")
    return estimate.standard_error if one else estimate.standard_errors


def _n(estimate: Any) -> Any:
    return getattr(estimate, "effective_n", estimate.n)


def _values(estimate: Any) -> Any:
    return getattr(estimate, "categories", np.zeros(1))


def _variance(estimate: Any, share: Any) -> Any:
    """Return the variance of one report's score if the share were another.

    A score is one of two numbers, whose sum is the slope of its mean square in its mean.
    """
    slope = estimate.weights.sum(axis=0) if hasattr(estimate, "weights") else 1.0
    own, n = _share(estimate), _n(estimate)
    square = _error(estimate) ** 2 * (n - 1) + own**2 + slope * (share - own)
    return np.maximum(square - share**2, 0)
