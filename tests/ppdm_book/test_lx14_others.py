"""Leave one out on invented records: what is told, what is not, and the stored table."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ppdm_book.experiments import load_table
from ppdm_book.experiments.lx14_others import cases, told_apart

# ten people in a row, of two classes that alternate
LINE = np.arange(10.0)[:, np.newaxis]
EVERY_OTHER = np.arange(10) % 2


def attack(estimators, released, X=LINE, y=EVERY_OTHER, targets=None, seed=0):
    rows = np.arange(len(X)) if targets is None else targets
    return told_apart(estimators, X, y, np.asarray(released), rows, np.random.default_rng(seed))


def test_who_decides_the_class_of_a_released_record_is_told():
    # without the target its own place goes to a neighbour, who is of the other class
    assert attack([KNeighborsClassifier(1)], LINE).tolist() == [1.0] * 10


def test_who_decides_no_class_is_not():
    assert attack([DummyClassifier()], LINE).tolist() == [0.5] * 10
    # the one released record is next to row 7: only its candidate can be told
    told = attack([KNeighborsClassifier(1)], [[7.1]], targets=np.array([7]))
    assert told.tolist() == [1.0]
    alone = attack([KNeighborsClassifier(1)], [[7.1]], targets=np.array([1]))
    assert alone.tolist() == [0.5]


def test_one_classifier_that_tells_is_enough():
    both = [DummyClassifier(), KNeighborsClassifier(1)]
    assert attack(both, LINE).tolist() == attack(both[::-1], LINE).tolist() == [1.0] * 10


def test_the_other_candidate_is_of_the_targets_class():
    # classes far apart: a candidate of the other class would give its own half another class
    X = np.r_[LINE, LINE + 1000]
    y = np.repeat([4, 9], 10)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    told = attack([tree], [[-50.0], [300.0], [2000.0]], X, y, targets=np.array([5, 15]))
    assert told.tolist() == [0.5] * 2


def test_a_slow_attack_finds_as_much():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    released = rng.uniform(-2, 2, size=(60, 2))
    fast = attack([KNeighborsClassifier(1)], released, X, y, np.arange(40))
    before = KNeighborsClassifier(1).fit(X, y).predict(released)
    chances = []
    for i in range(40):  # over all others of the class, not one at random
        told = []
        for j in np.flatnonzero((y == y[i]) & (np.arange(40) != i)):
            people = X.copy()
            people[i] = X[j]
            after = KNeighborsClassifier(1).fit(people, y).predict(released)
            told.append(1.0 if (after != before).any() else 0.5)
        chances.append(np.mean(told))
    # 40 draws of which each spreads by at most .25
    assert fast.mean() == pytest.approx(np.mean(chances), abs=4 * 0.25 / np.sqrt(40))


def test_every_row_is_at_least_a_guess_and_more_records_tell_more():
    table = load_table("lx14_others")
    assert len(table) == len(list(cases())) == 90
    assert table.success.between(0.5, 1).all()  # the true candidate is never ruled out
    mean = table.groupby(["dataset", "parameter"]).success.mean().unstack()
    assert (mean[16.0] > mean[1.0] + 0.05).all()
