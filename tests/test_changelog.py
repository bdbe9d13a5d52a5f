"""The release note: each name that it says to write exists, none that it calls gone does."""

import importlib.util
import re
from importlib import import_module

import pytest
from by_path import ROOT

NOTE = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
PART = NOTE.partition("**Three packages in one wheel.**")[2].partition("\nBad input")[0]
ROWS = re.findall(r"^\| (`.*?) \| (.*?) \|$", PART, re.MULTILINE)
NAME = re.compile(r"`(?:python -m )?(ppdm[\w.]*)`")
WAS = [name for was, _ in ROWS for name in NAME.findall(was)]
IS = sorted({name for _, new in ROWS for name in NAME.findall(new)})


def exists(name):
    """Say whether a dotted name is a module, or what a module offers."""
    try:
        if importlib.util.find_spec(name):
            return True
    except ModuleNotFoundError:
        pass
    module, _, rest = name.rpartition(".")
    try:
        offered = import_module(module)
    except ModuleNotFoundError:
        return False
    return rest in offered.__all__


def test_the_table_is_read():
    assert len(WAS) >= len(ROWS) >= 15
    assert {"ppdm.survey", "ppdm.plots.use_style"} <= set(WAS)
    assert {"ppdm_survey", "ppdm_book.figures.use_style"} <= set(IS)


@pytest.mark.parametrize("name", WAS)
def test_what_is_gone_does_not_exist(name):
    assert not exists(name)


@pytest.mark.parametrize("name", IS)
def test_what_to_write_instead_exists(name):
    assert exists(name)
    if f"python -m {name}" in PART:
        assert exists(f"{name}.__main__")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(ppdm[._]\w[\w.]*)`", NOTE)) - set(WAS)))
def test_every_name_of_the_note_exists(name):
    assert exists(name)
