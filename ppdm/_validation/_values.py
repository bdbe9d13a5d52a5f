"""Checks of single values, of arrays of bits, codes and numbers, and of what is installed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ppdm._types import AnyArray, Bits, BoolArray, Codes, FloatArray, IntArray, RandomState

T = TypeVar("T")


def import_optional(module: str, purpose: str) -> Any:
    """Import a library that only ``ppdm[data]`` installs, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'{purpose} needs {module}: pip install "ppdm[data]"') from error


def random_state(random_state: RandomState) -> np.random.Generator:
    """Turn None, an int or a Generator into a Generator (a Generator passes as it is)."""
    if random_state is not None and not isinstance(random_state, np.random.Generator):
        if not is_integer(random_state):
            raise TypeError(
                "random_state must be None, an int or a numpy.random.Generator, "
                f"got {random_state!r} of type {type(random_state).__name__}"
            )
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state!r}")
    return np.random.default_rng(random_state)


def number(
    value: Any, name: str, *, low: float = -np.inf, high: float = np.inf, inclusive: str = "both"
) -> float:
    """Return ``value`` as a float that lies between ``low`` and ``high``.

    ``inclusive`` says which ends are allowed: ``"both"``, ``"low"``, ``"high"`` or
    ``"neither"``. An infinite or missing value is never allowed.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r} of type {type(value).__name__}")
    number = float(value)
    above = number >= low if inclusive in ("both", "low") else number > low
    below = number <= high if inclusive in ("both", "high") else number < high
    if not (above and below and np.isfinite(number)):
        allowed = _range("a finite number", low, high, inclusive)
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def integer(value: Any, name: str, *, low: int | None = None, high: int | None = None) -> int:
    """Return ``value`` as an int that lies in [low, high]; None is no limit."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}")
    ends = -np.inf if low is None else low, np.inf if high is None else high
    if not ends[0] <= value <= ends[1]:
        raise ValueError(f"{name} must be {_range('a whole number', *ends)}, got {value!r}")
    return int(value)


def is_integer(value: Any) -> bool:
    """Return whether a value is a whole number by its type, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _range(kind: str, low: float, high: float, inclusive: str = "both") -> str:
    with_low, with_high = inclusive in ("both", "low"), inclusive in ("both", "high")
    if low == -np.inf and high == np.inf:
        return kind
    if high == np.inf:
        return f"{kind} {'>=' if with_low else '>'} {low:g}"
    if low == -np.inf:
        return f"{kind} {'<=' if with_high else '<'} {high:g}"
    return f"{kind} in {'[' if with_low else '('}{low:g}, {high:g}{']' if with_high else ')'}"


def option(value: Any, name: str, options: Sequence[Any]) -> Any:
    """Return ``value`` if it is one of ``options``."""
    if not any(value is option or (value == option) is True for option in options):
        allowed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
    return value


def sizes(value: Any, name: str, n: int | None, *, low: int) -> list[int]:
    """Return a whole number for each of ``n`` attributes, from one for all or one each.

    For an unknown number of attributes (None), as many as are given.
    """
    if not isinstance(value, list | tuple | np.ndarray):
        return [integer(value, name, low=low)] * (1 if n is None else n)
    if n is not None and len(value) != n:
        raise ValueError(
            f"{name} must be one number or one for each of {n} attributes, got {value!r}"
        )
    return [integer(each, name, low=low) for each in value]


def of_feature(each: Sequence[T], feature: int, n_features: int | None) -> T:
    """Return what ``each`` holds for one attribute.

    Where there is one for an unknown number of attributes (None), it is that of any.
    """
    any_will_do = n_features is None and len(each) == 1
    place = integer(feature, "feature", low=0, high=None if any_will_do else len(each) - 1)
    return each[0 if any_will_do else place]


def bits(values: ArrayLike, name: str, *, ndim: int | None = None) -> Bits:
    """Return a non-empty array of zeros and ones as int8.

    Booleans, integers and floats are taken where every value is 0 or 1; a missing
    value is named, not guessed.
    """
    found = _array(values, name, "zeros and ones", ndim)
    _refuse_missing(found, name, "only 0 and 1 are allowed")
    # read as unsigned, a negative number is a large one: one fast pass over whole numbers
    if found.dtype.kind == "f" or found.view(f"u{found.itemsize}").max() > 1:
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
        fraction = np.isinf(found) | (np.floor(found) != found)
        refuse(fraction, found, f"{name} must hold whole codes 0, 1, ...")
        found = found.astype(np.int64)
    elif found.dtype.kind == "b":
        found = found.astype(np.int8)
    if found.min() < 0:
        refuse(found < 0, found, f"{name} must hold codes 0, 1, ...")
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
    found = np.asarray(values)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and found.ndim not in allowed:
        wanted = " or ".join(str(d) for d in allowed)
        raise ValueError(f"{name} must have {wanted} dimension(s), got shape {found.shape}")
    if found.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {found.shape}")
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold {what}, got values of type {found.dtype}")
    return found


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
            f"{name} has {int(missing.sum())} missing value(s), the first at {first(missing)}: "
            f"fill or drop them first, {advice}"
        )


def columns(value: ArrayLike | None, name: str, n_features: int) -> BoolArray:
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


def labels(labels: ArrayLike, n_labels: int | None, n: int) -> tuple[IntArray, int]:
    """Return a code 0, 1, ... for each of ``n`` records, and how many codes there are."""
    found = np.asarray(labels)
    if found.shape != (n,) or found.dtype.kind not in "biu":
        raise ValueError(
            f"labels must hold one integer code for each of the {n} records, got "
            f"{found.dtype} of shape {found.shape}"
        )
    low, high = int(found.min()), int(found.max())
    wanted = high + 1 if n_labels is None else integer(n_labels, "n_labels", low=1)
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
