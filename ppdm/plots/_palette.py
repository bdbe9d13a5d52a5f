"""The colours, each with its role."""

from __future__ import annotations

from types import MappingProxyType

#: Role -> colour, after Okabe and Ito's colour-blind-safe set, darkened where thin
#: lines would be faint.
PALETTE = MappingProxyType({
    "truth": "#222222", "disguised": "#C75300", "estimate": "#0072B2",
    "adversary": "#AA4386", "other": "#00805D", "quiet": "#767676",
})
#: The roles that lines and classes take in turn.
TURNS = ("estimate", "disguised", "other", "adversary", "truth")
