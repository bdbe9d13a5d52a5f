"""The survey in Firefox, at the size of a phone, where least fits: what people do, end to end."""

import json
import time

from coin_site import HALF, MIXED, channel_of, coin_site, collector_of, question, stored
from firefox import MARKS, device, firefox, started
from serving import in_turn

from ppdm_survey import Survey
from ppdm_survey._schema import say

__all__ = ["device", "firefox"]

pytestmark = MARKS

#: Of epsilon 15 a question: a report is the truth, but for one in 100,000.
CERTAIN = channel_of(epsilon=60.0)
OPEN = "document.querySelector('form > fieldset:enabled')"
TOLD = [1, 2, 1, 7]


def view(page, name):
    """Wait for a view of the panel; return its text. Nothing lies beside the screen."""
    page.wait(f"document.querySelector('.ppdm-panel[data-view={name}]:not([hidden])')")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    return page.text(".ppdm-panel")


def press(page, action):
    page.click(f"[data-action={action}]")


def begin(page):
    view(page, "begin")
    assert page.evaluate("document.activeElement === document.body")
    assert kept(page) == []
    press(page, "begin")
    page.wait(OPEN)
    assert page.evaluate("document.activeElement.matches('form h2')")


def answer(page, km="5"):
    page.wait(OPEN)
    page.click("[name=smokes][value=y]")
    page.click("[name=party][value=v2]")
    page.type("[name=km]", km)
    page.evaluate("document.querySelector('[name=town]').focus()")
    page.evaluate("document.querySelector('[name=town]').value = 'v7'")
    page.click("[type=submit]")


def kept(page):
    return page.evaluate("""new Promise((resolve) => {
      indexedDB.open("ppdm").onsuccess = ({ target }) => {
        const all = target.result.transaction("surveys").objectStore("surveys").getAll();
        all.onsuccess = () => { target.result.close(); resolve(all.result); };
      };
    })""")


def test_two_people_answer_on_one_device_and_a_second_survey_waits_for_a_press(device):
    second = Survey(title="Another", attributes=MIXED.attributes)
    one, other = collector_of(MIXED, CERTAIN), collector_of(second, CERTAIN)
    with in_turn(one, other) as (url, now):
        page = device()(url)
        begin(page)
        answer(page)
        assert say("en", "coin.arrived") in view(page, "sent")
        page.reload()
        assert say("en", "coin.beforeText") in view(page, "sent")
        assert "Question party?" not in page.text(".ppdm-panel")
        press(page, "show")
        page.wait("document.querySelector('.ppdm-panel .ppdm-marks')")
        (record,) = kept(page)
        press(page, "erase")
        view(page, "begin")
        left = json.dumps(kept(page))
        assert record["token"] not in left
        assert "answers" not in left
        press(page, "begin")
        answer(page)
        view(page, "sent")
        now[0] = 1
        page.reload()
        assert "makes 180 together" in view(page, "begin")
        assert other.n_received == 0
        press(page, "begin")
        answer(page)
        view(page, "sent")
        assert [stored(one), stored(other)] == [[TOLD, TOLD], [TOLD]]


def test_what_is_open_is_said_at_the_question_and_sent_as_it_is(device):
    with coin_site(HALF, channel_of(HALF, 20.0, 1)) as (collector, url):
        page = device()(url)
        begin(page)
        marked = say("en", "page.notDisguised", label="Question party?")
        assert page.text(".question:has([name=party]) legend") == marked
        asked = page.evaluate("document.querySelector('[name=smokes]').disabled ? 'km' : 'smokes'")
        if asked == "km":
            page.type("[name=km]", "5")
        else:
            page.click("[name=smokes][value=y]")
        page.click("[name=party][value=v2]")
        page.evaluate("document.querySelector('[name=town]').value = 'v7'")
        page.click("[type=submit]")
        view(page, "sent")
        ((smokes, party, km, town),) = stored(collector)
        assert (party, town) == (2, 7)
        assert (smokes is None) != (km is None)


#: What is no number, and why.
WRONG = {"12 km": "unreadable", "abc": "unreadable", "5-": "unreadable", "1e": "unreadable",
         "1,,5": "unreadable", "1.234": "thousands", "-1": "least", "1,75": "step"}


def test_what_is_no_number_is_an_error_and_what_is_one_is_read_back(device):
    """Firefox's own field of numbers gave an empty text for 12 km, abc and 1,5."""
    km = question("km", 3, edges=[2, 10], least=0, step=0.5, optional=True,
                  labels=["near", "middle", "far"])
    survey = Survey(title="Numbers", attributes=[km])
    with coin_site(survey, channel_of(survey, 15.0)) as (collector, url):
        page = device()(url)
        begin(page)
        for written, why in WRONG.items():
            page.type("[name=km]", written + "\n")
            page.wait("document.querySelector('#ppdm-error-km')")
            numbers = {"least": "0", "step": "0.5", "near": "2", "whole": "1234",
                       "fraction": "1.2340"}
            assert page.text("#ppdm-error-km") == say("en", f"missing.{why}", **numbers)
            assert page.evaluate("document.activeElement.name") == "km"
            assert collector.n_received == 0
            page.type("[name=km]", "1,5")
            assert "near" in page.text("#ppdm-read-km")
            page.wait("!document.querySelector('#ppdm-error-km')")
        page.click("[type=submit]")
        view(page, "sent")
        assert stored(collector) == [[0]]


def test_an_invitation_is_exchanged_on_a_press_and_its_code_leaves_the_address(device):
    with coin_site(channel=CERTAIN, access="invitation") as (collector, url):
        shared = device()
        for code in collector.invite(2):
            page = shared(f"{url}#{code}")
            view(page, "begin")
            assert code not in page.evaluate("location.href")
            press(page, "begin")
            answer(page)
            view(page, "waiting")
            press(page, "go")
            view(page, "sent")
            page.close()
        assert stored(collector) == [TOLD, TOLD]
        page = device()(f"{url}#{code}")  # a used one is told at once
        press(page, "begin")
        view(page, "refused")
        assert not page.evaluate("!!" + OPEN)


#: A list that is none of the survey's: what Firefox writes of it shows that it has written. No four
#: letters of its name stand anywhere else, or LZ4 might write a part of it as a copy of those.
CONTROL = """(() => {
  document.body.insertAdjacentHTML(
    "beforeend", "<select id=qxzjw57><option>a<option>b</select>");
  const list = document.querySelector("#qxzjw57");
  list.selectedIndex = 1;
  list.dispatchEvent(new Event("input", { bubbles: true }));
})()"""


def test_an_answer_that_is_chosen_and_not_sent_is_in_no_file(tmp_path):
    """Firefox wrote what was chosen in a list to the disk, as it was, to open the tab again."""
    (tmp_path / "user.js").write_text('user_pref("browser.sessionstore.interval", 500);')
    session = tmp_path / "sessionstore-backups" / "recovery.jsonlz4"
    with coin_site(channel=CERTAIN) as (collector, url), started(tmp_path) as alone:
        page = alone.open("default", url)
        begin(page)
        page.click("[name=smokes][value=y]")
        page.type("[name=km]", "7654321")
        page.evaluate("document.querySelector('[name=town]').focus()")
        page.keys("v7")
        page.wait("document.querySelector('[name=town]').value === 'v7'")
        page.evaluate(CONTROL)
        until = time.monotonic() + 30
        while not (session.exists() and b"qxzjw57" in session.read_bytes()):
            assert time.monotonic() < until
            time.sleep(0.1)
        # of what is compressed the first of its kind stands there as it is
        files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert [name for name, content in files.items()
                if b"q-town" in content or b"7654321" in content] == []
        page.click("[name=party][value=v2]")
        page.click("[type=submit]")
        view(page, "sent")
        assert stored(collector)[0][3] == 7
        press(page, "erase")
        view(page, "begin")
        press(page, "begin")
        page.wait(OPEN)  # and nobody after her finds it chosen
        assert page.evaluate("document.querySelector('[name=town]').value") == ""
