"""Checks of arrays: bits, codes, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._types import BoolArray, IntArray
from ppdm._validation._scalars import check_integer


def check_bits(values: ArrayLike, name: str, *, ndim: int | None = None) -> NDArray[np.int8]:
    """Return a non-empty array of zeros and ones as int8.

    Booleans, integers and floats are taken where every value is 0 or 1; a missing
    value is named, not guessed.
    """
    array = np.asarray(values)
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold zeros and ones, got values of type {array.dtype}")
    _refuse_missing(array, name, "only 0 and 1 are allowed")
    # read as unsigned, a negative number is a large one: one fast pass over whole numbers
    plain = array.dtype.kind == "b" or (
        array.dtype.kind in "iu" and array.view(f"u{array.itemsize}").max() <= 1
    )
    if not plain:
        _refuse((array != 0) & (array != 1), array, f"{name} must hold only 0 and 1")
    return array.astype(np.int8, copy=False)


def check_codes(
    values: ArrayLike, name: str, n_values: ArrayLike | None = None
) -> NDArray[np.integer[Any]]:
    """Return a non-empty matrix of codes 0, 1, ... as integers.

    Floats are taken where every value is whole; a missing value is named, not guessed.
    ``n_values`` holds how many codes each column has; None allows any.
    """
    array = np.asarray(values)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty matrix of codes, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold codes 0, 1, ..., got values of type {array.dtype}")
    _refuse_missing(array, name, "or give them a code of their own")
    if array.dtype.kind == "f":
        fraction = np.isinf(array) | (np.floor(array) != array)
        _refuse(fraction, array, f"{name} must hold whole codes 0, 1, ...")
        array = array.astype(np.int64)
    elif array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.min() < 0:
        _refuse(array < 0, array, f"{name} must hold codes 0, 1, ...")
    if n_values is not None and array.max() >= np.min(n_values):
        unseen = array >= np.asarray(n_values)
        if unseen.any():
            row, column = (int(i) for i in np.argwhere(unseen)[0])
            known = np.broadcast_to(n_values, array.shape[1])[column]
            raise ValueError(
                f"{name} holds a category never seen: code {array[row, column]} at "
                f"({row}, {column}), where attribute {column} has {known} value(s)"
            )
    return array


def _refuse_missing(array: NDArray[Any], name: str, advice: str) -> None:
    if array.dtype.kind == "f" and np.isnan(array).any():
        where = tuple(int(i) for i in np.argwhere(np.isnan(array))[0])
        raise ValueError(
            f"{name} has {int(np.isnan(array).sum())} missing value(s), the first at {where}: "
            f"fill or drop them first, {advice}"
        )


def _refuse(wrong: NDArray[np.bool_], array: NDArray[Any], rule: str) -> None:
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"{rule}, got {array[where].item()!r} at {where}")


def check_array(
    values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None
) -> NDArray[np.float64]:
    """Return a non-empty array of numbers as float64, of one of the ``ndim`` allowed."""
    array = np.asarray(values)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and array.ndim not in allowed:
        wanted = " or ".join(str(d) for d in allowed)
        raise ValueError(f"{name} must have {wanted} dimension(s), got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got values of type {array.dtype}")
    return array.astype(np.float64, copy=False)


def check_numbers(
    values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None
) -> NDArray[np.float64]:
    """Do the same and refuse missing and infinite values."""
    array = check_array(values, name, ndim=ndim)
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"{name} must hold finite numbers only, got {array[where].item()!r} at {where}"
        )
    return array


def check_not_negative(array: NDArray[np.float64], name: str) -> None:
    """Refuse an array with a value below zero."""
    if array.min() < 0:
        where = tuple(int(i) for i in np.unravel_index(array.argmin(), array.shape))
        raise ValueError(f"{name} must not be negative, got {array[where]:g} at {where}")


def check_columns(value: ArrayLike | None, name: str, n_features: int) -> BoolArray:
    """Return a mask of attributes, from a mask, their columns, or None for none of them."""
    mask = np.zeros(n_features, dtype=np.bool_)
    if value is None:
        return mask
    given = np.asarray(value)
    if given.dtype.kind == "b" and given.shape == (n_features,):
        return given.copy()
    whole = given.size == 0 or given.dtype.kind in "iu"
    if given.ndim != 1 or not whole or not np.isin(given, np.arange(n_features)).all():
        raise ValueError(
            f"{name} must be a mask of shape ({n_features},) or columns from 0 to "
            f"{n_features - 1}, got {value!r}"
        )
    mask[given.astype(np.intp)] = True
    return mask


def check_labels(labels: ArrayLike, n_labels: int | None, n: int) -> tuple[IntArray, int]:
    """Return a code 0, 1, ... for each of ``n`` records, and how many codes there are."""
    codes = np.asarray(labels)
    if codes.shape != (n,) or codes.dtype.kind not in "biu":
        raise ValueError(
            f"labels must hold one integer code for each of the {n} records, got "
            f"{codes.dtype} of shape {codes.shape}"
        )
    highest = int(codes.max())
    wanted = highest + 1 if n_labels is None else check_integer(n_labels, "n_labels", low=1)
    if codes.min() < 0 or highest >= wanted:
        raise ValueError(
            f"labels must hold codes from 0 to {wanted - 1}, got {codes.min()} to {highest}"
        )
    return codes.astype(np.intp, copy=False), wanted


def check_domain(
    domain: ArrayLike, n_features: int | None = None, *, whole: bool = False
) -> NDArray[np.float64]:
    """Return the bounds of the attributes, (n_features, 2), the lower one first.

    Those of ``whole`` numbers are whole, and may be equal.
    """
    array = check_numbers(domain, "domain", ndim=2)
    rows = "n_features" if n_features is None else n_features
    if array.shape[1] != 2 or n_features not in (None, len(array)):
        raise ValueError(
            f"domain must have shape ({rows}, 2), one pair of bounds for each attribute, "
            f"got shape {array.shape}"
        )
    low, high = array.T
    broken = whole & (array != np.rint(array)).any(axis=1)
    wrong = broken | ~(low <= high if whole else low < high)
    if wrong.any():
        j = int(np.argmax(wrong))
        rule = "whole numbers, low <= high," if whole else "low < high"
        raise ValueError(
            f"domain must have {rule} for every attribute, got low {low[j]:g} and high "
            f"{high[j]:g} for attribute {j}"
        )
    return array
