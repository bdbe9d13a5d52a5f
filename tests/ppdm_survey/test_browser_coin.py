"""The coin in a real browser: what is shown, what leaves, and what is kept."""

import json
import math

import numpy as np
import pytest
from browser import begun, forge, hand_in, hush, kept, press, status, unreachable, view, within
from coin_site import CODES, HALF, MIXED, channel_of, coin_site, send_all, words
from headless import MARKS
from scipy.stats import chi2

from ppdm_survey import Attribute, Survey
from ppdm_survey._coin import WHOLE
from ppdm_survey._schema import texts

pytestmark = MARKS


@pytest.fixture
def site():
    with coin_site() as served:
        yield served


# ---- arithmetic

@pytest.mark.parametrize(("survey", "epsilon", "asked"), [
    (MIXED, 4.0, 4), (MIXED, 1.0, 1), (MIXED, 6.0, 2), (HALF, 1.0, 1)])
def test_same_report_for_the_same_words(js, survey, epsilon, asked):
    channel = channel_of(survey, epsilon, asked)
    codes = np.random.default_rng(0).integers(0, MIXED.n_values, (500, 4))
    drawn = words(channel, len(codes), 1)
    # words at both sides of each bound, too, where one wrong comparison would tell
    edges = np.unique(np.concatenate([one.parts.cumsum(axis=0).ravel() for one in channel.columns]))
    near = np.clip(np.concatenate([edges - 1, edges]), 0, WHOLE - 1)
    drawn[: len(near), 4:] = near[:, np.newaxis]
    expected = [channel.answers(row) for row in channel.report(codes, drawn)]
    got = js("""([channel, codes, words]) => codes.map((one, i) => {
      const starts = []; let at = channel.columns.length;
      for (const column of channel.columns) { starts.push(at); at += ppdm.drawsOf(column); }
      const draw = (column, j) => words[i].slice(starts[j], starts[j] + ppdm.drawsOf(column));
      return ppdm.reportOf(channel, ppdm.lotOf(channel, words[i]), one, draw);
    })""", [channel.model_dump(mode="json"), codes.tolist(), drawn.tolist()])
    assert got == expected


@pytest.mark.parametrize(("channels", "asks"), [(HALF, HALF), (HALF, MIXED), (MIXED, HALF)])
def test_a_channel_is_open_where_the_page_says_so_and_nowhere_else(js, channels, asks):
    channel = channel_of(channels, 4.0, 2).model_dump(mode="json")
    taken = js("""([channel, questions]) => {
      try { return ppdm.checkChannel(channel, questions) && "taken"; }
      catch (error) { return error.constructor === ppdm.Refusal ? "refused" : String(error); }
    }""", [channel, asks.to_dict("coin")["attributes"]])
    assert taken == ("taken" if channels is asks else "refused")


def test_no_report_is_drawn_of_no_answer(js):
    channel = channel_of(MIXED, 4.0, 4).model_dump(mode="json")
    assert js("""(channel) => { try { return ppdm.reportOf(channel, [0, 1, 2, 3], [0, -1, 0, 0]); }
      catch (error) { return error.name; } }""", channel) == "RangeError"


def test_same_epsilon_and_fingerprint(js):
    for epsilon, asked in ((0.1, 4), (2.0, 1), (9.0, 3)):
        channel = channel_of(MIXED, epsilon, asked)
        got = js("async (channel) => [ppdm.epsilonOf(channel), await ppdm.hashChannel(channel)]",
                  channel.model_dump(mode="json"))
        assert got == [pytest.approx(channel.epsilon, abs=1e-12), channel.hash]
        assert epsilon - 1e-6 < channel.epsilon <= epsilon


N = 100_000


@pytest.mark.parametrize("j", range(4))
def test_the_browser_s_draws_have_the_channel_s_chances(js, j):
    # its own cryptographic numbers: no seed. 1 - 1e-6 of a chi-squared: the four fail by chance
    # once in 250,000 runs, and a chance that is off by one in a hundred is seen nearly always
    channel = channel_of()
    column = channel.columns[j]
    told = js("""([column, code, n]) => {
      const size = ppdm.drawsOf(column), counts = Array(column.n_values).fill(0);
      for (let i = 0; i < n; i++)
        for (const h of [ppdm.tell(column, code, ppdm.randomWords(size))].flat()) counts[h] += 1;
      return counts;
    }""", [column.model_dump(), int(CODES[j]), N])
    p, q = column.chances
    expected = N * np.where(np.arange(column.n_values) == CODES[j], p, q)
    counts = np.array(told)
    if column.kind == "unary":  # bits are independent: the sum of squares of their z
        spread = expected * (1 - expected / N)
        statistic, df = ((counts - expected) ** 2 / spread).sum(), len(told)
    else:
        statistic, df = ((counts - expected) ** 2 / expected).sum(), len(told) - 1
        assert counts.sum() == N
    assert statistic < chi2.isf(1e-6, df)


def test_the_lot_falls_on_each_question_alike(js):
    channel = channel_of(MIXED, 2.0, 2)
    counts = np.array(js("""(channel) => {
      const counts = [0, 0, 0, 0];
      for (let i = 0; i < 20000; i++) for (const j of ppdm.lotOf(channel)) counts[j] += 1;
      return counts;
    }""", channel.model_dump(mode="json")))
    # half of 20,000 each, standard deviation 71: within five
    assert counts.sum() == 40000
    assert np.abs(counts - 10000).max() < 5 * 71


# ---- a visit

def test_one_press_draws_and_sends_and_only_the_report_leaves(coin):
    collector, someone = coin()
    page = begun(someone.open())
    shown = page.locator(".ppdm-promise")
    assert f"{math.exp(4):.3g}"[:4] in shown.text_content()
    assert float(shown.locator("[data-epsilon]").get_attribute("data-epsilon")) == pytest.approx(
        collector.channel.epsilon, abs=1e-12)
    before = len(someone.requests)
    press(page, "practice")
    assert "times of 20" in page.locator(".ppdm-practice").inner_text()
    assert len(someone.requests) == before
    assert someone.posted("/api/submit") == someone.posted("/api/ready") == []
    mend = unreachable(someone.context, "**/api/submit")
    assert "again by itself" in hand_in(page, "waiting")
    (record,) = kept(page)
    # neither answers nor anything else of them is kept
    assert set(record) == {"stage", "hash", "epsilon", "lot", "spent", "answers", "token", "id"}
    report = record["answers"]
    mend()
    view(page, "sent")
    *_, sent = map(json.loads, someone.posted("/api/submit"))
    assert sent.keys() == {"token", "channel", "answers"}
    assert sent["answers"] == report
    assert [json.loads(one) for one in someone.posted("/api/ready")] == [
        {"channel": collector.channel.hash}]
    assert collector.n_received == 1
    (row,) = next(iter(collector._store.pages(9)))
    assert row.bits == collector.channel.pack(report)


def test_the_report_is_shown_on_request_and_a_second_visit_sends_nothing(coin):
    collector, someone = coin()
    page = someone.open()
    hand_in(page, "sent")
    report, before = kept(page)[0]["answers"], len(someone.posted(""))
    told = page.locator(".ppdm-panel .ppdm-marks li")
    for visit in (1, 2):
        assert told.count() == 0
        press(page, "show")
        page.wait_for_selector(".ppdm-panel .ppdm-marks")
        assert told.count() == len(MIXED.attributes)
        if visit == 1:
            assert page.locator(".ppdm-left li").count() >= 3
            page.reload()
            assert "has been sent from this device" in view(page, "sent")
            assert page.locator("form[data-ppdm]").is_hidden()
    assert kept(page)[0]["answers"] == report
    assert len(someone.posted("")) == before
    assert collector.n_received == 1


@pytest.mark.parametrize(("path", "instead"), [
    ("ready", None), ("submit", None), ("*", {"status": 503}), ("submit", {"json": {}})])
def test_what_was_pressed_is_sent_by_itself_whatever_fails_and_counts_once(coin, path, instead):
    """After one failed request it waited for a click, twenty seconds after the network was back;
    a proxy answered 68 of 300 presses of a class behind one address with 503."""
    collector, someone = coin()
    failed = []

    def fail(route):
        if len(failed) > 2:
            return route.continue_()
        failed.append(route)
        if instead:  # a hotel's login page says 200 to everything
            return route.fulfill(**instead)
        route.fetch()  # it arrives, its answer does not
        return route.abort()

    someone.context.route(f"**/api/{path}", fail)
    hand_in(someone.open(), "sent")
    assert len(failed) == 3
    assert path == "*" or len(someone.posted(f"/api/{path}")) == 4
    assert len(set(someone.posted("/api/submit"))) == 1  # the same bytes under one token
    assert collector.n_received == 1


@pytest.mark.parametrize("how", ["reload", "another tab"])
def test_what_was_pressed_is_sent_after_a_reload_and_in_a_reopened_tab(coin, how):
    collector, someone = coin()
    page = begun(someone.open())
    mend = unreachable(someone.context)
    hand_in(page, "waiting")
    report = kept(page)[0]["answers"]
    mend()
    if how == "reload":
        page.reload()
    else:
        page.close()
        page = someone.open()
    view(page, "sent")
    assert json.loads(someone.posted("/api/submit")[-1])["answers"] == report
    assert collector.n_received == 1


def test_a_page_that_never_gets_through_stops_and_waits_for_a_press(person, site):
    someone = person(limit=3)
    page = begun(someone.open(site[1]))
    unreachable(someone.context)
    hand_in(page, "waiting")
    status(page, "has stopped asking")
    assert len(someone.posted("/api/ready")) == 3
    press(page, "go")
    page.wait_for_function("() => !document.body.innerText.includes('has stopped asking')")


# ---- another survey

def stronger(context):
    """Let the survey publish another channel, of epsilon 30."""
    forge(context, "**/api/channel", lambda one: channel_of(MIXED, 30.0).model_dump(mode="json"))


@pytest.mark.parametrize("sent", [False, True])
def test_a_channel_that_changes_after_a_report_was_drawn_is_refused(person, site, sent):
    someone = person()
    page = begun(someone.open(site[1]))
    if not sent:
        unreachable(someone.context)
    hand_in(page, "sent" if sent else "waiting")
    hush(page)  # an unsent report is tried again by itself, while the page is open
    before = len(someone.posted(""))
    stronger(someone.context)
    page.reload()
    if sent:  # another survey: it never goes on by itself, and the epsilons are added up
        text = view(page, "begin")
        assert "of epsilon 4 has gone" in text
        assert "makes 34 together" in text
        return
    assert "another survey than on your first visit" in view(page, "refused")
    page.wait_for_timeout(300)
    assert len(someone.posted("")) == before
    # the report may be deleted; what it may have told is not forgotten
    press(page, "erase")
    assert "makes 34 together" in view(page, "begin")


def test_what_is_shown_is_computed_from_the_channel_and_not_what_the_survey_says(person, site):
    """Whoever had opened a survey once was refused for ever when it was begun anew."""
    someone = person()
    begun(someone.open(site[1])).close()
    stronger(someone.context)
    page = begun(someone.open(site[1]))
    assert float(page.locator("[data-epsilon]").get_attribute("data-epsilon")) > 29.9
    assert "hardly a disguise" in page.locator(".ppdm-promise").text_content()
    assert len(kept(page)) == 1  # the lot of before is gone


@pytest.mark.parametrize("when", ["before the press", "after it"])
def test_an_answer_never_goes_to_another_survey_that_comes_meanwhile(person, site, when):
    """The page is open, the survey is begun anew with other questions and the same channel."""
    someone = person()
    page = begun(someone.open(site[1]))
    mend = unreachable(someone.context)
    if when == "after it":
        hand_in(page, "waiting")
    forge(someone.context, "**/api/schema", lambda one: {**one, "title": "Another one"})
    if when == "before the press":
        hand_in(page)
    assert "another survey than on your first visit" in view(page, "refused")
    mend()
    assert someone.posted("/api/submit") == []


# ---- screens and directions of writing

RIGHT_TO_LEFT = Survey(title="سؤالان عن الطريق", language="en", attributes=[
    Attribute(name="smokes", label="هل تملك سيارة؟", values=["n", "y"], labels=["لا", "نعم"]),
    Attribute(name="km", label="كم كيلومترا طريقك إلى العمل؟", values=["a", "b", "c"],
              edges=[2, 10]),
    Attribute(name="town", label="في أي مدينة تسكن؟", values=[f"v{h}" for h in range(40)])])


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_whole_visit_fits_the_screen(coin, monkeypatch, width, scheme, direction):
    monkeypatch.setitem(texts("en"), "dir", direction)
    survey = RIGHT_TO_LEFT if direction == "rtl" else MIXED
    collector, someone = coin(survey, profile={
        "viewport": {"width": width, "height": 800}, "has_touch": width == 320,
        "color_scheme": scheme})
    page = someone.open()
    view(page, "begin")
    within(page, width)
    begun(page)
    assert page.evaluate("getComputedStyle(document.body).direction") == direction
    within(page, width)
    question, choice = (page.locator(one).first.bounding_box()["x"] for one in (
        ".question legend", ".choices"))
    assert (question < choice) == (direction == "ltr")  # read in the order of the language
    press(page, "practice")
    within(page, width)
    hand_in(page, "sent")
    within(page, width)
    press(page, "show")
    within(page, width)
    press(page, "erase")
    view(page, "begin")
    within(page, width)
    assert collector.n_received == 1
    send_all(collector, np.ones((50, len(survey.attributes)), dtype=int), 0)
    page.goto(f"{someone.url}miner/")  # and the shares
    assert page.locator("td").count() > 40
    within(page, width)
