"""Checks of arrays: of bits, codes and numbers, of labels, and of what is no array at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm._validation import _values as check
from ppdm._validation._frames import numbered
from ppdm.typing import AnyArray, Bits, BoolArray, Codes, FloatArray, IntArray


def unmasked(values: Any, name: str) -> None:
    """Refuse masked values: NumPy's functions would read what lies under the mask."""
    rows = values if isinstance(values, list | tuple) else [values]
    masked = [row for row in rows if isinstance(row, np.ma.MaskedArray) and row.mask.any()]
    if masked:
        n = sum(int(np.ma.getmaskarray(row).sum()) for row in masked)
        raise ValueError(f"{name} has {n} masked value(s): fill or drop them first, got {values!r}")


def plain(values: Any, name: str) -> AnyArray:
    """Return an array of anything; refuse masked and sparse values and lists that are ragged."""
    unmasked(values, name)
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} must be dense, got a sparse array: use toarray()")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{name} must be an array, its rows of one length, got {values!r}"
        ) from error


def bits(
    values: ArrayLike, name: str, *, ndim: int | None = None,
    advice: str = "only 0 and 1 are allowed",
) -> Bits:
    """Return a non-empty array of zeros and ones as int8.

    Booleans, integers and floats are taken where every value is 0 or 1; a missing
    value is named, not guessed, with some ``advice``.
    """
    found = _array(values, name, "zeros and ones", ndim)
    _refuse_missing(found, name, advice)
    # read as unsigned, a negative number is a large one: one fast pass over whole numbers
    if found.dtype.kind == "f" or found.view(f"u{found.itemsize}").max() > 1:
        refuse(found < 0, found, f"{name} must hold only 0 and 1: Negative values in data are none")
        refuse((found != 0) & (found != 1), found, f"{name} must hold only 0 and 1")
    return found.astype(np.int8, copy=False)


def codes(values: ArrayLike, name: str, n_values: ArrayLike | None = None) -> Codes:
    """Return a non-empty matrix of codes 0, 1, ... as integers.

    Floats are taken where every value is whole; a missing value is named, not guessed.
    ``n_values`` holds how many codes each column has; None allows any.
    """
    found = _array(values, name, "codes 0, 1, ...", 2)
    _refuse_missing(found, name, "or give them a code of their own")
    if found.dtype.kind == "f":
        fraction = (np.abs(found) > 2.0**53) | (np.floor(found) != found)
        refuse(fraction, found, f"{name} must hold whole codes 0, 1, ...")
        found = found.astype(np.int64)
    elif found.dtype.kind == "b":
        found = found.astype(np.int8)
    if found.min() < 0:
        rule = f"{name} must hold codes 0, 1, ...: Negative values in data are none"
        refuse(found < 0, found, rule)
    if n_values is not None and found.max() >= np.min(n_values):
        unseen = found >= np.asarray(n_values)
        if unseen.any():
            row, column = first(unseen)
            known = np.broadcast_to(n_values, found.shape[1])[column]
            raise ValueError(
                f"{name} holds a category never seen: code {found[row, column]} at "
                f"({row}, {column}), where attribute {column} has {known} value(s)"
            )
    return found


def array(values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None) -> FloatArray:
    """Return a non-empty array of numbers as float64, of one of the ``ndim`` allowed."""
    return _array(values, name, "numbers", ndim).astype(np.float64, copy=False)


def numbers(
    values: ArrayLike, name: str, *, ndim: int | tuple[int, ...] | None = None
) -> FloatArray:
    """Do the same and refuse missing and infinite values."""
    found = array(values, name, ndim=ndim)
    refuse(~np.isfinite(found), found, f"{name} must hold finite numbers only")
    return found


def _array(
    values: ArrayLike, name: str, what: str, ndim: int | tuple[int, ...] | None
) -> AnyArray:
    """Return a non-empty array of any type of numbers."""
    found = plain(values, name)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and found.ndim not in allowed:
        wanted = " or ".join(str(d) for d in allowed)
        raise ValueError(f"{name} must have {wanted} dimension(s), got shape {found.shape}")
    if found.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {found.shape}")
    if found.dtype.kind == "O":
        found = _from_objects(found, name, what)
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold {what}, got values of type {found.dtype}")
    return found


def _from_objects(found: AnyArray, name: str, what: str) -> AnyArray:
    """Return the numbers that an array of Python's objects holds, as a mixed table does."""
    try:
        numbers = np.array(found.tolist())
        found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} must hold {what}, got values of type object: {error}"
        ) from error
    return numbers if numbers.shape == found.shape else found


def refuse(wrong: BoolArray, found: AnyArray, rule: str) -> None:
    """Refuse an array in which anything is wrong, and name the first that is."""
    if wrong.any():
        where = first(wrong)
        raise ValueError(f"{rule}, got {found[where].item():.12g} at {where}")


def first(mask: BoolArray) -> tuple[int, ...]:
    """Return where a mask is first true."""
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _refuse_missing(found: AnyArray, name: str, advice: str) -> None:
    missing = np.isnan(found) if found.dtype.kind == "f" else np.zeros((), dtype=np.bool_)
    if missing.any():
        raise ValueError(
            f"{name} has {int(missing.sum())} missing value(s) (NaN), the first at "
            f"{first(missing)}: fill or drop them first, {advice}"
        )


def broadcast(**arrays: FloatArray) -> list[FloatArray]:
    """Return arrays of one shape, by their names."""
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"{' and '.join(arrays)} must have shapes that broadcast, got {shapes}"
        ) from None


def columns(
    value: ArrayLike | None, name: str, n_features: int, names: AnyArray | None = None
) -> BoolArray:
    """Return a mask of attributes, from a mask, their columns or names, or None for none."""
    mask = np.zeros(n_features, dtype=np.bool_)
    if value is None:
        return mask
    value = numbered(value, name, names)
    given = plain(value, name)
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


def released_and_records(
    released: ArrayLike, records: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return two tables of finite numbers, (n, n_features) and (m, n_features)."""
    said = numbers(released, "released", ndim=2)
    true = numbers(records, "records", ndim=2)
    if said.shape[1] != true.shape[1]:
        raise ValueError(
            f"released must have the {true.shape[1]} columns of records, got {said.shape[1]}"
        )
    return said, true


def rows(values: ArrayLike, name: str, n: int) -> IntArray:
    """Return the numbers of some of ``n`` rows, (m,), from 0 on."""
    found = plain(values, name)
    if found.ndim != 1 or not found.size or found.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold whole numbers of rows, shape (m,), got {found.dtype} of shape "
            f"{found.shape}"
        )
    if found.min() < 0 or found.max() >= n:
        raise ValueError(
            f"{name} must be rows from 0 to {n - 1}, got {int(found.min())} to {int(found.max())}"
        )
    return found.astype(np.intp)


def labels(labels: ArrayLike, n_labels: int | None, n: int) -> tuple[IntArray, int]:
    """Return a code 0, 1, ... for each of ``n`` records, and how many codes there are."""
    found = plain(labels, "labels")
    if found.shape != (n,) or not found.size or found.dtype.kind not in "biu":
        raise ValueError(
            f"labels must hold one integer code for each of the {n} records, got "
            f"{found.dtype} of shape {found.shape}"
        )
    low, high = int(found.min()), int(found.max())
    wanted = high + 1
    if n_labels is not None:
        wanted = check.integer(n_labels, "n_labels", low=1, most=check.MOST_DRAWS)
    if low < 0 or high >= wanted:
        raise ValueError(f"labels must hold codes from 0 to {wanted - 1}, got {low} to {high}")
    return found.astype(np.intp, copy=False), wanted


def domain(
    domain: ArrayLike, n_features: int | None = None, *, whole: bool = False
) -> FloatArray:
    """Return the bounds of the attributes, (n_features, 2), the lower one first.

    Those of ``whole`` numbers are whole, and may be equal.
    """
    bounds = numbers(domain, "domain", ndim=2)
    if bounds.shape[1] != 2 or n_features not in (None, len(bounds)):
        rows = "n_features" if n_features is None else n_features
        raise ValueError(
            f"domain must have shape ({rows}, 2), one pair of bounds for each attribute, "
            f"got shape {bounds.shape}"
        )
    low, high = bounds.T
    broken = whole & (bounds != np.rint(bounds)).any(axis=1)
    wrong = broken | ~(low <= high if whole else low < high)
    if wrong.any():
        j = int(np.argmax(wrong))
        rule = "whole numbers, low <= high," if whole else "low < high"
        raise ValueError(
            f"domain must have {rule} for every attribute, got low {low[j]:g} and high "
            f"{high[j]:g} for attribute {j}"
        )
    return bounds
