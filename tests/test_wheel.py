"""What a stranger gets: the package from a wheel, in an empty folder, without this tree."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from by_path import ROOT

ELSEWHERE = pytest.mark.long(part="elsewhere")
HOUSES = {"ppdm", "ppdm_book", "ppdm_survey"}

STRANGER = """
import importlib, pkgutil, sys
import ppdm
import ppdm_book
import ppdm_survey
from ppdm_book.experiments import as00, load_table
from ppdm_book.experiments._tables import TABLES

modules = [
    info.name
    for house in (ppdm, ppdm_book, ppdm_survey)
    for info in pkgutil.walk_packages(house.__path__, house.__name__ + ".")
]
for name in modules:
    if not name.rpartition(".")[2].startswith("_"):
        importlib.import_module(name)
tables = {path.stem: load_table(path.stem) for path in TABLES.iterdir()}
row = tables["as00_classes"].iloc[0]
live = as00.classes(row.function, row.privacy, row.placed, row.seed)
assert float(live["accuracy"]) == row.accuracy, (live, row)
print(ppdm.__file__, len(modules), sum(map(len, tables.values())))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Build the wheel and unpack it: all that pip does with a wheel of plain Python."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )
    (wheel,) = folder.glob("ppdm-*.whl")
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    return site


@ELSEWHERE
def test_wheel_works_in_an_empty_folder(installed, tmp_path):
    done = subprocess.run(
        # -W: nothing warns; the folder first, so that no other ppdm is found
        [sys.executable, "-W", "error", "-c", STRANGER],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    place, n_modules, n_rows = done.stdout.split()
    assert Path(place).is_relative_to(installed)
    assert int(n_modules) > 80
    assert int(n_rows) > 9_000
    assert not list(tmp_path.iterdir())


@ELSEWHERE
def test_wheel_holds_the_package_and_nothing_else(installed):
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == HOUSES
    kept = {
        path.relative_to(ROOT)
        for house in HOUSES for path in (ROOT / house).rglob("*") if path.is_file()
    }
    kept = {path for path in kept if "__pycache__" not in path.parts}
    assert kept <= {path.relative_to(installed) for path in installed.rglob("*")}


@pytest.mark.parametrize(
    ("module", "gone", "extra"),
    [("ppdm.plots", "matplotlib", "plots"), ("ppdm_survey", "fastapi", "survey"),
     ("ppdm_survey", "sqlalchemy", "survey"), ("ppdm_survey", "jinja2", "survey")],
)  # fmt: skip
def test_an_import_without_its_extra_names_the_extra(module, gone, extra):
    code = f"import sys; sys.modules['{gone}'] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f'ImportError: {module} needs {gone}' in done.stderr
    assert done.stderr.rstrip().endswith(f'pip install ".[{extra}]"')
