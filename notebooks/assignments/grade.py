"""Grade what was handed in: ``make grade SUBMISSIONS=folder-or-zip SEED=2027``.

Into ``courses/SEED`` come ``grades.csv``, a row a submission; ``by_hand.csv``, the answers that a
person must read; ``feedback/``, a page a submission. Fill in the points of ``by_hand.csv`` and say
``make grade SEED=2027``: they are entered, and no notebook is run again. ``ROSTER=file`` fills in a
learning platform's own list. ``gradebook.json`` holds it all, ``backups/`` what it held before.

All that can be checked without running a notebook is checked first. What is wrong with a submission
stands in its row and stops nothing else.
"""

import argparse
import csv
import fcntl
import hashlib
import json
import re
import shutil
import sys
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import feedback
import nbformat
import pandas as pd
from course import COURSES, SEED, metadata, write
from handed_in import handed_in
from mending import left_open, mend, sources, to_read
from running import run, tests_of
from sandbox import Guard, bubblewrap, nobody
from stops import stopped
from tables import Roster, alike, number, plain, read_table, safe, unsafe
from tqdm import tqdm

GRADES = ("student", "assignment", "automatic", "by hand", "points", "of", "to read", "days late",
          "notes")  # fmt: skip
WHERE = ("seed", "student", "assignment", "question")
BY_HAND = ("key", *WHERE, "of", "points", "comment", "answer")
#: Seconds a cell may run; characters of an answer that a spreadsheet's cell holds.
TIMEOUT, SHOWN = 60, 32_000
#: What a page says of a question to which nothing was written.
LEFT = "nothing was handed in for this"


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


def key(*where):
    """Return the key of an answer in by_hand.csv."""
    return f"key-{hashlib.sha256(chr(0).join(where).encode()).hexdigest()[:10]}"


class Course:
    """A course's folder: the gradebook, what was handed in, the tables and pages made from both.

    The gradebook has of each student and assignment a record: ``digest`` of what was run, whether
    it came ``late``, the ``notes``, which other ``files`` there were, what is wrong with each cell
    that ``failed``, why each ``stopped``, by its id, which were ``left`` as they were handed out,
    and the ``marks`` given by hand, points and comment. It is ``refused`` until something could be
    read. Who handed in no notebook of an assignment has no record.
    """

    def __init__(self, folder):
        self.folder, self.seed, self.file = folder, folder.name, folder / "gradebook.json"
        self.book = json.loads(self.file.read_bytes()) if self.file.exists() else {}
        self.delimiter = ","

    def known(self, name):
        """Return a student as the gradebook has the name, whatever its Unicode form."""
        return next((one for one in self.book if plain(one) == plain(name)), name)

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
        student, name = self.known(entry.student), entry.assignment
        source, path = self.folder / "source" / name, self.submitted(student, name)
        text = json.dumps(entry.notebook, sort_keys=True, ensure_ascii=False)
        text = text.encode("utf-8", "replace")  # half a character becomes a ?
        digest = hashlib.sha256(text + (source / f"{name}.ipynb").read_bytes()).hexdigest()
        before = self.book.get(student, {}).get(name)
        files = [f"{entry.where} was graded, not {', '.join(entry.others)}"] * bool(entry.others)
        if before and before["digest"] == digest:
            before["files"] = files
            return
        tests = tests_of(self.notebook(source, name))
        released, unread = self.notebook("release", name, name), "what was handed in is no notebook"
        nothing = dict.fromkeys([*tests, *to_read(released)], unread)  # until one could be read
        before = before or {"failed": nothing, "notes": [], "marks": {}, "left": [*nothing],
                            "refused": True}  # fmt: skip
        earlier = self.notebook(path) if path.exists() else released
        try:
            mended, notes = mend(text.decode(), released, tests)
        except Exception as error:
            mended, why, found = earlier, entry.why or type(error).__name__, {}
            notes = list(dict.fromkeys([*before["notes"], f"{unread}: {why}"]))
        else:
            guard = Guard(self.folder) if sandbox == "none" else None
            failed, more = run(mended, tests, sorted(source.glob("case.*")), sandbox, timeout)
            if guard and (changed := guard.changed()):
                more.append(f"TAMPERED with {', '.join(changed)}: put back")
            digest = "" if more else digest  # it is run again with the next grading
            answers, blank, old = sources(mended), sources(released), sources(earlier)
            notes += more
            read = [one for one, (points, _) in before["marks"].items() if points is not None]
            notes += [f"{one} was changed after it was read" for one in read
                      if answers.get(one) != old.get(one)]  # fmt: skip
            if path.exists() and answers != old:
                had = sum(one.points or 0 for one in graded(earlier, before))
                notes.append(f"replaces an earlier hand-in of {had:g} points")
            left = left_open(mended, blank)
            if len(left) == len(nothing):
                notes.append("every answer is as it was handed out")
            passed = tests.keys() - failed
            failed |= dict.fromkeys((one for one in left if one not in passed), LEFT)
            found = {"failed": failed, "stopped": stopped(mended, blank), "left": left,
                     "refused": False}  # fmt: skip
        found |= {"digest": digest, "notes": notes, "files": files,
                  "late": "yes" if entry.late else ""}  # fmt: skip
        self.book.setdefault(student, {})[name] = before | found
        write(path, nbformat.writes(mended))
        self.save()

    def answers(self):
        """Return each answer that a person reads: seed, whose, of what, and its worth, by its key.

        No spreadsheet takes a key for a number, a date or a formula.
        """
        made = (self.folder / "source").glob("*/*.ipynb")
        worth = {path.stem: to_read(self.notebook(path)) for path in made}
        found = [((self.seed, student, name, question), of) for student, names in self.book.items()
                 for name in names for question, of in worth.get(name, {}).items()]  # fmt: skip
        return {key(*where): (*where, of) for where, of in found}

    def marks(self):
        """Read by_hand.csv; refuse it whole, with each row that is wrong."""
        file, found, wrong, answers = self.folder / "by_hand.csv", {}, [], self.answers()
        if not file.exists():
            return found
        table, self.delimiter = read_table(file)
        needed = {"points", *(["key"] if "key" in table else WHERE)} - set(table)
        if needed:
            raise ValueError(f"{file}: it has no column {min(needed)!r}, but {list(table)}")
        for line, row in table.iterrows():
            try:
                where, mark = self.mark(row, answers)
                if where in found:
                    raise ValueError(f"question: {where[2]!r}; it stands in two rows")
                found[where] = mark
            except ValueError as error:
                wrong.append(f"row {line}, {error}")
        if wrong:
            raise ValueError("\n  ".join([f"{file}: nothing was entered", *wrong]))
        return found

    def mark(self, row, answers):
        """Return whose answer a row of marks is of, its points and comment.

        It is found by its key, in tables without one by its names, of which a spreadsheet may
        have taken zeros or digits. Raise ValueError with the column that cannot be.
        """
        mark = row.get("key", "").strip()
        if mark and mark not in answers:
            raise ValueError(f"key: {mark!r}; no answer of this course has it")
        left = [answers[mark]] if mark else list(answers.values())
        for i, column in enumerate(WHERE):
            text = row.get(column, "")
            left = [one for one in left if plain(one[i]) == plain(text) or (mark and not text)] or [
                one for one in left if alike(text, one[i])]  # fmt: skip
            if len({one[i] for one in left}) != 1:
                of = f"the key is of {answers[mark][1:4]}" if mark else f"it has no such {column}"
                raise ValueError(f"{column}: {text!r}; this is the course of {self.seed}, {of}")
        [found] = left
        try:
            points = number(row["points"]) if row["points"].strip() else None
        except ValueError:
            points = -1
        if points is not None and not 0 <= points <= found[-1]:
            raise ValueError(f"points: {row['points']!r}; a number from 0 to {found[-1]:g}")
        return found[1:4], (points, unsafe(row.get("comment", "")))

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
            others = [*record["notes"], *record.get("files", ())]
            ends = record.get("stopped", {})  # beside each cell on the page, by name in the table
            notes = [f"{metadata(cell).get('grade_id', 'a cell')} {ends[cell.id]}"
                     for cell in notebook.cells if cell.id in ends] + others  # fmt: skip
            listed = roster and due and roster.assignment == name
            late = roster.days_late(student, due) if listed else None
            record["late"] = record["late"] if late is None else late
            tests = sum(grade.points or 0 for grade in grades if not grade.by_hand)
            hand = sum(grade.points or 0 for grade in grades if grade.by_hand)
            table.append(row | {
                "automatic": tests, "by hand": hand, "points": tests + hand,
                "of": sum(grade.of for grade in grades), "days late": record["late"],
                "to read": sum(grade.points is None for grade in grades),
                "notes": "; ".join(notes), "refused": record.get("refused", False),
            })  # fmt: skip
            answers = sources(notebook)
            where = {"seed": self.seed} | row
            by_hand += [where | {
                "key": key(*where.values(), grade.name), "question": grade.name, "of": grade.of,
                "points": "" if grade.points is None else grade.points,
                "comment": grade.said, "answer": answers[grade.name][:SHOWN],
            } for grade in grades if grade.by_hand]  # fmt: skip
            page = self.folder / "feedback" / path.parts[-3] / f"{name}.html"
            left = record.get("left", ())
            write(page, feedback.page(notebook, student, grades, others, ends, left))
        table += [dict.fromkeys(GRADES, 0) | {"student": student, "assignment": "", "days late": "",
                                              "notes": "no notebook of an assignment"}
                  for student, names in sorted(self.book.items()) if not names]  # fmt: skip
        self.save()
        for name, columns, rows in (("grades", GRADES, table), ("by_hand", BY_HAND, by_hand)):
            frame = pd.DataFrame(rows, columns=columns)
            frame = frame.map(lambda cell: safe(cell) if isinstance(cell, str) else cell)
            text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, sep=self.delimiter)
            write(self.folder / f"{name}.csv", f"\ufeff{text}")  # by which Excel knows UTF-8
        return table


def check(folder, course, roster=None, due=None):
    """Check all that needs no kernel; return what was handed in, and lines with whose each is."""
    course.marks()
    if roster and due:
        roster.days_late("", due)
    found, odd = handed_in(folder) if folder else ([], {})
    beside = {path.name for path in course.folder.glob("by_hand*")} - {"by_hand.csv"}
    odd |= {f"{name}: not read, save it as by_hand.csv": "" for name in sorted(beside)}
    made = {path.name for path in (course.folder / "source").iterdir()}
    why = "skipped, make assignments has not made it for this seed"
    odd |= {f"{one.where}: {why}": one.student for one in found if one.assignment not in made}
    found = [one for one in found if one.assignment in made]
    strangers = {one.student for one in found if roster and not roster.rows(one.student).any()}
    return found, odd | {f"{one}: is not in {roster.path.name}": one for one in sorted(strangers)}


def grade(folder, course, sandbox="bwrap", roster=None, due=None, timeout=TIMEOUT, progress=True):
    """Enter marks given by hand, grade what was handed in; return grades.csv and what is odd."""
    course = Course(course)
    found, odd = check(folder, course, roster, due)
    if progress and folder:
        print(f"{len(found)} notebooks are handed in; before any is run:", end="\n  ")
        print(*odd or ["each has a student and an assignment"], sep="\n  ")
    course.backup()
    for student in sorted({*odd.values()} - {"", *(one.student for one in found)}):
        course.book.setdefault(course.known(student), {})
    for entry in tqdm(found, disable=not (progress and found), desc="grading"):
        try:
            course.grade(entry, sandbox, timeout)
        except Exception as error:  # and the next one is graded
            why = f"could not be graded, {type(error).__name__}: {error}"
            odd[f"{entry.where}: {why}"] = entry.student
    table, path = course.write(roster, due), None
    if roster:
        path, unknown = roster.fill(table, course.folder)
        odd |= {f"{name}: is not in {roster.path.name}": name for name in unknown}
        odd[f"{path}: to upload"] = ""
    for old in sorted({*course.folder.glob("*-graded.csv")} - {path}):
        odd[f"{old.name}: has the marks of an earlier grading, give ROSTER= again"] = ""
    return table, odd


def summary(table, odd):
    """Yield a line for each student: what is graded, open and refused; then what is nobody's."""
    for student in sorted({row["student"] for row in table}):
        rows = [row for row in table if row["student"] == student and row["assignment"]]
        points, of, open_ = (sum(row[key] for row in rows) for key in ("points", "of", "to read"))
        refused = sum(row["refused"] for row in rows)
        parts = [f"graded {len(rows) - refused}, {f'refused {refused}, ' * bool(refused)}"
                 f"{points:g} of {of:g} points, by hand open {open_}"]  # fmt: skip
        parts += [line for line, whose in odd.items() if whose == plain(student)]
        yield f"{student:24} {'; '.join(parts)}"
    yield from (line for line, whose in odd.items() if not whose)


def due_at(text):
    """Return when a hand-in was due, in this computer's time; the end of a day without a time."""
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        why = f"{text!r} is no date: 2027-05-01T23:59, with +02:00 for a time zone"
        raise argparse.ArgumentTypeError(why) from None
    if len(text.strip()) == len("2027-05-01"):
        when += timedelta(days=1)
    return when.astimezone().replace(tzinfo=None) if when.tzinfo else when


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("submissions", type=Path, nargs="?", help="without, marks are entered")
    parser.add_argument("--seed", type=int, default=SEED, help="that the release was made with")
    parser.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap")
    parser.add_argument("--roster", type=Path, help="the platform's list, to be filled in")
    parser.add_argument("--due", type=due_at, help="2027-05-01T23:59")
    parser.add_argument("--dates", choices=("day", "month"), help="what is first in 02/05/27")
    args = parser.parse_args()
    course = COURSES / str(args.seed)
    if (course / "gradebook.db").exists():
        sys.exit(f"{course} was begun with version 0.1: finish it with that version")
    if not (course / "source").exists():
        sys.exit(f"no release of this seed: make assignments SEED={args.seed} first")
    if (given := args.submissions) and not (given.is_dir() or zipfile.is_zipfile(given)):
        sys.exit(f"{given}: there is no such folder or zip")
    if args.due and not args.roster:
        parser.error("DUE needs ROSTER: the platform's list says when each was handed in")
    if given and args.sandbox == "bwrap" and not bubblewrap():
        sys.exit(
            "bubblewrap does not work here (Debian: apt install bubblewrap). "
            "SANDBOX=none grades without: a submission can then use the network and read files"
        )
    if given and args.sandbox == "none" and not nobody():
        print("Submissions run as you: keep nothing else on this account.")
    try:
        roster = Roster(args.roster, args.dates) if args.roster else None
        with (course / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # a second command waits for the first
            rows, odd = grade(given, course, args.sandbox, roster, args.due)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    print(*summary(rows, odd), sep="\n")
    print(f"{course}/grades.csv; to be read by you: {course}/by_hand.csv; {course}/feedback")


if __name__ == "__main__":
    main()
