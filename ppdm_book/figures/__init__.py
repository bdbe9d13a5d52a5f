"""Figures in one style, for light and for dark pages, and what they show as text.

A figure has a transparent ground and dark ink. The book's style sheet turns the ink
round on dark pages (lightness inverted, hue kept); :data:`ppdm.plots.PALETTE` reads on both, and
its colours can be told apart by colour-blind readers. Each colour has a role, the same in
every chapter. :func:`digest` says what a figure shows, so that two runs can be compared.
"""

from ppdm.plots import PALETTE
from ppdm_book.figures._digest import digest
from ppdm_book.figures._style import INK, label_ends, use_style

__all__ = ["INK", "PALETTE", "digest", "label_ends", "use_style"]
