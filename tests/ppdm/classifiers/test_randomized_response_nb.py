"""Naive Bayes on randomised responses: batches, projections, and codes of many values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("projection", [None, "clip", "simplex", "em"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches_add_up(layout, projection):
    X, y = noisy_records(3, n=200)
    whole = RandomizedResponseNB(0.7, *layout, projection=projection).fit(X, y)
    parts = RandomizedResponseNB(0.7, *layout, projection=projection)
    for rows in np.array_split(np.arange(200), 3):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(parts.pair_count_, whole.pair_count_, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 99),
    layout=st.sampled_from(LAYOUTS),
    theta=st.sampled_from([0.1, 0.4, 0.6, 0.8]),
    projection=st.sampled_from(["clip", "simplex", "em"]),
)
def test_projected_counts_are_legal_and_keep_their_total(seed, layout, theta, projection):
    X, y = noisy_records(seed, n=40)
    nb = RandomizedResponseNB(theta, *layout, projection=projection).fit(X, y)
    raw = RandomizedResponseNB(theta, *layout).fit(X, y)
    assert nb.pair_count_.min() >= 0
    assert nb.class_count_.min() >= 0
    np.testing.assert_allclose(nb.pair_count_.sum(axis=(1, 2)), 40)
    legal = (raw.pair_count_ > 1e-6).all(axis=(1, 2))  # nothing to project: nothing changes
    if projection != "em":
        np.testing.assert_allclose(nb.pair_count_[legal], raw.pair_count_[legal])


def test_for_one_bit_the_three_projections_are_one():
    """Two cells of known total: cutting, the nearest and the likeliest point coincide.

    EM walks there in steps and stops within its tolerance; the others are exact.
    """
    X, y = noisy_records(11, n=60)
    clip, simplex, em = (
        RandomizedResponseNB(0.6, projection=name).fit(X, y).pair_count_
        for name in ("clip", "simplex", "em")
    )
    assert (RandomizedResponseNB(0.6).fit(X, y).pair_count_ < 0).any()
    np.testing.assert_allclose(clip, simplex, atol=1e-9)
    # EM stops when a share moves by less than 1e-6. A share x whose end is near 0 comes down by
    # x (x - end) / 6 at theta = .6 (the bracket of the step, derived at 0, is .4 * .6 * .2 / .16
    # - .6 * .4 * .2 / .36), so x - end <= sqrt(6e-6) = .0025, of sixty records at most.
    np.testing.assert_allclose(clip, em, atol=0.0025 * 60)


def test_a_class_not_seen_yet_has_no_counts_to_project():
    nb = RandomizedResponseNB(0.7, projection="clip")
    nb.partial_fit([[0, 1], [1, 1]], [0, 0], classes=[0, 1])
    assert (nb.pair_count_[:, 1] == 0).all()


# ---------------------------------------------------------------- codes


def test_two_values_are_randomised_response():
    """A coin for each attribute, two values: the same counts as the class for bits."""
    X, y = noisy_records(5)
    channel = RandomizedResponse(0.7).channel_matrix()
    for class_group, class_channel in ((None, None), ("own", channel)):
        bits = RandomizedResponseNB(0.7, [[j] for j in range(5)], class_group).fit(X, y)
        codes = CategoricalRandomizedResponseNB(channel, class_channel).fit(X, y)
        np.testing.assert_allclose(codes.pair_count_, bits.pair_count_, atol=1e-9)
        np.testing.assert_allclose(codes.class_count_, bits.class_count_, atol=1e-9)


@pytest.mark.parametrize("class_channel", [None, 0.7 * np.eye(3) + 0.1])
def test_expected_counts_are_the_true_ones(class_channel):
    """Fed with expected reported counts, as weights, the estimates are exact."""
    rng = np.random.default_rng(0)
    channels = [
        CategoricalRandomizedResponse(4, 0.5).channel_matrix(),
        unrelated_question(0.6, 0.3).channel_matrix(),
    ]
    of_class = np.eye(3) if class_channel is None else np.asarray(class_channel)
    truth = rng.integers(1, 9, (4, 2, 3)).astype(float)  # counts of (value, value, class)
    reported = np.einsum("ai,bj,ck,ijk->abc", channels[0], channels[1], of_class, truth)
    cells = np.array(list(np.ndindex(4, 2, 3)))
    nb = CategoricalRandomizedResponseNB(channels, class_channel)
    nb.fit(cells[:, :2], cells[:, 2], sample_weight=reported.ravel())
    np.testing.assert_allclose(nb.class_count_, truth.sum(axis=(0, 1)))
    np.testing.assert_allclose(nb.pair_count_[0], truth.sum(axis=1).T)
    np.testing.assert_allclose(nb.pair_count_[1, :, :2], truth.sum(axis=0).T)
    assert (nb.pair_count_[1, :, 2:] == 0).all()


@pytest.mark.parametrize("projection", ["clip", "simplex", "em"])
def test_values_an_attribute_lacks_get_nothing_from_a_projection(projection):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 4, 30), rng.integers(0, 2, 30)])
    channels = [CategoricalRandomizedResponse(k, 0.6).channel_matrix() for k in (4, 2)]
    nb = CategoricalRandomizedResponseNB(channels, projection=projection).fit(X, X[:, 1])
    assert (nb.pair_count_[1, :, 2:] == 0).all()
    assert nb.pair_count_.min() >= 0


def test_a_missing_report_is_counted_and_named():
    nb = CategoricalRandomizedResponseNB([[0.8, 0.2], [0.2, 0.8]])
    message = r"X has 1 missing value\(s\) \(NaN\), the first at \(1, 0\)"
    with pytest.raises(ValueError, match=message):
        nb.fit([[0, 1], [np.nan, 0]], [0, 1])
