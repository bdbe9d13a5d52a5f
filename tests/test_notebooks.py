"""What nbval cannot see: pairs in step, run in order, no time stamps, nothing defined twice."""

import ast
import json
import re

import jupytext
import pytest
from by_path import NOTEBOOKS, ROOT, cells, each_chapter, each_notebook, load, notebook
from jupytext.compare import NotebookDifference, compare_notebooks

pytest.importorskip("sphinx")

names_map = load("book/_ext/names_map.py")
OFFERED = {name.rpartition(".")[2] for name, it in names_map.offered().items() if callable(it)}
TEXTS = sorted((ROOT / "notebooks").glob("*.md"))


def is_figure(cell):
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def test_each_notebook_has_its_text_and_each_text_its_notebook():
    assert NOTEBOOKS
    assert [path.stem for path in NOTEBOOKS] == [path.stem for path in TEXTS]


@each_notebook
def test_notebook_and_text_are_in_step(path):
    text, paired = path.with_suffix(".md"), jupytext.read(path)
    for cell in paired.cells:
        cell.metadata.pop("jupyter", None)  # what is folded is the notebook's own
    try:
        compare_notebooks(paired, jupytext.read(text), fmt="md:myst", compare_outputs=False)
    except NotebookDifference as difference:
        pytest.fail(f"{text.name} and {path.name} differ: run make notebooks\n{difference}")


@each_notebook
def test_the_code_of_a_solution_is_folded_and_no_other(path):
    solved = False
    for cell in notebook(path).cells:
        if cell.cell_type == "markdown":
            marks = re.findall(r"{solution-(start|end)}", cell.source)
            solved = marks[-1] == "start" if marks else solved
        else:
            assert cell.metadata.get("jupyter", {}).get("source_hidden", False) == solved, cell.id


@each_notebook
def test_executed_in_order_from_a_fresh_kernel(path):
    # nbval never compares a cell whose execution count is null: it would pass in silence
    counts = [cell.execution_count for cell in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1)), "run make notebooks"


@each_notebook
def test_outputs_have_no_time_stamp_no_error_and_no_path(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert "execution" not in cell["metadata"], "stored with timing: run make notebooks"
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", "a warning carries the kernel's path"
            text = json.dumps({k: v for k, v in output.get("data", {}).items() if "png" not in k})
            text += json.dumps(output.get("text", ""))
            assert not re.search(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d|/home/|/tmp/|site-packages", text)


@each_notebook
def test_cells_are_short_and_use_what_is_installed(path):
    for cell in cells(path, "code"):
        lines = cell.source.splitlines()
        assert len(lines) <= 20, cell.source
        # what a page shows without scrolling sideways
        assert max(map(len, lines)) <= 88, max(lines, key=len)
        assert not re.search(r"np\.random\.(seed|rand|randn|choice|random)\b", cell.source)
        assert "sys.path" not in cell.source
        assert not re.search(r"[\"']\.\./", cell.source), "a file that only this tree has"


@each_notebook
def test_no_notebook_defines_what_the_package_has(path):
    defined = {
        node.name
        for cell in cells(path, "code")
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert not defined & OFFERED


@each_notebook
def test_every_figure_has_caption_name_and_alt_text_and_only_figures_do(path):
    for cell in cells(path, "code"):
        options = cell.metadata.get("mystnb", {})
        if is_figure(cell):
            assert options.get("figure", {}).get("caption", "").strip(), cell.source
            assert options.get("figure", {}).get("name", "").startswith("fig-"), cell.source
            assert len(options.get("image", {}).get("alt", "")) >= 40, cell.source
        else:
            assert "figure" not in options, f"a caption without a figure: {cell.source}"


def digests(path):
    """The plain text of each figure of a notebook, which nbval compares on every run."""
    return [
        output["data"]["text/plain"]
        for cell in cells(path, "code")
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]


@each_notebook
def test_every_figure_says_what_it_shows(path):
    for told in digests(path):
        assert told.startswith("figure "), f"no plots.use_style() before the figure: {told}"
        assert "\naxes 1" in told


def test_no_two_figures_of_the_book_show_the_same():
    told = [text for path in NOTEBOOKS for text in digests(path)]
    assert len(told) == len(set(told)) >= 40
    # not because of names and size alone: what is drawn differs
    drawn = ["\n".join(text.splitlines()[2:]) for text in told]
    assert len(drawn) == len(set(drawn))


@each_chapter
def test_chapter_has_its_parts(path):
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    parts = "Objectives", "Summary", "What an adversary still learns", "Exercises"
    for part in [f"## {name}" for name in parts]:
        assert re.search(rf"^{part}", text, re.MULTILINE), f"{path.stem} has no part {part!r}"
    exercises = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)
    solutions = re.findall(r"^`{3,}\{solution(?:-start)?\} (\S+)", text, re.MULTILINE)
    assert len(exercises) >= 3
    assert sorted(exercises) == sorted(solutions), "each exercise has one folded solution"
