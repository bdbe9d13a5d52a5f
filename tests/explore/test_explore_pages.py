"""The explorables in their pages: offline, by keyboard alone, light and dark, wide and narrow."""

import re
from pathlib import Path

import pytest
from by_path import cells, load
from explorables import DRAWN, FRAMES, PAGES, SAID, fits, opened
from headless import HTML, in_book

pytest.importorskip("docutils", reason="the book's tools are not installed here")
EXTENSION = load("book/_ext/explorables.py")
SCRIPTS, SHARED = EXTENSION.SCRIPTS, EXTENSION.SHARED
ROOT = Path(__file__).parent.parent.parent
EXPLORE = ROOT / "book" / "_static" / "explore"
SECTIONS = {"coin": "the-coin", "reconstruction": "the-reconstruction", "ages": "twelve-ages",
            "groups": "groups-of-votes", "vote": "your-own-vote", "release": "a-table",
            "frontier": "the-frontier"}  # fmt: skip
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
    place = page.locator(f"#try-it-{SECTIONS[name]}")
    assert place.locator("> p").first.inner_text()
    assert place.locator("> .explore").count() == 1
    assert page.locator(f"#pst-page-toc-nav a[href='#try-it-{SECTIONS[name]}']").count() == 1
    # the picture comes after the guess
    stage, verdict = (section.locator(f".explore-{part}") for part in ("stage", "verdict"))
    assert not stage.is_visible()
    assert verdict.inner_text() == ""
    heard(page, name, section)
    assert stage.is_visible()
    assert verdict.inner_text()
    fits(page, name, 390, 1400)
    page.emulate_media(media="print")
    assert not section.is_visible()
    page = visit(page_name, java_script_enabled=False)
    assert page.locator(f"#explore-{name}").count() == 0
    assert "needs JavaScript" in page.locator(f"#try-it-{SECTIONS[name]} > noscript").inner_text()


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
    section.locator("dd", has_text=re.compile("^13.56$")).wait_for()
    assert section.locator("dd").first.inner_text() == "0.847"


@in_book
def test_a_point_of_the_frontier_leads_to_its_chapter(visit):
    page = visit("notebooks/52_one_frontier.html")
    section = opened(page, "frontier")
    page.evaluate(FRAMES)
    section.locator("input[name=explore-scale]").nth(2).check()  # known of every scheme
    seen = set()
    for data, trust in ((0, 0), (0, 1), (5, 0)):
        section.locator("input[name=explore-data]").nth(data).check()
        section.locator("input[name=explore-trust]").nth(trust).check()
        page.wait_for_function(DRAWN)
        for i in range(section.locator("select option").count()):
            section.locator("select").select_option(index=i)
            link = section.locator(".explore-said a").get_attribute("href")
            assert (HTML / "notebooks" / link).exists()
            seen.add(link[:2])
    assert seen == {"10", "13", "14", "20", "21", "22", "30", "40", "42", "52"}


@in_book
def test_twelve_ages_are_dealt_by_hand(visit):
    page = visit("notebooks/12_trees.html")
    section = opened(page, "ages")
    boxes, said = section.locator(".explore-box"), section.locator(".explore-said")
    section.get_by_label("by ByClass").check()
    section.locator(".explore-said", has_text="Each group has the right count").wait_for()
    assert "gain 0.22; by the true ages it gains 0.22" in said.inner_text()
    section.get_by_label("Open the drawer").check()
    section.locator(".explore-said", has_text="8 of the twelve").wait_for()
    assert section.locator(".explore-chip", has_text="✓").count() == 8
    # the last of the young, moved on by key and by tap: by hand now, and a count is wrong
    chip = boxes.first.locator(".explore-chip").last
    name = chip.get_attribute("aria-label").split(" (")[0]
    chip.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(name)
    assert section.get_by_label("by your own hand").is_checked()
    section.locator(".explore-said", has_text="The counts of Group").wait_for()
    boxes.nth(1).locator(".explore-chip", has_text=name).click()
    assert boxes.nth(2).locator(".explore-chip", has_text=name).count() == 1
    # in a box chips lie in the order of their reports
    for box in boxes.all():
        told = [int(words.split()[1].replace("−", "-"))
                for words in box.locator(".explore-chip").all_inner_texts()]
        assert told == sorted(told)


@in_book
def test_a_published_table_and_its_measures(visit):
    page = visit("notebooks/41_what_the_measures_measure.html")
    section = opened(page, "release")
    expected = {"another order": "VD, RP and RK call", "1000 − x": "All five measures call",
                "2x for": "Only VD calls", "from nowhere": "no record can be read"}
    for label, words in expected.items():
        section.get_by_role("radio", name=label).check()
        section.locator(".explore-said", has_text=words).wait_for()
        assert section.locator("svg path.stroke").count() == 10
    section.get_by_role("radio", name="another order").check()
    before = section.locator("dd").all_inner_texts()
    section.get_by_role("button", name="Draw anew").click()
    assert section.locator("dd").all_inner_texts() != before


#: The heights of a curve's points, in units of the axis, whose ticks are text.
HEIGHTS = """([curve, ends]) => {
  const chart = document.querySelector("#explore-reconstruction svg");
  const ticks = [...chart.querySelectorAll("text.end")].map((node) => [
    Number(node.textContent), Number(node.getAttribute("y")) - 4]);
  const [[low, bottom], [high, top]] = [ticks[0], ticks.at(-1)];
  const points = chart.querySelector(curve).getAttribute("d").slice(1).split("L");
  const shares = points.map((point) => low + (bottom - Number(point.split(",")[1]))
    / (bottom - top) * (high - low));
  const beyond = [...chart.querySelectorAll(ends)].map((node) =>
    parseFloat(node.textContent.replace(/[^0-9.]/g, "")) / 100);
  return [...shares, ...beyond];
}"""


@in_book
@pytest.mark.parametrize(("noise", "privacy"), [(0, 4), (1, 1), (1, 4)])
def test_the_shares_that_are_drawn_add_to_one(visit, noise, privacy):
    page = visit("notebooks/11_reconstruction.html")
    section = opened(page, "reconstruction")
    section.locator("#explore-n").fill("0")  # 200 people: the highest spikes
    section.locator("input[name=explore-noise]").nth(noise).check()
    section.locator("#explore-privacy").fill(str(privacy))
    step = section.locator("#explore-step")
    step.fill(step.get_attribute("max"))
    section.locator(".explore-said", has_text="At step 2,000").wait_for()
    estimate = page.evaluate(HEIGHTS, ["path.estimate", "none"])
    reports = page.evaluate(HEIGHTS, ["path.disguised", "text.disguised"])
    # a height is written to a tenth of a pixel of some 190, a share beyond to a thousandth
    assert abs(sum(estimate) - 1) < 20 * 0.05 / 190 + 1e-6
    assert abs(sum(reports) - 1) < 44 * 0.05 / 190 + 2 * 0.0005
    assert max(estimate) > 0.16


MADE = load("book/_make/explore_data.py")


@pytest.mark.fixed_seed("the stored data were drawn with these seeds")
@pytest.mark.parametrize("file", MADE.FILES)
def test_the_stored_data_are_what_their_script_makes(file):
    name, make = MADE.FILES[file]
    assert (EXPLORE / file).read_text(encoding="utf-8") == MADE.script(name, make()), (
        "run make -C book pictures")


@pytest.mark.fixed_seed("the chapters' people were drawn with these seeds")
def test_the_stored_people_are_those_of_their_chapters():
    trees, measures = (cells(ROOT / "notebooks" / f"{name}.ipynb", "code")
                       for name in ("12_trees", "41_what_the_measures_measure"))  # fmt: skip
    told = "".join(output.get("text", "") for cell in trees for output in cell.outputs)
    ages = MADE.ages()
    assert f"an age of {ages['ages'][0]:.0f} as {ages['reports'][0]:.0f}" in told
    assert any(f"women = {MADE.WOMEN}" in cell.source for cell in measures)


#: Bytes of the scripts that all explorables share, and of one page's own but for its data.
SHARED_SIZE, OWN_SIZE = 33_000, 10_500


@pytest.mark.parametrize("page", SCRIPTS)
def test_the_scripts_are_small(page):
    def size(scripts):
        return sum((EXPLORE.parent / name).stat().st_size for name in scripts
                   if name.startswith("explore/") and name != "explore/frontier.js")

    assert size(SHARED) < SHARED_SIZE
    assert size(SCRIPTS[page]) < OWN_SIZE
