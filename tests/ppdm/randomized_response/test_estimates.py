"""Warner's question: the channel, its inverse on counts, and the errors it promises."""

import numpy as np
import pytest
from scipy.stats import binomtest

from ppdm.exceptions import NegativeEstimateWarning
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies


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
