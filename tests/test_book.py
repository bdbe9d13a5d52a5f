"""The built book, opened from file:// in a real browser with the network cut."""

import re
from urllib.parse import quote

import pytest
from headless import BOOK_MARKS, HTML, LONG, serious, settled

pytestmark = BOOK_MARKS

# what Sphinx writes beside the pages
EXTRA = {"search.html", "genindex.html", "py-modindex.html", "index.html", "prf-prf.html"}
PAGES = sorted(
    {
        path.relative_to(HTML).as_posix()
        for path in HTML.rglob("*.html")
        if "_static" not in path.parts
    }
    - EXTRA
)
# Three that show all that is ours; make test looks at them alone.
FIRST = ["book/index.html", "book/scorecard.html", "notebooks/01_roles.html"]
THEMES, WIDTHS = ("light", "dark"), (1280, 375)

#: A word of code has a kind: its classes and those of all around it. Of the thousands on a page
#: the first of each kind stays, which looks as the others do; these become plain text in its place.
FIRST_OF_EACH_KIND = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight span, .sig span, code span")) {
    let kind = "";
    for (let at = word; at; at = at.parentElement) kind += `${at.tagName}.${at.className} `;
    if (seen.has(kind)) word.replaceWith(...word.childNodes); else seen.add(kind);
  }
}"""
#: Two frames, and whatever moves has come to its end.
STILL = """(async () => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map((one) => one.finished));
})()"""


def test_the_book_has_its_pages():
    some = {"index", "scorecard", "add_a_scheme", "api/index", "api/channel", "api/noise"}
    assert {"notebooks/00_tour.html", *(f"book/{name}.html" for name in some)} <= set(PAGES)


def test_each_page_has_a_title_of_its_own():
    title = re.compile(r"<title>(.*?) &#8212; (.*?)</title>", re.DOTALL)
    found = [title.search((HTML / name).read_text(encoding="utf-8")).groups() for name in PAGES]
    assert {book for _, book in found} == {"Privacy-preserving data mining"}
    assert len({page for page, _ in found} - {"Privacy-preserving data mining"}) == len(PAGES)


def typeset(page):
    """Wait until all mathematics of a page is typeset: it stands still from then on."""
    page.wait_for_function(
        "document.querySelectorAll('.math mjx-container').length >= "
        "document.querySelectorAll('.math').length",
        timeout=20_000,
    )


def show(page, theme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    settled(page, STILL)


def test_a_page_that_never_stands_still_is_named(chromium):
    context = chromium.new_context(offline=True)
    page = context.new_page()
    endless = "document.body.animate({opacity: [0, 1]}, {duration: 100, iterations: Infinity})"
    page.evaluate(f"() => {{ {endless}; }}")
    with pytest.raises(Exception, match=r"(?s)not within 0.5 s.*getAnimations"):
        settled(page, STILL, seconds=0.5)
    context.close()


def broken(page):
    """Return what of a page did not load, was not typeset, or cannot be read aloud."""
    settled(page, "document.fonts.ready")
    return page.evaluate("""() => ({
      formulas: [...document.querySelectorAll("mjx-merror")].map((node) => node.textContent),
      images: [...document.querySelectorAll("img")]
        .filter((image) => !(image.complete && image.naturalWidth)).map((image) => image.src),
      unnamed: [...document.querySelectorAll("main img")]
        .filter((image) => !(image.alt || "").trim()).map((image) => image.src),
      fonts: [...document.fonts].filter((font) => font.status === "error").map((f) => f.family),
    })""")


@pytest.mark.parametrize(
    "name", [*FIRST, *(pytest.param(name, marks=LONG) for name in PAGES if name not in FIRST)]
)
def test_page_is_whole_and_can_be_read_by_everybody(visit, name):
    page = visit(name)
    if 'class="math' in (HTML / name).read_text(encoding="utf-8"):
        page.wait_for_selector("mjx-container", state="attached", timeout=20_000)
        typeset(page)
    faults = {kind: found for kind, found in broken(page).items() if found}
    # Colours, menus and sidebars are the theme's, alike on every page. What a page has of its own
    # is looked at where it is hardest: on a phone, where most must scroll and be reached by keys.
    whole = name in FIRST
    for theme in THEMES[: 2 if whole else 1]:
        for width in WIDTHS:
            show(page, theme, width)
            if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                faults["too wide", theme, width] = True
            # Nothing of the theme's own markup is left out; mathematics is MathJax's own, which
            # brings its own speech.
            if whole or width == min(WIDTHS):
                if not whole:
                    page.evaluate(FIRST_OF_EACH_KIND)
                faults |= serious(page, exclude=[["mjx-container"]])
    assert not faults


def test_no_page_names_another_host_for_what_it_loads():
    # links may lead anywhere; scripts, styles, images and frames may not
    loads = re.compile(r"<(?:script|img|iframe|source)[^>]+src=\"(?:https?:)?//|"
                       r"<link[^>]+rel=\"(?:stylesheet|preload|icon|preconnect)\"[^>]+"
                       r"href=\"(?:https?:)?//")
    for path in HTML.rglob("*.html"):
        assert not loads.search(path.read_text(encoding="utf-8")), path


@LONG
@pytest.mark.parametrize("words", ["randomised response", "standard error"])
def test_search_finds_a_chapter(visit, words):
    page = visit("search.html", f"?q={quote(words)}")
    # hits come in one after the other
    hit = '#search-results ul.search li a[href*="notebooks/00_tour"]'
    page.wait_for_selector(hit, timeout=20_000)


@LONG
def test_a_chapter_about_a_word_is_found_before_the_reference(visit):
    page = visit("search.html", "?q=epsilon")
    page.wait_for_selector("#search-results ul.search li", timeout=20_000)
    first = page.locator("#search-results ul.search li a").first
    assert first.get_attribute("href").startswith("notebooks/")


#: Characters of the longest line of text outside tables, and the screens of 900 pixels from the
#: title to the last exercise, folds shut.
SITTING = """() => {
  let longest = 0, last = 0;
  for (const text of document.querySelectorAll(".bd-article p:not(:has(img, mjx-container))")) {
    if (text.closest("table")) continue;
    const lines = {}, walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (let i = 0; i < node.length; i++) {
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const { width, bottom } = range.getBoundingClientRect(), at = Math.round(bottom / 6);
        if (width) longest = Math.max(longest, (lines[at] = (lines[at] ?? 0) + 1));
      }
    }
  }
  for (const box of document.querySelectorAll(".bd-article :is(.exercise, .solution)"))
    last = Math.max(last, box.getBoundingClientRect().bottom);
  const first = document.querySelector(".bd-article h1").getBoundingClientRect().top;
  return [longest, (last - first) / 900];
}"""


@LONG
@pytest.mark.parametrize("name", [name for name in PAGES if re.search(r"/\d\d_", name)])
def test_a_chapter_is_one_sitting_of_short_lines(visit, name):
    page = visit(name, viewport={"width": 1400, "height": 900})
    typeset(page)
    longest, screens = page.evaluate(SITTING)
    assert longest <= 85
    assert screens <= 17


@LONG
def test_front_page_leads_to_the_book(visit):
    page = visit("index.html")
    page.wait_for_url("**/book/index.html")
    assert page.locator(".bd-article h1").count() == 1


@LONG
def test_a_wide_table_says_so_and_keeps_its_first_column(visit):
    page = visit("book/scorecard.html")
    show(page, "light", 390)
    table = page.locator(".table-scroll[tabindex='0']").first
    hint = page.locator(".table-scroll[tabindex='0'] + .table-hint").first
    assert hint.is_visible()
    left = table.locator("tbody tr").first.locator("th, td").first
    before = left.bounding_box()["x"]
    table.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    settled(page, STILL)
    assert abs(left.bounding_box()["x"] - before) <= 1
    assert not hint.is_visible()  # nothing more to the right
    show(page, "light", 1400)
    assert page.locator(".claims-summary .table-scroll[tabindex]").count() == 0


#: Of each picture that scripts may scroll: the pixels of its smallest labels, as far as its kind
#: says (a figure of a cell has 11 points at 110 dots an inch); and whether a hint stands below it.
FIGURES = """() => [...document.querySelectorAll(".figure-scroll")]
  .filter((region) => region.clientWidth).map((region) => {
    const image = region.querySelector("img"), drawn = image.getBoundingClientRect().width;
    const hint = (region.closest("a") ?? region).nextElementSibling;
    return { name: image.src.split("/").at(-1), of: drawn / image.naturalWidth, drawn,
      cell: image.matches(".cell_output img"), wide: region.scrollWidth > region.clientWidth + 1,
      says: hint.matches(".table-hint") && !hint.hidden };
  })"""


@LONG
@pytest.mark.parametrize("name", ["01_roles", "12_trees", "32_survey_system"])
def test_a_figure_on_a_phone_can_be_read_and_says_that_it_scrolls(visit, name):
    page = visit(f"notebooks/{name}.html")
    show(page, "light", 360)
    figures = page.evaluate(FIGURES)
    assert figures
    for figure in figures:
        assert figure["wide"] == figure["says"], figure
        if figure["cell"]:
            assert figure["of"] * 11 * 110 / 72 >= 9 - 0.01, figure
        elif figure["name"].endswith(".svg"):
            text = (HTML / "_images" / figure["name"]).read_text(encoding="utf-8")
            width = float(re.search(r'viewBox="0 0 (\S+)', text)[1])
            sizes = map(float, re.findall(r'font-size="([0-9.]+)"', text))
            assert min(sizes) * figure["drawn"] / width >= 9, figure
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    show(page, "light", 1400)
    assert not any(figure["wide"] or figure["says"] for figure in page.evaluate(FIGURES))


@LONG
def test_a_figure_opens_at_its_full_size_by_mouse_and_by_keyboard(visit):
    page = visit("notebooks/00_tour.html")
    show(page, "light", 390)
    typeset(page)
    button = page.locator("figure .figure-button").first
    drawn = button.locator("img").evaluate("image => image.naturalWidth")
    button.focus()
    page.keyboard.press("Enter")
    large = page.locator("dialog.full-size[open] img")
    assert large.bounding_box()["width"] == drawn
    page.keyboard.press("Escape")
    assert page.locator("dialog.full-size[open]").count() == 0
    button.click()
    page.wait_for_selector("dialog.full-size[open]")
    page.locator("dialog.full-size button").click()
    assert page.locator("dialog.full-size[open]").count() == 0
