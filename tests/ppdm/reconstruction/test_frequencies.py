"""Frequencies in one call: the same as its steps, and as near as its page says."""

import re

import numpy as np
import pytest
from refusals import refusals
from scipy.stats import binom

from ppdm._statistics import Scored
from ppdm.channel import Channel
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.reconstruction import (
    FrequencyEstimate,
    em,
    estimate_frequencies,
    invert,
    project,
)

SKEWED = np.array([[0.5, 0.0, 0.1], [0.3, 1.0, 0.2], [0.2, 0.0, 0.7]])
CODES = np.random.default_rng(0).integers(0, 3, (500, 2))


class Shift(Channel):
    """A user's own: it says the next of three values instead, in a third of the cases."""

    def channel_matrix(self, feature=0):
        return (2 * np.eye(3) + np.roll(np.eye(3), 1, axis=0)) / 3


@pytest.mark.parametrize("channel", [SKEWED, Shift(), CategoricalRandomizedResponse(3, epsilon=2)])
@pytest.mark.parametrize("feature", [0, 1])
def test_it_is_its_steps(channel, feature):
    counts = np.bincount(CODES[:, feature], minlength=3)
    undone = invert(channel, counts)
    found = estimate_frequencies(CODES, channel, feature=feature)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.frequencies, undone.proportions)
    np.testing.assert_allclose(found.standard_errors, undone.standard_errors / 500)
    assert (found.n, found.method) == (500, "raw")
    for method in ("clip", "simplex"):
        legal = estimate_frequencies(CODES, channel, feature=feature, method=method)
        projected = project(undone.proportions, method=method)
        np.testing.assert_allclose(legal.frequencies, projected, atol=1e-12)
        np.testing.assert_array_equal(legal.standard_errors, found.standard_errors)
    likely = estimate_frequencies(CODES, channel, feature=feature, method="em")
    expected = em(channel, counts, stop="tol", tol=2e-5, max_iter=100_000).probabilities
    np.testing.assert_allclose(likely.frequencies, expected)
    one = estimate_frequencies(CODES[:, feature], channel, method="em")
    np.testing.assert_allclose(one.frequencies, expected)


def test_each_attribute_has_its_own_channel():
    krr = CategoricalRandomizedResponse([2, 5], epsilon=3.0, random_state=0)
    records = np.column_stack([CODES[:, 0] % 2, np.arange(500) % 5])
    reports = krr.fit_transform(records)
    found = estimate_frequencies(reports, krr, feature=1)
    assert found.frequencies.shape == found.counts.shape == (5,)
    listed = estimate_frequencies(reports, [krr.channel_matrix(j) for j in (0, 1)], feature=1)
    np.testing.assert_allclose(listed.frequencies, found.frequencies)


def test_noise_on_intervals_is_a_channel():
    noise = AdditiveNoise("uniform", scale=0.5, random_state=1)
    released = noise.transform(np.random.default_rng(1).random((5000, 1)))
    bound = noise.on(np.linspace(0, 1, 5))
    spread = estimate_frequencies(released, bound, method="em")
    likely = em(bound, bound.count(released[:, 0]), stop="tol", tol=2e-5).probabilities
    np.testing.assert_allclose(spread.frequencies, likely)


def test_estimates_of_chunks_add_up_as_the_reference_says():
    krr = CategoricalRandomizedResponse(3, epsilon=2.0)
    chunks = [estimate_frequencies(part[:, 1], krr) for part in (CODES[:100], CODES[100:])]
    whole, n = estimate_frequencies(CODES[:, 1], krr), np.array([[100], [400]])
    shares, errors = (np.array([getattr(each, name) for each in chunks])
                      for name in ("frequencies", "standard_errors"))  # fmt: skip
    np.testing.assert_allclose((n / 500 * shares).sum(axis=0), whole.frequencies, atol=1e-12)
    error = np.sqrt(((n / 500 * errors) ** 2).sum(axis=0))
    np.testing.assert_allclose(error, whole.standard_errors, rtol=0.01)


def test_what_cannot_be_inverted_has_no_standard_errors():
    alike = np.full((3, 3), 1 / 3)
    with pytest.raises(ValueError, match="linearly independent columns"):
        estimate_frequencies(CODES[:, 0], alike)
    found = estimate_frequencies(CODES[:, 0], alike, method="em")
    np.testing.assert_allclose(found.frequencies, 1 / 3)
    assert np.isnan(found.standard_errors).all()
    one = estimate_frequencies([1], SKEWED, method="simplex")
    assert np.isnan(one.standard_errors).all()


#: As on the page: true shares, and how far raw, clip, simplex and EM are from them.
PAGE = {
    "1 / rank^1.2": (np.arange(1, 201) ** -1.2, (0.67, 0.37, 0.29, 0.22)),
    ".95^rank": (0.95 ** np.arange(1, 201), (0.66, 0.36, 0.30, 0.33)),
    "alike": (np.ones(200), (0.67, 0.43, 0.49, 0.30)),
}


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("name", PAGE)
def test_which_is_nearer_is_as_the_page_says(name):
    # a draw spreads by .01 to .04: four standard errors of a mean of two and the page's, of five
    weights, expected = PAGE[name]
    rng = np.random.default_rng(0)
    krr = CategoricalRandomizedResponse(200, epsilon=1.0, random_state=rng)
    far = []
    for _ in range(2):
        true = rng.multinomial(1_000_000, weights / weights.sum())
        reports = krr.fit_transform(np.repeat(np.arange(200), true)[:, np.newaxis])
        far.append([
            np.abs(estimate_frequencies(reports, krr, method=m).frequencies - true / 1e6).sum() / 2
            for m in ("raw", "clip", "simplex", "em")
        ])  # fmt: skip
    within = 4 * 0.04 * (1 / 2 + 1 / 5) ** 0.5
    np.testing.assert_allclose(np.mean(far, axis=0), expected, atol=within)


ADVICE = r"must be a Channel.* or a matrix .*"
test_bad_input_is_named = refusals(
    ([0], [SKEWED] * 2, "channel must be one matrix"),
    ([0], [AdditiveNoise()], "channel must have 2"),
    ([0, 1], [[1, 1], [0, 0]], "reports must be of values that the channel releases"),
    ([0], AdditiveNoise(), ADVICE + r"by on\(edges\)", TypeError),
    ([0], CountNB(2), ADVICE + "take its parts", TypeError),
    by=lambda reports, channel: estimate_frequencies(reports, channel, method="em"),
)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("make", [UnaryEncoding, CategoricalRandomizedResponse])
def test_a_value_counted_by_itself_gives_what_the_whole_matrix_gives(make, k):
    scheme = make(k, epsilon=1.3, random_state=2)
    reports = scheme.fit_transform(np.arange(900).reshape(-1, 1) % k % 4)
    by_matrix = invert(scheme, scheme.count(reports)[0])
    found = estimate_frequencies(reports, scheme, method="simplex")
    np.testing.assert_allclose(found.standard_errors, by_matrix.standard_errors / 900, rtol=1e-12)
    expected = project(by_matrix.proportions, method="simplex", total=1)
    np.testing.assert_allclose(found.frequencies, expected, atol=1e-12)
    inverse = scheme.inverse_matrix()
    np.testing.assert_allclose(found.weights, [inverse.min(axis=1), inverse.max(axis=1)])


def frame_of_answers(n=600):
    pd = pytest.importorskip("pandas")
    party = pd.Categorical(np.array(["red", "blue", "green"])[np.arange(n) % 3])
    return pd.DataFrame({"party": party, "votes": np.arange(n) % 2})


def test_attributes_are_asked_for_by_name_one_or_all():
    frame = frame_of_answers()
    krr = CategoricalRandomizedResponse([3, 2], epsilon=2.0, random_state=0)
    reports = krr.set_output(transform="pandas").fit_transform(frame)
    found = estimate_frequencies(reports, krr, feature="all")
    assert list(found) == ["party", "votes"]
    assert found["party"].categories.tolist() == ["blue", "green", "red"]
    assert found["votes"].categories.tolist() == [0, 1]
    for told, feature in ((reports, "party"), (reports["party"], "party"), (reports.to_numpy(), 0)):
        one = estimate_frequencies(told, krr, feature=feature)
        np.testing.assert_array_equal(one.frequencies, found["party"].frequencies)
    table = found["party"].to_frame()
    assert table.loc["red", "standard_error"] == found["party"].standard_errors[2]
    with pytest.raises(ValueError, match=r"feature must name one of the columns .*got 'gender'"):
        estimate_frequencies(reports, krr, feature="gender")
    with pytest.raises(ValueError, match="give numbers"):
        estimate_frequencies([0, 1], np.eye(2), feature="party")


def test_a_table_of_many_values_is_cut_in_the_middle():
    krr = CategoricalRandomizedResponse(50, epsilon=5.0, random_state=0)
    found = estimate_frequencies(krr.fit_transform(np.arange(50).reshape(-1, 1)), krr, method="em")
    lines = repr(found).splitlines()
    assert lines[0] == "50 reports, method 'em'"
    assert len(lines) == 23
    assert lines[12].split() == ["..."]
    assert lines[-1].split()[0] == "49"


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("n", [50, 500, 5000])
def test_the_interval_covers_as_often_as_its_docstring_says(n):
    [row] = re.findall(rf"^ *{n:,} +(\..*)$", FrequencyEstimate.interval.__doc__, re.MULTILINE)
    said = [float(word) for word in row.split()]
    found = []
    for theta in (0.55, 0.7, 0.9):
        coin = RandomizedResponse(theta, groups=[[0]])
        told = np.arange(n + 1)[:, np.newaxis] * [-1, 1] + [n, 0]
        # the interval of one result is vectorised: here for every count of yes at once
        undone = invert(coin, told)
        error = undone.standard_errors[:, 1] / n
        low, high = Scored(undone.proportions[:, 1], error, n, 1.0).interval(0.95).T
        few = estimate_frequencies(np.repeat([0, 1], told[n // 3]), coin)
        np.testing.assert_allclose(few.interval()[1], [low[n // 3], high[n // 3]])
        shares = np.linspace(0, 1, 101)
        inside = (low <= shares[:, np.newaxis]) & (shares[:, np.newaxis] <= high)
        reported = theta * shares + (1 - theta) * (1 - shares)
        chance = binom.pmf(np.arange(n + 1), n, reported[:, np.newaxis])
        covers = (chance * inside).sum(axis=1)
        found += [covers.mean(), covers.min()]
    np.testing.assert_allclose(said, found, atol=6e-4)


def test_an_interval_is_of_raw_frequencies_with_errors():
    krr, few = CategoricalRandomizedResponse(3, epsilon=2.0), np.repeat([0, 1, 2], [5, 3, 2])
    clipped = estimate_frequencies(few, krr, method="clip")
    with pytest.raises(ValueError, match=r"needs the raw frequencies.*got 'clip'"):
        clipped.interval()
    with pytest.warns(NegativeEstimateWarning, match="2 of 3 frequencies fell below zero") as seen:
        alone = estimate_frequencies([0], krr)
    assert seen[0].filename == __file__
    assert alone.frequencies.min() < 0  # and is kept
    assert np.isnan(alone.interval()).all()
    narrow, wide = (
        estimate_frequencies(few, krr).interval(confidence).T for confidence in (0.5, 0.99)
    )
    assert (wide[0] < narrow[0]).all()
    assert (narrow[1] < wide[1]).all()
