"""One headless Firefox, driven by WebDriver BiDi as it speaks it itself: no driver is installed.

Playwright's own Firefox is another build, and asks Debian's for a command that it does not know.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from headless import LONG

FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
MARKS = [pytest.mark.skipif(FIREFOX is None, reason="no Firefox on PATH"), LONG]

_PATIENCE = 30.0  # seconds
_ENTER = "\ue007"
#: The size of a phone.
_SIZE = {"width": 360, "height": 740}


class Firefox:
    """The browser: commands, and what its pages said on the console."""

    def __init__(self, address: str) -> None:
        websocket = pytest.importorskip("websocket", reason="websocket-client")
        self.line = websocket.create_connection(f"{address}/session", timeout=_PATIENCE,
                                                suppress_origin=True)
        self.said: list[str] = []
        self.n = 0
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])

    def ask(self, method: str, **params: Any) -> Any:
        """Give a command and return its result."""
        self.n += 1
        self.line.send(json.dumps({"id": self.n, "method": method, "params": params}))
        while (answer := json.loads(self.line.recv())).get("id") != self.n:
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.said.append(answer["params"]["text"])
        assert answer["type"] == "success", answer
        return answer["result"]

    def device(self) -> Callable[[str], Page]:
        """Return what opens pages on a device that keeps nothing of the others."""
        return partial(self.open, self.ask("browser.createUserContext")["userContext"])

    def open(self, user: str, url: str) -> Page:
        """Open a page; those of one user share what is kept."""
        made = self.ask("browsingContext.create", type="tab", userContext=user)
        page = Page(self, made["context"])
        page.ask("browsingContext.setViewport", viewport=_SIZE)
        page.ask("browsingContext.navigate", url=url, wait="complete")
        return page


class Page:
    """A tab; elements are named by selectors."""

    def __init__(self, firefox: Firefox, name: str) -> None:
        self.firefox, self.name = firefox, name

    def ask(self, method: str, **params: Any) -> Any:
        return self.firefox.ask(method, context=self.name, **params)

    def reload(self) -> None:
        self.ask("browsingContext.reload", wait="complete")

    def close(self) -> None:
        self.ask("browsingContext.close")

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of the page gives, as JSON has it."""
        text = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        answer = self.firefox.ask("script.evaluate", expression=text, awaitPromise=True,
                                  target={"context": self.name})
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + _PATIENCE
        while not self.evaluate(f"!!({expression})"):
            assert time.monotonic() < until, (expression, self.text("body"))
            time.sleep(0.02)

    def text(self, selector: str) -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """Press where an element is, as a person does."""
        place = json.dumps(selector)
        self.wait(f"document.querySelector({place})?.checkVisibility()")
        self.evaluate(f"document.querySelector({place}).scrollIntoView({{ block: 'center' }})")
        by = {"type": "css", "value": selector}
        element = self.ask("browsingContext.locateNodes", locator=by)["nodes"][0]
        origin = {"type": "element", "element": {"sharedId": element["sharedId"]}}
        self._act({"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]})

    def type(self, selector: str, words: str) -> None:
        """Write in a field, in the place of what stands there; end with the key Enter by "\\n"."""
        self.click(selector)
        self.evaluate("document.activeElement.select()")
        self.keys(words)

    def keys(self, words: str) -> None:
        """Press keys, where the focus is."""
        keys = [{"type": kind, "value": _ENTER if key == "\n" else key}
                for key in words for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": keys})

    def _act(self, actions: dict[str, Any]) -> None:
        self.ask("input.performActions", actions=[actions])


@contextmanager
def started(profile: Path) -> Iterator[Firefox]:
    """Start a Firefox with an empty profile; end it."""
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile),
               "--remote-debugging-port", "0", "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          text=True) as process:
        try:
            lines = (re.search(r"BiDi listening on (ws://\S+)", line) for line in process.stderr)
            address = next(filter(None, lines), None)
            assert address, "Firefox did not start"
            browser = Firefox(address[1])
            with closing(browser.line):
                yield browser
        finally:
            process.kill()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: Any) -> Iterator[Firefox]:
    with started(tmp_path_factory.mktemp("firefox")) as running:
        yield running


@pytest.fixture
def device(firefox: Firefox) -> Iterator[Callable[[], Callable[[str], Page]]]:
    """Give devices; no page of theirs may say an error."""
    firefox.said.clear()
    yield firefox.device
    assert not firefox.said
