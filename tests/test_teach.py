"""The teaching page: its hours are the chapters' own, and the map is what the tags say."""

import re

import pytest
from by_path import ROOT, load

pytest.importorskip("sphinx")

NOTEBOOKS = ROOT / "notebooks"
PAGE = (ROOT / "book" / "teach.md").read_text(encoding="utf-8")
course_map = load("book/_ext/course_map.py")

CHAPTERS = {chapter.name: chapter for chapter in course_map.chapters(NOTEBOOKS)}
ASSIGNMENTS = course_map.assignments(NOTEBOOKS)
#: Pages that are no chapters say no time: what a syllabus gives them.
PAGES = {"which_scheme": 15, "survey_demo": 15}
#: What a chapter needs beside those before it in its own part.
BEFORE = {"30_guided_perturbation": {"12_trees"},
          "53_fast_and_large": {"11_reconstruction", "20_one_coin_per_record"}}  # fmt: skip


def minutes(name):
    return PAGES.get(name) or CHAPTERS[name].minutes.core


def syllabus(title):
    """Return the rows of a syllabus: the pages and the minutes of their core paths."""
    section = re.search(rf"^### {title}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)[1]
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (\d+) \|$", section, re.MULTILINE)
    return [(re.findall(r"\{doc\}`/\w+/(\w+)`", pages), int(total)) for _, pages, total in rows]


SYLLABI = ["Half a day", "A week", "Twelve weeks"]


@pytest.mark.parametrize("title", SYLLABI)
def test_minutes_are_those_of_the_chapters(title):
    rows = syllabus(title)
    assert len(rows) == {"Half a day": 6, "A week": 5, "Twelve weeks": 12}[title]
    for pages, total in rows:
        assert sum(map(minutes, pages)) == total, pages


def test_half_a_day_is_half_a_day():
    assert sum(total for _, total in syllabus("Half a day")) <= 4 * 60


@pytest.mark.parametrize("title", SYLLABI)
def test_what_a_chapter_needs_comes_before_it(title):
    """A part is read from its first chapter on; half a day leaves some out."""
    order = [name for pages, _ in syllabus(title) for name in pages]
    assert order[:2] == ["00_tour", "01_roles"]
    assert len(order) == len(set(order))
    for name in CHAPTERS.keys() & order:
        needed = {n for n in CHAPTERS if n[0] == name[0] and n < name} | BEFORE.get(name, set())
        there = needed & {*order} if title == "Half a day" else needed
        assert there <= {*order[: order.index(name)]}, name


def test_twelve_weeks_leave_out_no_chapter():
    read = {name for pages, _ in syllabus("Twelve weeks") for name in pages}
    assert read == set(CHAPTERS) | set(PAGES)


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda chapter: chapter.name)
def test_each_objective_is_practised_and_stands_in_the_map(chapter):
    table = course_map.table_of(chapter, ASSIGNMENTS)
    rows = re.findall(r"^\| (\d)\. .*? \| (.*) \| (.*) \|$", table, re.MULTILINE)
    assert [int(number) for number, *_ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) >= 3
    for number, exercises, assignments in rows:
        needed = [given.title for given in ASSIGNMENTS
                  if int(number) in given.objectives.get(chapter.name, ())]  # fmt: skip
        assert assignments == ", ".join(title.split()[1][:-1] for title in needed)
        wanted = {
            label for label, each in chapter.exercises.items() if int(number) in each.objectives
        }
        assert wanted
        assert set(re.findall(r"<(ex-[\w-]+)>", exercises)) == wanted


def test_the_map_reads_the_texts_as_they_are():
    """Beside the parser, a count: what it misses would be missing on the page."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(NOTEBOOKS.glob("*.md"))]
    found = sum(len(re.findall(r"^`+\{exercise\}", text, re.MULTILINE)) for text in texts)
    tags = sum(len(re.findall(r"^\*Objectives? ", text, re.MULTILINE)) for text in texts)
    assert sum(len(chapter.exercises) for chapter in CHAPTERS.values()) == found == tags
    assert CHAPTERS["00_tour"].objectives[4] == "compute how many people have to be asked"


SHEETS = sorted((NOTEBOOKS / "assignments").glob("[0-9]*.md"))


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_each_assignment_names_objectives_that_there_are(path):
    """As they stand below its title: ``<!-- objectives: 00_tour 2 3, 01_roles 1 -->``."""
    text, given = path.read_text(encoding="utf-8"), course_map.read_assignment(path)
    named = ", ".join(" ".join([name, *map(str, sorted(numbers))])
                      for name, numbers in given.objectives.items())  # fmt: skip
    assert f"\n<!-- objectives: {named} -->\n" in text
    assert f"\n**Time**: {given.time}. **Points**: {given.points}, " in text
    low, high = map(int, re.findall(r"\d+", given.time))
    assert 60 <= low <= high <= 120
    for name, numbers in given.objectives.items():
        assert numbers <= set(CHAPTERS[name].objectives), name
