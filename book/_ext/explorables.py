"""Give the pages that have something to touch their scripts and their style.

An explorable puts itself below a figure of its chapter; the figure stays, for print and for
whoever has no scripts. The calculator takes the place of a sentence for these. The scripts are
classic ones, in this order, since a page may be opened from a folder.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

GROUPS = ["explore/house.js", "explore/explore_house.js", "explore/explore_groups.js"]
#: Page -> what its explorable needs beyond the arithmetic and the parts that all share.
SCRIPTS = {
    "notebooks/00_tour": ["ppdm.js", "explore/explore_coin.js"],
    "notebooks/11_reconstruction": ["explore/explore_reconstruction.js"],
    "notebooks/12_trees": ["explore/ages.js", "explore/explore_ages.js"],
    "notebooks/21_groups_of_answers": GROUPS,
    "notebooks/51_local_differential_privacy": GROUPS,
    "notebooks/30_guided_perturbation": [
        "ppdm.js", "explore/house.js", "explore/explore_house.js", "explore/explore_vote.js",
    ],
    "notebooks/41_what_the_measures_measure": ["explore/women.js", "explore/explore_release.js"],
    "book/which_scheme": ["ppdm.js", "explore/explore_calculator.js"],
    "notebooks/52_one_frontier": ["explore/frontier.js", "explore/explore_frontier.js"],
}  # fmt: skip
SHARED = ["explore/explore.js", "explore/explore_page.js"]
#: What stands in an explorable's section for whoever has no scripts.
WITHOUT = "<noscript><p>What can be moved here needs JavaScript.</p></noscript>"


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if page in SCRIPTS:
        app.add_css_file("explore/explore.css")
        for script in SHARED + SCRIPTS[page]:
            app.add_js_file(script)


def _say(app: Sphinx, doctree: nodes.document, page: str) -> None:
    if page in SCRIPTS:
        for section in doctree.findall(nodes.section):
            if any(name.startswith("try-it-") for name in section["ids"]):
                section += nodes.raw("", WITHOUT, format="html")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the files of each page as it is written, and the line for whoever has no scripts."""
    app.connect("doctree-resolved", _say)
    app.connect("html-page-context", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
