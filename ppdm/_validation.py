"""The checks every public function makes at its door, said once.

Each names the argument, the value it got and what is allowed.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

RandomState = int | np.random.Generator | None


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """Turn None, an int or a Generator into a Generator (a Generator passes as it is)."""
    legal = random_state is None or isinstance(random_state, np.random.Generator)
    if not legal and not _is_integer(random_state):
        raise TypeError(
            "random_state must be None, an int or a numpy.random.Generator, "
            f"got {random_state!r} of type {type(random_state).__name__}"
        )
    if _is_integer(random_state) and int(random_state) < 0:  # type: ignore[arg-type]
        raise ValueError(f"random_state must not be negative, got {random_state!r}")
    return np.random.default_rng(random_state)


def check_number(
    value: Any,
    name: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    inclusive: str = "both",
) -> float:
    """Return ``value`` as a float that lies between ``low`` and ``high``.

    ``inclusive`` says which ends are allowed: ``"both"``, ``"low"``, ``"high"`` or
    ``"neither"``. An infinite or missing value is never allowed.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r} of type {type(value).__name__}")
    number = float(value)
    above = number >= low if inclusive in ("both", "low") else number > low
    below = number <= high if inclusive in ("both", "high") else number < high
    if not (above and below and np.isfinite(number)):
        raise ValueError(f"{name} must be {_range(low, high, inclusive)}, got {value!r}")
    return number


def check_integer(value: Any, name: str, *, low: int | None = None, high: int | None = None) -> int:
    """Return ``value`` as an int that lies in [low, high]."""
    if not _is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        ends = _range(
            -np.inf if low is None else low, np.inf if high is None else high, "both", whole=True
        )
        raise ValueError(f"{name} must be {ends}, got {value!r}")
    return number


def check_option(value: Any, name: str, options: Sequence[Any]) -> Any:
    """Return ``value`` if it is one of ``options``."""
    if not any(value is option or (value == option) is True for option in options):
        allowed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
    return value


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


def encode_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
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


def check_sizes(value: Any, name: str, n: int | None, *, low: int) -> list[int]:
    """Return a whole number for each of ``n`` attributes, from one for all or one each.

    For an unknown number of attributes (None), as many as are given.
    """
    if not isinstance(value, list | tuple | np.ndarray):
        return [check_integer(value, name, low=low)] * (1 if n is None else n)
    if n is not None and len(value) != n:
        raise ValueError(
            f"{name} must be one number or one for each of {n} attributes, got {value!r}"
        )
    return [check_integer(each, name, low=low) for each in value]


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


def check_edges(
    edges: ArrayLike, name: str = "edges", *, ndim: int | tuple[int, ...] = (1, 2)
) -> NDArray[np.float64]:
    """Return interval edges, at least two intervals, strictly increasing along the last axis."""
    array = check_numbers(edges, name, ndim=ndim)
    if array.shape[-1] < 3:
        raise ValueError(
            f"{name} must bound at least two intervals (three edges), got {array.shape[-1]} edge(s)"
        )
    falls = np.diff(array, axis=-1) <= 0
    if falls.any():
        where = tuple(int(i) for i in np.argwhere(falls)[0])
        after = (*where[:-1], where[-1] + 1)
        raise ValueError(
            f"{name} must increase strictly, got {array[where]:g} followed by {array[after]:g}"
        )
    return array


def check_channel(
    channel: ArrayLike, name: str = "channel", *, ndim: int | tuple[int, ...] = (2, 3)
) -> NDArray[np.float64]:
    """Return a matrix P[released | true] (..., n_released, n_true): columns sum to one."""
    array = check_numbers(channel, name, ndim=ndim)
    if array.shape[-1] < 2:
        raise ValueError(
            f"{name} must be a matrix of released x true values with at least two true values, "
            f"got shape {array.shape}"
        )
    check_not_negative(array, name)
    sums = array.sum(axis=-2)
    if not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        where = np.unravel_index(np.abs(sums - 1.0).argmax(), sums.shape)
        raise ValueError(
            f"{name} must have columns that sum to one (a column is P[released | one true value]), "
            f"got {sums[where]:g} in column {int(where[-1])}"
        )
    return array


def check_counts(counts: ArrayLike, n_cells: int, name: str = "counts") -> NDArray[np.float64]:
    """Return counts (..., n_cells), none negative and not all zero."""
    array = check_numbers(counts, name)
    if array.ndim < 1 or array.shape[-1] != n_cells:
        raise ValueError(
            f"{name} must have one value for each of the {n_cells} cells along its last axis, "
            f"got shape {array.shape}"
        )
    check_not_negative(array, name)
    if array.max() == 0:
        raise ValueError(f"{name} must hold at least one record, got zeros only")
    return array


def check_channel_counts(
    channel: ArrayLike, counts: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a channel (S, m) with counts (..., S), or channels (d, S, m) with (..., d, S)."""
    matrix = check_channel(channel)
    tally = check_counts(counts, matrix.shape[-2])
    if matrix.ndim == 3 and tally.shape[-2:-1] != matrix.shape[:1]:
        raise ValueError(
            "channel must have shape (S, m), or (d, S, m) with counts of shape (..., d, S), "
            f"got {matrix.shape} with counts of shape {tally.shape}"
        )
    return matrix, tally


def check_probabilities(values: ArrayLike, name: str, n_values: int) -> NDArray[np.float64]:
    """Return distributions (..., n_values): not negative, each summing to one."""
    array = check_numbers(values, name)
    if array.ndim < 1 or array.shape[-1] != n_values:
        raise ValueError(f"{name} must have {n_values} values a row, got shape {array.shape}")
    check_not_negative(array, name)
    sums = array.sum(axis=-1)
    if not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        worst = np.ravel(sums)[np.abs(np.ravel(sums) - 1.0).argmax()]
        raise ValueError(f"{name} must sum to one, got {worst:g}")
    return array


def check_not_negative(array: NDArray[np.float64], name: str) -> None:
    """Refuse an array with a value below zero."""
    if array.min() < 0:
        where = tuple(int(i) for i in np.unravel_index(array.argmin(), array.shape))
        raise ValueError(f"{name} must not be negative, got {array[where]:g} at {where}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _range(low: float, high: float, inclusive: str, *, whole: bool = False) -> str:
    kind = "a whole number" if whole else "a finite number"
    left = "[" if inclusive in ("both", "low") else "("
    right = "]" if inclusive in ("both", "high") else ")"
    if low == -np.inf and high == np.inf:
        return kind
    if high == np.inf:
        return f"{kind} {'>=' if left == '[' else '>'} {low:g}"
    if low == -np.inf:
        return f"{kind} {'<=' if right == ']' else '<'} {high:g}"
    return f"{kind} in {left}{low:g}, {high:g}{right}"
