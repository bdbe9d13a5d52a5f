"""Checks of single values, of sequences of them, and of what is installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np

from ppdm.typing import RandomState

T = TypeVar("T")

#: A table is kept for each value of an attribute and each bit of a tuple: 10^12 of them would
#: be an error of memory, and later. So would be as many records or draws at a time.
MOST_VALUES, MOST_BITS, MOST_DRAWS = 1 << 20, 1 << 14, 10**9


def import_optional(module: str, purpose: str, extra: str = "data") -> Any:
    """Import a library that only an extra, ``ppdm[data]``, installs, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing(module, purpose, extra) from error


def missing(module: str | None, purpose: str, extra: str) -> ImportError:
    """Return the error that names the extra in which a library comes."""
    return ImportError(f'{purpose} needs {module}: pip install "ppdm[{extra}]"', name=module)


def demand(allowed: object, rule: str, got: object) -> None:
    """Refuse what is not allowed, by the rule and by what was given instead."""
    if not allowed:
        raise ValueError(f"{rule}, got {got!r}")


@contextmanager
def naming(name: str, what: str) -> Iterator[None]:
    """Say of an error of another function which argument it is about, and what is allowed.

    That something is not fitted (to scikit-learn an AttributeError, too) is no fault of it.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(error, AttributeError):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{name} must be {what}: {error}") from error


def random_state(random_state: RandomState, name: str = "random_state") -> np.random.Generator:
    """Turn None, an int or a Generator into a Generator (a Generator passes as it is)."""
    if random_state is not None and not isinstance(random_state, np.random.Generator):
        if not is_integer(random_state):
            raise TypeError(
                f"{name} must be None, an int or a numpy.random.Generator, "
                f"got {random_state!r} of type {type(random_state).__name__}"
            )
        demand(random_state >= 0, f"{name} must not be negative", random_state)
    return np.random.default_rng(random_state)


def stream(seed: RandomState, scheme: str) -> np.random.Generator:
    """Return what a disguise or a release draws from; an int is a stream of this scheme's own.

    Data drawn with ``default_rng(0)`` and a scheme with ``random_state=0`` would share their draws
    otherwise: uniform noise would be the data, shifted.
    """
    drawn = random_state(seed)
    if not is_integer(seed):
        return drawn
    own = np.random.SeedSequence(int(cast(int, seed)), spawn_key=tuple(scheme.encode()))
    return np.random.default_rng(own)


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
    rule = f"{name} must be a finite number{_range(low, high, inclusive)}"
    demand(above and below and np.isfinite(number), rule, value)
    return number


def integer(
    value: Any, name: str, *, low: int | None = None, high: int | None = None,
    most: int | None = None,
) -> int:
    """Return ``value`` as an int that lies in [low, high]; None is no limit.

    ``most`` is a limit of this package's, beyond which memory would not do.
    """
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}")
    ends = -np.inf if low is None else low, np.inf if high is None else high
    demand(ends[0] <= value <= ends[1], f"{name} must be a whole number{_range(*ends)}", value)
    fits = most is None or value <= most
    demand(fits, f"{name} must be at most {most}, or memory would not do", value)
    return int(value)


def is_integer(value: Any) -> bool:
    """Return whether a value is a whole number by its type, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _range(low: float, high: float, inclusive: str = "both") -> str:
    with_low, with_high = inclusive in ("both", "low"), inclusive in ("both", "high")
    if np.isfinite(low) and np.isfinite(high):
        return f" in {'[' if with_low else '('}{low:g}, {high:g}{']' if with_high else ')'}"
    above = f" {'>=' if with_low else '>'} {low:g}" if np.isfinite(low) else ""
    return f" {'<=' if with_high else '<'} {high:g}" if np.isfinite(high) else above


def option(value: Any, name: str, options: Sequence[Any]) -> Any:
    """Return ``value`` if it is one of ``options``; 1 is not True."""
    # by its type first: an array of SciPy's is not even compared
    found = any(isinstance(value, type(each)) and value == each for each in options)
    demand(found, f"{name} must be one of {', '.join(map(repr, options))}", value)
    return value


def flag(value: Any, name: str) -> bool:
    """Return ``value`` if it is True or False."""
    return bool(option(bool(value) if isinstance(value, np.bool_) else value, name, (True, False)))


def alike(mine: Any, others: Any, name: str) -> None:
    """Refuse to add counts of which ``name`` differs."""
    if not _alike(mine, others):
        got = f"got {mine!r} and {others!r}"
        raise ValueError(f"{name} must be the same for counts to add up, {got}")


def _alike(a: Any, b: Any) -> bool:
    """Compare by what is inside: a channel that came from another process is a copy.

    What it draws from says nothing of how its reports are undone.
    """
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_alike(*pair) for pair in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        a, b = ({k: v for k, v in each.items() if k != "random_state"} for each in (a, b))
        return a.keys() == b.keys() and all(_alike(a[k], b[k]) for k in a)
    if type(a) is type(b) and hasattr(a, "__dict__") and not callable(a):
        return _alike(vars(a), vars(b))
    return bool(np.all(a == b))


def goes_with(value: Any, name: str, partner: str) -> None:
    """Refuse what would be ignored because its partner was not given."""
    rule = f"{name} goes with {partner}: without it {name} must be None"
    demand(value is None, rule, value)


def having(value: Any, name: str, *attributes: str) -> Any:
    """Return ``value`` if it has these attributes and is an object, not a class of them."""
    lacking = [each for each in attributes if not hasattr(value, each)]
    if lacking or isinstance(value, type):
        raise TypeError(f"{name} must have {', '.join(lacking or attributes)}, got {value!r}")
    return value


def function(value: Any, name: str) -> Any:
    """Return ``value`` if it can be called."""
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{name} must be a function, got {value!r}")
    return value


def sequence(value: Any, name: str, what: str, n: int | None = None) -> list[Any]:
    """Return the members of a list, tuple or array; ``n`` of them, where it is not None.

    Text is no sequence here, nor is a table with names, nor what has no order or can be read
    only once.
    """
    is_other = isinstance(value, str | bytes | Mapping | type) or hasattr(value, "columns")
    lacking = not (hasattr(value, "__getitem__") and hasattr(value, "__len__"))
    if is_other or lacking or np.ma.is_masked(value) or getattr(value, "ndim", 1) == 0:
        raise TypeError(f"{name} must be a sequence of {what}, got {value!r}")
    members = list(value)
    demand(n in (None, len(members)), f"{name} must hold {n} {what}", len(members))
    return members


def sizes(value: Any, name: str, n: int | None, *, low: int, most: int = MOST_VALUES) -> list[int]:
    """Return a whole number for each of ``n`` attributes, from one for all or one each.

    For an unknown number of attributes (None), as many as are given.
    """
    if not isinstance(value, list | tuple | np.ndarray):
        return [integer(value, name, low=low, most=most)] * (1 if n is None else n)
    each = sequence(value, name, "integers")
    some = "some" if n is None else n
    rule = f"{name} must be one number or one for each of {some} attributes"
    demand(each and n in (None, len(each)), rule, value)
    return [integer(size, name, low=low, most=most) for size in each]


def of_feature(each: Sequence[T], feature: int, n_features: int | None) -> T:
    """Return what ``each`` holds for one attribute.

    Where there is one for an unknown number of attributes (None), it is that of any.
    """
    any_will_do = n_features is None and len(each) == 1
    place = integer(feature, "feature", low=0, high=None if any_will_do else len(each) - 1)
    return each[0 if any_will_do else place]


def theta(theta: object) -> float:
    """Return theta if it is a probability."""
    return number(theta, "theta", low=0, high=1)


def invertible(value: object) -> float:
    """Return theta if reports at it say something about the truth."""
    if theta(value) == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta(value)
