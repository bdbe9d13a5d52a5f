"""The stored table of ratios is of these rows, and a missed target makes the command fail.

Nothing is timed here: ``make bench`` does that.
"""

import json
import re

import _rows
import bench
import pytest
from _timing import Measured, paired_ratio, peak_ratio
from by_path import ROOT

ROWS = bench.rows()
PAGE = (ROOT / "book" / "bench.md").read_text(encoding="utf-8")
#: The rows of which the page says why they miss their target, each by how its name begins.
REASONED = re.findall(r"\*\*(.*?)\*\*", PAGE.partition("## Where a target is missed")[2])


@pytest.fixture(scope="module")
def stored():
    return json.loads(bench.STORED.read_text(encoding="utf-8"))


def fake(name="fake", *, target=1.0, ours=1.0, **changes):
    """Return a row that finds ``ours`` without running anything."""
    found = Measured(ours=ours, peer=1.0, ratio=ours, low=ours, high=ours, pairs=3)

    class Fake(_rows.Row):
        def measure(self, n, pairs=None):
            return found

    given = {**vars(ROWS[0]), "name": name, "target": target, "n": 10, "small": 10, **changes}
    return Fake(**given)


def test_the_stored_table_has_each_row_at_its_size_and_target(stored):
    assert list(stored["rows"]) == [row.name for row in ROWS], "run make bench"
    for row in ROWS:
        found = stored["rows"][row.name]
        assert (found["n"], found["target"]) == (row.n, row.target), row.name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_page_gives_a_reason_just_where_a_target_is_missed(row, stored):
    measured = stored["rows"][row.name]
    assert measured["low"] <= measured["ratio"] <= measured["high"]
    reasons = [name for name in REASONED if re.match(re.escape(name) + r"\b", row.name)]
    assert len(reasons) == (not row.met(measured["ratio"]))


def test_the_table_is_that_of_the_stored_rows_and_no_reason_is_left_over(stored):
    assert bench.PAGE.read_text(encoding="utf-8") == bench.page(stored, bench.rows_by_file())
    for name in REASONED:
        assert any(row.name.startswith(name) for row in ROWS), name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.filterwarnings("ignore:")
def test_both_sides_of_a_row_run(row):
    if row.elsewhere:
        pytest.skip("its peer has an environment of its own")
    try:
        ours, peer = row.make(min(row.small, 1000))
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    ours()
    if not row.memory:
        peer()


@pytest.mark.parametrize(
    ("rows", "arguments", "code"),
    [
        ([fake(ours=1.0)], [], 0),  # at most: the target itself is met
        ([fake(ours=1.001)], [], 1),
        ([fake("a", ours=0.5), fake("b", ours=2.0), fake("c", ours=0.5)], [], 1),
        ([fake(ours=9.0, target=None)], [], 0),
        # another size is not held to the target, the full one is
        ([fake(ours=2.0, small=5)], ["--small"], 0),
        ([fake(ours=2.0), fake("far", elsewhere="x")], ["--small"], 1),
        ([fake(ours=2.0)], ["no such row"], 0),
    ],
)
def test_a_missed_target_makes_the_command_fail(
    rows, arguments, code, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(bench, "DATA", tmp_path)
    monkeypatch.setattr(bench, "STORED", tmp_path / "bench.json")
    monkeypatch.setattr(bench, "PAGE", tmp_path / "bench.txt")
    monkeypatch.setattr(bench, "rows_by_file", lambda: {"fakes": rows})
    assert bench.main(arguments) == code
    assert ("MISSED" in capsys.readouterr().out) == bool(code)
    if arguments:  # what is not all of it is not stored
        assert not list(tmp_path.iterdir())
    else:
        assert bench.STORED.exists()
        assert ("| 1, **missed** |" in bench.PAGE.read_text()) == bool(code)


def test_pairs_are_added_while_they_lie_far_apart(monkeypatch):
    times = iter([0, 0] + [1, 1, 2, 1, 4, 1] * 3)  # the warm-up, then ratios 1, 2, 4, ...
    monkeypatch.setattr("_timing._seconds", lambda call: next(times))
    found = paired_ratio(lambda: None, lambda: None, repeats=3)
    assert (found.ratio, found.pairs) == (2, 9)
    times = iter([0, 0] + [2, 1] * 9)
    found = paired_ratio(lambda: None, lambda: None, repeats=3)
    assert (found.ratio, found.low, found.high, found.pairs) == (2, 2, 2, 3)


def test_peak_is_what_is_held_at_a_time_beside_the_input():
    def call():
        first = bytearray(3_000_000)
        del first
        return bytearray(2_000_000)

    assert peak_ratio(call, 1_000_000).ratio == pytest.approx(3, abs=0.1)
