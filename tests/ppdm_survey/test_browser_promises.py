"""What the page says is so, in both languages: of the coin, and of a number that is typed."""

import hashlib
import math
import re

import httpx
import numpy as np
import pytest
from browser import asked, begun, fill, hand_in, kept, press, submit, tab_to, view
from coin_site import ANSWERS, CODES, MIXED, channel_of, coin_site, send_all, spoken, stored
from collecting import exchanged
from headless import MARKS

from ppdm_survey import Attribute, CoinChannel, Survey
from ppdm_survey._coin import HARDLY, WHOLE
from ppdm_survey._schema import STATIC, say, texts

pytestmark = MARKS

STATED = {"introduction": "First.\n\nSee https://example.org/a?b=1.", "operator": "The ward.",
          "purpose": "To learn.", "legal_basis": "Article 6.", "rights": "To object.",
          "minimum_age": "16 years.", "retention": "A year.", "thanks": "We are grateful."}


def survey(language="en", **changes):
    first, *others = MIXED.to_dict("coin")["attributes"]
    questions = [{**first, "help": "Also a pipe."}, *others]
    return spoken(language, **{"attributes": questions, **STATED, **changes})


def number(text, language):
    text = text.rstrip(".,")
    if language == "de":
        return float(text.replace(".", "").replace(",", "."))
    return float(text.replace(",", ""))


def numbers(key, said, language, **given):
    """Return the numbers that a text has in the place of what is not given."""
    text = re.escape(say(language, key, **{name: "@" for name in WITH[key]} | given))
    said_so = re.search(text.replace("@", r"([\d.,]+)%?"), said)
    return [number(one, language) for one in said_so.groups()]


WITH = {"coin.sentence": ["odds", "epsilon"], "coin.picture": ["low", "high"],
        "coin.chance": ["share"]}


@pytest.mark.parametrize(("epsilon", "asked_of"), [
    (0.5, 1), (2.0, 1), (math.log(HARDLY), 1), (5.5, 4), (12.0, 1), (19.0, 1)])
def test_what_is_said_of_the_bound_follows_the_numbers(coin, language, epsilon, asked_of):
    """Nobody could tell whether a report is true, it said, beside 88 and 99.6 of 100; and of three
    questions, of which all were asked, that chance had chosen these 3."""
    stated = survey(language)
    published = channel_of(stated, epsilon, asked=asked_of)
    someone = coin(stated, published)[1]
    page = someone.open()
    view(page, "begin")
    said = page.locator("details.promise").inner_text()
    odds = math.exp(published.epsilon)
    # whole parts of 2^32 lie a little below: e^epsilon of exactly 20 is 19.99...
    assert (say(language, "coin.hardly", limit=HARDLY) in said) == (odds >= HARDLY)
    assert "nobody" not in said
    assert "niemand" not in said
    factor, said_epsilon = numbers("coin.sentence", said, language)
    assert odds <= factor <= odds * 1.01  # rounded up
    assert published.epsilon <= said_epsilon <= published.epsilon * 1.01
    low, high = numbers("coin.picture", said, language)
    far = 100 * odds / (1 + odds)
    assert far <= high < 100  # no bound is rounded to a certainty
    assert 0 < low <= 100 - far
    press(page, "begin")
    page.wait_for_selector("form > fieldset:enabled")
    said, forms = page.locator("form").inner_text(), texts(language)["coin"]
    every, lot = forms["all"]["other"], forms["lot"]["one"]
    assert (every.format(all=len(ANSWERS)) in said) == (asked_of > 1)
    assert (lot.format(all=len(ANSWERS)) in said) == (asked_of == 1)
    j = list(ANSWERS).index(asked(page)[0])
    (share,) = numbers("coin.chance", said, language, label=stated.attributes[j].label)
    assert share == pytest.approx(100 * published.columns[j].own / WHOLE, abs=0.11)
    assert share < 100


def test_the_same_odds_are_hardly_a_disguise_to_page_and_command():
    assert f"const HARDLY = {HARDLY};" in (STATIC / "coin.js").read_text(encoding="utf-8")


# ---- what is compared

def test_the_fingerprint_is_of_the_channel_and_of_every_byte_that_is_asked(person):
    """Other texts, and yes and no exchanged, had the same one."""
    first, *others = survey().to_dict("coin")["attributes"]
    swapped = [{**first, "labels": first["labels"][::-1]}, *others]
    prints = set()
    for one in (survey(), survey(title="Other"), survey(retention="Ten years."),
                survey(attributes=swapped)):
        with coin_site(one) as (collector, url):
            raw = httpx.get(f"{url}api/schema").content
            head = f"ppdm-survey-1\n{collector.channel.hash}\n".encode()
            mine = hashlib.sha256(head + raw).hexdigest()
            assert collector.results()["fingerprint"] == mine
            prints.add(mine)
            page = person().open(url)
            view(page, "begin")
            assert mine in page.locator("details.promise code").all_inner_texts()
            said = hand_in(page, "sent")
            assert mine in said
            assert STATED["thanks"] in said
    assert len(prints) == 4
    with coin_site(survey(), channel_of(survey(), 1.0, 1)) as (collector, _):
        assert collector.results()["fingerprint"] not in prints


def test_contact_alone_is_outside_the_fingerprint_and_may_be_corrected(database):
    prints = set()
    for n, contact in enumerate(("Ann, ext. 1", "Eve, ext. 2")):
        with coin_site(survey(contact=contact), database=database) as (collector, url):
            assert contact in httpx.get(url).text
            assert collector.n_received == n
            prints.add(collector.results()["fingerprint"])
            send_all(collector, CODES[np.newaxis], n)
    assert len(prints) == 1


def test_paragraphs_and_addresses_are_shown_and_nothing_else_of_a_text(coin):
    asked = survey(introduction="One <b>bold</b>.\n\nAt https://example.org/a?b=1&c=2.",
                   operator='"><script>alert(1)</script> javascript:alert(1)')
    someone = coin(asked)[1]
    page = someone.open()
    view(page, "begin")  # what is shown equals what is published
    assert page.locator(".lead p").count() == 2
    assert page.locator(".lead b, .promise script").count() == 0
    (link,) = page.locator("main a, header a").all()
    assert link.get_attribute("href") == "https://example.org/a?b=1&c=2"


# ---- what is said while it waits

def test_where_errors_go_on_each_try_is_said_to_show_an_address(coin, language):
    collector, someone = coin(survey(language))
    someone.context.route("**/api/submit", lambda route: route.fulfill(status=502))
    page = someone.open()
    said = hand_in(page, "waiting")
    assert say(language, "coin.again") in said  # and that it need not wait for ever
    assert say(language, "coin.kept") in said
    press(page, "erase")
    assert say(language, "another.sent.one", sum=4) in view(page, "begin")  # it may be there
    assert collector.n_received == 0


def test_before_begin_nothing_is_drawn_kept_or_sent(coin, language):
    """An open survey drew and kept the lot as soon as it was looked at, and asked nobody."""
    stated = survey(language, contact="Ann, ext. 1")
    collector, someone = coin(stated, channel_of(stated, 2.0, asked=1))
    page = someone.open()
    promise = page.locator("details.promise")
    unsaid = {STATED["introduction"], STATED["thanks"]}
    for _ in range(2):  # who has only looked is asked again
        assert say(language, "begin.open") in view(page, "begin")
        told = promise.inner_text()
        keys = ("consent.script", "coin.free", "coin.disguise", "coin.bound", "consent.stored")
        for words in ({*STATED.values(), "ext. 1", collector.results()["fingerprint"],
                       *(say(language, key) for key in keys)} - unsaid):
            assert words in told
        assert numbers("coin.sentence", told, language)[1] == 2
        assert page.locator("form").is_hidden()
        assert page.evaluate("document.activeElement === document.body")  # read from the top
        assert kept(page) == []
        assert {r.method for r in someone.requests} == {"GET"}
        page.reload()
    view(page, "begin")
    tab_to(page, "[data-action=begin]")
    page.keyboard.press("Enter")
    page.wait_for_selector("form > fieldset:enabled")
    assert page.evaluate("document.activeElement.matches('form h2')")
    assert page.evaluate("document.activeElement.innerText") == say(language, "page.answers")
    assert not promise.evaluate("(one) => one.open")
    assert page.locator(".question:visible").count() == 1
    (record,), names = kept(page), asked(page)
    page.reload()  # whoever sits here now is asked, and told that it was begun before
    assert say(language, "begin.again") in view(page, "begin")
    assert numbers("coin.sentence", promise.inner_text(), language)
    press(page, "begin")
    page.wait_for_selector("form > fieldset:enabled")
    assert kept(page) == [record]  # no second throw
    assert asked(page) == names
    assert {r.method for r in someone.requests} == {"GET"}
    hand_in(page, "sent")
    assert [one is None for one in kept(page)[0]["answers"]].count(False) == 1
    page.reload()
    view(page, "sent")  # a report never goes back to it


def test_nothing_at_all_is_sent_before_begin_and_then_it_waits(coin, language):
    """The first touch of the form sent the invitation; --hold was none."""
    collector, someone = coin(survey(language), access="invitation")
    code, other = someone.url.partition("#")[2], *collector.invite(1)
    page = someone.open()
    said = view(page, "begin")
    assert say(language, "begin.text") in said
    assert say(language, "begin.hold", least=2, most=10) in said
    assert page.locator("form").is_hidden()
    assert someone.posted("") == []
    press(page, "begin")
    page.wait_for_selector("form > fieldset:enabled")
    (body,) = someone.posted("")
    assert f'"invitation":"{code}"' in body
    fill(page)
    assert someone.posted("") == [body]  # no touch of the form says anything
    submit(page)
    said = view(page, "waiting")
    assert say(language, "coin.kept") in said  # one sentence of what closing the page does
    (wait,) = [one["wait"] for one in kept(page) if "wait" in one]
    assert 120_000 <= wait <= 600_000
    assert someone.posted("") == [body]
    page.reload()
    view(page, "waiting")
    press(page, "go")
    view(page, "sent")
    assert collector.n_received == 1
    assert code not in someone.posted("/api/submit")[0]
    exchanged(collector, other)  # the other token is good for another report


def test_by_lot_one_question_bears_a_reader_of_false_answers_times_all():
    """One of six questions is asked: three of 300 who drew the lot again moved it by 5.8."""
    six = Survey(title="Six", attributes=[
        Attribute(name=f"a{j}", label=f"Question {j}?", values=["n", "y"]) for j in range(6)])
    published = CoinChannel.choose(six, 2.0, asked=1)
    assert published.false_answer == 6
    with coin_site(six, published) as (_, url):
        said = httpx.get(f"{url}miner/").text
        assert "by up to 6 points" in " ".join(said.split())


KM = {"name": "km", "label": "How far is it?", "values": ["near", "far"], "edges": [5],
      "labels": ["up to 5 km", "over 5 km"], "unit": "km", "least": 0, "most": 900, "step": 0.5,
      "help": "One way."}
KEYS = {"unreadable": {}, "thousands": {}, "least": {"least": "0"}, "most": {"most": "900"},
        "step": {"step": "0.5", "near": "1.5"}}


def way(language="en", **more):
    return Survey(title="Way", language=language, attributes=[Attribute(**{**KM, **more})])


#: What is a number, and its interval; what is none, and why not.
READ = {"1,5": 0, "1.5": 0, " 7 ": 1, "5": 0, "5,5": 1, "5.50": 1, "0": 0, ",5": 0, "+7": 1,
        "900": 1, "007": 1}
WRONG = {"unreadable": ["12 km", "abc", "5-", "1e", "1e2", "1.2.3", "1.234,5", "5,", ".",
                        "Infinity", "0x10"],
         "thousands": ["1.234", "1,234"], "least": ["-3", "\u22123"], "most": ["901"],
         "step": ["1.4"]}


def test_a_number_is_read_alike_in_each_language_and_said_back(coin, language):
    """In an English Chromium 1,5 became 15, in Firefox no answer."""
    collector, someone = coin(way(language), channel_of(way()))
    page = someone.open()
    for n, (text, interval) in enumerate(READ.items(), start=1):
        begun(page)
        assert page.locator("[name=km]").get_attribute("inputmode") == "decimal"
        page.fill("[name=km]", text)
        written = text.strip().replace(".", say(language, "missing.point"))
        said = say(language, "missing.readAs", number=f"{written} km",
                   interval=KM["labels"][interval])
        assert page.locator(".ppdm-read").inner_text() == said
        submit(page)
        view(page, "sent")
        assert collector.n_received == n, text
        press(page, "erase")
        view(page, "begin")


@pytest.mark.parametrize("optional", [False, True])
def test_what_is_no_number_is_an_error_and_never_no_answer(coin, language, optional):
    """Of an optional question it was taken for silence."""
    asked = way(language, optional=optional)
    collector, someone = coin(asked, channel_of(asked))
    page = begun(someone.open())
    for why, text in [(why, text) for why, all_of in WRONG.items() for text in all_of]:
        page.fill("[name=km]", "")  # or the error of the text before would be looked at
        page.wait_for_function("!document.querySelector('[name=km][aria-invalid=true]')")
        page.fill("[name=km]", text)
        submit(page)
        page.wait_for_selector("[name=km][aria-invalid=true]")
        said = page.locator("#ppdm-error-km").inner_text()
        words = {"thousands": {"whole": "1234", "fraction": f"{text}0"}}.get(why, KEYS[why])
        words = {key: one.replace(".", say(language, "missing.point"))
                 if key in ("step", "near") else one for key, one in words.items()}
        assert said.endswith(say(language, f"missing.{why}", **words)), text
        ids = page.locator("[name=km]").get_attribute("aria-describedby").split()
        assert ids == ["help-km", "ppdm-error-km"]  # the help is not lost
        # below the form stood that the question has no answer yet
        look = texts(language)["missing"]["look"]["one"]
        assert page.locator("form .ppdm-error[role=alert]").inner_text() == look
        assert page.locator(".ppdm-read").inner_text() == ""
        assert collector.n_received == 0
    if not optional:  # and of one that is left empty it still does
        page.fill("[name=km]", "")
        submit(page)
        none = texts(language)["missing"]["count"]["one"]
        assert page.locator("form .ppdm-error[role=alert]").inner_text() == none
    hand_in(page, "sent", answers={"km": "7"})


def test_the_wheel_and_the_arrows_change_nothing(coin):
    someone = coin(way(), channel_of(way()))[1]
    page = begun(someone.open())
    page.fill("[name=km]", "7")
    page.mouse.wheel(0, 100)
    page.press("[name=km]", "ArrowDown")
    assert page.input_value("[name=km]") == "7"


@pytest.mark.parametrize("choice", ["does not apply", ""])
def test_a_number_may_not_apply_or_be_left_out(coin, choice):
    asked = way(optional=True, may_not_apply=True)
    # hardly any chance: 1 in 10^8 that another one is told
    collector, someone = coin(asked, channel_of(asked, 20.0))
    page = begun(someone.open())
    if choice:
        page.check("[name=km][type=checkbox]")
    hand_in(page, "sent", answers={})
    assert stored(collector) == [[asked.attributes[0].values.index(choice or "no answer")]]
