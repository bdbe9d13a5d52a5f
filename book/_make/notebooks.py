"""Bring notebooks in step with their texts; execute those whose code or package changed.

    python book/_make/notebooks.py notebooks/11_reconstruction.md ...

A text is put into its notebook, which keeps the ids and the outputs of cells that did not change.
Where no code did, and the package is the one that gave the outputs, that is all.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
from jupytext.config import load_jupytext_config

ROOT = Path(__file__).resolve().parents[2]
#: What was executed: a file for each chapter says with which code and package.
EXECUTED = ROOT / "_build" / "executed"
PACKAGES = ("ppdm", "ppdm_book", "ppdm_survey")
CONVERT = ["nbconvert", "--log-level", "ERROR", "--to", "notebook", "--inplace"]
EXECUTE = [*CONVERT, "--execute", "--ExecutePreprocessor.record_timing=False",
           "--ExecutePreprocessor.timeout=300"]  # fmt: skip
#: One output of what a cell prints, however slowly it prints.
COALESCE = [*CONVERT, "--coalesce-streams"]
UPDATE = ["jupytext", "--quiet", "--update", "--from", "md:myst", "--to", "ipynb", "--output"]


def code_hash(path: Path) -> str:
    """Return a hash of the code that a notebook runs; its prose and its outputs may change."""
    cells = nbformat.read(path, as_version=4).cells  # type: ignore[no-untyped-call]
    code = "\0".join(cell.source.strip() for cell in cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def package_hash() -> str:
    """Return a hash of all files of the packages."""
    found = (path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in sorted(path for path in found if "__pycache__" not in path.parts):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def package_as_cloned() -> bool:
    """Return whether the packages are those of the commit that this branch began with.

    What was merged has been compared with the stored outputs. Without Git nothing is known.
    """

    def git(*arguments: str) -> str | None:
        run = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True,
                             check=False)  # fmt: skip
        return run.stdout.strip() if run.returncode == 0 else None

    try:
        begun = git("merge-base", "HEAD", "origin/HEAD") or "HEAD"
        same = git("diff", "--quiet", begun, "--", *PACKAGES) is not None
        return same and git("ls-files", "--others", "--exclude-standard", "--", *PACKAGES) == ""
    except OSError:
        return False


def as_saved(text: str) -> str:
    """Return a text as JupyterLab saves it, so that a chapter that is saved there stays as it was.

    Else Jupyter may take text and notebook for different, and opens neither.
    """
    config = load_jupytext_config(str(ROOT / "notebooks" / "any.md"))  # of all that lies beside it
    return jupytext.writes(jupytext.reads(text, "md:myst"), "md:myst", config=config)


def update(text: Path) -> None:
    """Put a text into its notebook; outputs and ids of cells that did not change stay."""
    before = text.read_text(encoding="utf-8")
    if (after := as_saved(before)) != before:
        text.write_text(after, encoding="utf-8", newline="\n")
    notebook = str(text.with_suffix(".ipynb"))
    subprocess.run([sys.executable, "-m", *UPDATE, notebook, str(text)], check=True)
    fold_solutions(Path(notebook))


def fold_solutions(path: Path) -> None:
    """Fold the code of solutions for who opens the notebook; a page folds them by itself."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    before, solved = str(notebook), False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            marks = re.findall(r"{solution-(start|end)}", cell.source)
            solved = marks[-1] == "start" if marks else solved
        else:
            cell.metadata.pop("jupyter", None)
            if solved:
                cell.metadata["jupyter"] = {"source_hidden": True}
    if str(notebook) != before:
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


def execute(path: Path) -> float:
    """Execute a notebook in place; return the seconds of the processor, with the kernel's start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", *EXECUTE, str(path)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Bring each notebook that is named in step."""
    EXECUTED.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:]:
        text, path = Path(name).with_suffix(".md"), Path(name).with_suffix(".ipynb")
        stamp, before = EXECUTED / path.stem, code_hash(path) if path.exists() else ""
        update(text)
        code = code_hash(path)
        state = f"{code} {package_hash()}"
        known = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
        if known == state or (not known and before == code and package_as_cloned()):
            print(f"{path.stem}: the text is updated; neither code nor package has changed")
        else:
            stamp.write_text("not executed", encoding="utf-8")
            took = execute(path)
            subprocess.run([sys.executable, "-m", *COALESCE, str(path)], check=True)
            print(f"{path.stem}: {took:.0f} seconds of the processor; a notebook has a minute")
        os.utime(text)  # last: Jupyter refuses a text that is older than its notebook
        stamp.write_text(state, encoding="utf-8")


if __name__ == "__main__":
    main()
