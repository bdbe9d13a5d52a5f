"""Pictures of the package's own results, in colours that colour-blind readers can tell apart.

Each colour of :data:`PALETTE` has a role and reads on light and on dark pages; lines and classes
take the roles in :data:`TURNS` one after the other.
"""

from ppdm import _validation as check

try:
    from ppdm.plots._palette import PALETTE, TURNS
    from ppdm.plots._tree import draw_tree
except ModuleNotFoundError as _lost:
    raise check.missing(_lost.name, "ppdm.plots", "plots") from _lost

__all__ = ["PALETTE", "TURNS", "draw_tree"]
