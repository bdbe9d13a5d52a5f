"""What the pages' curves have in common: a frame that can be read aloud, axes, points joined.

Dark ink on a transparent ground, as the other pictures; labels are large enough for a phone.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

INK = "#222222"


def frame(script: str, height: int, title: str, says: str, body: str) -> str:
    """Return a picture, 470 wide, that says what it shows."""
    return f"""<!-- Made by book/_make/{script}.py. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 470 {height}" role="img" fill="{INK}"
     aria-labelledby="title desc" font-family="DejaVu Sans, Verdana, sans-serif" font-size="15">
<title id="title">{title}</title>
<desc id="desc">{says}</desc>
{body}
</svg>
"""


def beside(left: float, up: float, text: str) -> str:
    """Draw a mark of the upright axis, its value beside it."""
    return (
        f'<path d="M{left} {up}h-6" stroke="{INK}"/>'
        f'<text x="{left - 10}" y="{up + 5}" text-anchor="end">{text}</text>'
    )


def below(at: float, floor: float, text: str) -> str:
    """Draw a mark of the level axis, its value below it."""
    return (
        f'<path d="M{at} {floor}v6" stroke="{INK}"/>'
        f'<text x="{at}" y="{floor + 23}" text-anchor="middle">{text}</text>'
    )


def joined(places: Iterable[tuple[float, float]], colour: str, width: float = 1.5) -> str:
    """Join points by straight lines."""
    lines = "".join(f"M{a} {b}L{c} {d}" for (a, b), (c, d) in pairwise(places))
    return f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'
