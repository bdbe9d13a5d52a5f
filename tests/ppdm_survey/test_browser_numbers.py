"""Numbers as people write them: what is read, what is said back, and what is an error."""

import pytest
from browser import begun, hand_in, press, submit, view
from coin_site import channel_of, coin_site, stored
from headless import MARKS

from ppdm_survey import Attribute, Survey
from ppdm_survey._schema import say, texts

pytestmark = MARKS

KM = {"name": "km", "label": "How far is it?", "values": ["near", "far"], "edges": [5],
      "labels": ["up to 5 km", "over 5 km"], "unit": "km", "least": 0, "most": 900, "step": 0.5,
      "help": "One way."}
KEYS = {"unreadable": {}, "thousands": {}, "least": {"least": "0"}, "most": {"most": "900"},
        "step": {"step": "0.5", "near": "1.5"}}


def survey(language="en", **more):
    return Survey(title="Way", language=language, attributes=[Attribute(**{**KM, **more})])


#: What is a number, and its interval; what is none, and why not.
READ = {"1,5": 0, "1.5": 0, " 7 ": 1, "5": 0, "5,5": 1, "5.50": 1, "0": 0, ",5": 0, "+7": 1,
        "900": 1, "007": 1}
WRONG = {"unreadable": ["12 km", "abc", "5-", "1e", "1e2", "1.2.3", "1.234,5", "5,", ".",
                        "Infinity", "0x10"],
         "thousands": ["1.234", "1,234"], "least": ["-3", "\u22123"], "most": ["901"],
         "step": ["1.4"]}


def test_a_number_is_read_alike_in_each_language_and_said_back(person, language):
    """In an English Chromium 1,5 became 15, in Firefox no answer."""
    with coin_site(survey(language), channel_of(survey())) as (collector, url):
        page = person().open(url)
        for n, (text, interval) in enumerate(READ.items(), start=1):
            begun(page)
            assert page.locator("[name=km]").get_attribute("inputmode") == "decimal"
            page.fill("[name=km]", text)
            written = text.strip().replace(".", say(language, "missing.point"))
            said = say(language, "missing.readAs", number=f"{written} km",
                       interval=KM["labels"][interval])
            assert page.locator(".ppdm-read").inner_text() == said
            submit(page)
            view(page, "sent")
            assert collector.n_received == n, text
            press(page, "erase")
            view(page, "begin")


@pytest.mark.parametrize("optional", [False, True])
def test_what_is_no_number_is_an_error_and_never_no_answer(person, language, optional):
    """Of an optional question it was taken for silence."""
    asked = survey(language, optional=optional)
    with coin_site(asked, channel_of(asked)) as (collector, url):
        page = begun(person().open(url))
        for why, text in [(why, text) for why, texts in WRONG.items() for text in texts]:
            page.fill("[name=km]", "")  # or the error of the text before would be looked at
            page.wait_for_function("!document.querySelector('[name=km][aria-invalid=true]')")
            page.fill("[name=km]", text)
            submit(page)
            page.wait_for_selector("[name=km][aria-invalid=true]")
            said = page.locator("#ppdm-error-km").inner_text()
            words = {"thousands": {"whole": "1234", "fraction": f"{text}0"}}.get(why, KEYS[why])
            words = {key: one.replace(".", say(language, "missing.point"))
                     if key in ("step", "near") else one for key, one in words.items()}
            assert said.endswith(say(language, f"missing.{why}", **words)), text
            ids = page.locator("[name=km]").get_attribute("aria-describedby").split()
            assert ids == ["help-km", "ppdm-error-km"]  # the help is not lost
            # below the form stood that the question has no answer yet
            look = texts(language)["missing"]["look"]["one"]
            assert page.locator("form .ppdm-error[role=alert]").inner_text() == look
            assert page.locator(".ppdm-read").inner_text() == ""
            assert collector.n_received == 0
        if not optional:  # and of one that is left empty it still does
            page.fill("[name=km]", "")
            submit(page)
            none = texts(language)["missing"]["count"]["one"]
            assert page.locator("form .ppdm-error[role=alert]").inner_text() == none
        hand_in(page, "sent", answers={"km": "7"})


def test_the_wheel_and_the_arrows_change_nothing(person):
    with coin_site(survey(), channel_of(survey())) as (_, url):
        page = begun(person().open(url))
        page.fill("[name=km]", "7")
        page.mouse.wheel(0, 100)
        page.press("[name=km]", "ArrowDown")
        assert page.input_value("[name=km]") == "7"


@pytest.mark.parametrize("choice", ["does not apply", ""])
def test_a_number_may_not_apply_or_be_left_out(person, choice):
    asked = survey(optional=True, may_not_apply=True)
    # hardly any chance: 1 in 10^8 that another one is told
    with coin_site(asked, channel_of(asked, 20.0)) as (collector, url):
        page = begun(person().open(url))
        if choice:
            page.check("[name=km][type=checkbox]")
        hand_in(page, "sent", answers={})
        assert stored(collector) == [[asked.attributes[0].values.index(choice or "no answer")]]
