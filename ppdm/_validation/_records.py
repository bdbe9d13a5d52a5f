"""Checks of records and their classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ppdm._types import AnyArray, IntArray


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
