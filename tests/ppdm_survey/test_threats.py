"""The survey's table of threats: each row names a test that shows it, and that test is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "book" / "api" / "survey.md"


def table():
    """Return the cells of the table's header and rows."""
    text = PAGE.read_text(encoding="utf-8")
    lines = text[text.index("| Who, and what | Stopped?") :].partition("\n\n")[0].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return head, rows


def test_each_threat_names_a_test_that_is_there():
    head, rows = table()
    assert head[-1] == "Shown by"
    defined = {name for path in (ROOT / "tests").rglob("test_*.py")
               for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)}
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row[-1])
        assert named, f"no test is named: {row[0]}"
        assert set(named) <= defined, f"there is no such test: {set(named) - defined}"
