"""A student's page: each question by name, its points, and a sentence on what is wrong."""

import re

from course import TEXTS, metadata
from jinja2 import Environment

#: Characters of an answer that are shown.
SHOWN = 20_000
PAGE = Environment(autoescape=True).from_string(
    (TEXTS / "feedback.html").read_text(encoding="utf-8")
)


def questions(notebook, grades):
    """Yield what the page says of each question: cells below one heading."""
    parts, title = [], ""
    for cell in notebook.cells:
        known = metadata(cell)
        heading = re.search(r"^## (.*)$", cell.source, re.MULTILINE)
        if heading and not known and cell.cell_type == "markdown":
            title = re.sub(r" \(\d+ points?.*\)$", "", heading[1])
            parts.append((title, []))
        elif parts and known:
            parts[-1][1].append((known, cell.source[:SHOWN]))
    for title, cells in parts:
        if own := [grades[known.grade_id] for known, _ in cells if known.grade]:
            open_ = any(grade.points is None for grade in own)
            got = "not read yet" if open_ else f"{sum(grade.points for grade in own):g}"
            yield {"title": title, "points": f"{got} of {sum(grade.of for grade in own):g}",
                   "said": [grade.said for grade in own if grade.said],
                   "answers": [source for known, source in cells if known.solution]}  # fmt: skip


def page(notebook, student, grades, notes):
    """Return the page of a submission, by the grades of its cells and the notes on it."""
    text = "\n".join(cell.source for cell in notebook.cells)
    return PAGE.render(
        title=re.search(r"^# (.*)$", text, re.MULTILINE)[1], student=student, notes=notes,
        total=sum(grade.points or 0 for grade in grades), of=sum(grade.of for grade in grades),
        questions=questions(notebook, {grade.name: grade for grade in grades}),
        read=all(grade.points is not None for grade in grades))  # fmt: skip
