"""Where the project is published: launch buttons, links below each page, canonical addresses.

The address comes from CI's variables or from the checkout's remote, and nobody writes it down. A
remote that is a path, as in a clone of a clone, is none; then there are no buttons and no links.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sphinx.application import Sphinx
from sphinx.config import Config

REMOTE = re.compile(
    r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)(github\.com)[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?"
)


# What .ci/site puts beside the published book.
DOWNLOADS = (
    '<p class="page-links">This book as <a href="../ppdm.pdf">PDF</a>, '
    '<a href="../slides/index.html">slides</a>, and the '
    '<a href="../student/index.html">student edition</a>.</p>'
)


class Address(NamedTuple):
    """The repository, its branch, and the pages made of it."""

    repository: str
    branch: str
    pages: str


def address(folder: Path) -> Address | None:
    """Return where a checkout is published, or None."""
    remote = os.environ.get("PPDM_REPOSITORY", "")
    if not remote and "GITHUB_REPOSITORY" in os.environ:
        remote = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
    if not remote and (folder / ".git").exists():
        asked = ["git", "-C", str(folder), "remote", "get-url", "origin"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False)
        remote = found.stdout.strip()
    if not (known := REMOTE.fullmatch(remote)):
        return None
    host, owner, name = known.groups()
    site = "" if name.lower() == f"{owner.lower()}.github.io" else f"{name}/"
    pages = os.environ.get("PPDM_PAGES") or f"https://{owner.lower()}.github.io/{site}"
    return Address(f"https://{host}/{owner}/{name}", "main", pages)


def _set(app: Sphinx, config: Config) -> None:
    found = address(Path(app.srcdir))
    app.ppdm_address = found  # type: ignore[attr-defined]
    if found is None:
        config.html_theme_options["launch_buttons"] = {}
        return
    config.html_theme_options["repository_url"] = found.repository
    config.html_theme_options["repository_branch"] = found.branch
    config.html_baseurl = found.pages


def _links(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    found: Address | None = app.ppdm_address  # type: ignore[attr-defined]
    if found is None or doctree is None:
        return
    if page == app.config.root_doc:
        context["body"] += DOWNLOADS
    # a chapter's text, and not the notebook with its outputs
    edit = f"{found.repository}/edit/{found.branch}/{page}.md"
    error = f"{found.repository}/issues/new?template=chapter.yml&page={quote(page, safe='')}"
    context["body"] += (
        f'<p class="page-links"><a href="{edit}">Edit this page</a>'
        f' · <a href="{error}">Report an error here</a></p>'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Ask before the theme does."""
    app.connect("config-inited", _set)
    app.connect("html-page-context", _links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
