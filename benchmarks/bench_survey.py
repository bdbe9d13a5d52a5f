"""What the survey's server takes on two cores: submissions a second, waiting times, memory.

A cycle is what one respondent does: inquiry, ready, submit. Each submission is on disk
when it is acknowledged. Server, database and respondents share the two cores. Memory is
measured on Linux, early and many epochs later, with the same number of clients; SQLite's
page cache, which fills up to 2 MiB in between, is in it.

``python benchmarks/bench_survey.py FOLDER`` compares with another checkout of the project, in
turns, and prints the ratio of the rates (above 1: this one is faster).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from urllib.error import URLError
from urllib.request import urlopen

import sqlalchemy as sa
from _survey_load import Load, run_load
from _survey_server import Server, free_port, own_postgresql, postgresql_binaries

from ppdm_survey import voting_survey

N_BITS = voting_survey().n_bits
CLIENTS = (1, 8, 64)
SUBMISSIONS = 2_000
#: Turns of a comparison with another checkout.
TURNS = 9
#: Submissions of each turn that are not counted.
WARM = 100
#: Submissions after which memory is read, the first time and the last, and the most seconds
#: between the two.
EARLY, LATE, SECONDS = 2_000, 20_000, 45.0


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/survey.sqlite")
        grow(f"sqlite:///{folder}/memory.sqlite")
    binaries = postgresql_binaries()
    if binaries is None:
        print("PostgreSQL: skipped, it is not installed (Debian's package: postgresql)")
        return
    with own_postgresql(binaries) as cluster:
        measure("PostgreSQL", cluster.new_database())


def measure(name: str, database: str) -> None:
    """Print a line for each number of clients; fail if a submission was lost."""
    with Server(database) as server:
        acknowledged: list[str] = []
        for clients in CLIENTS:
            count = SUBMISSIONS if clients > 1 else SUBMISSIONS // 4
            load = run_load(server.port, clients, count, N_BITS)
            acknowledged += load.tokens
            print(f"{name}, {clients:2d} clients: {line(load)}", flush=True)
        server.stop()
    found = stored(database)
    if found != len(set(acknowledged)):
        raise SystemExit(f"{name}: {len(set(acknowledged))} acknowledged, {found} stored")
    print(f"{name}: {len(acknowledged):,} acknowledged, {found:,} stored: nothing lost")


def line(load: Load) -> str:
    submits, cycles = sorted(load.submits), sorted(load.cycles)
    times = "  ".join(
        f"{what} p50 {1e3 * quantile(of, 0.5):6.1f} ms, p99 {1e3 * quantile(of, 0.99):6.1f} ms"
        for what, of in (("submit", submits), ("cycle", cycles))
    )
    return f"{load.rate:6.0f} submissions/s  {times}"


def quantile(ascending: list[float], share: float) -> float:
    return ascending[min(int(share * len(ascending)), len(ascending) - 1)]


def grow(database: str) -> None:
    """Print what the server's memory grows by for each tuple."""
    if not Path("/proc/self/statm").exists():
        print("memory: skipped, there is no /proc")
        return
    with Server(database) as server:
        run_load(server.port, 64, EARLY, N_BITS)
        early = server.resident()
        more = len(run_load(server.port, 64, LATE - EARLY, N_BITS, seed=1, seconds=SECONDS).tokens)
        late = server.resident()
    print(
        f"memory: {early / 2**20:.1f} MiB after {EARLY:,} submissions, {late / 2**20:.1f} MiB "
        f"after {EARLY + more:,}: {(late - early) / more:.1f} bytes a tuple"
    )


def compare(other: Path) -> None:
    """Print the rates of this checkout and of another, measured in turns.

    Both servers start anew for each turn: a process keeps its luck (up to a tenth) for life.
    """
    folders = Path(__file__).parents[1], other
    for clients in CLIENTS:
        count = SUBMISSIONS if clients > 1 else SUBMISSIONS // 4
        loads: dict[Path, list[Load]] = {folder: [] for folder in folders}
        for turn in range(TURNS):
            for folder in folders[:: -1 if turn % 2 else 1]:
                with served_from(folder) as port:
                    run_load(port, clients, WARM, N_BITS, seed=1_000 + turn)
                    loads[folder].append(run_load(port, clients, count, N_BITS, seed=turn))
        ratios = [a.rate / b.rate for a, b in zip(*loads.values(), strict=True)]
        error = stdev(ratios) / sqrt(TURNS)
        print(f"{clients:2d} clients: ratio {mean(ratios):.3f}, standard error {error:.3f} "
              f"({min(ratios):.2f} to {max(ratios):.2f})", flush=True)
        for name, of in zip(("this", "other"), loads.values(), strict=True):
            middle = sorted(of, key=lambda load: load.rate)[TURNS // 2]
            print(f"  {name:5}: {line(middle)}", flush=True)


@contextmanager
def served_from(folder: Path) -> Iterator[int]:
    """Serve a new survey by the package of a checkout."""
    with tempfile.TemporaryDirectory() as place:
        port = free_port()
        server = subprocess.Popen(
            [sys.executable, "-m", "ppdm_survey", "--scheme", "guided", "--port", str(port)],
            cwd=place, env={**os.environ, "PYTHONPATH": str(folder)}, stdout=subprocess.DEVNULL,
        )
        try:
            while server.poll() is None:
                try:
                    urlopen(f"http://127.0.0.1:{port}/api/inquiry", timeout=10).close()
                    break
                except (URLError, ConnectionError):
                    time.sleep(0.05)
            yield port
        finally:
            server.terminate()
            server.wait(60)


def stored(database: str) -> int:
    """Count the submissions in a store."""
    engine = sa.create_engine(database)
    with engine.connect() as connection:
        found = int(connection.execute(sa.text("SELECT count(*) FROM submission")).scalar_one())
    engine.dispose()
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]).resolve())
    else:
        main()
