"""Grade a folder of submissions: ``make grade SUBMISSIONS=dir SEED=2027``.

Each folder in it is a student; the notebooks, wherever they lie in that folder, have the names they
were handed out with. Into ``_build/assignments/SEED`` come ``grades.csv``, a row a submission;
``by_hand.csv``, the answers that a person must read; ``feedback/``, an HTML page a submission.
Fill in the points of ``by_hand.csv`` and grade again: they are taken over.

What is wrong with a submission stands in its row and stops nothing else.
"""

import argparse
import csv
import os
import re
import shutil
import warnings
from pathlib import Path

import nbformat
from course import BUILD, NAMES, SEED, nbgrader_api
from nbgrader.api import MissingEntry
from tqdm import tqdm

GRADES = ("student", "assignment", "automatic", "by hand", "points", "of", "to read", "notes")
BY_HAND = ("student", "assignment", "question", "of", "points", "comment", "answer")
#: Seconds a cell may run.
TIMEOUT = 60


def grade_id(cell):
    """Return the name that nbgrader knows a cell by, or None."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def mend(submitted, released):
    """Return a submission with the cells that were handed out back in place, and what was done.

    nbgrader brings back test cells that were edited, and trusts the metadata for the rest; so each
    cell gets the metadata it was released with, and a deleted one stands again after the cell that
    came before it.
    """
    ours = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
    notes, cells, place = [], [], {}
    for cell in submitted.cells:
        name = grade_id(cell)
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


def take_in(path, name, student, course):
    """Put a submission where nbgrader looks for it; return what is odd about it."""
    released = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    submitted = nbformat.read(path, as_version=4)
    nbformat.validate(submitted)
    mended, notes = mend(submitted, released)
    if submitted.metadata.get("ppdm", released.metadata.ppdm) != released.metadata.ppdm:
        notes.insert(0, "was made for the data of another seed")
    folder = course / "submitted" / student / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    nbformat.write(mended, folder / f"{name}.ipynb")
    return notes


def errors(notebook):
    """Return the errors of cells that are worth no points, for a person to look at."""
    notes = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade"):
            kinds = {out.ename for out in cell.outputs if out.output_type == "error"}
            if kinds & {"CellTimeoutError", "KeyboardInterrupt"}:
                notes.append(f"{grade_id(cell) or 'a cell'} did not end in time")
            else:
                notes += [f"{grade_id(cell) or 'a cell'}: {kind}" for kind in sorted(kinds)]
    return notes


def enter_by_hand(api, name, student, filled):
    """Store the points that a person gave; return a row for each answer that a person reads."""
    rows = []
    with api.gradebook as book:
        notebook = book.find_submission_notebook(name, name, student)
        comments = {comment.name: comment for comment in notebook.comments}
        for grade in notebook.grades:
            left_blank = grade.auto_score == 0
            if grade.cell.cell_type != "markdown" or left_blank:
                continue
            given = filled.get((student, name, grade.name), {"points": "", "comment": ""})
            if given["points"].strip():
                grade.manual_score = min(float(given["points"]), grade.max_score)
                grade.needs_manual_grade = False
                comments[grade.name].manual_comment = given["comment"] or None
            rows.append(given | {"student": student, "assignment": name, "question": grade.name,
                                 "of": grade.max_score})  # fmt: skip
        book.db.commit()
    return rows


def grade_one(path, name, student, course, filled, timeout=TIMEOUT):
    """Grade one submission; return its row of grades.csv and its rows of by_hand.csv."""
    row = dict.fromkeys(GRADES, 0) | {"student": student, "assignment": name}
    api = nbgrader_api(course, timeout)
    with api.gradebook as book:
        row["of"] = book.find_assignment(name).max_score
    try:
        notes = take_in(path, name, student, course)
    except Exception as error:
        return row | {"notes": f"is no notebook: {type(error).__name__}"}, []
    outcome = api.autograde(name, student)
    if not outcome["success"]:
        log = course / "logs" / f"{student}-{name}.txt"
        log.parent.mkdir(exist_ok=True)
        log.write_text(f"{outcome.get('log')}\n{outcome.get('error')}", encoding="utf-8")
        why = "its kernel died" if "DeadKernelError" in log.read_text() else f"see {log}"
        return row | {"notes": "; ".join([*notes, f"could not be run: {why}"])}, []
    done = course / "autograded" / student / name / f"{name}.ipynb"
    graded = nbformat.read(done, as_version=4)
    by_hand = enter_by_hand(api, name, student, filled)
    answers = {grade_id(cell): cell.source for cell in graded.cells}
    by_hand = [r | {"answer": answers[r["question"]]} for r in by_hand]
    with api.gradebook as book:
        found = book.find_submission_notebook(name, name, student)
        row |= {"automatic": sum(g.auto_score or 0 for g in found.grades),
                "by hand": sum(g.manual_score or 0 for g in found.grades),
                "points": found.score}  # fmt: skip
    api.generate_feedback(name, student)
    row["to read"] = sum(not r["points"].strip() for r in by_hand)
    row["notes"] = "; ".join(notes + errors(graded))
    return row, by_hand


def submissions(folder):
    """Return (student, assignment, path) of each notebook, and notes on other files."""
    found, odd = {}, []
    for student in sorted(path for path in Path(folder).iterdir() if path.is_dir()):
        who = re.sub(r"[^\w.@+-]", "_", student.name)
        for path in sorted(student.rglob("*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            if path.stem not in NAMES or (who, path.stem) in found:
                odd.append(f"{path}: {'a second one' if path.stem in NAMES else 'unknown name'}")
            else:
                found[who, path.stem] = path
        if not any(who == other for other, _ in found):
            odd.append(f"{student}: no notebook of an assignment")
    return [(who, name, path) for (who, name), path in found.items()], odd


def write(path, columns, rows):
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        table.writerows(rows)


def grade(folder, course, timeout=TIMEOUT, progress=True):
    """Grade a folder of submissions; return the rows of grades.csv and what was left out."""
    os.environ["PYTHONWARNINGS"] = "ignore"  # a warning in a test cell would cost its points
    file = course / "by_hand.csv"
    filled = {}
    if file.exists():
        with file.open(newline="", encoding="utf-8") as table:
            filled = {(r["student"], r["assignment"], r["question"]): r
                      for r in csv.DictReader(table)}  # fmt: skip
    found, odd = submissions(folder)
    rows, by_hand = [], dict(filled)
    for who, name, path in tqdm(found, disable=not progress, desc="grading"):
        try:
            row, read = grade_one(path, name, who, course, filled, timeout)
        except MissingEntry:
            odd.append(f"{path}: make assignments has not made {name} for this seed")
            continue
        rows.append(row)
        by_hand = {key: r for key, r in by_hand.items() if key[:2] != (who, name)}
        by_hand |= {(who, name, r["question"]): r for r in read}
    write(course / "grades.csv", GRADES, rows)
    write(file, BY_HAND, by_hand.values())
    return rows, odd


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", type=Path, help="a folder with a folder a student")
    parser.add_argument("--seed", type=int, default=SEED, help="that the release was made with")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds a cell may run")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", module="nbgrader")  # about names that SQLAlchemy has changed
    course = BUILD / str(args.seed)
    if not (course / "gradebook.db").exists():
        parser.error(f"no release of this seed: make assignments SEED={args.seed} first")
    rows, odd = grade(args.submissions.resolve(), course, args.timeout)
    for row in rows:
        print(f"{row['student']:20} {row['assignment']:24} {row['points']:5} of {row['of']}"
              f"  {row['notes']}")  # fmt: skip
    print("\n".join(odd))
    print(f"{course}/grades.csv; to be read by you: {course}/by_hand.csv; {course}/feedback")


if __name__ == "__main__":
    main()
