"""How many mutants of a room do its tests kill? ``make -C benchmarks mutants ROOM=noise``.

Cosmic Ray changes one place of a copy of the tree at a time: a number, a comparison, an operator,
a keyword, a loop. ``N`` changes are drawn by ``SEED``, and for each the tests of the room are run
until one fails. ``ROOM`` is a room of ppdm or, with its package, of another (``ppdm_survey/_app``);
``TESTS`` names the tests to run, where the room's own are not all that is meant.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "_build" / "mutants"
#: Without operators that fail for any data, put ``is`` for ``==``, or change a type's ``|``.
CONFIG = """[cosmic-ray]
module-path = "{room}"
timeout = 300.0
excluded-modules = []
test-command = "python -m pytest -x -q --tb=no -p no:cacheprovider {tests}"
distributor.name = "local"
filters.operators-filter.exclude-operators = [
    "core/.*Comparison.*_Is(Not)?(_|$)", "core/ReplaceBinaryOperator_BitOr_.*",
    "core/ReplaceBinaryOperator_.*_(BitOr|BitAnd|BitXor|RShift|LShift)",
]
"""


def tests_of(room):
    """Return the tests that lie as a room does: a folder, or files named after it."""
    package, _, name = room.removesuffix(".py").partition("/")
    folder = ROOT / "tests" / package
    found = [folder / name] if (folder / name).is_dir() else []
    found += folder.glob(f"test_{name.strip('_')}*.py")
    return " ".join(str(path.relative_to(ROOT)) for path in found)


def draw(session, n, seed):
    """Leave all changes out but n; those that a filter left out are done."""
    with use_db(session) as changes:
        found = sorted(each.job_id for each in changes.pending_work_items)
        print(f"{n} of {len(found)} changes, seed {seed}", flush=True)
        left_out = random.Random(seed).sample(found, max(0, len(found) - n))
        skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not drawn")
        changes.set_multiple_results(left_out, skipped)


def main():
    """Copy the tree, draw, judge, report."""
    given = os.environ.get
    room = given("ROOM") or "noise"
    room = room if "/" in room else f"ppdm/{room}"
    room = room if (ROOT / room).is_dir() else f"{room.removesuffix('.py')}.py"
    shutil.rmtree(COPY, ignore_errors=True)
    left_out = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "_build", "__pycache__")
    shutil.copytree(ROOT, COPY, ignore=left_out)
    text = CONFIG.format(room=room, tests=given("TESTS") or tests_of(room))
    (COPY / "mutants.toml").write_text(text)
    bin_ = ROOT / ".venv-mutants" / "bin"
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(COPY), "CI": "1"}

    def run(*command):
        subprocess.run(command, cwd=COPY, env=environment, check=True)

    run("cosmic-ray", "baseline", "mutants.toml")  # unchanged, the tests pass
    run("cosmic-ray", "init", "mutants.toml", "mutants.sqlite")
    run("cr-filter-operators", "mutants.sqlite", "mutants.toml")
    seed = int(given("SEED") or random.getrandbits(20))
    draw(COPY / "mutants.sqlite", int(given("N") or 50), seed)
    run("cosmic-ray", "exec", "mutants.toml", "mutants.sqlite")
    run("cr-report", "--surviving-only", "--show-diff", "mutants.sqlite")


if __name__ == "__main__":
    main()
