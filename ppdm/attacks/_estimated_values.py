"""True values as an adversary estimates them, and how near that comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.attacks._result import AttackResult, check_confidence, mean_interval
from ppdm.typing import FloatArray


@dataclass(frozen=True, kw_only=True)
class DenoisingResult(AttackResult):
    """How near the estimates came, as a root mean squared error: less is better.

    All errors are divided by the noise's standard deviation, attribute by attribute.

    Attributes
    ----------
    success : float
        The error of the estimates.
    baseline : float
        That of guessing each attribute's mean, without the release.
    released : float
        That of the released values as they are: about 1.
    """

    released: float

    @property
    def ratio(self) -> float:
        """The error of the estimates over that of the released values: what noise is left."""
        return self.success / self.released

    @property
    def gain(self) -> float:
        """By how much the error is below that of a guess without the release."""
        return self.baseline - self.success


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimatedValues:
    """True values as the adversary estimates them.

    Attributes
    ----------
    values : ndarray of shape (n, n_attributes)
    n_components : int
        How many directions (of a scalar estimate: attributes) were taken to hold more than
        noise.
    disguised : ndarray of shape (n, n_attributes)
        The release, of several the first.
    noise_std : ndarray of shape (n_attributes,)
        The standard deviation of its noise.
    """

    values: FloatArray
    n_components: int
    disguised: FloatArray
    noise_std: FloatArray

    def against(self, true: ArrayLike, *, confidence: float = 0.95) -> DenoisingResult:
        """Compare with the true values, which the adversary does not see.

        Parameters
        ----------
        true : array-like of shape (n, n_attributes)
        confidence : float in (0, 1), default=0.95
            Of the interval of the error: the root of the normal one of the mean squared
            error, over records.

        Returns
        -------
        DenoisingResult

        Raises
        ------
        ValueError, TypeError
            If ``true`` has another shape, or holds a missing value.
        """
        share = check_confidence(confidence)
        truth = check.numbers(true, "true", ndim=2)
        if truth.shape != self.values.shape:
            raise ValueError(
                f"true must have the shape of the values, {self.values.shape}, got {truth.shape}"
            )
        guesses = self.values, np.broadcast_to(truth.mean(axis=0), truth.shape), self.disguised
        squares = [(((g - truth) / self.noise_std) ** 2).mean(axis=1) for g in guesses]
        success, baseline, released = (float(np.sqrt(square.mean())) for square in squares)
        low, high = mean_interval(squares[0], share)
        return DenoisingResult(
            success=success,
            baseline=baseline,
            released=released,
            interval=(float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))),
            n=len(truth),
            confidence=share,
        )
