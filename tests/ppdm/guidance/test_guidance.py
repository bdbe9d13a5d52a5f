"""A*, k* and V_k*; records as bits, R(t) and its likelihood; what a guidance reads."""

import numpy as np
import pytest
from hidden_tilts import contrast, honest, many, one_column, turned
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.reading import answers_read as literal_answers_read
from literal.reading import best_guess
from refusals import refusals
from tuples import VOTES, orthonormal, random_tuples, votes

from ppdm.datasets import load_voting
from ppdm.guidance import (
    Guidance,
    answers_read,
    bit_probabilities,
    certain_bits,
    check_guidance,
    log_likelihood,
    one_hot,
    perturb,
)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 39))
def test_one_by_one_in_batches_and_merged_are_the_same(seed, cut):
    T, y = random_tuples(seed)
    at_once = Guidance(9).update(T, y)
    for c, moment in ((0, at_once.A0), (1, at_once.A1)):
        literal = sum((np.outer(t, t) for t in T[y == c].astype(int)), np.zeros((9, 9), int))
        np.testing.assert_array_equal(moment, literal)
        assert at_once.n_tuples[c] == (y == c).sum()
    single = Guidance(9)
    for t, c in zip(T, y, strict=True):
        single.update(t, int(c))
    merged = Guidance(9).update(T[:cut], y[:cut]).merge(Guidance(9).update(T[cut:], y[cut:]))
    for other in (single, merged):
        np.testing.assert_array_equal((other.A0, other.A1), (at_once.A0, at_once.A1))
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
    before, values = guidance.vectors(2).copy(), guidance.eigenvalues.copy()
    guidance.vectors(2)[:] = 0  # what is handed out is a copy
    guidance.eigenvalues[:] = 0
    np.testing.assert_equal((guidance.vectors(2), guidance.eigenvalues), (before, values))
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


# Records as bits, the provider's check, R(t) and its likelihood


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


def test_uniform_draws_are_used_row_by_row_and_compared_strictly():
    T, V = random_tuples(10)[0], orthonormal(10, 9, 3)
    uniform = np.random.default_rng(11).random(T.shape)
    rng, again = np.random.default_rng(11), np.random.default_rng(11)
    drawn = perturb(T, V, random_state=rng)
    np.testing.assert_array_equal(drawn, uniform < bit_probabilities(T, V))
    np.testing.assert_array_equal([perturb(t, V, random_state=again) for t in T], drawn)
    assert not perturb(np.zeros((50, 9), dtype=int), V, random_state=0).any()
    all_directions = orthonormal(5, 9, 9)
    np.testing.assert_array_equal(perturb(T, all_directions, random_state=0), T)


# --- what a guidance reads ---


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True))
def test_certain_bits_see_through_a_rotation(seed, chosen):
    turn = orthonormal(seed, len(chosen), len(chosen))
    V = check_guidance((np.eye(9)[:, chosen] @ turn).tolist(), len(chosen), 9, n_bits=9)
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


# What a guidance reads: the shares, and how near the best guess they are


@pytest.mark.parametrize("n_values", [[2, 2, 2], [3, 2, 4]])
@pytest.mark.parametrize("near", [False, True])
def test_shares_are_those_of_the_loops(n_values, near):
    n = sum(n_values)
    for seed in range(4):
        V = orthonormal(seed, n, 1 + seed)
        record = one_hot([[1, 0, 1]], n_values)[0] if near else None
        found = answers_read(V, n_values, record=record, n_draws=70, random_state=seed)
        wanted = literal_answers_read(V, n_values, record, 70, np.random.default_rng(seed))
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def attacks(n_values, rng):
    for strength in (1.0, 0.7, 0.4, 0.2):
        for tilt in (0.0, 0.2, 0.8):
            yield one_column(n_values, 0, tilt=tilt, strength=strength, rng=rng)
    for m in (2, 3):
        yield many(n_values, range(m), rng=rng)
        yield turned(n_values, range(m), rng=rng)


def test_no_guess_reads_the_most_disclosed_answer_much_better():
    # all records and all R(t) of seven votes; naive Bayes is at most so much below the best guess
    rng = np.random.default_rng(1)
    n_values = [2] * 7
    short = []
    for V in [*attacks(n_values, rng), *(honest(n_values, k, rng) for k in (1, 2, 3, 4))]:
        best, found = best_guess(V, n_values), answers_read(V, n_values, random_state=rng)
        # the standard error of a share of 8,000 draws is below .006: five of them
        assert (found < best + 0.03).all()
        assert (found > best - 0.08).all()
        short.append(best.max() - found[best.argmax()])
    # naive Bayes itself loses .025 at most (200,000 draws on 25 sets); four errors on top
    assert max(short) < 0.025 + 4 * 0.006
    assert abs(np.mean(short)) < 0.005


def test_what_is_the_same_for_all_and_a_pair_compared_read_nothing():
    n_values = [2, 3, 4, 6]
    sums = np.repeat(np.eye(4) / np.sqrt(n_values), n_values, axis=0)
    share = answers_read(sums, n_values, random_state=0)
    # four standard errors of the rarest of 15 answers: a sixth of 8,000 records
    assert np.abs(share - 0.5).max() < 4 * 0.5 / np.sqrt(8_000 / 6)
    # what the measure does not see: whether two votes are alike
    pair = (contrast(VOTES, 0) + contrast(VOTES, 1))[:, None] / 2
    assert answers_read(pair, VOTES, random_state=0).max() < 0.55


def test_identity_columns_read_theirs_and_a_full_basis_all():
    V = np.eye(10)[:, [2, 7]]
    share = answers_read(V, [2] * 5, random_state=0)
    assert (share[[2, 3, 6, 7]] == 1).all()
    assert share[[0, 1, 4, 5, 8, 9]].max() < 0.53
    assert (answers_read(np.eye(10), [2, 3, 5], random_state=0) == 1).all()


@pytest.mark.parametrize("vote", [0, 3, 7, 15])
def test_one_column_reads_a_vote_that_no_certainty_shows(vote):
    # the two bits of the vote are .88 or nothing, each; together with the rest .993
    V = one_column(VOTES, vote, tilt=0.1, rng=np.random.default_rng(vote))
    assert (V**2).sum(axis=1).max() < 0.9
    share = answers_read(V, VOTES, random_state=0)
    assert share[2 * vote] > 0.98
    assert np.delete(share, [2 * vote, 2 * vote + 1]).max() < 0.6


def test_honest_guidance_of_the_votes_reads_little_at_its_level():
    truth = Guidance(32).update(*votes())
    most = [answers_read(truth.vectors(k), VOTES, random_state=0).max() for k in (1, 2, 8, 17)]
    # 20,000 draws and sixty fillings of the missing votes: these means; the fillings spread by
    # .0035, .0031 and .0138, and a share of 8,000 draws by .006
    spread = np.hypot([0.0035, 0.0031, 0.0138], 0.006)
    assert (np.abs(np.array(most[:3]) - [0.631, 0.650, 0.923]) < 4.5 * spread).all()
    assert most[3] == 1  # records have rank 17: so many directions read them whole


def test_more_draws_for_many_values():
    # 40 values: 40,000 records, so that each answer is given by a thousand (or by half of half)
    V = np.eye(42)[:, [41]]
    share = answers_read(V, [40, 2], random_state=0)
    assert np.abs(share[:40] - 0.5).max() < 4 * 0.5 / np.sqrt(1_000)
    assert (share[40:] == 1).all()


def test_a_record_has_one_value_of_each_attribute():
    with pytest.raises(ValueError, match=r"one bit of each attribute set, got 2 at \(0, 1\)"):
        answers_read(np.eye(4), [2, 2], record=[1, 0, 1, 1])
