"""Tie the numbers of a chapter's prose to the cells that print them: ``make -C tests ties``.

For each number that must be tied and is not, the nearest cell of its section that prints it is
proposed, before, then behind; what no cell there prints stays untied, and red. The comments are
written into the ``.md`` and the ``.ipynb``, and cells get names. Read what was written, beside
the printed line: whether a number is *that* number, only a person can say. Numbers in captions
and alt texts are listed, and tied by hand.
"""

import ast
import itertools
import json
import re
import sys
from pathlib import Path

import jupytext
import nbformat
from prose_numbers import (
    MARKER,
    NUMERAL,
    SPAN,
    Chapter,
    check,
    numerals,
    printed,
    printed_texts,
    ties,
)  # fmt: skip

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
DULL = ("rng", "fig", "import", "from", "print", "for", "ppdm", "numpy")


def nearest(cells):
    """Return for each cell the code cells of its section, in the order of a search for a tie."""
    code = [i for i, cell in enumerate(cells) if cell.cell_type == "code"]
    section, sections = 0, []  # a text with headings is in the section before and in its own
    for cell in cells:
        headings = cell.cell_type == "markdown" and re.findall(r"^## ", cell.source, re.MULTILINE)
        sections.append(range(section, section + len(headings or ()) + 1))
        section = sections[-1][-1]

    return [
        sorted(
            (i for i in code if sections[i][-1] in sections[here]),
            key=lambda i, here=here: (i > here, abs(i - here)),
        )
        for here in range(len(cells))
    ]


def name_of(cell, taken):
    """Return a name for a cell: its first new variable, else the first word that it prints."""
    words = [
        target.id
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    words += re.findall(r"[a-z]{3,}", cell.source.lower())
    for word in words:
        if len(word) > 2 and word.islower() and word not in {*taken, *DULL}:
            return word
    return f"cell_{len(taken)}"


def find(cells, order, numeral):
    """Return the first cell in `order` that prints a number, and which of its numbers it is."""
    for i in order:
        for k, number in enumerate(printed(cells[i]), start=1):
            if numeral.says(number.value, number.percent):
                return i, k
    return None


def propose(chapter):
    """Return ``{(cell, start): tie}`` for the untied numbers, and name the cells they point at."""
    proposed, cells = {}, chapter.cells
    for here, order in enumerate(nearest(cells)):
        if cells[here].cell_type != "markdown":
            continue
        for numeral, entry in ties(cells[here].source)[0]:
            if entry or chapter.is_literal(numeral):
                continue
            if found := find(cells, order, numeral):
                i, k = found
                metadata = cells[i].metadata
                if "name" not in metadata:
                    metadata["name"] = name_of(cells[i], chapter.names)
                    chapter.names.append(metadata["name"])
                proposed[here, numeral.start] = f"{metadata['name']}.{k}"
    return proposed


def line_of(chapter, entry):
    """Return the line in which a cell prints the number of a tie."""
    name, _, k = entry.rpartition(".")
    (cell,) = [cell for cell in chapter.cells if cell.metadata.get("name") == name]
    lines = [line for text in printed_texts(cell) for line in text.splitlines()]
    ends = itertools.accumulate(len(NUMERAL.findall(line)) for line in lines)
    return next(line for line, end in zip(lines, ends, strict=True) if end >= int(k))


def insert(text, entries):
    """Return a text with a marker behind each numeral that starts where `entries` says."""
    behind = {}
    spans = [match.span() for match in SPAN.finditer(text)]
    for numeral in numerals(text):
        span = next((s for s in spans if s[0] <= numeral.start < s[1]), None)
        end = span[1] if span else numeral.end + (text[numeral.end :][:1] == "%")
        behind.setdefault(end, []).append(entries.get(numeral.start))
    starts = {last: first for first, last in spans}
    for end in sorted(behind, reverse=True):
        wanted = behind[end]
        while wanted and wanted[0] is None:  # a marker speaks of the last numerals only
            del wanted[0]
        if wanted and not MARKER.match(text, end):
            opening = text[starts[end] :][:2] if end in starts else ""
            line = "\n" if opening in ("$$", "``") else ""
            marker = ", ".join(entry or "given" for entry in wanted)
            if opening:  # behind a formula one "given" speaks of all the rest
                marker = re.sub(r"^(given, )+(?=given)", "", marker)
            text = f"{text[:end]}{line}<!--{marker}-->{text[end:]}"
    return text


def name_cells(text, names):
    """Return a chapter's text with the names (None: none) of its code cells, in order."""
    pieces = re.split(r"(?m)^(`{3,}\{code-cell\}.*\n)", text)
    for i, name in enumerate(names):
        body = pieces[2 * i + 2]
        body = re.sub(r"(?<=\A---\n)name: \w+\n|\A:name: \w+\n\n?", "", body)
        if name and body.startswith("---\n"):
            body = f"---\nname: {name}\n{body[4:]}"
        elif name:
            body = f":name: {name}\n" + ("" if body.startswith((":", "\n")) else "\n") + body
        pieces[2 * i + 2] = body
    return "".join(pieces)


def store(path, cells, new):
    """Write new texts and names into both halves of a chapter; outputs stay."""
    text, done = path.with_suffix(".md").read_text(encoding="utf-8"), 0
    for here, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            source = new.get(here, cell.source)
            done = text.index(cell.source, done)
            text = text[:done] + source + text[done + len(cell.source) :]
            done += len(source)
    code = [cell for cell in cells if cell.cell_type == "code"]
    text = name_cells(text, [cell.metadata.get("name") for cell in code])
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    stored = json.loads(path.read_text(encoding="utf-8"))
    for old, cell in zip(stored["cells"], jupytext.reads(text, fmt="md:myst").cells, strict=True):
        old["source"], old["metadata"] = cell.source.splitlines(keepends=True), dict(cell.metadata)
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(number):
    """Tie one chapter, and print what is left to do."""
    path = next(NOTEBOOKS.glob(f"{number}*.ipynb"))
    notebook = nbformat.read(path, as_version=4)
    chapter = Chapter(path.stem, notebook)
    entries = propose(chapter)
    new = {}
    for here, cell in enumerate(chapter.cells):
        mine = {start: entry for (i, start), entry in entries.items() if i == here}
        for start, entry in sorted(mine.items()):
            around = cell.source[max(0, start - 40) : start + 12]
            print(f"{around!r}: {entry}, {line_of(chapter, entry)}")
        if mine:
            new[here] = insert(cell.source, mine)
    store(path, chapter.cells, new)
    print(f"{len(entries)} numbers of {path.stem} are newly tied: read the difference.")
    print(*check(Chapter(path.stem, nbformat.read(path, as_version=4))), sep="\n")


if __name__ == "__main__":
    for number in sys.argv[1:]:
        main(number)
