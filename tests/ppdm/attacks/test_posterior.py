"""What the adversary knows about one value, and a malicious miner, against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.attacks import bayes_posterior, credible_interval, greedy_bits, identity_guidance
from ppdm.guidance import bit_probabilities, check_guidance, one_hot
from ppdm.noise import ValueClassMembership, privacy_interval
from ppdm.privacy import degree_of_disclosure
from ppdm.randomized_response import CategoricalRandomizedResponse

TWENTY = np.linspace(0, 1, 21)


@given(seed=st.integers(0, 10**6), n_released=st.integers(2, 6), n_true=st.integers(2, 6))
@settings(deadline=None, max_examples=30)
def test_posterior_is_bayes_rule(seed, n_released, n_true):
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.ones(n_released), n_true).T
    prior = rng.dirichlet(np.ones(n_true))
    posterior = bayes_posterior(channel, prior)
    for s in range(n_released):
        for q in range(n_true):
            evidence = sum(channel[s, t] * prior[t] for t in range(n_true))
            assert posterior[s, q] == pytest.approx(channel[s, q] * prior[q] / evidence)
    # what is known on average is what was known before
    assert (channel @ prior) @ posterior == pytest.approx(prior)


def test_posterior_of_a_channel_is_that_of_its_matrix():
    uneven = [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]
    channel = CategoricalRandomizedResponse(channel=[np.eye(3) * 0.7 + 0.1, uneven])
    channel.fit([[0, 1]])
    prior = [0.2, 0.3, 0.5]
    for j in range(2):
        expected = bayes_posterior(channel.channel_matrix(j), prior)
        assert np.array_equal(bayes_posterior(channel, prior, feature=j), expected)


def test_posterior_limits():
    prior = [0.2, 0.3, 0.5]
    assert bayes_posterior(np.eye(3), prior) == pytest.approx(np.eye(3))
    useless = bayes_posterior(np.full((4, 3), 0.25), prior)
    assert useless == pytest.approx(np.tile(prior, (4, 1)))
    several = bayes_posterior(np.full((4, 3), 0.25), [prior, [1, 0, 0]])
    assert several.shape == (2, 4, 3)
    assert several[1, 2].tolist() == [1, 0, 0]
    # an impossible release has no posterior
    posterior = bayes_posterior(np.eye(3), [0.5, 0.5, 0.0])
    ends = credible_interval(posterior, [0, 1, 2, 3])
    assert np.isnan([*posterior[2], *ends[2]]).all()
    assert posterior[:2].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ends[:2].tolist() == [pytest.approx([0, 0.95]), pytest.approx([1, 1.95])]


def brute_force(probabilities, edges, confidence, n=2000):
    """Shortest interval by trying left ends on a fine grid and at every edge."""
    cumulative = np.concatenate([[0], np.cumsum(probabilities)])
    starts = np.sort(np.concatenate([np.linspace(edges[0], edges[-1], n), edges]))
    reached = np.interp(starts, edges, cumulative) + confidence
    starts, reached = starts[reached <= 1 + 1e-12], reached[reached <= 1 + 1e-12]
    stops = np.interp(np.minimum(reached, 1), cumulative, edges)
    return (stops - starts).min()


@given(
    weights=st.lists(st.integers(1, 20), min_size=2, max_size=9),
    confidence=st.floats(0.05, 0.99),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=80)
def test_shortest_interval_by_brute_force(weights, confidence, seed):
    p = np.array(weights) / sum(weights)
    edges = np.cumsum(np.random.default_rng(seed).uniform(0.2, 2, len(p) + 1))
    low, high = credible_interval(p, edges, confidence)
    mass = np.diff(np.interp([low, high], edges, np.concatenate([[0], np.cumsum(p)])))[0]
    assert mass == pytest.approx(confidence, abs=1e-8)
    step = (edges[-1] - edges[0]) / 2000
    literal = brute_force(p, edges, confidence)
    assert literal - 25 * step <= high - low <= literal + 1e-7


def test_shortest_interval_by_hand():
    edges = [0, 10, 20, 30, 40]
    # 0.9 in the two middle intervals exactly; rounding must not carry it further
    assert credible_interval([0.05, 0.8, 0.1, 0.05], edges, 0.9).tolist() == [10, 30]
    assert credible_interval([0.05, 0, 0.2, 0.7, 0, 0.05], TWENTY[:7], 0.9) == pytest.approx(
        [0.1, 0.2]
    )
    # an end on an edge of the right: [15, 30] would be cut on the left
    assert credible_interval([0.0, 0.2, 0.8, 0.0], edges, 0.9) == pytest.approx([15, 30])
    # empty intervals between: the share lies on one side
    assert credible_interval([0.5, 0, 0, 0.5], edges, 0.5).tolist() == [0, 10]
    # unequal intervals: the density decides, not the probability
    assert credible_interval([0.5, 0.5], [0, 1, 10], 0.5).tolist() == [0, 1]
    # as near to certainty as a double comes: all that is not empty
    sure = np.nextafter(1, 0)
    assert credible_interval([0, 1 / 7, 4 / 7, 2 / 7], edges, sure) == pytest.approx([10, 40])
    batch = credible_interval(np.full((3, 2, 4), 0.25), edges, 0.5)
    assert batch.shape == (3, 2, 2)
    assert np.diff(batch, axis=-1) == pytest.approx(np.full((3, 2, 1), 20))


def test_many_rows_at_once_are_one_by_one():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(20), 500) * (rng.random((500, 20)) < 0.7)
    rows /= rows.sum(axis=1, keepdims=True)
    together = credible_interval(rows, TWENTY, 0.9)
    alone = np.array([credible_interval(row, TWENTY, 0.9) for row in rows])
    assert together == pytest.approx(alone, abs=1e-7)


def test_value_classes_leak_their_class_and_no_more():
    edges = np.linspace(0, 1, 11)
    channel = ValueClassMembership(2, domain=[[0, 1]]).on(edges).channel_matrix()
    ends = credible_interval(bayes_posterior(channel, np.full(10, 0.1)), edges)
    assert np.diff(ends, axis=1) == pytest.approx(
        np.full((2, 1), privacy_interval("discretization", 0.5, 0.95))
    )


# Guidance that a malicious miner chooses


@given(st.lists(st.integers(0, 7), min_size=1, unique=True))
def test_identity_guidance_is_valid_and_reads_the_bits(bits):
    V = check_guidance(identity_guidance(bits, 8), len(bits), len(bits), n_bits=8)
    T = np.random.default_rng(0).integers(0, 2, (20, 8))
    P = bit_probabilities(T, V)
    np.testing.assert_array_equal(P[:, bits], T[:, bits])
    np.testing.assert_array_equal(np.delete(P, bits, axis=1), 0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_greedy_bits_are_the_best_next_ones(seed):
    rng = np.random.default_rng(seed)
    n_values = (2, 3, 2)
    T = one_hot(rng.integers(0, n_values, (25, 3)), n_values)
    bits, degrees = greedy_bits(T, 3)
    for i, degree in enumerate(degrees):
        others = [
            degree_of_disclosure(T, bit_probabilities(T, identity_guidance([*bits[:i], b], 7)))
            for b in set(range(7)) - set(bits[:i].tolist())
        ]
        assert degree == pytest.approx(max(o.degree for o in others), abs=1e-9)


def test_greedy_is_not_always_best():
    # The docstring's caveat. The third attribute alone tells most, three from three, and the first
    # after it 3, 2 and 1 apart, which is 1.459 bits. The first two tell 2, 2 and 2 apart, 1.585
    # bits; and there are H(2, 1, 1, 2 of 6) = 1.918.
    X = [[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 1], [0, 1, 1]]
    T = one_hot(X, (2, 2, 2))
    best = max(
        degree_of_disclosure(T, T * np.isin(np.arange(6), pair)).degree
        for pair in itertools.combinations(range(6), 2)
    )
    assert (greedy_bits(T, 2)[1][-1], best) == pytest.approx((0.761, 0.826), abs=0.0005)


test_refusals = refusals(
    (lambda: identity_guidance([1, 1], 4), r"bits must be one or more different bits"),
    (lambda: greedy_bits([[1, 0], [1, 0]], 1), "T must hold tuples that differ"),
)  # fmt: skip
