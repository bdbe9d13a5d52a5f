"""What the page knows of who sits there, which survey it is, and how long it has waited."""

import os
import shutil

import pytest
from browser import begun, fill, press, submit, view
from coin_site import ANSWERS, MIXED, channel, coin_site
from headless import MARKS
from lying_server import SCHEMA
from serving import serve
from test_browser_device import answers, at_one_address

from ppdm_survey import CoinCollector, Collector, Survey, _app, create_app
from ppdm_survey._schema import STATIC, say

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
        submit(first)
        first.wait_for_function(f"""document.querySelector('[name="{before}"]').disabled""")
        assert asked(first) == asked(other)
        first.wait_for_timeout(200)
        assert collector.n_received == stored
        fill(first, {asked(first): ANSWERS[asked(first)]}, None)
        submit(first)
        view(first, "sent")
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
