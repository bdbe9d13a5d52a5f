"""Open questions: told as they are, outside the lot and epsilon; groups by them."""

import numpy as np
import pytest
from coin_site import HALF, MIXED, WARDS, channel_of, coin_site, question, send_all, words

from ppdm_survey import CoinChannel, CoinCollector, Survey, simulate
from ppdm_survey._check import check_coin
from ppdm_survey._coin import FEWEST, Tally, described, grouped, left_out


def test_what_is_open_is_always_told_and_has_no_part_in_lot_and_epsilon():
    channel = channel_of(WARDS, 2.0, 1)
    rest = Survey(title="x", attributes=[WARDS.attributes[j] for j in (0, 2)])
    assert channel.epsilon == channel_of(rest, 2.0, 1).epsilon
    assert channel.false_answer == 2.0
    codes = np.random.default_rng(0).integers(0, [2, 4, 2], (500, 3))
    for marks, code in zip(channel.report(codes, words(channel, 500, 1)), codes, strict=True):
        told = channel.answers(marks)
        assert told[1] == code[1]
        assert (told[0] is None) != (told[2] is None)


def test_check_forecasts_the_disguised_questions_alone():
    channel = channel_of(WARDS, 2.0, 1)
    forecast = check_coin(WARDS, channel, 200, 0.05, surveys=20)
    assert forecast.numbers["read"] == channel.columns[0].chances[0]  # an open one is read always


def test_a_survey_in_which_all_is_open_is_refused():
    with pytest.raises(ValueError, match="one that is disguised"):
        CoinChannel.choose(Survey(title="x", attributes=[WARDS.attributes[1]]), 2.0, asked=1)
    with pytest.raises(ValueError, match="class alone is open"):
        Survey.from_dict({"title": "x", "attributes": [{"name": "a", "label": "A?", "open": True,
                          "values": ["n", "y"]}], "class": {"name": "b", "label": "B?",
                          "values": ["n", "y"]}})


def test_what_has_no_open_question_is_published_as_before():
    assert all("open" not in one for one in MIXED.to_dict("coin")["attributes"])


@pytest.mark.parametrize(("asked", "hidden"), [
    ([40, 15, 30, 20], set()), ([40, 0, 30, 20], {1}), ([40, 1, 30, 20], {1, 3}),
    ([40, 14, 1, 20], {1, 2}), ([40, 9, 5, 20], {1, 2, 3}), ([16, 14], {0, 1})])
def test_groups_of_few_are_left_out_and_others_until_they_are_many(asked, hidden):
    assert left_out(asked) == hidden


def test_no_subtraction_is_of_few_and_nothing_is_shown_by_a_second_open_question():
    """Shares of all times n, less those of the groups shown, were one nurse's report."""
    survey = Survey(title="Two", attributes=[*WARDS.attributes, question("nights", 3, open=True)])
    channel, rng = channel_of(survey, 2.0, 1), np.random.default_rng(5)
    seen = 0
    for _ in range(200):
        n = int(rng.integers(60, 400))
        ward = rng.choice(4, n, p=[0.5, 0.35, 0.12, 0.03])
        codes = np.column_stack([rng.integers(0, 2, n), ward, rng.integers(0, 2, n),
                                 ward % 3])  # nights follow wards
        tally = Tally(channel)
        tally.add(channel.report(codes, rng.integers(0, 2**32, (n, channel.n_words))))
        groups = grouped(survey, tally, 0.05)
        assert list(groups) == [f"ward=v{h}" for h in range(4)]
        for total in described(survey, tally, 0.05):
            shown = [one["n"] for group in groups.values() for one in group
                     if one["name"] == total["name"]]
            rest = total["n"] - sum(shown)
            assert rest == 0 or rest >= FEWEST
            assert all(one >= FEWEST for one in shown)
            seen += rest > 0
    assert seen > 300  # of 400: or nothing was tried


def test_a_tally_by_group_is_that_of_the_group_s_reports(database):
    channel = channel_of(WARDS, 2.0, 1)
    codes = np.random.default_rng(3).integers(0, [2, 4, 2], (400, 3))
    with CoinCollector(WARDS, database, channel=channel, batch_size=100) as collector:
        sent = send_all(collector, codes, 4)
        group = grouped(WARDS, collector._tally, 0.05)["ward=v2"][0]
        live = collector.results()["questions"]
    told = [one[0] for one in sent if one[1] == 2 and one[0] is not None]
    p, q = channel.columns[0].chances
    assert group["n"] == len(told)
    assert group["values"][1]["share"] == pytest.approx((np.mean(told) - q) / (p - q))
    # who fills all of a batch but one would read that one's open answer
    assert [one["name"] for one in live] == ["error", "drinks"]


@pytest.mark.parametrize("survey", [MIXED, HALF])
def test_simulated_people_answer_what_is_open(survey):
    open_ones = [one.open for one in survey.attributes]
    asked = 4 - sum(open_ones)
    with coin_site(survey, channel_of(survey, 4.0, asked)) as (collector, url):
        assert simulate.answer(url, 20) == "20 of 20 reported."
        assert collector.results()["n_reports"] == 20
        n = [tally["n"] for tally in described(survey, collector._tally, 0.05, clear=True)]
        assert n == [20] * 4


def test_shares_of_what_is_open_are_of_fifteen_people_or_none():
    """Of two people the export's shares were their answers, as they are."""
    channel = channel_of(WARDS, 2.0, 1)
    for n in (2, FEWEST - 1, FEWEST):
        tally = Tally(channel)
        tally.add(channel.report(np.zeros((n, 3), dtype=int), words(channel, n, 0)))
        ward = described(WARDS, tally, 0.05, clear=True)[1]
        assert (ward["values"][0]["share"] is None) == (n < FEWEST)


def test_the_bound_is_for_somebody_who_knows_the_open_answers():
    """Where wards differ in errors, whoever did not know the ward moves by more than the factor."""
    channel = channel_of(Survey(title="One", attributes=WARDS.attributes[:2]), 2.0, 1)
    p, q = channel.columns[0].chances
    error = np.array([0.05, 0.05, 0.05, 0.6])  # by ward, all of a size
    told = np.array([[1 - q, q], [1 - p, p]])[:, [0, 1]]  # rows: no, yes; what is told
    prior = error.mean() / (1 - error.mean())
    known = [(p / q), (1 - q) / (1 - p)]  # of the odds of a yes, in whichever ward
    assert max(known) <= np.exp(channel.epsilon) * (1 + 1e-12)
    joint = np.array([(1 - error)[:, None] * told[0], error[:, None] * told[1]]) / 4
    odds = joint[1] / joint[0]  # by ward and what is told
    assert np.allclose(odds / (error / (1 - error))[:, None], told[1] / told[0])
    assert odds[3, 1] / prior > 4 * np.exp(2)  # the ward itself told the rest
