"""Checks of records and their classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ppdm._types import AnyArray, Bits, FloatArray, IntArray
from ppdm._validation._arrays import check_bits, check_numbers


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


def check_bit_table(estimator: BaseEstimator, X: ArrayLike, *, reset: bool) -> Bits:
    """Return the records given to an estimator as bits."""
    table = validate_data(estimator, X, dtype=None, reset=reset, ensure_all_finite=False)
    return check_bits(table, "X", ndim=2)


def check_bit_probabilities(
    T: ArrayLike, probabilities: ArrayLike, y: ArrayLike | None, n_bits: int | None = None
) -> tuple[Bits, FloatArray, Bits]:
    """Return clear tuples, P(released bit is 1 | tuple) and classes 0 or 1, all zero for None.

    As many bits go in as come out, ``n_bits``; for None any number of either.
    """
    clear = check_bits(T, "T", ndim=2)
    if n_bits is not None and clear.shape[1] != n_bits:
        raise ValueError(f"T must have {n_bits} bits a tuple, got {clear.shape[1]}")
    P = check_numbers(probabilities, "probabilities", ndim=2)
    if n_bits is not None and P.shape != clear.shape:
        raise ValueError(f"probabilities must have the shape of T, {clear.shape}, got {P.shape}")
    if len(P) != len(clear):
        raise ValueError(
            f"probabilities must have {len(clear)} rows, one for each tuple, got {len(P)}"
        )
    if P.min() < 0 or P.max() > 1:
        worst = P.min() if P.min() < 0 else P.max()
        raise ValueError(f"probabilities must be in [0, 1], got {worst:g}")
    if y is None:
        return clear, P, np.zeros(len(clear), dtype=np.int8)
    classes = check_bits(y, "y", ndim=1)
    if len(classes) != len(clear):
        raise ValueError(f"y must have {len(clear)} labels, one for each tuple, got {len(classes)}")
    return clear, P, classes
