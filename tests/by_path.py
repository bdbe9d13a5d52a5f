"""Where things of the tree are: the notebooks, and scripts that lie in no package."""

import functools
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# a paper's fine print is a notebook, too, but no chapter
CHAPTERS = [path for path in NOTEBOOKS if "_fine_print_" not in path.stem]
#: Cells of which a page shows no code, not even folded.
REMOVED = {"remove-cell", "remove-input"}
each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@functools.cache
def load(name):
    """Return the script at this place of the tree as a module; it finds those beside it."""
    if (folder := str((ROOT / name).parent)) not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def notebook(path):
    """Return a stored notebook, to be read only."""
    import nbformat  # the tests of other versions may do without

    return nbformat.read(path, as_version=4)


def cells(path, kind):
    """Return the cells of a notebook that are code or markdown and not empty."""
    return [c for c in notebook(path).cells if c.cell_type == kind and c.source.strip()]


@functools.cache
def told(path):
    """Return a chapter as its text has it, with the stored outputs of the same code.

    So a change of the text alone is checked without a kernel.
    """
    import jupytext

    text = jupytext.read(path.with_suffix(".md"))
    code, stored = ([c for c in it.cells if c.cell_type == "code"] for it in (text, notebook(path)))
    if [cell.source for cell in code] != [cell.source for cell in stored]:
        pytest.fail(f"the code of {path.stem} has changed: make notebooks CHAPTER={path.stem[:2]}")
    for cell, other in zip(code, stored, strict=True):
        cell.outputs = other.outputs
    return text
