"""A person answers by invitation, in a real browser."""

import hashlib
import json

import pytest
from browser import fill, forge, hand_in, kept, opened, press, submit, through, view
from collecting import exchanged
from headless import MARKS
from lying_server import SCHEMA
from serving import serve

from ppdm_survey import Collector, Survey, create_app
from ppdm_survey import _tokens as blind
from ppdm_survey._schema import say
from ppdm_survey._tokens import decode, encode

pytestmark = MARKS


class Invited:
    """A survey by invitation; the miner asks for little from the start."""

    def __init__(self, collector, url):
        self.collector, self.url = collector, url

    def link(self):
        return f"{self.url}#{self.collector.invite(1)[0]}"


def survey_of(access="invitation", language="en"):
    schema = Survey.from_dict({**SCHEMA, "language": language})
    return Collector(schema, batch_size=50, random_start=200, random_state=1, access=access)


@pytest.fixture
def survey():
    with survey_of() as collector, serve(create_app(collector)) as url:
        yield Invited(collector, f"{url}/")


def bodies(person, path):
    return [json.loads(body) for body in person.posted(path)]


def refused_at_begin(page, reason):
    """Begin, and be told why not."""
    view(page, "begin")
    press(page, "begin")
    assert reason in view(page, "refused")
    assert page.locator("form > fieldset:enabled").count() == 0


def sent(page):
    hand_in(page)
    return through(page)


def test_an_invitation_becomes_a_token_that_the_server_has_never_seen(person, survey):
    someone = person()
    link = survey.link()
    page = someone.open(link)
    view(page, "begin")
    assert "#" not in page.url  # nobody reads it there, bookmarks it or sends it on
    assert not someone.posted("")  # who only looks has used nothing
    page.reload()
    view(page, "begin")  # and has lost nothing
    press(page, "begin")
    page.wait_for_selector("form > fieldset:enabled")
    (exchange,) = bodies(someone, "/api/exchange")  # when the person began, not at the end
    assert exchange["invitation"] == link.partition("#")[2]
    assert not page.evaluate("Object.keys(sessionStorage).length")
    fill(page)
    submit(page)
    through(page)
    (left,) = bodies(someone, "/api/submit")
    assert survey.collector.n_received == 1
    assert len(decode(left["token"])) == 16 + 256
    # nothing of the exchange is in what goes out with R(t), and the address was never sent
    ready = bodies(someone, "/api/ready")
    assert ready == [{"epoch": left["epoch"]}]
    raw, seen = decode(left["token"]), decode(exchange["blinded"])
    assert not {raw[i : i + 8] for i in range(264)} & {seen[i : i + 8] for i in range(248)}
    assert all(exchange["invitation"] not in request.url + str(request.headers)
               for request in someone.requests)
    assert len([r for r in kept(page) if r]) == 1  # the token is gone when it has served


def test_the_key_that_signed_is_shown_to_be_compared(person, survey):
    # the page asks for the key itself, so a person has only her own word for which one it used
    other = blind.BlindSigner(blind.new_key())
    page = person().open(survey.link())
    shown = sent(page)
    assert say("en", "sent.signer") in shown
    assert thumbprint(survey.collector.key) in shown
    assert thumbprint(other.jwk()) not in shown
    page.reload()  # also later, when there is time to compare
    assert thumbprint(survey.collector.key) in view(page, "sent")


def thumbprint(jwk):
    """The SHA-256 of RFC 7638: the required members in the order of their names."""
    text = f'{{"e":"{jwk["e"]}","kty":"RSA","n":"{jwk["n"]}"}}'
    return hashlib.sha256(text.encode()).hexdigest()


def test_who_is_given_a_key_of_her_own_can_see_it(person, survey):
    marked = blind.BlindSigner(blind.new_key())
    someone = person()
    forge(someone.context, "**/api/access", lambda answer: answer | {"key": marked.jwk()})

    def sign(route):
        blinded = decode(json.loads(route.request.post_data)["blinded"])
        route.fulfill(json={"signature": encode(marked.sign(blinded))})

    someone.context.route("**/api/exchange", sign)
    someone.context.route("**/api/submit", lambda route: route.fulfill(status=204))
    shown = sent(someone.open(survey.link()))
    assert thumbprint(marked.jwk()) in shown
    assert thumbprint(survey.collector.key) not in shown


def test_the_page_says_who_may_answer(person, survey):
    who = [say("en", "page.invited"), say("en", "page.open")]
    text = opened(person(), survey.link()).locator("main").inner_text()
    assert [one in text for one in who] == [True, False]
    with survey_of("open") as collector, serve(create_app(collector)) as url:
        someone = person()
        page = opened(someone, f"{url}/")
        text = page.locator("main").inner_text()
        assert [one in text for one in who] == [False, True]
        assert not [r for r in someone.requests if "vendor" in r.url]
        assert say("en", "sent.signer") not in sent(page)


def test_without_a_good_invitation_nothing_can_be_filled_in(person, language):
    with survey_of(language=language) as collector, serve(create_app(collector)) as url:
        page = person().open(f"{url}/")
        assert say(language, "stop.uninvited") in view(page, "refused")
        assert page.locator("form > fieldset:enabled").count() == 0
        (used,) = collector.invite(1)
        exchanged(collector, used)
        # in the page's language: what the server says is English
        for code, why in ((used, "invitation_used"), ("A" * 43, "bad_invitation")):
            refused_at_begin(person().open(f"{url}/#{code}"), say(language, f"rejected.{why}"))
        assert collector.n_received == 0


def test_a_lost_answer_does_not_cost_the_invitation(person, survey):
    someone = person()
    lost = []

    def lose(route):
        if len(lost) < 2:
            lost.append(route.fetch())  # the server has signed
            route.abort()
        else:
            route.continue_()

    someone.context.route("**/api/exchange", lose)
    page = someone.open(survey.link())
    view(page, "begin")
    press(page, "begin")
    page.wait_for_function("indexedDB.databases().then((all) => all.length > 0)")
    page.reload()  # what was asked is still the same
    sent(page)
    asked = bodies(someone, "/api/exchange")
    assert len(asked) == 3
    assert all(one == asked[0] for one in asked)
    assert survey.collector.n_received == 1


@pytest.mark.parametrize("other", ["top", "A" * 43])
def test_another_link_does_not_cost_a_token(person, survey, other):
    # any page of the web can lead here with any # in the address
    someone = person()
    link = survey.link()
    opened(someone, link).close()
    page = someone.open(f"{survey.url}#{other}")
    if other != "top":
        assert say("en", "whose.text") in view(page, "whose")
        press(page, "somebody")
        refused_at_begin(page, say("en", "rejected.bad_invitation"))
    page.close()
    sent(someone.open(link))
    assert len([one for one in bodies(someone, "/api/exchange") if one["invitation"] != other]) == 1
    assert survey.collector.n_received == 1


def test_by_another_link_she_may_go_on_with_the_one_that_was_begun(person, survey):
    someone = person()
    opened(someone, survey.link()).close()
    page = someone.open(survey.link())
    view(page, "whose")
    press(page, "mine")
    sent(page)
    assert len(bodies(someone, "/api/exchange")) == 1


def test_a_wrong_link_does_not_stick(person, survey):
    someone = person()
    page = someone.open(f"{survey.url}#{'A' * 43}")
    refused_at_begin(page, say("en", "rejected.bad_invitation"))
    page.close()
    sent(someone.open(survey.link()))
    assert survey.collector.n_received == 1


def test_an_answer_is_held_back_so_that_the_time_tells_less(person):
    held = say("en", "waiting.held")
    with survey_of() as collector, serve(create_app(collector, hold=600)) as url:
        someone = person()
        (code,) = collector.invite(1)
        page = someone.open(f"{url}/#{code}")
        assert held in hand_in(page, "waiting")
        assert say("en", "waiting.remindHelp") in view(page, "waiting")
        # a reminder does not give the invitation away
        link = page.locator("a[download]").get_attribute("href")
        assert "VCALENDAR" in link
        assert code not in link
        assert not someone.posted("/api/ready")
        page.reload()
        assert held in view(page, "waiting")  # the same end, not a new draw
        press(page, "go")
        press(page, "resume")  # who comes back is asked
        through(page)
        assert collector.n_received == 1
