"""Mixtures of products of histograms: EM, and the draws from what it found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.mixture import literal_fit, literal_posterior

from ppdm.classifiers._mixture_tree import _draw, draw_intervals, fit_mixture, random_start
from ppdm.reconstruction._em import iterate

FULL = {"n_passes": 60, "batch_size": 10**6, "online": False}


def coins(sizes, theta):
    """A channel of each attribute that tells the truth with theta, else any other value."""
    wrong = [(1 - theta) / (m - 1) for m in sizes]
    return [w + (theta - w) * np.eye(m) for m, w in zip(sizes, wrong, strict=True)]


def filled(matrices):
    """Stack channels of several sizes, filled up with zeros."""
    both = np.zeros((len(matrices), *np.max([m.shape for m in matrices], axis=0)))
    for out, matrix in zip(both, matrices, strict=True):
        out[: len(matrix), : matrix.shape[1]] = matrix
    return both


def example(seed, n=40, n_components=3):
    """Channels, released codes, and a start: as arrays, and word by word."""
    rng = np.random.default_rng(seed)
    # 5 cells of 3 intervals, 4 of 4, 2 of 2: every array has something to fill up
    channels = [rng.dirichlet(np.ones(s), m).T for s, m in ((5, 3), (4, 4), (2, 2))]
    codes = np.stack([rng.integers(0, len(c), n) for c in channels], axis=1)
    start = random_start(np.array([3, 4, 2]), n_components, rng)
    start *= rng.dirichlet(np.ones(n_components)) * n_components  # unequal weights
    weights = start[0].sum(axis=0)
    histograms = [
        [start[j, :m, k] / weights[k] for j, m in enumerate((3, 4, 2))]
        for k in range(n_components)
    ]  # fmt: skip
    return channels, codes, start, weights, histograms


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize("batch_size", [7, 40, 100])
def test_fit_is_the_literal_one(online, batch_size):
    channels, codes, start, weights, histograms = example(0)
    rule = {"n_passes": 3, "batch_size": batch_size, "online": online}
    found = fit_mixture(codes, filled(channels), start, **rule)
    weights, histograms, heights = literal_fit(
        codes.tolist(), channels, weights, histograms, **rule
    )
    np.testing.assert_allclose(found.log_likelihood, heights, rtol=0, atol=1e-10)
    for k, weight in enumerate(weights):
        for j, m in enumerate((3, 4, 2)):
            theirs = weight * histograms[k][j]
            np.testing.assert_allclose(found.joint[j, :m, k], theirs, rtol=0, atol=1e-10)
            assert not found.joint[j, m:, k].any()
    assert (found.joint >= 0).all()
    np.testing.assert_allclose(found.joint.sum(axis=(1, 2)), 1, rtol=1e-12)
    of_each = found.joint.sum(axis=1)  # the weights, the same for each attribute
    np.testing.assert_allclose(of_each, np.tile(of_each[0], (3, 1)), rtol=1e-12)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n_components=st.integers(1, 6))
def test_no_step_of_the_plain_form_lowers_the_likelihood(seed, n_components):
    """A wrong weight, channel or division shows here for some of the random channels."""
    channels, codes, start, *_ = example(seed, 30, n_components)
    found = fit_mixture(codes, filled(channels), start, n_passes=8, batch_size=9, online=False)
    # of the order of one rounding of a sum of 30 logarithms
    assert np.diff(found.log_likelihood).min() > -1e-12


def test_one_component_reconstructs_each_attribute_on_its_own():
    channels, codes, *_ = example(3, 200)
    start = random_start(np.array([3, 4, 2]), 1, np.random.default_rng(3))
    found = fit_mixture(codes, filled(channels), start, **FULL)
    for j, channel in enumerate(channels):
        counts = np.bincount(codes[:, j], minlength=len(channel))
        m = channel.shape[1]
        alone = iterate(channel, counts, start[j, :m, 0], stop=None, max_iter=60)
        np.testing.assert_allclose(found.joint[j, :m, 0], alone.probabilities, rtol=1e-10)


def test_a_known_mixture_is_found():
    """What is tied in the clear comes out tied: P[x0, x1] of records behind coins.

    No unbiased estimate of a cell from the counts of released pairs is better than EM's where
    the model is right; the inverse of the channel is one. 5 of its standard errors.
    """
    rng = np.random.default_rng(0)
    n, first, second = 20_000, [0.7, 0.2, 0.1, 0.0], [0.0, 0.1, 0.3, 0.6]
    true = 0.5 * np.outer(first, second[::-1]) + 0.5 * np.outer(second, first[::-1])
    x = np.stack(np.unravel_index(rng.choice(16, n, p=true.ravel()), (4, 4)), axis=1)
    channels = coins([4, 4], 0.7)
    codes = np.stack([(rng.random((n, 1)) > c.cumsum(axis=0)[:, x[:, j]].T).sum(axis=1)
                      for j, c in enumerate(channels)], axis=1)  # fmt: skip
    start = random_start(np.array([4, 4]), 2, rng)
    joint = fit_mixture(codes, np.array(channels), start, **FULL | {"n_passes": 150}).joint
    table = np.einsum("qk,rk->qr", joint[0], joint[1] / joint[1].sum(axis=0))
    inverse = np.kron(*(np.linalg.inv(c) for c in channels))
    released = np.kron(*channels) @ true.ravel()
    error = np.sqrt((inverse**2 @ released - true.ravel() ** 2) / n).reshape(4, 4)
    assert (np.abs(table - true) < 5 * error).all()
    # attributes taken for independent miss it by far more
    alone = np.outer(true.sum(axis=1), true.sum(axis=0))
    assert np.abs(alone - true).max() > 20 * error.max()


def test_the_online_form_comes_close_in_few_passes():
    """8 passes in batches reach what 8 plain steps do not, and nearly what 100 do."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 4000)
    x = np.stack([3 * x + rng.integers(0, 3, 4000), 3 * x + rng.integers(0, 3, 4000)], axis=1)
    channels = np.array(coins([6, 6], 0.5))
    codes = (x + (rng.random(x.shape) < 0.5) * rng.integers(1, 6, x.shape)) % 6
    start = random_start(np.array([6, 6]), 4, rng)
    plain = fit_mixture(codes, channels, start, n_passes=100, batch_size=200, online=False)
    fast = fit_mixture(codes, channels, start, n_passes=8, batch_size=200, online=True)
    (after,) = fit_mixture(codes, channels, fast.joint, **FULL | {"n_passes": 1}).log_likelihood
    eighth, last = plain.log_likelihood[[8, -1]]
    assert eighth < after
    # no farther below the best than the truth may lie: 2 n times that is chi-squared (Wilks) with
    # the table's 35 degrees at most, of mean 35 and variance 70
    assert last - after < (35 + 4 * 70**0.5) / (2 * 4000)


def test_a_start_has_equal_weights_and_full_smooth_histograms():
    sizes = np.array([30, 5, 9])
    start = random_start(sizes, 16, np.random.default_rng(0))
    np.testing.assert_allclose(start.sum(axis=1), 1 / 16)
    for histograms, m in zip(start, sizes, strict=True):
        assert (histograms[:m] > 0).all()
        assert not histograms[m:].any()
    # no two neighbours of 30 differ by more than the bump's steepest part, e^-.5 / .3 / 30 of
    # its height; an interval that stands alone would
    tops = start[0].max(axis=0)
    assert (np.abs(np.diff(start[0], axis=0)).max(axis=0) < tops * np.exp(-0.5) / 0.3 / 30).all()


# --- draws ---


def test_draws_have_the_posterior_of_all_attributes_together():
    """Not only each attribute's: the component binds them, and is drawn once a record."""
    channels, _, start, weights, histograms = example(4)
    record, n = [4, 0, 1], 60_000
    drawn = draw_intervals(
        np.tile(record, (n, 1)), filled(channels), start, np.random.default_rng(0)
    )
    table = literal_posterior(record, channels, weights, histograms)
    counts = np.bincount(np.ravel_multi_index(drawn.T, table.shape), minlength=table.size)
    p = table.ravel()
    # 24 cells, each binomial: 5 standard errors, and one count
    assert (np.abs(counts - n * p) < 5 * np.sqrt(n * p * (1 - p)) + 1).all()


def test_each_record_is_drawn_by_its_own_report():
    """Through a clear channel every draw is the truth, whatever the mixture."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, m, 500) for m in (3, 4, 2)], axis=1)
    start = random_start(np.array([3, 4, 2]), 5, rng)
    clear = filled([np.eye(3), np.eye(4), np.eye(2)])
    np.testing.assert_array_equal(draw_intervals(codes, clear, start, rng), codes)


class Says:
    """A generator whose draws are all one number."""

    def __init__(self, number):
        self.number = number

    def random(self, n, dtype):
        return np.full(n, self.number, dtype)


def test_what_has_no_mass_is_never_drawn():
    """Neither at the ends of the draws' range, nor in the last of many rows."""
    mass = np.tile([0.0, 0.3, 0.0, 0.1, 0.0], (1 << 14, 1))
    rows = np.array([0, 1, 5000, len(mass) - 1])
    assert _draw(mass, rows, Says(0.0)).tolist() == [1] * 4
    assert _draw(mass, rows, Says(1 - 2.0**-24)).tolist() == [3] * 4
    assert _draw(mass, rows, Says(0.75)).tolist() == [3] * 4
    assert _draw(mass, rows, Says(0.7499)).tolist() == [1] * 4
