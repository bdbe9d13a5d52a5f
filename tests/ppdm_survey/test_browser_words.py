"""What the page says, in both languages: true, whole, and for everybody who comes."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest
from browser import BITS, begun, fill, hand_in, kept, opened, press, set_level, submit, view, within
from headless import MARKS
from lying_server import SCHEMA, LyingServer, directions

from ppdm_survey._schema import say

pytestmark = MARKS

LEVEL = 6


@pytest.fixture
def server(language):
    with LyingServer(directions(15), schema={**SCHEMA, "language": language}) as server:
        yield server


def whole(text):
    """Check that a text has no placeholder left and no key in the place of a text."""
    assert not re.search(r"\{[a-z]+\}", text)
    assert not re.search(r"\b(page|steps|start|level|waiting|sent|buttons)\.[a-z]", text)
    return text


def test_where_all_is_asked_for_the_page_says_so_first(person, server, language):
    page = person().open(server.url)
    assert say(language, "begin.open") in whole(view(page, "begin"))
    press(page, "begin")
    text = whole(view(page, "start"))
    assert say(language, "start.text") in text
    # before anything can be filled in, and to wait is the first button, the one that stands out
    assert page.locator("form > fieldset:disabled").count() == 1
    buttons = page.locator(".ppdm-buttons button")
    assert [button.get_attribute("data-action") for button in buttons.all()] == ["later", "open"]
    first, second = (buttons.nth(i).evaluate("one => getComputedStyle(one).backgroundColor")
                     for i in (0, 1))
    assert first != second
    press(page, "open")
    page.wait_for_selector("form > fieldset:enabled")
    assert page.get_by_role("slider").count() == 0
    assert page.locator("[type=submit]").inner_text() == say(language, "page.submitOpen")
    assert say(language, "warning.open") in hand_in(page, "warning", start="open")
    assert page.locator(".ppdm-steps li").nth(2).inner_text() == say(language, "steps.open")
    press(page, "send")
    text = whole(view(page, "sent"))
    # who is not disguised is told so, and not that chance has moved anything
    assert say(language, "sent.onesOpen") in text
    assert say(language, "sent.onesHelp") not in text
    assert say(language, "sent.open") in text
    assert say(language, "sent.direct") not in text
    steps = page.locator(".ppdm-steps li").all_inner_texts()
    assert steps[2] == say(language, "steps.open")
    (message,) = server.stored.values()
    assert message["ones"] == [j for j, bit in enumerate(BITS) if bit]
    (record,) = kept(page)
    assert (record["open"], record["waited"]) == (True, False)


def test_who_waits_is_told_the_truth(person, server, language):
    page = opened(person(), server.url)
    assert page.locator("html").get_attribute("lang") == language
    help_text = page.locator(".ppdm-level .ppdm-help").inner_text()
    assert say(language, "level.help") == help_text  # waiting shows the level
    marked = say(language, "page.notDisguised", label="Your party")
    assert page.get_by_role("group", name=marked).count() == 1  # its name, for who hears the page
    # how much may be read is chosen before the answers
    level, first = map(page.locator, ("[type=range]", "[name=vote_0]"))
    assert level.bounding_box()["y"] < first.first.bounding_box()["y"]
    server.lies["inquiry"] = lambda message: message | {"batch_size": 40}
    fill(page, level=LEVEL)
    assert kept(page) == []
    submit(page)
    text = whole(view(page, "waiting"))
    assert say(language, "waiting.stay") in text
    assert say(language, "waiting.next.other", n=40) in text
    server.lower()
    text = whole(view(page, "sent"))
    assert say(language, "sent.waited") in text
    assert say(language, "sent.direct") not in text
    page.reload()
    assert say(language, "sent.waited") in view(page, "sent")


def test_who_need_not_wait_is_told_so(person, server, language):
    server.lower()
    text = whole(hand_in(person().open(server.url), "sent", level=LEVEL))
    assert say(language, "sent.direct") in text
    assert say(language, "sent.onesHelp") in text
    # the class went, too
    assert say(language, "sent.class", label="Your party", value="Right") in text


@pytest.mark.parametrize("action", ["decline", "forget"])
def test_who_comes_back_need_not_send(person, double, action):
    someone = person()
    page = someone.open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    page.close()
    double.lower()
    page = someone.open(double.url)
    view(page, "back")
    press(page, action)
    if action == "decline":
        view(page, "waiting")
    else:
        begun(page)
        assert not [one for one in kept(page) if "key" in one]
    page.wait_for_timeout(200)
    assert not double.stored
    assert not double.asked("/api/ready")


def test_words_of_the_level_follow_what_is_read(person, server, language):
    page = opened(person(), server.url)
    shown = page.get_by_role("slider").get_attribute("aria-valuetext")
    assert shown == say(language, "level.choose")  # none is chosen for the person
    vote = SCHEMA["attributes"][0]
    votes = {**SCHEMA, "attributes": [{**vote, "name": f"v{i}", "label": f"Vote {i}"}
                                      for i in range(16)], "n_bits": 32, "language": language}
    with LyingServer(directions(32, n_bits=32), schema=votes) as sixteen:
        page = opened(person(), sixteen.url)
        slider = page.get_by_role("slider")
        for level, key in ((2, "little"), (3, "some"), (4, "some"), (6, "fair"), (10, "most")):
            set_level(page, level)
            assert slider.get_attribute("aria-valuetext").endswith(say(language, f"level.{key}"))


def test_a_page_that_is_closed_before_it_had_to_wait_has_kept_nothing(person, double):
    page = opened(person(), double.url)
    double.lies["inquiry"] = lambda message: (503, None)  # gone once the form stands open
    text = hand_in(page, "waiting", level=LEVEL)
    assert "in this page only: if you close it, they are gone" in text
    assert kept(page) == []
    page.reload()
    double.lies.clear()
    begun(page)
    assert kept(page) == []
    assert page.locator("form :checked:not(option)").count() == 0
    assert not double.stored


def test_a_reminder_is_made_in_the_page(person, double):
    someone = person()
    page = someone.open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    before = len(someone.requests)
    link = page.locator("a[download]")
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "survey.ics"
    lines = unquote(link.get_attribute("href").partition(",")[2]).split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert f"URL:{double.url}" in lines
    start = next(line.removeprefix("DTSTART:") for line in lines if line.startswith("DTSTART:"))
    when = datetime.strptime(start, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert abs(when - datetime.now(UTC) - timedelta(days=1)) < timedelta(minutes=2)
    asked = [one.url for one in someone.requests[before:] if not one.url.startswith("data:")]
    assert all("/api/inquiry" in url for url in asked)


#: Properties of a form that its controls take the place of, and names that forms treat in ways of
#: their own; Python's and the page's rules let them all through.
NAMES = ["after", "reset", "dataset", "elements", "submit", "hidden", "noValidate", "autocomplete",
         "querySelector", "querySelectorAll", "addEventListener", "children", "append", "name",
         "constructor", "toString", "length", "action"]


def test_a_question_may_have_any_name(person):
    questions = [{**SCHEMA["attributes"][0], "name": name, "label": name} for name in NAMES]
    schema = {**SCHEMA, "attributes": questions, "n_bits": 2 * len(NAMES)}
    with LyingServer(directions(4, n_bits=2 * len(NAMES)), schema=schema) as server:
        page = opened(person(), server.url)
        submit(page)
        assert page.get_by_role("alert").inner_text().endswith(f"{len(NAMES) + 1} questions have "
                                                               "no answer yet.")
        hand_in(page, "sent", answers={**dict.fromkeys(NAMES, "y"), "party": "left"}, level=LEVEL)
        assert len(server.stored) == 1


@pytest.mark.parametrize(("scheme", "width", "direction"), [
    ("light", 1280, "ltr"), ("dark", 320, "ltr"), ("light", 320, "rtl")])
def test_nothing_stands_in_a_respondent_s_way_or_sticks_out(
    person, server, scheme, width, direction
):
    page = person(viewport={"width": width, "height": 800}, color_scheme=scheme).open(server.url)
    page.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)

    def left(one, nth=0):
        return page.locator(one).nth(nth).bounding_box()["x"]

    view(page, "begin")
    within(page, width)
    press(page, "begin")
    view(page, "start")
    within(page, width)
    press(page, "later")
    page.wait_for_selector("form > fieldset:enabled")
    within(page, width)
    # a legend stands where reading begins, its choices where it ends
    assert (left("fieldset.question .choices") < left("fieldset.question legend")) == (
        direction == "rtl")
    submit(page)  # the errors
    within(page, width)
    hand_in(page, "waiting", level=LEVEL)
    within(page, width)
    assert (left(".ppdm-steps li", 3) < left(".ppdm-steps li")) == (direction == "rtl")
    server.guides.append(directions(LEVEL))
    view(page, "warning")
    within(page, width)
    press(page, "send")
    view(page, "sent")
    within(page, width)


def test_without_scripts_the_page_says_so(person, server, language):
    page = person(java_script_enabled=False).open(server.url)
    page.get_by_text(say(language, "page.noScript")).wait_for()
    assert page.locator("form").get_attribute("action") is None
    assert page.locator("[type=submit]").is_disabled()
    assert page.locator("[name=vote_0]").first.is_disabled()
    # who asks, what for and what becomes public can be read all the same
    assert say(language, "consent.public") in page.locator("details.promise").inner_text()


@pytest.mark.parametrize("lost", ["ppdm.js", "ppdm.en.js", "keep.js", "visit.js", "guided.js"])
def test_until_the_script_runs_a_line_says_so(person, double, lost):
    """A proxy refused some of the files, and the page stood there grey, without a word."""
    someone = person()
    line = say("en", "page.noScript")
    assert not opened(someone, double.url).get_by_text(line).count()
    someone.context.route(f"**/{lost}", lambda route: route.fulfill(status=503))
    page = someone.open(double.url)
    page.get_by_text(line).wait_for()
    assert page.locator("[type=submit]").is_disabled()
    someone.said.clear()  # without its texts the script fails, which is said here, too


def test_the_slider_runs_from_the_side_where_reading_begins(person, double):
    page = opened(person(), double.url)
    slider = page.get_by_role("slider")
    for direction, ends in (("ltr", ("1", "14")), ("rtl", ("14", "1"))):
        page.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)
        box = slider.bounding_box()
        for x, level in zip((2, box["width"] - 2), ends, strict=True):
            slider.click(position={"x": x, "y": box["height"] / 2})
            assert slider.input_value() == level
            assert level in slider.get_attribute("aria-valuetext")
    slider.press("ArrowLeft")  # towards more
    assert slider.input_value() == "2"
