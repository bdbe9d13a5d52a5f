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
    if array.dtype.kind == "f" and np.isnan(array).any():
        where = tuple(int(i) for i in np.argwhere(np.isnan(array))[0])
        raise ValueError(
            f"{name} has {int(np.isnan(array).sum())} missing value(s), the first at {where}: "
            "fill or drop them first, only 0 and 1 are allowed"
        )
    other = (array != 0) & (array != 1)
    if other.any():
        where = tuple(int(i) for i in np.argwhere(other)[0])
        raise ValueError(
            f"{name} must hold only 0 and 1, got {array[where].item()!r} at {where}"
        )
    return array.astype(np.int8)


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
