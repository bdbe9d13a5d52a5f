"""ID3 and naive Bayes on randomised responses, and on codes of many values."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.response import as_nested, id3, naive_bayes

from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
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
    ([[3, 1], [0, 2, 4]], "own"),
    ([[0], [1], [2], [3], [4]], "own"),
]
EVERY = np.array(list(product([0, 1], repeat=5)))


# ---------------------------------------------------------------- the papers' equations


def noisy_records(seed, n=120, n_bits=5):
    """A class that depends on two bits and skewed bits, so that trees have something to find."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, n_bits)) < rng.uniform(0.2, 0.8, n_bits)).astype(int)
    y = ((X[:, 1] & X[:, 3]) ^ (rng.random(n) < 0.15)).astype(int)
    y[:2] = 0, 1
    return X, y


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 200),
    layout=st.sampled_from(LAYOUTS),
    theta=st.sampled_from([0.0, 0.3, 0.55, 0.7, 0.9, 1.0]),
)
def test_trees_and_scores_are_the_literal_ones(seed, layout, theta):
    X, y = noisy_records(seed)
    scheme = RandomizedResponse(theta, *layout, random_state=seed)
    R, z = scheme.disguise(X, y)
    nb, score = RandomizedResponseNB(scheme).fit(R, z), naive_bayes(R, z, theta, *layout)
    np.testing.assert_allclose(nb.predict_joint_log_proba(EVERY), [*map(score, EVERY)], atol=1e-8)
    tree, literal = RandomizedResponseTreeClassifier(scheme).fit(R, z), id3(R, z, theta, *layout)
    assert as_nested(tree.estimator_.tree_, tree.classes_) == literal

    def leaf(node, record):
        return leaf(node[1 + record[node[0]]], record) if isinstance(node, tuple) else node

    np.testing.assert_array_equal(tree.predict(EVERY), [leaf(literal, each) for each in EVERY])


@pytest.mark.parametrize("there", [0, 1])
def test_a_class_estimated_at_exactly_zero_keeps_its_column(there):
    # theta = .75 turns these reports into 16 records of (0, 0), or of (0, 1), and none of the other
    times = [9, 3, 3, 1]
    R, z = np.repeat([[0], [0], [1], [1]], times, axis=0), there ^ np.repeat([0, 1, 0, 1], times)
    tree = RandomizedResponseTreeClassifier(RandomizedResponse(0.75, None, "own")).fit(R, z)
    np.testing.assert_array_equal(tree.predict_proba([[0], [1]]), np.eye(2)[[there, there]])


@pytest.mark.parametrize("kind", [RandomizedResponseTreeClassifier, RandomizedResponseNB])
@pytest.mark.parametrize(("class_group", "y"), [(0, [0, 1, 2]), ("own", [1, 1, 1])])
def test_a_coin_for_the_class_needs_two_classes(kind, class_group, y):
    with pytest.raises(ValueError, match=r"two classes .*got \[(0, 1, 2|1)\]"):
        kind(RandomizedResponse(0.7, None, class_group)).fit([[0, 1], [1, 0], [1, 1]], y)


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
