"""A person answers in a real browser: what leaves the page, what stays, what survives."""

import base64
import json
import re
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from browser import (
    ANSWERS,
    BITS,
    begun,
    fill,
    hand_in,
    kept,
    opened,
    press,
    set_level,
    status,
    submit,
    tab_to,
    view,
    wait_for,
)  # fmt: skip
from headless import MARKS
from lying_server import directions

from ppdm_survey._schema import say

pytestmark = MARKS
Error = pytest.importorskip("playwright.sync_api").Error

LEVEL = 6


def disguises():
    """Return the raw answers in every encoding that one may think of."""
    ones = [j for j, bit in enumerate(BITS) if bit]
    codes = [1, 0, 1, 0, 3]
    private = {name: value for name, value in ANSWERS.items() if name != "party"}
    texts = [urlencode(private), urlencode(ANSWERS)]
    for value in (BITS, ones, codes, list(private.values()), private, ANSWERS):
        for separators in ((",", ":"), (", ", ": ")):
            text = json.dumps(value, separators=separators)
            texts += [text, text.strip("[]{}")]
    texts += ["".join(map(str, BITS)), " ".join(map(str, BITS)), "".join(map(str, ones))]
    raw = [text.encode() for text in texts]
    raw += [bytes(BITS), bytes(ones), np.packbits(BITS).tobytes() * 2]
    forms = set(raw)
    for one in raw:
        forms |= {one.hex().encode(), one.hex().upper().encode(), urlencode({"": one}).encode()[1:]}
        for shift in range(3):  # a text has three faces in base64, by where it begins
            inside = base64.b64encode(b"\0" * shift + one)[(0, 2, 3)[shift] :].rstrip(b"=")[:-1]
            forms |= {inside, inside.replace(b"+", b"-").replace(b"/", b"_")}
    return {form for form in forms if len(form) >= 6}


# ---- the whole way


def test_only_the_disguise_leaves(person, double):
    someone = person()
    page = opened(someone, double.url)
    fill(page, level=LEVEL)
    assert kept(page) == []
    submit(page)
    assert "asks for 15 directions at the moment, you allow 6" in view(page, "waiting")

    # only ciphertext, and a key that cannot be taken out
    (record,) = kept(page)
    assert set(record) == {"stage", "key", "iv", "ciphertext", "hashes", "id"}
    assert record["key"] == {"cryptoKey": {"name": "AES-GCM", "length": 256},
                             "extractable": False, "taken": None}
    secret = bytes(record["ciphertext"])
    assert not any(form in secret for form in disguises())
    # the page does not hold the answers either
    assert page.locator("form :checked:not(option)").count() == 0
    assert page.locator("form input[type=text], form select").evaluate_all(
        "all => all.map((one) => one.value)") == ["", ""]
    assert not someone.posted("/api/ready")

    double.lower()
    text = view(page, "sent")
    ready, sent = someone.posted("/api/ready"), someone.posted("/api/submit")
    assert len(sent) == 1
    assert sent[0].rstrip() in text  # the person sees exactly that, but for blanks behind it
    message = json.loads(sent[0])
    assert list(message) == ["token", "epoch", "class", "ones"]
    assert message["class"] == 1
    assert message["ones"] != [j for j, bit in enumerate(BITS) if bit]  # or the search is empty
    assert [json.loads(body) for body in ready] == [{"epoch": message["epoch"]}]

    (record,) = kept(page)
    assert set(record) == {"stage", "epoch", "hash", "hashes", "open", "waited", "signer", "id"}
    assert (record["stage"], record["waited"], record["open"]) == ("sent", True, False)
    assert record["hash"] in text
    check_requests(someone, double.url)
    assert double.submissions() == [(1, message["ones"])]


def check_requests(someone, base):
    """Everything that left is known to the last byte but R(t) and the token."""
    paths = {"", "static/ppdm.js", "static/keep.js", "static/visit.js", "static/guided.js",
             "static/ppdm.en.js", "static/theme.css", "static/survey.css",
             "api/schema", "api/access", "api/inquiry", "api/ready", "api/submit"}
    usual = {"accept", "accept-encoding", "accept-language", "cache-control", "connection",
             "content-length", "content-type", "host", "origin", "pragma", "referer", "user-agent",
             "upgrade-insecure-requests"}
    forms = disguises()
    for request in someone.requests:
        if request.url.startswith("data:"):  # the empty icon
            continue
        path = request.url.removeprefix(base)
        assert path in paths or re.fullmatch(r"api/epochs/\d+", path)
        headers = request.all_headers()
        assert {name for name in headers if not name.startswith("sec-")} <= usual
        if path.startswith("api/"):
            assert "referer" not in headers
        body = request.post_data or ""
        assert not body or path in ("api/ready", "api/submit")
        everything = "\n".join([request.url, *headers.values(), body]).encode()
        assert not [form for form in forms if form in everything]
        for word in (*list(ANSWERS)[:5], "west", "right"):
            assert word not in request.url + body


# ---- the network is cut

def cutter(counts, times=10**6):
    """Cut a request before the server has it, and the next one's answer on its way back.

    So many times for each path, or until ``counts["mended"]``.
    """
    def cut(route):
        path = urlsplit(route.request.url).path
        counts[path] = counts.get(path, 0) + 1
        if counts[path] > times or "mended" in counts:
            return route.continue_()
        if counts[path] % 2 == 0:
            route.fetch()
        with suppress(Error):  # the page may have been left meanwhile, and the request with it
            route.abort("connectionreset")
        return None

    return cut


def test_a_cut_loses_nothing_and_stores_nothing_twice(person, double):
    someone = person()
    page = opened(someone, double.url)
    double.lower()
    counts = {}
    page.route("**/api/*", cutter(counts, times=2))
    page.route("**/api/epochs/*", cutter(counts, times=2))
    page.reload()  # the questions, too
    hand_in(page, "sent", level=LEVEL)
    steps = {path.partition("api/")[2].split("/")[0]: n for path, n in counts.items()}
    assert steps == {"schema": 5, "access": 3, "inquiry": 8, "epochs": 5, "ready": 3, "submit": 3}
    assert len(set(someone.posted("/api/submit"))) == 1
    message = json.loads(someone.posted("/api/submit")[0])
    assert double.submissions() == [(1, message["ones"])]


def test_a_reload_sends_the_same_disguise(person, double):
    someone = person()
    page = someone.open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    # in a new tab, while R(t) is on its way; now and then the server stores it
    page.close()
    counts = {}
    someone.context.route("**/api/submit", cutter(counts))
    double.lower()
    page = someone.open(double.url)
    view(page, "back")
    press(page, "resume")
    status(page, "did not confirm")
    (record,) = kept(page)
    assert set(record) == {
        "stage", "submission", "hash", "hashes", "open", "waited", "questions", "signer", "id"}
    page.reload()
    status(page, "did not confirm")
    assert kept(page) == [record]
    # while the server writes, its store is its own: what is stored is read at the end
    wait_for(page, lambda: double.n_received)
    counts["mended"] = True
    view(page, "sent")
    page.reload()
    assert "before this page was loaded" in view(page, "sent")
    sent = someone.posted("/api/submit")
    assert len(sent) >= 3
    assert len(set(sent)) == 1
    assert json.loads(sent[0])["token"] == record["submission"]["token"]
    assert double.submissions() == [(1, record["submission"]["ones"])]


def test_what_does_not_confirm_gets_the_same_again(person, double):
    someone = person()
    double.lower()
    # the first as a hotel's login page, which says 200 to everything
    answers = iter([(200, {}), (503, {"error": "busy", "reason": "Later."}), (500, None),
                    (429, None)])
    double.lies["submit"] = lambda message: next(answers, message)
    hand_in(someone.open(double.url), "sent", level=LEVEL)
    assert double.asked("/api/submit") == 5
    assert len(set(someone.posted("/api/submit"))) == len(double.stored) == 1


@pytest.mark.parametrize("action", ["retry", "discard"])
def test_a_rejected_disguise_is_kept_until_the_person_decides(person, double, action):
    page = person().open(double.url)
    double.lower()
    double.lies["submit"] = lambda _: (403, {"error": "bad_token", "reason": "None is valid."})
    assert say("en", "rejected.bad_token") in hand_in(page, "rejected", level=LEVEL)
    (record,) = kept(page)
    assert record["stage"] == "drawn"
    page.reload()
    view(page, "rejected")
    assert kept(page) == [record]
    double.lies.clear()
    press(page, action)
    if action == "retry":
        view(page, "sent")
        assert len(double.stored) == 1
    else:
        begun(page)
        assert kept(page) == []
        assert len(double.stored) == 0


# ---- two tabs


@pytest.mark.parametrize("late", [False, True])
def test_two_tabs_store_one_submission(person, double, late):
    someone = person()
    first = someone.open(double.url)
    hand_in(first, "waiting", level=LEVEL)
    second = someone.open(double.url)
    view(second, "waiting")
    held = []
    # not times=2: when that is over, what is still held goes on by itself
    someone.context.route("**/api/ready", lambda route: held.append(route))
    double.lower()
    view(second, "back")
    press(second, "resume")
    wait_for(first, lambda: len(held) == 2)
    held.sort(key=lambda route: route.request.frame.page != first)  # whichever asked first
    assert [route.request.frame.page for route in held] == [first, second]
    held[0].continue_()  # now both have a guidance and a token
    if late:  # the other gets it when the answers are deleted
        view(first, "sent")
    held[1].continue_()
    view(first, "sent")
    view(second, "sent")
    assert len(set(someone.posted("/api/submit"))) == 1
    assert len(double.submissions()) == 1


def test_a_tab_that_comes_late_shows_what_another_has_done(person, double):
    someone = person()
    first, second = opened(someone, double.url), opened(someone, double.url)
    for tab in (first, second):
        fill(tab, level=LEVEL)
    first.bring_to_front()  # a tab in the back draws one frame a second
    submit(first)
    view(first, "waiting")
    before = kept(first)
    second.bring_to_front()
    submit(second)
    view(second, "waiting")
    assert kept(second) == before
    press(second, "forget")
    begun(first)
    assert kept(first) == []


# ---- waiting


def test_level_and_answers_can_be_changed_while_waiting(person, double):
    page = person().open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    (before,) = kept(page)
    set_level(page, 3)
    press(page, "level")
    status(page, "you allow 3.")
    (after,) = kept(page)
    assert after["ciphertext"] != before["ciphertext"]
    assert after["iv"] != before["iv"]
    double.lower()
    status(page, "asks for 4 directions")
    set_level(page, 4)
    press(page, "level")
    view(page, "sent")
    # and once more, on request only
    double.guides.append(directions(15))
    press(page, "restart")
    hand_in(page, "waiting", level=2)
    press(page, "forget")
    begun(page)
    assert kept(page) == []
    assert len(double.stored) == 1


def test_a_lower_level_holds_even_while_the_guidance_is_on_its_way(person, double):
    page = person().open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    held = []
    page.route("**/api/ready", lambda route: held.append(route))
    double.lower()
    wait_for(page, lambda: held)
    set_level(page, 2)
    press(page, "level")
    held[0].continue_()
    status(page, "you allow 2.")
    assert double.asked("/api/submit") == 0


def test_asking_has_a_limit(person, double):
    page = person(limit=3).open(double.url)
    hand_in(page, level=LEVEL)
    status(page, "has stopped asking")
    page.wait_for_timeout(200)  # its pauses would be 5 to 17 ms
    # one to open the form, one before anything is kept, and three
    assert double.asked("/api/inquiry") == 5
    press(page, "go")
    wait_for(page, lambda: double.asked("/api/inquiry") == 8)
    double.lower()
    status(page, "has stopped asking")
    press(page, "go")
    view(page, "sent")


# ---- where it must not work


def test_plain_http_is_refused(person, double):
    # crypto.subtle is there on localhost and over https only
    someone = person()
    page = someone.open(double.url.replace("127.0.0.1", "survey.test"))
    refused_at_once(page, double, "stop.insecure")
    someone.said.clear()  # Chromium's own words, on a header that it ignores there


@pytest.mark.parametrize(("broken", "reason"), [
    ("Object.defineProperty(window, 'indexedDB', { value: undefined })", "stop.noStorage"),
    ("indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }", "stop.noStorage"),
    ("delete Navigator.prototype.locks;", "stop.noLocks"),
])
def test_a_browser_that_lacks_something_is_refused_and_told_what(person, double, broken, reason):
    someone = person()
    someone.context.add_init_script(broken)
    refused_at_once(someone.open(double.url), double, reason)


def refused_at_once(page, double, reason):
    assert say("en", reason) in view(page, "insecure")
    assert page.locator("form > fieldset:disabled").count() == 1
    assert not double.seen


def test_answers_that_cannot_be_kept_stay_in_the_page(person, double):
    someone = person()
    someone.context.add_init_script(
        "IDBObjectStore.prototype.put = () => {"
        "  throw new DOMException('full', 'QuotaExceededError'); }"
    )
    page = someone.open(double.url)
    text = hand_in(page, "refused", level=LEVEL)
    assert "full" in text
    assert "in this page only" in text
    assert kept(page) == []
    press(page, "again")
    view(page, "refused")
    assert double.asked("/api/submit") == 0
    press(page, "forget")
    begun(page)
    assert page.locator("[name=vote_0]:checked").count() == 0


# ---- anybody can use it


def test_missing_answers_and_a_level_that_nobody_chose_are_named(person, double):
    double.lower()
    page = person().open(double.url)
    few = {"vote_0": "y", "age": "41", "region": "east", "party": "left"}
    hand_in(page, answers=few, level=None)
    assert page.get_by_role("alert").inner_text().endswith("2 questions have no answer yet.")
    control = page.locator("[name=vote_1]").first
    assert control.evaluate("one => one === document.activeElement")
    assert control.get_attribute("aria-invalid") == "true"
    described = page.locator(f"[id='{control.get_attribute('aria-describedby')}']")
    assert "choose an answer" in described.inner_text()
    assert page.locator("[name=vote_0]").first.get_attribute("aria-invalid") == "false"
    page.locator("[name=age]").fill("")
    hand_in(page, answers={"vote_1": "n", "vote_2": "n"}, level=None)
    assert "enter a number" in page.locator("[id='ppdm-error-age']").inner_text()
    hand_in(page, answers={"age": "50"}, level=None)
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-invalid") == "true"
    assert slider.evaluate("range => range === document.activeElement")
    assert kept(page) == []
    assert double.asked("/api/ready") == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")  # the least is a choice, too
    submit(page)
    view(page, "waiting")


def test_keyboard_alone(person, double):
    page = person().open(double.url)

    def key(selector, name):
        tab_to(page, selector)
        page.keyboard.press(name)

    view(page, "begin")
    key("[data-action=begin]", "Enter")
    view(page, "start")
    key("[data-action=open]", "Enter")
    page.wait_for_selector("form > fieldset:enabled")
    key("[name=vote_0]", "Space")
    key("[name=vote_1]", "ArrowRight")
    key("[name=vote_2]", "Space")
    tab_to(page, "[name=age]")
    page.keyboard.type("29.5")
    tab_to(page, "[name=region]")
    page.keyboard.type("South")
    key("[name=party]", "Space")
    key("[type=submit]", "Enter")
    view(page, "warning")
    key("[data-action=decline]", "Enter")
    view(page, "waiting")
    double.lower()
    view(page, "sent")
    assert page.evaluate("document.activeElement.matches('.ppdm-panel h2')")
    key("[data-action=restart]", "Space")
    begun(page)
    key("[type=range]", "Home")  # there is a level to choose now
    assert page.get_by_role("slider").input_value() == "1"
    (message,) = double.stored.values()
    assert message["class"] == 0


def test_every_control_has_a_name(person, double):
    # axe has seen that each has one; that it is this one
    page = opened(person(), double.url)
    for vote in range(3):
        group = page.get_by_role("group", name=f"Vote number {vote}")
        assert group.get_by_role("radio", name="Yes").count() == 1
    assert page.get_by_role("textbox", name="Your age").count() == 1
    assert page.get_by_role("combobox", name="Your region").count() == 1
    slider = page.get_by_role("slider", name="How much may the survey read?")
    set_level(page, 15)  # it ends at 14: who sends everything chooses that by a button
    assert slider.get_attribute("aria-valuetext").startswith("14 of 15 directions. Nearly all")
    assert slider.get_attribute("name") is None  # or form data would hold the level
    page = person().open(double.url)
    hand_in(page, "warning", start="open")
    region = page.get_by_role("region", name="These answers could be read")
    assert region.get_by_role("button").count() == 3
    assert page.locator("[aria-current=step]").count() == 1
    press(page, "decline")
    view(page, "waiting")
    gauge = page.get_by_role("img", name="The survey asks for 15 / 15. You allow 15 / 15.")
    assert gauge.count() == 1
    assert page.get_by_role("status").get_attribute("aria-live") == "polite"


def test_motion_stops_on_request(person, double):
    page = person(reduced_motion="reduce").open(double.url)
    hand_in(page, "waiting", level=LEVEL)
    assert page.evaluate("document.getAnimations().length") == 0
