"""theta and epsilon, two names of one number: exactly one is given, and both are shown.

Epsilon is what one reported value spends, that is one coin; a record of d values with a coin each
spends d times as much. Where several answers share a coin a record's epsilon is infinite at every
theta: of 01 and 11 only one can have become 10. So nobody may ask for an epsilon there.
"""

from __future__ import annotations

import numpy as np

from ppdm import _validation as check
from ppdm.typing import FloatArray


def known_theta(theta: object, epsilon: object, n_values: int = 2) -> float:
    """Return the probability of the truth among ``n_values``, from whichever was given."""
    one = (theta is None) != (epsilon is None)
    check.demand(one, "give either theta or epsilon", {"theta": theta, "epsilon": epsilon})
    if epsilon is None:
        return float(check.given("theta", theta))
    return theta_at(known_epsilon(epsilon), n_values)


def theta_at(epsilon: float, n_values: int = 2) -> float:
    """Return e^epsilon / (e^epsilon + n_values - 1): odds of e^epsilon to each other value."""
    return float(1 / (1 + (n_values - 1) * np.exp(-epsilon)))


def known_epsilon(epsilon: object) -> float:
    """Return an epsilon at which a coin is neither fair nor certain to a float."""
    found: float = check.given("epsilon", epsilon)
    rule = "epsilon must be large enough to move theta from 1/2"
    check.demand(theta_at(found) != 0.5, rule, epsilon)
    return found


def epsilon_of(matrix: FloatArray) -> float:
    """Return the logarithm of the largest ratio within a row of P[released | true]."""
    released = matrix[matrix.max(axis=1) > 0]  # a value nobody releases tells nothing
    low, high = released.min(axis=1), released.max(axis=1)
    if (low == 0).any():
        return float("inf")
    return float(np.log(high / low).max())
