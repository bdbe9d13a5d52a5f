"""Checks of records, their values and their classes.

scikit-learn is imported where it is asked: ``import ppdm.datasets`` comes without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm._types import AnyArray, Bits, FloatArray, IntArray
from ppdm._validation._arrays import check_bits, check_domain, check_numbers
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
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

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


def check_bit_table(estimator: Any, X: ArrayLike, *, reset: bool) -> Bits:
    """Return the records given to an estimator as bits, in ``fit`` (reset) or against it."""
    from sklearn.utils.validation import validate_data

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


def check_records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> FloatArray:
    """Return records as floats, checked in ``fit`` (reset) or, after it, against it."""
    from sklearn.utils.validation import check_array, validate_data

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
