"""The noises that value distortion may add, and what each hides.

Each law stands at scale one. The scale of the uniform noise is its half-width, that of the
Gaussian its standard deviation, that of the Laplace noise the b of its density
exp(-|y| / b) / (2 b). All are symmetric about zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from ppdm import _validation as check
from ppdm.typing import FloatArray, Hiding


@dataclass(frozen=True)
class StandardNoise:
    """A symmetric noise Y of scale one.

    Attributes
    ----------
    sample
        Draws an array of the given shape from a Generator.
    density
        f_Y at each value.
    log_density
        Its logarithm, which stays finite where the density is too small for a number.
    excess
        E[max(Y - t, 0)] for t >= 0: what is left of the noise beyond t. It is all that
        the interval channel needs, and small numbers stay exact in it.
    half_width
        z with P(|Y| <= z) equal to the given confidence.
    reach
        How far beyond the domain the disguised values get cells of their own.
    bounded
        Whether no noise is ever larger than ``reach``.
    epsilon
        The largest log ratio of its density at two truths so far apart, in scales.
    """

    sample: Callable[[np.random.Generator, tuple[int, ...]], FloatArray]
    density: Callable[[FloatArray], FloatArray]
    log_density: Callable[[FloatArray], FloatArray]
    excess: Callable[[FloatArray], FloatArray]
    half_width: Callable[[float], float]
    reach: float
    bounded: bool = False
    epsilon: Callable[[FloatArray], FloatArray] = lambda apart: np.full_like(apart, np.inf)

    def __reduce__(self) -> tuple[Callable[[str], StandardNoise], tuple[str]]:
        """Go to another process by name: what arrives is the same object as there."""
        return _named, (next(name for name, noise in NOISES.items() if noise is self),)


def _uniform_density(y: FloatArray) -> FloatArray:
    # the ends belong to the support: a difference of two midpoints that should be
    # exactly one may come out one rounding error above it
    return np.where(np.abs(y) <= 1 + 1e-9, 0.5, 0.0)


def _gaussian_density(y: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * y**2) / np.sqrt(2 * np.pi))


def _gaussian_excess(t: FloatArray) -> FloatArray:
    t = np.minimum(t, 38.0)  # beyond, both terms are zero in double precision; inf * 0 is not
    return np.maximum(_gaussian_density(t) - t * ndtr(-t), 0.0)


def _laplace(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    # not rng.laplace, the logarithm of one number of 53 bits, whose tail has holes: the ziggurat
    # of an exponential draws as many anew beyond 7.7, and takes half the time
    size = rng.standard_exponential(shape)
    return np.negative(size, out=size, where=rng.integers(0, 2, shape, dtype=np.bool_))


NOISES: dict[str, StandardNoise] = {
    "gaussian": StandardNoise(
        sample=lambda rng, shape: rng.standard_normal(shape),
        density=_gaussian_density,
        log_density=lambda y: -0.5 * y**2 - 0.5 * np.log(2 * np.pi),
        excess=_gaussian_excess,
        half_width=lambda confidence: float(ndtri(0.5 + confidence / 2)),
        reach=5.0,
    ),
    "laplace": StandardNoise(
        sample=_laplace,
        density=lambda y: np.exp(-np.abs(y)) / 2,
        log_density=lambda y: -np.abs(y) - np.log(2),
        excess=lambda t: np.exp(-t) / 2,
        half_width=lambda confidence: float(-np.log1p(-confidence)),
        # Five standard deviations, as for the Gaussian. The tail beyond, exp(-7.1) = 0.0008,
        # is larger, but costs nothing: outside the domain an exponential tail tells the
        # same of the true values however far out, so that one open cell says it all.
        reach=5.0 * 2**0.5,
        epsilon=lambda apart: apart,
    ),
    "uniform": StandardNoise(
        sample=lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
        density=_uniform_density,
        log_density=lambda y: np.where(_uniform_density(y) > 0, -np.log(2), -np.inf),
        excess=lambda t: np.maximum(1 - t, 0) ** 2 / 4,
        half_width=lambda confidence: confidence,
        reach=1.0,
        bounded=True,
    ),
}


def _named(name: str) -> StandardNoise:
    return NOISES[name]


def privacy_interval(distribution: Hiding, scale: float, confidence: float = 0.95) -> float:
    """Width of the interval in which the noise alone leaves the true value.

    Table 1 of AS00. Its entry for the Gaussian at 99.9%, 6.8 standard deviations, is a
    slip: the exact width is 6.58, which is what this function gives.

    Parameters
    ----------
    distribution : {"discretization", "uniform", "laplace", "gaussian"}
        How the value is hidden.
    scale : float > 0
        The width of a class, the half-width of the uniform noise, the scale b of the Laplace
        noise or the standard deviation of the Gaussian, in units of the attribute.
    confidence : float in (0, 1)
        c, as a fraction.

    Returns
    -------
    float
        The width in units of the attribute: c W, 2 c alpha, -2 b ln(1 - c), or 2 z sigma
        with z the (1 + c)/2 quantile of the standard normal distribution.

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
    check.given("privacy_interval.distribution", distribution)
    scale = check.given("scale", scale)
    confidence = check.given("confidence", confidence)
    if distribution == "discretization":
        return confidence * scale
    return 2 * NOISES[distribution].half_width(confidence) * scale
