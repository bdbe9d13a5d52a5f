"""Figures in one style, for light and for dark pages, and what they show as text.

A figure has a transparent ground and dark ink. The book's style sheet turns the ink
round on dark pages (lightness inverted, hue kept); :data:`PALETTE` reads on both, and
its colours can be told apart by colour-blind readers. Each colour has a role, the same in
every chapter. :func:`digest` says what a figure shows, so that two runs can be compared.
"""

from ppdm import _validation as check

try:
    from ppdm.plots._digest import digest
    from ppdm.plots._labels import label_ends
    from ppdm.plots._palette import INK, PALETTE
    from ppdm.plots._style import use_style
    from ppdm.plots._tree import draw_tree
except ModuleNotFoundError as _lost:
    raise check.missing(_lost.name, "ppdm.plots", "plots") from _lost

__all__ = ["INK", "PALETTE", "digest", "draw_tree", "label_ends", "use_style"]
