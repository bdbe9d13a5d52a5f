"""The worked file of the book: it is read, served, and answered, also in parts."""

import json
from pathlib import Path

import pytest
from browser import begun, hand_in, kept, view
from headless import CHROMIUM_MARKS, LONG, marked
from serving import serve

from ppdm_survey import Collector, HttpMiner, Survey, create_app

FILE = Path(__file__).parents[2] / "book" / "_static" / "own_survey.json"


@pytest.fixture
def url(database):
    # of 40 random tuples, two classes but for a chance of 2e-12; of 4 one in eight starts has one
    with (Collector(Survey.from_json(FILE), database, random_start=40, random_state=1) as collector,
          serve(create_app(collector)) as url):
        yield url


def test_the_worked_file_is_a_survey_of_eleven_bits():
    survey = Survey.from_json(FILE)
    assert survey.n_values == [3, 2, 3, 3]
    assert survey.n_bits == 11
    assert survey.attributes[3].labels == ("No", "Yes", "No answer")


def test_the_worked_file_is_published_as_it_was_read(url):
    with HttpMiner(url) as miner:
        assert Survey.from_dict(miner.schema()) == Survey.from_json(FILE)


# the one answer in a browser that make test gives
@marked(CHROMIUM_MARKS)
@pytest.mark.parametrize("illness", [pytest.param("y", marks=LONG), "no answer"])
def test_silence_is_an_answer_and_disguised_like_the_others(person, url, illness):
    someone = person()
    page = begun(someone.open(url))
    said = page.locator("details.promise").inner_text()
    for words in ("The town's traffic office.", "the bus have in common", "end of next year"):
        assert words in said
    answers = {"distance": "10", "car": "n", "shift": "noon", "illness": illness, "bus": "y"}
    # whoever accepts all directions is served at once, whatever the random start asks for
    hand_in(page, "sent", "warning", answers=answers, level=11)
    if page.locator("[data-action=send]").count():
        page.click("[data-action=send]")
    view(page, "sent")
    (record,) = kept(page)
    assert record["stage"] == "sent"
    (sent,) = map(json.loads, someone.posted("/api/submit"))
    assert sent["class"] == 1
    assert max(sent["ones"], default=0) < 11
