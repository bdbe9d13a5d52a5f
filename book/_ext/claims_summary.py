"""Count the claims of all chapters by paper and verdict: the table on top of the scorecard.

The directive ``claims-summary`` reads what the chapters glued under ``claims-...``, as the
rest of the page does, so that it cannot say anything else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ppdm_book.claims import VERDICTS


class _Rows(HTMLParser):
    """Collect (paper, verdict, mark) of each row of a claims table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self._cell = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "tr":
            self.rows.append({"mark": classes[0] if classes else "", "source": "", "verdict": ""})
        self._cell = classes[0] if tag == "td" and classes else ""

    def handle_data(self, data: str) -> None:
        if self._cell in ("source", "verdict"):
            self.rows[-1][self._cell] += data


def claims_of(notebook: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (paper, verdict, mark) of every claim that a notebook has glued."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name", "")
            if name.startswith("claims-"):
                parser = _Rows()
                data = output["data"]
                parser.feed("".join(next(v for k, v in data.items() if k.endswith("text/html"))))
                for row in parser.rows:
                    if row["verdict"]:
                        yield row["source"].split()[0], row["verdict"], row["mark"]


def summary(notebooks: list[Path]) -> list[tuple[str, ...]]:
    """Return the rows of the table: a paper each, then all, then those marked."""
    found = [
        claim
        for path in notebooks
        for claim in claims_of(json.loads(path.read_text(encoding="utf-8")))
    ]
    unknown = {verdict for _, verdict, _ in found} - set(VERDICTS)
    if unknown:
        raise ValueError(f"verdicts must be among {VERDICTS}, got {sorted(unknown)}")
    papers = list(dict.fromkeys(paper for paper, _, _ in found))
    groups = [(paper, [c for c in found if c[0] == paper]) for paper in papers]
    groups.append(("all", found))
    groups.append(("of these, about privacy", [c for c in found if c[2] == "privacy"]))
    groups.append(("of these, on this book's own system", [c for c in found if c[2] == "ours"]))
    rows = []
    for name, claims in groups:
        verdicts = Counter(verdict for _, verdict, _ in claims)
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
