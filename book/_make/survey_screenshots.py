"""Photograph the survey as it runs: ``make -C book pictures`` writes them.

It needs Chromium on the PATH. A server is started with an empty store, a respondent fills
in the form and waits, the members of the House answer, and she gets in.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from ppdm.datasets import load_voting
from ppdm.guidance import one_hot
from ppdm.protocol import draw_levels
from ppdm_survey import Collector, create_app, voting_survey
from ppdm_survey.simulate import simulate

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "ppdm_survey")]
# as the tests do
from browser import begun, fill, submit, view  # noqa: E402
from headless import CHROMIUM, FLAGS  # noqa: E402
from serving import serve  # noqa: E402

OUT = ROOT / "book" / "_static" / "survey"
WIDTH, LEVEL = 900, 3


def people() -> tuple[Any, Any, Any, np.random.Generator]:
    """Return the members in order of arrival, their classes and levels, and their chance."""
    rng = np.random.default_rng(32)
    house = load_voting(random_state=0)
    order = rng.permutation(len(house.target))
    T = one_hot(house.data, [2] * 16)
    return T[order], house.target[order], draw_levels(len(order), 32, random_state=rng), rng


def answers() -> dict[str, str]:
    """Return what the first member of the file would answer."""
    house = load_voting(random_state=0)
    votes = zip(house.feature_names, house.data[0], strict=True)
    return {name: "ny"[vote] for name, vote in votes} | {
        "party": house.target_names[house.target[0]]
    }


def photograph(page: Page, name: str, first: str = "body", last: str = "body") -> None:
    """Write a picture of the page, from one element down to another, in few colours."""
    page.evaluate("scrollTo(0, 0)")  # boxes are measured from the window
    page.wait_for_timeout(600)
    path = OUT / f"{name}.png"
    begin, end = (page.locator(element).bounding_box() for element in (first, last))
    assert begin is not None, f"{first} is not on the page"
    assert end is not None, f"{last} is not on the page"
    top = max(0, begin["y"] - 16)
    height = end["y"] + end["height"] + 16 - top
    page.screenshot(path=path, full_page=True, animations="disabled",
                    clip={"x": 0, "y": top, "width": WIDTH, "height": height})
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(96).save(path, optimize=True)
    print(path, path.stat().st_size)


def main() -> None:
    """Play one collection and photograph it."""
    with (Collector(voting_survey()) as collector, serve(create_app(collector)) as address,
          sync_playwright() as running):
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": WIDTH, "height": 700},
                                      color_scheme="light")
        page = context.new_page()
        page.goto(address)
        fill(begun(page), answers(), LEVEL)
        photograph(page, "form")
        submit(page)
        view(page, "waiting")
        photograph(page, "waiting")
        *crowd, rng = people()
        simulate(address, *crowd, random_state=rng)
        # the page may have asked by itself meanwhile
        page.evaluate("document.querySelector('[data-action=go]')?.click()")
        view(page, "sent")
        photograph(page, "sent")
        page.goto(f"{address}/miner/")
        page.wait_for_selector("#results svg")
        photograph(page, "miner", last="#levels")
        photograph(page, "learnt", "#classifier", "#accuracy")
        browser.close()


if __name__ == "__main__":
    main()
