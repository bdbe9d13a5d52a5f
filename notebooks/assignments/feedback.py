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
        if heading and not known:
            title = re.sub(r" \(\d+ points?.*\)$", "", heading[1])
            parts.append((title, []))
        elif parts and known:
            parts[-1][1].append((known, cell.source[:SHOWN]))
    for title, cells in parts:
        if own := [grades[known.grade_id] for known, _ in cells if known.grade]:
            open_ = any(points is None for points, _, _ in own)
            got = "not read yet" if open_ else f"{sum(points for points, _, _ in own):g}"
            yield {"title": title, "points": f"{got} of {sum(of for _, of, _ in own):g}",
                   "said": [said for _, _, said in own if said],
                   "answers": [source for known, source in cells if known.solution]}  # fmt: skip


def page(notebook, student, grades, notes):
    """Return the page; `grades` has of each graded cell its points or None, of, a sentence."""
    text = "\n".join(cell.source for cell in notebook.cells)
    return PAGE.render(
        title=re.search(r"^# (.*)$", text, re.MULTILINE)[1], student=student, notes=notes,
        total=sum(points or 0 for points, _, _ in grades.values()),
        of=sum(of for _, of, _ in grades.values()), questions=questions(notebook, grades),
        read=all(points is not None for points, _, _ in grades.values()))  # fmt: skip
