"""Grade what was handed in: ``make grade SUBMISSIONS=folder-or-zip SEED=2027``.

Into ``courses/SEED`` come ``grades.csv``, a row a submission; ``by_hand.csv``, the answers that a
person must read; ``feedback/``, a page a submission. Fill in the points of ``by_hand.csv`` and say
``make grade SEED=2027``: they are entered, and no notebook is run again. ``ROSTER=file`` fills in a
learning platform's own list. The gradebook holds all points; a grading begins with a backup.

What is wrong with a submission stands in its row and stops nothing else.
"""

import argparse
import hashlib
import json
import shutil
import warnings
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import feedback
import nbformat
import pandas as pd
from course import COURSES, SEED, metadata, nbgrader_api
from handed_in import Roster, handed_in, number, read_table, safe
from nbgrader.api import SubmittedAssignment
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
    comment: str


def mend(submitted, released):
    """Return what was handed out with a student's answers in it, and what was done to them.

    Given cells and tests are as they were released, wherever a student edited or deleted them; code
    cells that a student added stay behind the cell that they followed.
    """
    ours = {name: cell for cell in released.cells if (name := metadata(cell).get("grade_id"))}
    theirs, added, last = {}, {None: []}, None
    for cell in submitted.cells:
        name = metadata(cell).get("grade_id")
        if name in ours and name not in theirs:
            theirs[name], last = cell, name
        elif cell.cell_type == "code":
            cell.metadata.pop("nbgrader", None)
            added.setdefault(last, []).append(cell)
    notes, cells = [], added[None]
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
    return {metadata(cell).get("grade_id"): cell.source for cell in notebook.cells}


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
    """A course's folder: the gradebook, what was handed in, the tables and pages made from both."""

    def __init__(self, folder):
        self.folder, self.seed = folder, folder.name
        self.api = nbgrader_api(folder)

    def submitted(self, student, name):
        """Return where a submission lies: mended, run, and with what is known of it."""
        return self.folder / "submitted" / student / name / f"{name}.ipynb"

    def notebook(self, *where):
        """Read a notebook of the course."""
        return nbformat.read(self.folder.joinpath(*where).with_suffix(".ipynb"), as_version=4)

    def backup(self):
        """Copy what cannot be computed again."""
        copy = self.folder / "backups" / f"{datetime.now():%Y%m%d-%H%M%S-%f}"
        copy.mkdir(parents=True)
        for name in ("gradebook.db", "by_hand.csv", "grades.csv"):
            if (self.folder / name).exists():
                shutil.copy2(self.folder / name, copy)

    def grade(self, entry, sandbox, timeout=TIMEOUT):
        """Run a submission, if it is not the one that was run before, and store its points."""
        student, name = quote(entry.student, safe=" @+"), entry.assignment
        text = json.dumps(entry.notebook, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        path = self.submitted(student, name)
        before = self.notebook(path) if path.exists() else None
        if before and before.metadata.ppdm.digest == digest:
            return
        source, released = self.folder / "source" / name, self.notebook("release", name, name)
        tests = tests_of(self.notebook(source, name))
        try:
            submitted = nbformat.reads(text, as_version=4)
            nbformat.validate(submitted)
            mended, notes = mend(submitted, released)
        except Exception as error:
            # an earlier one that could be read keeps its points
            note = f"what was handed in is no notebook: {type(error).__name__}"
            mended = before or released
            failed = mended.metadata.ppdm.get("failed", dict.fromkeys(tests, note))
            notes = [*mended.metadata.ppdm.get("notes", ()), note]
        else:
            release = released.metadata.ppdm.release
            if submitted.metadata.get("ppdm", {}).get("release", release) != release:
                notes.insert(0, "was made for the data of another seed")
            guard = Guard(self.folder) if sandbox == "none" else None
            failed, more = run(mended, tests, sorted(source.glob("case.*")), sandbox, timeout)
            if guard and (changed := guard.changed()):
                more.append(f"TAMPERED with {', '.join(changed)}: put back")
            notes += more + errors(mended)
        mended.metadata.ppdm |= {"digest": digest, "failed": failed, "notes": notes}
        mended.metadata.ppdm.late = "yes" if entry.late else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(mended, path)
        self.store(student, entry.student, mended, sources(released))

    def store(self, student, person, notebook, blank):
        """Write the points of a submission; what was left as it was handed out has none."""
        name, answers = notebook.metadata.ppdm.assignment, sources(notebook)
        with self.api.gradebook as book:
            book.update_or_create_student(student, last_name=person)
            book.update_or_create_submission(name, student)
            for grade in book.find_submission_notebook(name, name, student).grades:
                if grade.cell.cell_type == "code":
                    missed = grade.name in notebook.metadata.ppdm.failed
                    grade.auto_score = 0 if missed else grade.max_score
                else:
                    written = answers[grade.name] != blank[grade.name]
                    grade.auto_score = None if written else 0
                    grade.needs_manual_grade = written and grade.manual_score is None
            book.db.commit()

    def submissions(self):
        """Yield student, name, assignment and grades of each submission."""
        with self.api.gradebook as book:
            every = book.db.query(SubmittedAssignment)
            for one in sorted(every, key=lambda one: (one.name, one.student_id)):
                (notebook,) = one.notebooks
                said = {comment.name: comment.manual_comment or "" for comment in notebook.comments}
                yield one.student_id, one.student.last_name, one.name, [
                    Grade(grade.name,
                          grade.manual_score if grade.auto_score is None else grade.auto_score,
                          grade.max_score,
                          grade.cell.cell_type != "code" and grade.auto_score is None,
                          said.get(grade.name, ""))
                    for grade in notebook.grades]  # fmt: skip

    def marks(self):
        """Read by_hand.csv; refuse it whole, with each row that is wrong."""
        file = self.folder / "by_hand.csv"
        table = read_table(file)[0] if file.exists() else pd.DataFrame(columns=BY_HAND)
        columns, rows = table.columns, table.to_dict("records")
        if missing := [name for name in BY_HAND[:6] if name not in columns]:
            raise ValueError(f"{file}: it has no column {missing[0]!r}, but {list(columns)}")
        known, names = {}, {}
        for student, person, name, grades in self.submissions():
            names[person] = student
            known |= {(student, name, grade.name): grade.of for grade in grades}
        found, wrong = [], []
        for line, row in enumerate(rows, start=2):
            student = names.get(row["student"])
            key = student, row["assignment"], row["question"]
            column, allowed = self.refused(row, student, known.get(key))
            if column:
                wrong.append(f"row {line}, {column}: {row[column]!r}; {allowed}")
            elif row["points"].strip():
                found.append((*key, number(row["points"]), row.get("comment")))
        if wrong:
            raise ValueError("\n  ".join([f"{file}: nothing was entered", *wrong]))
        return found

    def refused(self, row, student, of):
        """Return the column of a row of marks that cannot be, and what is allowed."""
        if row["seed"].strip() != self.seed:
            return "seed", f"this is the course of {self.seed}"
        if student is None:
            return "student", "nobody of this name has handed in"
        if of is None:
            return "question", f"{row['student']} has no such question in {row['assignment']!r}"
        try:
            right = not row["points"].strip() or 0 <= number(row["points"]) <= of
        except ValueError:
            right = False
        return (None, None) if right else ("points", f"a number from 0 to {of:g}")

    def enter(self, marks):
        """Store the points that a person gave."""
        with self.api.gradebook as book:
            for student, name, question, points, comment in marks:
                grade = book.find_grade(question, name, name, student)
                grade.manual_score, grade.needs_manual_grade = points, False
                book.find_comment(question, name, name, student).manual_comment = comment or None
            book.db.commit()

    def write(self, roster=None, due=None):
        """Write the tables and the pages; return the rows of grades.csv."""
        table, by_hand = [], []
        for student, person, name, grades in self.submissions():
            path = self.submitted(student, name)
            notebook = self.notebook(path)
            row, known = {"student": person, "assignment": name}, notebook.metadata.ppdm
            listed = roster and due and roster.assignment == name
            late = roster.days_late(person, due) if listed else None
            if late not in (None, known.late):
                known.late = late
                nbformat.write(notebook, path)
            tests = sum(grade.points or 0 for grade in grades if not grade.by_hand)
            hand = sum(grade.points or 0 for grade in grades if grade.by_hand)
            table.append(row | {
                "automatic": tests, "by hand": hand, "points": tests + hand,
                "of": sum(grade.of for grade in grades), "days late": known.late,
                "to read": sum(grade.points is None for grade in grades),
                "notes": "; ".join(known.notes),
            })  # fmt: skip
            answers = sources(notebook)
            by_hand += [row | {
                "seed": self.seed, "question": grade.name, "of": grade.of,
                "points": "" if grade.points is None else grade.points,
                "comment": grade.comment, "answer": safe(answers[grade.name]),
            } for grade in grades if grade.by_hand]  # fmt: skip
            said = {one.name: (one.points, one.of, known.failed.get(one.name) or one.comment)
                    for one in grades}  # fmt: skip
            page = self.folder / "feedback" / student / f"{name}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(feedback.page(notebook, person, said, known.notes), encoding="utf-8")
        for name, columns, rows in (("grades", GRADES, table), ("by_hand", BY_HAND, by_hand)):
            pd.DataFrame(rows, columns=columns).to_csv(self.folder / f"{name}.csv", index=False)
        return table


def grade(folder, course, sandbox="bwrap", roster=None, due=None, timeout=TIMEOUT, progress=True):
    """Enter marks given by hand, grade what was handed in; return grades.csv and what is odd."""
    course = Course(course)
    marks = course.marks()
    found, odd = handed_in(folder) if folder else ([], [])
    course.backup()
    course.enter(marks)
    with course.api.gradebook as book:
        made = {one.name for one in book.assignments}
    for entry in tqdm(found, disable=not progress, desc="grading"):
        if entry.assignment in made:
            course.grade(entry, sandbox, timeout)
        else:
            odd.append(f"{entry.where}: skipped, make assignments has not made it for this seed")
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
    warnings.filterwarnings("ignore", module="nbgrader")  # about names that SQLAlchemy has changed
    course = COURSES / str(args.seed)
    if not (course / "gradebook.db").exists():
        parser.error(f"no release of this seed: make assignments SEED={args.seed} first")
    if args.submissions and not args.submissions.exists():
        parser.error(f"{args.submissions}: there is no such folder or zip")
    if args.submissions and args.sandbox == "bwrap" and not bubblewrap():
        parser.error(
            "bubblewrap does not work here (Debian: apt install bubblewrap). "
            "SANDBOX=none grades without: a submission can then use the network and read files"
        )
    if args.sandbox == "none" and args.submissions and not nobody():
        print("Submissions run as you: keep nothing else on this account.")
    try:
        roster = Roster(args.roster) if args.roster else None
        rows, odd = grade(args.submissions, course, args.sandbox, roster, args.due)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for row in rows:
        print("{student:20} {assignment:24} {points:5g} of {of:g}  {notes}".format(**row))
    print("\n".join(odd))
    print(f"{course}/grades.csv; to be read by you: {course}/by_hand.csv; {course}/feedback")


if __name__ == "__main__":
    main()
