"""The README's first screen: its figure is what its script draws, its numbers the chapters'."""

import html
import json
import re

import pytest
from by_path import ROOT, load

README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ((?:AS|DZ|ZC|ZW|LX)\w+): (.*?) \| (.*?) \|$", README, re.MULTILINE)


def printed(name):
    """Return what a chapter's cells printed, as text."""
    notebook = json.loads((ROOT / name).with_suffix(".ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    texts = [output.get("text", []) for output in outputs]
    texts += [output.get("data", {}).get("text/html", []) for output in outputs]
    texts += [output.get("data", {}).get("text/plain", []) for output in outputs]
    return html.unescape(" ".join("".join(text) for text in texts))


def numbers(text):
    return set(re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text))


@pytest.mark.fixed_seed("the stored figure was drawn with this seed")
def test_figure_is_what_its_script_draws():
    script = load("book/_make/readme_figure.py")
    assert script.OUT.read_text(encoding="utf-8") == script.svg()


@pytest.mark.fixed_seed("the text quotes the stored figure")
def test_what_is_said_of_the_figure_is_what_it_shows():
    truth, naive, undone = load("book/_make/readme_figure.py").shares()
    alt = re.search(r"!\[(.*?)\]\(book/_static/one_coin.svg\)", README, re.DOTALL)[1]
    assert f"around {naive.mean():.3f}" in alt
    assert f"the truth, {truth:.3f}" in alt
    # centred on the truth: 2,000 evenings, so four standard errors are under half a point
    assert abs(undone.mean() - truth) < 4 * undone.std() / len(undone) ** 0.5


def test_every_paper_has_its_line():
    assert [paper for paper, *_ in ROWS] == ["AS00", "DZ03", "ZCM04", "ZWZ05", "LX14"]


@pytest.mark.parametrize(("paper", "links", "found"), ROWS, ids=lambda value: value[:5])
def test_each_number_was_printed_by_the_chapter_that_the_line_names(paper, links, found):
    chapters = re.findall(r"\((notebooks/\w+\.md)\)", links)
    assert chapters
    shown = numbers(" ".join(map(printed, chapters)).replace("%", " "))
    said = numbers(found)
    assert len(said) >= 2
    assert said <= shown, sorted(said - shown)
