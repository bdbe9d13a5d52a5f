"""The picture of the house shows the rooms and imports that there are."""

import re
from xml.etree import ElementTree

import pytest
from by_path import ROOT, load

pytest.importorskip("matplotlib")
house = load("book/_make/house.py")
ANEW = "draw it anew: .venv/bin/python book/_make/draw.py house"
ROOM = re.compile(r"^(\S+), (\d+) lines, imports (.*)$", re.MULTILINE)


def drawn(text):
    return {room: (int(lines), imports) for room, lines, imports in ROOM.findall(text)}


def test_the_stored_picture_shows_the_imports_and_the_sizes():
    svg = ElementTree.parse(ROOT / "book/_static/house.svg").getroot()
    stored = drawn(svg.find("{http://www.w3.org/2000/svg}desc").text)
    now = drawn(house.told(*house.read()))
    assert {room: imports for room, (_, imports) in stored.items()} == {
        room: imports for room, (_, imports) in now.items()
    }, ANEW
    for room, (lines, _) in now.items():  # what nobody sees is no reason to draw it anew
        assert stored[room][0] == pytest.approx(lines, rel=0.15, abs=10), f"{room}: {ANEW}"


def test_an_arrow_leads_down():
    _, imports = house.read()
    floor = {room: n for n, row in enumerate(house.floors(imports)) for room in row}
    for room in floor:
        assert all(floor[other] <= floor[room] for other in imports[room])
        others = [other for other in imports[room] if not house.in_cellar(other)]
        assert all(floor[other] < floor[room] for other in others)


def test_what_counts_as_code():
    head = '"""About\n\nit."""\n\nimport re  # why\n\n'
    assert house.code_lines(f'{head}\ndef f(a,\n      b):\n    """Do."""\n    return a\n') == 4


def test_the_picture_stands_in_the_design_and_is_described():
    text = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    [alt] = re.findall(r"!\[([^\]]+)\]\(book/_static/house\.svg\)", text)
    assert len(alt.split()) >= 15


def test_the_design_is_short_and_names_every_room():
    text = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1500
    rooms = {room.rpartition(".")[2] for room in house.read()[0] if "._" not in room}
    assert {room for room in rooms if f"`{room}`" not in text} == set()


@pytest.mark.parametrize("page", ["DESIGN.md", "CONTRIBUTING.md", "book/add_a_scheme.md"])
def test_the_files_that_a_page_names_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:ppdm|ppdm_\w+|tests|book|benchmarks)/[\w/]+\.(?:py|md))`", text))
    assert named
    assert {name for name in named if not (ROOT / name).exists() and "nearby" not in name} == set()
