"""What a whole release says about a whole record, against tables of whole records."""

from itertools import product

import numpy as np
import pytest

from ppdm.channel import Channel
from ppdm.datasets import load_voting
from ppdm.guidance import bit_probabilities, one_hot
from ppdm.noise import AdditiveNoise
from ppdm.privacy import (
    degree_of_disclosure,
    local_epsilon,
    record_information,
)
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

BITS = np.random.default_rng(0).integers(0, 2, (40, 4))
BITS[:, 1] = np.where(np.arange(40) % 5, BITS[:, 0], 1 - BITS[:, 0])  # attributes hang together
Y = (BITS[:, 0] + np.arange(40) // 3) % 2
CODES = BITS[:, :3] + BITS[:, [1, 2, 3]]


def entropy(shares):
    return -sum(p * np.log2(p) for p in shares if p > 0)


def literal(likelihood, weights):
    """I(t; R) and H(t) from P[release | record], a row a release."""
    joint = likelihood * weights
    told = entropy(joint.sum(axis=1)) - sum(
        w * entropy(column) for w, column in zip(weights, likelihood.T, strict=True)
    )
    return told, entropy(weights)


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
    told = most = 0.0
    for label in (0, 1):
        pool, weights = np.unique(BITS[label == Y], axis=0, return_counts=True)
        if prior == "product":
            ones, pool = BITS[label == Y].mean(axis=0), np.array(list(product((0, 1), repeat=4)))
            weights = np.where(pool, ones, 1 - ones).prod(axis=1)
        found = literal(coins_in_full(scheme, pool.tolist()), weights / weights.sum())
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
    told, most = literal(whole, counts / counts.sum())
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


def test_whoever_sees_everything_and_nothing():
    sure = record_information(np.eye(3), CODES)
    assert sure.degree == pytest.approx(1)
    assert record_information(np.full((3, 3), 1 / 3), CODES).degree == pytest.approx(0, abs=1e-12)
    assert record_information(np.eye(3), CODES, prior="product").degree == pytest.approx(1)


def test_voting_by_number_of_groups():
    """The more groups, the less a release tells, while a bit's own epsilon stays .847.

    A missing vote is its column's commoner one.
    """
    data = load_voting(fill=None)
    X, y = np.array(data.data, float), np.asarray(data.target)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0) > 0.5, X).astype(int)
    found = {}
    for n_groups in (1, 2, 4, 16):
        groups = [part.tolist() for part in np.array_split(np.arange(16), n_groups)]
        scheme = RandomizedResponse(0.7, groups).fit(X)
        found[n_groups] = [
            round(record_information(scheme, X, y=y, prior=prior).degree, 3)
            for prior in ("pool", "product")
        ]
    assert found == {1: [0.998, 0.999], 2: [0.998, 0.988], 4: [0.994, 0.92], 16: [0.177, 0.109]}
    assert local_epsilon(scheme) == pytest.approx(16 * np.log(7 / 3))


# ------------------------------------------------------------------ likelihood of a release


class Own(Channel):
    def channel_matrix(self, feature=0):
        return np.array([[0.5, 0.2], [0.5, 0.3], [0, 0.5]])


def test_log_likelihood_of_a_channel_of_ones_own():
    found = Own().log_likelihood([[2, 1], [0, 0]], [[0, 0], [1, 0], [1, 1]])
    expected = [[0, 0.5 * 0.5, 0.5 * 0.3], [0.25, 0.1, 0.04]]
    np.testing.assert_allclose(np.exp(found), expected)


@pytest.mark.parametrize("groups", GROUPS, ids=str)
def test_log_likelihood_of_coins(groups):
    scheme = RandomizedResponse(0.7, groups).fit(BITS)
    releases = np.array(list(product((0, 1), repeat=4)))
    found = scheme.log_likelihood(releases, BITS[:7])
    np.testing.assert_allclose(np.exp(found), coins_in_full(scheme, BITS[:7].tolist()), atol=1e-15)


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
