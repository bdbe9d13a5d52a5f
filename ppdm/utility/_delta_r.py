"""How much is kept: the measures of utility."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.typing import FloatArray


def delta_r(
    released_accuracy: ArrayLike, original_accuracy: ArrayLike, *, epsilon: float = 0.02
) -> Any:
    r"""Accuracy that a classifier keeps when it is trained on the release.

    .. math:: \Delta R = R_p - (1 - \epsilon) R_o

    Parameters
    ----------
    released_accuracy : float or array-like
        R_p, the accuracy (a share in [0, 1]) on clear test records of a classifier
        trained on the released records.
    original_accuracy : float or array-like
        R_o, the accuracy of the same kind of classifier trained on the original
        records. Arrays of several trials are broadcast against each other.
    epsilon : float in [0, 1), default=0.02
        The share of accuracy that may be lost.

    Returns
    -------
    float or ndarray
        In [-1, 1]. The paper calls utility maintained where it is not negative, for
        every classifier tried.

    Raises
    ------
    ValueError
        If an accuracy is outside [0, 1] or missing, or ``epsilon`` outside [0, 1).

    Notes
    -----
    LX14, section 3.1.

    Examples
    --------
    >>> round(delta_r(0.72, 0.75), 4)
    -0.015
    >>> delta_r([0.72, 0.76], [0.75, 0.75]).round(4)
    array([-0.015,  0.025])
    """
    kept = 1 - check.number(epsilon, "epsilon", low=0, high=1, inclusive="low")
    released, original = check.broadcast(
        released_accuracy=_shares(released_accuracy, "released_accuracy"),
        original_accuracy=_shares(original_accuracy, "original_accuracy"),
    )
    difference = released - kept * original
    return float(difference) if difference.ndim == 0 else difference


def _shares(values: ArrayLike, name: str) -> FloatArray:
    shares = check.array(values, name)
    bad = ~((shares >= 0) & (shares <= 1))
    if bad.any():
        raise ValueError(f"{name} must be in [0, 1], got {shares[bad].flat[0].item()!r}")
    return shares
