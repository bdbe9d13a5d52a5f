"""One headless Chromium for all tests of a process: two of Playwright's loops do not get along.

It opens pages of the built book, or runs scripts alone, from file:// with the network cut.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP survey.test 127.0.0.1",
]
#: Of a test that needs a browser; make test makes a few of these, the part browser all.
CHROMIUM_MARKS = [pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")]
LONG = pytest.mark.long(part="browser")
MARKS = [*CHROMIUM_MARKS, LONG]

HTML = Path(__file__).parent.parent / "_build" / "html"
#: Of a test that reads the built book.
BOOK_MARKS = [
    *CHROMIUM_MARKS,
    pytest.mark.skipif(not (HTML / "index.html").exists(), reason="no book: run make book"),
]


def marked(marks: list[Any]) -> Callable[[Any], Any]:
    """Mark one test of a file whose others need no browser."""

    return lambda test: reduce(lambda done, mark: mark(done), marks, test)


in_book = marked([*BOOK_MARKS, LONG])


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Any]:
    """Open pages of the book offline; nothing may be asked of another host, nothing may fail."""
    contexts: list[Any] = []
    asked: list[str] = []
    errors: list[str] = []

    def go(name: str, query: str = "", **settings: Any) -> Any:
        contexts.append(chromium.new_context(offline=True, **settings))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.goto((HTML / name).as_uri() + query)
        return page

    go.errors = errors  # type: ignore[attr-defined]
    yield go
    for context in contexts:
        context.close()
    assert not errors, f"script errors: {errors}"
    foreign = [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))]
    assert not foreign, f"asked another host: {foreign}"


def settled(page: Any, promise: str, seconds: float = 30) -> Any:
    """Return what a promise in a page comes to; one that does not end fails by its own words.

    Playwright's ``evaluate`` has no limit of its own.
    """
    late = json.dumps(f"not within {seconds} s: {promise}")
    wait = f"new Promise((_, no) => setTimeout(() => no(new Error({late})), {1000 * seconds}))"
    return page.evaluate(f"() => Promise.race([{promise}, {wait}])")


def serious(page: Any, **context: Any) -> dict[str, list[str]]:
    """Return what axe-core finds that stands in a reader's way, rule by rule, the first three."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    # it would ask for the style sheets a second time, which file:// forbids
    options = {"resultTypes": ["violations"], "preload": False}
    page.evaluate(axe.Axe().axe_script)
    run = f"axe.run({json.dumps(context or None)} ?? document, {json.dumps(options)})"
    violations = settled(page, run)["violations"]
    return {
        rule["id"]: [node["html"][:160] for node in rule["nodes"][:3]]
        for rule in violations
        if rule["impact"] in ("serious", "critical")
    }


@contextmanager
def running(chromium: Any, folder: Path, *scripts: Path) -> Iterator[Callable[..., Any]]:
    """Load scripts in a page of ``folder``; give what evaluates a JavaScript function on JSON."""
    file = folder / "page.html"
    tags = "".join(f'<script src="{script.as_uri()}"></script>' for script in scripts)
    file.write_text(f"<!doctype html><title>t</title>{tags}")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())

    def evaluate(function: str, value: Any = None) -> Any:
        # text, so that the numbers take the way that they take through the survey's protocol
        return page.evaluate(f"(text) => ({function})(JSON.parse(text))", json.dumps(value))

    yield evaluate
    context.close()
