"""What the page knows of who sits there and which survey it is: a device is not a person."""

import json
import os
import shutil

import pytest
from browser import asked, begun, fill, forge, hand_in, hush, kept, press, submit, through, view
from coin_site import ANSWERS, HALF, MIXED, channel_of, collector_of, question, spoken, stored
from headless import MARKS
from lying_server import SCHEMA
from serving import in_turn, serve

from ppdm_survey import Collector, Survey, _app, create_app
from ppdm_survey._schema import STATIC, say

pytestmark = MARKS
DAY = 86_400_000  # milliseconds
ONE = channel_of(MIXED, 4.0, 1)


def test_a_form_belongs_to_the_lot_that_it_shows(coin):
    """A tab that stayed open stored a report of a question that nobody had been asked there."""
    collector, someone = coin(MIXED, ONE)
    first = begun(someone.open())
    before = asked(first)
    fill(first)
    other = someone.open()
    begun(other)
    for _ in range(40):  # until another question comes up
        hand_in(other, "sent")
        press(other, "erase")
        if asked(begun(other)) != before:
            break
    count = collector.n_received
    submit(first)
    assert "of epsilon" in view(first, "begin")  # what has gone meanwhile, and consent anew
    assert asked(begun(first)) == asked(other)
    hand_in(first, "sent")
    hand_in(other, "sent")  # its lot is gone
    other.wait_for_timeout(200)
    assert collector.n_received == count + 1


@pytest.mark.parametrize("access", ["open", "invitation"])
def test_the_same_questions_from_a_new_database_are_another_survey(person, access):
    """Who had answered last year, or tested with colleagues, read that a report had been sent; and
    the clear open answers of before stayed on the device, where no page had a button for them."""
    collectors = [collector_of(HALF, channel_of(HALF, 4.0, 1), access=access) for _ in range(2)]
    someone = person()
    with in_turn(*collectors) as (url, now):
        for nth, collector in enumerate(collectors):
            now[0] = nth
            link = f"#{collector.invite(1)[0]}" if access == "invitation" else ""
            page = someone.open(url + link)
            assert ("makes 8 together" in view(page, "begin")) == (nth == 1)
            begun(page)
            if nth == 1:
                reports = [one for one in kept(page) if "epsilon" in one]
                assert [one["stage"] for one in reports].count("gone") == 1
                assert not any("answers" in one for one in reports)
            hand_in(page)
            through(page)
            page.close()
        assert [one.n_received for one in collectors] == [1, 1]


def test_a_link_that_was_begun_in_one_wave_is_not_gone_on_with_in_the_next(person):
    """Its token was none of the new survey's: nothing was stored."""
    collectors = [collector_of(MIXED, ONE, access="invitation") for _ in range(2)]
    someone = person()
    with in_turn(*collectors) as (url, now):
        begun(someone.open(f"{url}#{collectors[0].invite(1)[0]}")).close()
        now[0] = 1
        assert say("en", "stop.uninvited") in view(someone.open(url), "refused")
        page = someone.open(f"{url}#{collectors[1].invite(1)[0]}")
        view(page, "begin")  # and nobody asks whose the link of the last wave was
        hand_in(page, "waiting")
        through(page)
        assert [one.n_received for one in collectors] == [0, 1]


@pytest.mark.parametrize("scheme", ["coin", "guided"])
@pytest.mark.parametrize("wrong", [-DAY, DAY, 0])
def test_a_clock_that_is_set_neither_prolongs_nor_skips_the_hold(person, scheme, wrong):
    survey = (collector_of(access="invitation") if scheme == "coin" else
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
        hand_in(page, "waiting")
        page.clock.run_for(60_000)
        page.wait_for_timeout(300)
        assert someone.posted("/api/submit") == []
        if not wrong:  # and none ends that of a page that is loaded again
            page.clock.set_system_time(now + DAY)
            page.reload()
            view(page, "waiting")
            page.clock.run_for(100_000)
            page.wait_for_timeout(300)
            assert someone.posted("/api/submit") == []
        for _ in range(70):
            page.clock.run_for(1000)
        view(page, "sent", "warning", "back")  # guided perturbation may ask once more


def test_a_page_with_a_report_that_waits_asks_before_it_is_closed(coin):
    """A private window forgets it, and the invitation was used."""
    collector, someone = coin(access="invitation")
    page = someone.open()
    asks = []
    page.on("dialog", lambda one: (asks.append(one.type), one.dismiss()))
    assert "In a private window do not close the page" in hand_in(page, "waiting")
    page.close(run_before_unload=True)
    page.wait_for_timeout(300)
    assert asks == ["beforeunload"]
    press(page, "go")
    view(page, "sent")
    page.close(run_before_unload=True)  # once it is there, nobody is asked
    assert asks == ["beforeunload"]
    assert collector.n_received == 1


def test_a_browser_that_knew_an_earlier_version_gets_the_new_scripts(coin, tmp_path, monkeypatch):
    """A new page with old scripts had no consent step."""
    static = shutil.copytree(STATIC, tmp_path / "static")
    monkeypatch.setattr(_app, "STATIC", static)
    script = static / "ppdm.en.js"
    os.utime(script, (0, 0))  # a browser keeps for long what has not changed for long
    someone = coin()[1]
    assert say("en", "begin.title") in view(someone.open(), "begin")
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace(say("en", "begin.title"), "Anew"), encoding="utf-8")
    os.utime(script, (1, 1))
    assert "Anew" in view(someone.open(), "begin")


def test_whoever_comes_to_a_page_that_was_begun_is_asked_and_begins_anew(coin):
    """The second nurse found the first one's form open, with her tick and without a consent."""
    collector, someone = coin(MIXED, ONE)
    page = begun(someone.open())
    fill(page)
    press(page, "anew")  # in the tab that stayed open
    assert say("en", "begin.again") in view(page, "begin")
    assert not page.locator("form[data-ppdm]").is_visible()
    page.close()
    page = someone.open()  # and where the tab was closed
    assert say("en", "begin.again") in view(page, "begin")
    begun(page)
    submit(page)
    assert page.get_by_role("alert").count()  # nothing of hers was left in it
    hand_in(page, "sent")
    assert collector.n_received == 1


def test_after_a_lost_exchange_nobody_reads_that_nothing_was_kept_or_sent(coin):
    collector, someone = coin(access="invitation")
    forge(someone.context, "**/api/exchange", lambda answer: None)
    page = someone.open()
    view(page, "begin")
    press(page, "begin")
    page.wait_for_timeout(500)
    page.close()
    someone.context.unroute("**/api/exchange")
    page = someone.open(someone.url.partition("#")[0])
    text = view(page, "begin")
    assert say("en", "begin.again") in text
    assert "kept or sent:" not in text
    hand_in(page, "waiting")
    through(page)
    assert collector.n_received == 1
    assert len(set(someone.posted("/api/exchange"))) == 1  # the same was asked again


def test_a_page_that_the_browser_translates_while_it_loads_is_not_refused(coin):
    collector, someone = coin()
    someone.context.add_init_script("""const ask = globalThis.fetch;
      globalThis.fetch = (...all) => {
        document.querySelector("h1").textContent = "Vermischtes";
        document.querySelectorAll("legend, label span").forEach((one) => {
          one.innerHTML = "<font>Frage</font>"; });
        return ask(...all);
      };""")
    page = someone.open()
    view(page, "begin")
    assert page.locator("h1").inner_text() == "Vermischtes"
    hand_in(page, "sent")
    assert collector.n_received == 1


# ---- what is open

HIDDEN = """.promise, .notice, .ppdm-help, .class-help, strong { display: none !important }
.open-question { border: none !important }"""


def test_no_style_hides_that_a_question_is_open_and_what_is_open_is_sent_as_it_is(coin, language):
    """A page, or its style alone, that left out the mark was taken, and got the answers."""
    collector, someone = coin(spoken(language, HALF), channel_of(HALF, 4.0, 2))
    someone.context.route("**/survey.css", lambda route: route.fulfill(
        content_type="text/css", body=HIDDEN))
    page = someone.open()
    view(page, "begin")
    named = page.locator(".ppdm-promise li").all_inner_texts()
    assert named == ["Question party?", "Question town?"]
    begun(page)
    for name, label in zip(("party", "town"), named, strict=True):
        marked = say(language, "page.notDisguised", label=label)
        assert marked in page.locator(f'.question:has([name="{name}"])').inner_text()
    hand_in(page, "sent")
    assert stored(collector)[0][1::2] == [2, 7]


# ---- tabs that were left over

def waits(someone):
    """Let the next person answer in another tab while the line is cut."""
    page = someone.open()
    view(page, "sent")
    press(page, "erase")
    someone.context.route("**/api/submit", lambda route: route.fulfill(status=502))
    hand_in(page, "waiting")
    hush(page)
    return page


def test_delete_in_a_tab_that_was_left_over_deletes_nothing_that_it_does_not_show(coin):
    """The next person's report, which waited, was gone, and what it had spent was hers alone."""
    collector, someone = coin()
    left = someone.open()
    hand_in(left, "sent")
    other = waits(someone)
    (record,) = kept(other)
    press(left, "erase")
    left.wait_for_selector(".ppdm-panel:not([data-view=sent])")
    hush(left)
    (after,) = kept(other)
    assert after["answers"] == record["answers"]
    assert after["stage"] == "going"
    assert collector.n_received == 1


def test_a_tab_that_was_begun_asks_again_when_another_one_has_sent(coin):
    """It drew the next lot without a word of what had gone, and without consent."""
    collector, someone = coin()
    left = begun(someone.open())
    fill(left)
    other = someone.open()
    hand_in(other, "sent")
    press(other, "erase")
    view(other, "begin")
    submit(left)
    assert "of epsilon 4 has gone" in view(left, "begin")
    assert not left.locator("form[data-ppdm]").is_visible()
    assert left.locator("details.promise").get_attribute("open") is not None
    assert collector.n_received == 1


# ---- another survey has come to the address

def test_a_held_report_of_a_survey_that_is_over_can_be_deleted(person):
    """By no link of the new survey could it be sent, or be seen."""
    collectors = [collector_of(*survey, access="invitation")
                  for survey in ((HALF, channel_of(HALF, 4.0, 2)), (MIXED, ONE))]
    someone = person()
    with in_turn(*collectors) as (url, now):
        page = someone.open(f"{url}#{collectors[0].invite(1)[0]}")
        hand_in(page, "waiting")
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


# ---- what is kept, as a table

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
def test_what_is_kept_is_whose_it_is_and_is_counted_and_cleared(js, row, access):
    listed, others, spent, cleared = ROWS[row]
    mine, key = ("#me", "b#now#me") if access == "invitation" else ("", "b#now")
    if not mine:  # where nobody is invited, whoever comes is the same; a link's is another's
        listed = [{**one, "at": "b#old#some" if row == "nobody's" else one["at"].replace("#me", "")}
                  for one in listed]
        others = [at.replace("#me", "") for at in others]
        cleared = {at.replace("#me", ""): one for at, one in cleared.items()}
    got = js("""([list, key, who]) => [ppdmKeep.othersOf(list, key, who).map(({ at }) => at),
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
def test_a_link_that_was_copied_with_a_sign_more_leaves_no_code_in_the_address(coin, behind):
    someone = coin(access="invitation")[1]
    page = someone.open(f"{someone.url}{behind}")
    view(page, "begin")
    assert "#" not in page.url
    begun(page)


def test_a_report_with_a_long_address_fits_a_small_phone(coin):
    address = "https://hospital.example/" + "a" * 90
    survey = Survey.from_dict({
        "title": "Long", "thanks": f"See {address}", "introduction": address, "attributes": [
            {"name": "a", "label": f"Have you read {address}?", "values": ["n", "y"],
             "labels": ["No", address]}]}, scheme="coin")
    someone = coin(survey, channel_of(survey), profile={
        "viewport": {"width": 320, "height": 600}})[1]
    page = someone.open()
    hand_in(page, "sent", answers={"a": "n"})
    press(page, "show")
    page.wait_for_selector(".ppdm-left")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


# ---- shared computers

def test_three_people_on_one_device_answer_and_none_sees_another_s_report(coin, language):
    """The second nurse at a ward's PC saw the first one's report, and could only send it again."""
    collector, someone = coin(spoken(language))
    for nth in range(1, 4):
        page = someone.open()
        if nth > 1:
            assert say(language, "coin.beforeText") in view(page, "sent")
            assert page.locator(".ppdm-panel .ppdm-marks").count() == 0
            (before,) = kept(page)
            press(page, "erase")
            sum_ = say(language, "another.total", epsilon="4", total=4 * nth, odds="@")
            assert sum_.partition("@")[0] in view(page, "begin")
            page.reload()
            assert sum_.partition("@")[0] in view(page, "begin")
            (record,) = kept(page)  # report and token are gone, what was spent is not
            assert set(record) == {"stage", "epsilon", "spent", "id"}
            assert len(record["spent"]) == nth - 1
            assert json.dumps(before["answers"]) not in json.dumps(record)
            assert before["token"] not in json.dumps(record)
        hand_in(page, "sent")
        assert collector.n_received == nth
        page.close()
    assert len(someone.posted("/api/submit")) == 3


@pytest.mark.parametrize("answered", ["v0", "v39"])
def test_what_is_sent_has_one_length(coin, answered):
    """Who watches the encrypted line could count the bits that are set, and the digits."""
    # twenty such lists: reports of 950 to 1,250 bytes lay on both sides of a limit of 1,024
    long = Survey(title="Long", attributes=[*MIXED.attributes, *(
        question(f"town{j}", 40) for j in range(20))])
    towns = {f"town{j}": answered for j in range(20)}
    someone = coin(long, channel_of(long, 24.0), access="invitation")[1]
    page = someone.open()
    hand_in(page, answers={**ANSWERS, "town": answered, **towns})
    through(page)
    assert [len(one) for one in someone.posted("")] == [8192] * 2  # exchange, submit


def test_two_who_are_invited_share_a_device_and_each_is_counted(coin):
    collector, someone = coin(access="invitation")
    links = [someone.url, f"{someone.url.partition('#')[0]}#{collector.invite(1)[0]}"]
    for nth, link in enumerate(links):
        page = someone.open(link)
        text = view(page, "begin")
        assert ("has gone from this device" in text) == (nth == 1)
        hand_in(page, "waiting")
        through(page)
        page.close()
    assert collector.n_received == 2
    # by her own link each finds her own, and nothing is sent
    before = len(someone.posted(""))
    for link in links:
        page = someone.open(link)
        view(page, "sent")
        page.close()
    assert len(someone.posted("")) == before
    # and from whoever deletes hers, the link takes no second one
    page = someone.open(links[0])
    view(page, "sent")
    press(page, "erase")
    assert say("en", "stop.uninvited") in view(page, "refused")


# ---- second surveys

ANOTHER = Survey(title="Another", attributes=MIXED.attributes)


@pytest.mark.parametrize("after", [(ANOTHER, channel_of()), (MIXED, channel_of(epsilon=9.0))])
def test_who_only_opened_a_survey_may_answer_what_takes_its_place(person, after):
    collectors = collector_of(), collector_of(*after)
    with in_turn(*collectors) as (url, now):
        page = begun(person().open(url))
        (first,) = kept(page)
        page.reload()
        begun(page)
        assert kept(page)[0]["lot"] == first["lot"]
        now[0] = 1
        page.reload()
        hand_in(page, "sent")
        assert [one.n_received for one in collectors] == [0, 1]
        assert len(kept(page)) == 1


def test_a_second_survey_at_one_address_waits_for_a_press_and_adds_up(person):
    collectors = collector_of(), collector_of(ANOTHER, channel_of(epsilon=2.0))
    with in_turn(*collectors) as (url, now):
        page = person().open(url)
        hand_in(page, "sent")
        now[0] = 1
        page.reload()
        text = view(page, "begin")
        assert "another one of epsilon 2 makes 6 together" in text
        assert "by a factor of 404 at most" in text  # e^6 = 403.4, rounded up
        hand_in(page, "sent")
        assert [one.n_received for one in collectors] == [1, 1]
        now[0] = 0  # of the first it is known that it went, and no page of the second shows it
        page.reload()
        assert "2 reports, of epsilon 6 together" in view(page, "begin")


# ---- other browsers, other tabs

def test_a_browser_without_what_came_later_is_served(coin):
    collector, someone = coin()
    someone.context.add_init_script(
        "delete AbortSignal.timeout; delete Crypto.prototype.randomUUID;")
    page = someone.open()
    assert page.evaluate("!AbortSignal.timeout && !crypto.randomUUID")
    hand_in(page, "sent")
    assert collector.n_received == 1


def test_two_tabs_draw_and_send_one_report(coin):
    collector, someone = coin()
    pages = [begun(someone.open()) for _ in range(2)]
    for page in pages:
        fill(page)
    for page in pages:
        submit(page)
    for page in pages:
        view(page, "sent")
    assert collector.n_received == 1


# ---- guided perturbation

def two_guided():
    return [Collector(Survey.from_dict({**SCHEMA, "title": title})) for title in ("One", "Two")]


def test_answers_that_wait_for_a_guided_survey_are_sent_to_no_other(person):
    collectors = two_guided()
    with in_turn(*collectors) as (url, now):
        page = person().open(url)
        hand_in(page, "waiting")
        assert len(kept(page)) == 1
        now[0] = 1
        page.reload()
        assert say("en", "forged.questions") in view(page, "refused")
        assert len(kept(page)) == 1
        press(page, "forget")
        begun(page)
        assert kept(page) == []
        assert [one.n_received for one in collectors] == [0, 0]


def test_a_second_guided_survey_at_one_address_waits_for_a_press(person):
    collectors = two_guided()
    with in_turn(*collectors) as (url, now):
        page = person().open(url)
        hand_in(page, "warning", "sent", start="open")
        through(page)
        for restart in (False, True):  # what was sent is known after "Answer again", too
            if restart:
                now[0] = 0
                page.reload()
                view(page, "sent")
                press(page, "restart")
                begun(page)
            now[0] = 1
            page.reload()
            assert say("en", "another.guided") in view(page, "begin")
        hand_in(page, "warning", "sent", start="open")
        through(page)
        assert [one.n_received for one in collectors] == [1, 1]
