"""The worked file of the book: it is read, served, and answered, also in parts."""

import json
from html import unescape

import httpx
import pytest
from browser import hand_in, kept, through, view
from coin_site import FILE
from headless import CHROMIUM_MARKS, LONG, marked
from serving import serve

from ppdm_survey import CoinChannel, CoinCollector, Collector, HttpMiner, Survey, create_app
from ppdm_survey._check import check_coin


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


HOSPITAL = FILE.with_name("hospital_survey.json")


def test_the_hospital_s_file_is_served_with_what_an_ethics_board_asks_for():
    survey = Survey.from_json(HOSPITAL, scheme="coin")
    assert survey.n_values == [2, 3, 7, 4, 4]
    channel = CoinChannel.choose(survey, 2.0, people=900)
    with CoinCollector(survey, channel=channel) as collector, serve(create_app(collector)) as url:
        page = unescape(httpx.get(f"{url}/").text)
        published = httpx.get(f"{url}/api/schema").json()
        for key in ("operator", "purpose", "legal_basis", "rights", "minimum_age", "retention"):
            assert getattr(survey, key) in page
            assert published[key] == getattr(survey, key)
        assert 'href="https://hospital.example/survey"' in page
        assert "contact" not in published
    warned = check_coin(survey, channel, 900, 0.05, surveys=3).lines
    quoted = (FILE.parents[1] / "run_a_survey.md").read_text(encoding="utf-8")
    assert next(line for line in warned if line.startswith("Each answers")) in quoted
    assert not any("Led to" in line for line in warned)


# the one answer in a browser that make test gives
@marked(CHROMIUM_MARKS)
@pytest.mark.parametrize("illness", [pytest.param("y", marks=LONG), "no answer"])
def test_silence_is_an_answer_and_disguised_like_the_others(person, url, illness):
    someone = person()
    page = someone.open(url)
    view(page, "begin")
    said = page.locator("details.promise").text_content()
    for words in ("The town's traffic office.", "the bus have in common", "end of next year"):
        assert words in said
    answers = {"distance": "10", "car": "n", "shift": "noon", "illness": illness, "bus": "y"}
    # whoever accepts all directions is served at once, whatever the random start asks for
    hand_in(page, "sent", "warning", answers=answers, level=11)
    through(page)
    (record,) = kept(page)
    assert record["stage"] == "sent"
    (sent,) = map(json.loads, someone.posted("/api/submit"))
    assert sent["class"] == 1
    assert max(sent["ones"], default=0) < 11
