"""Grade what was handed in: ``make grade SUBMISSIONS=folder-or-zip SEED=2027``.

Into ``courses/SEED`` come ``grades.csv``, a row a submission; ``by_hand.csv``, the answers that a
person must read; ``feedback/``, an HTML page a submission. Fill in the points of ``by_hand.csv`` and
say ``make grade SEED=2027``: they are entered, and no notebook is run again. ``ROSTER=file`` fills in
a learning platform's own list. The gradebook holds all points; each grading begins with a backup.

What is wrong with a submission stands in its row and stops nothing else.
"""

import argparse
import hashlib
import json
import shutil
import warnings
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import feedback
import nbformat
from course import COURSES, SEED, TEXTS, nbgrader_api
from handed_in import Roster, handed_in, number, read_table, write_table
from running import metadata, run
from sandbox import bubblewrap, nobody
from tqdm import tqdm

GRADES = ("student", "assignment", "automatic", "by hand", "points", "of", "to read", "days late",
          "notes")  # fmt: skip
BY_HAND = ("seed", "student", "assignment", "question", "of", "points", "comment", "answer")
#: Seconds a cell may run.
TIMEOUT = 60


def mend(submitted, released):
    """Return a submission with the cells that were handed out back in place, and what was done.

    Each cell gets the metadata that it was released with, one that was handed out as it is its text, and
    a deleted one stands again after the cell that came before it.
    """
    ours = {name: cell for cell in released.cells if (name := metadata(cell).get("grade_id"))}
    notes, cells, place = [], [], {}
    for cell in submitted.cells:
        name = metadata(cell).get("grade_id")
        if name not in ours or name in place:
            cell.metadata.pop("nbgrader", None)
        else:
            original = ours[name]
            if original.metadata.nbgrader.locked and cell.source != original.source:
                notes.append(f"{name} was edited and is restored")
                cell = original.copy()
            elif cell.cell_type != original.cell_type:
                notes.append(f"{name} was of another type")
                cell = original.copy() | {"source": cell.source}
            cell.metadata = original.metadata
            place[name] = len(cells)
        cells.append(cell)
    at = 0
    for name, original in ours.items():
        if name not in place:
            notes.append(f"{name} was deleted and is restored")
            cells.insert(at, original)
            place = {other: i + (i >= at) for other, i in place.items()} | {name: at}
        at = place[name] + 1
    mended = nbformat.v4.new_notebook(cells=cells, metadata=released.metadata)
    for i, cell in enumerate(mended.cells):
        cell.id = f"cell-{i}"
    return mended, notes


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


class Guard:
    """What no submission may change, kept in memory while one runs."""

    def __init__(self, course):
        watched = [course / name for name in ("gradebook.db", "by_hand.csv", "grades.csv")]
        for folder in (course / "source", course / "submitted", TEXTS):
            watched += [path for path in folder.rglob("*") if path.suffix in (".ipynb", ".npz", ".json", ".md", ".py")]
        self.kept = {path: path.read_bytes() for path in watched if path.exists()}

    def changed(self):
        """Put back what has changed; return its names."""
        found = [p for p, kept in self.kept.items() if not p.exists() or p.read_bytes() != kept]
        for path in found:
            path.write_bytes(self.kept[path])
        return [path.name for path in found]


class Course:
    """A course's folder: the gradebook, what was handed in, the tables and pages made from both."""

    def __init__(self, folder):
        self.folder, self.seed = folder, folder.name
        self.api = nbgrader_api(folder)

    def path(self, student, name):
        """Return where a submission and what is known of it lie."""
        return self.folder / "submitted" / student / name

    def known(self, student, name):
        """Return what is known of a submission beside its points."""
        file = self.path(student, name) / "known.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def released(self, name):
        """Return a notebook as it was handed out."""
        return nbformat.read(self.folder / "release" / name / f"{name}.ipynb", as_version=4)

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
        digest = hashlib.sha256(json.dumps(entry.notebook, sort_keys=True).encode()).hexdigest()
        known = self.known(student, name)
        if known.get("digest") == digest:
            return
        known |= {"student": entry.student, "late": entry.late}
        try:
            submitted = nbformat.reads(json.dumps(entry.notebook), as_version=4)
            nbformat.validate(submitted)
            released = self.released(name)
            mended, notes = mend(submitted, released)
        except Exception as error:
            # an earlier one that could be read keeps its points
            known["notes"] = [*known.get("notes", ()), f"is no notebook: {type(error).__name__}"]
            self.store(student, name, known)
            return
        if submitted.metadata.get("ppdm", {}).get("release") not in (None, released.metadata.ppdm.release):
            notes.insert(0, "was made for the data of another seed")
        source = nbformat.read(self.folder / "source" / name / f"{name}.ipynb", as_version=4)
        tests = {metadata(cell).grade_id: cell.source for cell in source.cells
                 if metadata(cell).get("grade") and cell.cell_type == "code"}  # fmt: skip
        guard = Guard(self.folder)
        failed, more = run(mended, tests, sorted((self.folder / "source" / name).glob("case.*")),
                           sandbox, timeout)  # fmt: skip
        if changed := guard.changed():
            more.append(f"TAMPERED with {', '.join(changed)}: put back")
        known |= {"digest": digest, "failed": failed, "notes": notes + more + errors(mended)}
        for cell in mended.cells:
            if cell.cell_type == "code" and not metadata(cell).get("grade"):
                cell.outputs = []
        self.store(student, name, known, mended)

    def store(self, student, name, known, notebook=None):
        """Write what is known of a submission, and its points."""
        folder = self.path(student, name)
        folder.mkdir(parents=True, exist_ok=True)
        answers = {}
        if notebook:
            nbformat.write(notebook, folder / f"{name}.ipynb")
            graded = self.folder / "autograded" / student / name
            graded.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, graded / f"{name}.ipynb")  # where formgrader looks
            answers = {metadata(cell).get("grade_id"): cell.source for cell in notebook.cells}
        (folder / "known.json").write_text(json.dumps(known), encoding="utf-8")
        blank = {metadata(cell).get("grade_id"): cell.source for cell in self.released(name).cells}
        with self.api.gradebook as book:
            book.update_or_create_student(student)
            book.update_or_create_submission(name, student)
            for grade in book.find_submission_notebook(name, name, student).grades:
                if grade.cell.cell_type == "code":
                    missed = not known.get("digest") or grade.name in known["failed"]
                    grade.auto_score = 0 if missed else grade.max_score
                elif notebook:
                    written = answers.get(grade.name, "") != blank[grade.name]
                    grade.auto_score = None if written else 0
                    grade.needs_manual_grade = written and grade.manual_score is None
            book.db.commit()

    def submissions(self):
        """Yield (known, assignment, grades) of each submission, a grade (name, points, of, code?, comment)."""
        with self.api.gradebook as book:
            for assignment in sorted(book.assignments, key=lambda one: one.name):
                for one in sorted(assignment.submissions, key=lambda one: one.student_id):
                    (notebook,) = one.notebooks
                    comments = {c.name: c.manual_comment or "" for c in notebook.comments}
                    rows = []
                    for grade in notebook.grades:
                        blank = grade.auto_score == 0
                        code = grade.cell.cell_type == "code"
                        points = grade.auto_score if code or blank else grade.manual_score
                        rows.append((grade.name, points, grade.max_score, code or blank, comments.get(grade.name, "")))
                    yield one.student_id, assignment.name, rows

    def marks(self):
        """Read by_hand.csv; refuse it whole, with each row that is wrong, before anything is done."""
        file = self.folder / "by_hand.csv"
        if not file.exists():
            return []
        columns, rows, _ = read_table(file)
        wrong = [f"no column {name!r}" for name in BY_HAND[:6] if name not in columns]
        if wrong:
            raise ValueError(f"{file}: {'; '.join(wrong)}; it has {columns}")
        known = {(s, a, name): of for s, a, grades in self.submissions() for name, _, of, _, _ in grades}
        names = {self.known(s, a).get("student", s): s for s, a, _ in known}
        found = []
        for line, row in enumerate(rows, start=2):
            student, text = names.get(row["student"], row["student"]), (row["points"] or "").strip()
            key = student, row["assignment"], row["question"]

            def no(column, allowed, line=line, row=row):
                wrong.append(f"row {line}, {column}: {row[column]!r}; {allowed}")

            if row["seed"].strip() != self.seed:
                no("seed", f"this is the course of {self.seed}")
            elif student not in {s for s, _, _ in known}:
                no("student", "nobody of this name has handed in")
            elif key not in known:
                no("question", f"{row['student']} has no such question in {row['assignment']!r}")
            elif text:
                try:
                    points = number(text)
                    if not 0 <= points <= known[key]:
                        raise ValueError(text)
                    found.append((*key, points, row.get("comment") or ""))
                except ValueError:
                    no("points", f"a number from 0 to {known[key]:g}")
        if wrong:
            raise ValueError(f"{file}: nothing was entered\n  " + "\n  ".join(wrong))
        return found

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
        for student, name, grades in self.submissions():
            known, file = self.known(student, name), self.path(student, name) / f"{name}.ipynb"
            who = known.get("student", student)
            notes = "; ".join(known.get("notes", ()))
            days = roster.days_late(who, due) if roster else None
            late = days if days is not None else known.get("days late", "yes" if known.get("late") else "")
            if days is not None and known:
                known["days late"] = days
                (self.path(student, name) / "known.json").write_text(json.dumps(known), encoding="utf-8")
            scored = [sum(points or 0 for _, points, _, code, _ in grades if code == kind) for kind in (True, False)]
            table.append({
                "student": who, "assignment": name, "automatic": scored[0], "by hand": scored[1],
                "points": sum(scored), "of": sum(of for _, _, of, _, _ in grades), "notes": notes,
                "to read": sum(points is None for _, points, _, _, _ in grades), "days late": late,
            })  # fmt: skip
            if not file.exists():
                continue
            notebook = nbformat.read(file, as_version=4)
            answers = {metadata(cell).get("grade_id"): cell.source for cell in notebook.cells}
            by_hand += [
                {"seed": self.seed, "student": who, "assignment": name, "question": question, "of": of,
                 "points": "" if points is None else points, "comment": comment, "answer": safe(answers.get(question, ""))}
                for question, points, of, code, comment in grades if not code]  # fmt: skip
            shown = {question: (points, of, known["failed"].get(question) or comment)
                     for question, points, of, _, comment in grades}  # fmt: skip
            page = self.folder / "feedback" / student / f"{name}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(feedback.page(notebook, who, shown, known["notes"]), encoding="utf-8")
        write_table(self.folder / "grades.csv", GRADES, table)
        write_table(self.folder / "by_hand.csv", BY_HAND, by_hand)
        return table


def safe(text):
    """Return a text that no spreadsheet runs."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def grade(folder, course, sandbox="bwrap", roster=None, due=None, timeout=TIMEOUT, progress=True):
    """Enter the marks given by hand, grade what was handed in; return grades.csv and what is odd."""
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
        odd += [f"{name}: is not in {roster.path.name}" for name in unknown] + [f"{path}: to upload"]
    return table, odd


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", type=Path, nargs="?", help="a folder or a zip; without, marks are entered")
    parser.add_argument("--seed", type=int, default=SEED, help="that the release was made with")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds a cell may run")
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
        parser.error("bubblewrap does not work here (Debian: apt install bubblewrap). SANDBOX=none grades "
                     "without: a submission then runs as you, can use the network and read your files")  # fmt: skip
    if args.sandbox == "none" and args.submissions and not nobody():
        print("Submissions run as you: keep nothing else on this account.")
    try:
        roster = Roster(args.roster) if args.roster else None
        rows, odd = grade(args.submissions, course, args.sandbox, roster, args.due, args.timeout)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for row in rows:
        print(f"{row['student']:20} {row['assignment']:24} {row['points']:5g} of {row['of']:g}  {row['notes']}")
    print("\n".join(odd))
    print(f"{course}/grades.csv; to be read by you: {course}/by_hand.csv; {course}/feedback")


if __name__ == "__main__":
    main()
