"""The coin in a real browser: what is shown, what leaves, what is kept, and who is refused."""

import json
import math

import browser
import numpy as np
import pytest
from browser import fill, hush, kept, submit, view
from coin_site import ANSWERS, CODES, HALF, MIXED, channel, coin_site, send_all, words
from collecting import exchanged
from headless import MARKS, running, serious
from scipy.stats import chi2

from ppdm_survey import Attribute, CoinChannel, Survey
from ppdm_survey._coin import WHOLE
from ppdm_survey._schema import STATIC, texts

pytestmark = MARKS


@pytest.fixture(scope="module")
def run(chromium, tmp_path_factory):
    with running(chromium, tmp_path_factory.mktemp("page"), STATIC / "ppdm.js") as evaluate:
        yield evaluate


@pytest.fixture
def site():
    with coin_site() as found:
        yield found


def begun(person, url):
    return browser.begun(person.open(url))


def answer(page, answers=ANSWERS, shows="sent"):
    fill(page, answers, None)
    submit(page)
    return view(page, shows)


def unreachable(context, path="**/api/ready"):
    """Cut the line to a path; what is returned mends it."""
    context.route(path, lambda route: route.abort())
    return lambda: context.unroute(path)


def press(page, action):
    page.click(f'[data-action="{action}"]')


# ---- arithmetic

@pytest.mark.parametrize(("survey", "epsilon", "asked"), [
    (MIXED, 4.0, 4), (MIXED, 1.0, 1), (MIXED, 6.0, 2), (HALF, 1.0, 1)])
def test_same_report_for_the_same_words(run, survey, epsilon, asked):
    found = channel(survey, epsilon, asked)
    codes = np.random.default_rng(0).integers(0, MIXED.n_values, (500, 4))
    drawn = words(found, len(codes), 1)
    # words at both sides of each bound, too, where one wrong comparison would tell
    edges = np.unique(np.concatenate([one.parts.cumsum(axis=0).ravel() for one in found.columns]))
    near = np.clip(np.concatenate([edges - 1, edges]), 0, WHOLE - 1)
    drawn[: len(near), 4:] = near[:, np.newaxis]
    expected = [found.answers(row) for row in found.report(codes, drawn)]
    got = run("""([channel, codes, words]) => codes.map((one, i) => {
      const starts = []; let at = channel.columns.length;
      for (const column of channel.columns) { starts.push(at); at += ppdm.drawsOf(column); }
      const draw = (column, j) => words[i].slice(starts[j], starts[j] + ppdm.drawsOf(column));
      return ppdm.reportOf(channel, ppdm.lotOf(channel, words[i]), one, draw);
    })""", [found.model_dump(mode="json"), codes.tolist(), drawn.tolist()])
    assert got == expected


@pytest.mark.parametrize(("channels", "asks"), [(HALF, HALF), (HALF, MIXED), (MIXED, HALF)])
def test_a_channel_is_open_where_the_page_says_so_and_nowhere_else(run, channels, asks):
    found = channel(channels, 4.0, 2).model_dump(mode="json")
    taken = run("""([channel, questions]) => {
      try { return ppdm.checkChannel(channel, questions) && "taken"; }
      catch (error) { return error.constructor === ppdm.Refusal ? "refused" : String(error); }
    }""", [found, asks.to_dict("coin")["attributes"]])
    assert taken == ("taken" if channels is asks else "refused")


def test_no_report_is_drawn_of_no_answer(run):
    found = channel(MIXED, 4.0, 4).model_dump(mode="json")
    assert run("""(channel) => { try { return ppdm.reportOf(channel, [0, 1, 2, 3], [0, -1, 0, 0]); }
      catch (error) { return error.name; } }""", found) == "RangeError"


def test_same_epsilon_and_fingerprint(run):
    for epsilon, asked in ((0.1, 4), (2.0, 1), (9.0, 3)):
        found = channel(MIXED, epsilon, asked)
        got = run("async (channel) => [ppdm.epsilonOf(channel), await ppdm.hashChannel(channel)]",
                  found.model_dump(mode="json"))
        assert got == [pytest.approx(found.epsilon, abs=1e-12), found.hash]
        assert epsilon - 1e-6 < found.epsilon <= epsilon


N = 100_000


@pytest.mark.parametrize("j", range(4))
def test_the_browser_s_draws_have_the_channel_s_chances(run, j):
    # its own cryptographic numbers: no seed. 1 - 1e-6 of a chi-squared: the four fail by chance
    # once in 250,000 runs, and a chance that is off by one in a hundred is seen nearly always
    found = channel()
    column = found.columns[j]
    told = run("""([column, code, n]) => {
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


def test_the_lot_falls_on_each_question_alike(run):
    found = channel(MIXED, 2.0, 2)
    counts = np.array(run("""(channel) => {
      const counts = [0, 0, 0, 0];
      for (let i = 0; i < 20000; i++) for (const j of ppdm.lotOf(channel)) counts[j] += 1;
      return counts;
    }""", found.model_dump(mode="json")))
    # half of 20,000 each, standard deviation 71: within five
    assert counts.sum() == 40000
    assert np.abs(counts - 10000).max() < 5 * 71


# ---- a visit

def test_one_press_draws_and_sends_and_only_the_report_leaves(person, site):
    collector, url = site
    someone = person()
    page = begun(someone, url)
    shown = page.locator(".ppdm-promise").text_content()
    assert f"{math.exp(4):.3g}"[:4] in shown
    assert float(page.locator("[data-epsilon]").get_attribute("data-epsilon")) == pytest.approx(
        collector.channel.epsilon, abs=1e-12)
    assert someone.posted("/api/submit") == someone.posted("/api/ready") == []
    mend = unreachable(someone.context, "**/api/submit")
    assert "again by itself" in answer(page, shows="waiting")
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


def test_the_report_is_shown_on_request_and_a_second_visit_sends_nothing(person, site):
    collector, url = site
    someone = person()
    page = begun(someone, url)
    answer(page)
    assert page.locator(".ppdm-panel .ppdm-marks").count() == 0
    press(page, "show")
    assert page.locator(".ppdm-panel .ppdm-marks li").count() == len(MIXED.attributes)
    assert page.locator(".ppdm-left li").count() >= 3
    report = kept(page)[0]["answers"]
    before = len(someone.posted(""))
    page.reload()
    assert "has been sent from this device" in view(page, "sent")
    assert page.locator("form[data-ppdm]").is_hidden()
    assert page.locator(".ppdm-panel .ppdm-marks").count() == 0
    press(page, "show")
    page.wait_for_selector(".ppdm-panel .ppdm-marks")
    assert kept(page)[0]["answers"] == report
    assert len(someone.posted("")) == before
    assert collector.n_received == 1


@pytest.mark.parametrize("path", ["ready", "submit"])
def test_what_was_pressed_is_sent_by_itself_whatever_fails_and_counts_once(person, site, path):
    """After one failed request it waited for a click, twenty seconds after the network was back."""
    collector, url = site
    someone = person()
    lost = []

    def lose(route):
        if len(lost) > 2:
            return route.continue_()
        lost.append(route.fetch())  # it arrives, its answer does not
        return route.abort()

    someone.context.route(f"**/api/{path}", lose)
    page = begun(someone, url)
    answer(page)
    assert len(someone.posted(f"/api/{path}")) == 4
    assert len(set(someone.posted("/api/submit"))) == 1  # the same bytes under one token
    assert collector.n_received == 1


@pytest.mark.parametrize("how", ["reload", "another tab"])
def test_what_was_pressed_is_sent_after_a_reload_and_in_a_reopened_tab(person, site, how):
    collector, url = site
    someone = person()
    page = begun(someone, url)
    mend = unreachable(someone.context)
    answer(page, shows="waiting")
    report = kept(page)[0]["answers"]
    mend()
    if how == "reload":
        page.reload()
    else:
        page.close()
        page = someone.open(url)
    view(page, "sent")
    assert json.loads(someone.posted("/api/submit")[-1])["answers"] == report
    assert collector.n_received == 1


def test_a_page_that_never_gets_through_stops_and_waits_for_a_press(person, site):
    someone = person(limit=3)
    page = begun(someone, site[1])
    unreachable(someone.context)
    answer(page, shows="waiting")
    page.get_by_text("has stopped asking").wait_for()
    assert len(someone.posted("/api/ready")) == 3
    press(page, "go")
    page.wait_for_function("() => !document.body.innerText.includes('has stopped asking')")


def test_only_the_questions_of_the_lot_are_asked(person):
    with coin_site(found=channel(MIXED, 1.0, 1)) as (_, url):
        someone = person()
        page = begun(someone, url)
        (visible,) = [name for name in ANSWERS
                      if page.locator(f'[name="{name}"]').first.is_enabled()]
        assert page.locator(".question:visible").count() == 1
        page.reload()
        assert "was begun before on this device" in view(page, "begin")  # whoever sits here now
        browser.begun(page)
        assert page.locator(f'[name="{visible}"]').first.is_enabled()  # no second throw
        answer(page, {visible: ANSWERS[visible]})
        (told,) = [one for one in kept(page)[0]["answers"] if one is not None]
        assert isinstance(told, int | list)


def test_a_practice_coin_sends_nothing(person, site):
    someone = person()
    page = begun(someone, site[1])
    before = len(someone.requests)
    press(page, "practice")
    assert "times of 20" in page.locator(".ppdm-practice").inner_text()
    assert len(someone.requests) == before


def test_who_is_invited_answers_once_and_is_not_known(person):
    with coin_site(access="invitation") as (collector, url):
        code, other = collector.invite(2)
        someone = person()
        page = someone.open(f"{url}#{code}")
        view(page, "begin")
        assert someone.posted("") == []
        press(page, "begin")
        page.wait_for_selector("form > fieldset:enabled")
        answer(page, shows="waiting")  # held back
        press(page, "go")
        view(page, "sent")
        assert collector.n_received == 1
        assert [json.loads(one)["invitation"] for one in someone.posted("/api/exchange")] == [code]
        assert code not in someone.posted("/api/submit")[0]
        # the other token is good for another report
        exchanged(collector, other)


# ---- a lying server

def forge(context, change):
    """Let the survey publish another channel than its own, with a fingerprint that fits."""
    def other(route):
        answer = route.fetch()
        route.fulfill(response=answer, json=change(answer.json()))

    context.route("**/api/channel", other)


def weaker(found, epsilon, said=None):
    message = channel(MIXED, epsilon, found["asked"]).model_dump(mode="json")
    return {**message, "epsilon": message["epsilon"] if said is None else said}


def certain(found, kind):
    """Return a channel in which the first question is told as it is."""
    lines = [{**one} for one in found["columns"]]
    lines[0] |= {"own": WHOLE, "other": 0} if kind == "theta 1" else {"own": WHOLE + 5, "other": -5}
    return {**found, "columns": lines}


@pytest.mark.parametrize("kind", ["theta 1", "beyond"])
def test_a_channel_that_tells_an_answer_for_certain_is_refused(person, site, kind):
    someone = person()
    forge(someone.context, lambda found: certain(found, kind))
    page = someone.open(site[1])
    assert "for certain" in view(page, "refused")
    assert page.locator("form > fieldset:disabled").count() == 1
    assert someone.posted("") == []


def test_a_channel_that_tells_more_than_is_said_is_refused(person, site):
    someone = person()
    forge(someone.context, lambda found: weaker(found, 40.0, said=4.0))
    assert "tells more than the survey says" in view(someone.open(site[1]), "refused")


def test_what_is_shown_is_computed_from_the_channel_and_not_what_the_survey_says(person, site):
    someone = person()
    forge(someone.context, lambda found: weaker(found, 30.0))
    page = begun(someone, site[1])
    assert float(page.locator("[data-epsilon]").get_attribute("data-epsilon")) > 29.9
    assert "hardly a disguise" in page.locator(".ppdm-promise").text_content()


@pytest.mark.parametrize("sent", [False, True])
def test_a_channel_that_changes_after_a_report_was_drawn_is_refused(person, site, sent):
    someone = person()
    page = begun(someone, site[1])
    if not sent:
        unreachable(someone.context)
    answer(page, shows="sent" if sent else "waiting")
    hush(page)  # an unsent report is tried again by itself, while the page is open
    before = len(someone.posted(""))
    forge(someone.context, lambda found: weaker(found, 30.0))
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


def test_a_channel_that_changes_before_anything_was_drawn_is_taken_and_shown(person, site):
    """Whoever had opened a survey once was refused for ever when it was begun anew."""
    someone = person()
    page = begun(someone, site[1])
    fill(page, ANSWERS, None)
    forge(someone.context, lambda found: weaker(found, 30.0))
    page.reload()
    browser.begun(page)
    assert float(page.locator("[data-epsilon]").get_attribute("data-epsilon")) > 29.9
    assert len(kept(page)) == 1  # the lot of before is gone


@pytest.mark.parametrize("when", ["before the press", "after it"])
def test_an_answer_never_goes_to_another_survey_that_comes_meanwhile(person, site, when):
    """The page is open, the survey is begun anew with other questions and the same channel."""
    someone = person()
    page = begun(someone, site[1])
    mend = unreachable(someone.context)
    if when == "after it":
        answer(page, shows="waiting")

    def other(route):
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), "title": "Another one"})

    someone.context.route("**/api/schema", other)
    if when == "before the press":
        answer(page, shows="refused")
    assert "another survey than on your first visit" in view(page, "refused")
    mend()
    assert someone.posted("/api/submit") == []


def test_another_fingerprint_than_the_channel_s_is_refused(person, site):
    someone = person()
    forge(someone.context, lambda found: {**found, "hash": "0" * 64})
    assert "fingerprint" in view(someone.open(site[1]), "refused")


def test_a_channel_of_other_questions_is_refused(person, site):
    other = CoinChannel(asked=1, columns=channel().columns[:3]).model_dump(mode="json")
    someone = person()
    forge(someone.context, lambda _: other)
    assert "none for these questions" in view(someone.open(site[1]), "refused")


# ---- screens and directions of writing

RIGHT_TO_LEFT = Survey(title="سؤالان عن الطريق", language="en", attributes=[
    Attribute(name="smokes", label="هل تملك سيارة؟", values=["n", "y"], labels=["لا", "نعم"]),
    Attribute(name="km", label="كم كيلومترا طريقك إلى العمل؟", values=["a", "b", "c"],
              edges=[2, 10]),
    Attribute(name="town", label="في أي مدينة تسكن؟", values=[f"v{h}" for h in range(40)])])


def within(page, width):
    """Nothing stands beside the screen: no text, no control, no bar to move sideways."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for one in page.locator("button:visible, input:visible, select:visible, p:visible").all():
        box = one.bounding_box()
        assert box["x"] >= 0, one.inner_text()
        assert box["x"] + box["width"] <= width, one.inner_text()
    assert serious(page) == {}


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_a_whole_visit_fits_the_screen(person, monkeypatch, width, scheme, direction):
    monkeypatch.setitem(texts("en"), "dir", direction)
    survey = RIGHT_TO_LEFT if direction == "rtl" else MIXED
    found = channel(survey, 4.0)
    with coin_site(survey, found) as (collector, url):
        someone = person(viewport={"width": width, "height": 800}, has_touch=width == 320,
                         color_scheme=scheme)
        page = someone.open(url)
        view(page, "begin")
        within(page, width)
        browser.begun(page)
        assert page.evaluate("getComputedStyle(document.body).direction") == direction
        within(page, width)
        question, choice = (page.locator(one).first.bounding_box()["x"] for one in (
            ".question legend", ".choices"))
        assert (question < choice) == (direction == "ltr")  # read in the order of the language
        press(page, "practice")
        within(page, width)
        answer(page, {name: ANSWERS[name] for name in survey_names(survey)})
        within(page, width)
        press(page, "show")
        within(page, width)
        press(page, "erase")
        view(page, "begin")
        within(page, width)
        assert collector.n_received == 1


def survey_names(survey):
    return [one.name for one in survey.attributes]


@pytest.mark.parametrize("width", [320, 1280])
def test_the_shares_fit_the_screen(person, width):
    with coin_site(found=channel(MIXED, 12.0), batch_size=50) as (collector, url):
        send_all(collector, np.tile(CODES, (50, 1)), 0)
        someone = person(viewport={"width": width, "height": 800})
        for path in ("miner/",):
            page = someone.open(f"{url}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert serious(page) == {}
