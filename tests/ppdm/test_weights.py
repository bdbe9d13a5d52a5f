"""Weights have no unit below one: rescaled, they teach every learner that takes them the same."""

import inspect

import numpy as np
import pytest
from scikit_learn_table import ESTIMATORS, OF_REAL_NUMBERS, REPEATED
from sklearn.base import clone
from trees import cut_up

from ppdm.classifiers import RandomizedResponseNB
from ppdm.naive_bayes import CountNB

N = 600
#: What else may hide a number of records: each learner is also tried with these, where it has them.
COUNTED = {"smoothing": 1.0, "min_samples_leaf": 3.0}
TAKE_WEIGHTS = [
    each
    for each in [*ESTIMATORS, *OF_REAL_NUMBERS]
    if "sample_weight" in inspect.signature(each.fit).parameters and type(each) not in REPEATED
]
LEARNERS = TAKE_WEIGHTS + [
    clone(each).set_params(**{name: COUNTED[name] for name in COUNTED if name in own})
    for each in TAKE_WEIGHTS
    if (own := each.get_params(deep=False)).keys() & COUNTED.keys()
]


def records():
    """Bits with cells that no record of a class has, and few that some have."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = np.column_stack([y & (rng.random(N) < 0.9), rng.random(N) < 0.01, rng.random(N) < 0.5])
    return X.astype(int), y


def learnt(learner):
    """Return all that a learner says of each record there can be, and the tree, if it is one."""
    every = np.indices((2, 2, 2)).reshape(3, -1).T
    shape = [learner.tree_.feature, learner.tree_.threshold] if hasattr(learner, "tree_") else []
    return [learner.predict(every), learner.predict_proba(every), *shape]


def same(one, other):
    for a, b in zip(learnt(one), learnt(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


@pytest.mark.parametrize("unit", [1 / N, 1 / 7, 0.25, 1e-9])
@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_weights_below_one_have_no_unit(learner, uneven, unit):
    # catches a floor of half a record, a correction by one, and a zero, that are told in weights
    X, y = records()
    weight = np.random.default_rng(1).random(N) if uneven else np.ones(N)
    whole = clone(learner).fit(X, y, sample_weight=weight)
    same(whole, clone(learner).fit(X, y, sample_weight=unit * weight))


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_nor_have_they_in_chunks(learner):
    # a chunk with weights of its own unit: what a record weighs is known at the end only
    X, y = records()
    X[0], X[1] = 0, 1  # who learns the values from the first chunk finds each of them there
    weight = np.random.default_rng(1).random(N) * 1e-9
    weight[300:] /= 1000
    parts = cut_up(np.random.default_rng(2), X[2:], y[2:], weight[2:])
    chunks = [(X[:2], y[:2], weight[:2]), *(part for part in parts if len(part[0]))]
    model, whole = clone(learner), clone(learner).fit(X, y, sample_weight=weight)
    if not hasattr(model, "partial_fit"):
        return
    options = {"classes": [0, 1]}
    for A, b, w in chunks:
        model.partial_fit(A, b, sample_weight=w, **options)
    same(model, whole)
    parts = [clone(learner).partial_fit(A, b, sample_weight=w, **options) for A, b, w in chunks]
    if getattr(learner, "n_values", 2) is not None:  # a part may lack a value
        same(sum(parts[1:], parts[0]), whole)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_counts_stay_in_the_unit_that_was_given(learner):
    X, y = records()
    one, other = (clone(learner).fit(X, y, np.full(N, w)) for w in (1.0, 0.001))
    for name in ("class_count_", "pair_count_"):
        if hasattr(one, name):
            np.testing.assert_allclose(getattr(one, name), 1000 * getattr(other, name))
    if hasattr(one, "tree_"):
        np.testing.assert_allclose(one.tree_.counts, 1000 * other.tree_.counts)


def test_a_question_that_nobody_was_asked_is_none_of_any_weight():
    from ppdm.randomized_response import CategoricalRandomizedResponse

    scheme = CategoricalRandomizedResponse(2, 0.8, asked=1, random_state=0)
    X, y = records()
    reports = scheme.fit(X).transform(X)
    nb = [
        RandomizedResponseNB(scheme).fit(reports, y, sample_weight=np.full(N, w))
        for w in (1.0, 1e-9)
    ]
    np.testing.assert_allclose(nb[0].pair_count_, 1e9 * nb[1].pair_count_)
    same(*nb)


def test_signed_records_count_as_persons_whatever_the_coin():
    # theta (2 theta - 1)^-1 and its complement average .56 at theta = .95, and stand for one
    theta, n = 0.95, 40
    a, b = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
    X, y = np.repeat([[0], [1]], n, axis=0), np.repeat([0, 1], n)
    nb = CountNB(2).fit(np.r_[X, 1 - X], np.r_[y, y], np.repeat([a, b], 2 * n))
    floor = np.exp(nb.predict_joint_log_proba([[1]])[0, 0]) * 2
    assert floor == pytest.approx(1 / (2 * 2 * n))  # of 80 persons, not of 160 records
