"""The table of constraints: what each argument may be, wherever it has the name of a word.

A word means one thing in this package. Where an argument of a function, of a class or of a whole
room may be something else, their name stands before it. Doors ask the table with ``given`` or, for
all parameters of an estimator, with ``parameters``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from ppdm import typing as kinds
from ppdm._validation import _values as check


@dataclass(frozen=True)
class Constraint:
    """What an argument may be: a check, its limits, and whether None may stand for no value."""

    check: Callable[..., Any]
    limits: dict[str, Any]
    none: bool = False


def _number(none: bool = False, **limits: Any) -> Constraint:
    return Constraint(check.number, limits, none)


def _integer(none: bool = False, **limits: Any) -> Constraint:
    return Constraint(check.integer, limits, none)


def _option(kind: Any) -> Constraint:
    return Constraint(check.option, {"options": get_args(kind)})


_PROBABILITY = _number(low=0, high=1)
_BETWEEN = _number(low=0, high=1, inclusive="neither")
_FROM_ZERO = _number(low=0, high=1, inclusive="low")
_POSITIVE = _number(low=0, inclusive="neither")
_FLAG = Constraint(check.flag, {})
_ONE_OR_MORE = _integer(low=1)
_DRAWS = _integer(low=1, most=check.MOST_DRAWS)

#: Beyond, theta is one but for its last digits, and at 37 a float has none left; the width of
#: square wave noise is 2e-8 there, and below it would be lost in rounding.
MOST_EPSILON = 20.0

#: Each constraint with the arguments that it is about.
_ROWS = [
    # probabilities and privacy
    ("theta proportion prevalence false_positive_rate", _PROBABILITY),
    ("confidence mu delta certain_bits.tolerance", _BETWEEN),
    ("sparsity slack audit_epsilon.delta delta_r.epsilon", _FROM_ZERO),
    ("epsilon", _number(low=0, high=MOST_EPSILON, inclusive="high")),
    ("AdditiveNoise.epsilon UnaryEncoding.epsilon PrivateTreeGenerator.epsilon", _POSITIVE),
    ("privacy scale tolerance respondents_needed.error", _POSITIVE),
    ("tol", _number(none=True, low=0, inclusive="neither")),
    ("gaussian_delta.epsilon min_samples_leaf min_impurity_decrease", _number(low=0)),
    ("odds", _number(low=1, inclusive="neither")),
    ("compare.error", _number(low=0, high=0.5, inclusive="neither")),
    ("smaller", _number(low=0, high=0.5, inclusive="high")),
    # whole numbers
    ("feature epoch", _integer(low=0)),
    ("label", _integer(low=0, high=1)),
    ("k max_level max_size node asked max_iter batch_size n_cells", _ONE_OR_MORE),
    ("min_node_records min_class_records svd.n_components compare.n", _ONE_OR_MORE),
    ("n_samples n_draws repeats m0 draw_levels.n", _DRAWS),
    ("leave_one_out.n_draws", _integer(none=True, low=2, most=check.MOST_DRAWS)),
    ("answers_read.n_draws", _integer(none=True, low=1, high=10**6)),
    ("privacy.n_samples", _integer(low=2, most=check.MOST_DRAWS)),
    ("max_cells", _integer(low=0)),
    ("max_depth", _integer(none=True, low=0)),
    ("n_intervals", _integer(none=True, low=2, most=check.MOST_VALUES)),
    ("CountTreeClassifier.n_intervals", _integer(none=True, low=1, most=check.MOST_VALUES)),
    ("n_bits n_components", _integer(low=1, most=check.MOST_BITS)),
    ("check_guidance.n_bits", _integer(none=True, low=1)),
    ("draw_levels.n_bits", _integer(low=6)),
    ("n_starts n_passes MixtureTreeClassifier.n_draws", _integer(low=1, most=check.MOST_VALUES)),
    ("make_agrawal.function", _integer(low=1, high=5)),
    ("random_state", Constraint(check.random_state, {})),
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
    ("estimate_frequencies.method", _option(kinds.FrequencyMethod)),
    ("order", _option(kinds.Order)),
    ("changes", _option(kinds.Changes)),
    ("record_information.prior", _option(kinds.Prior)),
    ("subset", _option(kinds.Subset)),
    ("fill", _option(kinds.Fill)),
    ("load_breast_cancer_wisconsin.fill", Constraint(check.option, {"options": ("mode", None)})),
    ("cut", _option(kinds.Cut)),
    ("smooth keep_history keep_split whole with_class multivariate pooled online batch", _FLAG),
    ("membership_inference.scale project balanced check_input keep", _FLAG),
    ("return_X_y as_frame binary download_if_missing", _FLAG),
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


def arguments(of: str = "", /, **values: Any) -> None:
    """Check several arguments ``of`` one function or class that the table has."""
    for name, value in values.items():
        own = f"{of}.{name}"
        given(own if own in TABLE else name, value)


def parameters(estimator: Any) -> None:
    """Check all parameters of an estimator that the table has; a subclass has those of its base."""
    classes = [each.__name__ for each in type(estimator).__mro__]
    for name, value in estimator.get_params(deep=False).items():
        own = next((f"{of}.{name}" for of in classes if f"{of}.{name}" in TABLE), name)
        if own in TABLE:
            given(own, value)
