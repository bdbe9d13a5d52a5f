"""A device is not a person: shared computers, second surveys at one address."""

import json

import pytest
from browser import begun, fill, hand_in, kept, press, submit, through, view
from coin_site import ANSWERS, MIXED, channel_of, coin_site, collector_of, question, spoken
from headless import MARKS
from lying_server import SCHEMA
from serving import in_turn

from ppdm_survey import Collector, Survey
from ppdm_survey._schema import say

pytestmark = MARKS


# ---- shared computers

def test_three_people_on_one_device_answer_and_none_sees_another_s_report(person, language):
    """The second nurse at a ward's PC saw the first one's report, and could only send it again."""
    with coin_site(spoken(language)) as (collector, url):
        someone = person()
        for nth in range(1, 4):
            page = someone.open(url)
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
def test_what_is_sent_has_one_length(person, answered):
    """Who watches the encrypted line could count the bits that are set, and the digits."""
    # twenty such lists: reports of 950 to 1,250 bytes lay on both sides of a limit of 1,024
    long = Survey(title="Long", attributes=[*MIXED.attributes, *(
        question(f"town{j}", 40) for j in range(20))])
    towns = {f"town{j}": answered for j in range(20)}
    with coin_site(long, channel_of(long, 24.0), access="invitation") as (collector, url):
        someone = person()
        page = someone.open(f"{url}#{collector.invite(1)[0]}")
        hand_in(page, answers={**ANSWERS, "town": answered, **towns})
        through(page)
        assert [len(one) for one in someone.posted("")] == [8192] * 2  # exchange, submit


def test_two_who_are_invited_share_a_device_and_each_is_counted(person):
    with coin_site(access="invitation") as (collector, url):
        someone = person()
        links = [f"{url}#{code}" for code in collector.invite(2)]
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

def test_a_browser_without_what_came_later_is_served(person):
    with coin_site() as (collector, url):
        someone = person()
        someone.context.add_init_script(
            "delete AbortSignal.timeout; delete Crypto.prototype.randomUUID;")
        page = someone.open(url)
        assert page.evaluate("!AbortSignal.timeout && !crypto.randomUUID")
        hand_in(page, "sent")
        assert collector.n_received == 1


def test_two_tabs_draw_and_send_one_report(person):
    with coin_site() as (collector, url):
        someone = person()
        pages = [begun(someone.open(url)) for _ in range(2)]
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
