"""Records as bits, the provider's check, R(t) and its likelihood."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from tuples import VOTES, orthonormal, random_tuples, votes

from ppdm.datasets import AGRAWAL_FEATURES, load_voting, make_agrawal
from ppdm.guidance import (
    Guidance,
    bit_probabilities,
    certain_bits,
    check_guidance,
    log_likelihood,
    one_hot,
    perturb,
)
from ppdm.guidance._perturbation import bit_groups


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


@settings(deadline=None, max_examples=50)
@given(st.data(), st.lists(st.integers(2, 5), min_size=1, max_size=4))
def test_one_hot_is_the_literal_definition(data, n_values):
    X = data.draw(
        st.lists(st.tuples(*[st.integers(0, s - 1) for s in n_values]), min_size=1, max_size=6)
    )
    literal = [
        [int(value == h) for value, s in zip(row, n_values, strict=True) for h in range(s)]
        for row in X
    ]
    np.testing.assert_array_equal(one_hot(X, n_values), literal)


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e9, 1e9), min_size=1, max_size=5),
    st.lists(st.integers(-3, 3) | st.floats(-1e9, 1e9), min_size=1, max_size=5),
)
def test_both_rules_of_the_tie(values, cuts):
    cuts, column = np.sort(np.array(cuts, dtype=float)), np.array(values, dtype=float)
    # every cut, and the floats beside it, are among the values
    column = np.concatenate([column, cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    for given_cuts, side in ((cuts, "right"), (np.nextafter(cuts, np.inf), "left")):
        bits = one_hot(column[:, np.newaxis], [len(cuts) + 1], cuts=[given_cuts])
        place = np.searchsorted(cuts, column, side=side)
        np.testing.assert_array_equal(bits.argmax(axis=1), place)


def test_sums_of_bits_do_not_overflow():
    T = one_hot(np.zeros((300, 1)), [2])
    assert (T.T @ T).tolist() == [[300, 0], [0, 0]]
    T = one_hot(load_voting(random_state=0).data, VOTES)
    assert np.trace(T.T @ T) == 435 * 16 == 6_960
    R = perturb(T, np.eye(32)[:, [0, 1]], random_state=0)
    assert np.trace(R.T @ R) == 435


def test_an_empty_bin_keeps_its_bit():
    # commission is 0 for more than half of the people: its first two quartiles are equal
    X, _ = make_agrawal(4_000, 1, random_state=0)
    nominal = {AGRAWAL_FEATURES.index(name) for name in ("elevel", "zipcode")}
    cuts = [None if j in nominal else np.quantile(X[:, j], [0.25, 0.5, 0.75]) for j in range(9)]
    below = [None if cut is None else np.nextafter(cut, np.inf) for cut in cuts]
    sizes = [4, 4, 4, 5, 4, 9, 4, 4, 4]
    # zero lies on both cuts: above them it leaves two intervals empty, below them one
    for each, empty in ((cuts, [0, 1]), (below, [1])):
        T = one_hot(X, sizes, cuts=each)
        assert T.shape == (4_000, 42)
        commission = T[:, bit_groups(sizes)[1]]
        assert np.flatnonzero(~commission.any(axis=0)).tolist() == empty
        assert T.any(axis=0).sum() == 42 - len(empty)
