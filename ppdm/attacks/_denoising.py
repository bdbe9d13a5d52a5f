"""Estimating the values under additive noise: filtering, shrinking, averaging."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdm import _validation as check
from ppdm.attacks._leave_one_out import AttackResult, mean_interval
from ppdm.typing import ArrayLike, FloatArray


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
    eigenvalues : ndarray of shape (n_attributes,), or None
        Of spectral filtering: those of the covariance of the release, in units of the noise's
        variance, falling.
    edge : float, or None
        The largest that noise alone has, in large samples; directions beyond are kept.
    """

    values: FloatArray
    n_components: int
    disguised: FloatArray
    noise_std: FloatArray
    eigenvalues: FloatArray | None = None
    edge: float | None = None

    def against(self, true: ArrayLike) -> DenoisingResult:
        """Compare with the true values, which the adversary does not see.

        Parameters
        ----------
        true : array-like of shape (n, n_attributes)

        Returns
        -------
        DenoisingResult
            The interval is the root of the normal one of the mean squared error, over records.

        Raises
        ------
        ValueError, TypeError
            If ``true`` has another shape, or holds a missing value.
        """
        truth = check.numbers(true, "true", ndim=2)
        check.of_shape(truth, "true", self.values.shape, "as the values have")
        guesses = self.values, np.broadcast_to(truth.mean(axis=0), truth.shape), self.disguised
        squares = [(((g - truth) / self.noise_std) ** 2).mean(axis=1) for g in guesses]
        success, baseline, released = (float(np.sqrt(square.mean())) for square in squares)
        low, high = mean_interval(squares[0])
        interval = float(np.sqrt(max(low, 0.0))), float(np.sqrt(high))
        return DenoisingResult(
            success=success, baseline=baseline, released=released, interval=interval, n=len(truth)
        )


def spectral_filter(disguised: ArrayLike, noise_std: float | ArrayLike) -> EstimatedValues:
    r"""Estimate true values by the directions in which the release varies more than noise does.

    Noise varies alike in all directions; attributes that are correlated do not. What lies in the
    directions of the largest eigenvalues of the covariance is kept, the rest dropped.

    Parameters
    ----------
    disguised : array-like of shape (n, n_attributes)
        True values plus noise, n >= 2.
    noise_std : float or array-like of shape (n_attributes,)
        The standard deviation of the noise, which is public, the same for all records.

    Returns
    -------
    EstimatedValues
        The estimates; ``against(true)`` judges them.

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two records, a value is missing, or a standard deviation is
        not above 0 or not one for each attribute.

    Notes
    -----
    Kargupta, Datta, Wang and Sivakumar (2003), section 4, on the perturbation of AS00. The
    eigenvalues of pure noise of variance :math:`\sigma^2` lie, for many records n and
    attributes m, below :math:`\sigma^2 (1 + \sqrt{m / n})^2` (Marchenko and Pastur). Where
    attributes have noises of their own they are divided by them first.

    With p of m directions kept, p/m of the noise's variance stays, and what the values vary
    in the others is lost. With none kept, every estimate is the mean of its attribute: the
    noise then hides what is there, and the release helps nobody to guess.

    Examples
    --------
    Eight attributes that all follow one hidden number; one direction of eight holds an
    eighth of the noise's variance:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> true = rng.normal(size=(2000, 1)) * np.arange(1, 9)
    >>> filtered = spectral_filter(true + rng.normal(size=true.shape), noise_std=1)
    >>> filtered.n_components, round(filtered.against(true).ratio, 2), round(8**-0.5, 2)
    (1, 0.36, 0.35)
    """
    table, std = _release(disguised, noise_std)
    n, m = table.shape
    centre = (table / std).mean(axis=0)
    centred = table / std - centre
    _, singular, rows = np.linalg.svd(centred, full_matrices=False)
    values = np.zeros(m)
    values[: singular.size] = singular**2 / (n - 1)
    edge = float((1 + np.sqrt(m / n)) ** 2)
    kept = rows[: int((values > edge).sum())]
    return EstimatedValues(
        values=(centre + centred @ kept.T @ kept) * std,
        n_components=len(kept),
        disguised=table,
        noise_std=std,
        eigenvalues=values,
        edge=edge,
    )


def wiener_estimate(disguised: ArrayLike, noise_std: float | ArrayLike) -> EstimatedValues:
    r"""Estimate true values by shrinking each attribute towards its mean: the best linear guess.

    By var(x) / (var(x) + noise variance), from this attribute alone.

    Parameters
    ----------
    disguised, noise_std
        As in :func:`spectral_filter`.

    Returns
    -------
    EstimatedValues

    Raises
    ------
    ValueError, TypeError
        As :func:`spectral_filter`.

    Notes
    -----
    The variances of the true values are those of the release less the noise's; where the
    difference is negative they are taken as zero.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> true = rng.normal(size=(2000, 8))
    >>> released = true + rng.normal(size=true.shape)
    >>> round(wiener_estimate(released, 1.0).against(true).ratio, 2)
    0.71
    """
    table, std = _release(disguised, noise_std)
    centre = (table / std).mean(axis=0)
    centred = table / std - centre
    true = np.maximum(centred.var(axis=0, ddof=1) - 1, 0.0)
    return EstimatedValues(
        values=(centre + centred * (true / (true + 1))) * std,
        n_components=int((true > 0).sum()),
        disguised=table,
        noise_std=std,
    )


def average_releases(releases: ArrayLike, noise_std: float | ArrayLike) -> EstimatedValues:
    """Estimate true values by the mean of several independent releases of the same records.

    Parameters
    ----------
    releases : array-like of shape (r, n, n_attributes)
        r releases of n records, each with noise of its own.
    noise_std : float or array-like of shape (n_attributes,)
        The standard deviation of the noise of one release.

    Returns
    -------
    EstimatedValues
        Their error is that of one release over the root of r. The mean is as good a release
        as one of noise ``noise_std / sqrt(r)``: the other estimates start from there.

    Raises
    ------
    ValueError, TypeError
        As :func:`spectral_filter`, or if ``releases`` has not three dimensions.

    Notes
    -----
    The mean is the best use of Gaussian releases. Of uniform ones the middle of largest and
    smallest is better: its error falls as 1/r. :func:`reidentify` and
    :func:`recover_attributes` take repeated releases of any channel.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> true = rng.normal(size=(5000, 3))
    >>> releases = true + rng.normal(scale=2, size=(16, 5000, 3))
    >>> round(average_releases(releases, 2).against(true).ratio, 2)
    0.25
    """
    several = check.numbers(releases, "releases", ndim=3)
    first, std = _release(several[0], noise_std, "releases")
    mean = several.mean(axis=0)
    return EstimatedValues(values=mean, n_components=mean.shape[1], disguised=first, noise_std=std)


def _release(
    disguised: ArrayLike, noise_std: float | ArrayLike, name: str = "disguised"
) -> tuple[FloatArray, FloatArray]:
    table = check.numbers(disguised, name, ndim=2)
    check.demand(len(table) > 1, f"{name} must hold at least two records", len(table))
    std = check.numbers(noise_std, "noise_std", ndim=(0, 1))
    check.demand(std.min() > 0, "noise_std must be > 0 for every attribute", noise_std)
    with check.naming("noise_std", f"one number or one for each of {table.shape[1]} attributes"):
        return table, np.broadcast_to(std, table.shape[1:]).copy()
