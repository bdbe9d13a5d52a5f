"""Dealing records to intervals."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.classifiers._dealing import Dealer, largest_remainder
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import reconstruct_distribution

DISTRIBUTIONS = ("uniform", "gaussian", "laplace")


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
def test_dealt_codes_ascend_with_the_values_in_every_group(seed, n_labels, distribution):
    rng = np.random.default_rng(seed)
    noise = AdditiveNoise(distribution, scale=[0.4, 0.7])
    X = rng.normal(1, 1, (200, 2))
    if distribution == "uniform":
        X = np.clip(X, -0.3, 2.3)  # within the reach of the noise
    X[:50] = X[50:100]  # ties
    labels = rng.integers(0, n_labels, 200)
    channels = [noise.on(np.linspace(0, 2, 11), feature=j) for j in range(2)]
    codes = np.full((200, 2), -1, dtype=np.int32)
    wanted = np.ones((n_labels, 2), dtype=bool)
    wanted[0, 1] = False
    Dealer(X, channels, {}).deal(np.arange(200), labels, n_labels, wanted, codes)
    for g in range(n_labels):
        for j in range(2):
            mine = labels == g
            if not wanted[g, j]:
                assert (codes[mine, j] == -1).all()
                continue
            order = np.lexsort((codes[mine, j], X[mine, j]))
            assert (np.diff(codes[mine, j][order]) >= 0).all()
            if mine.any():
                shares = reconstruct_distribution(X[mine, j], channels[j]).probabilities
                expected = largest_remainder(shares, np.array(mine.sum()))
                assert np.bincount(codes[mine, j], minlength=10).tolist() == expected.tolist()
