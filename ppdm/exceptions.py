"""Warnings and errors of the package.

Bad input is a ``ValueError`` or ``TypeError`` of Python's own. What stands here is
narrower: results that are legal but out of the ordinary (warnings, so that they can
be filtered by class) and failures that a caller may want to catch by name.
"""

import sys
import warnings
from pathlib import Path

__all__ = [
    "BudgetExceededError",
    "ConvergenceWarning",
    "EpochOverError",
    "MissingClassWarning",
    "NegativeEstimateWarning",
    "PPDMWarning",
    "UnexplainedValueWarning",
    "UnidentifiedWarning",
]


class PPDMWarning(UserWarning):
    """Base class of every warning that ``ppdm`` raises."""


class ConvergenceWarning(PPDMWarning):
    """An iteration used up its steps before its stop rule was met.

    The last estimate is kept in the result, which says so in its ``converged``.
    """


class MissingClassWarning(PPDMWarning):
    """A release holds no record of a class that the original data have."""


class NegativeEstimateWarning(PPDMWarning):
    """An unbiased estimate of a count or share fell outside its range, or is mostly chance.

    The estimate is kept as it is: projecting it (clip, simplex, EM) would bias it and
    is a choice of its own.
    """


class UnexplainedValueWarning(PPDMWarning):
    """Disguised values lie where no true value of the domain and its noise can reach.

    They are counted in the nearest interval. Wrong bounds or a wrong scale is the
    usual cause.
    """


class UnidentifiedWarning(PPDMWarning):
    """Reports do not tell how large some coefficients of a regression are.

    The likelihood has no finite maximum, or covariates depend on each other. What the fit ended
    with is kept.
    """


def warn(message: str, category: type[PPDMWarning]) -> None:
    """Warn at the line that called the package, however deep inside it this is said."""
    inside, level, frame = Path(__file__).parent, 2, sys._getframe(1)
    while frame.f_back and inside in Path(frame.f_code.co_filename).parents:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_unexplained(n_values: float, fate: str) -> None:
    """Say how many disguised values no true one explains, and what becomes of them."""
    warn(
        f"{n_values:g} disguised value(s) lie where no value inside edges and its noise can reach; "
        f"{fate}: check edges and scale, and which attributes hold whole numbers",
        UnexplainedValueWarning,
    )


class BudgetExceededError(ValueError):
    """A release would spend more than a :class:`ppdm.privacy.Budget` has left; it is not charged.

    By its name a loop can stop where the budget ends, and not where anything else is wrong.
    """


class EpochOverError(ValueError):
    """A guidance was asked for whose epoch is over: inquire again.

    Nothing is lost by it; a provider that was too slow starts its inquiry anew.
    """
