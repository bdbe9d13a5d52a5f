"""Assignments filled in by a program: solved, blank, or solved with one mistake."""

import contextlib
import functools
import io
import os
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import nbformat
import numpy as np
from course import metadata as kind
from course import write_source
from nbgrader.preprocessors import ClearSolutions


class Mistake(NamedTuple):
    """A change of one place in the solution, and the tests that it must fail, no others.

    One that fails none is differently right.
    """

    what: str
    cell: str
    old: str
    new: str
    fails: set[str]


#: Kept until the tests end, and then removed.
_FOLDERS = []


@functools.cache
def source(name, seed):
    """Return the instructor's notebook and the folder with its data."""
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix=f"{name}-{seed}-"))
    folder = Path(_FOLDERS[-1].name)
    return write_source(name, seed, folder), folder


def sheet(name, seed, mistake=None, blank=False):
    """Return {cell: code} in order, as a student might hand it in, and the folder."""
    notebook, folder = source(name, seed)
    code = {}
    for original in notebook.cells:
        if original.cell_type != "code":
            continue
        cell = original.copy()
        if blank and kind(cell).solution:
            ClearSolutions()._replace_solution_region(cell, "python")
        if mistake and mistake.cell == kind(cell).grade_id:
            assert cell.source.count(mistake.old) == 1, f"{mistake.what}: {cell.source}"
            cell.source = cell.source.replace(mistake.old, mistake.new)
        code[kind(cell).grade_id] = cell.source
    return code, folder


def run(code, folder, names=None):
    """Run a sheet as the grader does, on after an error; return its names and {cell: error}.

    Without a kernel, which takes seconds to start; ``long/`` does the same through make grade.
    """
    names, errors = {**(names or {}), "__name__": "__main__"}, {}
    names["there"] = lambda expression, **values: eval(expression, {**names, **values})
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        os.environ.setdefault("MPLBACKEND", "agg")
        for cell, text in code.items():
            try:
                exec(compile(text, cell, "exec"), names)
            except Exception as error:
                errors[cell] = f"{type(error).__name__}: {error}"
        for value in names.values():
            if isinstance(value, np.lib.npyio.NpzFile):
                value.close()
    return names, errors


def handed_in(release, code):
    """Return a released notebook with answers written into it."""
    notebook = nbformat.from_dict(release)
    for cell in notebook.cells:
        if kind(cell).get("grade_id") in code:
            cell.source = code[kind(cell).grade_id]
    return notebook


def find(notebook, name):
    """Return the cell of this name."""
    return next(cell for cell in notebook.cells if kind(cell).get("grade_id") == name)


def worth(name, seed):
    """Return {test cell: points} and the points given by hand."""
    graded = [kind(cell) for cell in source(name, seed)[0].cells if kind(cell).get("grade")]
    tests = {cell.grade_id: cell.points for cell in graded if not cell.solution}
    return tests, sum(cell.points for cell in graded if cell.solution)
