"""Grade what was handed in: ``make grade SUBMISSIONS=folder-or-zip SEED=2027``.

Into ``courses/SEED`` come ``grades.csv``, a row a submission; ``by_hand.csv``, the answers that a
person must read; ``feedback/``, a page a submission. Fill in the points of ``by_hand.csv`` and say
``make grade SEED=2027``: they are entered, and no notebook is run again. ``ROSTER=file`` fills in a
learning platform's own list. ``gradebook.json`` holds it all, ``backups/`` what it held before.

What is wrong with a submission stands in its row and stops nothing else.
"""

import argparse
import csv
import fcntl
import hashlib
import json
import re
import shutil
import zipfile
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import feedback
import nbformat
import pandas as pd
from course import COURSES, SEED, metadata, write
from handed_in import Roster, handed_in, number, read_table, safe
from running import run, tests_of
from sandbox import Guard, bubblewrap, nobody
from tqdm import tqdm

GRADES = ("student", "assignment", "automatic", "by hand", "points", "of", "to read", "days late",
          "notes")  # fmt: skip
BY_HAND = ("seed", "student", "assignment", "question", "of", "points", "comment", "answer")
#: Seconds a cell may run.
TIMEOUT = 60


class Grade(NamedTuple):
    """What a graded cell has; points None: a person has not read it."""

    name: str
    points: float | None
    of: float
    by_hand: bool
    said: str


def graded(notebook, record):
    """Yield what each graded cell of a submission has, by its record in the gradebook."""
    for cell in notebook.cells:
        known = metadata(cell)
        if known.get("grade"):
            name, of = known.grade_id, known.points
            if name in record["failed"]:
                yield Grade(name, 0, of, False, record["failed"][name])
            elif known.solution:
                points, comment = record["marks"].get(name, (None, ""))
                yield Grade(name, points, of, True, comment)
            else:
                yield Grade(name, of, of, False, "")


def mend(text, released):
    """Return what was handed out with a student's answers in it, and what was done to them.

    Given cells and tests are as they were released, wherever a student edited or deleted them; code
    cells that a student added stay behind the cell that they followed.
    """
    submitted = nbformat.reads(text, as_version=4)
    nbformat.validate(submitted, relax_add_props=True)
    ours = {name: cell for cell in released.cells if (name := metadata(cell).get("grade_id"))}
    theirs, added, last = {}, {None: []}, None
    for cell in submitted.cells:
        name = metadata(cell).get("grade_id")
        if name in ours and name not in theirs:
            theirs[name], last = cell, name
        elif cell.cell_type == "code":
            added.setdefault(last, []).append(nbformat.v4.new_code_cell(cell.source))
    made_for = released.metadata.ppdm.release
    another = (submitted.metadata.get("ppdm") or {}).get("release", made_for) != made_for
    notes, cells = ["was made for the data of another seed"] * another, added[None]
    for original in released.cells:
        name, cell = metadata(original).get("grade_id"), original.copy()
        if name and name not in theirs:
            notes.append(f"{name} was deleted and is restored")
        elif name and not original.metadata.nbgrader.locked:
            cell.source = theirs[name].source
        elif name and theirs[name].source != original.source:
            notes.append(f"{name} was edited and is restored")
        cells += [cell, *added.get(name, ())] if name else [cell]
    mended = nbformat.v4.new_notebook(cells=cells, metadata=released.metadata)
    for i, cell in enumerate(mended.cells):
        cell.id = f"cell-{i}"
    return mended, notes


def sources(notebook):
    """Return the text of each cell that has a name."""
    return {metadata(cell).grade_id: cell.source for cell in notebook.cells if metadata(cell)}


def to_read(notebook):
    """Return what each answer that a person must read is worth."""
    cells = (metadata(cell) for cell in notebook.cells if metadata(cell).get("grade"))
    return {cell.grade_id: cell.points for cell in cells if cell.solution}


def errors(notebook):
    """Return the errors of cells that are worth no points, for a person to look at."""
    notes = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and not metadata(cell).get("grade"):
            kinds = {out.ename for out in cell.outputs if out.output_type == "error"}
            name = metadata(cell).get("grade_id") or "a cell"
            if kinds & {"CellTimeoutError", "KeyboardInterrupt"}:
                notes.append(f"{name} did not end in time")
            else:
                notes += [f"{name}: {kind}" for kind in sorted(kinds)]
    return notes


class Course:
    """A course's folder: the gradebook, what was handed in, the tables and pages made from both.

    The gradebook has of each student and assignment a record: ``digest`` of what was run, whether
    it came ``late``, the ``notes``, what is wrong with each cell that ``failed``, and the ``marks``
    given by hand, points and comment.
    """

    def __init__(self, folder):
        self.folder, self.seed, self.file = folder, folder.name, folder / "gradebook.json"
        self.book = json.loads(self.file.read_bytes()) if self.file.exists() else {}

    def save(self):
        """Write the gradebook."""
        write(self.file, json.dumps(self.book, indent=1))

    def submitted(self, student, name):
        """Return where a submission lies, mended and run."""
        person = re.sub(r'[%/\\:*?"<>|[\]\0-\x1f]', lambda found: quote(found[0]), student)
        return self.folder / "submitted" / person / name / f"{name}.ipynb"

    def notebook(self, *where):
        """Read a notebook of the course."""
        return nbformat.read(self.folder.joinpath(*where).with_suffix(".ipynb"), as_version=4)

    def backup(self):
        """Copy what cannot be computed again."""
        copy = self.folder / "backups" / f"{datetime.now():%Y%m%d-%H%M%S-%f}"
        copy.mkdir(parents=True)
        for name in ("gradebook.json", "by_hand.csv", "grades.csv"):
            if (self.folder / name).exists():
                shutil.copy2(self.folder / name, copy)

    def grade(self, entry, sandbox, timeout=TIMEOUT):
        """Run a submission, if it is not the one that was run before, and record what was found."""
        student, name = entry.student, entry.assignment
        source, path = self.folder / "source" / name, self.submitted(student, name)
        text = json.dumps(entry.notebook, sort_keys=True, ensure_ascii=False)
        text = text.encode("utf-8", "replace")  # half a character becomes a ?
        digest = hashlib.sha256(text + (source / f"{name}.ipynb").read_bytes()).hexdigest()
        before = self.book.get(student, {}).get(name)
        if before and before["digest"] == digest:
            return
        tests = tests_of(self.notebook(source, name))
        released, unread = self.notebook("release", name, name), "what was handed in is no notebook"
        nothing = dict.fromkeys([*tests, *to_read(released)], unread)  # until one could be read
        before = before or {"failed": nothing, "notes": [], "marks": {}}
        earlier = self.notebook(path) if path.exists() else released
        try:
            mended, notes = mend(text.decode(), released)
        except Exception as error:
            mended, failed = earlier, before["failed"]
            notes = list(dict.fromkeys([*before["notes"], f"{unread}: {type(error).__name__}"]))
        else:
            guard = Guard(self.folder) if sandbox == "none" else None
            failed, more = run(mended, tests, sorted(source.glob("case.*")), sandbox, timeout)
            if guard and (changed := guard.changed()):
                more.append(f"TAMPERED with {', '.join(changed)}: put back")
            digest = "" if more else digest  # it is run again with the next grading
            answers, blank, old = sources(mended), sources(released), sources(earlier)
            notes += more + errors(mended)
            read = [one for one, (points, _) in before["marks"].items() if points is not None]
            notes += [f"{one} was changed after it was read" for one in read
                      if answers.get(one) != old.get(one)]  # fmt: skip
            left = [one for one in to_read(released) if answers[one] == blank[one]]
            failed |= dict.fromkeys(left, "nothing was handed in for this")
        late = "yes" if entry.late else ""
        found = {"digest": digest, "failed": failed, "notes": notes, "late": late}
        self.book.setdefault(student, {})[name] = before | found
        write(path, nbformat.writes(mended))
        self.save()

    def marks(self):
        """Read by_hand.csv; refuse it whole, with each row that is wrong."""
        file = self.folder / "by_hand.csv"
        table = read_table(file)[0] if file.exists() else pd.DataFrame(columns=BY_HAND)
        if missing := [name for name in BY_HAND[:6] if name not in table.columns]:
            raise ValueError(f"{file}: it has no column {missing[0]!r}, but {list(table.columns)}")
        made = (self.folder / "source").glob("*/*.ipynb")
        worth = {path.stem: to_read(self.notebook(path)) for path in made}
        found, wrong = {}, []
        for line, row in enumerate(table.to_dict("records"), start=2):
            key = row["student"], row["assignment"], row["question"]
            column, allowed = self.refused(row, worth.get(key[1], {}).get(key[2]))
            if key in found:
                column, allowed = "question", "it stands in two rows"
            if column:
                wrong.append(f"row {line}, {column}: {row[column]!r}; {allowed}")
                continue
            points = number(row["points"]) if row["points"].strip() else None
            found[key] = points, row.get("comment", "")
        if wrong:
            raise ValueError("\n  ".join([f"{file}: nothing was entered", *wrong]))
        return found

    def refused(self, row, of):
        """Return the column of a row of marks that cannot be, and what is allowed."""
        if row["seed"].strip() != self.seed:
            return "seed", f"this is the course of {self.seed}"
        if row["student"] not in self.book:
            return "student", "nobody of this name has handed in"
        if of is None or row["assignment"] not in self.book[row["student"]]:
            return "question", f"{row['student']} has no such question in {row['assignment']!r}"
        try:
            right = not row["points"].strip() or 0 <= number(row["points"]) <= of
        except ValueError:
            right = False
        return (None, None) if right else ("points", f"a number from 0 to {of:g}")

    def write(self, roster=None, due=None):
        """Enter what by_hand.csv says now; write tables and pages; return rows of grades.csv."""
        for (student, name, question), mark in self.marks().items():
            self.book[student][name]["marks"][question] = mark
        table, by_hand = [], []
        each = sorted((name, student) for student, names in self.book.items() for name in names)
        for name, student in each:
            record, path = self.book[student][name], self.submitted(student, name)
            notebook = self.notebook(path)
            row, grades = {"student": student, "assignment": name}, list(graded(notebook, record))
            listed = roster and due and roster.assignment == name
            late = roster.days_late(student, due) if listed else None
            record["late"] = record["late"] if late is None else late
            tests = sum(grade.points or 0 for grade in grades if not grade.by_hand)
            hand = sum(grade.points or 0 for grade in grades if grade.by_hand)
            table.append(row | {
                "automatic": tests, "by hand": hand, "points": tests + hand,
                "of": sum(grade.of for grade in grades), "days late": record["late"],
                "to read": sum(grade.points is None for grade in grades),
                "notes": "; ".join(record["notes"]),
            })  # fmt: skip
            answers = sources(notebook)
            by_hand += [row | {
                "seed": self.seed, "question": grade.name, "of": grade.of,
                "points": "" if grade.points is None else grade.points,
                "comment": grade.said, "answer": safe(answers[grade.name]),
            } for grade in grades if grade.by_hand]  # fmt: skip
            page = self.folder / "feedback" / path.parts[-3] / f"{name}.html"
            write(page, feedback.page(notebook, student, grades, record["notes"]))
        self.save()
        for name, columns, rows in (("grades", GRADES, table), ("by_hand", BY_HAND, by_hand)):
            frame = pd.DataFrame(rows, columns=columns)
            text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)
            write(self.folder / f"{name}.csv", text)
        return table


def grade(folder, course, sandbox="bwrap", roster=None, due=None, timeout=TIMEOUT, progress=True):
    """Enter marks given by hand, grade what was handed in; return grades.csv and what is odd."""
    course = Course(course)
    course.marks()  # what cannot be entered is refused before anything is run
    found, odd = handed_in(folder) if folder else ([], [])
    course.backup()
    for entry in tqdm(found, disable=not (progress and found), desc="grading"):
        if not (course.folder / "source" / entry.assignment).exists():
            odd.append(f"{entry.where}: skipped, make assignments has not made it for this seed")
            continue
        try:
            course.grade(entry, sandbox, timeout)
        except Exception as error:  # and the next one is graded
            odd.append(f"{entry.where}: could not be graded, {type(error).__name__}: {error}")
    table = course.write(roster, due)
    if roster:
        path, unknown = roster.fill(table, course.folder)
        odd += [f"{name}: is not in {roster.path.name}" for name in unknown]
        odd.append(f"{path}: to upload")
    return table, odd


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", type=Path, nargs="?", help="without, marks are entered")
    parser.add_argument("--seed", type=int, default=SEED, help="that the release was made with")
    parser.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap")
    parser.add_argument("--roster", type=Path, help="the platform's list, to be filled in")
    parser.add_argument("--due", type=datetime.fromisoformat, help="2027-05-01T23:59")
    args = parser.parse_args()
    course = COURSES / str(args.seed)
    if (course / "gradebook.db").exists():
        parser.error(f"{course} was begun with version 0.1: finish it with that version")
    if not (course / "source").exists():
        parser.error(f"no release of this seed: make assignments SEED={args.seed} first")
    if (given := args.submissions) and not (given.is_dir() or zipfile.is_zipfile(given)):
        parser.error(f"{given}: there is no such folder or zip")
    if given and args.sandbox == "bwrap" and not bubblewrap():
        parser.error(
            "bubblewrap does not work here (Debian: apt install bubblewrap). "
            "SANDBOX=none grades without: a submission can then use the network and read files"
        )
    if given and args.sandbox == "none" and not nobody():
        print("Submissions run as you: keep nothing else on this account.")
    try:
        roster = Roster(args.roster) if args.roster else None
        with (course / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # a second command waits for the first
            rows, odd = grade(given, course, args.sandbox, roster, args.due)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for row in rows:
        print("{student:20} {assignment:24} {points:5g} of {of:g}  {notes}".format(**row))
    print("\n".join(odd))
    print(f"{course}/grades.csv; to be read by you: {course}/by_hand.csv; {course}/feedback")


if __name__ == "__main__":
    main()
