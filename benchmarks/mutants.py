"""How many mutants of the packages do the tests kill? ``make -C benchmarks mutants``.

Cosmic Ray changes one place of a package: a number, a comparison, an operator, a keyword, a
loop. Here is what it lacks: a sample by seed (of places, each as likely as any other, then of
one change there), the tests that cover a place (the others are not run), and the report.
Mutmut would leave out constants of modules and decorated functions, whose survivors taught most.
"""

import ast
import contextlib
import difflib
import gc
import hashlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from functools import partial
from itertools import accumulate
from pathlib import Path

import coverage
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build" / "mutants"
PACKAGES = ["ppdm", "ppdm_book", "ppdm_survey"]
#: Figures are for the eye. ``LEFT_OUT=`` leaves out none.
LEFT_OUT = os.environ.get("LEFT_OUT", "plots").split()
#: These tests read the signatures and classes of all files and run no function of them.
ONLOOKERS = ("tests/ppdm/test_defaults.py", "tests/ppdm/test_dataclasses.py")
#: Seconds of tests from other files that are run on a mutant, the quickest first.
OTHERS = 60
FLAGS = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
TYPES = {"arith": {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
         "bits": {"BitOr", "BitAnd", "BitXor", "RShift", "LShift"}}  # fmt: skip


class Watch:
    """A pytest plugin: it times and traces each test, and ends one that does not end."""

    def __init__(self, seconds, cover=None):
        self.seconds, self.cover, self.passed = seconds, cover, {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Nobody catches SIGALRM: it ends the process, which is then counted as slow."""
        if self.cover:
            self.cover.switch_context(item.nodeid)
        signal.setitimer(signal.ITIMER_REAL, 60 + 20 * self.seconds.get(item.nodeid, 60))
        return (yield)

    def pytest_runtest_logreport(self, report):
        """Keep how long each test took that passed."""
        if report.when == "call" and report.passed:
            self.passed[report.nodeid] = report.duration


def forked(work):
    """Do ``work(copy)`` in a child, in a copy of the house of its own; return its wait status."""
    copy = BUILD / f"copy-{os.getpid()}"
    if not copy.exists():
        left_out = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "_build", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=left_out)
    pid = os.fork()
    if not pid:
        os.setsid()
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        os.environ.update(PYTHONPATH=str(copy), CI="1")  # CI: the same examples at every run
        log = os.open(BUILD / f"{copy.name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1), os.dup2(log, 2)
        try:
            os._exit(work(copy))
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError):  # what a test has started and left behind
        os.killpg(pid, signal.SIGKILL)
    return status


def measure(files):
    """Run the tests of some files: seconds of those that pass, tests of a line, libraries."""
    out = BUILD / f"measured-{os.getpid()}.json"

    def work(copy):
        cover = coverage.Coverage(data_file=None, source=PACKAGES)
        watch = Watch({}, cover)
        with cover.collect():
            if pytest.main([*FLAGS, *files], plugins=[watch]) > pytest.ExitCode.TESTS_FAILED:
                return 1
        data = cover.get_data()
        lines = {os.path.relpath(f): data.contexts_by_lineno(f) for f in data.measured_files()}
        libraries = [m for m, its in sys.modules.items() if "site-packages" in str(its)]
        return out.write_text(json.dumps([watch.passed, lines, libraries])) * 0

    if forked(work):
        raise RuntimeError(f"the tests could not be run: {BUILD}/copy-{os.getpid()}.log says why")
    return json.loads(out.read_text())


def covering(jobs):
    """Return what all tests measure, as ``measure`` does; kept until a file changes."""
    rooms = [ROOT / room for room in (*PACKAGES, "tests", "book")]
    files = sorted(file for room in rooms for file in room.rglob("*.[pm][yd]"))
    kept = BUILD / hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
    if not kept.exists():
        names = [str(f.relative_to(ROOT)) for f in files if "long" not in f.parts]
        own = [n for n in names if n.startswith("ppdm") and n.endswith(".py")]
        names = [*own, *(n for n in names if "/test_" in n or "add_a" in n)]
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            kept.write_text(json.dumps(pool.map(measure, [names[i::jobs] for i in range(jobs)], 1)))
    seconds, tests = {}, defaultdict(lambda: defaultdict(set))
    for passed, covered, libraries in json.loads(kept.read_text()):
        seconds |= passed
        for library in libraries:
            with contextlib.suppress(Exception):
                __import__(library)  # once, and not after each fork
        for file, lines in covered.items():
            for line, by in lines.items():
                tests[file][int(line)] |= passed.keys() & by
    tests["ONLOOKERS"][0] = {test for test in seconds if test.startswith(ONLOOKERS)}
    return seconds, tests


def tells_nothing(node):
    """Whether a place is an annotation, or the ``strict=True`` of lengths that always agree."""
    if node.parent.type == "argument" and node.parent.get_code().strip() == "strict=True":
        return True
    while (inner := node).parent is not None:
        node = node.parent
        if (
            (node.type == "annassign" and inner in node.children[:2])
            or (node.type == "tfpdef" and inner is not node.children[0])
            or (node.type == "funcdef" and inner is node.annotation)
            or (node.type == "decorated" and "overload" in node.children[0].get_code())
        ):
            return True
    return False


def sensible(operator):
    """Leave out operators that fail for any data, and those that put ``is`` for ``==``."""
    kind, *change = operator.split("_")
    if "Binary" in kind:
        return any(types >= set(change) for types in TYPES.values())
    return "Comparison" not in kind or len({"Is", "IsNot"} & set(change)) != 1


def sample(seed, n):
    """Yield n mutants: file, line, operator, changed file."""
    operators = {name: get_operator(name) for name in operator_names()}
    operators = {k: o() for k, o in operators.items() if not o.arguments() and sensible(k[5:])}
    places = defaultdict(list)
    for path in sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py")):
        if path.relative_to(ROOT).parts[1].removesuffix(".py") in LEFT_OUT:
            continue
        nodes = list(ast_nodes(get_ast(path.read_text())))
        for name, operator in operators.items():
            spots = ((node, at) for node in nodes for at, _ in operator.mutation_positions(node))
            for occurrence, (node, at) in enumerate(spots):
                if not tells_nothing(node):
                    places[str(path.relative_to(ROOT)), *at].append((name, occurrence))
    rng = random.Random(seed)
    print(f"{n} mutants of {len(places)} places, seed {seed}", flush=True)
    for file, line, column in rng.sample(sorted(places), len(places)):
        name, occurrence = rng.choice(places[file, line, column])
        code = mutate_code((ROOT / file).read_text(), operators[name], occurrence)
        with contextlib.suppress(SyntaxError):
            compile(code, file, "exec", dont_inherit=True)
            yield file, line, name[5:], code
            n -= 1
        if not n:
            return


def tests_of(file, line, covered, seconds):
    """Return the tests that cover the statement at a line; for a signature, its function's tests.

    What runs at import is covered by no test: then the file's own tests and ``ONLOOKERS``.
    """
    lines, runs = set(), False
    for node in ast.walk(ast.parse((ROOT / file).read_text())):  # outer ones first
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            whole = isinstance(node, ast.FunctionDef | ast.ClassDef) or not hasattr(node, "body")
            lines = range(node.lineno, node.end_lineno + 1 if whole else node.body[0].lineno)
            runs |= isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line
    tests = set().union(*(covered[file][i] for i in lines))
    tests = tests or set().union(*covered[file].values())
    own = {test for test in seconds if Path(file).stem.strip("_") in test.split("::")[0]}
    return tests if runs else tests | own | covered["ONLOOKERS"][0]


def judge(job):
    """Run the tests of one mutant, those of its own file first."""
    (file, line, name, code), stages, seconds = job

    def work(tests, copy):
        (copy / file).write_text(code)
        os.utime(copy / file, (os.getpid(),) * 2)  # so that no stored bytecode is taken for it
        signal.alarm(300)  # to import and collect
        return pytest.main([*FLAGS, "-x", *tests], plugins=[Watch(seconds)])

    ended = "uncovered"
    for tests in filter(None, stages):
        status = forked(partial(work, tests))
        shutil.copy2(ROOT / file, BUILD / f"copy-{os.getpid()}" / file)
        ended = "slow" if os.WIFSIGNALED(status) else "killed" if status else "survived"
        if status:
            break
    return file, line, name, code, ended


def main():
    """Draw, judge, report."""
    seed, n = int(os.environ.get("SEED") or time.time()), int(os.environ.get("N") or 150)
    jobs = int(os.environ.get("WORKERS") or 2)
    BUILD.mkdir(parents=True, exist_ok=True)
    for copy in BUILD.glob("copy-*[0-9]"):
        shutil.rmtree(copy)
    seconds, covered = covering(jobs)
    gc.freeze()  # the libraries' objects are not searched again in each child

    def work():
        for file, line, *change in sample(seed, n):
            tests = tests_of(file, line, covered, seconds)
            own = {t for t in seconds if Path(file).stem.strip("_") in t.split("::")[0]}
            own = tests & (own | covered["ONLOOKERS"][0])
            stages = [sorted(part, key=lambda t: (seconds[t], t)) for part in (own, tests - own)]
            spent = accumulate(seconds[t] for t in stages[1])
            stages[1] = [t for t, so_far in zip(stages[1], spent, strict=True) if so_far < OTHERS]
            yield (file, line, *change), stages, seconds

    tally = defaultdict(Counter)
    pool = multiprocessing.get_context("fork").Pool(jobs)
    with pool, contextlib.suppress(KeyboardInterrupt):  # the table then has those judged so far
        for file, line, name, code, ended in pool.imap_unordered(judge, work()):
            tally[Path(file).parts[1].removesuffix(".py")][ended] += 1
            print(sum(of.total() for of in tally.values()), end="\r", file=sys.stderr)
            if ended in ("survived", "uncovered"):
                old, new = (ROOT / file).read_text().splitlines(), code.splitlines()
                diff = list(difflib.unified_diff(old, new, lineterm="", n=1))[3:]
                print(f"\n{ended}: {file}:{line} {name}", *diff, sep="\n", flush=True)
    tally["all"] = sum(tally.values(), Counter())
    print(f"\n{'':24}{'mutants':>8}{'killed':>8}{'slow':>8}{'survived':>10}{'uncovered':>11}{'rate':>8}")
    for module, of in tally.items():
        rate = (of["killed"] + of["slow"]) / of.total()
        print(f"{module:24}{of.total():8}{of['killed']:8}{of['slow']:8}{of['survived']:10}"
              f"{of['uncovered']:11}{rate:8.1%}")  # fmt: skip


if __name__ == "__main__":
    main()
