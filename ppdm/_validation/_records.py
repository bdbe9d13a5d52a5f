"""Checks of records, their values and their classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ppdm._types import AnyArray, Bits, IntArray
from ppdm._validation._arrays import check_bits
from ppdm._validation._scalars import check_integer


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


def check_n_values(n_values: Sequence[int]) -> list[int]:
    """Return the attributes' numbers of values, each a whole number >= 2."""
    if isinstance(n_values, str | bytes) or not np.iterable(n_values):
        raise TypeError(f"n_values must be a sequence of integers, got {n_values!r}")
    sizes = [check_integer(s, f"n_values[{j}]", low=2) for j, s in enumerate(n_values)]
    if not sizes:
        raise ValueError("n_values must have at least one attribute, got none")
    return sizes


def check_tuples(R: ArrayLike, y: ArrayLike, n_bits: int) -> tuple[Bits, Bits]:
    """Return rows of ``n_bits`` bits and as many labels, from one tuple or several."""
    bits, labels = check_bits(R, "R"), check_bits(y, "y")
    if bits.ndim > 2 or bits.shape[-1] != n_bits:
        raise ValueError(f"R must have {n_bits} bits a tuple, got shape {bits.shape}")
    if labels.shape != bits.shape[:-1]:
        raise ValueError(
            f"y must have one label for each tuple, shape {bits.shape[:-1]}, got {labels.shape}"
        )
    return np.atleast_2d(bits), np.atleast_1d(labels)


def check_bit_table(estimator: BaseEstimator, X: ArrayLike, *, reset: bool) -> Bits:
    """Return the records given to an estimator as bits, in ``fit`` (reset) or against it."""
    table = validate_data(estimator, X, dtype=None, reset=reset, ensure_all_finite=False)
    return check_bits(table, "X", ndim=2)
