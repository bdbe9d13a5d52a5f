"""A lying server: the page refuses in words, sends nothing, and keeps the answers encrypted."""

import json
import math
import re
from contextlib import contextmanager
from itertools import chain

import numpy as np
import pytest
from browser import BITS, Person, begun, forge, hand_in, kept, opened, press, status, view, wait_for
from coin_site import MIXED, channel_of, coin_site
from headless import MARKS
from lying_server import LyingServer, directions
from test_browser_promises import survey

from ppdm_survey import CoinChannel, guidance_hash
from ppdm_survey._coin import WHOLE
from ppdm_survey._schema import say
from ppdm_survey._tokens import encode

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
    "not orthonormal": SKEW, "columns": WIDE, "another number of columns": HONEST[:, :3],
    "14 rows": HONEST[:14],
}

#: What the server answers to whom it asks for answers, and why the page refuses it.
LIES = {
    **{name: ({"epochs": published(V), "ready": with_guidance(V)}, name.split()[-1])
       for name, V in BAD_V.items()},
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
    "not the published V": ({"ready": with_guidance(directions(K, seed=1))}, "not the one"),
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
    "an epoch that never was": ({"inquiry": lambda m: {"epoch": 10**6, "k": K}}, "epoch must be"),
    "no JSON": ({"inquiry": lambda m: "<html>"}, "cannot be read"),
}


def certain(own, other):
    """Publish a channel in which the first question is told as it is."""
    def lie(message):
        first, *others = message["columns"]
        return message | {"columns": [first | {"own": own, "other": other}, *others]}
    return lie


#: What stands on a page in the place of what is published: texts, questions, codes, choices.
SHOWN = [
    (">Mixed</h1>", ">A harmless survey</h1>"), ("A year.", "A day."),
    ('data-ppdm-text="rights"', ""), ("Question smokes?", "Question reads?"),
    ("Also a pipe.", "Never mind."), ("<span>y</span>", "<span>n</span>"),
    ('value="n" required', 'value="y" required'), ('<option value="v39">v39</option>', ""),
    ('<option value="v39">v39', '<option value="v39">v38'),
]


def show(old, new):
    def lie(text):
        assert old in text
        return text.replace(old, new, 1)
    return lie


SHORT = {"kty": "RSA", "n": encode(b"\xff" * 128), "e": "AQAB"}
#: Whose survey it is, at which path it lies at once, how, and why it is refused.
AT_ONCE = [
    ("guided", "api/schema", lambda m: m | {"protocol": 2}, "another version"),
    ("guided", "api/schema", lambda m: m | {"attributes": [
        *m["attributes"], m["attributes"][0] | {"name": "new"}]}, "no question named “new”"),
    ("guided", "api/schema", lambda m: "[1, ", "cannot be read"),
    ("coin", "api/channel", certain(WHOLE, 0), "for certain"),
    ("coin", "api/channel", certain(WHOLE + 5, -5), "for certain"),
    ("coin", "api/channel", lambda m: channel_of(MIXED, 40.0).model_dump(mode="json") | {
        "epsilon": 4.0}, "tells more than the survey says"),
    ("coin", "api/channel", lambda m: m | {"hash": "0" * 64}, "fingerprint"),
    ("coin", "api/channel", lambda m: CoinChannel(
        asked=1, columns=channel_of().columns[:3]).model_dump(mode="json"),
     "none for these questions"),
    *[("coin", "", show(*texts), "something else than the survey publishes|no question named")
      for texts in SHOWN],
    ("invited", "api/exchange", lambda m: {"signature": encode(b"\1" * 256)},
     say("en", "forged.signature")),
    ("invited", "api/access", lambda m: m | {"key": SHORT}, say("en", "forged.key")),
    ("invited", "static/vendor/blindrsa.js", lambda m: None,
     re.escape(say("en", "stop.noInvitations"))),
]


@contextmanager
def served(whose):
    """Serve a survey, give the link to it."""
    if whose == "guided":
        with LyingServer(HONEST) as server:
            yield server.url
        return
    access = "invitation" if whose == "invited" else "open"
    with coin_site(survey(), access=access) as (collector, url):
        yield f"{url}#{collector.invite(1)[0]}" if whose == "invited" else url


@pytest.mark.parametrize(("whose", "path", "lie", "reason"), AT_ONCE)
def test_a_lie_is_refused_before_anything_is_filled_in(person, whose, path, lie, reason):
    with served(whose) as link:
        someone = person()
        lies_at = link.partition("#")[0] + path
        forge(someone.context, lies_at, lie)
        page = someone.open(link)
        view(page, "begin", "refused")
        if page.locator("[data-action=begin]").count():
            press(page, "begin")
        assert re.search(reason, view(page, "refused"))
        assert page.locator("form > fieldset:enabled").count() == 0
        assert len(someone.posted("")) == (path == "api/exchange")
        if path.startswith("api/"):
            someone.context.unroute(lies_at)
            press(page, "again")
            begun(page)


# ---- guided perturbation

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
    wait_for(page, lambda: server.asked("/api/inquiry") > before)
    text = view(page, "refused")
    assert reason in text
    assert "Nothing was sent" in text
    nothing_left(server, page)


def test_a_fingerprint_that_changes_is_refused(liar, page):
    liar.lies = {"epochs": published(SKEW), "ready": with_guidance(SKEW)}
    assert "not orthonormal" in hand_in(page, "refused", level=K)
    liar.lies = {}  # honest from now on, but not what it published before
    press(page, "again")
    status(page, "two different fingerprints")
    nothing_left(liar, page)


def test_an_epoch_with_two_hashes_is_refused_even_after_a_reload(liar, page):
    liar.lies = {"ready": lambda message: (409, {"error": "epoch_over", "reason": "Once more."})}
    hand_in(page, level=K)
    # over, so inquire again: that is no lie
    wait_for(page, lambda: liar.asked("/api/ready") >= 2)
    liar.guides.append(directions(K, seed=2))
    # what was named first is kept beside what the next epoch names
    wait_for(page, lambda: liar.asked("/api/epochs/1") >= 2)
    page.goto("about:blank")
    liar.lies = {}
    liar.guides[:] = [directions(K, seed=1)]  # epoch 0 once more, of another V
    page.goto(liar.url)
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
# who knows that often guesses the other two ages
TWO = (r"Vote number 0: right for (\d+) of 100;"
       r"Your age(?:: whether it is “up to 30”)?: right for (\d+)")
# no leverage is near 1, but every answer to the first question would be read
HIDDEN = np.zeros((15, 2))
HIDDEN[[0, 1], 0] = [math.sqrt(0.5), -math.sqrt(0.5)]
HIDDEN[:6, 1] = math.sqrt(1 / 6)  # three questions of two values: the same for everybody


@pytest.mark.parametrize(("V", "names", "certain", "bits"), [
    pytest.param(EYE[:, SINGLED], TWO, True, SINGLED, id="columns of the identity"),
    pytest.param(EYE[:, SINGLED] @ TURN, TWO, True, SINGLED, id="turned in their space"),
    pytest.param(math.sqrt(0.95) * EYE[:, SINGLED] + math.sqrt(0.05) * EYE[:, [9, 10, 11]], TWO,
                 False, [], id="turned a little out of it"),
    pytest.param(HIDDEN, r"Vote number 0: right for (\d+) of 100$", True, [],
                 id="hidden behind a sum"),
])
def test_certain_answers_need_a_yes(liar, page, V, names, certain, bits):
    liar.guides.append(V)
    text = hand_in(page, "warning", level=K)
    shares = re.match(names, ";".join(page.locator(".ppdm-names li").all_inner_texts()))
    assert shares, text
    assert (set(shares.groups()) == {"100"}) == certain
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
    assert [j for j in message["ones"] if j in bits] == [j for j in bits if BITS[j]]


def test_a_no_waits_for_another_epoch(liar, page):
    liar.guides.append(EYE[:, :3])
    hand_in(page, "warning", level=K)
    press(page, "decline")
    assert "did not want to send" in view(page, "waiting")
    before = liar.asked("/api/inquiry")
    wait_for(page, lambda: liar.asked("/api/inquiry") >= before + 3)
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
    page = person().open(liar.url)
    hand_in(page, "warning", start="open")
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
    wait_for(page, lambda: held)
    press(page, "forget")
    held[0].continue_()
    page.wait_for_selector("form[data-ppdm]:visible")
    assert kept(page) == []
    assert not liar.asked("/api/submit")


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
    status(page, "did not confirm")
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
