"""Least squares with disguised covariates or outcomes."""

import numpy as np
import pandas as pd
import pytest
from literal import regression as literal
from literal.designed import moves
from refusals import refusals
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.regression import DisguisedLinearRegression, estimate_difference

COIN = RandomizedResponse(0.75)


def people(n=2000, seed=0):
    """A number, a yes or no that goes with it, and an outcome: .8 and .5 are the slopes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    g = (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int)
    return x, g, 1 + 0.8 * x + 0.5 * g + rng.normal(size=n), rng


def told(bits, rng, theta=0.75):
    return np.where(rng.random(len(bits)) < theta, bits, 1 - bits)


def test_it_is_the_sums_person_by_person():
    x, g, y, rng = people(200)
    noisy, answers = x + rng.normal(size=200), told(g, rng, 0.9)
    X = np.column_stack([noisy, answers, rng.normal(size=200)])
    scheme = RandomizedResponse(0.9)
    model = DisguisedLinearRegression({0: 1.0, 1: scheme}).fit(X, y)
    expected = literal.least_squares(
        [("noise", noisy, 1.0), ("coin", answers, scheme.inverse_matrix()), ("clear", X[:, 2], 0)],
        y)  # fmt: skip
    np.testing.assert_allclose([model.intercept_, *model.coef_], expected, rtol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_the_sandwich_is_the_delta_method_by_differences(k):
    """Each person's influence: what the slopes lose when she weighs a little less."""
    x, g, y, rng = people(80)
    X = np.column_stack([x + 0.3 * rng.normal(size=80), told(g, rng, 0.95)])
    X[:, 1] *= rng.integers(1, k, 80)
    y = y + X[:, 1]  # of three values two have slopes that differ
    model = DisguisedLinearRegression({0: 0.09, 1: CategoricalRandomizedResponse(k, 0.95)})

    def slopes(weight):
        fitted = clone(model).fit(X, y, sample_weight=weight)
        return [fitted.intercept_, *fitted.coef_]

    u = moves(slopes, np.ones(80))
    np.testing.assert_allclose(model.fit(X, y).covariance_, u.T @ u * 80 / 79, rtol=1e-3)


def test_a_disguised_share_by_a_group_is_two_shares():
    rng = np.random.default_rng(0)
    g, told_ = rng.integers(0, 2, 3000), rng.integers(0, 2, 3000)
    model = DisguisedLinearRegression(y_scheme=COIN).fit(g[:, np.newaxis], told_)
    a, b = (estimate_proportion(told_[g == v], 0.75) for v in (1, 0))
    found = estimate_difference(a, b)
    assert model.coef_[0] == pytest.approx(found.difference)
    assert model.standard_errors_[1] == pytest.approx(found.standard_error, rel=1e-3)


def test_both_sides_disguised_give_shares_by_a_disguised_group():
    n = 400_000
    rng = np.random.default_rng(1)
    g = (rng.random(n) < 0.4).astype(int)
    yes = (rng.random(n) < np.where(g == 1, 0.5, 0.2)).astype(int)
    coins = RandomizedResponse(0.75, groups=[[0], [1]], random_state=2)
    reports = coins.fit_transform(np.column_stack([g, yes]))
    model = DisguisedLinearRegression({0: coins}, y_scheme=coins).fit(reports[:, :1], reports[:, 1])
    off = np.array([model.intercept_ - 0.2, model.coef_[0] - 0.3]) / model.standard_errors_
    assert np.abs(off).max() < 4
    assert model.standard_errors_.max() < 0.02  # a slope of the reports, .075, is 11 of them off
    shared = RandomizedResponse(0.75, random_state=2).fit(reports)
    for scheme in (shared, COIN):
        with pytest.raises(ValueError, match="disguised must give attributes coins of their own"):
            DisguisedLinearRegression({0: scheme}, y_scheme=scheme).fit(
                reports[:, :1], reports[:, 1])  # fmt: skip


NOISES = [AdditiveNoise("gaussian", scale=1.0), AdditiveNoise("uniform", scale=np.sqrt(3)),
          AdditiveNoise("laplace", scale=np.sqrt(0.5)), 1.0]  # fmt: skip


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_noise_on_a_covariate_is_undone(noise):
    x, g, y, rng = people(50_000)
    drawn = rng.normal(size=(len(x), 1)) if noise == 1.0 else noise.fit_transform(
        np.zeros((len(x), 1)))  # fmt: skip
    frame = pd.DataFrame({"g": g, "x": x + drawn[:, 0]})
    model = DisguisedLinearRegression({"x": noise}).fit(frame, y)
    assert np.abs((model.coef_ - [0.5, 0.8]) / model.standard_errors_[1:]).max() < 4
    naive = LinearRegression().fit(frame, y).coef_
    assert naive[1] < 0.5 < 0.65 < naive[0]  # too small, and what the neighbour gets of it
    assert model.to_frame()["term"].tolist() == ["intercept", "g", "x"]


def test_a_covariate_of_three_values_is_two_columns():
    rng = np.random.default_rng(3)
    kary = CategoricalRandomizedResponse(3, 0.8, random_state=4)
    values = rng.choice(3, 40_000, p=[0.5, 0.3, 0.2])
    y = np.array([1.0, 2.0, 4.0])[values] + rng.normal(size=len(values))
    reports = kary.fit_transform(values[:, np.newaxis])
    model = DisguisedLinearRegression({0: kary}).fit(reports, y)
    off = np.array([model.intercept_ - 1, model.coef_[0] - 1, model.coef_[1] - 3])
    assert np.abs(off / model.standard_errors_).max() < 4
    at_two = model.intercept_ + model.coef_[1]
    np.testing.assert_allclose(model.predict([[0], [2]]), [model.intercept_, at_two])
    assert model.to_frame()["term"].tolist() == ["intercept", "x0=1", "x0=2"]
    with pytest.raises(ValueError, match=r"X must hold true values, \[0, 1, 2\]"):
        model.predict([[3]])
    # against y alone: the frequencies are those of the same inverse
    shares = estimate_frequencies(reports, kary).frequencies
    assert model.intercept_ + model.coef_ @ shares[1:] == pytest.approx(y.mean(), abs=1e-9)


X, G, Y, _ = people(60)
BOTH = np.column_stack([X, G])
test_what_is_wrong_is_named = refusals(
    ({"disguised": {0: 30.0}}, r"X must vary by more .* x0, x1 from n_samples=60"),
    ({"disguised": {0: "noise"}}, r"disguised \(an AdditiveNoise, .*must be a number", TypeError),
    ({"disguised": {0: AdditiveNoise(scale=[1, 2, 3.0])}}, "noise for one column or for all, got"),
    ({"y_scheme": CategoricalRandomizedResponse(3, 0.8)}, "y_scheme must have two true values"),
    by=lambda how: DisguisedLinearRegression(**how).fit(BOTH, G),
)


def test_covariates_that_depend_on_each_other_are_refused():
    with pytest.raises(ValueError, match="X must vary by more than its disguise"):
        DisguisedLinearRegression().fit(np.column_stack([X, 2 * X]), Y)
