"""Naive Bayes on randomised responses: codes of many values."""

import numpy as np
import pytest

from ppdm.classifiers import RandomizedResponseNB
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    unrelated_question,
)


def test_two_values_are_randomised_response():
    """A coin for each attribute, two values: the same counts by a matrix as by the scheme."""
    rng = np.random.default_rng(5)
    X = (rng.random((120, 5)) < rng.uniform(0.2, 0.8, 5)).astype(int)
    y = X[:, 1] & X[:, 3]
    channel = RandomizedResponse(0.7).channel_matrix()
    bits = RandomizedResponseNB(RandomizedResponse(0.7, [[j] for j in range(5)])).fit(X, y)
    codes = RandomizedResponseNB(channel).fit(X, y)
    np.testing.assert_allclose(codes.pair_count_, bits.pair_count_, atol=1e-9)
    np.testing.assert_allclose(codes.class_count_, bits.class_count_, atol=1e-9)


def test_expected_counts_are_the_true_ones():
    """Fed with expected reported counts, as weights, the estimates are exact."""
    rng = np.random.default_rng(0)
    channels = [
        CategoricalRandomizedResponse(4, 0.5).channel_matrix(),
        unrelated_question(0.6, 0.3).channel_matrix(),
    ]
    truth = rng.integers(1, 9, (4, 2, 3)).astype(float)  # counts of (value, value, class)
    reported = np.einsum("ai,bj,ijc->abc", *channels, truth)
    cells = np.array(list(np.ndindex(4, 2, 3)))
    nb = RandomizedResponseNB(channels)
    nb.fit(cells[:, :2], cells[:, 2], sample_weight=reported.ravel())
    np.testing.assert_allclose(nb.class_count_, truth.sum(axis=(0, 1)))
    np.testing.assert_allclose(nb.pair_count_[0], truth.sum(axis=1).T)
    np.testing.assert_allclose(nb.pair_count_[1, :, :2], truth.sum(axis=0).T)
    assert (nb.pair_count_[1, :, 2:] == 0).all()


def test_a_channel_that_tells_nothing_of_some_value_is_refused():
    with pytest.raises(ValueError, match="channel must have 2 linearly"):
        RandomizedResponseNB(np.full((2, 2), 0.5)).fit([[0, 1], [1, 0]], [0, 1])
