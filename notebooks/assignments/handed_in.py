"""Find what was handed in, in whatever shape a learning platform gives it.

A folder or a zip holds a folder for each student, or flat files such as
``Anna B_1234_assignsubmission_file_1_roles.ipynb`` (Moodle) or ``anna_LATE_1234_567_1_roles.ipynb``
(Canvas); around them may lie a folder of the class, of a group or of an assignment. Which
assignment a notebook is stands in its metadata; its name matters only without.
"""

import contextlib
import io
import json
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from course import NAMES
from tables import decoded, legible, plain

#: Bytes of a file that are read; of a notebook without its outputs; folders below each other.
READ, LARGEST, DEEPEST = 200_000_000, 20_000_000, 20
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"
)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(?P<rest>.+\.(?i:ipynb))")
#: A notebook's name, as browsers also save it.
NOTEBOOK = re.compile(r"\.ipynb(?:\.txt|\.json)?$", re.IGNORECASE)
#: What systems leave beside files.
LITTER = {"__MACOSX", ".ipynb_checkpoints", "Thumbs.db", "desktop.ini"}


class HandedIn(NamedTuple):
    """A file of a student, and which others there were; ``why`` it has no notebook if it has none.

    ``parts`` are the folders that tell whose it is, and its name.
    """

    student: str | None
    assignment: str | None
    notebook: dict | None
    why: str
    late: bool
    where: str
    parts: tuple
    others: tuple = ()


def content_of(file):
    """Return the bytes of a file, or a sentence on why there are none."""
    try:
        with file.open("rb") as opened:
            content = opened.read(READ + 1)
    except Exception:  # a zip can be damaged in many ways
        return "locked or damaged"
    return content if len(content) <= READ else "too large"


def files(place, parts=(), zips=2):
    """Yield (path as parts, content) of each file of a folder or zip, zips in it opened, too."""
    entries = sorted(place.iterdir(), key=lambda entry: entry.name)
    if parts and not entries:
        yield (*parts, ""), b""
    for entry in entries:
        if entry.is_dir() and len(parts) < DEEPEST:
            yield from files(entry, (*parts, entry.name), zips)
            continue
        content = content_of(entry)
        if zips and entry.suffix.lower() == ".zip":
            try:
                inside = zipfile.Path(io.BytesIO(content))
            except Exception:
                content = content if isinstance(content, str) else "locked or damaged"
            else:
                yield from files(inside, parts or (entry.stem,), zips - 1)
                continue
        yield (*parts, *entry.name.split("\\")), content  # as some zips made on Windows


def whose(parts):
    """Return a student, whether the platform calls it late, and the file's own name.

    The student is None where a file lies in no folder and its name does not say whose it is.
    """
    for pattern in (MOODLE, CANVAS) if len(parts) == 1 else (MOODLE,):
        if found := pattern.fullmatch(parts[0]):
            rest = found["rest"] if len(parts) == 1 else parts[-1]
            student = plain(f"{found['name']}_{found['number']}")
            return student, bool(found.groupdict().get("late")), rest
    return plain(parts[0]) if len(parts) > 1 else None, False, parts[-1]


def read(content, name):
    """Return which assignment a file is, its notebook without outputs, and why it has none."""
    named = next((n for n in NAMES if n in name.casefold()), None)
    if isinstance(content, str) or not NOTEBOOK.search(name):
        return named, None, content if isinstance(content, str) else "no notebook"
    notebook, told = None, None
    with contextlib.suppress(ValueError, AttributeError, TypeError, RecursionError):
        notebook = json.loads(decoded(content))
        for cell in notebook.get("cells", ()):
            cell |= {key: type(cell[key])() for key in {"outputs"} & set(cell)}
            cell |= {key: {one: {} for one in cell[key]} for key in {"attachments"} & set(cell)}
        told = notebook.get("metadata", {}).get("ppdm", {}).get("assignment")
    told = told if told in NAMES else named
    if not isinstance(notebook, dict):
        return told, None, "it cannot be read"
    if len(content) > LARGEST and len(json.dumps(notebook)) > LARGEST:
        return told, None, "too large, also without its outputs"
    return told, notebook, ""


def found_in(folder):
    """Yield each file that counts; a folder with the name of an assignment is nobody's."""
    for parts, content in files(folder if folder.is_dir() else zipfile.Path(folder)):
        parts = tuple(map(legible, parts))
        hidden = parts[0] == ".." or parts[-1].startswith((".", "case."))
        if not hidden and not LITTER & set(parts):
            people = (*(part for part in parts[:-1] if part not in NAMES), parts[-1])
            student, late, name = whose(people)
            yield HandedIn(student, *read(content, name), late, "/".join(parts), people)


def below(one):
    """Return a file without the first of its folders."""
    student, late, _ = whose(one.parts[1:])
    return one._replace(parts=one.parts[1:], student=student, late=late)


def wraps(group):
    """Return whether what lies in a folder is of several students, or named by Moodle."""
    inner = [below(one) for one in group if len(one.parts) > 1]
    gave = {(one.student, one.assignment) for one in inner if one.student and one.assignment}
    gave = Counter(name for _, name in gave)
    named = all(MOODLE.fullmatch(one.parts[0]) for one in inner)
    return bool(inner) and (named or max(gave.values(), default=0) > 1 or wraps(inner))


def unwrapped(found):
    """Take away folders that wrap the class's; return what is below, and a line on each."""
    said = {}
    while True:
        tops = {}
        for one in found:
            if one.student:
                tops.setdefault(one.parts[0], []).append(one)
        if not tops or not all(map(wraps, tops.values())):
            alone = [f"{top}: taken for one student" for top in tops] * (len(tops) == 1)
            return found, said or dict.fromkeys(alone, "")
        said |= {f"{top}: the folders in it are taken for the students": "" for top in tops}
        found = [below(one) if one.student else one for one in found]


def rank(one):
    """Order copies: what can be read, then the plain name, then the highest n of (n) or -n."""
    stem = NOTEBOOK.sub("", whose(one.parts)[2]).casefold()
    n = re.search(r" ?\((\d+)\)$|-(\d+)$", stem)
    known = (stem[: n.start()] if n else stem) == one.assignment
    return not one.notebook, not known, bool(n), -int(n[1] or n[2]) if n else 0, len(one.parts)


def handed_in(folder):
    """Return what was handed in, and lines on what was not taken, each with whose it is."""
    found, said = unwrapped(list(found_in(Path(folder))))
    copies, taken = {}, []
    for one in found:
        if one.student and one.assignment:
            copies.setdefault((one.student, one.assignment), []).append(one)
        elif one.parts[-1]:
            why = one.why or "it is none of the assignments"
            why = why if one.student else "its name does not say whose it is"
            said[f"{one.where}: skipped, {why}"] = one.student or ""
    for ones in copies.values():
        first, *others = sorted(ones, key=rank)
        taken.append(first._replace(others=tuple(one.where for one in others if one.notebook)))
        if first.why:
            said[f"{first.where}: refused, {first.why}"] = first.student
        for one in others:
            why = one.why or f"{first.where} was handed in, too"
            said[f"{one.where}: skipped, {why}"] = one.student
    nothing = {one.student for one in found} - {None} - {student for student, _ in copies}
    return taken, said | {f"{one}: no notebook of an assignment": one for one in sorted(nothing)}
