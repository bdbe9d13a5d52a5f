"""Guided perturbation: the coding, A*, k*, V_k*, the provider's check and R(t)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.datasets import AGRAWAL_FEATURES, load_voting, make_agrawal
from ppdm.guidance import (
    Guidance,
    answers_read,
    bit_groups,
    bit_probabilities,
    certain_bits,
    check_guidance,
    one_hot,
    perturb,
)

VOTES = [2] * 16


@pytest.fixture(scope="module")
def votes():
    data = load_voting(random_state=0)
    return one_hot(data.data, VOTES), np.asarray(data.target)


def random_tuples(seed, n=40, n_values=(2, 3, 4)):
    rng = np.random.default_rng(seed)
    return one_hot(rng.integers(0, n_values, (n, len(n_values))), n_values), rng.integers(0, 2, n)


def orthonormal(seed, n_bits, k):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n_bits, k)))[0]


# --- one-hot coding ---------------------------------------------------------------------


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


def test_edges_belong_to_the_interval_below():
    bits = one_hot([[0.9], [1.0], [1.1], [2.0], [9.0]], [3], edges=[[1.0, 2.0]])
    np.testing.assert_array_equal(bits.argmax(axis=1), [0, 0, 1, 1, 2])


def test_an_empty_bin_keeps_its_bit():
    # commission is 0 for more than half of the people: its first two quartiles are equal
    X, _ = make_agrawal(4_000, 1, random_state=0)
    nominal = {AGRAWAL_FEATURES.index(name) for name in ("elevel", "zipcode")}
    edges = [None if j in nominal else np.quantile(X[:, j], [0.25, 0.5, 0.75]) for j in range(9)]
    T = one_hot(X, [4, 4, 4, 5, 4, 9, 4, 4, 4], edges=edges)
    assert T.shape == (4_000, 42)
    assert (T.any(axis=0)).sum() == 41
    assert not T[:, bit_groups([4, 4])[1]][:, 1].any()


@pytest.mark.parametrize(
    ("X", "n_values", "edges", "message"),
    [
        ([[0, 3]], [2, 3], None, r"X must hold whole numbers in \[0, 2\] in column 1, got 3"),
        ([[0, 0.5]], [2, 3], None, r"\[0, 2\] in column 1, got 0.5 at row 0"),
        ([[-1, 0]], [2, 3], None, "column 0, got -1"),
        ([[1e300, 0]], [2, 3], None, "column 0, got 1e\\+300"),
        ([[0, np.nan]], [2, 3], None, r"X must hold finite numbers only, got nan at \(0, 1\)"),
        ([[0]], [2, 3], None, "X must have 2 columns, one for each attribute, got 1"),
        ([0, 1], [2, 3], None, r"X must have 2 dimension\(s\)"),
        ([[0, 0]], [2, 1], None, r"n_values\[1\] must be a whole number >= 2, got 1"),
        ([[0, 0]], [], None, "n_values must have at least one attribute"),
        ([[0, 0]], [2, 2], [None], "edges must have 2 entries, one for each attribute, got 1"),
        ([[0, 0]], [2, 3], [None, [1.0]], r"edges\[1\] must have 2 inner edges for 3 values"),
        ([[0, 0]], [2, 3], [None, [2.0, 1.0]], r"edges\[1\] must not descend, got \[2.0, 1.0\]"),
        ([[0, 0]], [2, 2], [None, [np.inf]], r"edges\[1\] must hold finite numbers"),
    ],
)
def test_one_hot_refuses(X, n_values, edges, message):
    with pytest.raises(ValueError, match=message):
        one_hot(X, n_values, edges=edges)


@pytest.mark.parametrize(
    ("X", "n_values", "message"),
    [
        ([["0", "1"]], [2, 2], "X must hold numbers, got values of type <U1"),
        ([[0, 1]], 2, "n_values must be a sequence of integers, got 2"),
        ([[0, 1]], [2, 2.0], r"n_values\[1\] must be an integer, got 2.0"),
    ],
)
def test_one_hot_refuses_types(X, n_values, message):
    with pytest.raises(TypeError, match=message):
        one_hot(X, n_values)


# --- A*, k* and V_k* --------------------------------------------------------------------


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


def test_bytes_take_no_other_order():
    with pytest.raises(ValueError, match="order must be one of"):
        Guidance.from_bytes(Guidance(2).to_bytes(), "size")


def test_vectors_follow_the_updates():
    # a decomposition kept beyond an update would give the first batch's vectors again
    T, y = random_tuples(1, n=200)
    guidance = Guidance(9).update(T[:20], y[:20])
    before = guidance.vectors(2)
    guidance.update(T[20:], y[20:])
    np.testing.assert_array_equal(guidance.vectors(2), Guidance(9).update(T, y).vectors(2))
    assert not np.allclose(before, guidance.vectors(2))


@pytest.mark.parametrize("order", ["magnitude", "signed"])
def test_vectors_are_eigenvectors_in_order(votes, order):
    guidance = Guidance(32, order).update(*votes)
    values, V = guidance.eigenvalues, guidance.vectors(32)
    np.testing.assert_allclose(guidance.A @ V, V * values, atol=1e-9 * np.abs(values).max())
    np.testing.assert_allclose(V.T @ V, np.eye(32), atol=1e-12)
    key = np.abs(values) if order == "magnitude" else values
    assert (np.diff(key) <= 0).all()
    assert (V.max(axis=0) >= -V.min(axis=0) - 1e-6).all()  # the signs are settled


def test_what_is_handed_out_is_a_copy(votes):
    guidance = Guidance(32).update(*votes)
    before = guidance.vectors(2).copy(), guidance.eigenvalues.copy()
    guidance.vectors(2)[:] = 0
    guidance.eigenvalues[:] = 0
    np.testing.assert_equal((guidance.vectors(2), guidance.eigenvalues), before)


def test_the_votes_have_the_spectrum_that_the_paper_s_figures_need(votes):
    guidance = Guidance(32).update(*votes)
    values = guidance.eigenvalues
    # the 392 coins move the ends by some 10: 2341.6 and -1444.1 with seed 0
    assert values[0] == pytest.approx(2340, abs=25)
    assert values[1] == pytest.approx(-1446, abs=25)
    # 16 attributes of two complementary bits: rank 16 + 1
    assert (values != 0).sum() == np.linalg.matrix_rank(votes[0].astype(float)) == 17
    assert guidance.disclosure_level(0.15) == 2
    assert Guidance(32, "signed").update(*votes).disclosure_level(0.15) == 1


@pytest.mark.parametrize("k", [1, 2, 5, 9, 16])
def test_truncation_error_is_the_next_eigenvalue_by_magnitude_only(votes, k):
    # Eq. 22; in signed order the largest eigenvalue left out is the last one, not sigma_{k+1}
    for order in ("magnitude", "signed"):
        guidance = Guidance(32, order).update(*votes)
        V = guidance.vectors(k)
        gap = np.linalg.norm(guidance.A - V @ V.T @ guidance.A @ V @ V.T, 2)
        following = abs(guidance.eigenvalues[k])
        if order == "magnitude":
            assert gap == pytest.approx(following, rel=1e-6)
        else:
            assert gap > 2 * following
            assert gap == pytest.approx(abs(guidance.eigenvalues[-1]), rel=1e-6)


def test_the_signed_order_depends_on_which_class_is_called_0(votes):
    T, y = votes
    for order, same in (("magnitude", True), ("signed", False)):
        V, W = (Guidance(32, order).update(T, c).vectors(1) for c in (y, 1 - y))
        assert (abs((V.T @ W).item()) > 1 - 1e-9) is same


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


def test_an_all_negative_spectrum_is_legal_in_signed_order():
    T, _ = random_tuples(3)
    guidance = Guidance(9, "signed").update(T, np.ones(40)).update(T[:1], [0])
    assert 1 <= guidance.disclosure_level(0.15) <= 9


@pytest.mark.parametrize(
    ("R", "y", "error", "message"),
    [
        (np.full((1, 9), 2), [0], ValueError, "R must hold only 0 and 1, got 2"),
        (np.full((1, 9), np.nan), [0], ValueError, "R has 9 missing"),
        (np.zeros((1, 8)), [0], ValueError, r"R must have 9 bits a tuple, got shape \(1, 8\)"),
        (np.zeros((1, 1, 9)), [[0]], ValueError, "R must have 9 bits a tuple"),
        (np.zeros((2, 9)), [0], ValueError, r"y must have one label for each tuple, shape \(2,\)"),
        (np.zeros((1, 9)), [2], ValueError, "y must hold only 0 and 1, got 2"),
        (np.zeros((3, 9)), [0, 1, 2], ValueError, "y must hold only 0 and 1, got 2"),
        (np.zeros((1, 9)), ["a"], TypeError, "y must hold zeros and ones"),
        ([["a"] * 9], [0], TypeError, "R must hold zeros and ones"),
    ],
)
def test_update_refuses_and_leaves_no_trace(R, y, error, message):
    guidance = Guidance(9).update(*random_tuples(4))
    before = guidance.A0.copy(), guidance.A1.copy(), guidance.n_tuples.copy(), guidance.vectors(3)
    with pytest.raises(error, match=message):
        guidance.update(R, y)
    after = guidance.A0, guidance.A1, guidance.n_tuples, guidance.vectors(3)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mu", [0, 1, -0.1, 1.5, np.nan])
def test_mu_lies_between_0_and_1(mu):
    with pytest.raises(ValueError, match=r"mu must be a finite number in \(0, 1\)"):
        Guidance(9).disclosure_level(mu)


def test_guidance_refuses_other_arguments():
    with pytest.raises(ValueError, match=r"order must be one of 'magnitude', 'signed', got 'abs'"):
        Guidance(9, "abs")
    with pytest.raises(ValueError, match="n_bits must be a whole number >= 1, got 0"):
        Guidance(0)
    for k in (0, 10):
        with pytest.raises(ValueError, match=rf"k must be a whole number in \[1, 9\], got {k}"):
            Guidance(9).vectors(k)
    with pytest.raises(ValueError, match="other must have n_bits = 9, got 8"):
        Guidance(9).merge(Guidance(8))
    with pytest.raises(TypeError, match="other must be a Guidance, got ndarray"):
        Guidance(9).merge(np.eye(9))


# --- the provider's check ---------------------------------------------------------------


def test_check_returns_a_valid_guidance():
    V = orthonormal(0, 9, 3)
    np.testing.assert_array_equal(check_guidance(V.tolist(), 3, 3, n_bits=9), V)


BAD = orthonormal(1, 9, 2)


@pytest.mark.parametrize(
    ("V", "k", "max_level", "message"),
    [
        (np.where(np.arange(9)[:, None] == 4, np.nan, BAD), 2, 5, r"V must hold finite .*\(4, 0\)"),
        (np.where(np.arange(9)[:, None] == 4, np.inf, BAD), 2, 5, "V must hold finite numbers"),
        (orthonormal(2, 8, 2), 2, 5, "V must have 9 rows, one for each bit, got 8"),
        (BAD[:, 0], 1, 5, r"V must have 2 dimension\(s\)"),
        (np.eye(9)[:3], 9, 9, r"k <= n_bits, got \(3, 9\)"),
        (BAD * 1.001, 2, 5, r"V must have orthonormal columns, .* by 0\.002"),
        (BAD @ np.array([[1, 1], [0, 0]]), 2, 5, "V must have orthonormal columns"),
        (np.full((9, 2), 1e200), 2, 5, r"V must have orthonormal columns, .* by inf"),
        (np.zeros((9, 2)), 2, 5, "V must have orthonormal columns"),
        (BAD, 3, 5, "V must have the announced k = 3 columns, got 2"),
        (BAD, 1, 5, "V must have the announced k = 1 columns, got 2"),
        (BAD, 2, 1, "k must not exceed the provider's level 1, got 2"),
        (BAD, 0, 1, "k must be a whole number >= 1, got 0"),
        (BAD, 2, 0, "max_level must be a whole number >= 1, got 0"),
    ],
)
def test_check_refuses(V, k, max_level, message):
    with pytest.raises(ValueError, match=message):
        check_guidance(V, k, max_level, n_bits=9)


def test_check_refuses_other_types():
    with pytest.raises(TypeError, match="V must hold numbers, got values of type complex128"):
        check_guidance(BAD.astype(complex), 2, 5)
    with pytest.raises(TypeError, match=r"k must be an integer, got 2.0"):
        check_guidance(BAD, 2.0, 5)


def test_tolerance_is_of_the_entries_of_the_gram_matrix():
    V = BAD * np.sqrt(1 + 1e-5)
    assert check_guidance(V, 2, 2, tolerance=2e-5).shape == (9, 2)
    with pytest.raises(ValueError, match="orthonormal"):
        check_guidance(V, 2, 2, tolerance=0.9e-5)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True))
def test_certain_bits_see_through_a_rotation(seed, chosen):
    turn = orthonormal(seed, len(chosen), len(chosen))
    V = np.eye(9)[:, chosen] @ turn
    assert certain_bits(V).tolist() == sorted(chosen)
    T, _ = random_tuples(seed)
    np.testing.assert_array_equal(perturb(T, V, seed)[:, sorted(chosen)], T[:, sorted(chosen)])


def test_a_guidance_from_data_reads_no_bit_with_certainty(votes):
    V = Guidance(32).update(*votes).vectors(9)
    assert certain_bits(V).size == 0
    assert certain_bits(np.eye(32)).size == 32


# --- R(t) -------------------------------------------------------------------------------


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
    assert (perturb(np.ones((100, 3), dtype=int), V, 0)[:, :2] == 1).all()


def test_all_directions_give_the_tuple_itself():
    T, _ = random_tuples(5)
    np.testing.assert_array_equal(perturb(T, orthonormal(5, 9, 9), 0), T)


def test_shares_of_ones_are_the_probabilities():
    # 4,000 draws of each of 9 bits: the sd of a share is at most .5 / sqrt(4000) = .0079;
    # five of them. Swapping the comparison, or t~ for its square, is off by far more
    t, V = random_tuples(6, n=1)[0][0], orthonormal(6, 9, 3)
    R = perturb(np.tile(t, (4_000, 1)), V, random_state=7)
    np.testing.assert_allclose(R.mean(axis=0), bit_probabilities(t, V), atol=5 * 0.0079)


def test_bits_are_independent_given_the_tuple():
    # correlation of independent bits over n = 4,000 draws: sd 1 / sqrt(n) = .0158; 36 pairs,
    # five sd. One uniform draw for the whole row would correlate all of them
    t, V = random_tuples(8, n=1)[0][0], orthonormal(8, 9, 4)
    R = perturb(np.tile(t, (4_000, 1)), V, random_state=9).astype(float)
    R = R[:, R.std(axis=0) > 0]
    correlation = np.corrcoef(R, rowvar=False) - np.eye(R.shape[1])
    assert np.abs(correlation).max() < 5 / np.sqrt(4_000)


def test_uniform_draws_are_used_row_by_row_and_compared_strictly():
    T, V = random_tuples(10)[0], orthonormal(10, 9, 3)
    uniform = np.random.default_rng(11).random(T.shape)
    np.testing.assert_array_equal(perturb(T, V, 11), uniform < bit_probabilities(T, V))
    rng = np.random.default_rng(11)
    one_by_one = [perturb(t, V, rng) for t in T]
    np.testing.assert_array_equal(one_by_one, perturb(T, V, 11))
    assert not perturb(np.zeros((50, 9), dtype=int), V, 0).any()


@pytest.mark.parametrize("function", [bit_probabilities, perturb])
def test_perturbation_refuses(function):
    V = orthonormal(12, 9, 3)
    with pytest.raises(ValueError, match=r"T must have 9 bits a tuple, .* got shape \(2, 8\)"):
        function(np.zeros((2, 8)), V)
    with pytest.raises(ValueError, match="T must have 9 bits a tuple"):
        function(np.zeros((2, 2, 9)), V)
    with pytest.raises(ValueError, match=r"T must hold only 0 and 1, got 0.5"):
        function(np.full(9, 0.5), V)
    with pytest.raises(ValueError, match=r"V must have orthonormal columns"):
        function(np.zeros(9), 2 * V)
    with pytest.raises(ValueError, match="V must hold finite"):
        function(np.zeros(9), V * np.nan)


def test_perturb_refuses_another_random_state():
    with pytest.raises(TypeError, match="random_state must be None, an int or"):
        perturb(np.zeros(9), orthonormal(0, 9, 1), random_state="seed")


# --- answers that are read in less open ways --------------------------------------------


def literal_answers_read(V, n_values, certainty):
    """Ask every tuple that there is what each of its bits is going to be."""
    X = np.array(list(itertools.product(*(range(size) for size in n_values))))
    T = one_hot(X, n_values)
    P = bit_probabilities(T, V)
    surely = certainty <= P
    hardly = 1 - certainty >= P
    read = []
    for value in range(T.shape[1]):
        has = T[:, value] == 1
        if ((surely[has].all(axis=0) & hardly[~has].all(axis=0))
                | (hardly[has].all(axis=0) & surely[~has].all(axis=0))).any():
            read.append(value)
    return read


def questionable(n_values):
    """Guidances that read something, openly or not, and some that do not."""
    rng = np.random.default_rng(5)
    n = sum(n_values)
    flat = np.full((n, 1), n**-0.5)
    first = np.eye(n)[:, :1] - np.eye(n)[:, 1:2]
    turned = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    hidden = np.hstack([first / np.sqrt(2), flat])
    against = np.hstack([first / np.sqrt(2), np.where(np.arange(n) < 2, -1, 1)[:, None] * flat])
    learnt = Guidance(n).update(
        one_hot(rng.integers(0, n_values, (40, len(n_values))), n_values), rng.integers(0, 2, 40)
    )
    yield from (hidden, hidden @ turned, against, np.eye(n)[:, [n - 1]], np.eye(n))
    yield from (np.sqrt(0.97) * np.eye(n)[:, [1]] + np.sqrt(0.03) * np.eye(n)[:, [n - 1]],)
    yield from (learnt.vectors(k) for k in range(1, n + 1))


@pytest.mark.parametrize("n_values", [[2, 2], [2, 2, 2], [3, 2, 2], [2, 4]])
@pytest.mark.parametrize("certainty", [0.6, 0.9, 0.999])
def test_answers_read_are_those_that_every_tuple_betrays(n_values, certainty):
    found = [answers_read(V, n_values, certainty).tolist() for V in questionable(n_values)]
    wanted = [literal_answers_read(V, n_values, certainty) for V in questionable(n_values)]
    assert found == wanted
    assert [] in found
    assert any(found)


def test_hidden_question_is_seen_where_leverages_are_low():
    # the difference of a vote's two bits and the sum of all: every vote read, leverage 17/32
    V = np.zeros((32, 2))
    V[[6, 7], 0] = np.sqrt([0.5, 0.5]) * [1, -1]
    V[:, 1] = 32**-0.5
    assert certain_bits(V, 0.4).size == 0
    assert answers_read(V, [2] * 16).tolist() == [6, 7]


def test_honest_guidance_of_the_votes_reads_no_single_answer():
    votes = load_voting(random_state=0)
    truth = Guidance(32).update(one_hot(votes.data, [2] * 16), votes.target)
    assert [len(answers_read(truth.vectors(k), [2] * 16)) for k in (1, 2, 8)] == [0, 0, 0]
    # records have rank 17: so many directions read them whole
    assert len(answers_read(truth.vectors(17), [2] * 16)) == 32


@pytest.mark.parametrize(("V", "certainty", "message"), [
    (np.eye(5), 0.9, "V must have 4 rows, the sum of n_values, got 5"),
    (np.ones((4, 1)), 0.9, "orthonormal"),
    (np.eye(4), 0.5, "certainty must be"),
    (np.eye(4), 1.1, "certainty must be"),
])
def test_bad_arguments_of_answers_read(V, certainty, message):
    with pytest.raises(ValueError, match=message):
        answers_read(V, [2, 2], certainty)
