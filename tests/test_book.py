"""The built book, opened from file:// in a real browser with the network cut."""

import re
from urllib.parse import quote

import pytest
from headless import BOOK_MARKS, HTML, serious

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


def test_the_book_has_its_pages():
    some = {"index", "scorecard", "add_a_scheme", "api/index", "api/channel", "api/noise"}
    assert {"notebooks/00_tour.html", *(f"book/{name}.html" for name in some)} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_whole_without_a_network(visit, name):
    page = visit(name)
    source = (HTML / name).read_text(encoding="utf-8")
    if 'class="math' in source:
        # mathematics is typeset in the page, and none of it failed
        page.wait_for_selector("mjx-container", timeout=20_000)
        page.wait_for_function(
            "document.querySelectorAll('.math mjx-container').length >= "
            "document.querySelectorAll('.math').length"
        )
        assert page.locator("mjx-merror").count() == 0
    broken = page.eval_on_selector_all(
        "img", "imgs => imgs.filter(i => !(i.complete && i.naturalWidth)).map(i => i.src)"
    )
    assert not broken
    unnamed = page.eval_on_selector_all(
        "main img", "imgs => imgs.filter(i => !(i.alt || '').trim()).map(i => i.src)"
    )
    assert not unnamed, "an image without alt text"


@pytest.mark.parametrize("name", PAGES)
def test_fonts_come_with_the_book(visit, name):
    page = visit(name)
    page.evaluate("document.fonts.ready")
    failed = page.evaluate(
        "[...document.fonts].filter(f => f.status === 'error').map(f => f.family)"
    )
    assert not failed


def test_no_page_names_another_host_for_what_it_loads():
    # links may lead anywhere; scripts, styles, images and frames may not
    loads = re.compile(r"<(?:script|img|iframe|source)[^>]+src=\"(?:https?:)?//|"
                       r"<link[^>]+rel=\"(?:stylesheet|preload|icon|preconnect)\"[^>]+"
                       r"href=\"(?:https?:)?//")
    for path in HTML.rglob("*.html"):
        assert not loads.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("words", ["randomised response", "standard error"])
def test_search_finds_a_chapter(visit, words):
    page = visit("search.html", f"?q={quote(words)}")
    # hits come in one after the other
    hit = '#search-results ul.search li a[href*="notebooks/00_tour"]'
    page.wait_for_selector(hit, timeout=20_000)


def test_front_page_leads_to_the_book(visit):
    page = visit("index.html")
    page.wait_for_url("**/book/index.html")
    assert page.locator(".bd-article h1").count() == 1


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["book/index.html", "notebooks/00_tour.html"])
def test_nothing_is_wider_than_the_page(visit, name, theme, width):
    page = visit(name)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.wait_for_timeout(200)
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0


READ = [
    name
    for name in PAGES
    if name.startswith("notebooks/")
    or name in ("book/index.html", "book/scorecard.html", "book/survey_demo.html")
]
# The colours of the dark theme are the same on every page: three show all that is ours.
DARK = ["book/index.html", "book/scorecard.html", "notebooks/01_roles.html"]


# Nothing of the theme's own markup is left out: its findings were mended in pages.js.
@pytest.mark.parametrize(
    ("name", "theme"), [(n, "light") for n in READ] + [(n, "dark") for n in DARK]
)
def test_nothing_serious_stands_in_a_readers_way(visit, name, theme):
    page = visit(name)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.wait_for_timeout(200)
    # mathematics is MathJax's own markup, which brings its own speech
    assert serious(page, exclude=[["mjx-container"]]) == {}


def test_a_wide_table_says_so_and_keeps_its_first_column(visit):
    page = visit("book/scorecard.html")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_timeout(200)
    table = page.locator(".table-scroll[tabindex='0']").first
    hint = page.locator(".table-scroll[tabindex='0'] + .table-hint").first
    assert hint.is_visible()
    left = table.locator("tbody tr").first.locator("th, td").first
    before = left.bounding_box()["x"]
    table.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    page.wait_for_timeout(200)
    assert abs(left.bounding_box()["x"] - before) <= 1
    assert not hint.is_visible()  # nothing more to the right
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_timeout(200)
    assert page.locator(".claims-summary .table-scroll[tabindex]").count() == 0


def test_a_figure_opens_at_its_full_size_by_mouse_and_by_keyboard(visit):
    page = visit("notebooks/00_tour.html")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function(  # the page stands still once its mathematics is typeset
        "document.querySelectorAll('.math mjx-container').length >= "
        "document.querySelectorAll('.math').length"
    )
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
