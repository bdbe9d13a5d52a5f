"""Checks of single values: numbers, options, seeds."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ppdm._types import RandomState

T = TypeVar("T")


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


def of_feature(each: Sequence[T], feature: int, n_features: int | None) -> T:
    """Return what ``each`` holds for one attribute.

    Where there is one for an unknown number of attributes (None), it is that of any.
    """
    any_will_do = n_features is None and len(each) == 1
    high = None if any_will_do else len(each) - 1
    place = check_integer(feature, "feature", low=0, high=high)
    return each[0 if any_will_do else place]


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
