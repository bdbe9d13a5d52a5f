"""Accuracy from disguised test records, against the papers' systems solved word for word."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.classifiers import RandomizedResponseTreeClassifier
from ppdm.datasets import load_adult_binary
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse
from ppdm.utility import disguised_accuracy

LAYOUTS = [
    (None, None),
    (None, 0),
    (None, "own"),
    ([[0, 2], [1, 3]], None),
    ([[0, 2], [1, 3]], 1),
    ([[0, 2], [1, 3]], "own"),
    ([[0], [1], [2], [3]], "own"),
]


def fixed_rule(bits):
    """Any function of the bits will do as a classifier."""
    return (bits[:, 0] & bits[:, 1]) | bits[:, 3]


def data(seed, n=80):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 4)) < 0.4).astype(int)
    return X, fixed_rule(X) ^ (rng.random(n) < 0.2)


def literal_accuracy(predict, X, y, theta, groups, class_group):
    """DZ03 4.3 and ZCM04 3.5: test S and every set with groups reversed, and solve."""
    coins = [list(g) for g in (groups or [range(X.shape[1])])]
    owner = class_group
    if class_group == "own":
        owner, coins = len(coins), [*coins, []]
    choices = list(product([0, 1], repeat=len(coins)))
    correct = []
    for choice in choices:
        S, z = X.copy(), y.copy()
        for flip, group in zip(choice, coins, strict=True):
            if flip:
                S[:, group] = 1 - S[:, group]
        if owner is not None and choice[owner]:
            z = 1 - z
        correct.append(sum(p == c for p, c in zip(predict(S), z, strict=True)) / len(X))
    matrix = [
        [
            math.prod(theta if a == b else 1 - theta for a, b in zip(r, c, strict=True))
            for c in choices
        ]
        for r in choices
    ]
    return np.linalg.solve(matrix, correct)[0]


@pytest.mark.filterwarnings("ignore:the estimated accuracy")
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 99),
    layout=st.sampled_from(LAYOUTS),
    theta=st.sampled_from([0.0, 0.2, 0.45, 0.6, 0.8, 1.0]),
)
def test_solves_the_papers_system(seed, layout, theta):
    X, y = data(seed)
    ours = disguised_accuracy(fixed_rule, X, y, RandomizedResponse(theta, *layout))
    literal = literal_accuracy(fixed_rule, X, y, theta, *layout)
    assert ours.proportion == pytest.approx(literal, abs=1e-9)
    assert ours.n == 80


def test_the_order_of_eq_7_matters():
    """M2 in its own order is unbiased; with the vector as printed the answer is another one."""
    # a rule and a class that hang on the first group alone, so that the swapped two differ
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (500, 4))
    y = X[:, 0] ^ (rng.random(500) < 0.2)

    def first_bit(bits):
        return bits[:, 0]

    groups, theta = [[0, 2], [1, 3]], 0.8
    order = {"cc": (0, 0), "cC": (0, 1), "Cc": (1, 0), "CC": (1, 1)}  # C: the group reversed
    share = {}
    for name, flips in order.items():
        S = X.copy()
        for flip, group in zip(flips, groups, strict=True):
            S[:, group] ^= flip
        share[name] = (first_bit(S) == y).mean()
    m2 = np.kron([[0.8, 0.2], [0.2, 0.8]], [[0.8, 0.2], [0.2, 0.8]])
    right = np.linalg.solve(m2, [share[k] for k in ("cc", "cC", "Cc", "CC")])[0]
    printed = np.linalg.solve(m2, [share[k] for k in ("cc", "CC", "Cc", "cC")])[0]
    ours = disguised_accuracy(first_bit, X, y, RandomizedResponse(theta, groups)).proportion
    assert ours == pytest.approx(right)
    # the weights -4/9 and 1/9 of shares near .8 and .2 change places: .33, and a share of 500
    # has a standard error of .018, so five of the difference's are 5 * 5/9 * 2 * .018 = .10
    assert printed - right == pytest.approx(5 / 9 * 0.6, abs=0.10)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unbiased_with_the_errors_it_promises(layout):
    """2,000 disguises of the same 200 test records.

    The mean within 5 of its standard errors; the variance, whose relative sd is
    sqrt(2 / 1999) = .032, within 5 of these of the mean promised one.
    """
    rng = np.random.default_rng(5)
    X, y = data(2, n=200)
    scheme = RandomizedResponse(0.8, *layout, random_state=rng)
    results = [
        disguised_accuracy(fixed_rule, *scheme.disguise(X, y), scheme) for _ in range(2000)
    ]
    accuracy = np.array([result.proportion for result in results])
    promised = np.mean([result.disguise_error**2 for result in results])
    truth = (fixed_rule(X) == y).mean()
    assert abs(accuracy.mean() - truth) < 5 * np.sqrt(promised / 2000)
    assert accuracy.var(ddof=1) / promised == pytest.approx(1, abs=5 * 0.032)


def test_standard_error_is_for_new_records_too():
    """2,000 samples of 200 records each, disguised anew: bounds as above."""
    rng = np.random.default_rng(6)
    scheme = RandomizedResponse(0.75, random_state=rng)
    results = []
    for _ in range(2000):
        X = (rng.random((200, 4)) < 0.4).astype(int)
        y = fixed_rule(X) ^ (rng.random(200) < 0.2)
        results.append(disguised_accuracy(fixed_rule, *scheme.disguise(X, y), scheme))
    accuracy = np.array([result.proportion for result in results])
    promised = np.mean([result.standard_error**2 for result in results])
    assert abs(accuracy.mean() - 0.8) < 5 * np.sqrt(promised / 2000)
    assert accuracy.var(ddof=1) / promised == pytest.approx(1, abs=5 * 0.032)


@pytest.mark.parametrize("theta", [0.0, 1.0])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_at_the_ends_it_is_the_ordinary_accuracy(theta, layout):
    X, y = data(3)
    scheme = RandomizedResponse(theta, *layout)
    estimate = disguised_accuracy(fixed_rule, *scheme.disguise(X, y), scheme)
    assert estimate.proportion == pytest.approx((fixed_rule(X) == y).mean(), abs=1e-12)
    assert estimate.disguise_error == 0


def test_a_whole_evaluation_without_a_clear_record():
    """ID3 from disguised training bits of Adult, judged by disguised test bits.

    Two estimates of one accuracy: within 4 of its standard errors of the clear one.
    """
    rng = np.random.default_rng(7)
    X, y = load_adult_binary("train", return_X_y=True)
    Xt, yt = load_adult_binary("test", return_X_y=True)
    scheme = RandomizedResponse(0.8, class_group=0, random_state=rng)
    tree = RandomizedResponseTreeClassifier(scheme).fit(*scheme.disguise(X, y))
    estimate = disguised_accuracy(tree, *scheme.disguise(Xt, yt), scheme)
    assert abs(estimate.proportion - (tree.predict(Xt) == yt).mean()) < 4 * estimate.disguise_error


def test_fourteen_coins_are_few_patterns():
    X, y = load_adult_binary("test", return_X_y=True)
    nb = CountNB(2).fit(X, y)
    scheme = RandomizedResponse(0.95, [[j] for j in range(14)], "own", random_state=1)
    estimate = disguised_accuracy(nb, *scheme.disguise(X, y), scheme)
    assert abs(estimate.proportion - (nb.predict(X) == y).mean()) < 4 * estimate.disguise_error


def test_public_classes_may_be_any_labels():
    X, y = data(4)
    names, scheme = np.array(["no", "yes"]), RandomizedResponse(0.8)
    ours = disguised_accuracy(lambda bits: names[fixed_rule(bits)], X, names[y], scheme)
    assert ours == disguised_accuracy(fixed_rule, X, y, scheme)


def test_a_fair_coin_and_too_few_answers_are_refused():
    with pytest.raises(ValueError, match="cannot be inverted"):
        disguised_accuracy(fixed_rule, [[0] * 4], [0], RandomizedResponse(0.5))
    with pytest.raises(ValueError, match=r"the classes of predict must have shape \(2,\), one a"):
        disguised_accuracy(lambda bits: [1], [[0] * 4], [0], RandomizedResponse(0.7))


def test_too_many_coins_are_counted_in_a_warning():
    # 435 votes as 1984's: each of 16 coins multiplies the mean square by .58 / .16 = 3.625 at most
    bits = np.random.default_rng(3).integers(0, 2, (435, 16))
    coins = RandomizedResponse(0.7, groups=[[j] for j in range(16)], random_state=0)
    reports = coins.fit_transform(bits)
    with pytest.warns(
        NegativeEstimateWarning, match=r"16 coin.*3\.63 times.*435 .*carry 1 to"
    ) as seen:
        found = disguised_accuracy(
            lambda X: X.sum(axis=1) > 7, reports, bits.sum(axis=1) > 7, coins
        )
    assert found.standard_error > 0.25
    assert seen[0].filename == __file__
    # one coin, which that many records carry: 435 * .1^2 = 4.35 lies between 3.625 and its square
    disguised_accuracy(lambda X: X[:, 0], reports, bits[:, 0], coins)
