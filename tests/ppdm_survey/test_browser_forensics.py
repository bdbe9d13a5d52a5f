"""What somebody finds in the browser's folder afterwards: the files of a profile, read as bytes."""

import pytest
from browser import BITS, IMPATIENT, begun, fill, hand_in, kept, press, view
from coin_site import channel_of, coin_site, spoken
from headless import CHROMIUM, FLAGS, MARKS
from lying_server import LyingServer, directions
from test_browser_client import disguises

from ppdm_survey._schema import say

pytestmark = MARKS

LEVEL = 5  # at which these directions read nothing, and nobody is asked again
# what the page encrypts, and with what: a key that it makes is noted before it is locked
SPY = """(() => {
  globalThis.spied = { keys: [], ciphertexts: [] };
  const { subtle } = crypto, { generateKey, encrypt } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.generateKey = async (algorithm, _, uses) => {
    const key = await generateKey.call(subtle, algorithm, true, uses);
    const raw = await subtle.exportKey("raw", key);
    spied.keys.push(Array.from(new Uint8Array(raw)));
    return subtle.importKey("raw", raw, algorithm, false, uses);
  };
  SubtleCrypto.prototype.encrypt = async (...all) => {
    const ciphertext = await encrypt.apply(subtle, all);
    spied.ciphertexts.push(Array.from(new Uint8Array(ciphertext)));
    return ciphertext;
  };
})()"""


@pytest.fixture
def browse(chromium, tmp_path):
    """Start the browser on one profile and open a page, again and again."""
    def start(url, **options):
        context = chromium.browser_type.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=CHROMIUM, args=FLAGS, **options)
        context.add_init_script(IMPATIENT % 1000)
        context.add_init_script(SPY)
        page = context.new_page()
        page.goto(url)
        return page

    return start


def files_with(folder, *secrets):
    """Return the files of a folder that hold one of these byte strings."""
    contents = {path.relative_to(folder): path.read_bytes()
                for path in folder.rglob("*") if path.is_file()}
    return sorted(str(name) for name, content in contents.items()
                  if any(secret in content for secret in secrets))


def spied(page):
    seen = page.evaluate("spied")
    return [[bytes(one) for one in seen[kind]] for kind in ("keys", "ciphertexts")]


def restarted(browse, url, times=3):
    """Start the browser again, open the page, leave: it may tidy up meanwhile."""
    for _ in range(times):
        page = browse(url)
        assert "before this page was loaded" in view(page, "sent")
        page.context.close()


def test_who_need_not_wait_leaves_no_answers_on_the_disk(browse, tmp_path):
    with LyingServer(directions(LEVEL)) as server:
        page = browse(server.url)
        assert "never stored on this device" in hand_in(page, "sent", level=LEVEL)
        assert spied(page) == [[], []]
        page.context.close()
        restarted(browse, server.url)
        (submission,) = server.stored.values()
    profile = tmp_path / "profile"
    # the search finds what is there: R(t), which the page may not promise to have deleted
    assert files_with(profile, submission["token"].encode())
    assert files_with(profile, *disguises()) == []


def test_where_records_are_taken_as_they_are_the_disk_may_keep_the_record(browse, tmp_path):
    with LyingServer(directions(len(BITS))) as server:
        page = browse(server.url)
        hand_in(page, "warning", start="open")
        press(page, "send")
        text = view(page, "sent")
        page.context.close()
        (submission,) = server.stored.values()
    # it is what was sent, and the page does not say that it was never stored
    assert submission["ones"] == [j for j, bit in enumerate(BITS) if bit]
    assert files_with(tmp_path / "profile", submission["token"].encode())
    assert "never stored" not in text
    assert "as they were sent" in text
    assert "until it tidies them up" in text


def test_a_deleted_report_may_stay_on_the_disk_and_the_page_says_so(browse, tmp_path, language):
    """It said that a report stays on the device until it is deleted; Chromium's log keeps it."""
    with coin_site(spoken(language)) as (_, url):
        page = browse(url)
        text = hand_in(page, "sent")
        (record,) = kept(page)
        press(page, "erase")
        view(page, "begin")
        page.context.close()
    assert say(language, "coin.arrived") in text
    assert {"en": "until it tidies", "de": "bis er aufräumt"}[language] in text
    # where a browser has deleted it, too, the sentence may go
    assert files_with(tmp_path / "profile", record["token"].encode())


def test_the_history_keeps_the_link_of_an_invitation(browse, tmp_path):
    """It leaves the address bar at once; what the browser wrote before that, no page can delete."""
    with coin_site(access="invitation") as (collector, url):
        (code,) = collector.invite(1)
        page = browse(f"{url}#{code}")
        view(page, "begin")
        assert code not in page.url
        begun(page)
        page.context.close()
    # where a browser keeps it no more, the row of the table may go
    kept_in = files_with(tmp_path / "profile", code.encode())
    assert any(name.endswith("History") for name in kept_in)
    assert any("IndexedDB" in name for name in kept_in)


@pytest.mark.parametrize("how", ["back", "reload"])
def test_back_and_a_reload_show_no_answer(browse, how):
    """The next person at a device: the page is as it was, but for what was answered."""
    with coin_site(channel=channel_of(epsilon=40.0)) as (_, url):
        page = begun(browse(url, ignore_default_args=["--disable-back-forward-cache"]))
        fill(page)
        if how == "back":
            page.goto(f"{url}api/access")
            page.go_back()
        else:
            page.reload()
        begun(page)  # consent belongs to a visit
        page.wait_for_selector("form > fieldset:enabled")
        assert page.locator("form :checked").evaluate_all("all => all.map((one) => one.value)") in (
            [], [""])
        assert page.locator("[name=km]").input_value() == ""
        page.context.close()


def test_who_waited_leaves_no_ciphertext_on_the_disk(browse, tmp_path):
    profile = tmp_path / "profile"
    with LyingServer(directions(15)) as server:
        page = browse(server.url)
        hand_in(page, "waiting", level=LEVEL)
        (key,), (ciphertext,) = spied(page)
        # the search finds it while the person waits, and in a file of its own
        (place,) = files_with(profile, ciphertext)
        assert "IndexedDB" not in place
        assert files_with(profile, key)
        server.guides.append(directions(LEVEL))
        assert "as far as a page can delete" in view(page, "sent")
        page.context.close()
        restarted(browse, server.url)
    assert files_with(profile, ciphertext) == []
    assert files_with(profile, ciphertext[:48], ciphertext[-48:]) == []
    assert files_with(profile, *disguises()) == []
