"""What an assignment must show before it is handed out: right answers pay, others cost."""

import functools
import itertools
import re
import tempfile
from collections import Counter

import pytest

pytest.importorskip("nbgrader", reason="needs ppdm[assignments]")
pytest.importorskip("jupytext", reason="needs ppdm[assignments]")

from course import NAMES, SEED, TEXTS, make_data, points, purpose, read
from mistakes import MISTAKES, OTHER_WAY
from sheets import Mistake, run, sheet, source, worth

LONG = pytest.mark.long(part="assignments")
each = pytest.mark.parametrize("name", NAMES)


def default(_):
    """Return the seed unless a course gives another."""
    return SEED


@functools.cache
def other(name):
    """Return the next seed that decides the other way."""
    with tempfile.TemporaryDirectory() as folder:
        verdict = make_data(name, SEED, folder)["verdict"]
        return next(
            seed
            for seed in itertools.count(SEED + 1)
            if make_data(name, seed, folder)["verdict"] != verdict
        )


seeds = pytest.mark.parametrize("pick", [default, pytest.param(other, marks=LONG)])


def lost(name, seed, mistake=None, blank=False):
    """Return the test cells that fail, each with its error."""
    _, errors = run(*sheet(name, seed, mistake, blank))
    return {cell: error for cell, error in errors.items() if cell in worth(name, seed)[0]}


def the_other_way(name, seed):
    """Return the mistake of one who measured nothing and guessed wrong what the seed decided."""
    cell, answer, ways, test = OTHER_WAY[name]
    text = sheet(name, seed)[0][cell]
    turned = f"{answer} = next(way for way in {ways} if way != {answer})"
    return Mistake("the other way", cell, text, f"{text}\n{turned}", {test})


@each
@seeds
def test_the_solution_gets_full_points(name, pick):
    _, errors = run(*sheet(name, pick(name)))
    assert not errors


@each
@seeds
def test_the_blank_sheet_gets_none(name, pick):
    seed = pick(name)
    assert set(lost(name, seed, blank=True)) == set(worth(name, seed)[0])


@LONG  # each mistake runs its whole sheet
@each
@seeds
def test_a_mistake_costs_what_it_should(name, pick):
    seed = pick(name)
    wrong = sum(bool(mistake.fails) for mistake in MISTAKES[name])
    assert wrong >= 8
    assert len(MISTAKES[name]) - wrong >= 2
    for mistake in [*MISTAKES[name], the_other_way(name, seed)]:
        failed = lost(name, seed, mistake)
        assert set(failed) == mistake.fails, f"{mistake.what}: {failed}"
        # by what it says, not by a name that is missing or a slip of ours in the test
        assert all(not error.startswith(("NameError", "SyntaxError")) for error in failed.values())


@LONG
@each
def test_each_seed_can_be_solved_and_decides_which_way_it_goes(name):
    _, answer, ways, _ = OTHER_WAY[name]
    solved = [run(*sheet(name, seed)) for seed in range(SEED, SEED + 12)]
    # where the two ways are too close, a right answer fails
    assert [errors for _, errors in solved if errors] == []
    assert {found[answer] for found, _ in solved} == set(ways)
    with tempfile.TemporaryDirectory() as folder:
        verdicts = [make_data(name, SEED + i, folder)["verdict"] for i in range(len(solved))]
    assert verdicts == [found[answer] for found, _ in solved]


@LONG
@each
def test_of_200_seeds_a_quarter_or_more_go_each_way(name):
    with tempfile.TemporaryDirectory() as folder:
        verdicts = [make_data(name, seed, folder)["verdict"] for seed in range(SEED, SEED + 200)]
    assert set(verdicts) == set(OTHER_WAY[name][2])
    assert all(50 <= verdicts.count(way) <= 150 for way in set(verdicts)), Counter(verdicts)


@LONG
@each
def test_last_years_answers_do_not_fit(name):
    # who hands in the numbers of another seed, computed rightly, loses the tests of numbers
    old, _ = run(*sheet(name, SEED + 1))
    code, folder = sheet(name, SEED)
    tests = worth(name, SEED)[0]
    answered = {key: value for key, value in old.items() if key != "case"}
    _, errors = run({cell: code[cell] for cell in tests}, folder, answered)
    assert errors


@each
def test_twenty_points_four_of_them_by_hand_and_a_whole_text(name):
    tests, by_hand = worth(name, SEED)
    assert sum(tests.values()) + by_hand == 20
    assert by_hand == 4
    texts = ["\n".join(cell.source for cell in its.cells)
             for its in (read(name), source(name, SEED)[0])]  # fmt: skip
    for part in ("**Points**: 20", "**Model answer.**", "**Rubric.**"):
        assert part in texts[0]
    # each number is filled in; Jupyter shows a role as it is written
    assert not re.search(r"\{\{|\{term\}", texts[1])


@each
def test_every_test_has_a_visible_and_a_hidden_part(name):
    for cell in read(name).cells:
        if purpose(cell) == "test":
            assert points(cell) > 0
            visible, hidden = cell.source.split("### BEGIN HIDDEN TESTS\n")
            assert "assert" in visible, cell.source
            assert "assert" in hidden, cell.source
            assert hidden.rstrip().endswith("### END HIDDEN TESTS")


def test_the_page_for_instructors_lists_each():
    page = (TEXTS.parent.parent / "book" / "assignments.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\d\w+)` \|", page, re.MULTILINE) == NAMES


def test_nothing_is_left_over_in_the_list_of_mistakes():
    assert list(MISTAKES) == list(OTHER_WAY) == NAMES
