"""What makes a chapter one sitting: objectives exercised, predictions, few words, few numbers."""

import re

import pytest
from by_path import NOTEBOOKS, ROOT, cells, each_chapter, each_notebook, load, notebook
from prose_numbers import printed_texts

yaml = pytest.importorskip("yaml")
pytest.importorskip("sphinx")

NOT_SHOWN = {"remove-output", "remove-cell"}
course_map = load("book/_ext/course_map.py")


def prose(path):
    """Return what a reader sees of the text: the comments that tie its numbers are not shown."""
    text = "\n\n".join(cell.source for cell in cells(path, "markdown"))
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def section(text, title):
    """Return the text under a heading of the second level."""
    found = re.search(rf"^## {title}.*?$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section {title!r}"
    return found.group(1)


@each_chapter
def test_objectives_are_exercised_and_exercises_have_an_objective(path):
    read = course_map.read_chapter(path)
    wanted, given = set(read.objectives), read.exercises
    assert 3 <= len(wanted) <= 5
    assert all(each.objectives and each.minutes for each in given.values()), (
        "an exercise says *Objectives 1, 3. 5 minutes.*"
    )
    named = set().union(*(each.objectives for each in given.values()))
    assert named == wanted, f"without an exercise: {wanted - named}; unknown: {named - wanted}"
    assert sum(each.minutes <= 5 for each in given.values()) >= 2, "two quick exercises"


@each_chapter
def test_the_core_path_is_one_sitting_and_says_how_long_it_takes(path):
    found = course_map.read_chapter(path)
    said = (f"**Time.** Core path: {found.minutes.core} minutes; "
            f"exercises: {found.minutes.exercises}.")  # fmt: skip
    text = " ".join(section(prose(path), "Objectives").split())
    assert said in text, said
    assert "{ref}`one formula <pace>`" in text
    assert found.minutes.core <= 45
    assert found.core_words <= 1700


@each_chapter
def test_two_predictions_are_asked_for_and_what_follows_is_folded(path):
    asked = 0
    waiting = False
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown":
            text = cell.source
            ask = text.count("{admonition} Predict before you run\n:class: tip")
            answer = text.count("{admonition} Answer\n:class: dropdown")
            assert not (waiting and ask), "a prediction waits for its answer"
            asked += ask
            waiting = waiting and not answer if not ask else ask > answer
        elif waiting:
            tags = cell.metadata.get("tags", [])
            assert {"hide-output", "hide-cell"} & set(tags), f"gives the answer away: {cell.source}"
    assert asked >= 2
    assert not waiting


@each_notebook
def test_few_numbers_are_printed(path):
    words = len(re.findall(r"[A-Za-z]{2,}", prose(path)))
    printed = 0
    for cell in cells(path, "code"):
        if NOT_SHOWN & set(cell.metadata.get("tags", [])):
            continue
        printed += sum(len(re.findall(r"\d+(?:[.,]\d+)*", text)) for text in printed_texts(cell))
    assert printed <= 0.15 * words, f"{printed} numbers for {words} words"


@each_notebook
def test_what_a_reader_need_not_see_is_folded_and_claims_are_read_in_the_scorecard_alone(path):
    for cell in cells(path, "code"):
        tags = {*cell.metadata.get("tags", [])}
        if "plt.show()" in cell.source and cell.source.count("\n") >= 15:
            assert course_map.UNSEEN & tags, cell.source
        if "Claim(" in cell.source or "ClaimsTable(" in cell.source:
            assert "remove-cell" in tags, cell.source


def test_the_contents_have_each_chapter_and_its_title_begins_with_its_number():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [page["file"] for part in toc["parts"] for page in part["chapters"]]
    listed = [file for file in files if file.startswith("notebooks/")]
    assert listed == [f"notebooks/{path.stem}" for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        assert re.search(r"^# (.*?\.) ", prose(path), re.MULTILINE)[1] == f"{path.stem[:2]}."


def test_an_assignment_names_chapters_as_the_contents_do():
    titles = [re.search(r"^# \d\d\. (.*)$", prose(path), re.MULTILINE)[1] for path in NOTEBOOKS]
    for path in sorted((ROOT / "notebooks" / "assignments").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        [before] = re.findall(r"Before: the chapters? (.*?)\.$", text, re.MULTILINE | re.DOTALL)
        named = [" ".join(name.split()) for name in re.findall(r"\*([^*]+)\*", before)]
        assert named, path.name
        unknown = {name for name in named if not any(each.startswith(name) for each in titles)}
        assert unknown == set(), path.name
