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
    RandomizedResponse,
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


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_the_interval_of_two_groups_covers():
    # 2,000 draws: five standard errors of .95 are .024, and six of 3,000 had .944 to .958
    rng, n, theta, hit = np.random.default_rng(23), 60, 0.9, 0
    both = RandomizedResponse(theta, [[0], [1]], random_state=rng).fit([[0, 0]])
    for _ in range(2000):
        truth = rng.random((n, 2)) < [0.4, 0.5]
        reports = both.transform(truth.astype(int))
        found = estimate_proportion(reports, both, {0: 1, 1: 1})
        low, high = found.interval()
        hit += low <= 0.2 <= high
    assert abs(hit / 2000 - 0.95) < 0.034


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


class TestPeopleWhoWereDrawnUnevenly:
    """Groups, weights, clusters and missing answers."""

    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2, (400, 2))
    ward = rng.choice(["north", "south"], 400)
    shift = rng.integers(0, 2, 400)
    coins = RandomizedResponse(0.8, groups=[[0], [1]]).fit(bits)

    def test_a_group_is_its_people_alone(self):
        found = estimate_proportion(self.bits, self.coins, {0: 1, 1: 0}, by=self.ward)
        assert list(found) == ["all", "north", "south"]
        assert found["all"] == estimate_proportion(self.bits, self.coins, {0: 1, 1: 0})
        for name in ("north", "south"):
            rows = self.ward == name
            alone = estimate_proportion(self.bits[rows], self.coins, {0: 1, 1: 0})
            assert found[name] == alone

    def test_two_columns_and_a_missing_label_are_groups(self):
        by = np.column_stack([self.ward.astype(object), self.shift.astype(object)])
        by[:30, 0] = None
        found = estimate_proportion(self.bits[:, 0], 0.8, by=by)
        assert set(found) == {"all", *((w, s) for w in ("north", "south", None) for s in (0, 1))}
        assert sum(each.n for name, each in found.items() if name != "all") == 400
        rows = (by[:, 0] == "north") & (self.shift == 1)
        assert found["north", 1] == estimate_proportion(self.bits[rows, 0], 0.8)
        with pytest.raises(ValueError, match=r"by must have shape \(400,\), labels for each"):
            estimate_proportion(self.bits[:, 0], 0.8, by=self.ward[:9])

    @pytest.mark.parametrize("expression", [{0: 1}, {0: 1, 1: 0}, {0: 1, "class": 1}])
    def test_even_weights_change_nothing(self, expression):
        y = self.shift if "class" in expression else None
        plain = estimate_proportion(self.bits, self.coins, expression, y=y)
        found = estimate_proportion(
            self.bits, self.coins, expression, y=y, sample_weight=np.full(400, 7.0)
        )
        for name in ("proportion", "standard_error", "disguise_error", "n"):
            assert getattr(found, name) == pytest.approx(getattr(plain, name))
        assert found.effective_n == pytest.approx(400)
        np.testing.assert_allclose(found.interval(), plain.interval())

    def test_whole_weights_are_repeated_people_who_share_a_cluster(self):
        weight = self.rng.integers(0, 4, 400)
        again = np.repeat(np.arange(400), weight)
        found = estimate_proportion(self.bits[:, 0], 0.8, sample_weight=weight)
        repeated = estimate_proportion(self.bits[again, 0], 0.8, clusters=again)
        assert found.proportion == pytest.approx(repeated.proportion)
        assert found.standard_error == pytest.approx(repeated.standard_error)
        assert found.n == np.count_nonzero(weight)
        assert repeated.degrees == found.n - 1

    def test_who_left_out_a_question_counts_for_the_others(self):
        gaps = self.bits.astype(float)
        gaps[::3, 0] = np.nan
        there = ~np.isnan(gaps[:, 0])
        for options in ({}, {"sample_weight": np.ones(400)}, {"clusters": np.arange(400) // 2}):
            kept = {name: each[there] for name, each in options.items()}
            found = estimate_proportion(gaps, self.coins, {0: 1}, missing="drop", **options)
            assert found == estimate_proportion(self.bits[there], self.coins, {0: 1}, **kept)
            assert found.n == there.sum()
            other = estimate_proportion(gaps, self.coins, {1: 1}, missing="drop", **options)
            assert other.n == 400
        with pytest.raises(ValueError, match="reports has 134 missing"):
            estimate_proportion(gaps, self.coins, {0: 1})

    def test_who_was_not_asked_has_no_weight(self):
        asked = RandomizedResponse(0.8, asked=1, random_state=0).fit(self.bits)
        reports = asked.transform(self.bits)
        there = ~np.isnan(reports[:, 0])
        found = estimate_proportion(reports, asked, {0: 1}, sample_weight=1.0 + self.shift)
        alone = estimate_proportion(
            reports[there, 0].astype(int), 0.8, sample_weight=1.0 + self.shift[there]
        )
        assert found.proportion == pytest.approx(alone.proportion)
        assert found.standard_error == pytest.approx(alone.standard_error)

    def test_an_oversampled_group_and_a_cluster_are_put_right(self):
        """The issue's: .14 of the population, three in ten of the sample, 25 alike a cluster."""
        rng, theta = np.random.default_rng(1), 0.9
        rare = np.repeat([0, 1], 5000)
        truth = rng.random(10_000) < np.where(rare, 0.5, 0.1)
        reports = np.where(rng.random(10_000) < theta, truth, ~truth).astype(int)
        weight = np.where(rare, 1.0, 9.0)
        found = estimate_proportion(reports, theta, sample_weight=weight, strata=rare)
        assert abs(found.proportion - 0.14) < 4 * found.standard_error
        assert estimate_proportion(reports, theta).proportion > 0.25
        alike = np.repeat(truth[::25], 25)
        told = np.where(rng.random(10_000) < theta, alike, ~alike).astype(int)
        plain = estimate_proportion(told, theta).standard_error
        clustered = estimate_proportion(told, theta, clusters=np.arange(10_000) // 25)
        assert clustered.standard_error > 3 * plain
        assert clustered.degrees == 399
