"""The slides: made from the built pages alone, whole without a network, nothing beyond the edge."""

import html
import re
import tomllib

import pytest
from by_path import NOTEBOOKS, ROOT, cells, load
from headless import CHROMIUM_MARKS

pytest.importorskip("bs4")

slides = load("book/_course/slides.py")
DECKS = tomllib.loads((ROOT / "book" / "_course" / "decks.toml").read_text(encoding="utf-8"))
each = pytest.mark.parametrize("paper", DECKS)
pytestmark = pytest.mark.long(part="course")  # which makes them


@pytest.fixture(scope="module")
def decks():
    scorecard = slides.read(slides.SCORECARD)
    chapters = {name: slides.chapter(name) for told in DECKS.values() for name in told["chapters"]}
    return {paper: slides.deck(paper, told, {name: chapters[name] for name in told["chapters"]},
                               scorecard)
            for paper, told in DECKS.items()}  # fmt: skip


@pytest.fixture(scope="module")
def built():
    if not slides.BUILD.exists():
        pytest.skip("no slides: run make -C book slides")
    return slides.BUILD


def test_there_is_a_deck_for_each_paper():
    assert list(DECKS) == ["AS00", "DZ03", "ZCM04", "ZWZ05", "LX14"]


@each
def test_a_slide_has_one_heading_and_one_thing_to_show(decks, paper):
    sections = decks[paper].split("<section>")[2:]
    assert len(sections) == len(DECKS[paper]["slides"]) >= 10
    # no number is written by hand
    assert not any(re.search(r"\d", heading) for heading, _ in DECKS[paper]["slides"])
    for section in sections:
        assert section.count("<h2>") == 1
        shown = section.count("<img ") + section.count("class='box") + section.count("<table>")
        assert shown == 1


def glued_rows():
    """Return the rows of all claims tables, as the notebooks keep them."""
    outputs = (each for path in NOTEBOOKS for cell in cells(path, "code") for each in cell.outputs)
    glued = (text for output in outputs for kind, text in output.get("data", {}).items()
             if kind == "application/papermill.record/text/html")  # fmt: skip
    return [row for text in glued for row in re.findall(r"<tr .*?</tr>", text, re.DOTALL)]


@each
def test_a_claim_is_of_the_paper_and_its_words_and_number_are_a_notebooks(paper):
    claims = [what for _, what in DECKS[paper]["slides"] if what.startswith("claim")]
    assert claims
    for what in claims:
        content, source = slides.shown(what, {}, slides.read(slides.SCORECARD))
        key = what.removeprefix("claim ")
        claim = next(row for row in glued_rows() if f"data-key='{html.escape(key)}" in row)
        assert source.startswith(paper)
        said = [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", content)]
        assert len(said) >= 3
        assert all(text in html.unescape(claim) for text in said)


@each
def test_no_markup_of_the_chapters_is_left(decks, paper):
    body = decks[paper].partition("<body>")[2]
    assert not re.search(r"\{\w+(:\w+)?\}`|<!--|&lt;!--|:label:|<a |href|headerlink", body)


@each
def test_a_footer_names_the_chapter_in_words(decks, paper):
    footers = re.findall(r"<p class='source'>(.*?)</p>", decks[paper])
    assert len(footers) == len(DECKS[paper]["slides"])
    assert all(re.search(r"Chapter \d\d\. [A-Z][a-z]* |\d · Scorecard", footer)
               for footer in footers)  # fmt: skip
    assert not any(name in decks[paper] for name in DECKS[paper]["chapters"])


def test_a_figure_is_the_chapters_own_and_has_its_text(built):
    for paper, told in DECKS.items():
        page = (built / f"{paper.lower()}.html").read_text(encoding="utf-8")
        images = re.findall(r"<img src='(.*?)' alt='(.{40,}?)'>", page)
        assert len(images) == sum(what.startswith("fig-") for _, what in told["slides"])
        assert all((built / source).stat().st_size > 5000 for source, _ in images)


FURTHEST = """([parts, side]) => Math.max(...[
  ...Reveal.getCurrentSlide().querySelectorAll(parts)
].map((part) => part.getBoundingClientRect()[side]))"""


class TestInABrowser:
    pytestmark = CHROMIUM_MARKS

    @each
    def test_a_deck_is_whole_without_a_network_and_nothing_is_cut(self, chromium, built, paper):
        context = chromium.new_context(offline=True, viewport={"width": 1100, "height": 640})
        page = context.new_page()
        foreign, errors = [], []
        page.on("request", lambda r: r.url.startswith("file:") or foreign.append(r.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda r: errors.append(r.url))
        page.goto((built / f"{paper.lower()}.html").as_uri(), wait_until="load")
        page.evaluate("MathJax.startup.promise.then(() => true)")
        for number in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(f"Reveal.slide({number})")
            low = page.evaluate(FURTHEST, ["*:not(.source)", "bottom"])
            wide = page.evaluate(FURTHEST, ["*", "right"])
            heading = page.locator("section.present").inner_text()[:60]
            assert low <= 640, f"{paper} {number}: {heading!r} ends at {low}"
            assert wide <= 1101, f"{paper} {number}: {heading!r} is {wide} wide"
        assert page.locator("mjx-merror").count() == 0
        assert not foreign
        assert not errors
        context.close()
