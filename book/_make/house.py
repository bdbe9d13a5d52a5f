"""The picture of the house, drawn from the imports: ``book/_static/house.svg``.

It reads every file of the three packages. A room is a module of a
package with all its files; it stands one floor above the highest room that it imports, and its
area is its number of code lines. What rooms share (files with an underscore, types, exceptions)
lies in the cellar, and an import from there has no arrow. What was drawn stands as text in the
picture's ``<desc>``; a test compares it with the imports.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import partial
from pathlib import Path

from curves import picture
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from ppdm.plots import PALETTE

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"ppdm": "estimate", "ppdm_book": "disguised", "ppdm_survey": "other"}
SHARED = {"typing", "exceptions"}
#: In inches: from floor to floor, the side of a room of a thousand lines, the whole.
STOREY, SIDE, WIDTH = 1.6, 0.72, 10.4


def code_lines(text: str) -> int:
    """Return how many lines of a file hold code: no docstring, comment or blank."""
    words = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and line[0] != "#" and at not in words for at, line in lines)


def room_of(name: str) -> str:
    """Return the room in which a dotted name of the packages lies."""
    parts = name.split(".")
    return parts[0] if parts[0] == "ppdm_survey" else ".".join(parts[:2])


def read(root: Path = ROOT) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Return the code lines of each room, and the rooms that each imports."""
    lines: dict[str, int] = defaultdict(int)
    imports: dict[str, set[str]] = defaultdict(set)
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        dotted = ".".join(path.relative_to(root).with_suffix("").parts)
        if dotted in ("ppdm.__init__", "ppdm_book.__init__"):
            continue  # the door, no room
        room, text = room_of(dotted), path.read_text(encoding="utf-8")
        lines[room] += code_lines(text)
        for node in ast.walk(ast.parse(text)):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{each.name}" for each in node.names]
            elif isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            ours = {room_of(name) for name in names if name.split(".")[0] in PACKAGES}
            imports[room] |= ours - {room, "ppdm", "ppdm_book", "ppdm.__version__"}
    return dict(lines), {room: imports[room] for room in lines}


def in_cellar(room: str) -> bool:
    """Tell whether a room holds what the others share."""
    name = room.rpartition(".")[2]
    return name.startswith("_") or name in SHARED


def floors(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the rooms of ``ppdm`` from the cellar up, each near those it has arrows with."""
    inside = sorted(room for room in imports if room.startswith("ppdm."))
    level = {room: 0 for room in inside if in_cellar(room)}
    while len(level) < len(inside):
        for room in inside:
            above = imports[room]
            if room not in level and above <= level.keys():
                level[room] = 1 + max((level[each] for each in above), default=0)
    found = [[room for room in inside if level[room] == n] for n in range(max(level.values()) + 1)]
    near = {room: {each for each in imports[room] if not in_cellar(each)} for room in inside}
    for room in inside:
        for each in sorted(near[room]):
            near[each] = near[each] | {room}
    place: dict[str, float] = {}
    for row in found[1:] * 8:  # each room goes to the middle of those that it has arrows with
        middle = {}
        for room in row:
            seen = [place[each] for each in near[room] if each in place]
            middle[room] = round(sum(sorted(seen)) / len(seen), 6) if seen else place.get(room, 0.5)
        row.sort(key=lambda room: (middle[room], room))
        place |= {room: (n + 0.5) / len(row) for n, room in enumerate(row)}
    return found


def told(lines: dict[str, int], imports: dict[str, set[str]]) -> str:
    """Return what is drawn as text: a line for each room."""
    return "\n".join(
        f"{room}, {lines[room]} lines, imports {', '.join(sorted(imports[room])) or 'no room'}"
        for room in sorted(lines)
    )


def _frame(ax: Axes, left: float, low: float, right: float, high: float, name: str) -> None:
    color = PALETTE[PACKAGES[name]]
    corners = "round,pad=0,rounding_size=0.12"
    ax.add_patch(FancyBboxPatch((left, low), right - left, high - low, boxstyle=corners,
                                fill=False, edgecolor=color, lw=1.5))
    ax.text(left + 0.12, high - 0.1, name, color=color, weight="bold", va="top")


def _rooms(ax: Axes, rooms: list[str], lines: dict[str, int], left: float, right: float,
           floor: float, ends: dict[str, tuple[float, float, float]]) -> None:
    for n, room in enumerate(rooms):
        x = left + (right - left) * (n + 0.5) / len(rooms)
        side = SIDE * (lines[room] / 1000) ** 0.5
        color = PALETTE["quiet" if in_cellar(room) else PACKAGES[room.split(".")[0]]]
        ax.add_patch(Rectangle((x - side / 2, floor), side, side, facecolor=color))
        name = room.rpartition(".")[2]
        if len(name) > 13:
            name = name.replace("_", "_\n", 1)
        ax.text(x, floor - 0.06, f"{name}\n{lines[room]:,}", ha="center", va="top", fontsize=9.5,
                linespacing=1.1)
        ends[room] = (x, floor + side, floor - 0.42 - 0.15 * name.count("\n"))


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.1, "shrinkA": 0, "shrinkB": 1}
    ax.annotate("", end, start, arrowprops=style, zorder=0)


def draw(fig: Figure, lines: dict[str, int], imports: dict[str, set[str]], top: float) -> None:
    """Draw the house, whose storeys of ``ppdm`` are so high."""
    storeys = floors(imports)
    book = sorted(room for room in lines if room.startswith("ppdm_book."))
    fig.set_layout_engine("none")
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, WIDTH), ylim=(-0.6, top + STOREY + 0.3))
    ax.set_axis_off()
    ends: dict[str, tuple[float, float, float]] = {}
    for n, row in enumerate(storeys):
        _rooms(ax, row, lines, 0.1, WIDTH - 0.1, STOREY * n, ends)
    ax.axhline(STOREY - 0.68, 0.02, 0.98, color=PALETTE["quiet"], lw=0.8, ls=":")
    ax.text(0.12, -0.52, "the cellar: shared by all, imported without an arrow",
            color=PALETTE["quiet"], fontsize=9.5, va="bottom")
    _frame(ax, 0.02, -0.58, WIDTH - 0.02, top - 0.35, "ppdm")
    for room in ends:
        for other in sorted(imports[room]):
            if not in_cellar(other):
                _arrow(ax, (ends[room][0], ends[room][2]), ends[other][:2], PALETTE["quiet"])
    part = WIDTH * 0.68
    for name, rooms, left, right in (
        ("ppdm_book", book, 0.02, part - 0.1),
        ("ppdm_survey", ["ppdm_survey"], part + 0.1, WIDTH - 0.02),
    ):
        _rooms(ax, rooms, lines, left, right, top + 0.55, ends)
        _frame(ax, left, top + 0.02, right, top + STOREY + 0.28, name)
        used = {each for room in rooms for each in imports[room] if each.startswith("ppdm.")}
        at = left + 0.6
        _arrow(ax, (at, top + 0.02), (at, top - 0.35), PALETTE[PACKAGES[name]])
        ax.text(at + 0.1, top - 0.16, f"imports from {len(used)} rooms", va="center", fontsize=9.5)


def svg() -> str:
    """Return the house as it is."""
    lines, imports = read()
    top = STOREY * len(floors(imports))
    # where it stands without the book's style sheet, dark surroundings turn its lightness round
    dark = "@media (prefers-color-scheme: dark) { svg { filter: invert(1) hue-rotate(180deg) } }"
    text = picture((72 * WIDTH, 72 * (top + STOREY + 0.9)),
                   "The rooms of the three packages and their imports", told(lines, imports),
                   partial(draw, lines=lines, imports=imports, top=top))
    return text.replace("</desc>", f"</desc>\n<style>{dark}</style>", 1)
