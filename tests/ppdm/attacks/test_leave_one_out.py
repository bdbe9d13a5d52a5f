"""Leave one out, and the scale of all attacks; filtering, shrinking and averaging."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from scipy.stats import binomtest, norm

from ppdm.attacks import (
    average_releases,
    leave_one_out,
    recover_attributes,
    spectral_filter,
    wiener_estimate,
)
from ppdm.attacks._leave_one_out import judge_hits, judge_shares, share_interval
from ppdm.datasets import load_breast_cancer_wisconsin, load_voting
from ppdm.guidance import Guidance, one_hot
from ppdm.randomized_response import RandomizedResponse
from ppdm.svd import TruncatedSVDPerturbation

VOTES, PARTY = load_voting(fill="mode", return_X_y=True)


def bsvd(records, rng):
    return TruncatedSVDPerturbation(n_components=1).fit_transform(records)


def test_truncated_svd_releases_every_record():
    """The target or another one: all 435 votes, every seventh patient of 699."""
    assert leave_one_out(bsvd, VOTES, random_state=0).success == 1.0
    X = load_breast_cancer_wisconsin().data
    X = np.where(np.isnan(X), 1.0, X)
    attack = leave_one_out(bsvd, X, targets=np.arange(0, 699, 7), random_state=0)
    assert (attack.success, attack.n, attack.baseline) == (1.0, 100, 0.5)


def test_guidance_of_the_true_records_identifies_everybody():
    """V V' of 435 records, k = 2, against the 5 different candidates at a time."""
    people = np.column_stack([VOTES, PARTY])

    def publish(records, rng):
        guidance = Guidance(32)
        guidance.update(one_hot(records[:, :-1], [2] * 16), records[:, -1])
        return guidance.vectors(2) @ guidance.vectors(2).T

    targets = np.random.default_rng(0).choice(435, 20, replace=False)
    attack = leave_one_out(publish, people, targets=targets, candidates=people[:5])
    assert attack.success == 1.0
    assert attack.baseline == pytest.approx(1 / 6, abs=0.02)


def test_what_depends_on_nobody_says_nothing():
    people = np.arange(20.0).reshape(10, 2)
    attack = leave_one_out(lambda records, rng: [1.0, 2.0], people, candidates=people)
    assert attack.success == pytest.approx(attack.baseline)
    assert attack.baseline == pytest.approx(1 / 10)
    # a sum over one column cannot tell those who are equal in it
    people = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    attack = leave_one_out(lambda records, rng: records[:, 0].sum(), people, candidates=people)
    assert attack.credits.tolist() == [0.5] * 4

    def noisy(records, rng):  # hides the sum of one column, while the other gives the target away
        return records[:, 0].sum() + 100 * rng.normal(), records[:, 1].sum()

    people = np.tile([[0.0, 0], [1.0, 1]], (10, 1))
    assert leave_one_out(noisy, people, n_draws=3, random_state=0).success == 1.0


@pytest.mark.parametrize("scale", [0.05, 1.0, 5.0])
def test_a_noisy_sum_is_as_good_as_the_likelihood_ratio(scale):
    """Two candidates that differ by 1 in a sum with normal noise: the nearer mean of 40 draws.

    A mean is off by s = scale / sqrt(40). Their middle then lies beside the release's nearer side
    with p = Phi(.5 / hypot(scale, s / sqrt(2))), and they are in order with Phi(1 / (s sqrt(2))).
    400 targets: four standard errors are at most .1. Of 25 seeds the means are .684 and .525.
    """
    people = np.tile([[0.0], [1.0]], (200, 1))

    def noisy(records, rng):
        return records.sum() + scale * rng.normal()

    attack = leave_one_out(noisy, people, n_draws=40, random_state=1)
    s = scale / np.sqrt(40)
    p, ordered = norm.cdf(0.5 / np.hypot(scale, s / np.sqrt(2))), norm.cdf(1 / (s * np.sqrt(2)))
    hit = p * ordered + (1 - p) * (1 - ordered)
    assert attack.success == pytest.approx(hit, abs=4 * np.sqrt(hit * (1 - hit) / 400))
    assert attack.interval[0] <= attack.success <= attack.interval[1]


def test_the_records_are_not_changed_and_wholes_may_become_fractions():
    people = np.array([[0, 0], [1, 1], [1, 0]])
    seen = []

    def greedy(records, rng):
        seen.append(records.sum())
        records[:] = 0
        return seen[-1]

    attack = leave_one_out(greedy, people, candidates=[[0.5, 0.25]])
    assert attack.success == 1.0
    assert people.tolist() == [[0, 0], [1, 1], [1, 0]]
    assert 3.75 in seen


PEOPLE = np.array([[0.0, 1.0], [2.0, 3.0]])


test_bad_input_is_named = refusals(
    (lambda records: 0.0, {}, "mechanism must be a function of .* a Generator", TypeError),
    (lambda records, rng: rng.normal(), {}, "n_draws must be given"),
    (lambda records, rng: rng.normal(size=rng.integers(1, 99)), {"n_draws": 5}, "for all records"),
    (bsvd, {"candidates": [[0.0, 1.0]]}, "a record that differs from target 0"),
    by=lambda mechanism, arguments: leave_one_out(mechanism, PEOPLE, random_state=0, **arguments),
)  # fmt: skip


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 10), (434, 435)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_interval_of_hits_is_clopper_pearsons(hits, n, confidence):
    exact = binomtest(hits, n).proportion_ci(confidence, method="exact")
    assert share_interval(hits, n, confidence) == pytest.approx((exact.low, exact.high))


def test_parts_of_hits_lie_between_whole_ones_and_add_up_to_all_at_most():
    result = judge_hits(np.array([1.0, 0.0, 0.5, 1.0]), np.full(4, 0.25))
    assert (result.success, result.baseline, result.gain, result.n) == (0.625, 0.25, 0.375, 4)
    assert judge_hits(np.full(10, 0.1 * 10 + 1e-16), np.zeros(10)).interval[1] == 1.0
    lower, part, upper = (share_interval(hits, 10, 0.95) for hits in (3, 3.5, 4))
    assert lower[0] < part[0] < upper[0]
    assert lower[1] < part[1] < upper[1]


def test_what_is_printed_of_many_targets_fits_on_two_lines():
    bits = np.random.default_rng(0).integers(0, 2, (500, 3))
    coin = RandomizedResponse(0.7, random_state=0).fit(bits)
    result = recover_attributes(coin, coin.transform(bits), bits, pool=bits)
    assert len(result.credits) == 500
    assert f"success={result.success!r}" in repr(result)
    assert len(repr(result)) < 200


def test_shares_vary_over_targets_and_equal_ones_are_taken_for_hits():
    shares = np.array([0.25, 0.5, 0.75, 1.0] * 25)
    result = judge_shares(shares, np.zeros(100))
    half = 1.959964 * shares.std(ddof=1) / 10
    assert result.interval == pytest.approx((0.625 - half, 0.625 + half), abs=1e-6)
    same = judge_shares(np.ones(100), np.zeros(100))
    assert same.interval == pytest.approx((0.025**0.01, 1.0))


# Filtering, shrinking and averaging: what is known in closed form


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
