"""A lying server: the page refuses in words, sends nothing, and keeps the answers encrypted."""

import json
import math
import re
from itertools import chain

import numpy as np
import pytest
from browser import BITS, Person, begun, hand_in, kept, opened, press, view
from headless import MARKS
from lying_server import LyingServer, directions, guidance_hash

pytestmark = MARKS

K = 4


def with_guidance(V):
    """Answer ready with another V and the hash that belongs to it."""
    def lie(message):
        matrix = np.array(V, dtype=float)
        hashed = guidance_hash(message["epoch"], matrix)
        return message | {"V": matrix.tolist(), "hash": hashed}
    return lie


def with_entry(entry):
    """Answer ready with an entry of V that is no number."""
    def lie(message):
        message["V"][3][1] = entry
        return json.dumps(message)
    return lie


def published(V):
    """Publish the hash of this V, so that nothing but V itself can be found fault with."""
    matrix = np.array(V, dtype=float)
    return lambda message: message | {"hash": guidance_hash(message["epoch"], matrix)}


HONEST = directions(K)
SKEW = HONEST + 1e-3
WIDE = directions(8)
# the arithmetic of the check is compared with Python's in test_browser_vectors.py
BAD_V = {
    "not orthonormal": (SKEW, "not orthonormal"),
    "too many columns": (WIDE, "columns"),
    "too few columns": (HONEST[:, :3], "columns"),
    "too few rows": (HONEST[:14], "14 rows"),
}

LIES = {
    **{name: ({"epochs": published(V), "ready": with_guidance(V)}, reason)
       for name, (V, reason) in BAD_V.items()},
    "NaN": ({"ready": with_entry(math.nan)}, "cannot be read"),
    "overflow": ({"ready": lambda m: json.dumps(m).replace("[[", "[[1e999, ", 1)}, "columns"),
    "overflow in place": (
        {"ready": lambda m: with_entry("@")(m).replace('"@"', "1e999")}, "no finite number"),
    "null": ({"ready": with_entry(None)}, "no finite number"),
    "text": ({"ready": with_entry("0.5")}, "no finite number"),
    "V is null": ({"ready": lambda m: m | {"V": None}}, "rows"),
    "V is flat": ({"ready": lambda m: m | {"V": list(chain(*m["V"]))}}, "rows"),
    "another k": ({"ready": lambda m: m | {"k": 3}}, "another number of directions"),
    "k above the level": (
        {"ready": lambda m: with_guidance(WIDE)(m) | {"k": 8}}, "another number of directions"),
    "k above the announced, published so": (
        {"epochs": lambda m: published(WIDE)(m) | {"k": 8},
         "ready": lambda m: with_guidance(WIDE)(m) | {"k": 8}}, "does not fit"),
    "not the published V": (
        {"ready": with_guidance(directions(K, seed=1))}, "not the one"),
    "not the published V, hash kept": (
        {"ready": lambda m: m | {"V": directions(K, seed=1).tolist()}}, "not the one"),
    "another hash in the message": ({"ready": lambda m: m | {"hash": "0" * 64}}, "not the one"),
    "one entry differs by one unit in the last place": (
        {"ready": lambda m: m | {"V": [[math.nextafter(m["V"][0][0], 2), *m["V"][0][1:]],
                                       *m["V"][1:]]}}, "not the one"),
    "another epoch": ({"ready": lambda m: m | {"epoch": m["epoch"] + 1}}, "another epoch"),
    "no token": ({"ready": lambda m: {**m, "token": None}}, "no token"),
    "published epoch differs": ({"epochs": lambda m: m | {"epoch": 0}}, "does not fit"),
    "published hash is none": ({"epochs": lambda m: m | {"hash": "z" * 64}}, "does not fit"),
    "published is no object": ({"epochs": lambda m: "null"}, "cannot be read"),
    "epoch is no number": ({"inquiry": lambda m: {"epoch": "1", "k": K}}, "no epoch"),
    "epoch below zero": ({"inquiry": lambda m: {"epoch": -1, "k": K}}, "no epoch"),
    "k is zero": ({"inquiry": lambda m: {"epoch": 1, "k": 0}}, "no epoch"),
    "k is a fraction": ({"inquiry": lambda m: {"epoch": 1, "k": 3.5}}, "no epoch"),
    "k above all bits": ({"inquiry": lambda m: {"epoch": 1, "k": 16}}, "no epoch"),
    "an epoch that never was": ({"inquiry": lambda m: {"epoch": 10**6, "k": K}}, "no such epoch"),
    "no JSON": ({"inquiry": lambda m: "<html>"}, "cannot be read"),
}


@pytest.fixture
def liar():
    with LyingServer(HONEST) as server:
        yield server


def nothing_left(server, page, *, waited=False):
    """Check that nothing was submitted, and where the answers are: nowhere but in the page's
    memory, or encrypted, where the person had to wait before."""
    assert not server.stored
    assert not server.asked("/api/submit")
    if not waited:
        assert all(set(record) == {"stage", "hashes", "id"} for record in kept(page))
        return
    (record,) = kept(page)
    assert record["stage"] == "waiting"
    assert len(record["ciphertext"]) > 100
    assert set(record) == {"stage", "key", "iv", "ciphertext", "hashes", "id"}


@pytest.fixture
def page(person, liar):
    return opened(person(), liar.url)


@pytest.fixture(scope="module")
def refusing(chromium):
    """Give a liar and a page that refuses it and may be told to try again, and again."""
    with LyingServer(HONEST) as server:
        someone = Person(chromium)
        page = opened(someone, server.url)
        server.lies = {"inquiry": lambda message: "["}
        hand_in(page, "refused", level=K)
        yield server, page
        # none of it has spoilt the answers: an honest server gets their disguise
        server.guides.append(HONEST)
        server.lies = {}
        press(page, "again")
        view(page, "sent")
        assert len(server.stored) == 1
        someone.context.close()
        assert not someone.faults()


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_refused(refusing, name):
    server, page = refusing
    server.guides.append(HONEST)  # a new epoch: no fingerprint of it is known
    server.lies, reason = LIES[name]
    before = server.asked("/api/inquiry")
    press(page, "again")
    while server.asked("/api/inquiry") == before:
        page.wait_for_timeout(5)
    text = view(page, "refused")
    assert reason in text
    assert "Nothing was sent" in text
    nothing_left(server, page)


def test_a_fingerprint_that_changes_is_refused(liar, page):
    liar.lies = {"epochs": published(SKEW), "ready": with_guidance(SKEW)}
    assert "not orthonormal" in hand_in(page, "refused", level=K)
    liar.lies = {}  # honest from now on, but not what it published before
    press(page, "again")
    page.get_by_role("status").filter(has_text="two different fingerprints").wait_for()
    nothing_left(liar, page)


def test_an_epoch_with_two_hashes_is_refused_even_after_a_reload(liar, page):
    liar.lies = {"ready": lambda message: (409, {"error": "epoch_over", "reason": "Once more."})}
    hand_in(page, level=K)
    while liar.asked("/api/ready") < 2:  # over, so inquire again: that is no lie
        page.wait_for_timeout(10)
    page.goto("about:blank")
    liar.lies = {}
    liar.guides[0] = directions(K, seed=1)  # from now on, and for everything: another V
    begun(page.goto(liar.url) and page)
    text = hand_in(page, "refused", level=K)
    assert "two different fingerprints for the guidance of epoch 0" in text
    nothing_left(liar, page)
    press(page, "forget")
    begun(page)  # nothing is kept: it begins anew
    assert kept(page) == []


def test_a_level_lowered_within_an_epoch_is_refused(liar, page):
    # first above the person's level, then step by step: at the first "ready" it would be known
    levels = iter(range(15, 0, -1))
    liar.lies = {"inquiry": lambda message: message | {"k": next(levels, 1)}}
    assert "two different numbers of directions for epoch 0" in hand_in(page, "refused", level=K)
    assert liar.asked("/api/ready") == 0
    nothing_left(liar, page)


EYE = np.eye(15)
TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
SINGLED = [0, 1, 6]


@pytest.mark.parametrize(("V", "certain"), [
    pytest.param(EYE[:, SINGLED], True, id="columns of the identity"),
    pytest.param(EYE[:, SINGLED] @ TURN, True, id="turned in their space"),
    pytest.param(math.sqrt(0.95) * EYE[:, SINGLED] + math.sqrt(0.05) * EYE[:, [9, 10, 11]], False,
                 id="turned a little out of it"),
])
def test_certain_answers_need_a_yes(liar, page, V, certain):
    liar.guides.append(V)
    text = hand_in(page, "warning", level=K)
    names = page.locator(".ppdm-names li").all_inner_texts()
    pattern = (r"Vote number 0: right for (\d+) of 100;"
               r"Your age(?:: whether it is “up to 30”)?: right for (\d+)")
    shares = re.match(pattern, ";".join(names))  # who knows that often guesses the other two ages
    assert shares, text
    assert (shares.groups() == ("100", "100")) == certain
    # whoever reads by ear or by keyboard is taken there
    assert page.evaluate("document.activeElement.matches('.ppdm-panel h2')")
    nothing_left(liar, page)
    # the answers were in the page only: a reload has forgotten them
    page.reload()
    begun(page)
    nothing_left(liar, page)
    hand_in(page, "warning", level=K)
    press(page, "send")
    view(page, "sent")
    (message,) = liar.stored.values()
    if certain:
        assert [j for j in message["ones"] if j in SINGLED] == [j for j in SINGLED if BITS[j]]


def test_a_question_hidden_behind_a_sum_needs_a_yes(liar, page):
    # no leverage is near 1, but every answer to the first question would be read
    hidden = np.zeros((15, 2))
    hidden[[0, 1], 0] = [math.sqrt(0.5), -math.sqrt(0.5)]
    hidden[:6, 1] = math.sqrt(1 / 6)  # three questions of two values: the same for everybody
    assert (hidden**2).sum(axis=1).max() < 0.7
    liar.guides.append(hidden)
    hand_in(page, "warning", level=K)
    assert page.locator(".ppdm-names li").all_inner_texts() == [
        "Vote number 0: right for 100 of 100"]
    nothing_left(liar, page)


def test_a_no_waits_for_another_epoch(liar, page):
    liar.guides.append(EYE[:, :3])
    hand_in(page, "warning", level=K)
    press(page, "decline")
    assert "did not want to send" in view(page, "waiting")
    before = liar.asked("/api/inquiry")
    while liar.asked("/api/inquiry") < before + 3:
        page.wait_for_timeout(10)
    nothing_left(liar, page, waited=True)
    # a reload asks again
    page.reload()
    view(page, "back")
    press(page, "resume")
    view(page, "warning")
    nothing_left(liar, page, waited=True)
    liar.guides.append(HONEST)
    press(page, "decline")
    view(page, "sent")
    (message,) = liar.stored.values()
    assert message["epoch"] == 2


def test_all_answers_are_called_so(person, liar):
    liar.guides = [directions(15)]  # a full basis reads everything, whatever it looks like
    page = opened(person(), liar.url, "open")
    hand_in(page, "warning", level=None)
    assert page.locator(".ppdm-names li").all_inner_texts() == ["All your answers"]
    press(page, "forget")
    view(page, "start")
    assert kept(page) == []
    assert not liar.stored


def test_deleting_while_the_guidance_is_on_its_way_deletes(liar, page):
    # the press must not be lost, or R(t) would be sent after the person said no
    held = []
    page.route("**/api/ready", lambda route: held.append(route))
    hand_in(page, "checking", level=K)
    while not held:
        page.wait_for_timeout(10)
    press(page, "forget")
    held[0].continue_()
    page.wait_for_selector("form[data-ppdm]:visible")
    assert kept(page) == []
    assert not liar.asked("/api/submit")


@pytest.mark.parametrize(("lie", "reason"), [
    (lambda m: m | {"protocol": 2}, "another version"),
    (lambda m: m | {"attributes": [*m["attributes"], m["attributes"][0] | {"name": "new"}]},
     "no question named “new”"),
    (lambda m: "[1, ", "cannot be read"),
])
def test_a_schema_that_does_not_fit_keeps_the_form_shut(person, liar, lie, reason):
    liar.lies = {"schema": lie}
    page = person().open(liar.url)
    assert reason in view(page, "refused")
    assert page.locator("form > fieldset:disabled").count() == 1
    liar.lies = {}
    press(page, "again")
    begun(page)


def test_other_questions_than_were_answered(liar, page):
    # the bits would mean something else
    liar.guides.append(directions(15))
    hand_in(page, "waiting", level=K)
    page.goto("about:blank")  # or it would hear of the new epoch before it is told the lie
    liar.lies = {"schema": lambda m: m | {"attributes": m["attributes"][::-1]}}
    liar.guides.append(HONEST)
    page.goto(liar.url)
    assert "has changed its questions" in view(page, "refused")
    nothing_left(liar, page, waited=True)


def test_a_disguise_of_other_answers_is_not_sent(liar, page):
    page.route("**/api/submit", lambda route: route.abort())
    hand_in(page, level=K)
    page.get_by_role("status").filter(has_text="did not confirm").wait_for()
    liar.lies = {"schema": lambda m: m | {"attributes": m["attributes"][::-1]}}
    page.reload()
    assert "has changed its questions" in view(page, "rejected")
    page.unroute("**/api/submit")
    page.wait_for_timeout(200)
    liar.lies = {}
    assert not liar.stored
    page.reload()  # and with the questions as they were it goes on
    view(page, "sent")
    assert len(liar.stored) == 1
