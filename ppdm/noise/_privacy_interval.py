"""Privacy as the width of an interval: Table 1 of AS00."""

from __future__ import annotations

from ppdm._validation import check_number, check_option
from ppdm.noise._distributions import NOISES

__all__ = ["privacy_interval"]


def privacy_interval(distribution: str, scale: float, confidence: float = 0.95) -> float:
    """Width of the interval in which the noise alone leaves the true value.

    Table 1 of AS00. Its entry for the Gaussian at 99.9%, 6.8 standard deviations, is a
    slip: the exact width is 6.58, which is what this function gives.

    Parameters
    ----------
    distribution : {"discretization", "uniform", "gaussian"}
        How the value is hidden.
    scale : float > 0
        The width of a class, the half-width of the uniform noise or the standard
        deviation of the Gaussian, in units of the attribute.
    confidence : float in (0, 1)
        c, as a fraction.

    Returns
    -------
    float
        The width in units of the attribute: c W, 2 c alpha, or 2 z sigma with z the
        (1 + c)/2 quantile of the standard normal distribution.

    Raises
    ------
    ValueError
        If ``distribution`` is unknown, ``scale`` is not positive or ``confidence`` is not
        inside (0, 1).

    Examples
    --------
    >>> for c in (0.5, 0.95, 0.999):
    ...     print(*(f"{privacy_interval(d, 1.0, c):.3f}" for d in ("uniform", "gaussian")))
    1.000 1.349
    1.900 3.920
    1.998 6.581
    """
    check_option(distribution, "distribution", ("discretization", *sorted(NOISES, reverse=True)))
    scale = check_number(scale, "scale", low=0, inclusive="neither")
    confidence = check_number(confidence, "confidence", low=0, high=1, inclusive="neither")
    if distribution == "discretization":
        return confidence * scale
    return 2 * NOISES[distribution].half_width(confidence) * scale
