"""Unary encoding: its channel, its epsilon, and what can be learnt from it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from ppdm.classifiers import RandomizedResponseNB
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import RandomizedResponse, UnaryEncoding
from ppdm.reconstruction import em, invert


def literal_channel(k, epsilon):
    """Bit by bit."""
    q = 1 / (np.exp(epsilon) + 1)
    matrix = np.ones((2**k, k))
    for row, bits in enumerate(product([0, 1], repeat=k)):
        for value in range(k):
            for place, bit in enumerate(bits):
                chance = 0.5 if place == value else q
                matrix[row, value] *= chance if bit else 1 - chance
    return matrix


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 5.0])
def test_epsilon_is_that_of_the_whole_vector_of_bits(k, epsilon):
    scheme = UnaryEncoding(k, epsilon)
    matrix = scheme.channel_matrix()
    np.testing.assert_allclose(matrix, literal_channel(k, epsilon), atol=1e-15)
    largest = max(np.log(matrix[:, [i]] / matrix).max() for i in range(k))
    assert largest == pytest.approx(epsilon, abs=1e-12)
    assert local_epsilon(scheme.fit([[0]])) == pytest.approx(epsilon, abs=1e-12)


def test_epsilon_of_a_record_adds_up_over_attributes_and_not_over_bits():
    assert local_epsilon(UnaryEncoding(5, 2.0).fit([[0]])) == pytest.approx(2, abs=1e-12)
    three = UnaryEncoding([5, 2, 40], 2.0).fit([[0, 1, 39]])
    assert local_epsilon(three) == pytest.approx(6, abs=1e-12)
    # what was said of it when its bits were taken for independent answers
    assert 5 * local_epsilon(three.bit_channel()) == pytest.approx(7.17, abs=0.005)


@given(epsilon=st.floats(0.01, 20))
def test_on_a_bit_it_erases_half_and_randomises_the_rest(epsilon):
    matrix = UnaryEncoding(2, epsilon).channel_matrix()
    warner = RandomizedResponse(1 / (1 + np.exp(-epsilon))).channel_matrix()
    assert matrix[[0, 3]].sum(axis=0) == pytest.approx([0.5, 0.5], abs=1e-12)  # erased
    np.testing.assert_allclose(matrix[[2, 1]], warner / 2, atol=1e-12)


@settings(deadline=None)
@given(k=st.integers(2, 8), epsilon=st.floats(0.05, 20))
def test_inverse_is_a_closed_form(k, epsilon):
    scheme = UnaryEncoding(k, epsilon)
    product_ = scheme.inverse_matrix() @ scheme.channel_matrix()
    np.testing.assert_allclose(product_, np.eye(k), atol=1e-9)


def test_variance_of_a_rare_value():
    """4 e / (e - 1)^2 = 3.683 at epsilon 1, whatever k is."""
    scheme = UnaryEncoding(16, 1.0)
    expected = 4 * np.e / (np.e - 1) ** 2
    assert expected == pytest.approx(3.683, abs=5e-4)
    inverse, of_another = scheme.inverse_matrix()[3], scheme.channel_matrix()[:, 7]
    assert inverse**2 @ of_another - (inverse @ of_another) ** 2 == pytest.approx(expected)
    by_bit = np.linalg.inv(scheme.bit_channel())[1]
    assert by_bit**2 @ scheme.bit_channel()[:, 0] == pytest.approx(expected)


def test_channel_is_what_transform_does():
    """40,000 draws a value: a share has sd below .0025; five of them."""
    scheme = UnaryEncoding(3, 1.5, random_state=np.random.default_rng(1))
    truth = np.repeat([0, 1, 2], 40_000)[:, np.newaxis]
    released = scheme.fit_transform(truth)
    assert released.dtype == np.int8
    codes = scheme.codes(released)[:, 0].reshape(3, -1)
    simulated = np.array([np.bincount(row, minlength=8) for row in codes]).T / 40_000
    np.testing.assert_allclose(simulated, scheme.channel_matrix(), atol=5 * 0.0025)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_estimates_are_unbiased_in_every_way():
    """n = 50,000: a share has sd sqrt(3.69 / n + p / n) < .0095; five of them."""
    rng = np.random.default_rng(2)
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    truth = np.column_stack([rng.choice(4, 50_000, p=shares), rng.choice(4, 50_000, p=shares)])
    scheme = UnaryEncoding(4, 1.0, random_state=rng).fit(truth)
    released = scheme.transform(truth)
    counts = scheme.count(released)
    assert counts.shape == (2, 16)
    for j in (0, 1):
        found = invert(scheme, counts[j], feature=j).proportions
        np.testing.assert_allclose(found, shares, atol=5 * 0.0095)
        ones = released[:, 4 * j + 1].sum()
        alone = invert(scheme.bit_channel(), [50_000 - ones, ones]).proportions[1]
        assert alone == pytest.approx(found[1], abs=1e-12)
    likeliest = em(scheme.channel_matrix(), counts[0], stop="tol").probabilities
    np.testing.assert_allclose(likeliest, shares, atol=5 * 0.0095)


def test_naive_bayes_learns_from_it():
    """Two classes that differ in two attributes, 40,000 records at epsilon 2 each."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40_000)
    X = np.column_stack([rng.integers(0, 3, 40_000) + 2 * y, rng.integers(0, 2, 40_000) ^ y & 1])
    scheme = UnaryEncoding([5, 2], 2.0, random_state=rng).fit(X)
    nb = RandomizedResponseNB(scheme).fit(scheme.transform(X), y)
    assert nb.n_features_in_ == 7
    assert nb.n_values_.tolist() == [5, 2]
    assert nb.pair_count_.shape == (2, 2, 5)
    assert nb.predict([[0, 0], [1, 1], [3, 0], [4, 1]]).tolist() == [0, 0, 1, 1]
    # each pair's share has sd below .02 at this n; five of them
    share = nb.pair_count_[0] / np.bincount(y)[:, np.newaxis]
    expected = [[1 / 3, 1 / 3, 1 / 3, 0, 0], [0, 0, 1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(share, expected, atol=0.1)
    with pytest.raises(ValueError, match=r"X must have shape \(any, 2\), .* \(40000, 7\)"):
        nb.predict(scheme.transform(X))
    with pytest.raises(ValueError, match="category never seen: code 5"):
        nb.predict([[5, 0]])


def test_parts_of_the_training_records_add_up():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (300, 2)), rng.integers(0, 2, 300)
    scheme = UnaryEncoding(3, 1.0, random_state=rng).fit(X)
    R = scheme.transform(X)
    whole = RandomizedResponseNB(scheme).fit(R, y)
    parts = RandomizedResponseNB(scheme).fit(R[:100], y[:100])
    parts.partial_fit(R[100:], y[100:])
    np.testing.assert_allclose(parts.pair_count_, whole.pair_count_, atol=1e-9)


def test_codes_are_the_bits_read_as_a_number():
    scheme = UnaryEncoding([2, 3], 1.0).fit([[0, 0]])
    assert scheme.codes([[0, 1, 1, 0, 0], [1, 1, 0, 0, 1]]).tolist() == [[1, 4], [3, 1]]
    # one size for all needs no fit
    assert UnaryEncoding(2, 1.0).codes([[0, 1, 1, 0]]).tolist() == [[1, 2]]


def test_many_values_are_released_and_counted_one_by_one():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 100, (1000, 1))
    scheme = UnaryEncoding(100, 4.0, random_state=rng)
    assert scheme.fit_transform(truth).shape == (1000, 100)
    assert local_epsilon(scheme) == pytest.approx(4, abs=1e-12)
    for call in (scheme.channel_matrix, scheme.inverse_matrix):
        with pytest.raises(ValueError, match=r"at most 16 .*estimate_frequencies .* got 100"):
            call()
    assert scheme.get_feature_names_out().size == 100


def test_blocks_draw_what_is_drawn_at_once(allocated):
    """Every seed releases what one draw for all bits does, in memory for a block of them."""
    X = np.random.default_rng(0).integers(0, [3, 300], (5000, 2))
    scheme = UnaryEncoding([3, 300], 1.0, random_state=np.random.default_rng(1)).fit(X)
    own = np.zeros((5000, 303), dtype=bool)
    own[np.arange(5000), X[:, 0]] = own[np.arange(5000), 3 + X[:, 1]] = True
    draws = np.random.default_rng(1).random(own.shape)
    released = scheme.transform(X)
    np.testing.assert_array_equal(released, draws < np.where(own, 0.5, 1 / (np.e + 1)))
    assert allocated(lambda: scheme.transform(X)) < 2 * released.nbytes  # draws take 8 of these


def test_two_values_stand_for_all_of_an_attribute():
    parts = UnaryEncoding([3, 9], epsilon=1.0).fit([[0, 0]]).record_channels()
    assert [part.shape for part in parts] == [(4, 2)] * 2


def test_reports_have_the_bits_of_their_attributes():
    with pytest.raises(ValueError, match=r"shape \(any, 3\), of 1 attribute.* shape \(1, 2\)"):
        UnaryEncoding(3, 1.0).fit([[0]]).codes([[0, 1]])
    with pytest.raises(ValueError, match=r"must have shape \(any, 3\), of 1 attribute.* shape"):
        UnaryEncoding(3, 1.0).codes([[0, 1]])
    with pytest.raises(NotFittedError):
        UnaryEncoding(3, 1.0).record_channels()
