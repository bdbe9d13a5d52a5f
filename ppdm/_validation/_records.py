"""Checks of records, their values and their classes, and of who shares a coin.

scikit-learn is imported where it is asked: ``import ppdm.datasets`` comes without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm._types import AnyArray, Bits, ClassGroup, FloatArray, Groups, IntArray
from ppdm._validation import _values as check


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


def classes(y: ArrayLike, n: int) -> tuple[AnyArray, IntArray]:
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


def n_values(n_values: Sequence[int]) -> list[int]:
    """Return the attributes' numbers of values, each a whole number >= 2."""
    if isinstance(n_values, str | bytes) or not np.iterable(n_values):
        raise TypeError(f"n_values must be a sequence of integers, got {n_values!r}")
    sizes = [check.integer(s, f"n_values[{j}]", low=2) for j, s in enumerate(n_values)]
    if not sizes:
        raise ValueError("n_values must have at least one attribute, got none")
    return sizes


def tuples(R: ArrayLike, y: ArrayLike, n_bits: int) -> tuple[Bits, Bits]:
    """Return rows of ``n_bits`` bits and as many labels, from one tuple or several."""
    bits, labels = check.bits(R, "R"), check.bits(y, "y")
    if bits.ndim > 2 or bits.shape[-1] != n_bits:
        raise ValueError(f"R must have {n_bits} bits a tuple, got shape {bits.shape}")
    if labels.shape != bits.shape[:-1]:
        raise ValueError(
            f"y must have one label for each tuple, shape {bits.shape[:-1]}, got {labels.shape}"
        )
    return np.atleast_2d(bits), np.atleast_1d(labels)


def bit_table(estimator: Any, X: ArrayLike, *, reset: bool) -> Bits:
    """Return the records given to an estimator as bits, in ``fit`` (reset) or against it."""
    from sklearn.utils.validation import validate_data

    table = validate_data(estimator, X, dtype=None, reset=reset, ensure_all_finite=False)
    return check.bits(table, "X", ndim=2)


def bit_probabilities(
    T: ArrayLike, probabilities: ArrayLike, y: ArrayLike | None, n_bits: int | None = None
) -> tuple[Bits, FloatArray, Bits]:
    """Return clear tuples, P(released bit is 1 | tuple) and classes 0 or 1, all zero for None.

    As many bits go in as come out, ``n_bits``; for None any number of either.
    """
    clear = check.bits(T, "T", ndim=2)
    if n_bits is not None and clear.shape[1] != n_bits:
        raise ValueError(f"T must have {n_bits} bits a tuple, got {clear.shape[1]}")
    P = check.numbers(probabilities, "probabilities", ndim=2)
    shape = len(clear), P.shape[1] if n_bits is None else n_bits
    if P.shape != shape:
        raise ValueError(f"probabilities must have shape {shape}, a row a tuple, got {P.shape}")
    check.refuse((P < 0) | (P > 1), P, "probabilities must be in [0, 1]")
    if y is None:
        return clear, P, np.zeros(len(clear), dtype=np.int8)
    classes = check.bits(y, "y", ndim=1)
    if len(classes) != len(clear):
        raise ValueError(f"y must have {len(clear)} labels, one for each tuple, got {len(classes)}")
    return clear, P, classes


def records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> FloatArray:
    """Return records as floats, checked in ``fit`` (reset) or, after it, against it."""
    from sklearn.utils.validation import check_array, validate_data

    if reset or hasattr(estimator, "n_features_in_"):
        checked: FloatArray = validate_data(estimator, X, dtype=np.float64, reset=reset)
    else:
        checked = check_array(X, dtype=np.float64, input_name="X", estimator=estimator)
    return checked


def inside(X: FloatArray, domain: FloatArray) -> None:
    """Refuse records (n_samples, n_features) with a value outside the domain."""
    low, high = domain.T
    outside = np.less(X, low) | np.greater(X, high)
    if outside.any():
        row, column = check.first(outside)
        raise ValueError(
            f"X must lie inside domain, from {low[column]:g} to {high[column]:g} for attribute "
            f"{column}, got {X[row, column]:g} in row {row} ({int(outside.sum())} value(s) outside)"
        )


def learn_domain(domain: ArrayLike | None, X: FloatArray, *, need_range: bool = True) -> FloatArray:
    """Return the domain given, with X inside it, or the range of X, (n_features, 2)."""
    if domain is not None:
        bounds = check.domain(domain, X.shape[1])
        inside(X, bounds)
        return bounds
    bounds = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    flat = np.flatnonzero(bounds[:, 0] == bounds[:, 1])
    if need_range and len(flat):
        raise ValueError(
            f"the range of attribute {flat[0]} cannot be learned: X has one value only, "
            f"{bounds[flat[0], 0]:g}, in n_samples={len(X)}; give domain"
        )
    return bounds


def theta(theta: object) -> float:
    """Return theta if it is a probability."""
    return check.number(theta, "theta", low=0, high=1)


def invertible(value: object) -> float:
    """Return theta if reports at it say something about the truth."""
    if theta(value) == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta(value)


def groups(groups: Groups, n_bits: int) -> list[IntArray]:
    """Return the groups as index arrays; each of ``n_bits`` attributes stands in one."""
    if groups is None:
        return [np.arange(n_bits)]
    checked = [_group(group, n_bits) for group in groups]
    times = np.bincount(np.concatenate([*checked, np.array([], dtype=np.intp)]), minlength=n_bits)
    if (times != 1).any():
        j = int(np.argmax(times != 1))
        raise ValueError(
            f"groups must hold every attribute 0, ..., {n_bits - 1} once, got attribute {j} "
            f"{times[j]} times in {list(groups)!r}"
        )
    return checked


def class_group(class_group: Any, n_groups: int) -> ClassGroup:
    """Return ``class_group`` if it is None, ``"own"`` or the index of a group."""
    if class_group is None:
        return None
    if isinstance(class_group, str) and class_group == "own":
        return "own"
    if not (check.is_integer(class_group) and 0 <= class_group < n_groups):
        raise ValueError(
            "class_group must be None (the class is public), 'own' (a coin of its own) or the "
            f"index of one of the {n_groups} group(s), 0, ..., {n_groups - 1}, got {class_group!r}"
        )
    return int(class_group)


def two_classes(classes: AnyArray, class_group: object) -> None:
    """Refuse a disguised class that has no single opposite."""
    if class_group is not None and classes.size != 2:
        raise ValueError(f"y must have two classes where it is disguised, got {classes.tolist()}")


def _group(group: Sequence[int], n_bits: int) -> IntArray:
    try:
        members = np.asarray(group)
    except ValueError:  # a ragged list
        members = np.array(None)
    if members.ndim != 1 or members.size == 0 or members.dtype.kind not in "iu":
        raise ValueError(
            f"groups must be a list of non-empty lists of attribute indices, got {group!r} in it"
        )
    if members.min() < 0 or members.max() >= n_bits:
        raise ValueError(f"groups must hold attributes 0, ..., {n_bits - 1}, got {group!r} in it")
    return members.astype(np.intp)
