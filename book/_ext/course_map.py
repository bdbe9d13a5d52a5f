"""Say which exercise and which assignment practises which objective, from their own tags.

A chapter lists its objectives; an exercise names those it practises and its minutes
(*Objectives 1, 3. 5 minutes.*); an assignment has a comment
``<!-- objectives: 00_tour 2 3, 01_roles 1 -->`` below its title. The directive ``course-map`` puts
them side by side, ``course-assignments`` lists the assignments of ``notebooks/assignments``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: An estimate, which the book's page "How to use this book" states: words a minute, and lines of
#: code that the page shows.
WORDS, LINES = 90, 8
UNSEEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


class Exercise(NamedTuple):
    """What an exercise says of itself."""

    title: str
    objectives: set[int]
    minutes: int


class Minutes(NamedTuple):
    """How long a chapter takes, by the one formula."""

    core: int
    exercises: int


class Chapter(NamedTuple):
    """What a chapter says of itself."""

    name: str
    objectives: dict[int, str]
    exercises: dict[str, Exercise]
    minutes: Minutes
    #: Words of the core path: all that stands before the exercises.
    core_words: int


class Assignment(NamedTuple):
    """What an assignment says of itself."""

    title: str
    time: str
    points: str
    #: Chapter -> the objectives of it that the assignment needs.
    objectives: dict[str, set[int]]


def read_chapter(path: Path) -> Chapter:
    """Read a notebook's objectives and the tags of its exercises."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    part = re.search(r"^## Objectives$(.*?)^(?:\*\*Time|## )", text, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^(\d)\. (.*?)[;.]$(?=\n\d\. |\s*\Z)", part[1] if part else "",
                        re.MULTILINE | re.DOTALL)  # fmt: skip
    objectives = {int(number): " ".join(words.split()) for number, words in listed}
    found = re.findall(
        r"^(`{3,})\{exercise\} *(.*?)\n:label: (\S+)\n(.*?)^\1", text, re.MULTILINE | re.DOTALL
    )
    exercises = {}
    for _, title, label, body in found:
        tag = re.search(r"^\*Objectives? ([\d, ]+)\.(?: (\d+) minutes\.)?\*$", body, re.MULTILINE)
        numbers = {int(n) for n in tag[1].split(",")} if tag else set()
        exercises[label] = Exercise(title, numbers, int(tag[2] or 0) if tag else 0)
    words, lines = _parts(cells)
    core = 5 * math.ceil((words["core"] / WORDS + lines["core"] / LINES) / 5)
    minutes = Minutes(core, sum(each.minutes for each in exercises.values()))
    return Chapter(path.stem, objectives, exercises, minutes, words["core"])


def _parts(cells: list[dict[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Count the words, and the lines of code that are seen, of core, exercises and fine print."""
    words: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    part = "core"
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            if not UNSEEN & set(cell["metadata"].get("tags", ())):
                lines[part] += sum(bool(line.strip()) for line in text.splitlines())
            continue
        for line in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).splitlines():
            if heading := re.match(r"##+ (Exercises|Fine print)", line):
                part = heading[1].lower()
            elif part == "exercises" and line.startswith("## "):
                part = "core"
            words[part] += len(re.findall(r"[A-Za-z]{2,}", line))
    return words, lines


def read_assignment(path: Path) -> Assignment:
    """Read the head of an assignment's source."""
    text = path.read_text(encoding="utf-8")
    title = re.search(r"^# (Assignment .*)$", text, re.MULTILINE)
    time = re.search(r"\*\*Time\*\*: (.*?)\.", text)
    points = re.search(r"\*\*Points\*\*: (\d+)", text)
    tag = re.search(r"<!-- objectives: (.*?) -->", text)
    objectives = {}
    for entry in tag[1].split(",") if tag else ():
        chapter, *numbers = entry.split()
        objectives[chapter] = {int(number) for number in numbers}
    return Assignment(title[1] if title else path.stem, time[1] if time else "",
                      points[1] if points else "", objectives)  # fmt: skip


def chapters(folder: Path) -> list[Chapter]:
    """Return the chapters of a folder in reading order."""
    paths = sorted(folder.glob("*.ipynb"))
    return [read_chapter(path) for path in paths if "_fine_print_" not in path.stem]


def assignments(folder: Path) -> list[Assignment]:
    """Return the assignments that lie beside the chapters."""
    return [read_assignment(path) for path in sorted((folder / "assignments").glob("[0-9]*.md"))]


def table_of(chapter: Chapter, given: list[Assignment]) -> str:
    """Return the objectives of a chapter as a table in Markdown."""
    head = f"**{{doc}}`/notebooks/{chapter.name}`**"
    columns = ["After it you can", "Exercises"] + ["Assignments"] * bool(given)
    rows = [columns, ["---"] * len(columns)]
    for number, words in chapter.objectives.items():
        exercises = [
            f"{{ref}}`{title} <{label}>`"
            for label, (title, practised, _) in chapter.exercises.items()
            if number in practised
        ]
        row = [f"{number}. {words}", ", ".join(exercises)]
        if given:
            row.append(", ".join(
                each.title.partition(":")[0].removeprefix("Assignment ") for each in given
                if number in each.objectives.get(chapter.name, ())
            ))  # fmt: skip
        rows.append(row)
    lines = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return f"{head}\n\n" + "\n".join(lines) + "\n"


class FromNotebooks(SphinxDirective):
    """What is made of the notebooks whenever the book is built."""

    box = "course-map"

    def parsed(self, text: str) -> list[nodes.Node]:
        """Note what the page depends on, and read the text as if it stood there."""
        self.env.note_reread()
        box = nodes.container(classes=[self.box])
        self.state.nested_parse(StringList(text.splitlines()), self.content_offset, box)
        return [box]

    @property
    def folder(self) -> Path:
        """Where the chapters lie."""
        return Path(self.env.srcdir) / "notebooks"


class CourseMap(FromNotebooks):
    """All objectives, and what practises them."""

    def run(self) -> list[nodes.Node]:
        """Write a table for each chapter."""
        given = assignments(self.folder)
        return self.parsed("\n\n".join(table_of(each, given) for each in chapters(self.folder)))


class CourseAssignments(FromNotebooks):
    """The assignments there are."""

    def run(self) -> list[nodes.Node]:
        """Write one row for each."""
        given = assignments(self.folder)
        if not given:
            return self.parsed("The assignments are handed out by whoever gives the course.")
        rows = ["| Assignment | Time | Points | After |", "| --- | --- | --- | --- |"]
        for each in given:
            after = ", ".join(f"{{doc}}`/notebooks/{name}`" for name in each.objectives)
            number, _, name = each.title.removeprefix("Assignment ").partition(": ")
            title = f"{number}. {name[:1].upper()}{name[1:]}"
            rows.append(f"| {title} | {each.time} | {each.points} | {after} |")
        return self.parsed("\n".join(rows))


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("course-map", CourseMap)
    app.add_directive("course-assignments", CourseAssignments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
