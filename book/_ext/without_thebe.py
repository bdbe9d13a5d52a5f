"""Leave out the scripts for live code on a remote server.

jupyter-book loads the extension sphinx-thebe whether a book uses it or not. Its start-up
script stands twice on each page (a script error) and names a foreign host; this book runs
in Jupyter and asks no other host for anything.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def _drop_thebe(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    context["script_files"] = [
        script
        for script in context["script_files"]
        if "thebe" not in f"{script} {getattr(script, 'attributes', {})}".lower()
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect late, after the theme has added its own scripts."""
    app.connect("html-page-context", _drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
