"""Bring chapters in step with their texts; execute those whose code or package changed.

    python benchmarks/notebook_times.py notebooks/11_reconstruction.md ...

A text is put into its notebook, which keeps the ids and the outputs of cells that did not change.
Where no code did, and the package is the one that gave the outputs, that is all.

Else the notebook is executed, and its processor time stored in ``notebooks/times.json`` as a
multiple of a fixed computation that is timed beside it, every few seconds, so that it hardly
depends on the machine. The machine of reference takes one second for eight rounds of it: there a
multiple is a number of seconds. A stored number stays, unless two runs on a machine that does
little else agree on another. ``tests/test_notebook_times.py`` compares it with the budget.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time, sleep

import jupytext
import nbformat
import numpy as np
import psutil
from jupytext.config import load_jupytext_config

ROOT = Path(__file__).resolve().parent.parent
#: What was executed: a file for each chapter says with which code and package.
EXECUTED = ROOT / "_build" / "executed"
PACKAGES = ("ppdm", "ppdm_book", "ppdm_survey")
#: Rounds that the machine of reference computes in a second; rounds of one timing.
ROUNDS_A_SECOND, ROUNDS = 8, 2
#: Seconds between two timings.
PAUSE = 3
#: A time is trusted while all else takes at most so much of one core, and the timings beside it
#: are at most so far apart; two that are closer than ``AGREE`` say the same, ``NEAR`` says no more.
OTHERS, SPREAD, AGREE, NEAR = 0.2, 1.3, 0.1, 0.2
TIMES = ROOT / "notebooks" / "times.json"
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
    config = load_jupytext_config(str(TIMES))  # of all that lies beside it
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


def fixed_computation() -> float:
    """Return the seconds of draws, a sort, counts, a product and a plain loop, as chapters have."""
    begun = process_time()
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS):
        values = rng.random(1_000_000)
        values.sort()
        np.bincount((50 * values).astype(int), weights=values)
        square = rng.random((300, 300))
        square @ square
        sum(i * i for i in range(400_000))
    return process_time() - begun


def measure(path: Path) -> tuple[float, bool]:
    """Execute a notebook in place; return its time as a multiple, and whether to trust it.

    The time is the processor's, with the start of the kernel.
    """
    beside = [fixed_computation()]
    begun, own, others, since = _of_children(), process_time(), _of_all(), perf_counter()
    run = subprocess.Popen([sys.executable, "-m", *EXECUTE, str(path)])
    while run.poll() is None:  # the load of a machine changes: time the rounds again and again
        sleep(PAUSE)
        beside.append(fixed_computation())
    if run.returncode:
        raise SystemExit(f"{path} was not executed")
    took = _of_children() - begun
    others = _of_all() - others - took - (process_time() - own)
    quiet = others <= OTHERS * (perf_counter() - since) and max(beside) <= SPREAD * min(beside)
    return took / (statistics.mean(beside) * ROUNDS_A_SECOND / ROUNDS), quiet


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # the kernel is a child's child
    return used.ru_utime + used.ru_stime


def _of_all() -> float:
    used = psutil.cpu_times()
    return float(used.user + used.system)


def agreed(old: float | None, runs: list[tuple[float, bool]]) -> float | None:
    """Return the number to store; None where another run is needed to know."""
    trusted = [multiple for multiple, quiet in runs if quiet]
    if old and any(abs(multiple / old - 1) < NEAR for multiple, _ in runs):
        return old
    if len(trusted) > 1 and abs(trusted[-1] / trusted[-2] - 1) < AGREE:
        return round(statistics.mean(trusted[-2:]), 1)
    return None


def execute(path: Path) -> bool:
    """Execute a notebook and store its time; return whether it has one.

    A number that is new or another is measured twice.
    """
    code, times = code_hash(path), json.loads(TIMES.read_text(encoding="utf-8"))
    old = times.get(path.stem, {}).get("multiple")
    runs = [measure(path)]
    if agreed(old, runs) is None and runs[0][1]:
        runs.append(measure(path))
    subprocess.run([sys.executable, "-m", *COALESCE, str(path)], check=True)
    number = agreed(old, runs)
    found = ", ".join(f"{multiple:.1f}{'' if quiet else ' (busy)'}" for multiple, quiet in runs)
    print(f"{path.stem}: {found} times the fixed computation; stored: {number or old}")
    if number or old:
        times[path.stem] = {"multiple": number or old, "code": code}
        TIMES.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    else:
        print("No time is stored: the machine did something else. Once more, when it is quiet.")
    return bool(number or old)


def main() -> None:
    """Bring each chapter that is named in step."""
    for name in sys.argv[1:]:
        text, path = Path(name).with_suffix(".md"), Path(name).with_suffix(".ipynb")
        stamp, before = EXECUTED / path.stem, code_hash(path) if path.exists() else ""
        update(text)
        state = f"{code_hash(path)} {package_hash()}"
        known = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
        if known == state or (not known and before == code_hash(path) and package_as_cloned()):
            print(f"{path.stem}: the text is updated; neither code nor package has changed")
        elif not execute(path):
            state = ""
        os.utime(text)  # last: Jupyter refuses a text that is older than its notebook
        EXECUTED.mkdir(parents=True, exist_ok=True)
        stamp.write_text(state, encoding="utf-8")


if __name__ == "__main__":
    main()
