"""The bounds within which the attributes of a record lie, given or learned from data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, validate_data

from ppdm._validation import check_numbers

Array = NDArray[np.float64]


def check_domain(domain: ArrayLike, n_features: int | None = None) -> NDArray[np.float64]:
    """Return the bounds of the attributes, (n_features, 2), the lower one first."""
    array = check_numbers(domain, "domain", ndim=2)
    rows = "n_features" if n_features is None else n_features
    if array.shape[1] != 2 or n_features not in (None, len(array)):
        raise ValueError(
            f"domain must have shape ({rows}, 2), one pair of bounds for each attribute, "
            f"got shape {array.shape}"
        )
    wrong = np.flatnonzero(array[:, 0] >= array[:, 1])
    if len(wrong):
        low, high = array[wrong[0]]
        raise ValueError(
            f"domain must have low < high for every attribute, got low {low:g} and high {high:g} "
            f"for attribute {wrong[0]}"
        )
    return array


def check_inside(X: NDArray[np.float64], domain: NDArray[np.float64]) -> None:
    """Refuse records (n_samples, n_features) with a value outside the domain."""
    low, high = domain.T
    outside = np.less(X, low) | np.greater(X, high)
    if outside.any():
        row, column = (int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            f"X must lie inside domain, from {low[column]:g} to {high[column]:g} for attribute "
            f"{column}, got {X[row, column]:g} in row {row} ({int(outside.sum())} value(s) outside)"
        )


def given_or_learned(domain: ArrayLike | None, X: Array, *, need_range: bool = True) -> Array:
    """Return the domain given, with X inside it, or the range of X, (n_features, 2)."""
    if domain is not None:
        bounds = check_domain(domain, X.shape[1])
        check_inside(X, bounds)
        return bounds
    bounds = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    flat = np.flatnonzero(bounds[:, 0] == bounds[:, 1])
    if need_range and len(flat):
        raise ValueError(
            f"the range of attribute {flat[0]} cannot be learned: X has one value only, "
            f"{bounds[flat[0], 0]:g}, in n_samples={len(X)}; give domain"
        )
    return bounds


def records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> Array:
    """Check records in ``fit`` (reset) or, where the estimator was fitted, against it."""
    if reset or hasattr(estimator, "n_features_in_"):
        checked: Array = validate_data(estimator, X, dtype=np.float64, reset=reset)
    else:
        checked = check_array(X, dtype=np.float64, input_name="X", estimator=estimator)
    return checked
