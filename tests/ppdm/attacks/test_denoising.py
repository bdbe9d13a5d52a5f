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


def rms(apart):
    return np.sqrt((apart**2).mean())


def test_an_estimate_is_judged_in_units_of_the_noise_beside_release_and_means():
    rng = np.random.default_rng(0)
    true, std = rng.normal(size=(500, 3)) * [3, 2, 1] + 5, np.array([1.0, 2.0, 0.5])
    releases = true + std * rng.normal(size=(4, 500, 3))
    for estimate in (spectral_filter(releases[0], std), average_releases(releases, std)):
        result = estimate.against(true)
        assert result.success == pytest.approx(rms((estimate.values - true) / std))
        assert result.released == pytest.approx(rms((releases[0] - true) / std), rel=0.1)
        assert result.ratio == pytest.approx(result.success / result.released)
        assert result.baseline == pytest.approx(rms((true - true.mean(axis=0)) / std))
        assert result.gain == result.baseline - result.success
        squares = (((estimate.values - true) / std) ** 2).mean(axis=1)  # over records, normal
        half = 1.959964 * squares.std(ddof=1) / np.sqrt(500)
        ends = np.sqrt([squares.mean() - half, squares.mean() + half])
        assert result.interval == pytest.approx(tuple(ends), rel=1e-7)
    np.testing.assert_allclose(average_releases(releases, std).values, releases.mean(axis=0))


@pytest.mark.parametrize(("noise_std", "n_components"), [(9.0, 0), (0.01, 4)])
def test_noise_leaves_the_means_and_what_is_no_noise_the_release(noise_std, n_components):
    disguised = np.random.default_rng(1).normal(size=(300, 4)) + np.arange(4)
    filtered = spectral_filter(disguised, noise_std)
    assert filtered.n_components == n_components
    means = np.tile(disguised.mean(axis=0), (300, 1))
    np.testing.assert_allclose(filtered.values, disguised if n_components else means)


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


@pytest.mark.parametrize("estimate", [spectral_filter, wiener_estimate])
def test_one_record_is_too_few(estimate):
    with pytest.raises(ValueError, match="at least two records"):
        estimate([[1.0, 2.0]], 1.0)
