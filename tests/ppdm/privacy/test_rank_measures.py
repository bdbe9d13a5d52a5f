"""The five measures of LX14: literal versions, limits, what independence alone scores."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ppdm.privacy import (
    attribute_rank_change,
    attribute_rank_kept,
    rank_kept,
    rank_position,
    value_difference,
)

MEASURES = (
    value_difference,
    rank_position,
    rank_kept,
    attribute_rank_change,
    attribute_rank_kept,
)
def literal_rank(values):
    """Rank from 1: how many are smaller, and equal ones that stand before it."""
    return [
        1 + sum(v < value for v in values) + sum(v == value for v in values[:j])
        for j, value in enumerate(values)
    ]


def literal(A, MA):
    """Eq. 1 to 6, sign by sign."""
    n, m = len(A), len(A[0])
    difference = sum((A[i][j] - MA[i][j]) ** 2 for i in range(n) for j in range(m))
    size = sum(A[i][j] ** 2 for i in range(n) for j in range(m))
    rp = rk = 0
    for j in range(m):
        ranks = literal_rank([row[j] for row in A]), literal_rank([row[j] for row in MA])
        for rank, mrank in zip(*ranks, strict=True):
            rp += abs(rank - mrank)
            rk += rank == mrank
    means = [[sum(row[j] for row in M) / n for j in range(m)] for M in (A, MA)]
    pairs = list(zip(literal_rank(means[0]), literal_rank(means[1]), strict=True))
    cp = sum(abs(a - b) for a, b in pairs) / m
    ck = sum(a == b for a, b in pairs) / m
    return [(difference / size) ** 0.5, rp / (n * m), rk / (n * m), cp, ck]


# quarters add without rounding, so that means are equal or are not
matrices = st.tuples(st.integers(1, 8), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        *[arrays(float, shape, elements=st.integers(-8, 8).map(lambda v: v / 4))] * 2
    )
)


@given(matrices)
@settings(deadline=None, max_examples=80)
def test_the_measures_are_the_equations(pair):
    A, MA = pair
    A[0, 0] = 3.0  # VD needs a matrix that is not zero
    got = [measure(A, MA) for measure in MEASURES]
    assert got == pytest.approx(literal(A.tolist(), MA.tolist()))
    n, m = A.shape
    assert got[0] >= 0
    assert 0 <= got[1] <= n / 2
    assert 0 <= got[3] <= m / 2
    assert 0 <= got[2] <= 1
    assert 0 <= got[4] <= 1


def test_what_every_independent_release_scores():
    """(n^2 - 1)/(3n) and 1/n: exact for n = 5 over all 120 orders."""
    A = np.arange(5.0)[:, None]
    orders = [np.array(order, dtype=float)[:, None] for order in permutations(range(5))]
    assert np.mean([rank_position(A, MA) for MA in orders]) == pytest.approx(24 / 15)
    assert np.mean([rank_kept(A, MA) for MA in orders]) == pytest.approx(1 / 5)


def test_a_zero_matrix_has_no_relative_difference():
    with pytest.raises(ValueError, match="original must have a value other than 0"):
        value_difference(np.zeros((2, 2)), np.ones((2, 2)))
