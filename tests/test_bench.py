"""The stored table of ratios is of these rows, and a missed target makes the command fail.

Nothing is timed here: ``make bench`` does that.
"""

import json

import _rows
import bench
import pytest
from _timing import Measured, paired_ratio, peak_ratio
from by_path import ROOT

ROWS = bench.rows()


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
def test_each_target_is_met_or_has_a_reason(row, stored):
    found = stored["rows"][row.name]
    assert found["low"] <= found["ratio"] <= found["high"]
    assert row.met(found["ratio"]) or row.reason.endswith(".")


def test_the_page_shows_what_is_stored(stored):
    assert bench.PAGE.read_text(encoding="utf-8") == bench.page(stored, ROWS), (
        "run python benchmarks/bench.py --page"
    )
    assert "{include} _data/bench.txt" in (ROOT / "book" / "bench.md").read_text(encoding="utf-8")


def test_the_page_marks_what_is_missed_and_why():
    row = fake(ours=2.0, reason="It is slow.")
    measured, missed = bench.run([row])
    shown = bench.page({"machine": {}, "rows": measured}, [row])
    assert missed == ["fake"]
    assert "| 1, **missed** |" in shown
    assert "It is slow." in shown
    fine = fake(reason="It is slow.")
    assert "slow" not in bench.page({"machine": {}, "rows": bench.run([fine])[0]}, [fine])


@pytest.fixture
def in_a_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "DATA", tmp_path)
    monkeypatch.setattr(bench, "STORED", tmp_path / "bench.json")
    monkeypatch.setattr(bench, "PAGE", tmp_path / "bench.txt")
    return tmp_path


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([fake(ours=1.0)], 0),  # at most: the target itself is met
        ([fake(ours=1.001)], 1),
        ([fake("a", ours=0.5), fake("b", ours=2.0), fake("c", ours=0.5)], 1),
        ([fake(ours=9.0, target=None)], 0),
        ([fake(ours=9.0, reason="A reason is for the reader, and saves nobody.")], 1),
    ],
)
def test_a_missed_target_makes_the_command_fail(rows, code, monkeypatch, in_a_folder, capsys):
    monkeypatch.setattr(bench, "rows", lambda: rows)
    assert bench.main([]) == code
    assert ("MISSED" in capsys.readouterr().out) == bool(code)
    assert (in_a_folder / "bench.json").exists()


def test_another_size_is_not_held_to_the_target_and_stores_nothing(monkeypatch, in_a_folder):
    monkeypatch.setattr(bench, "rows", lambda: [fake(ours=2.0, small=5)])
    assert bench.main(["--small"]) == 0
    monkeypatch.setattr(bench, "rows", lambda: [fake(ours=2.0), fake("far", elsewhere="x")])
    assert bench.main(["--small"]) == 1  # the full size is held, also there
    assert bench.main(["no such row"]) == 0
    assert not list(in_a_folder.iterdir())


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
