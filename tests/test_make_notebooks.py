"""What brings a notebook in step with its text, and executes it where it must."""

import os
import shutil
import sys

import pytest

pytest.importorskip("jupyter_server", reason="needs JupyterLab")
pytest.importorskip("jupytext", reason="needs JupyterLab")

import jupytext
import nbformat
from by_path import each_notebook, load
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

make_notebooks = load("book/_make/notebooks.py")


def test_a_text_is_put_into_its_notebook_and_only_changed_code_is_executed(tmp_path, monkeypatch):
    ran = []

    def run(path):
        notebook = nbformat.read(path, as_version=4)
        for i, cell in enumerate((c for c in notebook.cells if c.cell_type == "code"), start=1):
            cell.execution_count = i
            # as a busy machine sends what one cell prints
            cell.outputs = [
                nbformat.v4.new_output("stream", text=text) for text in (f"{len(ran)}", ".")
            ]
        nbformat.write(notebook, path)
        ran.append(path.stem)
        return 18.8

    for name, value in {"ROOT": tmp_path, "EXECUTED": tmp_path / "_build" / "executed",
                        "execute": run}.items():  # fmt: skip
        monkeypatch.setattr(make_notebooks, name, value)
    module, text = tmp_path / "ppdm" / "a.py", tmp_path / "11_a.md"
    module.parent.mkdir()
    module.write_text("a = 1\n")
    cells = [nbformat.v4.new_code_cell("1"), nbformat.v4.new_markdown_cell("One."),
             nbformat.v4.new_code_cell("2")]  # fmt: skip
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    header = {"jupytext": {"formats": "ipynb,md:myst"}, "kernelspec": python}
    jupytext.write(nbformat.v4.new_notebook(cells=cells, metadata=header), text, fmt="md:myst")

    def make(old="", new=""):
        text.write_text(text.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        monkeypatch.setattr(sys, "argv", ["make_notebooks", str(text)])
        ran.clear()
        make_notebooks.main()
        assert text.stat().st_mtime >= text.with_suffix(".ipynb").stat().st_mtime
        return nbformat.read(text.with_suffix(".ipynb"), as_version=4).cells, list(ran)

    assert make()[1] == ["11_a"]  # without Git nothing is known of it
    before, again = make("One.", "One, and more.")
    assert not again
    assert before[1].source == "One, and more."
    assert [cell.outputs[0].text for cell in (before[0], before[2])] == ["0.", "0."]
    after, again = make("\n2\n", "\n3\n")
    assert again == ["11_a"]
    assert [cell.id for cell in after[:2]] == [cell.id for cell in before[:2]]
    assert after[2].source == "3"
    assert make()[1] == []
    module.write_text("a = 2\n")
    assert make()[1] == ["11_a"]
    assert make()[1] == []


@each_notebook
def test_a_chapter_that_jupyterlab_saves_stays_as_it_was(path):
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    assert make_notebooks.as_saved(text) == text, "make notebooks puts it so"


@each_notebook
def test_jupyter_opens_both_of_a_pair_whichever_is_newer(path, tmp_path):
    # as after a download, a stash or a copy, which give files times of their own
    now = path.stat().st_mtime
    for newer in (".ipynb", ".md"):
        for file in (path, path.with_suffix(".md")):
            shutil.copy(file, tmp_path)
            time = now + 60 * (file.suffix == newer)
            os.utime(tmp_path / file.name, (time, time))
        manager = build_sync_jupytext_contents_manager_class(LargeFileManager)()
        manager.root_dir = str(tmp_path)
        assert manager.get(path.name)["type"] == "notebook", "run make notebooks"
        assert manager.get(f"{path.stem}.md")["type"] == "notebook"
