"""Weights, clusters and strata."""

import numpy as np
import pytest
from literal import regression as literal

from ppdm._statistics import Scored
from ppdm._weighted import read_sample, weighted_mean


def test_the_spread_is_the_one_with_loops():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=(60, 3)), rng.integers(0, 3, 60).astype(float)
    clusters, strata = np.arange(60) // 4, np.arange(60) // 20
    for c, h in ((clusters, strata), (clusters, None), (None, strata), (None, None)):
        sample = read_sample(60, weights, c, h)
        w = sample.weights
        own, one = range(60) if c is None else c, [0] * 60 if h is None else h
        expected = literal.spread(scores * w[:, np.newaxis], w, own, one)
        np.testing.assert_allclose(sample.spread(scores * w[:, np.newaxis]), expected)
        n_clusters = np.unique(clusters[weights > 0]).size  # a cluster of no weight is none
        assert sample.degrees == (np.inf if c is None else n_clusters - (1 if h is None else 3))


def test_without_a_design_it_is_the_mean_and_its_error():
    scores = np.random.default_rng(0).normal(size=50)
    found = weighted_mean(scores, read_sample(50, None, None, None))
    assert found == pytest.approx((scores.mean(), scores.std(ddof=1) / np.sqrt(50), 50))
    same = weighted_mean(np.repeat(scores, 2), read_sample(100, None, np.arange(100) // 2, None))
    np.testing.assert_allclose(same, found)  # who is there twice says it once
    tenfold = weighted_mean(scores, read_sample(50, np.full(50, 10.0), None, None))
    np.testing.assert_allclose(tenfold, found)


def test_the_weighted_interval_covers_the_share():
    """An oversampled stratum, drawn in clusters: the unweighted share is twice the true one."""
    rng, hits, m, theta = np.random.default_rng(3), [], 400, 0.75
    scores = np.array([-(1 - theta), theta]) / (2 * theta - 1)
    for _ in range(m):
        own = rng.normal(size=60).repeat(20)  # 30 clusters of each stratum
        rare = np.repeat([0, 1], 600)
        share = np.where(rare, 0.5, 0.1) + 0.04 * own
        yes = rng.random(1200) < share * theta + (1 - share) * (1 - theta)
        weights = np.where(rare, 1.0, 9.0)
        sample = read_sample(1200, weights, np.repeat(np.arange(60), 20), rare)
        found = weighted_mean(scores[yes.astype(int)], sample)
        low, high = Scored(*found, 1.0, sample.degrees).interval(0.95)
        hits.append(low <= 0.14 <= high)
    # nominally .95, by the design .94 to .955: three standard errors of .011
    assert abs(np.mean(hits) - 0.95) < 0.01 + 3 * 0.011


def test_what_is_wrong_is_named():
    for kwargs, message in [
        ({"sample_weight": [1.0, -1.0]}, "sample_weight must not be negative"),
        ({"sample_weight": [0.0, 0.0]}, "sample_weight must hold a weight above zero"),
        ({"clusters": ["a", "a"]}, "clusters and strata must leave two .* got 1"),
        ({"clusters": ["a", "a"], "strata": [0, 1]}, "clusters must each lie in one"),
        ({"strata": [0, 1, 2]}, r"strata must have shape \(2,\)"),
        ({"clusters": [0.5, 1]}, "clusters must hold classes, whole"),
        ({"strata": [0, 1]}, "clusters and strata must leave two .* got 1"),
    ]:
        given = {"sample_weight": None, "clusters": None, "strata": None} | kwargs
        with pytest.raises(ValueError, match=message):
            read_sample(2, **given).spread(np.ones((2, 1)))
