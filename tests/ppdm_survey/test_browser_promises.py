"""What the page promises is so: in both languages, at weak and at strong channels."""

import hashlib
import math
import re

import httpx
import pytest
from browser import begun, fill, kept, press, submit, tab_to, view
from coin_site import ANSWERS, MIXED, channel, coin_site
from headless import MARKS

from ppdm_survey import Attribute, CoinChannel, Survey
from ppdm_survey._coin import HARDLY, WHOLE
from ppdm_survey._schema import LANGUAGES, STATIC, say, texts

pytestmark = MARKS

STATED = {"introduction": "First.\n\nSee https://example.org/a?b=1.", "operator": "The ward.",
          "purpose": "To learn.", "legal_basis": "Article 6.", "rights": "To object.",
          "minimum_age": "16 years.", "retention": "A year.", "thanks": "We are grateful."}


def survey(language="en", **changes):
    asked = {**MIXED.to_dict("coin"), "language": language, **STATED, **changes}
    asked["attributes"][0] = {**asked["attributes"][0], "help": "Also a pipe."}
    return Survey.from_dict(asked, scheme="coin")


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def number(text, language):
    text = text.rstrip(".,")
    if language == "de":
        return float(text.replace(".", "").replace(",", "."))
    return float(text.replace(",", ""))


def numbers(key, said, language, **given):
    """Return the numbers that a text has in the place of what is not given."""
    text = re.escape(say(language, key, **{name: "@" for name in WITH[key]} | given))
    found = re.search(text.replace("@", r"([\d.,]+)%?"), said)
    return [number(one, language) for one in found.groups()]


WITH = {"coin.sentence": ["odds", "epsilon"], "coin.picture": ["low", "high"],
        "coin.chance": ["share"]}


@pytest.mark.parametrize("epsilon", [0.5, 2.0, math.log(HARDLY), 5.5, 12.0, 19.0])
def test_what_is_said_of_the_bound_follows_the_numbers(person, language, epsilon):
    """Nobody could tell whether a report is true, it said, beside 88 and 99.6 of 100."""
    asked = survey(language)
    found = channel(asked, epsilon, asked=1)
    with coin_site(asked, found) as (_, url):
        page = person().open(url)
        view(page, "begin")
        said = page.locator("details.promise").inner_text()
        odds = math.exp(found.epsilon)
        # whole parts of 2^32 lie a little below: e^epsilon of exactly 20 is 19.99...
        assert (say(language, "coin.hardly", limit=HARDLY) in said) == (odds >= HARDLY)
        assert "nobody" not in said
        assert "niemand" not in said
        factor, said_epsilon = numbers("coin.sentence", said, language)
        assert odds <= factor <= odds * 1.01  # rounded up
        assert found.epsilon <= said_epsilon <= found.epsilon * 1.01
        low, high = numbers("coin.picture", said, language)
        far = 100 * odds / (1 + odds)
        assert far <= high < 100  # no bound is rounded to a certainty
        assert 0 < low <= 100 - far
        begun(page)
        said = page.locator("form").inner_text()
        (j,) = [j for j, name in enumerate(ANSWERS) if page.locator(f'[name="{name}"]').first
                .is_enabled()]
        (share,) = numbers("coin.chance", said, language, label=asked.attributes[j].label)
        assert share == pytest.approx(100 * found.columns[j].own / WHOLE, abs=0.11)
        assert share < 100


def test_the_same_odds_are_hardly_a_disguise_to_page_and_command():
    assert f"const HARDLY = {HARDLY};" in (STATIC / "coin.js").read_text(encoding="utf-8")


# ---- what is compared

def swapped(asked):
    first, *others = asked.to_dict("coin")["attributes"]
    return Survey.from_dict({**asked.to_dict("coin"), "attributes": [
        {**first, "labels": first["labels"][::-1]}, *others]}, scheme="coin")


def test_the_fingerprint_is_of_the_channel_and_of_every_byte_that_is_asked(person, language):
    """Other texts, and yes and no exchanged, had the same one."""
    asked = survey(language)
    prints = set()
    others = [survey(language, title="Other"), survey(language, retention="Ten years."),
              swapped(asked)]
    for one in (asked, *others):
        with coin_site(one) as (collector, url):
            raw = httpx.get(f"{url}api/schema").content
            head = f"ppdm-survey-1\n{collector.channel.hash}\n".encode()
            mine = hashlib.sha256(head + raw).hexdigest()
            assert collector.results()["fingerprint"] == mine
            prints.add(mine)
            page = person().open(url)
            view(page, "begin")
            assert mine in page.locator("details.promise code").all_inner_texts()
            begun(page)
            fill(page, ANSWERS, None)
            submit(page)
            assert mine in view(page, "sent")
            assert STATED["thanks"] in view(page, "sent")
    assert len(prints) == 4
    with coin_site(asked, channel(asked, 1.0, 1)) as (collector, _):
        assert collector.results()["fingerprint"] not in prints


def test_contact_alone_is_outside_the_fingerprint_and_may_be_corrected(person, database):
    first = survey(contact="Ann, ext. 1")
    second = survey(contact="Eve, ext. 2")
    options = {"database": database}
    with coin_site(first, **options) as (collector, url):
        before = collector.results()["fingerprint"]
        page = person().open(url)
        view(page, "begin")
        assert "ext. 1" in page.locator("details.promise").inner_text()
        begun(page)
        fill(page, ANSWERS, None)
        submit(page)
        view(page, "sent")
    with coin_site(second, **options) as (collector, url):
        assert collector.n_received == 1
        assert collector.results()["fingerprint"] == before
        assert "ext. 2" in httpx.get(url).text


LIES = {
    "title": (">Mixed</h1>", ">A harmless survey</h1>"),
    "a consent text": ("A year.", "A day."),
    "a consent text left out": ('data-ppdm-text="rights"', ""),
    "a question": ("Question smokes?", "Question reads?"),
    "help": ("Also a pipe.", "Never mind."),
    "yes and no exchanged": ("<span>y</span>", "<span>n</span>"),
    "codes exchanged": ('value="n" required', 'value="y" required'),
    "an answer left out": ('<option value="v39">v39</option>', ""),
    "another text of a choice": ('<option value="v39">v39', '<option value="v39">v38'),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_form_that_shows_something_else_than_is_published_is_refused(person, lie):
    with coin_site(survey()) as (_, url):
        someone = person()

        def change(route):
            found = route.fetch()
            old, new = LIES[lie]
            assert found.text().count(old)
            route.fulfill(response=found, body=found.text().replace(old, new, 1))

        someone.context.route(url, change)
        page = someone.open(url)
        text = view(page, "refused")
        assert "something else than the survey publishes" in text or "no question named" in text
        assert page.locator("form > fieldset:enabled").count() == 0


def test_the_other_script_is_named_where_it_is_promised(person, language):
    with coin_site(survey(language)) as (_, url):
        page = person().open(url)
        view(page, "begin")
        said = page.locator("details.promise").inner_text()
        for key in ("consent.script", "coin.free", "coin.disguise", "coin.bound", "consent.stored"):
            assert say(language, key) in said
        for words in STATED.values():
            assert words == STATED["introduction"] or words == STATED["thanks"] or words in said


def test_paragraphs_and_addresses_are_shown_and_nothing_else_of_a_text(person):
    asked = survey(introduction="One <b>bold</b>.\n\nAt https://example.org/a?b=1&c=2.",
                   operator='"><script>alert(1)</script> javascript:alert(1)')
    with coin_site(asked) as (_, url):
        page = begun(person().open(url))  # what is shown equals what is published
        assert page.locator(".lead p").count() == 2
        assert page.locator(".lead b, .promise script").count() == 0
        (link,) = page.locator("main a, header a").all()
        assert link.get_attribute("href") == "https://example.org/a?b=1&c=2"


# ---- what is said while it waits

def test_where_errors_go_on_each_try_is_said_to_show_an_address(person, language):
    with coin_site(survey(language)) as (_, url):
        someone = person()
        page = begun(someone.open(url))
        someone.context.route("**/api/ready", lambda route: route.abort())
        fill(page, ANSWERS, None)
        submit(page)
        said = view(page, "waiting")
        assert say(language, "coin.again") in said
        assert say(language, "coin.kept") in said


@pytest.mark.parametrize("asked_of", [1, len(ANSWERS)])
def test_who_is_asked_all_questions_reads_of_no_lot(person, language, asked_of):
    """Of three questions all were asked, and "chance has chosen these 3"."""
    asked = survey(language)
    with coin_site(asked, channel(asked, 4.0, asked=asked_of)) as (_, url):
        said = begun(person().open(url)).locator("form").inner_text()
        forms = texts(language)["coin"]
        every, lot = forms["all"]["other"], forms["lot"]["one"]
        assert (every.format(all=len(ANSWERS)) in said) == (asked_of > 1)
        assert (lot.format(all=len(ANSWERS)) in said) == (asked_of == 1)


def test_before_begin_nothing_is_drawn_kept_or_sent(person, language):
    """An open survey drew and kept the lot as soon as it was looked at, and asked nobody."""
    asked = survey(language, contact="Ann, ext. 1")
    with coin_site(asked, channel(asked, 2.0, asked=1)) as (collector, url):
        someone = person()
        page = someone.open(url)
        for _ in range(2):  # who has only looked is asked again
            assert say(language, "begin.open") in view(page, "begin")
            told = page.locator("details.promise").inner_text()
            for words in (STATED["operator"], STATED["purpose"], STATED["rights"], "ext. 1",
                          say(language, "coin.disguise"), collector.results()["fingerprint"]):
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
        assert not page.locator("details.promise").evaluate("(one) => one.open")
        (record,) = kept(page)
        page.reload()  # whoever sits here now is asked, and told that it was begun before
        assert say(language, "begin.again") in view(page, "begin")
        assert numbers("coin.sentence", page.locator("details.promise").inner_text(), language)
        press(page, "begin")
        page.wait_for_selector("form > fieldset:enabled")
        assert kept(page) == [record]
        assert {r.method for r in someone.requests} == {"GET"}
        asked_of = [name for name in ANSWERS if page.locator(f'[name="{name}"]').first.is_enabled()]
        fill(page, {name: ANSWERS[name] for name in asked_of}, None)
        submit(page)
        view(page, "sent")
        page.reload()
        view(page, "sent")  # a report never goes back to it


def test_nothing_at_all_is_sent_before_begin_and_then_it_waits(person, language):
    """The first touch of the form sent the invitation; --hold was none."""
    with coin_site(survey(language), access="invitation") as (collector, url):
        someone = person()
        page = someone.open(f"{url}#{collector.invite(1)[0]}")
        said = view(page, "begin")
        assert say(language, "begin.text") in said
        assert say(language, "begin.hold", least=2, most=10) in said
        assert page.locator("form").is_hidden()
        assert someone.posted("") == []
        press(page, "begin")
        page.wait_for_selector("form > fieldset:enabled")
        assert len(someone.posted("")) == 1
        fill(page, ANSWERS, None)
        assert len(someone.posted("")) == 1  # no touch of the form says anything
        submit(page)
        said = view(page, "waiting")
        assert say(language, "coin.kept") in said  # one sentence of what closing the page does
        (record,) = [one for one in page.evaluate(RECORDS) if "wait" in one]
        assert 120_000 <= record["wait"] <= 600_000
        assert len(someone.posted("")) == 1
        page.reload()
        view(page, "waiting")
        press(page, "go")
        view(page, "sent")
        assert collector.n_received == 1


RECORDS = """async () => {
  const db = await new Promise((resolve) => {
    const request = indexedDB.open("ppdm");
    request.onsuccess = () => resolve(request.result);
  });
  const all = await new Promise((resolve) => {
    const request = db.transaction("surveys").objectStore("surveys").getAll();
    request.onsuccess = () => resolve(request.result);
  });
  db.close();
  return all.map(({ wait }) => ({ wait }));
}"""


def test_by_lot_one_question_bears_a_reader_of_false_answers_times_all(person):
    """One of six questions is asked: three of 300 who drew the lot again moved it by 5.8."""
    six = Survey(title="Six", attributes=[
        Attribute(name=f"a{j}", label=f"Question {j}?", values=["n", "y"]) for j in range(6)])
    found = CoinChannel.choose(six, 2.0, asked=1)
    assert found.false_answer == 6
    with coin_site(six, found) as (_, url):
        page = person().open(f"{url}miner/")
        assert "by up to 6 points" in page.locator("main").inner_text()
