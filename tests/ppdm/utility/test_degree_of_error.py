"""The degree of error: a literal version of Eq. 10, and Theorem 5.1."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import VOTES, orthonormal, random_tuples, votes

from ppdm.guidance import Guidance, bit_probabilities, one_hot, perturb
from ppdm.guidance._perturbation import bit_groups
from ppdm.utility import degree_of_error

N_VALUES = (2, 3, 2, 2)


def tuples(seed, n=15):
    return random_tuples(seed, n, N_VALUES)


def literal(T, P, y, size):
    """Every set of attributes, every value of each, every tuple."""
    worst = 0.0
    for groups in itertools.combinations(bit_groups(N_VALUES), size):
        for bits in itertools.product(*(range(g.start, g.stop) for g in groups)):
            gap = 0.0
            for t, p, c in zip(T, P, y, strict=True):
                gap += (1 if c == 0 else -1) * (
                    np.prod([t[b] for b in bits]) - np.prod([p[b] for b in bits])
                )
            worst = max(worst, abs(gap) / len(T))
    return worst


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_degree_of_error_is_the_literal_one(seed, k):
    T, y = tuples(seed)
    P = bit_probabilities(T, orthonormal(seed, 9, k))
    expected = [literal(T, P, y, size) for size in (1, 2, 3)]
    np.testing.assert_allclose(degree_of_error(T, P, y, N_VALUES), expected, atol=1e-12)
    pairs = degree_of_error(T, P, y, N_VALUES, max_size=2)
    np.testing.assert_allclose(pairs, expected[:2], atol=1e-12)


def test_undisguised_tuples_have_no_error():
    T, y = tuples(0)
    np.testing.assert_array_equal(degree_of_error(T, T, y, N_VALUES), 0)


def test_a_drawn_r_tends_to_its_expectation():
    # 40,000 copies of 15 tuples: the sd of a mean of products of bits is at most
    # .5 / sqrt(600,000) = .00065; a maximum over some 60 sets stays within five of them
    T, y = tuples(1)
    V = orthonormal(1, 9, 3)
    copies, labels = np.tile(T, (40_000, 1)), np.tile(y, 40_000)
    drawn = degree_of_error(copies, perturb(copies, V, random_state=2), labels, N_VALUES)
    expected = degree_of_error(T, bit_probabilities(T, V), y, N_VALUES)
    np.testing.assert_allclose(drawn, expected, atol=5 * 0.00065)


def measure(order, mu):
    T, y = votes()
    guidance = Guidance(32, order).update(T, y)
    V = guidance.vectors(guidance.disclosure_level(mu))
    return degree_of_error(T, bit_probabilities(T, V), y, VOTES).max(), guidance.error_bound(mu)


@pytest.mark.parametrize(
    ("order", "mu"), [("signed", 0.025), ("magnitude", 0.01), ("magnitude", 0.0075)]
)
def test_theorem_5_1_fails(order, mu):
    # so it does for 550 seeds of 550, by .004 or more; at .005 there are a few with k* = 32
    error, bound = measure(order, mu)
    assert error > bound


@pytest.mark.parametrize("order", ["magnitude", "signed"])
def test_theorem_5_1_says_nothing_at_15_percent(order):
    error, bound = measure(order, 0.15)
    assert bound > 1 > error


def test_the_expectation_of_a_product_is_not_the_product_of_the_projections():
    # what the proof takes for equal (its Eq. 25 and 26), on one tuple
    T, V = tuples(3, n=1)[0], orthonormal(3, 9, 3)
    projected = (T @ V @ V.T)[0]
    R = perturb(np.repeat(T, 100_000, axis=0), V, random_state=4).astype(float)
    # the sd of a mean of products of two bits is at most .5 / sqrt(100,000) = .0016
    mean = R.T @ R / 100_000
    off = ~np.eye(9, dtype=bool)
    p = np.minimum(projected**2, 1)  # a projection may be longer than 1, a probability not
    np.testing.assert_allclose(mean[off], np.outer(p, p)[off], atol=5 * 0.0016)
    # where a tuple's projection is 1/2 on four bits the proof expects 1/4, and it is 1/16
    V = np.zeros((9, 2))
    V[[0, 1], 0] = V[[5, 6], 1] = np.sqrt(0.5)
    t = one_hot([[0, 2, 1, 0]], N_VALUES)
    np.testing.assert_allclose((t @ V @ V.T)[0, [0, 5]], 0.5)
    R = perturb(np.repeat(t, 100_000, axis=0), V, random_state=5)
    assert (R[:, 0] * R[:, 5]).mean() == pytest.approx(1 / 16, abs=5 * 0.0016)


def test_of_no_tuple_there_is_no_bound():
    with pytest.raises(ValueError, match="guidance must have seen a tuple"):
        Guidance(3).error_bound(0.1)
