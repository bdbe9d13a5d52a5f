"""The release note names nothing that there is not."""

import importlib.util
import pkgutil
import re
from importlib import import_module

import pytest
from by_path import ROOT

import ppdm

NOTE = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
ROOMS = [import_module(f"ppdm.{room.name}") for room in pkgutil.iter_modules(ppdm.__path__)
         if not room.name.startswith("_")]  # fmt: skip
OFFERED = {name: getattr(room, name) for room in ROOMS for name in room.__all__}
METHODS = {name for thing in OFFERED.values() if isinstance(thing, type) for name in dir(thing)}
#: What the note says is gone; a parameter; the outbuildings.
OTHER = {"fetch_adult", "learn_level", "product_prior", "fit_chunks", "ParquetChunks",
         "random_state", "ppdm_book", "ppdm_survey"}  # fmt: skip


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


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(ppdm[._]\w[\w.]*)`", NOTE))))
def test_every_dotted_name_exists(name):
    assert exists(name)


def test_what_stands_alone_in_code_is_offered():
    """Names of two words or of a class, and whatever the example calls by its name."""
    words = set(re.findall(r"`(?=\w*[A-Z_])([A-Za-z]\w+)(?:\([^`]*\))?`", NOTE))
    [example] = re.findall(r"```python\n(.*?)```", NOTE, re.DOTALL)
    called = set(re.findall(r"(?<![.\w])([A-Za-z_]\w+)\(", example))
    assert len(words) > 20
    assert len(called) > 4
    assert words - OFFERED.keys() - METHODS - OTHER == set()
    assert called - OFFERED.keys() == set()
