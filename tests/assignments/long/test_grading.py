"""make assignments and make grade through nbgrader itself, on one assignment.

``long/`` does the same for all of them; here are the submissions that nobody plans for.
"""

import csv
import json
import re
import zipfile
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

import grade
import release
from course import NAMES, SEED, purpose, read
from sheets import handed_in, kind, sheet, worth

NAME = "1_roles"
# nbgrader 0.9.6 asks SQLAlchemy and nbconvert for what they have renamed
pytestmark = [pytest.mark.long(part="assignments"), pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    release.make(NAME, SEED, folder, with_key=False)
    return folder


def released(course, name=NAME):
    return nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)


def find(notebook, name):
    return next(cell for cell in notebook.cells if kind(cell).get("grade_id") == name)


def solved(course):
    code, _ = sheet(NAME, SEED)
    tests = worth(NAME, SEED)[0]
    answers = {cell: text for cell, text in code.items() if cell not in tests}
    notebook = handed_in(released(course), answers | {"advice": "Dear council, we measured."})
    return notebook


def submit(folder, student, notebook, name=NAME):
    (folder / student).mkdir(parents=True)
    nbformat.write(notebook, folder / student / f"{name}.ipynb")


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory):
    """The rows of all students, by name, of a class in which everything goes wrong once."""
    folder = tmp_path_factory.mktemp("submissions")
    submit(folder, "right", solved(course))
    submit(folder, "blank", released(course))

    def solved_but(cell, change):
        notebook = solved(course)
        found = find(notebook, cell)
        found.source = change(found.source)
        return notebook

    endless = solved_but("standard_error", lambda code: "while True:\n    pass")
    submit(folder, "endless", endless)
    missing = solved_but("adversary", "import no_such_module\n{}".format)
    submit(folder, "import", missing)
    submit(folder, "exits", solved_but("promise", lambda code: "import os\nos._exit(1)"))

    edited = released(course)
    find(edited, "test_share").source = "pass"
    find(edited, "test_error").metadata["nbgrader"]["points"] = 100
    edited.cells = [c for c in edited.cells
                    if kind(c).get("grade_id") not in ("case", "test_epsilon", "adversary")]
    submit(folder, "edited", edited)

    other = solved(course)
    other.metadata["ppdm"]["release"] = "0" * 12
    submit(folder, "other seed [2]", other)

    (folder / "broken").mkdir()
    (folder / "broken" / f"{NAME}.ipynb").write_text('{"cells": [')
    (folder / "wrong name").mkdir()
    (folder / "wrong name" / "homework.ipynb").write_text("{}")
    (folder / "empty").mkdir()

    rows, odd = grade.grade(folder, course, timeout=20, progress=False)
    return {row["student"]: row for row in rows}, odd


@pytest.mark.parametrize(
    ("student", "points", "notes"),
    [
        ("right", 16, []),
        ("blank", 0, []),
        # an endless loop and an import that fails cost their questions only
        ("endless", 13, ["standard_error did not end in time"]),
        ("import", 12, ["adversary: ModuleNotFoundError"]),
        # edited and deleted cells are put back
        ("edited", 0, ["test_share was edited", "test_epsilon was deleted", "case was deleted",
                       "adversary was deleted"]),
        # what cannot be run or read has a row
        ("exits", 0, ["kernel died"]),
        ("broken", 0, ["is no notebook"]),
        ("other_seed__2_", 16, ["another seed"]),
    ],
)  # fmt: skip
def test_points_and_notes(graded, student, points, notes):
    row = graded[0][student]
    assert row["automatic"] == points
    assert all(note in row["notes"] for note in notes)
    # none where nothing is wrong, and of one mistake one
    if student in ("right", "endless", "import"):
        assert row["notes"] == "".join(notes)
    assert student == "broken" or row["of"] == 20


def test_what_is_to_read_and_what_is_odd(graded):
    rows, odd = graded
    assert rows["right"]["to read"] == 1
    assert rows["blank"]["points"] == rows["blank"]["to read"] == 0
    assert rows["exits"]["points"] == rows["broken"]["points"] == 0
    assert any("homework.ipynb: unknown name" in line for line in odd)
    assert sum("no notebook of an assignment" in line for line in odd) == 2


def test_points_by_hand_are_taken_over(course, graded, tmp_path):
    file = course / "by_hand.csv"
    with file.open(newline="", encoding="utf-8") as table:
        rows = {row["student"]: row for row in csv.DictReader(table)}
    assert "blank" not in rows
    assert rows["right"]["answer"] == "Dear council, we measured."
    rows["right"] |= {"points": "3", "comment": "The limit is missing."}
    grade.write(file, grade.BY_HAND, rows.values())
    submit(tmp_path, "right", solved(course))
    again, _ = grade.grade(tmp_path, course, progress=False)
    assert again[0]["by hand"] == 3
    assert again[0]["points"] == 19
    assert again[0]["to read"] == 0
    page = (course / "feedback" / "right" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "The limit is missing." in page
    # the rows of others, who are not graded now, are kept
    with file.open(newline="", encoding="utf-8") as table:
        again = {row["student"]: row["points"] for row in csv.DictReader(table)}
    assert again["right"] == "3"
    assert "import" in again


def hidden(name):
    """Return each line that students must not see: of solutions, hidden tests, model answers."""
    lines = set()
    for cell in read(name).cells:
        if purpose(cell) in ("by-hand", "data"):
            lines |= {line.strip() for line in cell.source.splitlines()}
        for kind_of in ("SOLUTION", "HIDDEN TESTS"):
            for part in re.findall(rf"### BEGIN {kind_of}\n(.*?)### END", cell.source, re.DOTALL):
                lines |= {line.strip() for line in part.splitlines()}
    return {line for line in lines if len(line) > 20}


def shown(name):
    """Return what students may see: all the rest of the text."""
    open_cells = (cell for cell in read(name).cells if purpose(cell) not in ("by-hand", "data"))
    text = "\n".join(cell.source for cell in open_cells)
    return re.sub(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n.*?### END", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_release_holds_no_solution_and_no_hidden_test(name, tmp_path):
    release.make(name, SEED, tmp_path, with_key=False)
    with zipfile.ZipFile(tmp_path / f"{name}.zip") as archive:
        files = {Path(file).name: archive.read(file) for file in archive.namelist()}
    assert set(files) == {f"{name}.ipynb", "case.npz"}
    notebook = json.loads(files[f"{name}.ipynb"])
    everything = json.dumps(notebook, ensure_ascii=False)
    secret = {line for line in hidden(name) if line not in shown(name)}
    assert len(secret) > 20
    for line in secret:
        assert json.dumps(line, ensure_ascii=False)[1:-1] not in everything, line
    assert "HIDDEN" not in everything
    assert "SOLUTION" not in everything
    assert "Rubric" not in everything
    assert str(SEED) not in everything
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"nbgrader", "deletable", "editable"}
        assert not cell.get("outputs")
    assert set(notebook["metadata"]) == {"kernelspec", "ppdm"}


def test_the_same_seed_makes_the_same_release_and_another_another(course, tmp_path):
    first = (course / f"{NAME}.zip").read_bytes()
    release.make(NAME, SEED, tmp_path / "again", with_key=False)
    assert (tmp_path / "again" / f"{NAME}.zip").read_bytes() == first
    release.make(NAME, SEED + 1, tmp_path / "next", with_key=False)
    assert (tmp_path / "next" / f"{NAME}.zip").read_bytes() != first
