"""The API pages: a page a module, no public name missing, none that does not exist."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from by_path import ROOT

import ppdm
import ppdm_book

PAGES = ROOT / "book" / "api"
#: A page's name is the last part of the name of its module.
MODULES = {
    info.name: f"ppdm.{info.name}"
    for info in pkgutil.iter_modules(ppdm.__path__) if info.name[0] != "_"
} | {
    info.name: f"ppdm_book.{info.name}" for info in pkgutil.iter_modules(ppdm_book.__path__)
} | {"survey": "ppdm_survey"}
PUBLIC = sorted(MODULES)
DIRECTIVE = re.compile(r"^\.\. auto(\w+):: (\S+)((?:\n   :.*)*)", re.MULTILINE)


def directives(name):
    return DIRECTIVE.findall((PAGES / f"{name}.md").read_text(encoding="utf-8"))


def documented(name):
    """Return the names of a module that its page shows, as Sphinx's autodoc finds them."""
    shown = set()
    for kind, target, options in directives(name):
        if kind == "module" and target == MODULES[name]:
            assert re.search(r":members:$", options, re.MULTILINE), "not all members are shown"
            left_out = set(re.findall(r":exclude-members: (.*)", options))
            module = import_module(target)
            # without a docstring autodoc leaves a name out; a constant has none of its own
            shown |= {
                each
                for each in module.__all__
                if callable(getattr(module, each)) and inspect.getdoc(getattr(module, each))
            } - left_out
        elif kind != "module":
            shown.add(target)
    return shown


def test_every_module_has_its_page_in_the_contents():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    (api,) = [chapter for chapter in chapters if chapter["file"] == "book/api/index"]
    listed = [Path(section["file"]).name for section in api["sections"]]
    assert sorted(listed) == sorted(PUBLIC)
    assert sorted(page.stem for page in PAGES.glob("*.md")) == sorted([*PUBLIC, "index"])
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"{{doc}}`{name}`" in index for name in PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_on_its_page(name):
    module = import_module(MODULES[name])
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`(\w+)`", page))  # constants are told of in a sentence
    missing = set(module.__all__) - documented(name) - words
    assert not missing, f"not on book/api/{name}.md: {sorted(missing)}"


@pytest.mark.parametrize("name", PUBLIC)
def test_no_page_names_what_does_not_exist(name):
    module = import_module(MODULES[name])
    for kind, target, options in directives(name):
        if kind == "module":
            current = import_module(target)
            assert target.startswith(MODULES[name])
        else:
            assert hasattr(current, target), f"{target} is not in {current.__name__}"
        for chosen in re.findall(r":(?:exclude-)?members: (.*)", options):
            assert all(hasattr(current, each) for each in chosen.split(", "))
    prose = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    for told in re.findall(r"`([A-Z]\w*)`", prose):
        assert hasattr(module, told)


@pytest.mark.parametrize("name", PUBLIC)
def test_names_that_all_lists_exist_once(name):
    module = import_module(MODULES[name])
    assert len(module.__all__) == len(set(module.__all__))
    assert all(hasattr(module, each) for each in module.__all__)


def test_every_name_of_the_release_note_exists():
    note = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name in re.findall(r"`(ppdm[._]\w[\w.]*)`", note):
        pkgutil.resolve_name(name)
