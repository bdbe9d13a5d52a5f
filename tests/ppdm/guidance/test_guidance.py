"""A*, k* and V_k*: exact sums, their order, and what is refused."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import random_tuples, votes

from ppdm.guidance import Guidance


def test_moments_are_sums_of_outer_products():
    T, y = random_tuples(0)
    guidance = Guidance(9).update(T, y)
    for c, moment in ((0, guidance.A0), (1, guidance.A1)):
        literal = sum((np.outer(t, t) for t in T[y == c].astype(int)), np.zeros((9, 9), int))
        np.testing.assert_array_equal(moment, literal)
    np.testing.assert_array_equal(guidance.n_tuples, [(y == 0).sum(), (y == 1).sum()])


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 39))
def test_one_by_one_in_batches_and_merged_are_the_same(seed, cut):
    T, y = random_tuples(seed)
    at_once = Guidance(9).update(T, y)
    single = Guidance(9)
    for t, c in zip(T, y, strict=True):
        single.update(t, int(c))
    merged = Guidance(9).update(T[:cut], y[:cut]).merge(Guidance(9).update(T[cut:], y[cut:]))
    for other in (single, merged):
        np.testing.assert_array_equal(other.A, at_once.A)
        np.testing.assert_array_equal(other.n_tuples, at_once.n_tuples)
        np.testing.assert_array_equal(other.vectors(4), at_once.vectors(4))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(["magnitude", "signed"]))
def test_bytes_bring_the_sums_back(seed, n_bits, order):
    rng = np.random.default_rng(seed)
    guidance = Guidance(n_bits, order).update(
        rng.integers(0, 2, (30, n_bits)), rng.integers(0, 2, 30)
    )
    data = guidance.to_bytes()
    again = Guidance.from_bytes(data, order)
    assert (again.n_bits, again.order, len(data)) == (n_bits, order, 8 * (2 * n_bits**2 + 2))
    for name in ("A0", "A1", "n_tuples", "eigenvalues"):
        np.testing.assert_array_equal(getattr(again, name), getattr(guidance, name))
    assert again.update([1] * n_bits, 0).A0[0, 0] == guidance.A0[0, 0] + 1  # its own, to write to
    assert again.to_bytes() != guidance.to_bytes()


def test_the_bytes_are_the_sums_in_order():
    # what survey databases hold of a random start: A0, A1, the numbers of tuples
    data = Guidance(2).update([[1, 0], [0, 1], [1, 1]], [0, 1, 0]).to_bytes()
    assert np.frombuffer(data, "<i8").tolist() == [2, 1, 1, 1, 0, 0, 0, 1, 2, 1]


@pytest.mark.parametrize("n_bytes", [0, 7, 8, 16, 31, 33, 40, 79, 88])
def test_bytes_of_another_length_are_refused(n_bytes):
    with pytest.raises(ValueError, match=f"data must be what .*, got {n_bytes} bytes"):
        Guidance.from_bytes(bytes(n_bytes))


def test_vectors_follow_the_updates():
    # a decomposition kept beyond an update would give the first batch's vectors again
    T, y = random_tuples(1, n=200)
    guidance = Guidance(9).update(T[:20], y[:20])
    before = guidance.vectors(2)
    guidance.update(T[20:], y[20:])
    np.testing.assert_array_equal(guidance.vectors(2), Guidance(9).update(T, y).vectors(2))
    assert not np.allclose(before, guidance.vectors(2))


@pytest.mark.parametrize("order", ["magnitude", "signed"])
def test_vectors_are_eigenvectors_in_order(order):
    guidance = Guidance(32, order).update(*votes())
    values, V = guidance.eigenvalues, guidance.vectors(32)
    np.testing.assert_allclose(guidance.A @ V, V * values, atol=1e-9 * np.abs(values).max())
    np.testing.assert_allclose(V.T @ V, np.eye(32), atol=1e-12)
    key = np.abs(values) if order == "magnitude" else values
    assert (np.diff(key) <= 0).all()
    assert (V.max(axis=0) >= -V.min(axis=0) - 1e-6).all()  # the signs are settled


def test_what_is_handed_out_is_a_copy():
    guidance = Guidance(32).update(*votes())
    before = guidance.vectors(2).copy(), guidance.eigenvalues.copy()
    guidance.vectors(2)[:] = 0
    guidance.eigenvalues[:] = 0
    np.testing.assert_equal((guidance.vectors(2), guidance.eigenvalues), before)


def test_the_votes_have_the_spectrum_that_the_paper_s_figures_need():
    T, y = votes()
    guidance = Guidance(32).update(T, y)
    values = guidance.eigenvalues
    # of 200 fillings of the 392 missing votes: 2338.8 and -1445.5, standard deviations 9.4 and
    # 9.0; four of them
    assert values[0] == pytest.approx(2338.8, abs=4 * 9.4)
    assert values[1] == pytest.approx(-1445.5, abs=4 * 9.0)
    # 16 attributes of two complementary bits: rank 16 + 1
    assert (values != 0).sum() == np.linalg.matrix_rank(T.astype(float)) == 17
    assert guidance.disclosure_level(0.15) == 2
    assert Guidance(32, "signed").update(T, y).disclosure_level(0.15) == 1


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.001, 0.999), st.sampled_from(["magnitude", "signed"]))
def test_disclosure_level_is_the_least_k_of_equation_6(seed, mu, order):
    guidance = Guidance(9, order).update(*random_tuples(seed))
    sigma = guidance.eigenvalues if order == "signed" else np.abs(guidance.eigenvalues)
    literal = next(k for k in range(1, 10) if k == 9 or sigma[k] <= mu * sigma[0])
    assert guidance.disclosure_level(mu) == literal


def test_a_class_without_a_tuple_asks_only_those_who_accept_everything():
    T, _ = random_tuples(2)
    for guidance in (Guidance(9), Guidance(9).update(T, np.zeros(40)), Guidance(9).update(T[0], 1)):
        assert guidance.disclosure_level(0.15) == 9
        assert guidance.vectors(9).shape == (9, 9)
    both = Guidance(9).update(T, np.zeros(40)).update(T, np.ones(40))  # A* = 0
    assert both.disclosure_level(0.15) == 9


@pytest.mark.parametrize("order", ["magnitude", "signed"])
def test_where_no_eigenvalue_is_small_all_are_asked_for(order):
    # A0* - A1* = diag(1, -1) by magnitude, and diag(1, 1) - 0 twice in signed order
    guidance = Guidance(2, order).update([[1, 0], [0, 1]], [0, 1])
    assert guidance.disclosure_level(0.15) == (2 if order == "magnitude" else 1)
    even = Guidance(3).update(np.eye(3)[[0, 0, 1, 2]], [0, 0, 0, 1])  # 2, 1 and -1
    assert (even.disclosure_level(0.15), even.disclosure_level(0.5)) == (3, 1)  # Eq. 6 has <=


def test_what_update_refuses_leaves_no_trace():
    guidance = Guidance(9).update(*random_tuples(4))
    before = guidance.to_bytes(), guidance.vectors(3)
    for R, y in ((np.full((1, 9), 2), [0]), (np.zeros((2, 9)), [0]), (np.zeros((1, 9)), [2])):
        with pytest.raises(ValueError, match=r"\b[Ry] must"):
            guidance.update(R, y)
        np.testing.assert_equal((guidance.to_bytes(), guidance.vectors(3)), before)


def test_what_has_seen_other_bits_is_not_merged():
    with pytest.raises(ValueError, match=r"n_bits must be the same .*, got \(9, 8\)"):
        Guidance(9).merge(Guidance(8))
