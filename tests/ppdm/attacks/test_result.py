"""The one scale of all attacks: success, baseline, interval."""

import numpy as np
import pytest
from scipy.stats import binomtest

from ppdm.attacks import recover_attributes
from ppdm.attacks._leave_one_out import judge_hits, judge_shares, share_interval
from ppdm.randomized_response import RandomizedResponse


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (3, 10), (434, 435)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_interval_of_hits_is_clopper_pearsons(hits, n, confidence):
    exact = binomtest(hits, n).proportion_ci(confidence, method="exact")
    assert share_interval(hits, n, confidence) == pytest.approx((exact.low, exact.high))


def test_parts_of_hits_lie_between_whole_ones():
    lower, part, upper = (share_interval(hits, 10, 0.95) for hits in (3, 3.5, 4))
    assert lower[0] < part[0] < upper[0]
    assert lower[1] < part[1] < upper[1]


def test_what_is_printed_of_many_targets_fits_on_two_lines():
    bits = np.random.default_rng(0).integers(0, 2, (500, 3))
    coin = RandomizedResponse(0.7, random_state=0).fit(bits)
    result = recover_attributes(coin, coin.transform(bits), bits, pool=bits)
    assert len(result.credits) == 500
    assert f"success={result.success!r}" in repr(result)
    assert len(repr(result)) < 200


def test_gain_is_above_the_baseline():
    result = judge_hits(np.array([1.0, 0.0, 0.5, 1.0]), np.full(4, 0.25))
    assert (result.success, result.baseline, result.gain, result.n) == (0.625, 0.25, 0.375, 4)


def test_thirds_that_add_up_to_more_than_all_are_all():
    assert judge_hits(np.full(10, 0.1 * 10 + 1e-16), np.zeros(10)).interval[1] == 1.0


def test_shares_vary_over_targets_and_equal_ones_are_taken_for_hits():
    shares = np.array([0.25, 0.5, 0.75, 1.0] * 25)
    result = judge_shares(shares, np.zeros(100))
    half = 1.959964 * shares.std(ddof=1) / 10
    assert result.interval == pytest.approx((0.625 - half, 0.625 + half), abs=1e-6)
    same = judge_shares(np.ones(100), np.zeros(100))
    assert same.interval == pytest.approx((0.025**0.01, 1.0))
