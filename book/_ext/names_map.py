"""Say which chapter explains which public name.

A chapter explains the names that no chapter before it imports; :data:`EXPLAINED` says where that is
not so. What a function returns is explained with the function. The directive ``names-map`` lists
the names of each chapter, and the entry of each name in the reference ends with its chapter. Both
are made from the chapters' cells and from each module's ``__all__`` whenever the book is built.
"""

from __future__ import annotations

import ast
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from course_map import FromNotebooks
from docutils import nodes
from sphinx.application import Sphinx

#: Name -> the chapter that explains it, where an earlier one only uses it, or none names it.
EXPLAINED = {
    "ppdm.attacks.AttackResult": "50_attacks",
    "ppdm.attacks.DenoisingResult": "50_attacks",
    "ppdm.attacks.recover_attributes": "50_attacks",
    "ppdm.classifiers.RandomizedResponseNB": "21_groups_of_answers",
    "ppdm.privacy.audit_epsilon": "51_local_differential_privacy",
    "ppdm.privacy.local_epsilon": "51_local_differential_privacy",
    "ppdm.privacy.record_information": "51_local_differential_privacy",
    "ppdm.protocol.DataMiner": "31_protocol_and_theorems",
    "ppdm.protocol.collect": "31_protocol_and_theorems",
    "ppdm.randomized_response.ProportionEstimate": "20_one_coin_per_record",
    "ppdm.randomized_response.RandomizedResponse": "20_one_coin_per_record",
    "ppdm.randomized_response.UnaryEncoding": "51_local_differential_privacy",
    "ppdm.reconstruction.reconstruct_distribution": "11_reconstruction",
    "ppdm.tree.Tree": "12_trees",
    "ppdm_survey.Survey": "32_survey_system",
}
#: Code in a page, a markdown cell or an assignment.
FENCED = re.compile(
    r"^(?P<fence>`{3,})(?:\{code-cell\}|python|pycon)[^\n]*\n(?P<code>.*?)^(?P=fence)",
    re.MULTILINE | re.DOTALL,
)


class Name(NamedTuple):
    """A public name: where it is explained, who else uses it."""

    #: The module that offers it, a dot, and the name.
    full: str
    #: The page that explains it, as Sphinx calls it; "" if none does.
    page: str
    #: The assignments that use a name of no chapter.
    assignments: tuple[str, ...]
    #: Whether the reference has an entry of it. A constant is told of in a sentence there.
    entry: bool

    def __str__(self) -> str:
        """Return the name in Markdown, with a link to its entry."""
        short = self.full.rpartition(".")[2]
        link = f"{{py:obj}}`{short} <{self.full}>`" if self.entry else f"`{short}`"
        return link + "".join(f" (assignment {n})" for n in self.assignments)


def offered() -> dict[str, Any]:
    """Return each public name with what it stands for."""
    modules = ["ppdm_survey"]
    for package in ("ppdm", "ppdm_book"):
        inside = pkgutil.iter_modules(import_module(package).__path__)
        modules += [f"{package}.{each.name}" for each in inside if each.name[0] != "_"]
    return {
        f"{module}.{name}": getattr(import_module(module), name)
        for module in sorted(modules)
        for name in import_module(module).__all__
    }


def code_of(path: Path) -> Iterator[str]:
    """Yield the code of a notebook's cells, or of a page."""
    text = path.read_text(encoding="utf-8")
    blocks, texts = [], [text]
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        blocks = ["".join(each["source"]) for each in cells if each["cell_type"] == "code"]
        texts = ["".join(each["source"]) for each in cells if each["cell_type"] == "markdown"]
    blocks += [match["code"] for each in texts for match in FENCED.finditer(each)]
    for block in blocks:
        if block.lstrip().startswith(">>>"):
            block = "".join(each.source for each in DocTestParser().get_examples(block))
        yield re.sub(r"^(?:[%!]|:\w+:).*$", "", block, flags=re.MULTILINE)


def used(path: Path) -> set[str]:
    """Return every name that a notebook or page imports, alone or through its module."""
    found, short = set(), {}
    for block in code_of(path):
        for node in ast.walk(ast.parse(block, str(path))):
            if isinstance(node, ast.ImportFrom):
                for each in node.names:
                    short[each.asname or each.name] = f"{node.module}.{each.name}"
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.add(f"{short.get(node.value.id)}.{node.attr}")
    return found | set(short.values())


def returned(thing: Any) -> set[str]:
    """Return the words in the types of what a function, or a class's methods, return."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return set()
    types = re.findall(r"-> (.*):$", inspect.getsource(thing), re.MULTILINE)
    return set(re.findall(r"\w+", " ".join(types)))


def explained(things: dict[str, Any], root: Path) -> dict[str, str]:
    """Return, for each name that a chapter or a page explains, that page in Sphinx's words."""
    chapters = sorted((root / "notebooks").glob("*.ipynb"))
    pages: dict[str, str] = {}
    for path in chapters + sorted((root / "book").glob("*.md")):
        for name in used(path) & set(things):
            pages.setdefault(name, path.relative_to(root).with_suffix("").as_posix())
    stems = {path.stem for path in chapters}
    pages |= {name: f"notebooks/{stem}" for name, stem in EXPLAINED.items() if stem in stems}
    left = (full for full in things if full not in pages and inspect.isclass(things[full]))
    results = {full.rpartition(".")[2]: full for full in left}
    for name, page in sorted(pages.items(), key=itemgetter(1)):  # with the first that returns it
        for short in results.keys() & returned(things[name]):
            pages.setdefault(results[short], page)
    return pages


def table(root: Path) -> list[Name]:
    """Return all public names in the order of their modules."""
    things = offered()
    pages = explained(things, root)
    sheets = sorted((root / "notebooks" / "assignments").glob("[0-9]*.md"))
    practised = {path.stem.partition("_")[0]: used(path) for path in sheets}
    return [
        Name(
            full,
            pages.get(full, ""),
            tuple(n for n, names in practised.items() if full in names and full not in pages),
            inspect.isclass(thing) or inspect.isfunction(thing),
        )
        for full, thing in things.items()
    ]


class NamesMap(FromNotebooks):
    """The names of each chapter and page; with the argument ``rest`` those of none."""

    optional_arguments, box = 1, "names-map"

    def run(self) -> list[nodes.Node]:
        """List them, as if they stood on the page."""
        names: dict[str, list[str]] = {}
        for name in self.env.app.explained_names.values():
            names.setdefault(name.page, []).append(str(name))
        rest = names.pop("", [])
        pages = sorted(names, key=lambda page: (page.startswith("book/"), page))
        listed = (f"**{{doc}}`/{page}`**: {', '.join(names[page])}" for page in pages)
        return self.parsed(", ".join(rest) if self.arguments else "\n\n".join(listed))


def _read(app: Sphinx) -> None:
    app.explained_names = {name.full: name for name in table(Path(app.srcdir))}


def _say_where(
    app: Sphinx, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    if name in app.explained_names:
        page = app.explained_names[name].page
        lines += ["", f"Explained in: :doc:`/{page}`." if page else "Explained here only.", ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive, and end each entry after its docstring was put into Sphinx's form."""
    app.add_directive("names-map", NamesMap)
    app.connect("builder-inited", _read)
    app.connect("autodoc-process-docstring", _say_where, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
