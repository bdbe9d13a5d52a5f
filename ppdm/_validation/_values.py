"""Checks of single values and of sequences, and the table of what each argument may be.

A word means one thing in this package: the table has a row for it. Where an argument of a function,
of a class or of a whole room may be something else, their name stands before it. Doors ask the
table with ``given`` or, for all parameters of an estimator, with ``parameters``.
"""

import importlib
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from textwrap import shorten
from typing import Any, TypeVar, cast, get_args
from weakref import WeakKeyDictionary

import numpy as np

from ppdm import typing as kinds
from ppdm.typing import AnyArray, RandomState

T = TypeVar("T")

#: A table is kept for each value of an attribute and each bit of a tuple: 10^12 of them would
#: be an error of memory, and later. So would be as many records or draws at a time.
MOST_VALUES, MOST_BITS, MOST_DRAWS = 1 << 20, 1 << 14, 10**9


#: A list's first ten values, the ends of any other text.
_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxdict = 10
_SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 80, 150, 80


def import_optional(module: str, purpose: str, extra: str = "data") -> Any:
    """Import a library that only an extra, ``ppdm[data]``, installs, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing(module, purpose, extra) from error


def missing(module: str | None, purpose: str, extra: str) -> ImportError:
    """Return the error that names the extra in which a library comes."""
    how = f'in a clone of ppdm, pip install ".[{extra}]"'
    return ImportError(f"{purpose} needs {module}: {how}", name=module)


def demand(allowed: object, rule: str, got: object, error: type[Exception] = ValueError) -> None:
    """Refuse what is not allowed, by the rule and by what was given instead."""
    if not allowed:
        raise error(f"{rule}, got {printed(got)}")


def printed(value: object) -> str:
    """Return what an error says that a value is, in part of a line: 8.3, not np.float64(8.3).

    Of what is longer its middle is left out.
    """
    said = _SHORT.repr(value.item() if isinstance(value, np.generic) else value)
    return " ".join(said.split())


def of_kind(value: object, kind: Any, rule: str) -> None:
    """Refuse, as a TypeError, what is of another class."""
    demand(isinstance(value, kind), rule, value, TypeError)


def is_fitted(estimator: object) -> bool:
    """Return whether an estimator or a channel knows its number of attributes."""
    return hasattr(estimator, "n_features_in_")


def fitted(estimator: object, attribute: str | None = None, *, msg: str | None = None) -> None:
    """Refuse an estimator that was not fitted, as scikit-learn does."""
    if attribute is None and "n_features_in_" in vars(estimator):  # ninety times as fast
        return
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator, attribute, msg=msg)


@contextmanager
def naming(name: str, what: str) -> Iterator[None]:
    """Say of an error of another function which argument it is about, and what is allowed.

    That something is not fitted (to scikit-learn an AttributeError, too) is no fault of it.
    """
    try:
        yield
    except (ValueError, TypeError, IndexError) as error:
        if isinstance(error, AttributeError):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        said = shorten(str(error), 300, placeholder=" ...")
        raise kind(f"{name} must be {what}: {said}") from error


def random_state(random_state: RandomState, name: str = "random_state") -> np.random.Generator:
    """Turn None, an int or a Generator into a Generator (a Generator passes as it is)."""
    if random_state is not None and not isinstance(random_state, np.random.Generator):
        rule = f"{name} must be None, an int or a numpy.random.Generator"
        demand(is_integer(random_state), rule, random_state, TypeError)
        demand(random_state >= 0, f"{name} must not be negative", random_state)
    return np.random.default_rng(random_state)


def stream(seed: RandomState, scheme: str) -> np.random.Generator:
    """Return what a disguise or a release draws from; an int is a stream of this scheme's own.

    Data drawn with ``default_rng(0)`` and a scheme with ``random_state=0`` would share their draws
    otherwise: uniform noise would be the data, shifted.
    """
    drawn = random_state(seed)
    if not is_integer(seed):
        return at_home(drawn)
    own = np.random.SeedSequence(int(cast(int, seed)), spawn_key=tuple(scheme.encode()))
    return np.random.default_rng(own)


#: The process in which each Generator was told to a scheme, by its lock, which has weak references.
_HOMES: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def at_home(drawn: np.random.Generator) -> np.random.Generator:
    """Return a Generator as it is in its own process, and a child stream where a fork copied it.

    Otherwise all forks, and their parent, would toss the same coins.
    """
    if _HOMES.setdefault(drawn.bit_generator.lock, os.getpid()) == os.getpid():
        return drawn
    child = child_of(drawn).bit_generator.seed_seq
    own = (*child.spawn_key, os.getpid())  # type: ignore[attr-defined]
    seed = np.random.SeedSequence(child.entropy, spawn_key=own)  # type: ignore[attr-defined]
    return np.random.default_rng(seed)


def child_of(drawn: np.random.Generator, name: str = "random_state") -> np.random.Generator:
    """Return a Generator of its own; the parent's draws do not move."""
    try:
        return drawn.spawn(1)[0]
    except TypeError as error:
        rule = f"{name} must be a Generator that can spawn, as numpy.random.default_rng gives it, "
        raise TypeError(f"{rule}for a copy to draw other coins, got {printed(drawn)}") from error


def number(
    value: Any, name: str, *, low: float = -np.inf, high: float = np.inf, inclusive: str = "both"
) -> float:
    """Return ``value`` as a float that lies between ``low`` and ``high``.

    ``inclusive`` says which ends are allowed: ``"both"``, ``"low"``, ``"high"`` or
    ``"neither"``. An infinite or missing value is never allowed.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        kind = type(value).__name__
        raise TypeError(f"{name} must be a number, got {printed(value)} of type {kind}")
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
        kind = type(value).__name__
        raise TypeError(f"{name} must be an integer, got {printed(value)} of type {kind}")
    ends = -np.inf if low is None else low, np.inf if high is None else high
    demand(ends[0] <= value <= ends[1], f"{name} must be a whole number{_range(*ends)}", value)
    rule = f"{name} must be at most {most}, or memory would not do"
    demand(most is None or value <= most, rule, value)
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
    legal = any(isinstance(value, type(each)) and value == each for each in options)
    demand(legal, f"{name} must be one of {', '.join(map(repr, options))}", value)
    return value


def flag(value: Any, name: str) -> bool:
    """Return ``value`` if it is True or False."""
    return bool(option(bool(value) if isinstance(value, np.bool_) else value, name, (True, False)))


def alike(mine: Any, others: Any, name: str) -> None:
    """Refuse to add counts of which ``name`` differs."""
    demand(_alike(mine, others), f"{name} must be the same for counts to add up", (mine, others))


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
    legal = not lacking and not isinstance(value, type)
    demand(legal, f"{name} must have {', '.join(lacking or attributes)}", value, TypeError)
    return value


def function(value: Any, name: str) -> Any:
    """Return ``value`` if it can be called."""
    legal = callable(value) and not isinstance(value, type)
    demand(legal, f"{name} must be a function", value, TypeError)
    return value


def sequence(value: Any, name: str, what: str, n: int | None = None) -> list[Any]:
    """Return the members of a list, tuple or array; ``n`` of them, where it is not None.

    Text is no sequence here, nor is a table with names, nor what has no order or can be read
    only once.
    """
    is_other = isinstance(value, str | bytes | Mapping | type) or hasattr(value, "columns")
    lacking = not (hasattr(value, "__getitem__") and hasattr(value, "__len__"))
    if is_other or lacking or np.ma.is_masked(value) or getattr(value, "ndim", 1) == 0:
        got = f"masked values, shape {value.shape}" if np.ma.is_masked(value) else printed(value)
        raise TypeError(f"{name} must be a sequence of {what}, got {got}")
    members = list(value)
    demand(n in (None, len(members)), f"{name} must hold {n} {what}", len(members))
    return members


def attribute(value: Any, name: str) -> int | str:
    """Return the number of an attribute, or its name, if it can be one."""
    return value if isinstance(value, str) else integer(value, name, low=0)


def number_of(column: str, name: str, names: AnyArray | None) -> int:
    """Return which column is meant by its name."""
    rule = f"{name} may name columns where records are a frame with names: give numbers, from 0 on"
    demand(names is not None, rule, column)
    places = np.flatnonzero(names == column)
    demand(len(places) == 1, f"{name} must name one of the columns {listed(names)}", column)
    return int(places[0])


def place_of(feature: Any, scheme: Any, each: Iterable[Any]) -> Any:
    """Return the number of a scheme's attribute that is meant; for None of any, if all are alike.

    ``each`` holds for every attribute what tells it from the others.
    """
    names = getattr(scheme, "feature_names_in_", None)
    if feature is None:
        known = list(each)
        called = listed(np.arange(len(known)) if names is None else names)
        any_will_do = all(np.array_equal(one, known[0]) for one in known)
        demand(any_will_do, f"feature must say which of the attributes {called} is meant", None)
        return 0
    return number_of(feature, "feature", names) if isinstance(feature, str) else feature


def of_edges(feature: Any, noise: Any, each: Any, *, high: int | None) -> int:
    """Return which attribute's edges these are.

    ``each`` holds what a noise has for every attribute; a name tells them apart, too.
    """
    place = place_of(feature, noise, getattr(noise, "feature_names_in_", each))
    return int(given("feature", place, high=high))


def is_frame(given: Any) -> bool:
    """Return whether something is a DataFrame or a Series of pandas."""
    return hasattr(given, "index") and hasattr(given, "iloc")


def is_table(given: Any) -> bool:
    """Return whether something is a DataFrame of pandas."""
    return is_frame(given) and hasattr(given, "columns")


def in_step(**given: Any) -> None:
    """Refuse pandas objects with another index than the first of them, or in another order."""
    framed = {name: each.index for name, each in given.items() if is_frame(each)}
    first = next(iter(framed), "")
    for name, index in framed.items():
        if not index.equals(framed[first]):
            pairs = zip(index.tolist(), framed[first].tolist(), strict=False)
            apart = next((f"{a!r} beside {b!r}" for a, b in pairs if a != b), f"{len(index)} rows")
            raise ValueError(
                f"{name} must have the index of {first} (use {name}.loc[{first}.index]), or be an "
                f"array where rows match by place, got {apart}"
            )


def listed(values: AnyArray | None) -> str:
    """Return at most ten values, for an error."""
    given = [] if values is None else values.tolist()
    more = f", ... ({len(given)} in all)" if len(given) > 10 else ""
    return "[" + ", ".join(repr(each) for each in given[:10]) + more + "]"


def of_feature(each: Sequence[T], feature: int, n_features: int | None) -> T:
    """Return what ``each`` holds for one attribute.

    Where there is one for an unknown number of attributes (None), it is that of any.
    """
    rule = "feature must be a whole number here, and no name: attributes are counted from 0"
    demand(not isinstance(feature, str), rule, feature, TypeError)
    any_will_do = n_features is None and len(each) == 1
    place = integer(feature, "feature", low=0, high=None if any_will_do else len(each) - 1)
    return each[0 if any_will_do else place]


@dataclass(frozen=True)
class Constraint:
    """What an argument may be: a check, its limits, and whether None may stand for no value."""

    check: Callable[..., Any]
    limits: dict[str, Any]
    none: bool = False


def _number(none: bool = False, **limits: Any) -> Constraint:
    return Constraint(number, limits, none)


def _integer(none: bool = False, **limits: Any) -> Constraint:
    return Constraint(integer, limits, none)


def _option(kind: Any) -> Constraint:
    return Constraint(option, {"options": get_args(kind)})


_PROBABILITY = _number(low=0, high=1)
_BETWEEN = _number(low=0, high=1, inclusive="neither")
_FROM_ZERO = _number(low=0, high=1, inclusive="low")
_POSITIVE = _number(low=0, inclusive="neither")
_FLAG = Constraint(flag, {})
_ONE_OR_MORE = _integer(low=1)
_DRAWS = _integer(low=1, most=MOST_DRAWS)

#: Beyond, theta is one but for its last digits, and at 37 a float has none left; the width of
#: square wave noise is 2e-8 there, and below it would be lost in rounding.
MOST_EPSILON = 20.0

#: Each constraint with the arguments that it is about.
_ROWS = [
    # probabilities and privacy
    ("theta proportion prevalence false_positive_rate", _PROBABILITY),
    ("confidence power mu delta", _BETWEEN),
    ("sparsity slack audit_epsilon.delta Budget.delta delta_r.epsilon", _FROM_ZERO),
    ("epsilon", _number(low=0, high=MOST_EPSILON, inclusive="high")),
    ("UnaryEncoding.epsilon PrivateTreeGenerator.epsilon Budget.epsilon", _POSITIVE),
    ("HadamardResponse.epsilon", _number(low=0, high=MOST_EPSILON, inclusive="high")),
    ("MixedResponse.epsilon", _POSITIVE),
    ("respondents_needed.error respondents_needed.margin", _BETWEEN),
    ("privacy scale", _POSITIVE),
    ("prior_sd", _number(none=True, low=0.01, high=100)),
    ("respondents_needed.difference", _number(low=-1, high=1, inclusive="neither")),
    ("tol smoothing", _number(none=True, low=0, inclusive="neither")),
    ("gaussian_delta.epsilon min_samples_leaf min_impurity_decrease", _number(low=0)),
    ("choose_scheme.proportion", _number(none=True, low=0, high=1, inclusive="neither")),
    ("choose_scheme.epsilon choose_scheme.margin", _number(none=True, low=0, inclusive="neither")),
    ("smaller", _number(none=True, low=0, high=1, inclusive="high")),
    # whole numbers
    ("feature epoch", _integer(low=0)),
    ("DisguisedLogisticRegression.feature", Constraint(attribute, {}, none=True)),
    ("label", _integer(low=0, high=1)),
    ("k max_level n_volunteers max_size node asked max_iter batch_size n_cells", _ONE_OR_MORE),
    ("min_node_records min_class_records svd.n_components choose_scheme.n", _ONE_OR_MORE),
    ("n_samples n_draws repeats m0 draw_levels.n", _DRAWS),
    ("cv", _integer(low=2, most=MOST_DRAWS)),
    ("leave_one_out.n_draws", _integer(none=True, low=2, most=MOST_DRAWS)),
    ("answers_read.n_draws", _integer(none=True, low=1, high=10**6)),
    ("privacy.n_samples", _integer(low=2, most=MOST_DRAWS)),
    ("max_cells", _integer(low=0)),
    ("max_depth", _integer(none=True, low=0)),
    ("respondents_needed.n_values", _integer(low=2, most=MOST_VALUES)),
    ("yes_no", _integer(low=0, most=MOST_BITS)),
    ("choose_scheme.times", _integer(low=1, most=MOST_BITS)),
    ("top", _integer(none=True, low=1)),
    ("n_intervals", _integer(none=True, low=2, most=MOST_VALUES)),
    ("CountTreeClassifier.n_intervals", _integer(none=True, low=1, most=MOST_VALUES)),
    ("n_bits n_components", _integer(low=1, most=MOST_BITS)),
    ("check_guidance.n_bits", _integer(none=True, low=1)),
    ("draw_levels.n_bits", _integer(low=6)),
    ("n_starts n_passes MixtureTreeClassifier.n_draws", _integer(low=1, most=MOST_VALUES)),
    ("make_agrawal.function", _integer(low=1, high=5)),
    ("random_state", Constraint(random_state, {})),
    # options
    ("distribution", _option(kinds.Noise)),
    ("privacy_interval.distribution", _option(kinds.Hiding)),
    ("criterion", _option(kinds.Criterion)),
    ("split", _option(kinds.Split)),
    ("pruning", _option(kinds.Pruning)),
    ("strategy", _option(kinds.Strategy)),
    ("stop", _option(kinds.AutoStop)),
    ("ReconstructedTreeClassifier.stop", _option(kinds.Stop)),
    ("kernel", _option(kinds.Kernel)),
    ("project.method", _option(kinds.Repair)),
    ("RandomizedResponseNB.method", _option(kinds.Undoing)),
    ("estimate_frequencies.method", _option(kinds.FrequencyMethod)),
    ("order", _option(kinds.Order)),
    ("changes", _option(kinds.Changes)),
    ("want", _option(kinds.Want)),
    ("trust", _option(kinds.Trust)),
    ("record_information.prior", _option(kinds.Prior)),
    ("subset", _option(kinds.Subset)),
    ("fill", _option(kinds.Fill)),
    ("load_breast_cancer_wisconsin.fill", _option(kinds.Mode)),
    ("cut", _option(kinds.Cut)),
    ("missing", _option(kinds.Missing)),
    ("smooth keep_history keep_split whole symmetric pooled online batch", _FLAG),
    ("membership_inference.scale project balanced check_input keep", _FLAG),
    ("return_X_y as_frame binary secret_class", _FLAG),
]  # fmt: skip

#: The constraint of each argument, by its name.
TABLE = {name: constraint for names, constraint in _ROWS for name in names.split()}


def given(name: str, value: Any, **closer: Any) -> Any:
    """Return the value of an argument if it is what the table says.

    ``closer`` are limits that depend on the other arguments.
    """
    constraint = TABLE[name]
    if value is None and constraint.none:
        return None
    limits = constraint.limits | closer
    return constraint.check(value, name.rpartition(".")[2], **limits)


def invertible(value: object) -> float:
    """Return theta if reports at it say something about the truth."""
    theta = float(given("theta", value))
    if theta == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta


def arguments(of: str = "", /, **values: Any) -> dict[str, Any]:
    """Return several arguments ``of`` one function or class if all are what the table says."""
    for name, value in values.items():
        own = f"{of}.{name}"
        given(own if own in TABLE else name, value)
    return values


def parameters(estimator: Any) -> None:
    """Check all parameters of an estimator that the table has; a subclass has those of its base."""
    classes = [each.__name__ for each in type(estimator).__mro__]
    for name, value in estimator.get_params(deep=False).items():
        own = next((f"{of}.{name}" for of in classes if f"{of}.{name}" in TABLE), name)
        if own in TABLE:
            given(own, value)
