"""Execute a notebook, and store how much processor time it took: ``notebooks/times.json``.

    python benchmarks/notebook_times.py notebooks/11_reconstruction.ipynb ...

The time is stored as a multiple of a fixed computation that is timed beside it, every few seconds,
so that it hardly depends on the machine and on what else that does. The machine of reference takes
one second for eight rounds of it: there a multiple is a number of seconds. A stored multiple is
kept while the cells are the same and the new one is within a fifth, so that a run changes little.
``tests/test_notebook_times.py`` compares what is stored with the budget.
"""

from __future__ import annotations

import hashlib
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from time import process_time, sleep

import nbformat
import numpy as np

#: Rounds that the machine of reference computes in a second; rounds of one timing.
ROUNDS_A_SECOND, ROUNDS = 8, 2
#: Seconds between two timings.
PAUSE = 3
TIMES = Path(__file__).resolve().parent.parent / "notebooks" / "times.json"
EXECUTE = ["nbconvert", "--log-level", "ERROR", "--to", "notebook", "--execute", "--inplace",
           "--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.timeout=300",
           "--ExecutePreprocessor.coalesce_streams=True"]  # one output, however slowly it prints


def code_hash(path: Path) -> str:
    """Return a hash of the code that a notebook runs; its prose and its outputs may change."""
    cells = nbformat.read(path, as_version=4).cells
    code = "\0".join(cell.source.strip() for cell in cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()[:16]


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


def measure(path: Path) -> float:
    """Execute a notebook in place; return its processor time as a multiple, start included."""
    beside = [fixed_computation()]
    begun = _of_children()
    run = subprocess.Popen([sys.executable, "-m", *EXECUTE, str(path)])
    while run.poll() is None:  # the load of a machine changes: time the rounds again and again
        sleep(PAUSE)
        beside.append(fixed_computation())
    if run.returncode:
        raise SystemExit(f"{path} was not executed")
    second = statistics.mean(beside) * ROUNDS_A_SECOND / ROUNDS
    return (_of_children() - begun) / second


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # the kernel is a child's child
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Execute each notebook that is named."""
    for name in sys.argv[1:]:
        path = Path(name)
        multiple, code = measure(path), code_hash(path)
        times = json.loads(TIMES.read_text(encoding="utf-8")) if TIMES.exists() else {}
        old = times.get(path.stem, {})
        if old.get("code") == code and abs(multiple / old["multiple"] - 1) < 0.2:
            multiple = old["multiple"]
        times[path.stem] = {"multiple": round(multiple, 1), "code": code}
        TIMES.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{path.stem}: {multiple:.1f} times the fixed computation")


if __name__ == "__main__":
    main()
