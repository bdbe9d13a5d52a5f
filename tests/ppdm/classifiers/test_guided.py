"""Naive Bayes and ID3 on R(t): rows with no bit of an attribute, or several."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import same_trees

from ppdm.classifiers import GuidedNB, GuidedTreeClassifier
from ppdm.datasets import load_voting, make_agrawal
from ppdm.guidance import Guidance, one_hot, perturb
from ppdm.tree import CountTreeClassifier

N_VALUES = [2, 3]
VOTES = [2] * 16


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
    R, y = rng.integers(0, 2, (30, 5)), np.arange(30) % 2
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


def test_nb_on_the_votes():
    # the mean over fillings of the missing votes is 90.34% with sd .42 over 40 seeds; of 10
    # others it lies within 4 * .42 / sqrt(10) = .53. R(t) from V of the clear tuples, 10
    # fillings with 5 draws each: sd of a draw .48, of the mean at most .48 / sqrt(10)
    clear, magnitude, signed = [], {2: [], 9: []}, []
    for seed in range(100, 110):
        votes = load_voting(random_state=seed)
        T, y = one_hot(votes.data, VOTES), votes.target
        clear.append(GuidedNB(VOTES).fit(T, y).score(T, y))
        rng = np.random.default_rng(seed)

        def score(order, k, T=T, y=y, rng=rng):
            V = Guidance(32, order).update(T, y).vectors(k)
            drawn = (perturb(T, V, random_state=rng) for _ in range(5))
            return np.mean([GuidedNB(VOTES).fit(R, y).score(T, y) for R in drawn])

        for k, found in magnitude.items():
            found.append(score("magnitude", k))
        signed.append(score("signed", 2))
    assert np.mean(clear) == pytest.approx(0.9034, abs=0.0053)
    assert np.mean(magnitude[2]) == pytest.approx(0.886, abs=4 * 0.0048 / np.sqrt(10))
    assert np.mean(magnitude[9]) == pytest.approx(0.889, abs=4 * 0.0048 / np.sqrt(10))
    # in signed order the second class's direction is missing; sd of a draw 2.2
    assert np.mean(signed) == pytest.approx(0.66, abs=4 * 0.022 / np.sqrt(10))


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


def quartiles_cost(seed):
    """Return what a tree on clear quartiles loses to one on clear values, function 2."""
    X, y = make_agrawal(20_000, 2, random_state=2 * seed)
    X_test, y_test = make_agrawal(5_000, 2, random_state=2 * seed + 1)
    sizes = [4, 4, 4, 5, 4, 9, 4, 4, 4]
    # half of the people have no commission: below its cuts, so that they are together
    cuts = [
        None if j in (3, 5) else np.nextafter(np.quantile(X[:, j], [0.25, 0.5, 0.75]), np.inf)
        for j in range(9)
    ]
    T, T_test = (one_hot(values, sizes, cuts=cuts) for values in (X, X_test))
    values = CountTreeClassifier(criterion="entropy", pruning="sliq").fit(X, y)
    bits = GuidedTreeClassifier(sizes).fit(T, y)
    return values.score(X_test, y_test) - bits.score(T_test, y_test)


def test_quartiles_alone_cost_function_2_some_16_points():
    # of 25 pairs of 20,000 and 5,000 tuples: mean .156, deviation .010, that of eight's mean .0035
    assert np.mean([quartiles_cost(seed) for seed in range(8)]) == pytest.approx(0.16, abs=0.02)
