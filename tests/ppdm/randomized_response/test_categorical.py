"""Codes through a known matrix, and the unrelated question."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
    unrelated_question,
)
from ppdm.reconstruction import estimate_frequencies, invert

SKEWED = [[0.5, 0.0, 0.1], [0.3, 1.0, 0.2], [0.2, 0.0, 0.7]]


@settings(deadline=None)
@given(k=st.integers(2, 12), theta=st.floats(0, 1))
def test_theta_keeps_and_the_rest_share(k, theta):
    channel = CategoricalRandomizedResponse(k, theta).channel_matrix()
    np.testing.assert_allclose(channel.sum(axis=0), 1)
    np.testing.assert_allclose(np.diag(channel), theta)
    np.testing.assert_allclose(channel[~np.eye(k, dtype=bool)], (1 - theta) / (k - 1))


@settings(deadline=None)
@given(k=st.integers(2, 12), theta=st.floats(0, 1))
def test_its_inverse_is_a_closed_form(k, theta):
    scheme = CategoricalRandomizedResponse(k, theta)
    if abs(theta - 1 / k) < 1e-3:
        return
    product = scheme.inverse_matrix() @ scheme.channel_matrix()
    np.testing.assert_allclose(product, np.eye(k), atol=1e-9)


@pytest.mark.parametrize("channel", [[[0.5, 0.5], [0.5, 0.5]], unrelated_question(0.0, 0.5)])
def test_what_has_no_inverse_says_so(channel):
    with pytest.raises(ValueError, match="channel must have 2 linearly independent columns"):
        CategoricalRandomizedResponse(channel=channel).inverse_matrix()


def test_missing_values_need_a_code_of_their_own():
    with pytest.raises(ValueError, match=r"X has 1 missing .* first in row .*a code of their own"):
        CategoricalRandomizedResponse(3, 0.5).fit([[0, np.nan]])


def test_a_channel_may_be_handed_on():
    scheme = CategoricalRandomizedResponse(channel=RandomizedResponse(0.8)).fit([[0, 1]])
    for part in scheme.record_channels():
        np.testing.assert_array_equal(part, RandomizedResponse(0.8).channel_matrix())


@given(theta=st.floats(0, 1))
def test_two_values_are_warners_question(theta):
    ours = CategoricalRandomizedResponse(2, theta).channel_matrix()
    np.testing.assert_allclose(ours, RandomizedResponse(theta).channel_matrix())


@pytest.mark.parametrize("matrix", [SKEWED, np.eye(3), np.roll(np.eye(3), 1, axis=0)])
def test_channel_is_what_transform_does(matrix):
    """20,000 draws a column: a share has sd below .0036; five of them. Zeros stay zeros."""
    scheme = CategoricalRandomizedResponse(channel=matrix, random_state=1)
    channel = scheme.channel_matrix()
    truth = np.repeat([0, 1, 2], 20_000)[:, np.newaxis]
    released = scheme.fit_transform(truth)[:, 0].reshape(3, -1)
    simulated = np.array([np.bincount(row, minlength=3) for row in released]).T / 20_000
    np.testing.assert_allclose(simulated, channel, atol=5 * 0.0036)
    assert (simulated[channel == 0] == 0).all()


def test_many_values_and_the_last_code():
    # 300 values: the search runs through columns one behind the other and must not stray
    scheme = CategoricalRandomizedResponse(300, 1.0, random_state=0)
    truth = np.arange(300)[:, np.newaxis]
    np.testing.assert_array_equal(scheme.fit_transform(truth), truth)


@settings(deadline=None)
@given(k=st.integers(2, 40), theta=st.floats(0, 1), seed=st.integers(0, 99))
@example(k=5, theta=0.2, seed=0)
@example(k=5, theta=0.05, seed=0)
@example(k=5, theta=0, seed=0)
@example(k=5, theta=1, seed=0)
def test_the_closed_form_draws_what_the_matrix_draws(k, theta, seed):
    """The same numbers lead to the same reports, below, at and beyond the true value."""
    truth = np.arange(40 * k)[:, np.newaxis] % k
    matrix = CategoricalRandomizedResponse(k, theta).channel_matrix()
    by_matrix = CategoricalRandomizedResponse(channel=matrix, random_state=seed)
    by_form = CategoricalRandomizedResponse(k, theta, random_state=seed)
    np.testing.assert_array_equal(by_form.fit_transform(truth), by_matrix.fit_transform(truth))


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_no_matrix_is_laid_out_for_many_values(allocated):
    # 10,000 values: a matrix of one byte an entry would be 100 MB; a vector of floats is 80 kB
    truth = np.arange(10_000)[:, np.newaxis]

    def all_of_it():
        scheme = CategoricalRandomizedResponse(10_000, epsilon=2.0, random_state=0)
        released = scheme.fit_transform(truth)
        scheme.count(released)
        assert scheme.epsilon_ == pytest.approx([2.0])
        return estimate_frequencies(released, scheme)

    assert allocated(all_of_it) < 3e6


def test_attributes_are_disguised_independently_and_each_by_its_matrix():
    """40,000 records: joint share of two lies .4 * .2 = .08 has sd .0014; five of them."""
    X = np.zeros((40_000, 2), dtype=int)
    scheme = CategoricalRandomizedResponse(
        channel=[CategoricalRandomizedResponse(3, 0.6).channel_matrix(), [[0.8, 0.2], [0.2, 0.8]]],
        random_state=2,
    )
    lies = scheme.fit_transform(X) > 0
    assert abs(lies.all(axis=1).mean() - 0.08) < 5 * 0.0014
    assert scheme.channel_matrix(0).shape == (3, 3)
    assert scheme.channel_matrix(1).shape == (2, 2)
    assert [len(channel) for channel in scheme.record_channels()] == [3, 2]


def test_sizes_may_differ_under_one_theta():
    scheme = CategoricalRandomizedResponse([2, 5], 0.6).fit([[0, 4]])
    assert [len(channel) for channel in scheme.record_channels()] == [2, 5]
    assert len(CategoricalRandomizedResponse([2, 5], 0.6).channel_matrix(1)) == 5
    assert len(CategoricalRandomizedResponse(4, 0.6).channel_matrix(7)) == 4


def test_a_matrix_handed_out_is_a_copy():
    scheme = CategoricalRandomizedResponse(channel=np.eye(2)).fit([[0]])
    scheme.channel_matrix()[:] = 0
    scheme.record_channels()[0][:] = 0
    np.testing.assert_array_equal(scheme.channel_matrix(), np.eye(2))


@pytest.mark.parametrize(
    "scheme",
    [RandomizedResponse(0.5), CategoricalRandomizedResponse(3, 0.5), UnaryEncoding(3, 0.5)],
)
def test_int_seed_repeats_and_generator_advances(scheme):
    X = np.zeros((200, 1), dtype=int)
    fixed = scheme.set_params(random_state=7).fit(X)
    np.testing.assert_array_equal(fixed.transform(X), fixed.transform(X))
    running = scheme.set_params(random_state=np.random.default_rng(7)).fit(X)
    assert (running.transform(X) != running.transform(X)).any()


@given(theta=st.floats(0, 1), prevalence=st.floats(0, 1))
def test_unrelated_question_by_hand(theta, prevalence):
    channel = unrelated_question(theta, prevalence).channel_matrix()
    yes = (1 - theta) * prevalence
    np.testing.assert_allclose(channel[1], [yes, theta + yes], atol=1e-12)
    np.testing.assert_allclose(channel.sum(axis=0), 1)


@settings(deadline=None)
@given(
    theta=st.floats(0.05, 1),
    prevalence=st.floats(0, 1),
    n=st.integers(2, 90),
    yes=st.integers(0, 90),
)
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_its_inverse_is_greenbergs_estimator_with_its_error(theta, prevalence, n, yes):
    share = min(yes, n) / n
    channel = unrelated_question(theta, prevalence).channel_matrix()
    estimate = invert(channel, [n - min(yes, n), min(yes, n)])
    expected = (share - (1 - theta) * prevalence) / theta
    assert estimate.proportions[1] == pytest.approx(expected, abs=1e-9)
    error = np.sqrt(share * (1 - share) / (n - 1)) / theta
    assert estimate.standard_errors[1] / n == pytest.approx(error, abs=1e-9)


def test_an_unrelated_question_of_three_answers():
    shares = [0.2, 0.5, 0.3]
    channel = unrelated_question(0.4, shares).channel_matrix()
    np.testing.assert_allclose(channel, 0.4 * np.eye(3) + 0.6 * np.outer(shares, np.ones(3)))


test_bad_input_is_named = refusals(
    ({"n_values": 3}, "either theta or channel or epsilon, got .*'channel': None"),
    ({"theta": 0.5, "channel": np.eye(3)}, "or epsilon, got {'channel': array.*'theta': 0.5"),
    ({"n_values": 3, "channel": np.eye(3)}, "n_values goes with theta, not with channel, got"),
    ({"n_values": [3, 2], "theta": 0.5}, r"one for each of 1 attributes, got \[3, 2\]"),
    ({"channel": [np.eye(2)] * 2}, "one matrix or one for each of 1 attributes, got 2"),
    ({"channel": np.full((3, 2), 1 / 3)}, "as many released as true values, got shape"),
    by=lambda how: CategoricalRandomizedResponse(**how).fit([[0]]),
)  # fmt: skip
