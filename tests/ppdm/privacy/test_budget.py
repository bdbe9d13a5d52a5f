"""A budget: what it counts, where it stops, its bound for who chooses as he goes; composition."""

from copy import copy
from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refusals
from scipy.integrate import quad
from scipy.stats import binom, norm
from sklearn.exceptions import NotFittedError

from ppdm.exceptions import BudgetExceededError
from ppdm.generation import PrivateTreeGenerator
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership
from ppdm.privacy import Budget, Guarantee, compose, gaussian_delta, gaussian_epsilon, local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MemoizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

TWO = [[0, 1], [0, 9]]
BITS = np.array([[0, 1], [1, 1]])
#: What each scheme spends of a record of two attributes.
COSTS = {
    "coins": (RandomizedResponse(epsilon=0.5, groups=[[0], [1]]).fit(BITS), 1.0, 0),
    "codes": (CategoricalRandomizedResponse(n_values=3, epsilon=0.4).fit(BITS), 0.8, 0),
    "unary": (UnaryEncoding(3, epsilon=0.4).fit(BITS), 0.8, 0),
    "one of two": (MixedResponse([UnaryEncoding(2)] * 2, epsilon=0.7, asked=1).fit(BITS), 0.7, 0),
    "Laplace": (AdditiveNoise("laplace", domain=TWO, epsilon=0.3), 0.6, 0),
    "Laplace of a scale": (AdditiveNoise("laplace", domain=TWO, scale=[2.0, 3.0]), 3.5, 0),
    "Square Wave": (SquareWave(0.3, TWO), 0.6, 0),
    "Piecewise": (Piecewise(0.3, TWO), 0.6, 0),
    "private tree": (PrivateTreeGenerator(2, epsilon=0.9, delta=1e-6), 0.9, 1e-6),
    "a guarantee": (Guarantee(epsilon=0.2, delta=1e-7), 0.2, 1e-7),
}


@pytest.mark.parametrize("name", COSTS)
def test_what_a_release_spends(name):
    scheme, epsilon, delta = COSTS[name]
    budget = Budget(8.0, 1e-5)
    left = budget.charge(scheme)
    assert budget.spent.epsilon == pytest.approx(epsilon)
    assert budget.spent.delta == pytest.approx(delta)
    assert left == budget.left
    assert left.epsilon == pytest.approx(8 - epsilon)
    assert left.delta == pytest.approx(1e-5 - delta)
    again = Budget(8.0, 1e-5)
    again.charge(scheme, repeats=2)
    budget.charge(scheme)
    assert again.spent == budget.spent


def test_it_stops_before_the_release_and_keeps_what_was():
    budget = Budget(1.0, 1e-5)
    budget.charge(Guarantee(epsilon=0.75, delta=6e-6))
    before = budget.spent
    for release in (
        Guarantee(epsilon=0.26, delta=0.0), Guarantee(epsilon=0.1, delta=5e-6),
        AdditiveNoise("gaussian", domain=TWO), AdditiveNoise("uniform", domain=TWO),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"fit into epsilon 0\.25 and delta 4e-06, got"):
            budget.charge(release)
        assert budget.spent == before
    assert budget.charge(Guarantee(epsilon=0.25, delta=4e-6)).epsilon == 0
    with pytest.raises(ValueError, match="got 1e-06 and 0"):
        budget.charge(Guarantee(epsilon=1e-6, delta=0.0))


def test_tenths_add_up_to_one_and_no_more():
    """.1 + .2 exceeds .3 in floats; a relative 1e-9 is rounding and 1e-8 is not."""
    budget = Budget(0.3)
    budget.charge(Guarantee(epsilon=0.1, delta=0.0))
    budget.charge(Guarantee(epsilon=0.2, delta=0.0))
    assert budget.left.epsilon == 0
    Budget(1.0).charge(Guarantee(epsilon=1 + 0.9e-9, delta=0.0))
    with pytest.raises(BudgetExceededError, match="release must fit"):
        Budget(1.0).charge(Guarantee(epsilon=1 + 1e-8, delta=0.0))
    with pytest.raises(BudgetExceededError, match="release must fit"):
        Budget(1.0).charge(Guarantee(epsilon=0.0, delta=1e-300))


def test_many_small_ones_go_further_with_a_slack():
    """By hand: with a = sqrt(2 ln 1e6) = 5.2565 the bound of n of .01 is .00005 n + .01 a sqrt(n).

    It is 1 at sqrt(n) = (sqrt(a^2 + 2) - a) / .01, that is after 349, where the sum stops at 100.
    At a budget of 8 it is so after 18,194, and the sum stops at 800.
    """
    small = Guarantee(epsilon=0.01, delta=0.0)
    for epsilon, most in ((1.0, 349), (8.0, 18_194)):
        budget = Budget(epsilon, 1e-6, slack=1e-6)
        budget.charge(small, repeats=most)
        with pytest.raises(BudgetExceededError, match="release must fit"):
            budget.charge(small)
        assert budget.spent.delta == 1e-6
    assert budget.spent.epsilon == pytest.approx(
        most * 0.01**2 / 2 + np.sqrt(2 * np.log(1e6) * most * 0.01**2))
    # what is said to be left fits, and no more
    half = Budget(8.0, 1e-6, slack=1e-6)
    left = half.charge(small, repeats=9_000).epsilon
    assert left > 0.5
    copy(half).charge(Guarantee(epsilon=left, delta=0.0))
    with pytest.raises(BudgetExceededError, match="release must fit"):
        copy(half).charge(Guarantee(epsilon=1.001 * left, delta=0.0))


@pytest.mark.parametrize("slack", [0.2, 0.05, 0.01])
@pytest.mark.parametrize("greed", [(0.1, 0.1), (0.05, 0.3), (0.3, 0.05), (0.02, 0.5)])
def test_the_bound_holds_for_who_chooses_by_what_was_seen(slack, greed):
    """All paths of coins, each epsilon chosen by the last answer, until the budget refuses.

    The exact delta at the budget's epsilon is the sum over the paths of what one truth has beyond
    e^epsilon times the other. Catches a budget that refuses too late.
    """
    epsilon = 0.8
    delta, n_paths, open_paths = 0.0, 0, [(Budget(epsilon, slack, slack=slack), 1.0, 1.0, 0)]
    while open_paths:
        budget, one, other, last = open_paths.pop()
        each = greed[last]
        try:
            budget.charge(Guarantee(epsilon=each, delta=0.0))
        except ValueError:
            delta, n_paths = delta + max(one - np.exp(epsilon) * other, 0.0), n_paths + 1
            continue
        p = 1 / (1 + np.exp(-each))
        open_paths += [(copy(budget), one * p, other * (1 - p), 1),
                       (budget, one * (1 - p), other * p, 0)]  # fmt: skip
    assert n_paths > 3
    assert delta <= slack


def test_kept_answers_cost_what_they_add():
    budget = Budget(5.0, 1e-6, slack=1e-6)
    memo = MemoizedResponse(3, permanent=2.0, instantaneous=1.0, random_state=0)
    twin = MemoizedResponse(3, permanent=2.0, instantaneous=1.0, random_state=0)
    answers = np.array([[0], [1]])
    for n in (1, 2, 30):
        for _ in range(n):
            np.testing.assert_array_equal(budget.report(memo, answers), twin.report(answers))
        assert budget.spent.epsilon == pytest.approx(memo.spent_.max())
    answers[1] = 2  # one of the two has another answer, and spends again
    memo.report(answers)  # what goes out past the budget is charged with the next
    budget.report(memo, answers)
    spent = memo.spent_.max()
    assert spent == pytest.approx(memo.epsilon(33) + memo.epsilon(2))
    assert budget.spent.epsilon == pytest.approx(spent)
    assert budget._squares == pytest.approx(spent**2)
    narrow = Budget(4.1)
    narrow.report(memo, answers)
    with pytest.raises(BudgetExceededError, match="release must fit"):
        narrow.report(memo, [[2], [0]])
    assert memo.spent_.max() < narrow.epsilon


test_bad_input_is_named = refusals(
    (lambda: Budget(1.0).charge(SimpleNamespace(epsilon=-5.0)), "epsilon must be a finite number"),
    (lambda: Budget(1.0, 1e-6, slack=1e-5), "slack must be at most delta = 1e-06, got 1e-05"),
    (lambda: Budget(1.0).charge(Guarantee(epsilon=np.inf, delta=0.0)), "release must fit"),
)


def test_what_has_no_epsilon_is_no_release():
    for other in (0.5, ValueClassMembership(2, domain=[[0, 1]]), RandomizedResponse):
        with pytest.raises(TypeError, match="release must have epsilon"):
            Budget(1.0).charge(other)
    # a noise that does not know its attributes is not charged as one of them
    for noise in (AdditiveNoise("laplace", epsilon=0.1), SquareWave(0.1)):
        with pytest.raises(NotFittedError):
            Budget(1.0).charge(noise)


# --- composition and Gaussian noise, against sums and integrals of their own ---


def test_basic_composition_adds_up_what_the_parts_of_a_record_say():
    each = RandomizedResponse(0.7, [[0], [1], [2]]).fit([[0, 1, 1]])
    bit = local_epsilon(each, changes="bit")
    assert compose(bit, repeats=3).epsilon == pytest.approx(local_epsilon(each))
    often = compose([bit] * 3, repeats=5)
    assert (often.epsilon, often.delta) == (pytest.approx(local_epsilon(*[each] * 5)), 0)
    # deltas add up, and stop at one
    assert compose([1, 2], [0.01, 0.02], repeats=3).delta == pytest.approx(0.09)
    assert compose([1, 2], 0.01).delta == pytest.approx(0.02)
    assert compose(1, 0.4, repeats=3) == Guarantee(epsilon=3.0, delta=1.0)
    # and advanced composition is taken where it is better only
    assert compose([2.0, 2.0], slack=1e-6) == Guarantee(epsilon=4.0, delta=0.0)
    assert compose([1, np.inf], slack=1e-6) == Guarantee(epsilon=np.inf, delta=0)


@pytest.mark.parametrize(
    ("epsilon", "repeats"), [(0.1, 200), (0.5, 60), (0.05, 1000), (0.01, 1000), (0.02, 900)]
)
@pytest.mark.parametrize("slack", [1e-2, 1e-5])
def test_advanced_composition_holds_for_repeated_coins(epsilon, repeats, slack):
    """The exact delta of so many coins at the stated epsilon is within the slack.

    With j of n reports on one side the log-ratio is (2 j - n) epsilon, and delta the sum of what
    one truth gives such a count beyond e^epsilon times the other.
    """
    found = compose(epsilon, repeats=repeats, slack=slack)
    assert found.epsilon < repeats * epsilon  # slower than the sum
    theta = 1 / (1 + np.exp(-epsilon))
    count = np.arange(repeats + 1)
    one, other = binom.pmf(count, repeats, theta), binom.pmf(count, repeats, 1 - theta)
    delta = np.maximum(one - np.exp(found.epsilon) * other, 0).sum()
    assert 0 < delta <= found.delta == slack


def test_the_least_of_three_bounds_is_taken():
    """By hand: .05 + sqrt(.2 ln(e + .3162 / 1e-5)), where ln(1 / 1e-5) gives 1.567."""
    found = compose(0.01, 1e-8, repeats=1000, slack=1e-5)
    assert found.epsilon == pytest.approx(1000 * 0.01 * np.tanh(0.005) + np.sqrt(
        0.2 * np.log(np.e + np.sqrt(0.1) / 1e-5)))
    assert round(found.epsilon, 3) == 1.490
    assert found.delta == pytest.approx(1000 * 1e-8 + 1e-5)
    # where squares are above one the other of the two is the lower
    assert compose(0.1, repeats=1600, slack=1e-6).epsilon == pytest.approx(
        160 * np.tanh(0.05) + np.sqrt(2 * 16 * np.log(1e6)))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(("scale", "width"), [(1.0, 1.0), (0.255, 1.0), (10.0, 30.0)])
def test_delta_of_gaussian_noise_is_the_integral(epsilon, scale, width):
    """What one density has beyond e^epsilon times the other; catches a sign, a half, a square."""

    def beyond(x):
        return max(norm.pdf(x, width, scale) - np.exp(epsilon) * norm.pdf(x, 0, scale), 0)

    start = width / 2 + epsilon * scale**2 / width  # where the ratio is e^epsilon
    literal, _ = quad(beyond, start, width + 12 * scale, epsabs=1e-12, limit=200)
    assert gaussian_delta(epsilon, scale, width) == pytest.approx(literal, abs=1e-9)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.1])
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
def test_epsilon_of_gaussian_noise_is_the_inverse(delta, scale):
    epsilon = gaussian_epsilon(delta, scale, 1.0)
    if epsilon == 0:
        assert gaussian_delta(0, scale, 1.0) <= delta
    else:
        assert gaussian_delta(epsilon, scale, 1.0) == pytest.approx(delta, rel=1e-6)


def test_several_numbers_are_as_far_apart_as_the_crow_flies():
    both = gaussian_delta(1.0, [1.0, 2.0], [3.0, 8.0])  # ratios 3 and 4
    assert both == pytest.approx(gaussian_delta(1.0, 1.0, 5.0))
    assert gaussian_delta(1.0, 1.0, [3.0, 4.0]) == pytest.approx(both)
    assert gaussian_delta(0.0, 1.0, 0.0) == gaussian_epsilon(1e-9, 1.0, 0.0) == 0


