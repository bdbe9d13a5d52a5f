"""What a release says of a record: three definitions, tables of whole records, Theorem 5.2."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from tuples import orthonormal, random_tuples, votes

from ppdm.channel._opening import as_channel
from ppdm.guidance import bit_probabilities, one_hot
from ppdm.guidance._perturbation import bit_groups
from ppdm.noise import AdditiveNoise
from ppdm.privacy import (
    attribute_disclosure,
    degree_of_disclosure,
    disclosure_bound,
    record_information,
)
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

N_VALUES = (2, 3)


def tuples(seed, n=12, n_values=N_VALUES):
    return random_tuples(seed, n, n_values)


def channel(seed, T, k=2):
    return bit_probabilities(T, orthonormal(seed, T.shape[1], k))


def entropy(p):
    p = np.asarray(p, dtype=float).ravel()
    return -sum(x * np.log2(x) for x in p if x > 0)


def of_a_table(joint):
    """I(secret; release) and H(secret) from P[release, secret], a row a release."""
    most = entropy(joint.sum(axis=0))
    return entropy(joint.sum(axis=1)) + most - entropy(joint), most


def literal(secrets, P, n_draws=1):
    """I(secret; draws) and H(secret), by listing every secret and every sequence of draws."""
    outcomes = np.array(list(product((0, 1), repeat=P.shape[1] * n_draws)))
    chances = np.tile(P, n_draws)
    likelihood = np.where(outcomes[:, np.newaxis], chances, 1 - chances).prod(axis=2)
    own = np.array([[secret == value for value in sorted(set(secrets))] for secret in secrets])
    return of_a_table(likelihood @ own / len(P))


def given_class(secrets, P, y, n_draws=1):
    parts = [
        (np.mean(y == c), *literal([s for s, d in zip(secrets, y, strict=True) if d == c],
                                   P[y == c], n_draws))
        for c in np.unique(y)
    ]
    return sum(w * told for w, told, _ in parts), sum(w * most for w, _, most in parts)


# --- the joint measure ------------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([1, 2]), st.booleans())
def test_joint_disclosure_is_the_literal_one(seed, n_draws, with_class):
    T, y = tuples(seed)
    P = channel(seed, T)
    secrets = [tuple(t) for t in T.tolist()]
    if with_class:
        told, most = given_class(secrets, P, y, n_draws)
    else:
        told, most = literal(secrets, P, n_draws)
    found = degree_of_disclosure(T, P, y=y if with_class else None, n_draws=n_draws)
    assert found.exact
    assert found.standard_error == 0
    assert found.information == pytest.approx(told, abs=1e-9)
    assert found.entropy == pytest.approx(most, abs=1e-12)
    assert found.degree == pytest.approx(told / most, abs=1e-9)


@pytest.mark.parametrize("with_class", [False, True])
@pytest.mark.parametrize("n_draws", [1, 5])
def test_sampling_is_unbiased_and_its_error_is_honest(n_draws, with_class):
    # mean over 100 seeds against the exact value: its sd is se / sqrt(100); four of them.
    # The spread over the seeds is the announced error: the ratio of a sample sd of 100 to
    # the true one has sd 1 / sqrt(200) = .07; four of them
    T, y = tuples(1, n=60, n_values=(3, 3))
    P = channel(2, T, k=3)
    options = {"y": y if with_class else None, "n_draws": n_draws}
    exact = degree_of_disclosure(T, P, **options)
    drawn = [
        degree_of_disclosure(T, P, max_cells=0, n_samples=400, random_state=s, **options)
        for s in range(100)
    ]
    degrees, errors = [d.degree for d in drawn], [d.standard_error for d in drawn]
    assert exact.exact
    assert not any(d.exact for d in drawn)
    assert np.mean(degrees) == pytest.approx(exact.degree, abs=4 * np.mean(errors) / 10)
    assert np.std(degrees, ddof=1) / np.mean(errors) == pytest.approx(1, abs=0.28)


def test_everything_and_nothing():
    T, _ = tuples(3, n=50)
    assert degree_of_disclosure(T, T).degree == 1
    assert degree_of_disclosure(T, np.full((50, 5), 0.3)).degree == 0
    assert degree_of_disclosure(T, np.full((50, 40), 0.3)).exact  # silent bits are not listed
    for prior in ("pool", "product"):
        assert record_information(np.eye(3), CODES, prior=prior).degree == pytest.approx(1)
    nothing = record_information(np.full((3, 3), 1 / 3), CODES)
    assert nothing.degree == pytest.approx(0, abs=1e-12)


def test_bits_that_are_read_disclose_their_own_entropy():
    T, _ = votes()
    read = np.zeros((32, 5))
    read[[0, 4, 9, 14, 22], range(5)] = 1
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    _, counts = np.unique(T[:, [0, 4, 9, 14, 22]], axis=0, return_counts=True)
    for V in (read, read @ turn):  # turned, the probabilities are 0 and 1 but for rounding
        found = degree_of_disclosure(T, bit_probabilities(T, V), max_cells=0)
        assert found.exact
        assert found.information == pytest.approx(entropy(counts / 435), abs=1e-9)


def test_certain_and_random_bits_together():
    # one attribute read, the other through a noisy bit: exact by parts, against the literal
    T, _ = tuples(4, n=30)
    P = np.column_stack([T[:, 0], 0.2 + 0.5 * T[:, 2], 0.9 - 0.3 * T[:, 4]]).astype(float)
    told, most = literal([tuple(t) for t in T.tolist()], P)
    found = degree_of_disclosure(T, P)
    assert found.exact
    assert found.degree == pytest.approx(told / most, abs=1e-9)
    drawn = degree_of_disclosure(T, P, max_cells=0, n_samples=20_000, random_state=0)
    assert drawn.degree == pytest.approx(told / most, abs=4 * drawn.standard_error)


# --- attribute by attribute -------------------------------------------------------------


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.booleans())
def test_attribute_disclosure_is_the_literal_one(seed, with_class):
    T, y = tuples(seed, n=20)
    T[:4] = one_hot([[0, 0], [1, 1], [0, 2], [1, 0]], N_VALUES)
    y[:4] = [0, 0, 1, 1]
    P = channel(seed, T)
    found = attribute_disclosure(T, P, N_VALUES, y=y if with_class else None)
    for group, part in zip(bit_groups(N_VALUES), found, strict=True):
        secrets, seen = T[:, group].argmax(axis=1).tolist(), P[:, group]
        told, most = given_class(secrets, seen, y) if with_class else literal(secrets, seen)
        assert part.information == pytest.approx(told, abs=1e-9)
        assert part.entropy == pytest.approx(most, abs=1e-12)
        assert part.exact


# --- Theorem 5.2 ------------------------------------------------------------------------


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_bound_is_the_share_of_the_squares(seed, k):
    T, _ = tuples(seed)
    values = np.linalg.eigvalsh(T.T.astype(float) @ T)[::-1]
    assert disclosure_bound(T, k) == pytest.approx(values[:k].sum() / (12 * 2), abs=1e-9)


@pytest.mark.parametrize("n_attributes", [1, 2, 6])
def test_the_theorem_fails_for_identical_bits(n_attributes):
    T = np.tile(np.eye(2, dtype=int), n_attributes)
    V = np.eye(2 * n_attributes)[:, :1]
    assert degree_of_disclosure(T, bit_probabilities(T, V)).degree == pytest.approx(1, abs=1e-12)
    assert disclosure_bound(T, 1) == pytest.approx(0.5)


# --- refusals ---------------------------------------------------------------------------

T2 = np.array([[1, 0, 1, 0], [0, 1, 0, 1]])
P2 = np.full((2, 4), 0.5)


test_what_cannot_be_measured_is_refused = refusals(
    (degree_of_disclosure, (T2[[0, 0]], [[0.1], [0.2]]), "differ by 0 for equal tuples"),
    (degree_of_disclosure, (T2[[0, 0]], P2), "T must hold values that differ"),
    (attribute_disclosure, (T2 * 0 + 1, P2, [2, 2]), r"T must .* attribute set, got 2 at \(0, 0\)"),
    (attribute_disclosure, (T2[[0, 0]], P2, [2, 2]), "attribute 0 must hold values that differ"),
    (disclosure_bound, ([[1, 0], [1, 1]], 1), "T must have the same number of ones in every"),
    (disclosure_bound, (T2 * 0, 1), "T must have the same number of ones"),
    by=lambda function, arguments: function(*arguments),
)  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 7, 50])
def test_how_much_is_worked_on_at_a_time_makes_no_difference(chunk, monkeypatch):
    rng = np.random.default_rng(0)
    T = one_hot(rng.integers(0, [3, 2], (40, 2)), [3, 2])
    P = rng.random(T.shape)[T @ [0, 1, 2, 0, 3]]
    whole = attribute_disclosure(T, P, [3, 2])
    monkeypatch.setattr("ppdm.privacy._information._CHUNK", chunk)
    again = attribute_disclosure(T, P, [3, 2])
    drawn = attribute_disclosure(T, P, [3, 2], max_cells=0, n_samples=4_000, random_state=0)
    for one, same, near in zip(whole, again, drawn, strict=True):
        assert same.degree == pytest.approx(one.degree)
        assert near.degree == pytest.approx(one.degree, abs=4 * near.standard_error)


BITS = np.random.default_rng(0).integers(0, 2, (40, 4))
BITS[:, 1] = np.where(np.arange(40) % 5, BITS[:, 0], 1 - BITS[:, 0])  # attributes hang together
Y = (BITS[:, 0] + np.arange(40) // 3) % 2
CODES = BITS[:, :3] + BITS[:, [1, 2, 3]]


def coins_in_full(scheme, records, theta=0.7):
    """P[release | record] of randomised response, coin by coin, (all releases, records)."""
    n_bits = len(records[0])
    releases = list(product((0, 1), repeat=n_bits))
    table = np.zeros((len(releases), len(records)))
    for coins in product((0, 1), repeat=len(scheme.groups)):
        chance = np.prod([1 - theta if lie else theta for lie in coins])
        flipped = {j for lie, group in zip(coins, scheme.groups, strict=True) if lie for j in group}
        for i, record in enumerate(records):
            said = tuple(bit ^ (j in flipped) for j, bit in enumerate(record))
            table[releases.index(said), i] += chance
    return table


GROUPS = ([[0, 1, 2, 3]], [[0, 2], [1, 3]], [[3], [0, 1, 2]], [[0], [1], [2], [3]])


@pytest.mark.parametrize("prior", ["pool", "product"])
@pytest.mark.parametrize("groups", GROUPS, ids=str)
def test_coins_against_a_table_of_whole_records(groups, prior):
    """Catches a group's part taken for another's, a complement forgotten, columns in disorder."""
    scheme = RandomizedResponse(0.7, groups).fit(BITS)
    releases = np.array(list(product((0, 1), repeat=4)))
    said = np.exp(scheme.log_likelihood(releases, BITS[:7]))
    np.testing.assert_allclose(said, coins_in_full(scheme, BITS[:7].tolist()), atol=1e-15)
    told = most = 0.0
    for label in (0, 1):
        pool, weights = np.unique(BITS[label == Y], axis=0, return_counts=True)
        if prior == "product":
            ones, pool = BITS[label == Y].mean(axis=0), np.array(list(product((0, 1), repeat=4)))
            weights = np.where(pool, ones, 1 - ones).prod(axis=1)
        found = of_a_table(coins_in_full(scheme, pool.tolist()) * (weights / weights.sum()))
        told, most = told + found[0] * np.mean(label == Y), most + found[1] * np.mean(label == Y)
    ours = record_information(scheme, BITS, y=Y, prior=prior)
    assert (ours.information, ours.entropy) == pytest.approx((told, most))
    assert ours.degree == pytest.approx(told / most)
    assert (ours.standard_error, ours.exact) == (0, True)


@pytest.mark.parametrize(
    "scheme",
    [
        CategoricalRandomizedResponse(3, 0.6),
        UnaryEncoding(3, 1.2),
        [np.full((2, 3), 0.5), np.eye(3), [[0.9, 0.5, 0], [0.1, 0.5, 1]]],
        [AdditiveNoise("gaussian", scale=1.0).on(np.arange(4.0)).channel_matrix()] * 3,
    ],
    ids=["codes", "unary", "matrices", "noise"],
)
def test_a_part_an_attribute_is_a_kronecker_product(scheme):
    if hasattr(scheme, "fit"):
        scheme.fit(CODES)
    given = hasattr(scheme, "channel_matrix")
    parts = [np.array(scheme.channel_matrix(j) if given else scheme[j]) for j in range(3)]
    pool, counts = np.unique(CODES, axis=0, return_counts=True)
    whole = np.kron(np.kron(parts[0], parts[1]), parts[2])[:, pool @ [9, 3, 1]]
    told, most = of_a_table(whole * (counts / counts.sum()))
    every = np.array(list(product(*(range(len(part)) for part in parts))))
    if not isinstance(scheme, UnaryEncoding):  # reports are vectors
        table = as_channel(scheme, 3).log_likelihood(every, pool)
        np.testing.assert_allclose(np.exp(table), whole, atol=1e-12)
    ours = record_information(scheme, CODES)
    assert ours.exact
    assert (ours.information, ours.entropy) == pytest.approx((told, most))


@pytest.mark.parametrize("groups", GROUPS, ids=str)
def test_draws_agree_with_the_exact_answer(groups):
    """Four schemes, two classes: within 4.5 standard errors, which is missed once in 10^5."""
    scheme = RandomizedResponse(0.7, groups).fit(BITS)
    exact = record_information(scheme, BITS, y=Y)
    drawn = record_information(scheme, BITS, y=Y, max_cells=0, n_samples=4000, random_state=3)
    assert not drawn.exact
    assert 0 < drawn.standard_error < 0.02
    assert abs(drawn.degree - exact.degree) < 4.5 * drawn.standard_error


def test_the_stated_error_is_the_error_of_repeated_draws():
    """The sd of 200 estimates has a relative error of 5%; four of these."""
    scheme = UnaryEncoding(3, 1.2).fit(CODES)
    rng = np.random.default_rng(5)
    drawn = [
        record_information(scheme, CODES, max_cells=0, n_samples=50, random_state=rng)
        for _ in range(200)
    ]
    spread = np.std([one.degree for one in drawn], ddof=1)
    assert spread == pytest.approx(np.mean([one.standard_error for one in drawn]), rel=0.2)


def test_releases_too_many_for_a_chunk_are_gone_through_one_by_one(monkeypatch):
    """The same answer, whether or not the first parts' releases are split off."""
    scheme = RandomizedResponse(0.7, GROUPS[3]).fit(BITS)
    whole = record_information(scheme, BITS).information
    monkeypatch.setattr("ppdm.privacy._disclosure._CHUNK", 4)
    assert record_information(scheme, BITS).information == pytest.approx(whole, rel=1e-12)


def test_guided_perturbation_by_single_bits_is_the_same_measure():
    """Reading a bit with certainty is a channel, and a guidance: the two measures agree."""
    T = one_hot(BITS, [2] * 4)
    V = np.eye(8)[:, [0, 5]]
    theirs = degree_of_disclosure(T, bit_probabilities(T, V), y=Y)
    silent, told = np.full((1, 2), 1.0), np.eye(2)
    ours = record_information([told, silent, told, silent], BITS, y=Y)
    assert ours.information == pytest.approx(theirs.information)
    assert ours.entropy == pytest.approx(theirs.entropy)


def test_a_tuple_without_weight_is_not_there():
    T, P = [[1, 0], [0, 1], [0, 1]], [[0.8], [0.1], [0.1]]
    whole = degree_of_disclosure(T, P, weights=[2, 3, 0])
    assert whole == degree_of_disclosure([T[0]] * 2 + [T[1]] * 3, [P[0]] * 2 + [P[1]] * 3)


# ------------------------------------------------------------------ likelihood of a release


def test_log_likelihood_of_unary_bits():
    scheme = UnaryEncoding([2, 3], 1.0, random_state=0).fit([[1, 2]])
    q = 1 / (np.e + 1)
    found = scheme.log_likelihood([[1, 0, 0, 1, 1]], [[0, 2], [1, 0]])
    first = 0.5 * (1 - q) * 0.5 * q * (1 - q)
    second = 0.5 * q * 0.5 * q * q
    np.testing.assert_allclose(np.exp(found), [[first, second]])


# ------------------------------------------------------------------ bad input


def test_equal_records_are_no_secret():
    with pytest.raises(ValueError, match="records must hold values that differ"):
        record_information(np.eye(2), [[0, 1, 0, 0]] * 3)


def test_more_bits_of_one_coin_than_a_table_holds():
    wide = np.tile(BITS, (1, 6))
    scheme = RandomizedResponse(0.7).fit(wide)
    assert record_information(scheme, wide).exact
    with pytest.raises(ValueError, match="at most 1048576 values together"):
        record_information(scheme, wide, prior="product")
