"""The direction of the house: who may import whom, and what an import loads."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ppdm"
OUTBUILDINGS = ["ppdm_book", "ppdm_survey"]

# The floors of the design. A module imports from lower floors only; what is in BASE is under
# everything.
GROUND = {"datasets", "noise", "randomized_response", "guidance", "svd", "generation"}
LEARNERS = {"tree", "naive_bayes"}
MEASURES = {"privacy", "utility", "attacks"}
COMMON = {
    "typing", "_estimators", "_validation", "_coding", "_statistics", "_scheme",
    "_support", "_weighted",
}
BASE = COMMON | {"exceptions", "channel"}
ALLOWED: dict[str, set[str]] = {
    **{name: set() for name in GROUND | LEARNERS | BASE},
    "reconstruction": GROUND - {"datasets"},
    "chunks": set(),
    "dask": {"chunks"},
    "classifiers": GROUND - {"datasets"} | LEARNERS | {"reconstruction", "protocol"},
    "protocol": {"guidance"},
    # a measure or an attack may import the scheme it is about, never a learner or a miner
    **{name: GROUND - {"datasets"} for name in MEASURES},
    # on top: nothing imports these
    "plots": {"tree"},
    "compare": {"noise"},
    "regression": {"noise"},
    "simulation": GROUND | LEARNERS | MEASURES | {"reconstruction", "classifiers", "protocol"},
}


def module_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def every_import(path: Path, top: bool = False) -> list[tuple[str, str | None]]:
    """Every module that a file imports, or its head does, each time with a name from there."""
    found: list[tuple[str, str | None]] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top else ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
    return found


def imported(path: Path) -> set[str]:
    """Return the modules on whose floor an imported name stands."""
    names = {".".join(filter(None, one)) for one in every_import(path)} - {"ppdm.__version__"}
    return {name.split(".")[1] for name in names if name.startswith("ppdm.")}


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    module = module_of(path)
    assert module in ALLOWED, f"{module} has no floor: add it here and to the design"
    forbidden = imported(path) - ALLOWED[module] - BASE - {module}
    assert not forbidden, f"{path.name} imports {sorted(forbidden)}"


@pytest.mark.parametrize("house", ["ppdm", *OUTBUILDINGS])
def test_nobody_goes_through_an_outbuilding(house):
    closed = set(OUTBUILDINGS) - {house}
    for path in (ROOT / house).rglob("*.py"):
        visited = {module.split(".")[0] for module, _ in every_import(path)}
        assert not visited & closed, f"{path.name} imports {sorted(visited & closed)}"


def is_public(module: str, name: str | None) -> bool:
    """Whether it is a door: no underscore on the way, and offered there or a module itself."""
    path = [*module.split("."), name or ""]
    if any(part.startswith("_") for part in path if part != "__version__"):
        return False
    door = importlib.import_module(module)
    # each name of typing may stand in an annotation; it lists those that no option is
    offered = [name] if module == "ppdm.typing" else getattr(door, "__all__", [name])
    is_package = hasattr(door, "__path__")
    return name is None or name in offered or (
        is_package and importlib.util.find_spec(f"{module}.{name}") is not None)


@pytest.mark.parametrize("house", OUTBUILDINGS)
def test_outbuildings_come_in_through_public_doors(house):
    private = {
        f"{path.name}: {module} {name or ''}"
        for path in (ROOT / house).rglob("*.py")
        for module, name in every_import(path)
        if module.split(".")[0] == "ppdm" and not is_public(module, name)
    }
    assert not private, f"not by a public door: {sorted(private)}"


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
    optional = {"pandas"} | ({"matplotlib"} if module_of(path) != "plots" else set())
    names = {module.split(".")[0] for module, _ in every_import(path, top=True)}
    assert not optional & names
