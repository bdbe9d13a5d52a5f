"""Whether two groups differ: the difference of two estimates, its interval and a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm

from ppdm import _validation as check
from ppdm._statistics import Scored
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
    estimates: tuple[Any, Any] = field(repr=False)

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
        (a_below, a_above), (b_below, b_above) = (
            np.moveaxis(each.interval(confidence), -1, 0) - _scored(each, "estimates").share
            for each in self.estimates
        )
        low, high = np.hypot(a_below, b_above), np.hypot(a_above, b_below)
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
    x, y = _scored(a, "a"), _scored(b, "b")
    values: list[Any] = [getattr(each, "categories", None) for each in (a, b)]
    check.demand(np.array_equal(*values), "a and b must be estimates of the same values", values)
    # of both groups' reports, as if both had the share that says most of both together
    pooled = (x.n * x.share + y.n * y.share) / (x.n + y.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.sqrt(sum(np.maximum(each.variance(pooled), 0) / each.n for each in (x, y)))
        p_value = 2 * norm.sf(np.abs(x.share - y.share) / one)
    found = (x.share - y.share, np.hypot(x.error, y.error),
             np.where(x.share == y.share, 1.0, p_value))  # fmt: skip
    difference, error, p_value = (float(v) if np.ndim(v) == 0 else v for v in found)
    return DifferenceEstimate(
        difference=difference, standard_error=error, p_value=p_value, estimates=(a, b)
    )


def _scored(each: Any, name: str) -> Scored:
    """Return what a test asks of an estimate, of one share or of several."""
    check.having(each, name, "interval")
    rule = f"{name} must be an estimate of shares"
    check.demand(hasattr(each, "_scored"), rule, each, TypeError)
    found: Scored = each._scored
    return found
