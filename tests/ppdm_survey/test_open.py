"""Open questions: told as they are, outside the lot and epsilon; groups by them."""

import numpy as np
import pytest
from coin_site import MIXED, channel, question, send_all, words

from ppdm_survey import CoinChannel, CoinCollector, Column, Survey, SurveyError
from ppdm_survey._coin import FEWEST, Tally, grouped

WARDS = Survey(title="Wards", attributes=[
    question("error", 2), question("ward", 4, open=True), question("drinks", 2)])


def test_what_is_open_is_always_told_and_has_no_part_in_lot_and_epsilon():
    found = channel(WARDS, 2.0, 1)
    rest = Survey(title="x", attributes=[WARDS.attributes[j] for j in (0, 2)])
    assert found.epsilon == channel(rest, 2.0, 1).epsilon
    assert (found.part(0), found.part(1), found.false_answer) == (0.5, 1.0, 2.0)
    codes = np.random.default_rng(0).integers(0, [2, 4, 2], (500, 3))
    for marks, code in zip(found.report(codes, words(found, 500, 1)), codes, strict=True):
        told = found.answers(marks)
        assert told[1] == code[1]
        assert (told[0] is None) != (told[2] is None)


@pytest.mark.parametrize("answers", [[1, None, None], [1, 2, 0], [None, 2, None], [1, [2], None]])
def test_a_report_without_its_open_answer_is_refused(answers):
    with pytest.raises(SurveyError):
        channel(WARDS, 2.0, 1).pack(answers)


@pytest.mark.parametrize(("kind", "own", "other"), [
    ("open", 2**32 - 3, 1), ("k-ary", 2**32, 0), ("unary", 2**32, 1), ("unary", 2**31, 0)])
def test_only_what_is_said_to_be_open_is_certain(kind, own, other):
    with pytest.raises(ValueError, match="open alone"):
        Column(name="a", kind=kind, n_values=4, own=own, other=other)


def test_a_survey_in_which_all_is_open_is_refused():
    with pytest.raises(ValueError, match="one that is disguised"):
        CoinChannel.choose(Survey(title="x", attributes=[WARDS.attributes[1]]), 2.0, asked=1)
    with pytest.raises(ValueError, match="class alone is open"):
        Survey.from_dict({"title": "x", "attributes": [{"name": "a", "label": "A?", "open": True,
                          "values": ["n", "y"]}], "class": {"name": "b", "label": "B?",
                          "values": ["n", "y"]}})


def test_what_has_no_open_question_is_published_as_before():
    assert all("open" not in one for one in MIXED.to_dict("coin")["attributes"])


def test_groups_of_too_few_are_left_out():
    found = channel(WARDS, 2.0, 2)
    codes = np.repeat([[1, 0, 0], [0, 1, 1]], [FEWEST, FEWEST - 1], axis=0)
    tally = Tally(found)
    tally.add(found.report(codes, words(found, len(codes), 2)))
    groups = grouped(WARDS, tally, 0.05)
    assert [one["name"] for one in groups["ward=v0"]] == ["error", "drinks"]
    assert groups["ward=v1"] == groups["ward=v2"] == []


def test_a_tally_by_group_is_that_of_the_group_s_reports(database):
    found = channel(WARDS, 2.0, 1)
    codes = np.random.default_rng(3).integers(0, [2, 4, 2], (400, 3))
    with CoinCollector(WARDS, database, channel=found, batch_size=100) as collector:
        sent = send_all(collector, codes, 4)
        of = grouped(WARDS, collector._tally, 0.05)["ward=v2"][0]
    told = [one[0] for one in sent if one[1] == 2 and one[0] is not None]
    p, q = found.columns[0].chances
    assert of["n"] == len(told)
    assert of["values"][1]["share"] == pytest.approx((np.mean(told) - q) / (p - q))
