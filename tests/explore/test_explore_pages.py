"""The explorables in their pages: offline, by keyboard alone, light and dark, wide and narrow."""

from pathlib import Path

import pytest
from by_path import load
from explorables import FITS, PAGES, SAID, opened
from headless import HTML, in_book, serious

ROOT = Path(__file__).parent.parent.parent
EXPLORE = ROOT / "book" / "_static" / "explore"
SECTIONS = {
    "coin": "try-it-the-coin",
    "reconstruction": "try-it-the-reconstruction",
    "groups": "try-it-groups-of-votes",
    "vote": "try-it-your-own-vote",
    "frontier": "try-it-the-frontier",
}
ALL = [(name, page) for name, pages in PAGES.items() for page in pages]


def heard(page, name, section):
    """Move by keyboard alone: every stop of every slider is reached and says itself."""
    section.locator(".explore-guess button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(SAID, arg=name)
    focus = "document.activeElement"
    for slider in section.locator("input[type=range]").all():
        # the next tab stops lead to it: it is in the page's order
        assert slider.evaluate("node => node.tabIndex") == 0
        slider.focus()
        page.keyboard.press("Home")
        words = [page.evaluate(f"{focus}.getAttribute('aria-valuetext')")]
        for _ in range(int(slider.get_attribute("max"))):
            page.keyboard.press("ArrowRight")
            words.append(page.evaluate(f"{focus}.getAttribute('aria-valuetext')"))
        assert len(set(words)) == len(words)
    before = section.locator(".explore-said").inner_text()
    section.locator(".explore-stage input[type=radio]:checked").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "([name, before]) => ![before, ''].includes(document.querySelector("
        "`#explore-${name} .explore-said`).innerText) || name === 'coin'", arg=[name, before])


@in_book
@pytest.mark.parametrize(("name", "page_name"), ALL)
def test_an_explorable_on_its_page(visit, name, page_name):
    page = visit(page_name)
    section = page.locator(f"#explore-{name}")
    # a line of the page's contents leads to it, and a sentence stands above it
    place = page.locator(f"#{SECTIONS[name]}")
    assert place.locator("> p").first.inner_text()
    assert place.locator("> .explore").count() == 1
    assert page.locator(f"#pst-page-toc-nav a[href='#{SECTIONS[name]}']").count() == 1
    # the picture comes after the guess
    stage, verdict = (section.locator(f".explore-{part}") for part in ("stage", "verdict"))
    assert not stage.is_visible()
    assert verdict.inner_text() == ""
    heard(page, name, section)
    assert stage.is_visible()
    assert verdict.inner_text()
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        for width in (390, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(FITS, arg=name)
        assert serious(page, include=[[f"#explore-{name}"]]) == {}
    page.emulate_media(media="print")
    assert not section.is_visible()
    page = visit(page_name, java_script_enabled=False)
    assert page.locator(f"#explore-{name}").count() == 0


@in_book
def test_a_vote_is_moved_by_arrow_keys(visit):
    page = visit("notebooks/21_groups_of_answers.html")
    section = opened(page, "groups")
    chip = section.locator(".explore-chip").first
    chip.focus()
    page.keyboard.press("ArrowDown")
    assert "Coin B" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert section.locator(".explore-box").nth(1).locator(".explore-chip").count() == 1
    section.get_by_role("button", name="A coin each").click()
    page.wait_for_function("document.querySelector('#explore-groups dd:nth-of-type(2)')"
                           ".textContent === '13.56'")
    assert section.locator("dd").first.inner_text() == "0.847"


@in_book
def test_a_point_of_the_frontier_leads_to_its_chapter(visit):
    page = visit("notebooks/52_one_frontier.html")
    section = opened(page, "frontier")
    section.locator("input[name=explore-scale]").nth(2).check()  # known of every scheme
    seen = set()
    for data, trust in ((0, 0), (0, 1), (5, 0)):
        section.locator("input[name=explore-data]").nth(data).check()
        section.locator("input[name=explore-trust]").nth(trust).check()
        page.wait_for_timeout(500)  # it is drawn in steps
        for i in range(section.locator("select option").count()):
            section.locator("select").select_option(index=i)
            link = section.locator(".explore-said a").get_attribute("href")
            assert (HTML / "notebooks" / link).exists()
            seen.add(link[:2])
    assert seen == {"10", "13", "14", "20", "21", "22", "30", "40", "42", "52"}


def test_the_stored_data_are_what_their_script_makes():
    made = load("book/_make/explore_data.py")
    for file, name, content in (("house.js", "exploreHouse", made.house()),
                                ("frontier.js", "exploreFrontier", made.frontier())):
        assert (EXPLORE / file).read_text(encoding="utf-8") == made.script(name, content), (
            "run make -C book pictures")


def test_the_scripts_are_small():
    size = sum(file.stat().st_size for file in EXPLORE.glob("*.js") if file.name != "frontier.js")
    assert size < 70_000
