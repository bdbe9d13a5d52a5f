"""The book's attacks and miners, where the answer is known, and their stored tables."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, one_hot
from ppdm_book.experiments import load_table, mended, private
from ppdm_book.experiments.lx14_others import cases, told_apart

# --- leave one out on invented records: what is told, what is not ---

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


# --- private releases: the adversary who counts ---


def people(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, d)), rng.integers(0, 2, n)


def test_who_gets_exact_counts_tells_everybody():
    X, y = people()
    told = private.matched(private.pair_counts(X, y), X, y, np.random.default_rng(1))
    assert set(told) <= {0.5, 1.0}  # 1/2 where the other is the same
    assert told.mean() > 0.8


def test_who_gets_counts_of_other_people_guesses():
    X, y = people(400)
    rng = np.random.default_rng(2)
    means = []
    for seed in range(30):
        # a mirror of the counts' error in sign has the opposite success, but for ties
        noise = np.triu(np.random.default_rng(seed).normal(0, 300, (6, 6)))
        counts = private.pair_counts(X, y) + noise + noise.T
        means.append(private.matched(counts, X, y, rng).mean())
    # one release tells all alike, so the releases are the draws
    assert abs(np.mean(means) - 0.5) < 5 * np.std(means, ddof=1) / np.sqrt(30) + 0.01


def test_the_gap_is_that_of_the_literal_distances():
    X, y = people(20, 3, 3)
    noise = np.random.default_rng(4).normal(0, 1, (4, 4))
    counts = private.pair_counts(X, y) + noise + noise.T
    told = private.matched(counts, X, y, np.random.default_rng(5))
    bits, rng = np.column_stack([y, X]), np.random.default_rng(5)
    expected = np.empty(20)
    for label in np.unique(y):
        inside = np.flatnonzero(y == label)
        drawn = inside[rng.integers(inside.size, size=inside.size)]
        for i, other in zip(inside, drawn, strict=True):
            rest = np.delete(bits, i, axis=0)
            left = counts - rest.T @ rest
            away = [((left - np.outer(s, s)) ** 2).sum() for s in (bits[i], bits[other])]
            same = (bits[i] == bits[other]).all()
            expected[i] = 0.5 if same else float(away[0] < away[1])
    np.testing.assert_array_equal(told, expected)


def test_tables_are_whole():
    assert len(load_table("private_release")) == len(list(private.release_cases())) == 320
    others = load_table("private_others")
    assert len(others) == len(list(private.others_cases())) == 40
    # no more than epsilon allows, over ten releases
    mean = others.groupby("epsilon")["matched"].mean()
    assert (mean <= 1 / (1 + np.exp(-mean.index.to_numpy()))).all()


# --- guided perturbation mended: the miner who keeps each report's V ---


def house(n):
    votes = load_voting(random_state=0)
    return one_hot(votes.data[:n], [2] * 16), votes.target[:n]


def test_told_everything_the_likelihood_gives_the_clear_shares():
    """V = I reads each bit: the reports are the tuples, and EM must find their very shares."""
    T, y = house(60)
    miner = mended._Likelihood(T[:20], y[:20])
    miner.receive(T[20:], y[20:], np.eye(32))
    for c in (0, 1):
        clear = (T[y == c, 1::2].sum(axis=0) + 1) / ((y == c).sum() + 2)
        np.testing.assert_allclose(miner.shares[c], clear, atol=1e-6)
    signs = 1.0 - 2 * y
    np.testing.assert_allclose(miner.A(), (T.T * signs) @ T, atol=1e-3)


def test_told_nothing_the_shares_stay_those_of_the_volunteers():
    """The sum of a vote's two bits is the same for all: reports along it must not move a share.

    EM then expects of each report the shares it has, one record of smoothing included: they stay.
    """
    T, y = house(60)
    V = np.sqrt(0.5) * np.eye(16)[:, :1].repeat(2, axis=0)
    miner = mended._Likelihood(T[:20], y[:20])
    before = miner.shares
    R = np.zeros((40, 32), dtype=int)
    R[:, :2] = np.random.default_rng(0).random((40, 2)) < 0.25
    miner.receive(R, y[20:], V)
    np.testing.assert_allclose(miner.shares, before, atol=1e-5)


def test_directions_are_those_of_the_guidance():
    T, y = house(200)
    clear = Guidance(32).update(T, y)
    found = mended._directions(clear.A)
    expected = clear.vectors(clear.disclosure_level(mended.MU))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)
