"""The degree of error, Theorem 5.1, Delta R of LX14; accuracy from disguised test records."""

import itertools
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import VOTES, orthonormal, random_tuples, votes

from ppdm.datasets import load_adult_binary
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.guidance import Guidance, bit_probabilities
from ppdm.guidance._perturbation import bit_groups
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse
from ppdm.utility import degree_of_error, delta_r, disguised_accuracy

N_VALUES = (2, 3, 2, 2)


def tuples(seed, n=15):
    return random_tuples(seed, n, N_VALUES)


def literal(T, P, y, size):
    """Every set of attributes, every value of each, every tuple."""
    worst = 0.0
    for groups in itertools.combinations(bit_groups(N_VALUES), size):
        for bits in itertools.product(*(range(g.start, g.stop) for g in groups)):
            gap = 0.0
            for t, p, c in zip(T, P, y, strict=True):
                gap += (1 if c == 0 else -1) * (
                    np.prod([t[b] for b in bits]) - np.prod([p[b] for b in bits])
                )
            worst = max(worst, abs(gap) / len(T))
    return worst


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_degree_of_error_is_the_literal_one(seed, k):
    T, y = tuples(seed)
    P = bit_probabilities(T, orthonormal(seed, 9, k))
    expected = [literal(T, P, y, size) for size in (1, 2, 3)]
    np.testing.assert_allclose(degree_of_error(T, P, y, N_VALUES), expected, atol=1e-12)
    pairs = degree_of_error(T, P, y, N_VALUES, max_size=2)
    np.testing.assert_allclose(pairs, expected[:2], atol=1e-12)
    np.testing.assert_array_equal(degree_of_error(T, T, y, N_VALUES), 0)  # undisguised


@pytest.mark.parametrize(("order", "mu", "holds"), [
    ("signed", 0.025, False), ("magnitude", 0.01, False), ("magnitude", 0.0075, False),
    ("magnitude", 0.15, True), ("signed", 0.15, True),
])  # fmt: skip
def test_theorem_5_1_fails_or_says_nothing(order, mu, holds):
    # so it does for 550 seeds of 550, by .004 or more; at .005 there are a few with k* = 32
    T, y = votes()
    guidance = Guidance(32, order).update(T, y)
    P = bit_probabilities(T, guidance.vectors(guidance.disclosure_level(mu)))
    error, bound = degree_of_error(T, P, y, VOTES).max(), guidance.error_bound(mu)
    assert (bound > 1 > error) if holds else error > bound


def test_of_no_tuple_there_is_no_bound():
    with pytest.raises(ValueError, match="guidance must have seen a tuple"):
        Guidance(3).error_bound(0.1)


shares = st.floats(0, 1)


@given(shares, shares, st.floats(0, 1, exclude_max=True))
def test_the_equation(released, original, epsilon):
    got = delta_r(released, original, epsilon=epsilon)
    assert isinstance(got, float)
    assert got == pytest.approx(released - (1 - epsilon) * original)
    assert -1 <= got <= 1
    trials = delta_r([[released, 0.8], [0.6, 0.9]], [original, 0.9])  # are broadcast
    assert trials[1] == pytest.approx([0.6 - 0.98 * original, 0.02 * 0.9])
    assert trials[0] == pytest.approx([released - 0.98 * original, 0.8 - 0.98 * 0.9])


# Accuracy from disguised test records, against the papers' systems solved word for word


pytestmark = pytest.mark.filterwarnings("ignore:the estimated accuracy")
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


def reversals(groups, class_group):
    """Yield how the coins fall, which bits are then reversed, and whether the class is."""
    coins = [list(g) for g in (groups or [range(4)])]
    owner = class_group
    if class_group == "own":
        owner, coins = len(coins), [*coins, []]
    for choice in product([0, 1], repeat=len(coins)):
        bits = np.zeros(4, dtype=int)
        for lie, group in zip(choice, coins, strict=True):
            bits[group] = lie
        yield choice, bits, 0 if owner is None else choice[owner]


def chance(one, other, theta):
    """P that coins that fell one way fall the other way."""
    return math.prod(theta if a == b else 1 - theta for a, b in zip(one, other, strict=True))


def literal_accuracy(predict, X, y, theta, *layout):
    """DZ03 4.3 and ZCM04 3.5: test S and every set with groups reversed, and solve."""
    ways = list(reversals(*layout))
    correct = [np.mean(predict(X ^ bits) == (y ^ own)) for _, bits, own in ways]
    matrix = [[chance(one, other, theta) for other, *_ in ways] for one, *_ in ways]
    return np.linalg.solve(matrix, correct)[0]


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


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("theta", [0.8, 0.3, 0.0, 1.0])
def test_unbiased_with_the_errors_it_promises(layout, theta):
    """Summed over all coins a record's score is 1 where it is classified rightly, else 0.

    So the score's square less itself is on average the variance that its coins give it.
    """
    scheme, score = RandomizedResponse(theta, *layout), {}
    every = np.array(list(product([0, 1], repeat=5)))
    for *bits, label in every.tolist():
        one = disguised_accuracy(fixed_rule, [bits], [label], scheme)
        score[(*bits, label)] = one.proportion
    for *bits, label in every.tolist():
        mean = sum(chance(way, [0] * len(way), theta) * score[(*(bits ^ flipped), label ^ own)]
                   for way, flipped, own in reversals(*layout))  # fmt: skip
        right = float(fixed_rule(np.array([bits]))[0] == label)
        assert mean == pytest.approx(right, abs=1e-9)
    R = every[np.random.default_rng(5).integers(0, 32, 200)]
    each = np.array([score[tuple(report)] for report in R.tolist()])
    result = disguised_accuracy(fixed_rule, R[:, :4], R[:, 4], scheme)
    assert result.proportion == pytest.approx(each.mean())
    coins = (each**2 - each).sum()
    assert coins < 0 or result.disguise_error == pytest.approx(np.sqrt(coins) / 200)
    assert result.standard_error == pytest.approx(each.std(ddof=1) / np.sqrt(200))


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
