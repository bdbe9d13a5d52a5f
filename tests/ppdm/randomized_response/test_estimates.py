"""Warner's question: the channel, its inverse on counts, and the errors it promises."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ppdm.compare import respondents_needed
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies

thetas = st.floats(0, 1).filter(lambda t: abs(t - 0.5) > 0.01)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@settings(deadline=None)
@given(theta=thetas, ones=st.integers(0, 200), zeros=st.integers(1, 200))
def test_estimate_solves_the_papers_two_equations(theta, ones, zeros):
    estimate = estimate_proportion([1] * ones + [0] * zeros, theta).proportion
    solved = np.linalg.solve([[theta, 1 - theta], [1 - theta, theta]], [ones, zeros])
    assert estimate == pytest.approx(solved[0] / (ones + zeros), abs=1e-9)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@settings(deadline=None)
@given(theta=thetas, bits=st.lists(st.integers(0, 1), min_size=2, max_size=60))
def test_complement_of_the_reports_at_one_minus_theta_is_the_same_estimate(theta, bits):
    one = estimate_proportion(bits, theta)
    other = estimate_proportion(1 - np.array(bits), 1 - theta)
    np.testing.assert_allclose(astuple(one), astuple(other), atol=1e-9)


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
    for theta in (0.5, [0.7, 0.5]):
        with pytest.raises(ValueError, match=r"theta must not be 1/2, where .* say nothing, got"):
            respondents_needed(theta, 0.01)
