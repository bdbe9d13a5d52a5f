"""Build the student edition: the book without solutions and instructors' pages; search it for any.

    python book/_course/student_edition.py              # writes _build/student

Both are taken out of the *sources*, before anything is built, so that no page, download, search
index or other file can have them. Then every built file is searched for what each of them says,
its code and its pictures; a find is an error, and nothing is left to be handed out.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
#: What the book is built from, but for the notebooks.
SOURCES = ("_config.yml", "_toc.yml", "book", "deploy", "ppdm_survey/static")
#: Pages for whoever gives the course. A paragraph, card or row that links to one goes, too.
INSTRUCTORS = ("book/teach", "book/assignments")
IGNORED = shutil.ignore_patterns("__pycache__", "_course", "_make")
#: ``{solution}`` holds its text; ``{solution-start}`` and ``{solution-end}`` enclose cells.
DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{solution(?P<kind>|-start|-end)\}[^\n]*\n"
    r"(?P<body>.*?)^(?P=fence)[`:]*[ \t]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
#: A run of this many words, or a line of code this long, is taken for a solution's own.
WORDS, LINE = 7, 24


def parted(text: str, inside: bool = False) -> tuple[str, str, bool]:
    """Part a text into what stays and what a solution says; tell whether one is still open."""
    stays, goes, at = [], [], 0
    for match in DIRECTIVE.finditer(text):
        (goes if inside else stays).append(text[at : match.start()])
        if not match["kind"]:
            goes.append(match["body"])
        inside = {"-start": True, "-end": False}.get(match["kind"], inside)
        at = match.end()
    (goes if inside else stays).append(text[at:])
    return "".join(stays), "\n".join(goes), inside


def part_notebook(notebook: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Part a notebook into one without solutions, and the cells that are solutions."""
    stays, goes, inside = [], [], False
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            (goes if inside else stays).append(cell)
            continue
        kept, solution, inside = parted("".join(cell["source"]), inside)
        if kept.strip():
            stays.append(cell | {"source": kept})
        if solution.strip():
            goes.append(cell | {"source": solution})
    if inside:
        raise ValueError("a solution-start has no solution-end")
    return notebook | {"cells": stays}, goes


def without_instructors(text: str) -> str:
    """Return a text without the blocks, and the rows of tables, that link to instructors' pages."""
    blocks = []
    for block in text.split("\n\n"):
        parts = block.split("\n") if block.startswith("|") else [block]
        stays = [part for part in parts if not any(f"</{page}>`" in part for page in INSTRUCTORS)]
        blocks += ["\n".join(stays)] if stays else []
    return "\n\n".join(blocks)


def without_pages(entry: Any) -> Any:
    """Return a table of contents without instructors' pages, and without a part left empty."""
    if isinstance(entry, list):
        return [kept for each in entry if (kept := without_pages(each))]
    if not isinstance(entry, dict):
        return entry
    kept = {key: without_pages(value) for key, value in entry.items()}
    return None if kept.get("file") in INSTRUCTORS or kept.get("chapters") == [] else kept


def write_sources(folder: Path) -> None:
    """Copy what the book is built from, without the solutions and the instructors' pages."""
    for name in SOURCES:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=IGNORED)
        else:
            shutil.copy(source, target)
    for name in INSTRUCTORS:
        (folder / f"{name}.md").unlink()
    for path in (folder / "book").rglob("*.md"):
        text = without_instructors(parted(path.read_text(encoding="utf-8"))[0])
        path.write_text(text, encoding="utf-8")
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    text = yaml.safe_dump(without_pages(contents), sort_keys=False, allow_unicode=True)
    (folder / "_toc.yml").write_text(text, encoding="utf-8")
    (folder / "notebooks").mkdir()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        kept, _ = part_notebook(json.loads(path.read_text(encoding="utf-8")))
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        (folder / "notebooks" / path.name).write_text(text + "\n", encoding="utf-8")


def plain(text: str) -> str:
    """Return the words of a text, an HTML page, a script or JSON, whatever stands around them."""
    text = re.sub(r"<!--.*?-->|</?[A-Za-z][^<>]{0,2000}>", " ", text, flags=re.DOTALL)
    text = re.sub(r"\\[nt\"']", " ", html.unescape(text))
    text = re.sub(r"\{[a-z:-]+\}", " ", text)  # a role of MyST, which a page does not show
    return " ".join(re.findall(r"[^\W_]+", text))


def _phrases(cell: dict[str, Any]) -> Iterator[str]:
    """Yield what a cell is recognised by: its lines of code, or runs of words of its prose."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "code":
        for line in source.splitlines():
            if len(line.strip()) >= LINE:
                yield plain(line)
    else:  # between formulas, code and links, which a page writes in another way
        for run in re.split(r"\$+[^$]*\$+|`[^`]*`|\{[^}]*\}|[\[\]()|]", source):
            words = plain(run).split()
            yield from (" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1))


def probes() -> tuple[dict[str, set[str]], set[str]]:
    """Return the phrases of each chapter's solutions and of instructors' pages; pictures' hashes.

    What stands elsewhere, too, is left out.
    """
    solutions, said, pictures, shown = {}, [], set(), set()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        kept, goes = part_notebook(json.loads(path.read_text(encoding="utf-8")))
        solutions[path.stem] = {phrase for cell in goes for phrase in _phrases(cell)}
        said += ["".join(cell["source"]) for cell in kept["cells"]]
        shown |= {_hash(image) for cell in kept["cells"] for image in _images(cell)}
        pictures |= {_hash(image) for cell in goes for image in _images(cell)}
    for path in (ROOT / "book").rglob("*.md"):
        text, name = path.read_text(encoding="utf-8"), f"book/{path.stem}"
        if name in INSTRUCTORS:
            solutions[name] = set(_phrases({"cell_type": "markdown", "source": text}))
        else:
            said.append(without_instructors(text))
    for package in ("ppdm", "ppdm_book", "ppdm_survey"):
        said += [path.read_text(encoding="utf-8") for path in (ROOT / package).rglob("*.py")]
    elsewhere = plain("\n".join(parted(text)[0] for text in said))
    found = {
        name: {phrase for phrase in phrases if phrase not in elsewhere}
        for name, phrases in solutions.items()
    }
    return found, pictures - shown


def _images(cell: dict[str, Any]) -> Iterator[bytes]:
    for output in cell.get("outputs", []):
        if "image/png" in output.get("data", {}):
            yield base64.b64decode("".join(output["data"]["image/png"]))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _starts(words: str) -> set[str]:
    each = words.split()
    return {" ".join(each[i : i + n]) for n in (1, 2, 3) for i in range(len(each) - n + 1)}


def leaks(folder: Path) -> list[str]:
    """Return what of solutions and instructors' pages is in a folder's files: where, and what."""
    phrases, pictures = probes()
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if any(name in path.as_posix() for name in INSTRUCTORS):
            found.append(f"{path}: a page for instructors")
        if _hash(content) in pictures:
            found.append(f"{path}: a picture of a solution")
        if b"\0" in content[:1024]:
            continue  # a font, a picture
        text = content.decode("utf-8", "replace")
        words = plain(text)
        starts = _starts(words)  # a quick look before the long one
        for name, some in phrases.items():
            found += [
                f"{path}: {phrase!r} of {name}"
                for phrase in some
                if " ".join(phrase.split()[:3]) in starts and phrase in words
            ]
        if re.search(r"\{solution(-start|-end)?\}", text):
            found.append(f"{path}: a solution's directive")
    return found


def main() -> None:
    """Write, build, search; then put it where it can be handed out."""
    work, finished = ROOT / "_build" / ".student", ROOT / "_build" / "student"
    for folder in (work, finished):
        shutil.rmtree(folder, ignore_errors=True)
    write_sources(work)
    program = Path(sys.executable).with_name("jupyter-book")
    subprocess.run([program, "build", "-q", "-W", "-n", "--keep-going", work], check=True,
                   env=os.environ | {"PPDM_REPOSITORY": "none"})  # no button or link leads out
    made = work / "_build" / "html"
    if found := leaks(made):
        total = f"{len(found)} pieces of solutions or instructors' pages were found"
        raise SystemExit("\n".join([*found[:20], total]))
    made.rename(finished)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
