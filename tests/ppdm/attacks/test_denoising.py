"""Filtering, shrinking and averaging: what is known in closed form, and bad input."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.attacks import average_releases, spectral_filter, wiener_estimate


def low_rank(n=2000, m=32, rank=3, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, m))
    return true, true + rng.normal(size=true.shape)


def test_three_directions_of_32_keep_their_part_of_the_noise():
    """Finding the directions and the means adds 3 and 1 of n = 2,000 to each other direction.

    Noise has an eigenvalue above the edge in one draw of thirty: of 2% more, told, in none of 400.
    """
    true, disguised = low_rank()
    filtered = spectral_filter(disguised, 1.02)
    result = filtered.against(true)
    assert filtered.n_components == 3
    # 4.5 standard errors of the root of a mean of 3 * 2,000 squares, and of 32 * 2,000
    expected = ((3 + 4 * 29 / 2000) / 32) ** 0.5
    assert result.ratio == pytest.approx(expected, rel=4.5 * 12_000**-0.5)
    assert result.released == pytest.approx(1 / 1.02, rel=4.5 * 128_000**-0.5)
    assert result.interval[0] < result.success < result.interval[1]
    assert result.baseline == pytest.approx(true.var(axis=0).mean() ** 0.5 / 1.02)
    assert result.gain == result.baseline - result.success > 1


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_filter_is_the_projection_of_the_covariance(shift):
    _, disguised = low_rank(300, 6, 2)
    disguised = disguised + shift
    values, vectors = np.linalg.eigh(np.cov(disguised.T))
    kept = vectors[:, values > (1 + (6 / 300) ** 0.5) ** 2]
    by_hand = disguised.mean(axis=0) + (disguised - disguised.mean(axis=0)) @ kept @ kept.T
    filtered = spectral_filter(disguised, 1.0)
    np.testing.assert_allclose(filtered.values, by_hand, atol=1e-8)
    np.testing.assert_allclose(filtered.eigenvalues, values[::-1], rtol=1e-8)


def test_independent_values_are_not_filtered():
    """Each direction holds as much as any: all are kept, and the estimate is the release."""
    rng = np.random.default_rng(1)
    true = rng.random((2000, 32))
    filtered = spectral_filter(true + rng.normal(scale=0.25, size=true.shape), 0.25)
    assert filtered.n_components == 32
    assert filtered.against(true).ratio == pytest.approx(1.0, abs=1e-12)


def test_pure_noise_leaves_the_means():
    """The edge lets through a direction in .17 of large samples (Tracy, Widom): 8.5 (2.7) of 50."""
    rng = np.random.default_rng(2)
    true = np.tile(np.arange(20.0), (1000, 1))
    kept = [spectral_filter(true + rng.normal(size=true.shape), 1.0) for _ in range(50)]
    assert sum(filtered.n_components for filtered in kept) <= 20
    none = next(filtered for filtered in kept if not filtered.n_components)
    np.testing.assert_allclose(none.values, none.disguised.mean(axis=0)[None].repeat(1000, axis=0))


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
@settings(deadline=None, max_examples=20)
def test_units_do_not_matter(seed, factor):
    """Attributes in other units, with noises in those units, give the same in those units."""
    rng = np.random.default_rng(seed)
    true, disguised = low_rank(50, 5, 2, seed)
    units = factor * rng.uniform(0.1, 10, 5)
    for estimate in (spectral_filter, wiener_estimate):
        plain, other = estimate(disguised, 1.0), estimate(disguised * units, units)
        np.testing.assert_allclose(other.values, plain.values * units, rtol=1e-6, atol=1e-9)
        assert other.against(true * units).ratio == pytest.approx(plain.against(true).ratio)


def test_wiener_estimates_are_those_of_the_textbook():
    _, disguised = low_rank(400, 4, 2)
    disguised[:, 3] = np.random.default_rng(0).normal(scale=0.3, size=400)  # less than its noise
    W = disguised - disguised.mean(axis=0)
    variance = np.maximum(W.var(axis=0, ddof=1) - 1, 0)
    scalar = wiener_estimate(disguised, 1.0)
    by_hand = disguised.mean(axis=0) + W * variance / (variance + 1)
    np.testing.assert_allclose(scalar.values, by_hand)
    assert scalar.n_components == (variance > 0).sum()
    assert variance[3] == 0


def test_error_of_a_mean_falls_as_the_root():
    """r n d = 20,000 squares of noise at each r: relative error of the root 1/sqrt(4 n d)."""
    rng = np.random.default_rng(4)
    true = rng.normal(size=(2000, 5)) * [1, 2, 3, 4, 5]
    std = np.array([1.0, 1, 2, 2, 3])
    releases = true + std * rng.normal(size=(16, 2000, 5))
    for r in (1, 2, 4, 16):
        error = average_releases(releases[:r], std).against(true).success
        assert error == pytest.approx(r**-0.5, rel=4 * (2 * 10_000) ** -0.5)


def test_interval_of_an_error_holds_what_it_promises():
    """The error of the release itself is 1: of 1,200 intervals at 95%, .946 less five errors.

    So many hold with 80 records (of 6,000); an interval at 90% would fail.
    """
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1200):
        release = rng.normal(size=(1, 80, 4))
        estimate = average_releases(release, 1.0)
        low, high = estimate.against(np.zeros((80, 4))).interval
        held += low <= 1 <= high
    assert held / 1200 >= 0.946 - 5 * (0.946 * 0.054 / 1200) ** 0.5


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([[1.0, 2.0]], 1.0), "at least two records"),
        (([[1.0], [2.0]], 0.0), "noise_std must be > 0"),
    ],
)
def test_bad_input_is_named(arguments, error):
    for estimate in (spectral_filter, wiener_estimate):
        with pytest.raises(ValueError, match=error):
            estimate(*arguments)
