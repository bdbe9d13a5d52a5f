"""What students and their editors do to a notebook's cells, and what is then graded and read."""

import copy
import json

import nbformat
import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

import running
from course import SEED, metadata
from mending import left_open, mend, sources
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions
from sheets import find, source

NAME, BLANK = "1_roles", "YOUR ANSWER HERE"


@pytest.fixture(scope="module")
def released():
    notebook = copy.deepcopy(source(NAME, SEED)[0])
    for step in (ClearSolutions(), ClearHiddenTests()):
        notebook, _ = step.preprocess(notebook, {})
    return notebook


@pytest.fixture
def mended(released):
    """Return what mending makes of a copy of what was handed out, once it is changed."""

    def of(change):
        notebook = copy.deepcopy(released)
        change(notebook)
        return mend(json.dumps(notebook), released, {})

    return of


def write(name, words, **more):
    return lambda notebook: find(notebook, name).update(source=words, **more)


def put(notebook, cell, behind=None):
    """Put a cell behind another, or at the end."""
    at = notebook.cells.index(find(notebook, behind)) + 1 if behind else len(notebook.cells)
    notebook.cells.insert(at, cell)


def copied(notebook, name, text, above=False):
    cell = copy.deepcopy(find(notebook, name))
    cell.source, cell.id = text, "a1b2c3"
    notebook.cells.insert(notebook.cells.index(find(notebook, name)) + (not above), cell)


def text(words, kind="markdown"):
    return getattr(nbformat.v4, f"new_{kind}_cell")(words)


def split(notebook):
    find(notebook, "advice").source = "Dear council,"
    copied(notebook, "advice", "we measured.")


def edited(notebook):
    question = next(cell for cell in notebook.cells if cell.source.startswith("## Your advice"))
    question.source += "\n\nDear council, we measured 3.5."


def bare(notebook):
    """Keep the cells' ids, as Colab does of a notebook of version 4.5, and no metadata."""
    find(notebook, "advice").source = "Dear council."
    for cell in notebook.cells:
        cell.metadata = {}


def unnumbered(notebook):
    """Keep the names, and lose the ids, as an editor of version 4.4 does."""
    notebook.nbformat_minor = 4
    find(notebook, "advice").source = "Dear council."
    for cell in notebook.cells:
        del cell["id"]


#: What was done; what then stands in the answer that a person reads; how each note begins.
BY_HAND = {
    "nothing": (lambda n: None, BLANK, []),
    "in its cell": (write("advice", "Dear."), "Dear.", []),
    "in a copy below": (lambda n: copied(n, "advice", "Dear."), "Dear.", []),
    "in a copy above": (lambda n: copied(n, "advice", "Dear.", above=True), "Dear.", []),
    "split in two": (split, "Dear council,\n\nwe measured.", ["advice stands in more than one"]),
    "the same twice": (
        lambda n: (find(n, "advice").update(source="Dear."), copied(n, "advice", "Dear.")),
        "Dear.", []),
    "in a text cell below": (lambda n: put(n, text("Dear."), "advice"), "Dear.",
                             ["text behind advice is shown with advice"]),
    "in a text cell at the end": (lambda n: put(n, text("Dear.")), "Dear.",
                                  ["text behind advice is shown with advice"]),
    "in a text cell above": (lambda n: put(n, text("Dear."), "test_record_epsilon"), "Dear.",
                             ["text behind test_record_epsilon is shown with advice"]),
    "at the top": (lambda n: n.cells.insert(0, text("Dear.")), "Dear.",
                   ["text behind the top is shown with advice"]),
    "in a raw cell": (lambda n: put(n, text("Dear.", "raw"), "advice"), "Dear.",
                      ["text behind advice"]),
    "in a code cell": (lambda n: put(n, text("Dear council, I", "code"), "advice"),
                       "Dear council, I", ["text behind advice"]),
    "in its cell and below": (
        lambda n: (find(n, "advice").update(source="One."), put(n, text("Two."), "advice")),
        "One.\n\nTwo.", ["text behind advice"]),
    "in the text of the question": (edited, "Dear council, we measured 3.5.", ["text behind"]),
    "its cell deleted": (
        lambda n: (put(n, text("Dear."), "advice"), n.cells.remove(find(n, "advice"))), "Dear.",
        ["text behind test_record_epsilon is shown with advice", "advice was deleted"]),
    "its cell made raw": (write("advice", "Dear.", cell_type="raw"), "Dear.", []),
    "a picture": (write("advice", "![it](attachment:it.png)", attachments={"it.png": {}}),
                  "![it](attachment:it.png)", ["advice holds a picture"]),
    "an empty cell below": (lambda n: put(n, text(" \n"), "advice"), BLANK, []),
    "the question copied": (lambda n: put(n, copy.deepcopy(n.cells[2])), BLANK, []),
    "no metadata": (bare, "Dear council.", []),
    "no ids": (unnumbered, "Dear council.", []),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
@pytest.mark.parametrize("what", BY_HAND)
def test_what_is_written_reaches_the_reader(released, mended, what):
    change, answer, begin = BY_HAND[what]
    notebook, notes = mended(change)
    assert sources(notebook)["advice"] == answer
    assert len(notes) == len(begin), notes
    assert all(note.startswith(start) for note, start in zip(notes, begin, strict=True)), notes
    assert list(sources(notebook)) == list(sources(released))


def test_the_text_of_another_seed_is_not_taken_for_an_answer(released):
    other = copy.deepcopy(source(NAME, SEED + 1)[0])
    find(other, "advice").source = "Dear."
    mended, notes = mend(json.dumps(other), released, {})
    assert sources(mended)["advice"] == "Dear."
    assert "was made for the data of another seed" in notes
    assert not any("is shown with" in note for note in notes)


RIGHT, HELP = "def estimate_share(r, t): return 1", "helper = 1"
#: What was done to the code of a question; the code cells that then run from it to its test.
CODE = {
    "in its cell": (write("estimate_share", RIGHT), [RIGHT]),
    "in a copy below": (lambda n: copied(n, "estimate_share", RIGHT), [RIGHT]),
    "in a copy above": (lambda n: copied(n, "estimate_share", RIGHT, above=True), [RIGHT]),
    "in two, split": (
        lambda n: (
            find(n, "estimate_share").update(source=HELP), copied(n, "estimate_share", RIGHT)),
        [HELP, RIGHT]),
    "and a cell of her own": (
        lambda n: (find(n, "estimate_share").update(source=RIGHT),
                   put(n, text(HELP, "code"), "estimate_share")), [RIGHT, HELP]),
    "a copy tried behind the test": (
        lambda n: (find(n, "estimate_share").update(source=RIGHT), copied(n, "test_share", HELP)),
        [RIGHT]),
    "in a text cell": (write("estimate_share", RIGHT, cell_type="raw"), [RIGHT]),
}  # fmt: skip


@pytest.mark.parametrize("what", CODE)
def test_code_in_a_copy_of_its_cell_is_run(mended, what):
    change, runs = CODE[what]
    cells = mended(change)[0].cells
    names = [metadata(cell).get("grade_id") for cell in cells]
    between = cells[names.index("estimate_share") : names.index("test_share")]
    assert [cell.source for cell in between] == runs
    assert all(cell.cell_type == "code" for cell in between)


def test_the_key_is_no_edit_of_its_tests(released):
    key, mine = source(NAME, SEED)[0], copy.deepcopy(released)
    find(mine, "test_share").source += "\npass"
    assert mend(json.dumps(key), released, running.tests_of(key))[1] == []
    assert mend(json.dumps(mine), released, running.tests_of(key))[1] == [
        "test_share was edited and is restored"
    ]


QUESTIONS = [{"test_share"}, {"test_error"}, {"test_epsilon", "test_posterior"},
             {"test_answer_epsilon", "test_record_epsilon"}, {"advice"}]  # fmt: skip
#: What a student wrote, and the number of the question that is then not open.
WRITTEN = {
    "nothing": (lambda n: None, None),
    "code": (write("estimate_share", RIGHT), 0),
    "a question of two tests": (write("adversary", "posterior = 1"), 2),
    "a cell of her own": (lambda n: put(n, text(HELP, "code"), "promise"), 3),
    "a comment like a heading": (
        lambda n: put(n, text("## my own\n" + HELP, "code"), "promise"), 3),
    "prose": (write("advice", "Dear council."), 4),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_a_question_is_open_until_something_is_written(released, mended, what):
    change, closed = WRITTEN[what]
    expected = set().union(*(names for i, names in enumerate(QUESTIONS) if i != closed))
    assert set(left_open(mended(change)[0], sources(released))) == expected
