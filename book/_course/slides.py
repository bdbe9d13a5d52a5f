"""Build the slides: a deck for each paper, from the chapters' own figures, tables and words.

    python book/_course/slides.py      # writes _build/slides

``decks.toml`` says which idea each slide has and where it is shown; everything else is read from
the notebooks. reveal.js lies beside this file, MathJax comes from ``sphinx-mathjax-offline``: a
deck asks no other host for anything. A slide has no number and no sentence of its own but its
heading, so that it cannot contradict its chapter.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import tomllib
from html import escape
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
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


class Chapters:
    """What slides can show, by name."""

    def __init__(self, names: list[str]) -> None:
        self.figures: dict[str, dict[str, Any]] = {}
        self.claims: dict[str, list[dict[str, str]]] = {}
        self.definitions: dict[str, tuple[str, str]] = {}
        self.summaries: dict[str, list[str]] = {}
        self.home: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        for name in names:
            self._read(name)

    def _read(self, name: str) -> None:
        path = ROOT / "notebooks" / f"{name}.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        heading = re.search(r"^# (.*)$", text, re.MULTILINE)
        assert heading is not None
        self.titles[name] = f"Chapter {name.partition('_')[0]} · {words(heading[1])}"
        found = re.findall(r"^(`{3,})\{prf:definition\} *(.*?)\n:label: (\S+)\n(.*?)^\1", text,
                           re.MULTILINE | re.DOTALL)  # fmt: skip
        for _, title, label, body in found:
            self.definitions[label] = title, re.sub(r"^:\w+:.*\n", "", body, flags=re.MULTILINE)
            self.home[label] = self.titles[name]
        summary = re.search(r"^## Summary$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        points = re.split(r"^\d\. ", summary[1] if summary else "", flags=re.MULTILINE)[1:]
        self.summaries[name] = [" ".join(point.split()) for point in points]
        for cell in cells:
            options = cell["metadata"].get("mystnb", {})
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                glued = output.get("metadata", {}).get("scrapbook", {}).get("name", "")
                if glued.startswith("claims-"):
                    page = next(value for key, value in data.items() if key.endswith("text/html"))
                    rows = [row("td") for row in BeautifulSoup("".join(page), "html.parser")("tr")]
                    self.claims[glued] = [
                        {cell["class"][0]: cell.get_text() for cell in row} for row in rows if row
                    ]
                    self.home[glued] = self.titles[name]
                if "figure" in options and "image/png" in data:
                    label = options["figure"]["name"]
                    self.figures[label] = options | {"png": "".join(data["image/png"])}
                    self.home[label] = self.titles[name]


def words(text: str) -> str:
    """Return MyST without what only a page can resolve: roles become their words."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\{eq\}`[^`]*`", "the equation", text)
    text = re.sub(r" ?\{cite(?::\w)?\}`[^`]*`", "", text)
    text = re.sub(r"\(\{ref\}`[^`]*`\)", "", text)
    text = re.sub(r"\{\w+\}`([^`<]*?)(?: *<[^>]*>)?`", r"\1", text)
    return re.sub(r"(^\$\$) *\([\w-]+\)$", r"\1", text, flags=re.MULTILINE)


def markdown(text: str) -> str:
    """Return a text of a chapter as HTML; MathJax sets the formulas in the browser."""
    reader = MarkdownIt("commonmark").enable("table")
    reader.use(dollarmath_plugin, renderer=_formula)
    return reader.render(words(text))


def _formula(tex: str, options: dict[str, bool]) -> str:
    left, right = ("\\[", "\\]") if options["display_mode"] else ("\\(", "\\)")
    return escape(f"{left}{tex}{right}")


def shown(chapters: Chapters, what: str) -> tuple[str, str]:
    """Return what a slide shows as HTML, and the chapter from which it is."""
    kind, *names = what.split()
    if kind == "claim":
        key, row = f"claims-{names[0]}", int(names[1]) - 1
        cells = chapters.claims[key][row]
        lines = "".join(
            f"<tr><th scope='row'>{head}</th><td>{escape(_unmarked(cells[column]))}</td></tr>"
            for column, head in [("claim", "The paper"), ("ours", "We find"), ("gap", "Gap"),
                                 ("verdict", "Verdict"), ("cause", "Why")]
            if cells.get(column, "").strip() not in ("", "–")
        )  # fmt: skip
        return f"<table>{lines}</table>", f"{cells['source']} · {chapters.home[key]}"
    if kind == "summary":
        return (
            f"<div class='box'>{markdown(chapters.summaries[names[0]][int(names[1]) - 1])}</div>",
            chapters.titles[names[0]],
        )
    if kind in chapters.definitions:
        title, body = chapters.definitions[kind]
        size = " long" if len(body) > LONG else ""
        name = f"<p class='name'>{escape(words(title))}</p>"
        return f"<div class='box{size}'>{name}{markdown(body)}</div>", chapters.home[kind]
    figure = chapters.figures[kind]
    alt = escape(figure["image"]["alt"], quote=True)
    caption = markdown(" ".join(figure["figure"]["caption"].split()))
    picture = f"<img src='figures/{kind}.png' alt='{alt}'><div class='caption'>{caption}</div>"
    return picture, chapters.home[kind]


def _unmarked(cell: str) -> str:
    return re.sub(r"^\[\w+\] ", "", cell.strip())


def deck(paper: str, told: dict[str, Any]) -> tuple[str, Chapters]:
    """Return a deck as a page, and what it was made from."""
    chapters = Chapters(told["chapters"])
    slides = [
        f"<section><h1>{escape(told['title'])}</h1><p>{escape(told['paper'])}</p>"
        f"<p class='caption'>{'<br>'.join(map(escape, chapters.titles.values()))}<br>"
        "Text and figures: CC BY 4.0.</p></section>"
    ]
    for heading, what in told["slides"]:
        content, source = shown(chapters, what)
        slides.append(f"<section><h2>{escape(heading)}</h2>{content}"
                      f"<p class='source'>{escape(source)}</p></section>")  # fmt: skip
    return PAGE.format(
        title=escape(f"{paper}: {told['title']}"), slides="\n".join(slides)
    ), chapters


def main() -> None:
    """Write all decks, with what they need, into one folder."""
    shutil.rmtree(BUILD, ignore_errors=True)
    (BUILD / "figures").mkdir(parents=True)
    shutil.copytree(HERE / "reveal", BUILD / "reveal")
    shutil.copy(HERE / "slides.css", BUILD)
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    assert spec is not None
    assert spec.origin is not None
    mathjax = Path(spec.origin).parent / "static" / "mathjax"
    (BUILD / "mathjax").mkdir()
    shutil.copy(mathjax / "tex-chtml.js", BUILD / "mathjax")
    shutil.copytree(mathjax / "output/chtml/fonts/woff-v2", BUILD / "mathjax" / "woff-v2")
    links = []
    for paper, told in tomllib.loads((HERE / "decks.toml").read_text(encoding="utf-8")).items():
        page, chapters = deck(paper, told)
        (BUILD / f"{paper.lower()}.html").write_text(page, encoding="utf-8")
        for name in {what for _, what in told["slides"]} & set(chapters.figures):
            png = base64.b64decode(chapters.figures[name]["png"])
            (BUILD / "figures" / f"{name}.png").write_bytes(png)
        links.append(
            f"<li><a href='{paper.lower()}.html'>{paper}: {escape(told['title'])}</a></li>"
        )
    index = "<!doctype html><meta charset='utf-8'><title>Slides</title><h1>Slides</h1>"
    (BUILD / "index.html").write_text(f"{index}<ul>{''.join(links)}</ul>\n", encoding="utf-8")


if __name__ == "__main__":
    main()
