"""Naive Bayes on randomised responses: batches, and codes of many values."""

import numpy as np
import pytest

from ppdm.classifiers import CategoricalRandomizedResponseNB, RandomizedResponseNB
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    unrelated_question,
)

LAYOUTS = [
    (None, None),
    (None, 0),
    (None, "own"),
    ([[0, 3], [1, 2, 4]], None),
    ([[0, 3], [1, 2, 4]], 0),
    ([[0], [1], [2], [3], [4]], "own"),
]


def noisy_records(seed, n=120):
    """Skewed bits, and a class that depends on two of them."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 5)) < rng.uniform(0.2, 0.8, 5)).astype(int)
    y = ((X[:, 1] & X[:, 3]) ^ (rng.random(n) < 0.15)).astype(int)
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches_add_up(layout):
    X, y = noisy_records(3, n=200)
    whole = RandomizedResponseNB(0.7, *layout).fit(X, y)
    parts = RandomizedResponseNB(0.7, *layout)
    for rows in np.array_split(np.arange(200), 3):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(parts.pair_count_, whole.pair_count_, atol=1e-9)


# ---------------------------------------------------------------- codes


def test_two_values_are_randomised_response():
    """A coin for each attribute, two values: the same counts as the class for bits."""
    X, y = noisy_records(5)
    channel = RandomizedResponse(0.7).channel_matrix()
    bits = RandomizedResponseNB(0.7, [[j] for j in range(5)]).fit(X, y)
    codes = CategoricalRandomizedResponseNB(channel).fit(X, y)
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
    nb = CategoricalRandomizedResponseNB(channels)
    nb.fit(cells[:, :2], cells[:, 2], sample_weight=reported.ravel())
    np.testing.assert_allclose(nb.class_count_, truth.sum(axis=(0, 1)))
    np.testing.assert_allclose(nb.pair_count_[0], truth.sum(axis=1).T)
    np.testing.assert_allclose(nb.pair_count_[1, :, :2], truth.sum(axis=0).T)
    assert (nb.pair_count_[1, :, 2:] == 0).all()


def test_a_missing_report_is_counted_and_named():
    nb = CategoricalRandomizedResponseNB([[0.8, 0.2], [0.2, 0.8]])
    message = r"X has 1 missing value\(s\) \(NaN\), the first at \(1, 0\)"
    with pytest.raises(ValueError, match=message):
        nb.fit([[0, 1], [np.nan, 0]], [0, 1])
