"""Give the chapters launch buttons once the repository has an address.

The theme fails on a button without an address; ``repository: url`` in ``_config.yml`` is the one
place for it. While that is empty there are no buttons.
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.config import Config


def _only_with_an_address(app: Sphinx, config: Config) -> None:
    if not config.html_theme_options.get("repository_url"):
        config.html_theme_options["launch_buttons"] = {}


def setup(app: Sphinx) -> dict[str, bool]:
    """Ask before the theme does."""
    app.connect("config-inited", _only_with_an_address)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
