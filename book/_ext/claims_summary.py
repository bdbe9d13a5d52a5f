"""Count the claims of all chapters by paper and verdict: the table on top of the scorecard.

The directive ``claims-summary`` reads what the chapters glued under ``claims-...``, as the
rest of the page does, so that it cannot say anything else. Rows of one key are one claim.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ppdm_book.claims import VERDICTS

PAPERS = ("AS00", "DZ03", "ZCM04", "ZWZ05", "LX14")


class Row(NamedTuple):
    """What is counted of a row of a claims table."""

    key: str
    paper: str
    verdict: str
    mark: str


def claims_of(notebook: dict[str, Any]) -> Iterator[Row]:
    """Yield every row of claims that a notebook has glued."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name", "")
            if name.startswith("claims-"):
                table = "".join(next(v for k, v in output["data"].items() if k.endswith("html")))
                for row in BeautifulSoup(table, "html.parser").select("tbody tr"):
                    said = {cell["class"][0]: cell.get_text() for cell in row("td")}
                    paper = said["source"].split()[0]
                    yield Row(row["data-key"], paper, said["verdict"], "".join(row["class"]))


def summary(notebooks: list[Path]) -> list[tuple[str, ...]]:
    """Return the rows of the table: a paper each, the five together, those marked, successors."""
    found: dict[tuple[str, str], Row] = {}
    for path in notebooks:
        for row in claims_of(json.loads(path.read_text(encoding="utf-8"))):
            first = found.setdefault((row.paper, row.key), row)
            if row.verdict not in VERDICTS:
                raise ValueError(f"verdict must be one of {VERDICTS}, got {row.verdict!r}")
            if row.verdict != first.verdict:
                raise ValueError(
                    f"{row.key!r} must have one verdict, got {first.verdict!r} and, in "
                    f"{path.stem}, {row.verdict!r}"
                )
    five = [row for row in found.values() if row.paper in PAPERS]
    groups = [(paper, [row for row in five if row.paper == paper]) for paper in PAPERS]
    groups.append(("the five papers", five))
    marks = {"of these, about privacy": "privacy", "of these, on this book's own system": "ours"}
    groups += [(name, [row for row in five if row.mark == mark]) for name, mark in marks.items()]
    groups.append(("their successors", [row for row in found.values() if row not in five]))
    rows = []
    for name, claims in groups:
        verdicts = Counter(row.verdict for row in claims)
        rows.append((name, str(len(claims)), *(str(verdicts[v]) for v in VERDICTS)))
    return rows


class ClaimsSummary(SphinxDirective):
    """The table itself."""

    def run(self) -> list[nodes.Node]:
        """Write it as HTML, in the classes of the claims tables."""
        paths = sorted((Path(self.env.srcdir) / "notebooks").glob("*.ipynb"))
        for path in paths:
            self.env.note_dependency(str(path))
        classes = [verdict.split()[-1] for verdict in VERDICTS]
        head = "".join(
            f"<th scope='col' class='verdict {c}'>{v}</th>"
            for c, v in zip(classes, VERDICTS, strict=True)
        )
        body = "".join(
            f"<tr><th scope='row'>{name}</th>" + "".join(f"<td>{n}</td>" for n in counts) + "</tr>"
            for name, *counts in summary(paths)
        )
        table = (
            "<div class='claims-summary'><table class='table'><thead><tr><th scope='col'>paper</th>"
            f"<th scope='col'>claims</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )
        return [nodes.raw("", table, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("claims-summary", ClaimsSummary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
