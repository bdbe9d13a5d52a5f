"""The provider's check and R(t)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from tuples import orthonormal, random_tuples, votes

from ppdm.guidance import (
    Guidance,
    bit_probabilities,
    certain_bits,
    check_guidance,
    log_likelihood,
    perturb,
)


def test_check_returns_a_valid_guidance():
    V = orthonormal(0, 9, 3)
    np.testing.assert_array_equal(check_guidance(V.tolist(), 3, 3, n_bits=9), V)


BAD = orthonormal(1, 9, 2)


test_check_refuses = refusals(
    (orthonormal(2, 8, 2), 2, 5, r"V must have shape \(9, 2\), a row a bit .* got shape \(8, 2\)"),
    (BAD * 1.001, 2, 5, r"V must have orthonormal columns, .* got a gap of 0\.002"),
    (np.full((9, 2), 1e200), 2, 5, r"V must have orthonormal columns, .* got a gap of inf"),
    (BAD, 1, 5, r"V must have shape \(9, 1\), .* announced k columns, got shape \(9, 2\)"),
    (BAD, 2, 1, "k must not exceed the provider's level 1, got 2"),
    by=lambda V, k, max_level: check_guidance(V, k, max_level, n_bits=9),
)  # fmt: skip


def test_tolerance_is_of_the_entries_of_the_gram_matrix():
    assert check_guidance(BAD * np.sqrt(1 + 0.9e-6), 2, 2).shape == (9, 2)
    with pytest.raises(ValueError, match="orthonormal"):
        check_guidance(BAD * np.sqrt(1 + 1.1e-6), 2, 2)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_bit_probabilities_are_squared_projections(seed, k):
    T, _ = random_tuples(seed, n=5)
    V = orthonormal(seed, 9, k)
    P = bit_probabilities(T, V)
    for t, p in zip(T.astype(float), P, strict=True):
        projected = [sum(t[i] * V[i] @ V[j] for i in range(9)) for j in range(9)]
        np.testing.assert_allclose(p, [min(1.0, x**2) for x in projected], atol=1e-12)
    assert ((P >= 0) & (P <= 1)).all()


def test_probability_above_one_is_cut_there():
    # t = (1, 1, 1) projected on (2, 2, 1)/3 is (10, 10, 5)/9: squares 1.23, 1.23, .31
    V = np.array([[2.0], [2.0], [1.0]]) / 3
    np.testing.assert_allclose(bit_probabilities([1, 1, 1], V), [1, 1, 25 / 81])
    assert (perturb(np.ones((100, 3), dtype=int), V, random_state=0)[:, :2] == 1).all()


def test_all_directions_give_the_tuple_itself():
    T, _ = random_tuples(5)
    np.testing.assert_array_equal(perturb(T, orthonormal(5, 9, 9), random_state=0), T)


def test_uniform_draws_are_used_row_by_row_and_compared_strictly():
    T, V = random_tuples(10)[0], orthonormal(10, 9, 3)
    uniform = np.random.default_rng(11).random(T.shape)
    rng, again = np.random.default_rng(11), np.random.default_rng(11)
    drawn = perturb(T, V, random_state=rng)
    np.testing.assert_array_equal(drawn, uniform < bit_probabilities(T, V))
    np.testing.assert_array_equal([perturb(t, V, random_state=again) for t in T], drawn)
    assert not perturb(np.zeros((50, 9), dtype=int), V, random_state=0).any()


# --- what a guidance reads ---


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True))
def test_certain_bits_see_through_a_rotation(seed, chosen):
    turn = orthonormal(seed, len(chosen), len(chosen))
    V = np.eye(9)[:, chosen] @ turn
    assert certain_bits(V).tolist() == sorted(chosen)
    T, _ = random_tuples(seed)
    R = perturb(T, V, random_state=seed)
    np.testing.assert_array_equal(R[:, sorted(chosen)], T[:, sorted(chosen)])


def test_a_guidance_from_data_reads_no_bit_with_certainty():
    V = Guidance(32).update(*votes()).vectors(9)
    assert certain_bits(V).size == 0
    assert certain_bits(np.eye(32)).size == 32


def test_likelihood_is_the_product_over_bits():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(6, 2)))[0]
    R, T = rng.integers(0, 2, (5, 6)), rng.integers(0, 2, (4, 6))
    P = bit_probabilities(T, V)
    table = log_likelihood(R, T, V)
    for i in range(5):
        for j in range(4):
            chance = 1.0
            for said, p in zip(R[i], P[j], strict=True):
                chance *= p if said else 1 - p
            # each of six shares is rounded to twelve digits: half a unit off at most
            assert np.exp(table[i, j]) == pytest.approx(chance, abs=3.1e-12)


def test_what_is_certain_but_for_rounding_is_certain():
    """Identity guidance in turned columns: each bit but for rounding 0 or 1."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    R = np.array([[1, 0, 1], [0, 0, 1]])
    table = log_likelihood(R, R, turn)
    np.testing.assert_allclose(table, [[0, -np.inf], [-np.inf, 0]], atol=1e-9)
