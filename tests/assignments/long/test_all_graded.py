"""Every assignment of two seeds, graded: the solution, and many mistakes.

A blank sheet is graded in ``test_grading.py``; a key is made here for one of them.
"""

import nbformat
import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

import grade
import release
from course import NAMES, SEED
from mistakes import MISTAKES
from sheets import handed_in, sheet, worth

pytestmark = pytest.mark.long(part="assignments")


def with_mistakes(name, seed):
    """Return the code with the first mistake of each cell, and the tests that it must fail."""
    first = {mistake.cell: mistake for mistake in reversed(MISTAKES[name])}
    code, _ = sheet(name, seed)
    for cell, mistake in first.items():
        code[cell] = sheet(name, seed, mistake)[0][cell]
    return code, set().union(*(mistake.fails for mistake in first.values()))


# one seed each; without a kernel each has both, in tests/assignments/test_assignments.py
@pytest.mark.parametrize(("name", "seed"), [(name, SEED + i % 2) for i, name in enumerate(NAMES)])
def test_points_are_as_they_should_be(name, seed, tmp_path):
    course, folder = tmp_path / "course", tmp_path / "class"
    release.make(name, seed, course, with_key=name == NAMES[0])
    blank = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    tests, _ = worth(name, seed)
    wrong, fails = with_mistakes(name, seed)
    for student, code in (("right", sheet(name, seed)[0]), ("wrong", wrong)):
        answers = {cell: text for cell, text in code.items() if cell not in tests}
        (folder / student).mkdir(parents=True)
        nbformat.write(handed_in(blank, answers), folder / student / f"{name}.ipynb")
    rows, odd = grade.grade(folder, course, "none", progress=False)
    points = {row["student"]: row["automatic"] for row in rows}
    assert not odd
    assert points["right"] == sum(tests.values()) == 16
    assert points["wrong"] == sum(worth for cell, worth in tests.items() if cell not in fails)
    for student in points:
        page = course / "feedback" / student / f"{name}.html"
        assert 1_000 < page.stat().st_size < 1_000_000
