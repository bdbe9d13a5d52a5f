"""How long a movement of each explorable keeps a page busy.

``python benchmarks/explorables.py`` reads the built book (``make book``) in Chromium, offline;
``... coin vote`` measures these alone. A movement is one stop of a slider or one choice. Its pieces
of work are its events and the frames and timers that it leaves behind: *script*; and the tasks of
the page's thread that they run in: *all*, with style, layout and paint. A page that should stay
quick has pieces under 16 ms. Printed are, of the longest piece of each movement, the median and the
largest, in milliseconds of processor time (Chromium's trace has it), in which waiting for others
does not count; at full speed, and with Chromium's own brake, which makes the processor four times
slower. A movement counts by the best of three tries: the collection of garbage falls on any of
them, and on a busy machine all are longer.
"""

from __future__ import annotations

import bisect
import json
import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ElementHandle, Page, sync_playwright

HTML = Path(__file__).resolve().parent.parent / "_build" / "html" / "notebooks"
PAGES = {
    "coin": "00_tour",
    "reconstruction": "11_reconstruction",
    "ages": "12_trees",
    "groups": "21_groups_of_answers",
    "vote": "30_guided_perturbation",
    "release": "41_what_the_measures_measure",
    "frontier": "52_one_frontier",
}
SPEEDS = (1, 4)
TRIES = 3
WAIT = 300  # milliseconds between two movements; by then the work of the first is done or dropped
SCRIPT = {"EventDispatch", "FireAnimationFrame", "TimerFire"}
ALL = {"ThreadControllerImpl::RunTask", "RunTask"}
MOVE = """(node, [mark, to]) => {
  performance.mark(mark);
  if (node.type === "range") {
    node.value = to;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  } else node.click();
}"""


def movements(page: Page, name: str) -> list[tuple[str, ElementHandle, int]]:
    """Return every stop of every slider and every choice, in the page's order."""
    found = []
    for node in page.locator(f"#explore-{name} input").element_handles():
        label = node.evaluate("n => (n.labels[0] ?? n.closest('fieldset')).innerText.slice(0, 40)")
        most = int(node.get_attribute("max") or 0)
        found += [(label, node, stop) for stop in range(most, -1, -1)]
    return found


def trace(browser: Browser, page: Page, moves: list[Any], speed: int) -> list[dict[str, Any]]:
    """Make all movements; return the events of the page's own thread."""
    categories = ["toplevel", "devtools.timeline", "blink.user_timing"]
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": speed})
    browser.start_tracing(page=page, categories=categories)
    for i, (_, node, to) in enumerate(moves):
        node.evaluate(MOVE, [f"move {i}", to])
        page.wait_for_timeout(WAIT)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    thread = next((e["pid"], e["tid"]) for e in events if e["name"] == "move 0")
    return [e for e in events if (e["pid"], e["tid"]) == thread]


def longest(events: list[dict[str, Any]], names: set[str], n: int) -> list[float]:
    """Return the longest piece of each of ``n`` movements, in milliseconds."""
    starts = [0.0] * n
    for event in events:
        if event["name"].startswith("move "):
            starts[int(event["name"].split()[1])] = event["ts"]
    most = [0.0] * n
    for event in events:
        # a task begins before the mark that is set in it
        i = bisect.bisect_right(starts, event["ts"] + event.get("dur", 0)) - 1
        if event["name"] in names and i >= 0:
            most[i] = max(most[i], event.get("tdur", 0) / 1000)
    return most


def best(tries: list[list[dict[str, Any]]], names: set[str], n: int) -> list[float]:
    """Return the longest piece of each movement in its best try."""
    return [min(each) for each in zip(*(longest(one, names, n) for one in tries), strict=True)]


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    flags = ["--no-sandbox", "--disable-gpu"]
    print(f"{'':<16s}{'':>6s}{'':>7s}{'script':>16s}{'all':>16s}")
    print(f"{'explorable':<16s}{'speed':>6s}{'moves':>7s}{'median':>8s}{'max':>8s}{'median':>8s}{'max':>8s}"
          "  longest script at")  # fmt: skip
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=flags)
        for name in sys.argv[1:] or PAGES:
            page = browser.new_context(offline=True).new_page()
            page.goto((HTML / f"{PAGES[name]}.html").as_uri())
            page.locator(f"#explore-{name} .explore-guess button").first.click()
            page.wait_for_timeout(3000)
            for speed in SPEEDS:
                moves = movements(page, name)
                tries = [trace(browser, page, moves, speed) for _ in range(TRIES)]
                script, every = (best(tries, names, len(moves)) for names in (SCRIPT, ALL))
                worst = max(range(len(moves)), key=script.__getitem__)
                numbers = [f(each) for each in (script, every) for f in (statistics.median, max)]
                print(f"{name:<16s}{f'1/{speed}':>6s}{len(moves):>7d}"
                      + "".join(f"{number:>8.1f}" for number in numbers)
                      + f"  {moves[worst][0]}, {moves[worst][2]}", flush=True)  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
