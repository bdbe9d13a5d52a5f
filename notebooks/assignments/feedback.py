"""A student's page: each question by name, its points, and a sentence on what is wrong."""

import re

from course import metadata
from jinja2 import Environment

#: Characters of an answer that are shown.
SHOWN = 20_000
PAGE = Environment(autoescape=True).from_string("""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{{ title }}</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
.points { float: right } p.said { border-left: 4px solid #b34a00; padding-left: .7rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f3f4f5; color: #222 }
</style>
<h1>{{ title }}</h1>
<p><b>{{ student }}</b>: {{ "%g" % total }} of {{ "%g" % of }} points
{{- "" if read else ", without what a person has not read yet" }}.</p>
{% for note in notes %}<p>{{ note }}.</p>{% endfor %}
{% for question in questions %}
<h2>{{ question.title }} <span class="points">{{ question.points }}</span></h2>
{% for sentence in question.said %}<p class="said">{{ sentence }}</p>{% endfor %}
{% for answer in question.answers %}
<details><summary>What you handed in</summary><pre>{{ answer }}</pre></details>
{% endfor %}{% endfor %}</html>""")


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
