"""Groups of bits that share a coin: the channel, and expressions over several groups."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal.response import groups_with_class, tosses
from refusals import refusals
from scipy.stats import binomtest

from ppdm.classifiers import RandomizedResponseNB
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    estimate_proportion,
)
from ppdm.randomized_response._coins import coin_inverse, coin_matrix
from ppdm.reconstruction import estimate_frequencies


@pytest.mark.parametrize("class_group", [None, 0, "own"])
@pytest.mark.parametrize("groups", [None, [[2, 0], [3, 1]], [[0], [1], [2], [3]]])
def test_who_shares_a_coin(groups, class_group):
    """Each release of a record and its class comes as often as its tosses say: 5 sd of a count."""
    n, truth = 20_000, [1, 0, 1, 1, 0]
    scheme = RandomizedResponse(0.7, groups, class_group, random_state=8)
    R, z = scheme.disguise(np.tile(truth[:4], (n, 1)), np.full(n, truth[4]))
    counts = Counter(map(tuple, np.column_stack([R, z]).tolist()))
    for told, chance in tosses(truth, groups_with_class(4, groups, class_group), 0.7):
        assert abs(counts.pop(tuple(told)) - n * chance) < 5 * np.sqrt(n * chance)
    assert not counts


def test_transform_tosses_the_attributes_coins_of_disguise():
    X, y = np.zeros((100, 3), dtype=int), np.zeros(100, dtype=int)
    scheme = RandomizedResponse(0.6, [[0, 1], [2]], 1, random_state=3).fit(X)
    np.testing.assert_array_equal(scheme.transform(X), scheme.disguise(X, y)[0])


def test_disguise_keeps_the_kind_of_a_disguised_class():
    _, released = RandomizedResponse(0.0, class_group="own").disguise([[0], [1]], [True, False])
    assert released.dtype == bool
    assert released.tolist() == [False, True]


def test_disguise_leaves_its_input_alone():
    X, y = np.ones((50, 2), dtype=np.int8), np.ones(50, dtype=np.int8)
    RandomizedResponse(0.0, class_group=0).disguise(X, y)
    assert X.all()
    assert y.all()


@given(theta=st.floats(0, 1), n_bits=st.integers(1, 4))
def test_one_coin_keeps_a_record_or_its_complement(theta, n_bits):
    patterns = np.array(list(np.ndindex(*(2,) * n_bits)))
    literal = [[theta * (told == true).all() + (1 - theta) * (told != true).all()
                for true in patterns] for told in patterns]  # fmt: skip
    np.testing.assert_allclose(coin_matrix(theta, n_bits), literal)
    if abs(theta - 0.5) > 1e-3:
        product = coin_inverse(theta, n_bits) @ literal
        np.testing.assert_allclose(product, np.eye(2**n_bits), atol=1e-9)


@pytest.mark.parametrize("class_group", [0, 1, "own"])
def test_pairs_of_class_and_bit_are_undone(class_group):
    """Of every record the shares that all tosses together report, each with its chance."""
    scheme = RandomizedResponse(0.7, [[0], [1]], class_group).fit([[0, 0]])
    nb = RandomizedResponseNB(scheme).fit([[0, 1], [1, 0]], [0, 1])
    for truth in product([0, 1], repeat=3):
        classes, pairs = np.zeros(2), np.zeros((2, 2, 2))
        for told, chance in tosses(truth, groups_with_class(2, [[0], [1]], class_group), 0.7):
            classes[told[2]] += chance
            pairs[[0, 1], told[2], told[:2]] += chance
        classes, pairs = nb._undo(classes, pairs)
        np.testing.assert_allclose(classes, np.eye(2)[truth[2]], atol=1e-12)
        for bit, pair in zip(truth, pairs, strict=False):
            np.testing.assert_allclose(pair, np.outer(classes, np.eye(2)[bit]), atol=1e-12)


def test_every_attribute_has_the_same_channel_and_a_known_one():
    unbound, bound = RandomizedResponse(0.7), RandomizedResponse(0.7, [[0], [1]]).fit([[0, 1]])
    np.testing.assert_array_equal(unbound.channel_matrix(9), bound.channel_matrix(1))
    product = bound.inverse_matrix(1) @ bound.channel_matrix(1)
    np.testing.assert_allclose(product, np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match=r"theta = 0\.5 cannot be inverted"):
        RandomizedResponse(0.5).inverse_matrix()


@pytest.mark.parametrize("groups", [None, [[0], [1, 2]], [[2], [0], [1]]])
def test_the_likelihood_is_that_of_every_toss(groups):
    patterns, literal = list(product([0, 1], repeat=3)), np.zeros((8, 8))
    for j, truth in enumerate(patterns):
        for told, chance in tosses([*truth, 0], groups_with_class(3, groups, None), 0.7):
            literal[patterns.index(tuple(told[:3])), j] += chance
    coin = RandomizedResponse(0.7, groups).fit(patterns)
    np.testing.assert_allclose(np.exp(coin.log_likelihood(patterns, patterns)), literal)


def test_record_channels_follow_the_groups_and_the_class():
    def shapes(groups, class_group):
        scheme = RandomizedResponse(0.7, groups, class_group).fit([[0, 1, 1]])
        return [len(channel) for channel in scheme.record_channels()]

    (part,) = RandomizedResponse(0.7).fit([[0, 1, 1]]).record_parts([[0, 1, 1], [1, 0, 0]])
    kept_or_reversed = part.matrix.toarray()[:, part.values]
    np.testing.assert_allclose(kept_or_reversed, [[0.7, 0.3], [0.3, 0.7]])
    assert shapes(None, None) == [4]
    assert shapes([[0], [1, 2]], None) == [2, 4]  # a public class is no part of it
    assert shapes([[0], [1, 2]], 0) == [4, 4]
    assert shapes([[0], [1, 2]], "own") == [2, 4, 2]
    with_class = RandomizedResponse(0.7, [[0], [1, 2]], 0).fit([[0, 1, 1]])
    assert [len(channel) for channel in with_class.attribute_channels()] == [4, 4, 4]


# ---------------------------------------------------------------- expressions and their errors


@pytest.mark.parametrize("theta", [0.7, 0.2])
@pytest.mark.parametrize(("groups", "class_group", "expression"), [
    ([[0, 1, 2]], None, {0: 1, 1: 1, 2: 0}),
    *(([[0, 2], [1]], own, {0: 1, 1: 1, 2: 0, "class": 1}) for own in (None, 0, 1, "own")),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_the_mean_over_all_tosses_is_the_truth_and_the_spread_is_the_error(
    groups, class_group, expression, theta
):
    """A share and the coins' variance are means of scores: what a report adds is its own.

    Over all tosses of its coins the score of a record has the mean one where the record satisfies
    the expression and else zero, and the variance that its reports add to the coins' part.
    """
    scheme = RandomizedResponse(theta, groups, class_group).fit([[0, 0, 0]])
    coins = groups_with_class(3, groups, class_group)
    others = np.random.default_rng(0).integers(0, 2, (60, 4))

    def sums(reports):
        y = {"y": reports[:, 3]} if "class" in expression else {}
        estimate = estimate_proportion(reports[:, :3], scheme, expression, **y)
        n = len(reports)
        return n * np.array([estimate.proportion, n * estimate.disguise_error**2]), estimate

    before, estimate = sums(others)
    truths = list(product([0, 1], repeat=4))
    added = {told: sums(np.vstack([others, told]))[0] - before for told in truths}
    for truth in truths:
        told, chance = zip(*tosses(truth, coins, theta), strict=True)
        score, spread = np.array([added[tuple(one)] for one in told]).T
        mean = np.dot(chance, score)
        holds = all(truth[3 if j == "class" else j] == v for j, v in expression.items())
        assert mean == pytest.approx(float(holds), abs=1e-9)
        variance = np.dot(chance, (score - mean) ** 2)
        assert variance == pytest.approx(np.dot(chance, spread), abs=1e-9)
    # and of people drawn at random the error is that of a mean of these scores
    scores = np.array([added[tuple(told)][0] for told in others.tolist()])
    assert before[0] == pytest.approx(scores.sum())
    assert estimate.standard_error == pytest.approx(scores.std(ddof=1) / np.sqrt(60))


def test_truthful_reports_give_the_ordinary_share_and_error():
    bits = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    estimate = estimate_proportion(bits, 1.0)
    assert estimate.proportion == 3 / 8
    assert estimate.standard_error == pytest.approx(bits.std(ddof=1) / np.sqrt(8))
    assert estimate.disguise_error == 0
    assert estimate.n == 8


def test_one_report_has_no_spread_of_its_own():
    one = estimate_proportion([1], 1.0)
    assert one.proportion == 1
    assert np.isnan([one.standard_error, *one.interval()]).all()
    assert estimate_proportion([1, 0], 1.0).standard_error == pytest.approx(0.5)


def test_the_interval_is_the_one_of_frequencies_and_wilsons_own_in_the_clear():
    rng = np.random.default_rng(22)
    reports = rng.integers(0, 2, (80, 1))
    one = estimate_proportion(reports[:, 0], 0.8).interval(0.9)
    coin = CategoricalRandomizedResponse(2, 0.8)
    np.testing.assert_allclose(one, estimate_frequencies(reports, coin).interval(0.9)[1])
    clear, k = estimate_proportion(reports[:, 0], 1.0).interval(0.9), int(reports.sum())
    wilson = binomtest(k, 80).proportion_ci(0.9, method="wilson")
    np.testing.assert_allclose(clear, [wilson.low, wilson.high])


@pytest.mark.parametrize("bits", [[0] * 20, [1] * 20])
def test_impossible_estimate_is_kept_and_said(bits):
    with pytest.warns(NegativeEstimateWarning, match="outside \\[0, 1\\]"):
        estimate = estimate_proportion(bits, 0.7)
    assert estimate.proportion == pytest.approx(-0.75 if bits[0] == 0 else 1.75)


def test_theta_one_half_cannot_be_inverted():
    with pytest.raises(ValueError, match=r"theta = 0\.5 cannot be inverted.*unrelated-quest"):
        estimate_proportion([0, 1], 0.5)


def test_an_impossible_variance_is_missing_not_clipped():
    # one report against all literals of both groups, theta = .9: scores .0156, coins' variance < 0
    each = RandomizedResponse(0.9, [[0], [1]])
    result = estimate_proportion([[0, 0]], each, {0: 1, 1: 1})
    assert np.isnan(result.disguise_error)


test_a_bad_expression_is_named = refusals(
    ({"expression": {2: 1}}, "attributes 0, ..., 1 and, where y is given, 'class', got 2"),
    ({"expression": {"class": 1}}, "where y is given, 'class', got 'class'"),
    ({"expression": {0: 2}}, "must set 0 to 0 or 1, got 2"),
    ({"expression": {"class": 2}, "y": [0, 1], "class_group": 0}, "to 0 or 1, got 2"),
    ({"expression": {0: 1}, "class_group": 0}, "y must be given"),
    ({}, r"reports must have one column .*need an expression\), got 2"),
    by=lambda how: estimate_proportion(
        [[0, 1], [1, 1]], RandomizedResponse(0.7, None, how.pop("class_group", None)), **how
    ),
)  # fmt: skip


@pytest.mark.parametrize("X", [[["yes"], ["no"]], np.array([["yes"], ["no"]], dtype=object)])
def test_texts_are_refused_with_the_remedy(X):
    said = r"X must hold zeros and ones .say which .* X == 'yes' .*Categorical.* got 'yes'"
    with pytest.raises(TypeError, match=said):
        RandomizedResponse(0.7).fit(X)
