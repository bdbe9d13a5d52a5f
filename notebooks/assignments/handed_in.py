"""Find what was handed in, in whatever shape a learning platform gives it; fill in its roster.

A folder or a zip holds a folder for each student, or flat files such as
``Anna B_1234_assignsubmission_file_1_roles.ipynb`` (Moodle) or ``anna_LATE_1234_567_1_roles.ipynb``
(Canvas). Which assignment a notebook is stands in its metadata; its name matters only without.
"""

import contextlib
import io
import json
import math
import re
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from course import NAMES
from dateutil import parser as dates

#: No notebook of an honest student is larger, in bytes, or lies below more folders.
LARGEST, DEEPEST = 20_000_000, 20
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)"
)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(?P<rest>.+\.ipynb)")


class HandedIn(NamedTuple):
    """A notebook of a student."""

    student: str
    assignment: str
    notebook: dict
    late: bool
    where: str


def content_of(file):
    """Return the bytes of a file; None if it is too large, or a zip cannot give it."""
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except Exception:  # a zip can be damaged in many ways
        return None
    return content if len(content) <= LARGEST else None


def files(place, parts=(), zips=2):
    """Yield (path as parts, bytes) of each file of a folder or zip, zips in it opened, too."""
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and len(parts) < DEEPEST:
            yield from files(entry, (*parts, entry.name), zips)
            continue
        content, inside = content_of(entry), None
        with contextlib.suppress(Exception):
            if zips and entry.suffix == ".zip":
                inside = zipfile.Path(io.BytesIO(content))
        if inside:
            yield from files(inside, parts or (entry.stem,), zips - 1)
        else:
            yield (*parts, entry.name), content


def whose(parts):
    """Return a student, whether the platform calls it late, and the file's own name."""
    for pattern in (MOODLE, CANVAS) if len(parts) == 1 else (MOODLE,):
        if found := pattern.fullmatch(parts[0]):
            rest = found["rest"] if len(parts) == 1 else parts[-1]
            return f"{found['name']}_{found['number']}", bool(found.groupdict().get("late")), rest
    return parts[0], False, parts[-1]


def read(content, name):
    """Return a notebook, None if it is none, and which assignment it is, by its name if need be."""
    said, notebook = None, None
    with contextlib.suppress(ValueError, AttributeError, RecursionError):
        notebook = json.loads(content)
        said = notebook.get("metadata", {}).get("ppdm", {}).get("assignment")
    return notebook, said if said in NAMES else next((n for n in NAMES if n in name), None)


def newest(one):
    """Order by whether it can be read, and by n of ``1_roles (n).ipynb``, as browsers name it."""
    number = re.search(r"\((\d+)\)\.ipynb$", one.where)
    return isinstance(one.notebook, dict), int(number[1]) if number else 0


def handed_in(folder):
    """Return the notebooks that were handed in, and a line on each file that was not taken."""
    folder, found, odd = Path(folder), {}, []
    for parts, content in files(folder if folder.is_dir() else zipfile.Path(folder)):
        where = "/".join(parts)
        hidden = parts[0] == ".." or parts[-1].startswith((".", "case."))
        if hidden or ".ipynb_checkpoints" in parts:
            continue
        if len(parts) == 1 and not any(p.fullmatch(parts[0]) for p in (MOODLE, CANVAS)):
            odd.append(f"{where}: skipped, its name does not say whose it is")
            continue
        student, late, name = whose(parts)
        if content is None or not name.endswith(".ipynb"):
            why = "too large, locked or damaged" if content is None else "no notebook"
            odd.append(f"{where}: skipped, {why}")
            continue
        notebook, assignment = read(content, name)
        if assignment is None:
            odd.append(f"{where}: skipped, it is none of the assignments")
            continue
        one = HandedIn(student, assignment, notebook, late, where)
        if before := found.get((student, assignment)):
            before, one = sorted((before, one), key=newest)
            odd.append(f"{before.where}: skipped, {one.where} was handed in, too")
        found[student, assignment] = one
    gave = {one.where.split("/")[0] for one in found.values()}
    seen = {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else ()
    odd += [f"{name}: no notebook of an assignment" for name in sorted(set(seen) - gave)]
    return list(found.values()), odd


def read_table(path):
    """Read a CSV file as spreadsheets write it, and say its delimiter."""
    head = Path(path).read_text(encoding="utf-8-sig").partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    return pd.read_csv(
        path, sep=delimiter, encoding="utf-8-sig", dtype=str, keep_default_na=False
    ), delimiter


def number(text):
    """Return a number, written with a point or a comma."""
    return float(text.strip().replace(",", "."))


class Roster:
    """A platform's own list of students: read, and filled in for it to read back."""

    def __init__(self, path):
        self.path = Path(path)
        self.table, self.delimiter = read_table(path)
        columns = list(self.table.columns)
        self.moodle = "Identifier" in columns
        if not self.moodle and not {"Student", "ID"} <= set(columns):
            raise ValueError(
                f"{path}: no roster. Moodle's grading worksheet has a column Identifier, "
                f"Canvas's gradebook Student and ID; this has {columns}"
            )
        # Moodle's worksheet is of one assignment, which its name says
        self.assignment = next((n for n in NAMES if n in self.path.name), None)
        if self.moodle and self.assignment is None:
            raise ValueError(f"{path}: its name must hold that of an assignment, one of {NAMES}")

    def rows(self, student):
        """Return which rows are a student's: by the platform's number, else by the name."""
        last = student.rpartition("_")[2]
        if last.isdigit() and last != student:
            return self.table["Identifier" if self.moodle else "ID"].str.fullmatch(rf"\D*{last}")
        return self.table["Full name" if self.moodle else "Student"] == student

    def days_late(self, student, due):
        """Return the days of 24 hours begun since it was due; None where it says no time."""
        times = self.table.get("Last modified (submission)", pd.Series(dtype=str))[
            self.rows(student)
        ]
        when = [dates.parse(time).replace(tzinfo=None) for time in times if re.search(r"\d", time)]
        return max(0, math.ceil((when[0] - due) / timedelta(days=1))) if when else None

    def fill(self, grades, folder):
        """Write the roster with points and notes; return its path and whom it does not know."""
        unknown = []
        for grade in grades:
            name = grade["assignment"]
            fits = [c for c in self.table.columns if c.startswith(name)]
            if self.moodle:
                fits = ["Grade"] if name == self.assignment else []
            if fits and not (mine := self.rows(grade["student"])).any():
                unknown.append(grade["student"])
            elif fits:
                self.table.loc[mine, fits[0]] = f"{grade['points']:g}"
                if self.moodle:
                    self.table.loc[mine, "Feedback comments"] = grade["notes"]
        path = Path(folder) / f"{self.path.stem}-graded.csv"
        self.table.to_csv(path, sep=self.delimiter, index=False)
        return path, unknown


def safe(text):
    """Return a text that no spreadsheet runs."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
