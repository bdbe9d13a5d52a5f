"""Differences of two estimates, and how many people show one."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_ind

from ppdm.compare import respondents_needed
from ppdm.randomized_response import CategoricalRandomizedResponse, estimate_proportion
from ppdm.reconstruction import estimate_frequencies
from ppdm.regression import estimate_difference

KARY = CategoricalRandomizedResponse(3, 0.7)


def test_of_clear_answers_it_is_newcombe_and_the_pooled_test():
    """Newcombe (1998), Table II, example a: 56/70 less 48/80, method 10."""
    a = estimate_proportion([1] * 56 + [0] * 14, 1.0)
    b = estimate_proportion([1] * 48 + [0] * 32, 1.0)
    found = estimate_difference(a, b)
    np.testing.assert_allclose(found.interval(), [0.0524, 0.3339], atol=6e-5)
    pooled = 104 / 150
    z = 0.2 / np.sqrt(pooled * (1 - pooled) * (1 / 70 + 1 / 80))
    assert found.p_value == pytest.approx(2 * norm.sf(z))
    assert found.standard_error == pytest.approx(np.sqrt(0.8 * 0.2 / 69 + 0.6 * 0.4 / 79))


def test_a_disguise_scales_the_test_of_the_reports():
    reports = [1] * 70 + [0] * 30, [1] * 60 + [0] * 40
    a, b = (estimate_proportion(each, 0.8) for each in reports)
    clear = estimate_difference(*(estimate_proportion(each, 1.0) for each in reports))
    found = estimate_difference(a, b)
    assert found.difference == pytest.approx(clear.difference / 0.6)
    assert found.p_value == pytest.approx(clear.p_value)
    np.testing.assert_allclose(found.interval(), clear.interval() / 0.6)
    back = estimate_difference(b, a)
    np.testing.assert_allclose(back.interval(), -found.interval()[::-1])
    assert back.p_value == found.p_value


def test_of_frequencies_each_value_is_a_difference():
    rng = np.random.default_rng(0)
    a, b = (estimate_frequencies(KARY.fit_transform(rng.choice(3, (n, 1), p=p)), KARY)
            for n, p in ((900, [0.5, 0.3, 0.2]), (500, [0.2, 0.3, 0.5])))  # fmt: skip
    found = estimate_difference(a, b)
    np.testing.assert_allclose(found.difference, a.frequencies - b.frequencies)
    assert found.interval().shape == (3, 2)
    assert (found.interval()[:, 0] < found.difference).all()
    assert (found.p_value[[0, 2]] < 0.001).all()


def of_clusters(m, rng, size=20, theta=1.0):
    """Shares that differ from cluster to cluster, which are all of one size; and their means."""
    share = np.repeat(rng.uniform(0.1, 0.6, m), size)
    reports = (rng.random(share.size) < share * theta + (1 - share) * (1 - theta)).astype(int)
    clusters = np.repeat(np.arange(m), size)
    return estimate_proportion(reports, theta, clusters=clusters), reports.reshape(m, size).mean(1)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_of_clusters_it_is_welch_s_test_and_interval_of_their_means():
    rng, differ = np.random.default_rng(3), 0
    for _ in range(40):
        (a, means), (b, others) = of_clusters(3, rng), of_clusters(5, rng)
        gap, peer = estimate_difference(a, b), ttest_ind(means, others, equal_var=False)
        assert (gap.p_value, gap.degrees) == pytest.approx((peer.pvalue, peer.df))
        np.testing.assert_allclose(gap.interval(0.9), peer.confidence_interval(0.9))
        single = estimate_proportion([1] * 30 + [0] * 70, 0.8)
        for one in (estimate_difference(a, single), estimate_difference(single, b), gap):
            low, high = one.interval()
            assert (one.p_value < 0.05) == (not low <= 0 <= high)
            differ += one.p_value < 0.05
    assert 5 < differ < 100


def test_groups_that_do_not_differ_at_all_are_no_evidence_of_a_difference():
    none = estimate_proportion([0] * 20, 1.0)
    same = estimate_proportion([1, 0] * 6, 1.0, clusters=np.repeat(np.arange(3), 4))
    for gap in (estimate_difference(none, none), estimate_difference(same, same)):
        assert (gap.difference, gap.p_value) == (0.0, 1.0)
    assert gap.standard_error == 0.0
    assert gap.interval().tolist() == [0.0, 0.0]


def test_who_plans_a_difference_gets_the_design_s_example():
    """By hand (1.96 x .6847 + .8416 x .6837)^2 / .05^2 is 1,470.5."""
    assert respondents_needed(0.75, proportion=0.2, difference=0.1, power=0.8) == 1471
    assert respondents_needed(1.0, proportion=0.2, difference=0.1, power=0.8) == 294
    assert respondents_needed(1.0, proportion=0.3, difference=-0.1, power=0.8) == 294
    both = respondents_needed([[0.75], [1.0]], proportion=0.2, difference=[0.1, 0.2], power=0.8)
    assert both.shape == (2, 2)
    assert both[:, 0].tolist() == [1471, 294]


def test_what_is_wrong_is_named():
    one = estimate_proportion([0, 1, 1], 0.8)
    many = estimate_frequencies([0, 1, 2, 1], KARY.channel_matrix())
    with pytest.raises(ValueError, match="a and b must be estimates of the same values"):
        estimate_difference(one, many)
