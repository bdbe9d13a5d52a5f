"""What a reader copies from a page runs: the cells that it shows or folds, without the others."""

import warnings

import matplotlib.pyplot as plt
import pytest
from by_path import CHAPTERS, NOTEBOOKS, REMOVED, each_chapter, notebook

pytestmark = [pytest.mark.long("elsewhere"), pytest.mark.filterwarnings("ignore:")]


def sections(path):
    """Return the code that a page shows, by heading; what stands before the first is ""."""
    heading, shown = "", {"": []}
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown":
            headings = [line for line in cell.source.splitlines() if line.startswith("## ")]
            heading = headings[-1] if headings else heading
        elif not REMOVED & set(cell.metadata.get("tags", [])):
            shown.setdefault(heading, []).append(cell.source)
    return shown


def run(sources, names=()):
    """Run cells one after the other; return the names that there are then."""
    known = {"__name__": "copied", **dict(names)}
    for source in sources:
        with warnings.catch_warnings():
            exec(compile(source, source.partition("\n")[0], "exec"), known)
    plt.close("all")
    return known


@each_chapter
def test_the_cells_of_a_chapter_run_in_order(path):
    run(source for own in sections(path).values() for source in own)


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if path not in CHAPTERS], ids=lambda path: path.stem
)
def test_each_section_of_fine_print_runs_after_the_set_up(path):
    own = sections(path)
    known = run(own.pop(""))
    for heading, sources in own.items():
        try:
            run(sources, known)
        except NameError as error:
            pytest.fail(f"{heading}: {error}")
