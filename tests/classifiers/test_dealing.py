"""Channels of blocks of attributes, and dealing records to intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from ppdm.classifiers._blocks import Stop, make_blocks
from ppdm.classifiers._dealing import Dealer, largest_remainder
from ppdm.datasets import AGRAWAL_DOMAIN
from ppdm.exceptions import UnexplainedValueWarning
from ppdm.noise import AdditiveNoise

DISTRIBUTIONS = ("uniform", "gaussian")
PAPER = Stop("chi2", None, 10_000)


# --- dealing ---


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda p: sum(p) > 1e-3),
    st.integers(0, 10_000),
)
def test_largest_remainder_adds_up_and_is_nearest(weights, total):
    shares = np.array(weights) / sum(weights)
    counts = largest_remainder(np.stack([shares, shares[::-1]]), np.array([total, total]))
    assert (counts.sum(axis=1) == total).all()
    lost = shares * total - counts[0]
    assert (np.abs(lost) < 1 + 1e-6).all()
    # nobody rounded up had lost less than somebody rounded down
    up, down = lost < -1e-6, lost > 1e-6
    if up.any() and down.any():
        assert lost[up].min() + 1 >= lost[down].max() - 1e-6


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from(DISTRIBUTIONS))
def test_dealt_codes_ascend_with_the_values_in_every_group(seed, n_groups, distribution):
    rng = np.random.default_rng(seed)
    noise = AdditiveNoise(distribution, scale=[0.4, 0.7])
    X = rng.normal(1, 1, (200, 2))
    if distribution == "uniform":
        X = np.clip(X, -0.3, 2.3)  # within the reach of the noise
    X[:50] = X[50:100]  # ties
    groups = rng.integers(0, n_groups, 200)
    edges = [np.linspace(0, 2, 11)] * 2
    blocks = make_blocks(noise, np.array([0.4, 0.7]), edges, np.array([False, False]))
    codes = np.full((200, 2), -1, dtype=np.int32)
    wanted = np.ones((n_groups, 2), dtype=bool)
    wanted[0, 1] = False
    Dealer(X, blocks, PAPER).deal(np.arange(200), groups, n_groups, wanted, codes)
    for g in range(n_groups):
        for j in range(2):
            mine = groups == g
            if not wanted[g, j]:
                assert (codes[mine, j] == -1).all()
                continue
            order = np.lexsort((codes[mine, j], X[mine, j]))
            assert (np.diff(codes[mine, j][order]) >= 0).all()
            if mine.any():
                counted = blocks[j].count(X[mine], np.zeros(mine.sum(), dtype=int), 1)
                shares = blocks[j].reconstruct(counted, PAPER)[0][0, 0]
                expected = largest_remainder(shares, np.array(mine.sum()))
                assert np.bincount(codes[mine, j], minlength=10).tolist() == expected.tolist()


# --- blocks and their channels ---


def test_attributes_with_noise_as_wide_share_a_channel():
    noise = AdditiveNoise("gaussian", 0.5, domain=AGRAWAL_DOMAIN).fit(AGRAWAL_DOMAIN.T)
    edges = [np.linspace(low, high, 51) for low, high in AGRAWAL_DOMAIN]
    none = np.zeros(9, dtype=bool)
    (block,) = make_blocks(noise, noise.scale_, edges, none)
    assert block.features.tolist() == list(range(9))
    twice = noise.scale_ * np.where(np.arange(9) == 4, 2, 1)
    assert [len(b.features) for b in make_blocks(noise, twice, edges, none)] == [8, 1]
    whole = np.arange(9) == 2  # a whole number has another channel
    assert [len(b.features) for b in make_blocks(noise, noise.scale_, edges, whole)] == [8, 1]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_channel_of_whole_numbers_is_the_distribution_function(distribution):
    scale = 0.3
    noise = AdditiveNoise(distribution, scale=scale)
    edges = [np.arange(3.0, 9.0) - 0.5]
    (block,) = make_blocks(noise, np.array([scale]), edges, np.array([True]))
    cells = noise.disguised_edges(np.linspace(2.5, 7.5, 51))
    ends = np.concatenate([[-np.inf], cells[1:-1], [np.inf]])
    numbers = np.arange(3.0, 8.0)
    z = (ends[:, None] - numbers) / scale
    cdf = norm.cdf(z) if distribution == "gaussian" else np.clip((z + 1) / 2, 0, 1)
    # _POINT / scale times the largest density, 1/2, is the most that the width 2e-4 smears
    np.testing.assert_allclose(block.channel, np.diff(cdf, axis=0), atol=2e-4)
    np.testing.assert_allclose(block.channel.sum(axis=0), 1)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_whole_numbers_are_reconstructed_as_well_as_the_information_allows(distribution):
    rng = np.random.default_rng(3)
    p = np.array([0.4, 0.05, 0.25, 0.1, 0.2])
    n, scale = 20_000, 0.5
    values = rng.choice(5, n, p=p)[:, None]
    noise = AdditiveNoise(distribution, scale=scale, random_state=rng)
    Z = noise.fit_transform(values)
    edges = [np.arange(6) - 0.5]
    (block,) = make_blocks(noise, np.array([scale]), edges, np.array([True]))
    counts = block.count(Z, np.zeros(n, dtype=int), 1)
    found = block.reconstruct(counts, Stop("tol", 1e-9, 100_000))[0][0, 0]
    # standard error of maximum likelihood: the inverse of the Fisher information of n
    # releases under sum p = 1; five of them, for one test of five shares
    c = block.channel[block.channel.any(axis=1)]
    slope = c[:, :-1] - c[:, -1:]
    mixed = c @ p
    information = n * (slope / mixed[:, None]).T @ slope
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    assert (np.abs(found - p)[:-1] < 5 * error).all()
    assert error.max() < 0.01


def test_values_no_whole_number_reaches_are_named_and_counted_nearest():
    noise = AdditiveNoise("uniform", scale=0.2)
    (block,) = make_blocks(noise, np.array([0.2]), [np.arange(4) - 0.5], np.array([True]))
    Z = np.array([[0.1], [0.3], [1.9], [2.1]])  # 0.3 is 0.3 from 0 and 0.7 from 1
    counts = block.count(Z, np.zeros(4, dtype=int), 1)
    with pytest.warns(UnexplainedValueWarning, match=r"1 disguised value\(s\) lie where no whole"):
        shares, _ = block.reconstruct(counts, PAPER)
    np.testing.assert_allclose(shares[0, 0], [0.5, 0, 0.5])


