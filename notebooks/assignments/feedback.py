"""A student's page: each question by name, its points, and sentences on what is wrong."""

import re

from course import TEXTS, metadata
from jinja2 import Environment
from mending import parts
from stops import whose

#: Characters of an answer that are shown.
SHOWN = 20_000
PAGE = Environment(autoescape=True).from_string(
    (TEXTS / "feedback.html").read_text(encoding="utf-8")
)


def page(notebook, student, grades, notes, ends, left):
    """Return the page of a submission, by the grades of its cells and the notes on it.

    ``ends`` says why cells stopped, by id; ``left`` names the graded cells of questions to which
    nothing was written. Why a cell stopped stands below its question, outside of all on top.
    """
    by_name, notes, questions = {grade.name: grade for grade in grades}, [*notes], []
    for title, cells in parts(notebook):
        said = [f"{whose(cell)} {ends[cell.id]}" for cell in cells if cell.id in ends]
        own = [by_name[metadata(cell).grade_id] for cell in cells if metadata(cell).get("grade")]
        if not own:
            notes += said
            continue
        open_ = any(grade.points is None for grade in own)
        got = "not read yet" if open_ else f"{sum(grade.points for grade in own):g}"
        written = any(grade.name not in left for grade in own)
        questions.append({
            "title": title, "points": f"{got} of {sum(grade.of for grade in own):g}",
            "said": dict.fromkeys(said + [grade.said for grade in own if grade.said]),
            "answers": [cell.source[:SHOWN] for cell in cells
                        if written and metadata(cell).get("solution")]})  # fmt: skip
    text = "\n".join(cell.source for cell in notebook.cells)
    return PAGE.render(
        title=re.search(r"^# (.*)$", text, re.MULTILINE)[1], student=student, notes=notes,
        total=sum(grade.points or 0 for grade in grades), of=sum(grade.of for grade in grades),
        questions=questions, read=all(grade.points is not None for grade in grades))  # fmt: skip
