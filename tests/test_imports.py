"""The direction of the house: who may import whom, and what an import loads."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ppdm"

# The floors of the design. A module imports from lower floors only; what is in BASE is under
# everything.
GROUND = {"datasets", "noise", "randomized_response", "guidance", "svd", "generation"}
LEARNERS = {"tree", "naive_bayes"}
MEASURES = {"privacy", "utility", "attacks"}
COMMON = {
    "typing", "_estimators", "_validation", "_coding", "_entropy", "_accounting", "_budget",
    "_readings",
}
BASE = COMMON | {"exceptions", "channel"}
ALLOWED: dict[str, set[str]] = {
    **{name: set() for name in GROUND | LEARNERS | BASE},
    "reconstruction": GROUND - {"datasets"},
    "chunks": set(),
    "dask": {"chunks"},
    "classifiers": GROUND - {"datasets"} | LEARNERS | {"reconstruction"},
    "protocol": {"guidance"},
    # a measure or an attack may import the scheme it is about, never a learner or a miner
    **{name: GROUND - {"datasets"} for name in MEASURES},
    # on top: nothing imports these
    "plots": GROUND | LEARNERS | MEASURES | {"reconstruction", "classifiers", "protocol"},
    "compare": {"noise"},
}


def module_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_names(path: Path) -> set[str]:
    """Every ppdm.X.Y that a file imports, a name it takes from a module included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name for name in names if name.startswith("ppdm.")}
    return found - {"ppdm.__version__"}


def imported(path: Path) -> set[str]:
    """Return the modules on whose floor an imported name stands."""
    return {name.split(".")[1] for name in imported_names(path)}


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    module = module_of(path)
    assert module in ALLOWED, f"{module} has no floor: add it here and to the design"
    forbidden = imported(path) - ALLOWED[module] - BASE - {module}
    assert not forbidden, f"{path.name} imports {sorted(forbidden)}"


def test_package_itself_imports_no_module():
    assert imported(PACKAGE / "__init__.py") == set()


def test_import_loads_neither_matplotlib_nor_pandas():
    code = "import ppdm, sys; print(sorted({'matplotlib', 'pandas'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_optional_libraries_are_imported_where_they_are_used(path):
    # scikit-learn may load pandas for itself; no module of ours does when it is imported
    optional = {"pandas", "pooch"} | ({"matplotlib"} if module_of(path) != "plots" else set())
    top = ast.parse(path.read_text(encoding="utf-8")).body
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
    assert not optional & {name.split(".")[0] for name in names}
