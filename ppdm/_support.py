"""Pure protocols: how likely a report supports the value of its sender, and any other one.

One function for each protocol, of the number of values and the epsilon. The schemes draw by them
and the chooser compares them, with arrays of epsilons, too.

Theta and epsilon are two names of one number: exactly one is given, and both are shown. Epsilon is
what one reported value spends, that is one coin; a record of d values with a coin each spends d
times as much. Where several answers share a coin a record's epsilon is infinite at every theta: of
01 and 11 only one can have become 10. So nobody may ask for an epsilon there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ppdm import _validation as check
from ppdm.typing import AnyArray, FloatArray

#: A matrix of more true values would not fit into memory, nor into anybody's patience.
MOST_IN_MATRIX = 1 << 12


class Support(NamedTuple):
    """The chances of a pure protocol (Wang et al. 2017, section 3).

    A report supports some of the values: that of k-ary response the one that it names, that of
    unary encoding all whose bit is set.
    """

    n_values: int
    """How many values the attribute has."""
    p: Any
    """How likely a report supports the value of whoever sent it."""
    q: Any
    """How likely it supports any other one value."""


def kary(n_values: int, epsilon: Any) -> Support:
    """Return the chances of k-ary response: odds of e^epsilon to each other value."""
    lie = 1 / (n_values - 1 + np.exp(epsilon))  # keeps its digits where the truth is nearly certain
    return Support(n_values, 1 / (1 + (n_values - 1) * np.exp(-epsilon)), lie)


def kept(n_values: int, theta: Any) -> Support:
    """Return the same from the probability of the truth; the other values share the rest alike."""
    return Support(n_values, theta, (1 - theta) / (n_values - 1))


def unary(n_values: int, epsilon: Any, *, symmetric: bool = False) -> Support:
    """Return the chances that the bit of the true value is set, and that of another one."""
    if symmetric:
        return Support(n_values, expit(epsilon / 2), expit(-epsilon / 2))
    return Support(n_values, 0.5, expit(-epsilon))


def hadamard(n_values: int, epsilon: Any) -> Support:
    """Return the chances that a column is positive in a value's own row, and in another one."""
    return Support(n_values, expit(epsilon), 0.5)


def but_for(ones: AnyArray, n: Any = None) -> AnyArray:
    """Return how many of ``n`` reports (all that count, where None) do not and do, (k, 2)."""
    return np.stack([(ones.sum() if n is None else n) - ones, ones], axis=1)


def inverse(support: Support, supports: Any) -> FloatArray:
    """Return what undoes a channel on counts, (k, S), where rows (k, S) say who is supported."""
    return np.asarray((supports - support.q) / (support.p - support.q))


def in_matrix(n_values: int, instead: str = "estimate_frequencies counts each value") -> None:
    """Refuse the matrix of an attribute of very many values."""
    rule = f"n_values must be at most {MOST_IN_MATRIX} for a channel matrix ({instead} without one)"
    check.demand(n_values <= MOST_IN_MATRIX, rule, n_values)


def known_theta(theta: object, epsilon: object, n_values: int = 2) -> float:
    """Return the probability of the truth among ``n_values``, from whichever was given."""
    one = (theta is None) != (epsilon is None)
    check.demand(one, "give either theta or epsilon", {"theta": theta, "epsilon": epsilon})
    if epsilon is None:
        return float(check.given("theta", theta))
    return float(kary(n_values, known_epsilon(epsilon)).p)


def known_epsilon(epsilon: object) -> float:
    """Return an epsilon at which a coin is neither fair nor certain to a float."""
    known: float = check.given("epsilon", epsilon)
    rule = "epsilon must be large enough to move theta from 1/2"
    check.demand(kary(2, known).p != 0.5, rule, epsilon)
    return known


def epsilon_of(matrix: FloatArray) -> float:
    """Return the logarithm of the largest ratio within a row of P[released | true]."""
    released = matrix[matrix.max(axis=1) > 0]  # a value nobody releases tells nothing
    low, high = released.min(axis=1), released.max(axis=1)
    if (low == 0).any():
        return float("inf")
    return float(np.log(high / low).max())
