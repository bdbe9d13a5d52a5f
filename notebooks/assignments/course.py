"""Where the assignments lie, and how a text becomes an nbgrader notebook with its data.

A text is a notebook as Jupytext writes it. The tags of its cells say what each is for:

``data``      makes the data of a seed; nobody but the instructor sees it
``answer``    a student's code; what stands between ``BEGIN SOLUTION`` and ``END SOLUTION`` is cut
``test``      is graded by running it; what stands between ``BEGIN HIDDEN TESTS`` and its end is cut
``by-hand``   a student's prose, graded by a person; holds a model answer and the rubric, and is cut

``points-3`` on a test or a by-hand cell says how much it is worth. Code without a tag is given, and
restored before grading. Every code cell and every by-hand cell has a name. Hidden tests compute
their key from the seed's data, so no output is stored and no ``.ipynb`` lies beside a text.
"""

import contextlib
import hashlib
import re
import warnings
from pathlib import Path

import jupytext
import nbformat

TEXTS = Path(__file__).resolve().parent
#: A course's gradebook and all that belongs to it: no build and no clean touches this folder.
COURSES = TEXTS.parent.parent / "courses"
#: The seed of the assignments' data unless a course gives another.
SEED = 2026
NAMES = sorted(path.stem for path in TEXTS.glob("*.md"))
PURPOSES = {"data", "answer", "test", "by-hand"}


def purpose(cell):
    """Return what a cell of a text is for: one of ``PURPOSES``, ``"given"`` or ``"text"``."""
    found = PURPOSES & set(cell.metadata.get("tags", []))
    if len(found) > 1:
        raise ValueError(f"a cell has one purpose, got {sorted(found)}")
    return found.pop() if found else "given" if cell.cell_type == "code" else "text"


def points(cell):
    """Return what a cell is worth, from its tag ``points-3``."""
    (found,) = (tag for tag in cell.metadata["tags"] if tag.startswith("points-"))
    return int(found.removeprefix("points-"))


def read(name):
    """Return the text of an assignment as a notebook, cells tagged."""
    return jupytext.read(TEXTS / f"{name}.md")


def make_data(name, seed, folder):
    """Run the data cell of an assignment in a folder; return all that it defines.

    ``numbers`` are for the prose, ``verdict`` is what the seed decides.
    """
    (cell,) = (cell for cell in read(name).cells if purpose(cell) == "data")
    code, seeds = re.subn(r"^SEED = \d+$", f"SEED = {int(seed)}", cell.source, flags=re.MULTILINE)
    if seeds != 1:
        raise ValueError(f"{name}: its data cell has one line SEED = ..., got {seeds}")
    made = {}
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, f"<data of {name}>", "exec"), made)
    return made


def write(path, text):
    """Write a file whole or not at all, with its folder; half a character becomes a ``?``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.new")
    written.write_bytes(text.encode("utf-8", "replace"))
    written.replace(path)


def metadata(cell):
    """Return what nbgrader knows of a cell."""
    return cell.metadata.get("nbgrader", {})


def for_nbgrader(cell):
    """Return what nbgrader must know of a cell, its metadata of version 3."""
    kind = purpose(cell)
    if kind == "text":
        return {}
    known = {
        "schema_version": 3,
        "grade_id": cell.metadata["name"],
        "grade": kind in ("test", "by-hand"),
        "solution": kind in ("answer", "by-hand"),
        "locked": kind in ("test", "given"),
        "task": False,
        "cell_type": cell.cell_type,
    }
    return known | ({"points": points(cell)} if known["grade"] else {})


def write_source(name, seed, folder):
    """Write the instructor's notebook and its data; return the notebook.

    Numbers stand in the prose as ``{{name}}``. The notebook has the digest of its data, so
    that a submission for other data is seen.
    """
    folder.mkdir(parents=True, exist_ok=True)
    numbers = make_data(name, seed, folder)["numbers"]
    cells = []
    for cell in read(name).cells:
        if purpose(cell) == "data":
            continue
        if cell.cell_type == "markdown":
            cell.source = re.sub(
                r"\{\{(\w+)\}\}", lambda found: str(numbers[found[1]]), cell.source
            )
        known = for_nbgrader(cell)
        cell.metadata = {"nbgrader": known} if known else {}
        cell.id = known.get("grade_id", f"text-{len(cells)}")
        cells.append(cell)
    data = b"".join(path.read_bytes() for path in sorted(folder.glob("case.*")))
    notebook = nbformat.v4.new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "ppdm": {"assignment": name, "release": hashlib.sha256(data).hexdigest()[:12]},
        },
    )
    nbformat.validate(notebook)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return notebook
