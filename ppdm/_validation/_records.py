"""Checks of records and their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ppdm._types import AnyArray, FloatArray, IntArray
from ppdm._validation._arrays import check_domain


def encode_classes(y: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the classes in order and each record's number among them.

    Whole numbers close together are counted, which is faster than sorting.
    """
    if y.dtype.kind in "iu" and y.size:
        whole = y.astype(np.intp, copy=False)
        low = int(whole.min())
        if int(whole.max()) - low < 1024:
            offset = whole - low
            occurs = np.bincount(offset) > 0
            classes = (np.flatnonzero(occurs) + low).astype(y.dtype)
            return classes, offset if occurs.all() else (np.cumsum(occurs) - 1)[offset]
    classes, code = np.unique(y, return_inverse=True)
    return classes, code


def check_classes(y: ArrayLike, n: int) -> tuple[AnyArray, IntArray]:
    """Return the classes in order and the number of each of ``n`` records among them."""
    labels = column_or_1d(y, warn=True)
    if labels.size != n:
        raise ValueError(f"y must hold one class for each of {n} records, got {labels.size}")
    if labels.dtype.kind not in "iu":  # whole numbers cannot be missing or continuous
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    return encode_classes(labels)


def check_records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> FloatArray:
    """Return records as floats, checked in ``fit`` (reset) or, after it, against it."""
    if reset or hasattr(estimator, "n_features_in_"):
        checked: FloatArray = validate_data(estimator, X, dtype=np.float64, reset=reset)
    else:
        checked = check_array(X, dtype=np.float64, input_name="X", estimator=estimator)
    return checked


def check_inside(X: FloatArray, domain: FloatArray) -> None:
    """Refuse records (n_samples, n_features) with a value outside the domain."""
    low, high = domain.T
    outside = np.less(X, low) | np.greater(X, high)
    if outside.any():
        row, column = (int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            f"X must lie inside domain, from {low[column]:g} to {high[column]:g} for attribute "
            f"{column}, got {X[row, column]:g} in row {row} ({int(outside.sum())} value(s) outside)"
        )


def learn_domain(domain: ArrayLike | None, X: FloatArray, *, need_range: bool = True) -> FloatArray:
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
