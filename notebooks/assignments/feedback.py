"""A student's page: each question by name, its points, and a sentence on what is wrong."""

import re
from html import escape

STYLE = """body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2rem } .points { float: right } .lost { border-left: 4px solid #b34a00; padding-left: .7rem }
.got { border-left: 4px solid #00704f; padding-left: .7rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f3f4f5; padding: .6rem; color: #222 }"""
#: Characters of an answer that are shown.
SHOWN = 20_000


def questions(notebook):
    """Yield (heading, cells) of each question of a notebook."""
    heading, cells = "", []
    for cell in notebook.cells:
        found = re.search(r"^## (.*)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
        if found and not cell.metadata.get("nbgrader"):
            yield heading, cells
            heading, cells = re.sub(r" \(\d+ points?.*\)$", "", found[1]), []
        cells.append(cell)
    yield heading, cells


def page(notebook, student, grades, notes):
    """Return the page as HTML.

    Parameters
    ----------
    grades : dict
        Of each graded cell its points, of how many, a sentence or None; points None: not read yet.
    """
    title = re.search(r"^# (.*)$", "\n".join(c.source for c in notebook.cells), re.MULTILINE)[1]
    read = all(points is not None for points, _, _ in grades.values())
    total = sum(points or 0 for points, _, _ in grades.values())
    of = sum(of for _, of, _ in grades.values())
    parts = [f"<h1>{escape(title)}</h1>", f"<p><b>{escape(student)}</b>: {total:g} of {of:g} points"
             + ("." if read else " so far; what a person reads is not read yet.") + "</p>"]  # fmt: skip
    parts += [f"<p>{escape(note)}.</p>" for note in notes]
    for heading, cells in questions(notebook):
        graded = [c.metadata.nbgrader.grade_id for c in cells if c.metadata.get("nbgrader", {}).get("grade")]
        if not graded:
            continue
        own = [grades[name] for name in graded]
        points = "not read yet" if any(p is None for p, _, _ in own) else f"{sum(p for p, _, _ in own):g}"
        parts.append(f"<h2>{escape(heading)} <span class='points'>{points} of {sum(o for _, o, _ in own):g}</span></h2>")
        for got, worth, said in own:
            if said:
                parts.append(f"<p class='{'got' if got == worth else 'lost'}'>{escape(said)}</p>")
        for cell in cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                parts.append(f"<details><summary>What you handed in</summary><pre>{escape(cell.source[:SHOWN])}</pre></details>")
    return (f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title>"
            f"<style>{STYLE}</style>{''.join(parts)}</html>")  # fmt: skip
