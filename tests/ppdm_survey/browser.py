"""What the tests of the browser client share: a person who answers."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import coin_site
import pytest
from headless import serious

TimeoutError = pytest.importorskip("playwright.sync_api").TimeoutError

# before the page's deferred script: ask often, so that a test need not wait
IMPATIENT = """document.addEventListener("readystatechange", () =>
  document.querySelectorAll("form[data-ppdm]").forEach((form) => {
    form.dataset.ppdmPollMs = 5;
    form.dataset.ppdmPollLimit = %d;
  }));"""

DUMP = """async () => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const names = (await indexedDB.databases()).map((entry) => entry.name);
  const records = [];
  for (const name of names) {
    const db = await done(indexedDB.open(name));
    for (const store of db.objectStoreNames) {
      records.push(...await done(db.transaction(store).objectStore(store).getAll()));
    }
    db.close();
  }
  const readable = async (value) => {
    if (value instanceof CryptoKey) {
      const taken = await crypto.subtle.exportKey("raw", value).catch(() => null);
      return { cryptoKey: value.algorithm, extractable: value.extractable, taken };
    }
    if (value instanceof ArrayBuffer) value = new Uint8Array(value);
    if (value instanceof Uint8Array) return Array.from(value);
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const pairs = Object.entries(value).map(async ([key, item]) => [key, await readable(item)]);
    return Object.fromEntries(await Promise.all(pairs));
  };
  const files = {};
  const root = await navigator.storage.getDirectory();
  for await (const place of root.values()) for await (const file of place.values()) {
    files[file.name] = Array.from(new Uint8Array(await (await file.getFile()).arrayBuffer()));
  }
  return { names, files, records: await Promise.all(records.map(readable)),
           local: Object.entries(localStorage), session: Object.entries(sessionStorage),
           cookies: document.cookie, caches: await caches.keys() };
}"""

#: Of the survey that lying_server.py and others serve under guided perturbation.
ANSWERS = {"vote_0": "y", "vote_1": "n", "vote_2": "y", "age": "30", "region": "west",
           "party": "right"}
BITS = [0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0]


class Person:
    """One browser profile. Every request and every word on the console is written down."""

    def __init__(self, chromium: Any, limit: int = 1000, **options: Any) -> None:
        self.url = ""
        self.context = chromium.new_context(**options)
        self.context.set_default_timeout(10_000)
        self.context.add_init_script(IMPATIENT % limit)
        self.requests: list[Any] = []
        self.said: list[str] = []
        self.context.on("request", lambda request: self.requests.append(request))
        self.context.on("console", lambda message: self.said.append(message.text))
        self.context.on("weberror", lambda error: self.said.append(str(error.error)))

    def open(self, url: str = "") -> Any:
        """Open an address in a tab, or the last one again."""
        self.url = url or self.url
        page = self.context.new_page()
        page.goto(self.url)
        return page

    def posted(self, path: str) -> list[str]:
        """Return what was posted to a path, each time."""
        return [r.post_data for r in self.requests if r.method == "POST" and r.url.endswith(path)]

    def faults(self) -> list[str]:
        """Return what a page said, but for Chromium's own words on a failed request."""
        return [text for text in self.said if not text.startswith("Failed to load resource")]


@pytest.fixture
def person(chromium: Any) -> Iterator[Callable[..., Person]]:
    people: list[Person] = []

    def come(**options: Any) -> Person:
        people.append(Person(chromium, **options))
        return people[-1]

    yield come
    for one in people:
        one.context.close()
    faults = [fault for one in people for fault in one.faults()]
    assert not faults, faults


@pytest.fixture
def coin(person: Callable[..., Person]) -> Iterator[Callable[..., tuple[Any, Person]]]:
    """Serve a survey of the coin; give collector, and a person who has its address or her link."""
    with ExitStack() as surveys:

        def come(*survey: Any, profile: Any = None, **options: Any) -> tuple[Any, Person]:
            collector, url = surveys.enter_context(coin_site.coin_site(*survey, **options))
            someone = person(**profile or {})
            invited = options.get("access") == "invitation"
            someone.url = f"{url}#{collector.invite(1)[0]}" if invited else url
            return collector, someone

        yield come


def opened(person: Person, url: str, start: str = "later") -> Any:
    """Open a survey and wait until its form can be filled in; choose, where it asks for all."""
    return begun(person.open(url), start)


def begun(page: Any, start: str = "later") -> Any:
    """Wait until the form can be filled in; where all is asked for, press "later" or "open"."""
    button = f'[data-view=start]:not([hidden]) [data-action="{start}"]'
    first = "[data-view=begin]:not([hidden]) [data-action=begin]"
    page.wait_for_selector(f"form > fieldset:enabled, {button}, {first}")
    if page.locator(first).count():  # the consent step
        page.click(first)
        page.wait_for_selector(f"form > fieldset:enabled, {button}")
    if page.locator(button).count():
        page.click(button)
        page.wait_for_selector("form > fieldset:enabled")
    return page


def asked(page: Any) -> list[str]:
    """Return the names of the questions that the form asks now."""
    names = "(all) => all.filter((one) => one.name).map((one) => one.name)"
    controls = page.locator("form[data-ppdm] :is(input, select):enabled")
    return list(dict.fromkeys(controls.evaluate_all(names)))


def fill(page: Any, answers: dict[str, str] | None = None, level: int | None = 14) -> None:
    """Answer these, or what is asked, as a person would; choose a level, where there is one."""
    if answers is None:
        known = ANSWERS if page.locator("[name=vote_0]").count() else coin_site.ANSWERS
        answers = {name: known[name] for name in asked(page)}
    for name, value in answers.items():
        control = page.locator(f'[name="{name}"]')
        kind = control.first.get_attribute("type")
        if kind == "radio":
            page.locator(f'[name="{name}"][value="{value}"]').check()
        elif kind == "text":
            control.fill(value)
        else:
            control.select_option(value)
    if level is not None and page.get_by_role("slider").count():
        set_level(page, level)


def set_level(page: Any, level: int) -> None:
    page.get_by_role("slider").evaluate(
        "(range, level) => { range.value = level; range.dispatchEvent(new Event('input')); }", level
    )


def submit(page: Any) -> None:
    page.locator("form[data-ppdm] [type=submit]").click()


def hand_in(page: Any, *views: str, start: str = "later", **given: Any) -> str:
    """Begin, answer, send, and wait until the panel shows one of these views; return its text."""
    fill(begun(page, start), **given)
    submit(page)
    return view(page, *views) if views else ""


def through(page: Any) -> str:
    """Go on past the wait and a warning, if there is one, until it is sent; return what is said."""
    view(page, "waiting", "warning", "sent")
    if page.locator('[data-view="waiting"] [data-action="go"]').count():
        press(page, "go")
    view(page, "warning", "sent")
    if page.locator('[data-action="send"]').is_visible():
        press(page, "send")
    return view(page, "sent")


def tab_to(page: Any, selector: str) -> None:
    """Go on with the keyboard until a control has the focus."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"no way to {selector} by Tab")


def press(page: Any, action: str) -> None:
    page.locator(f'[data-action="{action}"]').click()


def status(page: Any, words: str) -> None:
    """Wait until the page says these words by itself."""
    page.get_by_role("status").filter(has_text=words).wait_for()


def wait_for(page: Any, happened: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until, f"not within half a minute: {inspect.getsource(happened)}"
        page.wait_for_timeout(5)


def unreachable(context: Any, path: str = "**/api/ready") -> Callable[[], None]:
    """Cut the line to a path; what is returned mends it."""
    context.route(path, lambda route: route.abort())
    return lambda: context.unroute(path)


def forge(context: Any, path: str, change: Callable[[Any], Any]) -> None:
    """Change what the server answers at a path, JSON or text; where nothing is left, cut it."""

    def answer(route: Any) -> None:
        true = route.fetch()
        false = change(true.json() if "json" in true.headers["content-type"] else true.text())
        if false is None:
            return route.abort()
        how = {"body": false} if isinstance(false, str) else {"json": false}
        return route.fulfill(response=true, **how)

    context.route(path, answer)


def hush(page: Any) -> None:
    """Let a page that tries again by itself ask nothing more, before it is left or loaded anew.

    Chromium lets go of a page's requests, which a test has cut, before its scripts have stopped.
    """
    page.evaluate("() => { globalThis.fetch = () => new Promise(() => {}); }")


def view(page: Any, *names: str) -> str:
    """Wait until the panel shows one of these views; return its text."""
    selector = ", ".join(f'.ppdm-panel[data-view="{name}"]:visible' for name in names)
    try:
        page.wait_for_selector(selector)
    except TimeoutError as error:
        error.add_note(f"What is shown: {page.locator('.ppdm-panel').all_inner_texts()}")
        raise
    return str(page.locator(".ppdm-panel").inner_text())


def within(page: Any, width: int) -> None:
    """Nothing stands beside the screen, no text, no control, no bar, nor in anybody's way."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = "button, input, select, p, .choices, .promise ul, .ppdm-steps, .ppdm-gauge"
    for one in page.locator(f":is({shown}):visible").all():
        box = one.bounding_box()
        assert box["x"] >= 0, one.inner_text()
        assert box["x"] + box["width"] <= width, one.inner_text()
    assert serious(page) == {}


def kept(page: Any) -> list[dict[str, Any]]:
    """Return all records of all databases of the page's origin."""
    dump = page.evaluate(DUMP)
    assert not any(dump[place] for place in ("local", "session", "cookies", "caches"))
    assert dump["names"] in ([], ["ppdm"])
    records = [dict(record) for record in dump["records"]]
    # a ciphertext has a file of its own, and there is no other file
    assert list(dump["files"]) == [record["file"] for record in records if "file" in record]
    for record in records:
        if "file" in record:
            record["ciphertext"] = dump["files"][record.pop("file")]
    return records
