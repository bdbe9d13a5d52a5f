"""Each number in a chapter's prose is the one that its cell prints; see ``prose_numbers.py``."""

import re
from dataclasses import replace

import nbformat
import pytest
from by_path import NOTEBOOKS, each_notebook, told
from prose_numbers import FREE, Chapter, check, texts, ties
from sums_by_hand import computed


def chapter(path):
    """Read a chapter: its text, with the stored outputs."""
    return Chapter(path.stem, told(path))


@each_notebook
def test_each_number_is_the_one_that_its_cell_prints(path):
    assert not check(chapter(path)), "book/WRITING.md says how a number is tied"


def made_up(*texts, **metadata):
    """Return a chapter of one cell that prints, and these texts."""
    source = "theta = 0.7\nprint(report(theta))\nassert (theta - 0.5) < 0.21"
    output = nbformat.v4.new_output("stream", text="kept 0.8437, groups of 40 (-0.25), 12.5%\n")
    cell = nbformat.v4.new_code_cell(source, outputs=[output], metadata={"name": "kept"} | metadata)
    cells = [cell, *map(nbformat.v4.new_markdown_cell, texts)]
    return Chapter("made_up", nbformat.v4.new_notebook(cells=cells))


def test_each_tied_number_and_each_sum_would_be_refused_with_another_digit():
    last, tied, sums = re.compile(r"(\d)([}\s.]*\$+)$"), 0, 0
    for book in map(chapter, NOTEBOOKS):
        for text in (text for cell in book.cells for text in texts(cell)):
            for numeral, entry in ties(text)[0]:
                if entry and entry not in FREE:
                    tied += 1
                    step = 3 * numeral.half or 1
                    for off in (-step, step):
                        other = replace(numeral, value=numeral.value + off)
                        assert book.says(other, entry) is not None, (book.name, numeral, entry)
            for first, end in computed(text)[0]:
                right = text[first:end]
                wrong = last.sub(lambda digit: f"{(int(digit[1]) + 5) % 10}{digit[2]}", right)
                sums += 1
                assert computed(wrong)[1] or wrong == right, right
    assert tied > 500
    assert sums > 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("It keeps 0.845<!--kept.1-->.", "0.845 in '…It keeps 0.845.…' is tied to kept.1: 0.8437"),
        ("It keeps 1<!--kept.1-->.", "is tied to kept.1: 0.8437"),
        ("It keeps 0.84.", "is tied to no cell (kept.1)"),
        ("It keeps 841.", "is tied to no cell (none prints it)"),
        ("It keeps $0.84$.", "is tied to no cell"),
        ("On function 1 and 7.75.", "7.75 in"),  # no reference
        ("see {ref}`it is 841 <ex-5>`", "841 in"),
        ("It falls by -0.8437<!--kept.1-->.", "is tied to kept.1: 0.8437"),
        ("a share of .126<!--kept.4-->", "is tied to kept.4: 12.5"),
        ("84.37<!--kept.1-->", "is tied to kept.1: 0.8437"),
        ("0.84<!--kept.1--> and 0.84", "is tied to no cell"),
        ("40<!--kept.5-->", "'kept' prints 4 numbers"),
        ("40<!--lost.1-->", "no cell is named 'lost'"),
        ("40<!--kept-->", "not a tie: 'kept'"),
        ("40<!--20 + 20-->", "not a tie"),
        ("$5 + 1 = 7$<!--given-->", "says that 6 is 7"),
        ("at most 0.22<!--kept!-->", "no such number in an assert of 'kept'"),
        ("at most 0.21<!--lost!-->", "no cell is named 'lost'"),
        ("$x = 40<!--kept.2--> y$", "<!--kept.2--> is shown: put it behind the formula"),
        ("```{note}\n40<!--kept.2-->\n```", "<!--kept.2--> is shown: put it behind"),
        ("{ref}`it is 40<!--kept.2--> <x>`", "<!--kept.2--> is shown: put it behind the formula"),
        ("7\n\nFive.<!--kept.1-->", "<!--kept.1--> stands behind too few numbers"),
        ("That it is so holds<!--claim Theorem 5-->.", "holds…' is not claim Theorem 5"),
        ("That it is so does not hold<!--claim LX14 utility-->.", "is not claim LX14 utility"),
        ("It holds<!--claim lost-->.", "is not claim lost"),
    ],
)
def test_a_slip_is_named_with_chapter_number_and_cell(text, message):
    (wrong,) = check(made_up(text))
    assert wrong.startswith("made_up: ")
    assert message in wrong


def test_caption_and_alt_text_are_prose():
    figure = {"caption": "It keeps 0.84<!--kept.1-->.<!--alt kept.2-->", "name": "fig-x"}
    right = {"figure": figure, "image": {"alt": "A line at 40."}}
    assert check(made_up(mystnb=right)) == []
    (wrong,) = check(made_up(mystnb=right | {"image": {"alt": "A line at 41."}}))
    assert "41 in '…A line at 41.…' is tied to kept.2: 40" in wrong
    (wrong,) = check(made_up(mystnb={"figure": {"caption": "It keeps 0.84."}}))
    assert "is tied to no cell" in wrong


def test_two_cells_with_one_name_are_refused():
    first = made_up()
    first.names *= 2
    assert check(first) == ["made_up: two cells are named 'kept'"]


def test_most_marked_numbers_are_tied_or_computed():
    # `given` is a way out of a tie; this is where a writer who takes it too often is stopped. An
    # exercise that is solved by hand is exact, and printed by no cell.
    free = checked = 0
    for found in map(chapter, NOTEBOOKS):
        for cell in found.cells:
            if cell.source.startswith("````{exercise}") or "{solution" in cell.source:
                continue
            for text in texts(cell):
                sums = computed(text)[0]
                for numeral, entry in ties(text)[0]:
                    if not entry or (entry in FREE and found.is_literal(numeral)):
                        continue
                    by_hand = any(first < numeral.start < last for first, last in sums)
                    free += entry in FREE and not by_hand
                    checked += entry not in FREE or by_hand
    assert free <= 0.2 * checked, f"{free} are given or the paper's, {checked} are compared"
