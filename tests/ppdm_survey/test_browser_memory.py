"""What the page knows of who sits there, which survey it is, and how long it has waited."""

import os
import shutil

import pytest
from browser import begun, fill, hush, kept, press, submit, view
from coin_site import ANSWERS, HALF, MIXED, channel, coin_site
from headless import MARKS, running
from lying_server import SCHEMA
from serving import serve
from test_browser_device import answers, at_one_address, german

from ppdm_survey import CoinCollector, Collector, Survey, _app, create_app
from ppdm_survey._schema import LANGUAGES, STATIC, say
from ppdm_survey._store import unpack

pytestmark = MARKS
DAY = 86_400_000  # milliseconds
ONE = channel(MIXED, 4.0, 1)


def asked(page):
    """Return the question that the form shows, of a lot of one."""
    (name,) = [name for name in ANSWERS if page.locator(f'[name="{name}"]').first.is_enabled()]
    return name


def test_a_form_belongs_to_the_lot_that_it_shows(person):
    """A tab that stayed open stored a report of a question that nobody had been asked there."""
    with coin_site(MIXED, ONE) as (collector, url):
        someone = person()
        first = begun(someone.open(url))
        before = asked(first)
        fill(first, {before: ANSWERS[before]}, None)
        other = begun(someone.open(url))
        for _ in range(40):  # until another question comes up
            fill(other, {asked(other): ANSWERS[asked(other)]}, None)
            submit(other)
            view(other, "sent")
            press(other, "erase")
            begun(other)
            if asked(other) != before:
                break
        stored = collector.n_received
        submit(first)
        assert "of epsilon" in view(first, "begin")  # what has gone meanwhile, and consent anew
        begun(first)
        assert asked(first) == asked(other)
        fill(first, {asked(first): ANSWERS[asked(first)]}, None)
        submit(first)
        view(first, "sent")
        fill(other, {asked(other): ANSWERS[asked(other)]}, None)
        submit(other)  # its lot is gone
        view(other, "sent")
        other.wait_for_timeout(200)
        assert collector.n_received == stored + 1


@pytest.mark.parametrize("access", ["open", "invitation"])
def test_the_same_questions_from_a_new_database_are_another_survey(person, access):
    """Who had answered last year, or tested with colleagues, read that a report had been sent."""
    waves = [(MIXED, ONE)] * 2
    with at_one_address(person, *waves, access=access) as (someone, url, collectors, now):
        for nth, collector in enumerate(collectors):
            now[0] = nth
            link = f"#{collector.invite(1)[0]}" if access == "invitation" else ""
            page = someone.open(url + link)
            text = view(page, "begin")
            assert ("makes 8 together" in text) == (nth == 1)
            begun(page)
            fill(page, {asked(page): ANSWERS[asked(page)]}, None)
            submit(page)
            if access == "invitation":
                view(page, "waiting")
                press(page, "go")
            view(page, "sent")
            page.close()
        assert [one.n_received for one in collectors] == [1, 1]


def test_a_link_that_was_begun_in_one_wave_is_not_gone_on_with_in_the_next(person):
    """Its token was none of the new survey's: nothing was stored."""
    with at_one_address(person, (MIXED, ONE), (MIXED, ONE), access="invitation") as (
            someone, url, collectors, now):
        begun(someone.open(f"{url}#{collectors[0].invite(1)[0]}")).close()
        now[0] = 1
        assert say("en", "stop.uninvited") in view(someone.open(url), "refused")
        page = someone.open(f"{url}#{collectors[1].invite(1)[0]}")
        view(page, "begin")  # and nobody asks whose the link of the last wave was
        begun(page)
        fill(page, {asked(page): ANSWERS[asked(page)]}, None)
        submit(page)
        view(page, "waiting")
        press(page, "go")
        view(page, "sent")
        assert [one.n_received for one in collectors] == [0, 1]


@pytest.mark.parametrize("scheme", ["coin", "guided"])
@pytest.mark.parametrize("wrong", [-DAY, DAY, 0])
def test_a_clock_that_is_set_neither_prolongs_nor_skips_the_hold(person, scheme, wrong):
    survey = (CoinCollector(MIXED, channel=channel(), access="invitation") if scheme == "coin" else
              Collector(Survey.from_dict(SCHEMA), random_start=200, random_state=1,
                        access="invitation"))
    with survey as collector, serve(create_app(collector, hold=2)) as url:
        someone = person()
        page = someone.context.new_page()
        page.clock.install()
        now = page.evaluate("Date.now()")
        page.clock.set_system_time(now + wrong)
        page.goto(f"{url}/#{collector.invite(1)[0]}")
        begun(page)
        page.clock.set_system_time(now)
        fill(page, *((ANSWERS, None) if scheme == "coin" else ()))
        submit(page)
        view(page, "waiting")
        page.clock.run_for(60_000)
        page.wait_for_timeout(300)
        assert someone.posted("/api/submit") == []
        for _ in range(70):
            page.clock.run_for(1000)
        view(page, "sent", "warning")  # guided perturbation may ask once more


def test_a_page_with_a_report_that_waits_asks_before_it_is_closed(person):
    """A private window forgets it, and the invitation was used."""
    with coin_site(access="invitation") as (collector, url):
        page = begun(person().open(f"{url}#{collector.invite(1)[0]}"))
        asks = []
        page.on("dialog", lambda one: (asks.append(one.type), one.dismiss()))
        fill(page, ANSWERS, None)
        submit(page)
        assert "In a private window do not close the page" in view(page, "waiting")
        page.close(run_before_unload=True)
        page.wait_for_timeout(300)
        assert asks == ["beforeunload"]
        press(page, "go")
        view(page, "sent")
        page.close(run_before_unload=True)  # once it is there, nobody is asked
        assert asks == ["beforeunload"]
        assert collector.n_received == 1


def test_a_browser_that_knew_an_earlier_version_gets_the_new_scripts(
        person, tmp_path, monkeypatch):
    """A new page with old scripts had no consent step."""
    static = shutil.copytree(STATIC, tmp_path / "static")
    monkeypatch.setattr(_app, "STATIC", static)
    script = static / "ppdm.en.js"
    os.utime(script, (0, 0))  # a browser keeps for long what has not changed for long
    with coin_site() as (_, url):
        someone = person()
        assert say("en", "begin.title") in view(someone.open(url), "begin")
        text = script.read_text(encoding="utf-8")
        script.write_text(text.replace(say("en", "begin.title"), "Anew"), encoding="utf-8")
        os.utime(script, (1, 1))
        assert "Anew" in view(someone.open(url), "begin")


def test_whoever_comes_to_a_page_that_was_begun_is_asked_and_begins_anew(person):
    """The second nurse found the first one's form open, with her tick and without a consent."""
    with coin_site(MIXED, ONE) as (collector, url):
        someone = person()
        page = begun(someone.open(url))
        name = asked(page)
        fill(page, {name: ANSWERS[name]}, None)
        press(page, "anew")  # in the tab that stayed open
        assert say("en", "begin.again") in view(page, "begin")
        assert not page.locator("form[data-ppdm]").is_visible()
        page.close()
        page = someone.open(url)  # and where the tab was closed
        assert say("en", "begin.again") in view(page, "begin")
        begun(page)
        submit(page)
        assert page.get_by_role("alert").count()  # nothing of hers was left in it
        fill(page, {name: ANSWERS[name]}, None)
        submit(page)
        view(page, "sent")
        assert collector.n_received == 1


def test_after_a_lost_exchange_nobody_reads_that_nothing_was_kept_or_sent(person):
    with coin_site(access="invitation") as (collector, url):
        someone = person()

        def lose(route):
            route.fetch()
            route.abort()

        someone.context.route("**/api/exchange", lose)
        page = someone.open(f"{url}#{collector.invite(1)[0]}")
        view(page, "begin")
        press(page, "begin")
        page.wait_for_timeout(500)
        page.close()
        someone.context.unroute("**/api/exchange")
        page = someone.open(url)
        text = view(page, "begin")
        assert say("en", "begin.again") in text
        assert "kept or sent:" not in text
        answers(page)
        press(page, "go")
        view(page, "sent")
        assert collector.n_received == 1
        assert len(set(someone.posted("/api/exchange"))) == 1  # the same was asked again


def test_a_page_that_the_browser_translates_while_it_loads_is_not_refused(person):
    with coin_site() as (collector, url):
        someone = person()
        someone.context.add_init_script("""const ask = globalThis.fetch;
          globalThis.fetch = (...all) => {
            document.querySelector("h1").textContent = "Vermischtes";
            document.querySelectorAll("legend, label span").forEach((one) => {
              one.innerHTML = "<font>Frage</font>"; });
            return ask(...all);
          };""")
        page = someone.open(url)
        view(page, "begin")
        assert page.locator("h1").inner_text() == "Vermischtes"
        answers(page)
        assert collector.n_received == 1


# ---- what is open

HIDDEN = """.promise, .notice, .ppdm-help, .class-help, strong { display: none !important }
.open-question { border: none !important }"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_style_hides_that_a_question_is_open_and_what_is_open_is_sent_as_it_is(
        person, language):
    """A page, or its style alone, that left out the mark was taken, and got the answers."""
    with coin_site(german(HALF, language), channel(HALF, 4.0, 2)) as (collector, url):
        someone = person()
        someone.context.route("**/survey.css", lambda route: route.fulfill(
            content_type="text/css", body=HIDDEN))
        page = someone.open(url)
        view(page, "begin")
        named = page.locator(".ppdm-promise li").all_inner_texts()
        assert named == ["Question party?", "Question town?"]
        begun(page)
        for name, asked in zip(("party", "town"), named, strict=True):
            marked = say(language, "page.notDisguised", label=asked)
            assert marked in page.locator(f'.question:has([name="{name}"])').inner_text()
        answers(page)
        view(page, "sent")
        (row,) = next(iter(collector._store.pages(9)))
        told = collector.channel.answers(unpack([row], int(collector.channel.starts[-1]))[0][0])
        assert (told[1], told[3]) == (2, 7)


# ---- tabs that were left over

def waits(someone, url):
    """Let the next person answer in another tab while the line is cut."""
    page = someone.open(url)
    view(page, "sent")
    press(page, "erase")
    someone.context.route("**/api/submit", lambda route: route.fulfill(status=502))
    answers(page)
    hush(page)
    return page


def test_delete_in_a_tab_that_was_left_over_deletes_nothing_that_it_does_not_show(person):
    """The next person's report, which waited, was gone, and what it had spent was hers alone."""
    with coin_site() as (collector, url):
        someone = person()
        left = someone.open(url)
        answers(left)
        other = waits(someone, url)
        (record,) = kept(other)
        press(left, "erase")
        left.wait_for_selector(".ppdm-panel:not([data-view=sent])")
        hush(left)
        (after,) = kept(other)
        assert after["answers"] == record["answers"]
        assert after["stage"] == "going"
        assert collector.n_received == 1


def test_a_tab_that_was_begun_asks_again_when_another_one_has_sent(person):
    """It drew the next lot without a word of what had gone, and without consent."""
    with coin_site() as (collector, url):
        someone = person()
        left = begun(someone.open(url))
        fill(left, ANSWERS, None)
        other = begun(someone.open(url))
        answers(other)
        press(other, "erase")
        view(other, "begin")
        submit(left)
        assert "of epsilon 4 has gone" in view(left, "begin")
        assert not left.locator("form[data-ppdm]").is_visible()
        assert left.locator("details.promise").get_attribute("open") is not None
        assert collector.n_received == 1


# ---- another survey has come to the address

@pytest.mark.parametrize("access", ["open", "invitation"])
def test_a_new_survey_deletes_what_was_sent_to_the_last_one_and_says_that_it_went(person, access):
    """Its clear open answers stayed on the device, and no page had a button for them."""
    waves = [(HALF, channel(HALF, 4.0, 2))] * 2
    with at_one_address(person, *waves, access=access) as (someone, url, collectors, now):
        links = [f"{url}#{one.invite(1)[0]}" if access == "invitation" else url
                 for one in collectors]
        page = someone.open(links[0])
        answers(page)
        if access == "invitation":
            press(page, "go")
        view(page, "sent")
        now[0] = 1
        page.close()
        page = begun(someone.open(links[1]))
        assert [one["stage"] for one in kept(page) if "epsilon" in one].count("gone") == 1
        assert not any("answers" in one for one in kept(page))


def test_a_held_report_of_a_survey_that_is_over_can_be_deleted(person):
    """By no link of the new survey could it be sent, or be seen."""
    with at_one_address(person, (HALF, channel(HALF, 4.0, 2)), (MIXED, ONE),
                        access="invitation") as (someone, url, collectors, now):
        page = someone.open(f"{url}#{collectors[0].invite(1)[0]}")
        answers(page)
        now[0] = 1
        page.close(run_before_unload=False)
        page = someone.open(url)
        assert say("en", "stop.uninvited") in view(page, "refused")
        press(page, "erase")
        page.wait_for_selector(".ppdm-buttons:not(:has([data-action=erase]))")
        assert [one["stage"] for one in kept(page)] == ["gone"]
        page.close()
        page = someone.open(f"{url}#{collectors[1].invite(1)[0]}")
        assert "of epsilon 4 has gone" in view(page, "begin")


def test_no_clock_ends_the_hold_of_a_page_that_is_loaded_again(person):
    with coin_site(access="invitation") as (collector, url):
        someone = person()
        page = someone.open(f"{url}#{collector.invite(1)[0]}")
        answers(page)
        page.close(run_before_unload=False)
        page = someone.context.new_page()
        page.clock.install()
        page.clock.set_system_time(page.evaluate("Date.now()") + DAY)
        page.goto(url)
        view(page, "waiting")
        page.clock.run_for(100_000)
        page.wait_for_timeout(300)
        assert someone.posted("/api/submit") == []


# ---- what is kept, as a table

@pytest.fixture(scope="module")
def lists(chromium, tmp_path_factory):
    scripts = [STATIC / name for name in ("ppdm.js", "keep.js")]
    with running(chromium, tmp_path_factory.mktemp("page"), *scripts) as evaluate:
        yield evaluate


def record(at, stage, *spent, epsilon=2):
    report = {"answers": [1]} if stage in ("going", "sent") else {}
    return {"at": f"b#{at}", "stage": stage, "epsilon": epsilon, **report,
            **({"spent": [{"stage": "sent", "epsilon": one} for one in spent]} if spent else {})}


LOT, OTHERS_LOT = record("old#me", "empty"), record("old#you", "empty")
SPENT_LOT, SENT = record("old#me", "empty", 3), record("old#me", "sent")
OTHERS_SENT = record("old#you", "sent", 3)
WAITS, GOES = record("old#me", "waiting"), record("old#me", "going")

#: What is kept: whose are others' surveys, what has gone, and what a Begin makes of it: the
#: epsilons of what is reduced to having gone, nothing where the record goes.
ROWS = {
    "nothing": ([], [], [], {}),
    "this lot": ([record("now#me", "empty")], [], [], {}),
    "this lot, after a report": ([record("now#me", "empty", 3)], [], [3], {}),
    "this one goes": ([record("now#me", "going")], [], [2], {}),
    "this one is sent": ([record("now#me", "sent")], [], [2], {}),
    "this one has gone": ([record("now#me", "gone", 2)], [], [2], {}),
    "another's lot here": ([record("now#you", "empty")], [], [], {}),
    "another's is sent here": ([record("now#you", "sent")], [], [2], {}),
    "a lot": ([LOT], ["old#me"], [], {"old#me": None}),
    "a lot after a report": ([SPENT_LOT], ["old#me"], [3], {}),
    "another's lot": ([OTHERS_LOT], [], [], {}),
    "one that waits": ([WAITS], ["old#me"], [], {}),
    "one that goes": ([GOES], ["old#me"], [2], {}),
    "another's that goes": ([record("old#you", "going")], [], [2], {}),
    "one that is sent": ([SENT], ["old#me"], [2], {"old#me": [2]}),
    "another's that is sent": ([OTHERS_SENT], [], [3, 2], {"old#you": [3, 2]}),
    "one that has gone": ([record("old#me", "gone", 2, 3)], ["old#me"], [2, 3], {}),
    "one that has gone, of nothing": ([record("old#me", "gone")], ["old#me"], [], {}),
    "nobody's": ([record("old", "empty")], [], [], {}),
    "two": ([record("now#me", "gone", 5), SENT], ["old#me"], [5, 2], {"old#me": [2]}),
    "three": ([GOES, record("older#me", "empty"), OTHERS_SENT], ["old#me", "older#me"],
              [2, 3, 2], {"older#me": None, "old#you": [3, 2]}),
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("access", ["open", "invitation"])
def test_what_is_kept_is_whose_it_is_and_is_counted_and_cleared(lists, row, access):
    listed, others, spent, cleared = ROWS[row]
    mine, key = ("#me", "b#now#me") if access == "invitation" else ("", "b#now")
    if not mine:  # where nobody is invited, whoever comes is the same; a link's is another's
        listed = [{**one, "at": "b#old#some" if row == "nobody's" else one["at"].replace("#me", "")}
                  for one in listed]
        others = [at.replace("#me", "") for at in others]
        cleared = {at.replace("#me", ""): one for at, one in cleared.items()}
    got = lists("""([list, key, who]) => [ppdmKeep.othersOf(list, key, who).map(({ at }) => at),
      ppdmKeep.spentOf(list), ppdmKeep.clearedOf(list, key, who)]""",
                [listed, key, "me" if mine else ""])
    assert [at.removeprefix("b#") for at in got[0]] == others
    assert got[1] == spent
    made = {at.removeprefix("b#"): one[0] if one else None for at, *one in got[2]}
    assert made.keys() == cleared.keys()
    for at, one in made.items():
        left = None if one is None else [part["epsilon"] for part in one["spent"]]
        assert left == cleared[at]
        assert one is None or set(one) == {"stage", "epsilon", "spent"}


# ---- the small ones of their kind

@pytest.mark.parametrize("behind", [".", ")", "%3E"])
def test_a_link_that_was_copied_with_a_sign_more_leaves_no_code_in_the_address(person, behind):
    with coin_site(access="invitation") as (collector, url):
        page = person().open(f"{url}#{collector.invite(1)[0]}{behind}")
        view(page, "begin")
        assert "#" not in page.url
        begun(page)


def test_of_a_survey_that_has_ended_a_report_need_not_wait_for_ever(person):
    with coin_site() as (collector, url):
        someone = person()
        page = begun(someone.open(url))
        someone.context.route("**/api/submit", lambda route: route.fulfill(status=502))
        fill(page, ANSWERS, None)
        submit(page)
        assert "If the survey has ended, nobody takes the report" in view(page, "waiting")
        press(page, "erase")
        assert "of epsilon 4 has gone" in view(page, "begin")  # it may have arrived
        assert collector.n_received == 0


def test_a_report_with_a_long_address_fits_a_small_phone(person):
    address = "https://hospital.example/" + "a" * 90
    survey = Survey.from_dict({
        "title": "Long", "thanks": f"See {address}", "introduction": address, "attributes": [
            {"name": "a", "label": f"Have you read {address}?", "values": ["n", "y"],
             "labels": ["No", address]}]}, scheme="coin")
    with coin_site(survey, channel(survey)) as (_, url):
        page = begun(person(viewport={"width": 320, "height": 600}).open(url))
        fill(page, {"a": "n"}, None)
        submit(page)
        view(page, "sent")
        press(page, "show")
        page.wait_for_selector(".ppdm-left")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
