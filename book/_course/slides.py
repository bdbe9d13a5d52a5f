"""Build the slides: a deck for each paper, cut out of the pages that ``make book`` wrote.

    python book/_course/slides.py      # writes _build/slides

``decks.toml`` says which idea each slide has and where it is shown. reveal.js lies beside this
file, MathJax is the book's: a deck asks no other host for anything. A slide has no number
and no sentence of its own but its heading, so that it cannot contradict its chapter.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from html import escape
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Comment, Tag

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGES = ROOT / "_build" / "html" / "notebooks"
SCORECARD = ROOT / "_build" / "html" / "book" / "scorecard.html"
BUILD = ROOT / "_build" / "slides"
#: A definition of more characters is set smaller.
LONG = 520
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="reveal/reset.css">
<link rel="stylesheet" href="reveal/reveal.css">
<link rel="stylesheet" href="slides.css">
<script>
  MathJax = {{chtml: {{fontURL: "mathjax/woff-v2"}}, options: {{enableMenu: false}}}};
</script>
<script defer src="mathjax/tex-chtml.js"></script>
</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="reveal/reveal.js"></script>
<script>Reveal.initialize({{width: 1100, height: 640, center: false, hash: true,
  slideNumber: true, transition: "none"}});</script>
</body>
</html>
"""


def chapter(name: str) -> BeautifulSoup:
    """Read a chapter's page, without what only a page can use."""
    return read(PAGES / f"{name}.html")


def read(path: Path) -> BeautifulSoup:
    """Read a page, without what only a page can use."""
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    for tag in soup.select(".headerlink, .caption-number, .eqno"):
        tag.decompose()
    for comment in soup(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for link in soup("a"):
        link.unwrap()
    return soup


def title(soup: BeautifulSoup) -> str:
    """Return a chapter's number and title."""
    return f"Chapter {soup.select_one('article h1').get_text()}"


def unmarked(cell: Tag) -> str:
    """Return the text of a claim's cell, without the word for what kind of claim it is."""
    return re.sub(r"^\[\w+\] ", "", cell.get_text().strip())


def found(what: str, chapters: dict[str, BeautifulSoup]) -> tuple[str, Tag]:
    """Return the chapter that has a figure or a definition, and this part of its page."""
    [home] = [(name, part) for name, soup in chapters.items() if (part := soup.find(id=what))]
    return home


def claim(key: str, scorecard: BeautifulSoup) -> tuple[str, str]:
    """Return the first row of the claim whose key begins so as a table, and its source."""
    rows = [row for row in scorecard.select("div.claims tbody tr")
            if row["data-key"].startswith(key)]  # fmt: skip
    [_] = {row["data-key"] for row in rows}
    cells = {cell["class"][0]: cell for cell in rows[0]("td")}
    lines = "".join(
        f"<tr><th scope='row'>{head}</th><td>{escape(unmarked(cells[column]))}</td></tr>"
        for column, head in [("claim", "The paper"), ("ours", "We find"), ("gap", "Gap"),
                             ("verdict", "Verdict"), ("cause", "Why")]
        if unmarked(cells[column]) not in ("", "–")
    )  # fmt: skip
    return f"<table>{lines}</table>", f"{unmarked(cells['source'])} · Scorecard"


def shown(
    what: str, chapters: dict[str, BeautifulSoup], scorecard: BeautifulSoup
) -> tuple[str, str]:
    """Return what a slide shows as HTML, and from where it is."""
    kind, _, rest = what.partition(" ")
    if kind == "claim":
        return claim(rest, scorecard)
    if kind == "summary":
        name, number = rest.split()
        point = chapters[name].select("#summary ol > li")[int(number) - 1].decode_contents()
        return f"<div class='box'>{point}</div>", title(chapters[name])
    name, part = found(what, chapters)
    source = title(chapters[name])
    if part.name == "figure":
        picture = f"<img src='figures/{what}.png' alt='{escape(part.img['alt'], quote=True)}'>"
        return f"{picture}<div class='caption'>{part.figcaption.decode_contents()}</div>", source
    heading, text = part.select_one(".admonition-title"), part.select_one(".definition-content")
    size = " long" if len(text.get_text()) > LONG else ""
    named = f"<p class='name'>{escape(heading.get_text().strip(' ()'))}</p>"
    return f"<div class='box{size}'>{named}{text.decode_contents()}</div>", source


def deck(
    paper: str, told: dict[str, Any], chapters: dict[str, BeautifulSoup], scorecard: BeautifulSoup
) -> str:
    """Return a deck as a page."""
    titles = "<br>".join(escape(title(soup)) for soup in chapters.values())
    slides = [
        f"<section><h1>{escape(told['title'])}</h1><p>{escape(told['paper'])}</p>"
        f"<p class='caption'>{titles}<br>Text and figures: CC BY 4.0.</p></section>"
    ]
    for heading, what in told["slides"]:
        content, source = shown(what, chapters, scorecard)
        slides.append(f"<section><h2>{escape(heading)}</h2>{content}"
                      f"<p class='source'>{escape(source)}</p></section>")  # fmt: skip
    return PAGE.format(title=escape(f"{paper}: {told['title']}"), slides="\n".join(slides))


def main() -> None:
    """Write all decks, with what they need, into one folder."""
    shutil.rmtree(BUILD, ignore_errors=True)
    (BUILD / "figures").mkdir(parents=True)
    shutil.copytree(HERE / "reveal", BUILD / "reveal")
    shutil.copy(HERE / "slides.css", BUILD)
    mathjax = PAGES.parent / "_static" / "mathjax"
    (BUILD / "mathjax").mkdir()
    shutil.copy(mathjax / "tex-chtml.js", BUILD / "mathjax")
    shutil.copytree(mathjax / "output/chtml/fonts/woff-v2", BUILD / "mathjax" / "woff-v2")
    links, scorecard = [], read(SCORECARD)
    for paper, told in tomllib.loads((HERE / "decks.toml").read_text(encoding="utf-8")).items():
        chapters = {name: chapter(name) for name in told["chapters"]}
        page = deck(paper, told, chapters, scorecard)
        (BUILD / f"{paper.lower()}.html").write_text(page, encoding="utf-8")
        for _, what in told["slides"]:
            if what.startswith("fig-"):
                image = found(what, chapters)[1].img
                shutil.copy(PAGES / image["src"], BUILD / "figures" / f"{what}.png")
        links.append(
            f"<li><a href='{paper.lower()}.html'>{paper}: {escape(told['title'])}</a></li>"
        )
    index = "<!doctype html><meta charset='utf-8'><title>Slides</title><h1>Slides</h1>"
    (BUILD / "index.html").write_text(f"{index}<ul>{''.join(links)}</ul>\n", encoding="utf-8")


if __name__ == "__main__":
    main()
