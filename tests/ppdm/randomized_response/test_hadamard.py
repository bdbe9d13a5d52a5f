"""Hadamard response and basic RAPPOR: their laws, their errors, and what needs no matrix."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import hadamard

from ppdm.attacks import recover_attributes
from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.compare import choose_scheme
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    UnaryEncoding,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.simulation import simulate_schemes

#: The protocols of which each value has a support: a new one is tested by being here.
PROTOCOLS = {
    "k-ary": lambda k, epsilon: CategoricalRandomizedResponse(k, epsilon=epsilon),
    "unary": UnaryEncoding,
    "symmetric": lambda k, epsilon: UnaryEncoding(k, epsilon, symmetric=True),
    "Hadamard": HadamardResponse,
}


def raw(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NegativeEstimateWarning)
        return estimate_frequencies(*given, **options)


@pytest.mark.parametrize("k", [2, 3, 4, 7, 8, 13])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_hadamard_is_the_literal_one(k, epsilon):
    # of a column drawn from the positive ones of the value's row with probability p
    order = 1 << k.bit_length()
    signs = hadamard(order)[1 : k + 1]
    p = np.exp(epsilon) / (np.exp(epsilon) + 1)
    literal = np.where(signs > 0, p, 1 - p).T / (order / 2)
    scheme = HadamardResponse(k, epsilon).fit([[0]])
    np.testing.assert_allclose(scheme.channel_matrix(), literal, rtol=1e-12)
    np.testing.assert_allclose(scheme.inverse_matrix() @ literal, np.eye(k), atol=1e-12)
    assert local_epsilon(literal) == pytest.approx(epsilon, abs=1e-12)
    assert local_epsilon(scheme) == pytest.approx(epsilon, abs=1e-12)


def test_hadamard_draws_its_law():
    k, n = 5, 200_000
    scheme = HadamardResponse([k, k], 1.0, random_state=2)
    drawn = scheme.fit_transform(np.full((n, 2), [4, 1]))
    law = scheme.channel_matrix()
    for j, value in enumerate((4, 1)):
        found = np.bincount(drawn[:, j], minlength=len(law)) / n
        # the largest of 16 normal deviates lies beyond 5 standard errors once in 100,000 draws
        assert (abs(found - law[:, value]) < 5 * np.sqrt(law[:, value] / n)).all()


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_epsilon_is_the_largest_ratio_of_the_matrix(name):
    for k in (2, 3, 6):
        for epsilon in (0.3, 2.0):
            scheme = PROTOCOLS[name](k, epsilon).fit([[0]])
            matrix = scheme.channel_matrix()
            ratio = np.log(matrix.max(axis=1) / matrix.min(axis=1)).max()
            assert ratio == pytest.approx(epsilon, abs=1e-9)
            assert scheme.record_epsilon() == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_counting_supports_is_the_matrix_on_counts(name):
    """The closed form, its weights, and the inverse matrix say the same."""
    rng = np.random.default_rng(1)
    codes, weight = rng.integers(0, 6, (500, 1)), rng.random(500)
    scheme = PROTOCOLS[name](6, 1.0).set_params(random_state=0)
    released = scheme.fit_transform(codes)
    _, p, q = scheme.support()
    for weights in (None, weight):
        counts = scheme.count_support(released, weight=weights)
        n = 500 if weights is None else weights.sum()
        tally = np.bincount(scheme.codes_of(released), weights, scheme.n_released())
        by_matrix = scheme.inverse_matrix() @ tally
        np.testing.assert_allclose((counts[:, 1] - n * q) / (p - q), by_matrix, atol=1e-9)
        np.testing.assert_allclose(counts.sum(axis=1), n)


def test_unary_of_symmetric_coins_is_a_coin_a_bit():
    scheme = UnaryEncoding(4, 2.0, symmetric=True, random_state=0)
    drawn = scheme.fit_transform(np.zeros((100_000, 1), int))
    keep = 1 / (1 + np.exp(-1.0))
    # 5 standard errors of a share near 1/4
    np.testing.assert_allclose(drawn.mean(axis=0), [keep, *[1 - keep] * 3], atol=5 * 0.0014)


@pytest.mark.parametrize(("name", "k", "n"), [
    ("k-ary", 2000, 20_000), ("unary", 400, 4000), ("symmetric", 400, 4000),
    ("Hadamard", 100_000, 60_000),
])  # fmt: skip
def test_the_standard_errors_are_right(name, k, n):
    """Of all values at once: z has mean square one (a shared pool of hashes would have 5)."""
    scheme = PROTOCOLS[name](k, 1.0).set_params(random_state=5)
    codes = np.random.default_rng(4).integers(0, 5, (n, 1))
    true = np.bincount(codes[:, 0], minlength=k) / n
    found = raw(scheme.fit_transform(codes), scheme)
    _, p, q = scheme.support()
    # of the disguise alone: of these people, so many support a value; the first five are few
    expected = np.sqrt(q * (1 - q) / n) / (p - q)
    z = ((found.frequencies - true) / expected)[5:]
    # the mean square of k - 5 values, nearly independent, has a spread of sqrt(2 / k)
    assert abs(np.mean(z**2) - 1) < 5 * np.sqrt(2 / k) + 0.003
    mean_square = np.mean(found.standard_errors[5:] ** 2)  # of k squares, of some tenths each
    assert mean_square == pytest.approx(expected**2, rel=0.05)


@pytest.mark.parametrize("name", ["unary", "symmetric", "Hadamard"])
def test_naive_bayes_and_shares_need_no_matrix(name):
    k, n = 6000, 3000
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = np.stack([y * 5000 + rng.integers(0, 2, n), rng.integers(0, 3, n)], axis=1)
    scheme = PROTOCOLS[name]([k, 3], 3.0).set_params(random_state=1)
    R, _ = scheme.disguise(X)
    nb = RandomizedResponseNB(scheme, smoothing=1.0).fit(R, y)
    assert (nb.predict(X) == y).mean() > 0.9
    both = RandomizedResponseNB(scheme, smoothing=1.0).partial_fit(R[:900], y[:900])
    both.partial_fit(R[900:], y[900:])
    np.testing.assert_allclose(both.pair_count_, nb.pair_count_, atol=1e-9)
    assert scheme.record_epsilon() == pytest.approx(6.0)
    found = raw(R, scheme, feature=0)
    assert found.interval().shape == (k, 2)
    for refused in (lambda: scheme.channel_matrix(0), lambda: scheme.inverse_matrix(0),
                    lambda: raw(R, scheme, feature=0, method="em")):  # fmt: skip
        with pytest.raises(ValueError, match="n_values must be at most"):
            refused()


def test_k_ary_response_of_very_many_values_builds_no_matrix():
    scheme = CategoricalRandomizedResponse(50_000, epsilon=8.0, random_state=0)
    codes = np.repeat([[7], [40_000]], 2000, axis=0)
    found = raw(scheme.fit_transform(codes), scheme)
    assert found.frequencies.argmax() in (7, 40_000)
    assert scheme.record_epsilon() == pytest.approx(8.0)
    with pytest.raises(ValueError, match="n_values must be at most 4096"):
        scheme.channel_matrix()


def test_labels_and_lots():
    places = [np.array(["here", "there", "nowhere"]), None]
    X = pd.DataFrame({"place": ["there", "here"] * 400, "sort": [0, 3] * 400})
    scheme = HadamardResponse([3, 4], 4.0, asked=1, categories=places, random_state=0)
    R, _ = scheme.disguise(X)
    assert (R.notna().sum(axis=1) == 1).all()
    found = raw(R, scheme, feature="place")
    assert found.categories.tolist() == ["here", "there", "nowhere"]
    assert found.n == R["place"].notna().sum()
    assert (abs(found.frequencies - [0.5, 0.5, 0]) < 4 * found.standard_errors).all()


def test_attacks_and_simulation_where_values_are_few():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (400, 2))
    y = (X[:, 0] > 1).astype(int)
    scheme = HadamardResponse(4, 2.0, random_state=0)
    read = recover_attributes(scheme.fit(X), scheme.transform(X), X, X)
    assert read.success > read.baseline
    found = simulate_schemes(X, y, schemes=["hadamard", "unary"], repeats=2, random_state=0)
    assert found["hadamard"].epsilon_record == pytest.approx(2.0)
    assert DisguisedClassifier(scheme).fit(X, y).score(X, y) > 0.7


def test_the_chooser_judges_it():
    # at epsilon 1 its error is sqrt(1.27) of unary encoding's for a rare value
    rows = {row.scheme: row for row in choose_scheme(
        100_000, one_of=[2000], want="top", top=5, epsilon=1.0).rows}  # fmt: skip
    assert rows["Hadamard response"].verdict in ("yes", "none")
    rows = {row.scheme: row.standard_error for row in choose_scheme(
        10_000, one_of=[100], proportion=0.001, epsilon=1.0).rows}  # fmt: skip
    ratio = rows["Hadamard response"] / rows["unary encoding"]
    assert ratio == pytest.approx(np.cosh(0.5), rel=0.01)


def test_bad_calls_say_what_is_allowed():
    for wrong in (0.0, 20.1, np.inf, "1"):
        with pytest.raises((ValueError, TypeError), match="epsilon must be"):
            HadamardResponse(4, wrong).fit([[0]])
    with pytest.raises(ValueError, match="category never seen"):
        HadamardResponse(4, 1.0).fit([[4]])
    scheme = HadamardResponse(4, 1.0).fit([[0]])
    with pytest.raises(ValueError, match="category never seen"):
        estimate_frequencies([[8]], scheme)
    with pytest.raises(ValueError, match="symmetric must be one of True, False"):
        UnaryEncoding(4, 1.0, symmetric=None).fit([[0]])
