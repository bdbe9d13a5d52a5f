"""Make the book for paper: ``python book/_course/take_along.py`` writes ``_build/ppdm.pdf``.

It has all figures, formulas and solutions, opened, since nothing unfolds on paper. The pages that
``make book`` wrote are put into one, in the order of the contents, and Chromium prints it once
MathJax has typeset it; the API reference is left out.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build"
#: Not printed: a page that is all script, and a reference that is looked up and not read.
LEFT_OUT = ("book/survey_demo", "book/api/")
#: What the web page folds or shows beside the text.
PRINTED = """
@page { size: A4; margin: 18mm 16mm 20mm; }
html { font-size: 11px; }
* { animation: none !important; transition: none !important; }
.bd-header, .bd-header-article, .bd-sidebar, .bd-sidebar-primary, .bd-sidebar-secondary,
.bd-footer, .prev-next-footer, .skip-link, #pst-skip-link, .headerlink, .toggle-button,
button.toggle-button-hidden, .search-button__wrapper, .copybtn, .figure-button::after,
#pst-back-to-top, pst-scroll-pixel-helper { display: none !important; }
.bd-main .bd-content .bd-article-container { max-width: 100%; padding: 0; }
.bd-page-width, .bd-container__inner { max-width: 100% !important; }
.toggle-hidden, .toggle-hidden > * { display: revert !important; opacity: 1 !important;
  height: auto !important; max-height: none !important; visibility: visible !important; }
pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
pre, pre span { font-size: 8.5px !important; }
#jb-print-docs-body { display: none !important; }
.bd-main .bd-content { margin-left: 0 !important; }
.bd-main .bd-content .bd-article h1 { display: block !important; break-before: page; }
.bd-main .bd-content .bd-article h1#contents-of-all { break-before: auto; }
h1, h2, h3 { break-after: avoid; }
figure, pre, .cell_output table, .admonition:not(.solution), div.math { break-inside: avoid; }
"""


def one_page(html: Path, names: list[str]) -> str:
    """Put the pages into one, with links between them as links within it."""
    whole = BeautifulSoup((html / f"{names[0]}.html").read_text(encoding="utf-8"), "html.parser")
    article = whole.select_one("article.bd-article")
    assert article is not None
    article.clear()
    heading, listed = whole.new_tag("h1", id="contents-of-all"), whole.new_tag("ol")
    heading.string = "Contents"
    article.extend([heading, listed])
    for name in names:
        page = BeautifulSoup((html / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        part = page.select_one("article.bd-article")
        assert part is not None
        _moved(part, name, names[0], set(names))
        part.name = "div"
        part["id"] = _anchor(name)
        article.append(part)
        title = part.h1.get_text().rstrip("#") if part.h1 else name
        entry, link = whole.new_tag("li"), whole.new_tag("a", href=f"#{_anchor(name)}")
        link.string = title
        entry.append(link)
        listed.append(entry)
    # the copy of each formula for screen readers is of no use on paper, and doubles the page
    fast = '{"options": {"enableAssistiveMml": false, '
    return str(whole).replace('{"options": {', fast, 1)


def _anchor(name: str, target: str = "") -> str:
    return "--".join(filter(None, [name.replace("/", "-"), target]))


def _moved(part: Tag, name: str, root: str, names: set[str]) -> None:
    """Rewrite a page's ids, links and images for the one page that holds all."""
    for tag in part.find_all(id=True):
        tag["id"] = _anchor(name, tag["id"])
    here, there = os.path.dirname(name), os.path.dirname(root)
    for tag in part.find_all(src=True):
        if "://" not in tag["src"] and not tag["src"].startswith("data:"):
            tag["src"] = os.path.relpath(os.path.join(here, tag["src"]), there or ".")
    for tag in part.find_all("a", href=True):
        path, _, target = tag["href"].partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        page = os.path.normpath(os.path.join(here, path)).removesuffix(".html") if path else name
        if page in names:
            tag["href"] = "#" + _anchor(page, target)
        else:
            del tag["href"]  # a download, the index: nothing to follow on paper


def pdf() -> Path:
    """Print the built book as one page, once MathJax has typeset its formulas."""
    from playwright.sync_api import sync_playwright

    html = BUILD / "html"
    names = [name for name in parse_toc_yaml(ROOT / "_toc.yml") if not name.startswith(LEFT_OUT)]
    page_of_all = html / f"{names[0]}-of-all.html"
    page_of_all.write_text(one_page(html, names), encoding="utf-8")
    finished = BUILD / "ppdm.pdf"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(  # without one on the path: playwright's own
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(600_000)
        page.goto(page_of_all.as_uri(), wait_until="load")
        page.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise")
        page.evaluate("MathJax.startup.promise.then(() => true)")
        page.add_style_tag(content=PRINTED)
        page.evaluate(
            "document.querySelectorAll('details').forEach(box => { box.open = true; });"
            "document.querySelectorAll('img[loading]').forEach(i => { i.loading = 'eager'; });"
            "document.documentElement.dataset.theme = 'light'"
        )
        page.pdf(path=finished, prefer_css_page_size=True, outline=True, tagged=True,
                 print_background=True, display_header_footer=True, header_template="<i></i>",
                 footer_template="<div style='font-size:8px;width:100%;text-align:center'>"
                 "<span class='pageNumber'></span></div>")  # fmt: skip
        browser.close()
    page_of_all.unlink()
    return finished


if __name__ == "__main__":
    made = pdf()
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
