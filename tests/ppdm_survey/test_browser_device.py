"""A device is not a person: shared computers, second surveys at one address."""

import json
from contextlib import ExitStack, contextmanager

import pytest
from browser import begun, fill, hand_in, kept, opened, press, submit, view
from coin_site import ANSWERS, MIXED, channel, coin_site, question
from headless import MARKS
from lying_server import SCHEMA
from serving import serve

from ppdm_survey import Collector, Survey, create_app
from ppdm_survey._schema import LANGUAGES, say

pytestmark = MARKS


def german(survey=MIXED, language="de"):
    return Survey.from_dict({**survey.to_dict("coin"), "language": language}, scheme="coin")


def answers(page):
    begun(page)
    fill(page, ANSWERS, None)
    submit(page)
    return view(page, "sent", "waiting")


def reports(collector):
    return [row.bits for page in collector._store.pages(99) for row in page]


@contextmanager
def at_one_address(person, *surveys, **options):
    """Serve surveys one after the other at the first one's address: what follows is called."""
    with ExitStack() as stack:
        sites = [stack.enter_context(coin_site(survey, found, **options))
                 for survey, found in surveys]
        someone, now = person(), [0]
        front = sites[0][1]

        def forward(route):
            url = route.request.url.replace(front, sites[now[0]][1])
            route.fulfill(response=route.fetch(url=url))

        someone.context.route(f"{front}**", forward)
        yield someone, front, [collector for collector, _ in sites], now


# ---- shared computers

@pytest.mark.parametrize("language", LANGUAGES)
def test_three_people_on_one_device_answer_and_none_sees_another_s_report(person, language):
    """The second nurse at a ward's PC saw the first one's report, and could only send it again."""
    with coin_site(german(language=language)) as (collector, url):
        someone = person()
        for nth in range(1, 4):
            page = someone.open(url)
            if nth > 1:
                assert say(language, "coin.beforeText") in view(page, "sent")
                assert page.locator(".ppdm-panel .ppdm-marks").count() == 0
                press(page, "erase")
                text = view(page, "begin")
                sum_ = say(language, "another.total", epsilon="4", total=4 * nth, odds="@")
                assert sum_.partition("@")[0] in text
                (record,) = kept(page)  # report and token are gone, what was spent is not
                assert set(record) == {"stage", "epsilon", "spent", "id"}
                assert len(record["spent"]) == nth - 1
            answers(page)
            assert collector.n_received == nth
            page.close()
        sent = [json.loads(one)["answers"] for one in someone.posted("/api/submit")]
        assert len(sent) == 3


def test_a_deleted_report_is_in_no_record_and_no_file(person):
    with coin_site() as (_, url):
        someone = person()
        page = someone.open(url)
        answers(page)
        report, token = kept(page)[0]["answers"], kept(page)[0]["token"]
        press(page, "erase")
        view(page, "begin")
        assert json.dumps(report) not in json.dumps(kept(page))
        assert token not in json.dumps(kept(page))
        page.reload()
        assert "of epsilon 4 has gone" in view(page, "begin")


@pytest.mark.parametrize("answered", ["v0", "v39"])
def test_what_is_sent_has_one_length(person, answered):
    """Who watches the encrypted line could count the bits that are set, and the digits."""
    # twenty such lists: reports of 950 to 1,250 bytes lay on both sides of a limit of 1,024
    long = Survey(title="Long", attributes=[*MIXED.attributes, *(
        question(f"town{j}", 40) for j in range(20))])
    towns = {f"town{j}": answered for j in range(20)}
    with coin_site(long, channel(long, 24.0), access="invitation") as (collector, url):
        someone = person()
        page = begun(someone.open(f"{url}#{collector.invite(1)[0]}"))
        fill(page, {**ANSWERS, "town": answered, **towns}, None)
        submit(page)
        view(page, "waiting")
        press(page, "go")
        view(page, "sent")
        assert [len(one) for one in someone.posted("")] == [8192] * 2  # exchange, submit


def test_two_who_are_invited_share_a_device_and_each_is_counted(person):
    with coin_site(access="invitation") as (collector, url):
        someone = person()
        links = [f"{url}#{code}" for code in collector.invite(2)]
        for nth, link in enumerate(links):
            page = someone.open(link)
            text = view(page, "begin")
            assert ("has gone from this device" in text) == (nth == 1)
            answers(page)
            view(page, "waiting")
            press(page, "go")
            view(page, "sent")
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

def retitled(title):
    return Survey(title=title, attributes=MIXED.attributes)


@pytest.mark.parametrize("change", ["a typo is mended", "another epsilon"])
def test_who_only_opened_a_survey_may_answer_what_takes_its_place(person, change):
    after = ((retitled("Mended"), channel()) if change == "a typo is mended"
             else (MIXED, channel(epsilon=9.0)))
    with at_one_address(person, (MIXED, channel()), after) as (someone, url, collectors, now):
        page = begun(someone.open(url))
        (first,) = kept(page)
        page.reload()
        begun(page)
        assert kept(page)[0]["lot"] == first["lot"]
        now[0] = 1
        page.reload()
        answers(page)
        assert [one.n_received for one in collectors] == [0, 1]
        assert len(kept(page)) == 1


def test_a_second_survey_at_one_address_waits_for_a_press_and_adds_up(person):
    second = (retitled("Another"), channel(epsilon=2.0))
    with at_one_address(person, (MIXED, channel()), second) as (someone, url, collectors, now):
        page = someone.open(url)
        answers(page)
        now[0] = 1
        page.reload()
        text = view(page, "begin")
        assert "another one of epsilon 2 makes 6 together" in text
        assert "by a factor of 404 at most" in text  # e^6 = 403.4, rounded up
        answers(page)
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
        answers(page)
        assert collector.n_received == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_browser_without_locks_is_refused_and_told_which_have_them(person, language):
    with coin_site(german(language=language)) as (_, url):
        someone = person()
        someone.context.add_init_script("delete Navigator.prototype.locks;")
        assert say(language, "stop.noLocks") in view(someone.open(url), "insecure")


def test_two_tabs_draw_and_send_one_report(person):
    with coin_site() as (collector, url):
        someone = person()
        pages = [begun(someone.open(url)) for _ in range(2)]
        for page in pages:
            fill(page, ANSWERS, None)
        for page in pages:
            submit(page)
        for page in pages:
            view(page, "sent")
        assert collector.n_received == 1


def twice(failed):
    """Fail two requests, and let the others through."""
    def refuse(route):
        if len(failed) == 2:
            return route.continue_()
        failed.append(route.request.url)
        return route.fulfill(status=503)

    return refuse


def test_a_class_with_two_failing_requests_each_is_stored_once(person):
    """A proxy answered 68 of 300 presses of a class behind one address with 503."""
    with coin_site() as (collector, url):
        for _ in range(8):
            someone, failed = person(), []
            someone.context.route("**/api/*", twice(failed))
            page = someone.open(url)
            answers(page)
            view(page, "sent")
            assert len(failed) == 2
            someone.context.close()
        assert collector.n_received == 8


# ---- guided perturbation

GUIDED = [Survey.from_dict({**SCHEMA, "title": title}) for title in ("One", "Another")]

@contextmanager
def two_guided():
    """Serve one survey at an address, and another one from when its number is in the list."""
    with Collector(GUIDED[0]) as one, Collector(GUIDED[1]) as other:
        apps, now = [create_app(one), create_app(other)], [0]

        async def front(scope, receive, send):
            await apps[now[0]](scope, receive, send)

        with serve(front) as url:
            yield f"{url}/", [one, other], now


def test_answers_that_wait_for_a_guided_survey_are_sent_to_no_other(person):
    with two_guided() as (url, collectors, now):
        page = opened(person(), url)
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
    with two_guided() as (url, collectors, now):
        page = opened(person(), url, "open")
        hand_in(page, "warning", "sent", level=None)
        if page.locator("[data-action=send]").count():
            press(page, "send")
            view(page, "sent")
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
        begun(page, "open")
        hand_in(page, "warning", "sent", level=None)
        if page.locator("[data-action=send]").count():
            press(page, "send")
            view(page, "sent")
        assert [one.n_received for one in collectors] == [1, 1]
