"""The table of ratios against peers: ``make bench`` runs all rows and writes it.

``python benchmarks/bench.py WORDS`` measures the rows whose name has these words, and puts them
into the table if that is of this machine; ``--pairs`` limits the pairs of runs. ``--small`` leaves
out the peers of other environments, takes fewer records, stores nothing, and holds only rows to
their target that have their full size. Where our time goes says ``python -m cProfile -s tottime
benchmarks/bench.py --pairs 1 WORDS``. A missed target makes it exit 1; why it is missed,
``book/bench.md`` must then say.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import distributions
from itertools import chain
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from _rows import ROWS, Row
from _timing import Measured

HERE = Path(__file__).parent
DATA = HERE.parent / "book" / "_data"
STORED, PAGE = DATA / "bench.json", DATA / "bench.txt"
FILES = ("disguise", "frequencies", "learners", "schemes", "memory")
MISSED = "missed"


def rows_by_file() -> dict[str, list[Row]]:
    """Return the rows of all files, in their order."""
    for name in FILES:
        importlib.import_module(f"rows_{name}")
    return {name: ROWS[name] for name in FILES}


def rows() -> list[Row]:
    """Return all rows."""
    return list(chain.from_iterable(rows_by_file().values()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="?", default="")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--small", action="store_true")
    chosen = parser.parse_args(arguments)
    wanted = [each for each in rows() if chosen.words in each.name]
    if chosen.small:
        wanted = [each for each in wanted if each.elsewhere is None]
    measured, missed = run(wanted, small=chosen.small, pairs=chosen.pairs)
    if measured and not chosen.small:
        store(measured)
    if missed:
        print("Missed: " + "; ".join(missed), file=sys.stderr)
    return 1 if missed else 0


def store(measured: dict[str, Any]) -> None:
    """Write the table; rows not measured now are kept if they are of the same machine."""
    known = {each.name: measured.get(each.name) for each in rows()}
    if None in known.values():
        old = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
        if old.get("machine") != machine():
            print("Not stored: the table is of another machine, and this is a part of it.")
            return
        known = {name: found or old["rows"].get(name) for name, found in known.items()}
    stored = {"machine": machine(), "rows": {name: found for name, found in known.items() if found}}
    DATA.mkdir(exist_ok=True)
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    if all(known.values()):
        PAGE.write_text(page(stored, rows_by_file()), encoding="utf-8")


def run(
    wanted: Sequence[Row], *, small: bool = False, pairs: int | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Measure rows and print each; return what is stored, and the names that missed."""
    measured: dict[str, Any] = {}
    missed = []
    for each in wanted:
        n = each.small if small else each.n
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = each.measure(n, pairs)
        measured[each.name] = {"n": n, "target": each.target, **rounded(found)}
        held = n == each.n
        if held and not each.met(found.ratio):
            missed.append(each.name)
        print(line(each, found, held=held), flush=True)
    return measured, missed


def rounded(found: Measured) -> dict[str, Any]:
    """Round each number to four digits; more would be chance."""
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in asdict(found).items()
    }


def line(each: Row, found: Measured, *, held: bool = True) -> str:
    """Return a row of the printed table."""
    text = f"{each.name:<68s} {found.ours:9.4f} {found.unit:<2s} peer {found.peer:9.4f}"
    text += f"  ratio {found.ratio:8.4f} [{found.low:.4f}, {found.high:.4f}]"
    if each.target is None:
        return text
    verdict = "ok" if each.met(found.ratio) else MISSED.upper()
    return f"{text}  target {each.target:g}: {verdict if held else 'not held at this size'}"


def machine() -> dict[str, str]:
    """Describe the machine and the versions that were measured."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)", info.read_text() if info.exists() else "", re.M)
    packages = ("numpy", "scipy", "scikit-learn", "river")  # river where rows ask for it
    there = {each.name: each.version for each in distributions()}
    made_of = {name: there[name] for name in packages if name in there}
    pins = "".join(file.read_text(encoding="utf-8") for file in sorted(HERE.glob("peers-*.txt")))
    made_of |= dict(re.findall(r"^(multi-freq-ldpy|numba|pure-ldp)==(.*)", pins, re.M))
    return {
        "processor": model[1] if model else platform.processor() or platform.machine(),
        "cores": f"{os.cpu_count()}, of which each call uses one",
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {number}" for name, number in made_of.items()),
    }


def page(stored: dict[str, Any], by_file: dict[str, list[Row]]) -> str:
    """Return the tables of the page, each behind its name."""
    parts = ["== machine", "\n".join(f"* {k}: {v}" for k, v in stored["machine"].items())]
    head = "| ours | against | times | ratio | middle half | target |\n" + 6 * "|---" + "|"
    for file, mine in by_file.items():
        cells = (_cells(each, stored["rows"][each.name]) for each in mine)
        parts += [f"== {file}", "\n".join([head, *cells])]
    return "\n\n".join(parts) + "\n"


def _cells(each: Row, found: dict[str, Any]) -> str:
    sides = " : ".join(_short(found[side]) for side in ("ours", "peer"))
    target = "none"
    if each.target is not None:
        target = f"{each.target:g}, {'met' if each.met(found['ratio']) else f'**{MISSED}**'}"
    half = f"{_short(found['low'])} to {_short(found['high'])}" if found["pairs"] > 1 else ""
    return (
        f"| {each.name} | {each.peer} | {sides} {found['unit']} "
        f"| {_short(found['ratio'])} | {half} | {target} |"
    )


def _short(value: float) -> str:
    """Return three digits, without a power of ten."""
    return f"{float(f'{value:.3g}'):f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    raise SystemExit(main())
