"""What the classifiers around a tree share, and those of guided tuples."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from trees import cut_up, same_trees

from ppdm.classifiers import GuidedNB, GuidedTreeClassifier, RandomizedResponseTreeClassifier
from ppdm.guidance import one_hot
from ppdm.randomized_response import RandomizedResponse
from ppdm.tree import CountTreeClassifier


def counted(*chunks):
    """Count each pattern of bits and class, chunk by chunk."""
    total = Counter(tuple(row) for X, y in chunks for row in np.column_stack([X, y]).tolist())
    patterns = np.array(list(total))
    return patterns[:, :-1], patterns[:, -1], list(total.values())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tree", [
    RandomizedResponseTreeClassifier(RandomizedResponse(0.7)),
    RandomizedResponseTreeClassifier(RandomizedResponse(0.6, [[0, 2], [1, 3], [4]], "own")),
    RandomizedResponseTreeClassifier(RandomizedResponse(0.8), max_depth=2),
    GuidedTreeClassifier([2, 3], min_samples_leaf=5),
    GuidedTreeClassifier([5]),
], ids=repr)  # fmt: skip
def test_patterns_that_were_counted_give_the_tree_of_all_reports(tree, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 700)
    R = (rng.random((700, 5)) < 0.3 + 0.4 * y[:, np.newaxis] * rng.random(5)).astype(int)
    chunks = cut_up(rng, R, y)
    whole, once = clone(tree).fit(R, y), clone(tree).fit(*counted(*chunks))
    assert whole.estimator_.get_n_leaves() > 1
    one, other = (model.estimator_.tree_ for model in (whole, once))
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.counts, other.counts, rtol=1e-12, atol=1e-8)
    # who came never, came never
    more = np.vstack([R, 1 - R[:1]]), np.append(y, 1 - y[0]), np.append(np.ones(700), 0)
    assert same_trees(clone(tree).fit(*more), whole)


# Naive Bayes and ID3 on R(t): rows with no bit of an attribute, or several


N_VALUES = [2, 3]


# --- naive Bayes ------------------------------------------------------------------------


def literal_nb(R, y, T):
    """Scores by the definition, one tuple, class and attribute at a time."""
    scores = np.zeros((len(T), 2))
    for i, t in enumerate(T):
        for c in (0, 1):
            scores[i, c] = np.log(np.mean(y == c))
            start = 0
            for size in N_VALUES:
                counts = [R[y == c, start + h].sum() + 1 for h in range(size)]
                value = t[start : start + size].tolist().index(1)
                scores[i, c] += np.log(counts[value] / sum(counts))
                start += size
    return scores


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_nb_is_the_definition_on_any_bits(seed):
    rng = np.random.default_rng(seed)
    R, y = rng.integers(0, 2, (30, 5)), np.arange(30) % 3 % 2  # classes of unequal sizes
    T = one_hot(rng.integers(0, N_VALUES, (10, 2)), N_VALUES)
    nb = GuidedNB(N_VALUES).fit(R, y)
    np.testing.assert_allclose(nb.predict_joint_log_proba(T), literal_nb(R, y, T), atol=1e-12)
    np.testing.assert_array_equal(nb.bit_count_, [R[y == c].sum(axis=0) for c in (0, 1)])
    assert nb.n_values_.tolist() == [2] * 5


def test_a_negative_count_is_none():
    R = one_hot([[0, 0], [1, 2], [0, 1]], N_VALUES)
    nb = GuidedNB(N_VALUES).fit(R, [0, 0, 1], sample_weight=[1, -0.5, 1])
    assert nb.bit_count_.tolist() == [[1, 0, 1, 0, 0], [1, 0, 0, 1, 0]]


def test_a_class_without_a_tuple_never_wins():
    # with probabilities of 1 for its values it would beat any class that has tuples
    T = one_hot([[0, 0], [1, 2], [0, 1], [1, 1]], N_VALUES)
    nb = GuidedNB(N_VALUES).partial_fit(T, [1, 1, 1, 1], classes=[0, 1])
    np.testing.assert_array_equal(nb.predict(T), 1)
    # prior of half a tuple and uniform values: .5 / 4 * 1/2 * 1/3
    first = np.exp(nb.predict_joint_log_proba(T)[:, 0])
    np.testing.assert_allclose(first, 0.5 / 4 / 6)


# --- the tree ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"pruning": None},
        {"criterion": "gini", "max_depth": 4, "min_samples_leaf": 6, "pruning": "sliq"},
        {"min_impurity_decrease": 0.01, "pruning": "stochastic"},
    ],
)
def test_tree_is_id3_on_the_bits_with_its_parameters(given):
    rng = np.random.default_rng(2)
    R, y = rng.integers(0, 2, (200, 5)), rng.integers(0, 2, 200)
    ours = GuidedTreeClassifier(N_VALUES, **given).fit(R, y)
    plain = CountTreeClassifier(**{"criterion": "entropy", "split": "multiway"} | given).fit(R, y)
    assert ours.estimator_.get_params() == plain.get_params()
    assert same_trees(ours, plain)
    T = one_hot([[0, 0], [0, 1], [1, 2]], N_VALUES)
    np.testing.assert_array_equal(ours.predict(T), plain.predict(T))
    np.testing.assert_allclose(ours.predict_proba(T), plain.predict_proba(T))
