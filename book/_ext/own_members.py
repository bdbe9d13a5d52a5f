"""Show on the API pages what a class of ppdm has of ppdm, and nothing that it inherits.

The pages name modules, not members, so that a new name stands there by itself. Half of what
a scikit-learn estimator or a pydantic model has is not its author's: ``set_fit_request``,
``with_traceback``, ``model_dump``. What comes from a base class of ppdm is kept.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def _skip_foreign(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: object
) -> bool | None:
    if what not in {"class", "exception"}:
        return None
    if name.startswith("model_") or hasattr(member, "__objclass__"):  # pydantic's, or in C
        return True
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    home = getattr(function, "__module__", None) if callable(function) else None
    return None if (home or "ppdm").partition(".")[0] == "ppdm" else True


def setup(app: Sphinx) -> dict[str, bool]:
    """Ask before autodoc's own rules."""
    app.connect("autodoc-skip-member", _skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
