"""Stored tables: written row by row, continued, read; and rows that are computed as stored."""

import csv
import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from ppdm_book.experiments import as00, load_table
from ppdm_book.experiments._tables import TABLES, Table, main

MODULES = [
    import_module(f"ppdm_book.experiments.{name}")
    for name in (
        "as00", "explains", "frontier", "guidance", "guidance_votes", "lx14", "lx14_others",
        "mended", "mixture", "private", "survey_check",
    )
]
ALL = [table for module in MODULES for table in module.TABLES]
SQUARES = "ppdm_book.experiments.squares"
# too long for a test; the chapters compute rows of them
LONG = {"guidance_agrawal"}


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def squares(upto=4, failing=()):
    def compute(x):
        if x in failing:
            raise RuntimeError("power cut")
        return {"square": x * x, "third": x / 3}

    return Table("squares", lambda: ({"x": x} for x in range(upto)), compute)


def test_every_stored_table_has_its_module_and_every_module_its_tables():
    # another package's clients, and seconds: benchmarks/ writes them
    names = [table.name for table in ALL] + ["audit_peers", "growth", "large"]
    assert sorted(names) == sorted(p.stem for p in TABLES.iterdir())


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_keys_are_those_of_the_stored_rows(table):
    stored = rows(TABLES / f"{table.name}.csv")
    keys = [tuple(map(table._text, key.values())) for key in table.cases()]
    assert len(set(keys)) == len(keys)
    width = len(keys[0])
    assert sorted(keys) == sorted(tuple(row.values())[:width] for row in stored)


@pytest.mark.fixed_seed("the stored row was drawn with these seeds")
@pytest.mark.parametrize("table", [t for t in ALL if t.name not in LONG], ids=lambda t: t.name)
def test_first_row_is_computed_as_stored(table, tmp_path):
    (made,) = rows(table.write("a test", tmp_path, n_rows=1))
    names = list(next(iter(table.cases())))
    stored = rows(TABLES / f"{table.name}.csv")
    (same,) = [row for row in stored if all(row[name] == made[name] for name in names)]
    assert made.keys() == same.keys()
    for name, value in same.items():
        try:  # sums in another order may differ in the last of their digits
            assert float(made[name]) == pytest.approx(float(value), rel=1e-12)
        except ValueError:
            assert made[name] == value


def test_file_says_what_made_it(tmp_path):
    first, header, *lines = squares().write("somebody", tmp_path).read_text().splitlines()
    assert first.startswith("# somebody; ppdm 0")
    assert header == "x,square,third"
    assert lines[:2] == ["0,0,0.0", "1,1,0.3333333333333333"]


def test_numbers_are_rounded_and_what_is_not_there_is_empty(tmp_path):
    table = Table("t", lambda: [{"x": 1 / 3}], lambda x: {"n": 7, "gone": float("nan")}, digits=6)
    assert table.write("", tmp_path).read_text().splitlines()[-1] == "0.333333,7,"


def test_table_that_stopped_is_continued_and_never_half_there(tmp_path):
    with pytest.raises(RuntimeError):
        squares(failing=[2]).write("", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["squares.csv.part"]
    path = squares(failing=[0, 1]).write("", tmp_path)  # these two are not computed again
    assert [row["x"] for row in rows(path)] == ["0", "1", "2", "3"]
    assert list(tmp_path.iterdir()) == [path]


def test_whole_table_is_computed_anew(tmp_path):
    squares().write("", tmp_path)
    assert len(rows(squares(upto=2).write("", tmp_path))) == 2


def test_command_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, SQUARES, SimpleNamespace(TABLES=[squares()], __name__=SQUARES))
    monkeypatch.setattr(sys, "argv", ["", "squares", "--folder", str(tmp_path), "--rows", "3"])
    main()
    assert capsys.readouterr().out.strip() == str(tmp_path / "squares.csv")
    assert len(rows(tmp_path / "squares.csv")) == 3


def test_command_line_never_cuts_a_stored_table(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["", "squares", "--rows", "3"])
    with pytest.raises(SystemExit):
        main()
    assert "--rows needs --folder" in capsys.readouterr().err


def test_load_table_reads_words_and_missing_numbers():
    assert set(load_table("as00_classes").placed) == {*as00.STARTS, "cuts"}
    assert load_table("guidance_agrawal").query("scheme == 'byclass'").k.isna().all()
    attacks = load_table("lx14_attacks")
    generated = attacks.method.str.startswith("generator")
    assert (attacks.box_error.isna() == ~generated).all()


def test_load_table_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"load_table needs pandas: .*pip install .\.\[data\]"):
        load_table("as00_classes")


ROWS = {
    "frontier": [
        ("one coin an attribute", 0.7, "voting", 2), ("2 groups", 0.6, "wisconsin", 3),
        ("unary encoding", 2.0, "pima", 1), ("k-ary response", 0.5, "pima", 4),
        ("Gaussian noise", 1.0, "pima", 0), ("Laplace noise", 0.5, "pima", 2),
        ("guided perturbation", 2.0, "wisconsin", 1), ("BSVD", 2.0, "wisconsin", 0),
        ("SSVD", 0.1, "pima", 1), ("invented records", 1.0, "wisconsin", 2),
        ("central counts", 1.0, "adult_median", 3), ("volunteers", 0.0, "voting", 17),
        ("one asked", 1.0, "voting", 2), ("Square Wave", 2.0, "pima", 1),
        ("trees on Gaussian noise", 0.5, "pima", 3), ("tree on clear records", 0.0, "pima", 4),
        ("private tree", 1.0, "wisconsin", 2), ("private tree", 4.0, "pima", 0),
    ],
    "lx14_others": [("iris", 4.0, 3), ("voting", 1.0, 9)],
    "private_release": [
        ("voting", "private tree", 1.0, 3), ("wisconsin", "gaussian", np.inf, 3),
        ("voting", "larger class", np.inf, 3),
    ],
}  # fmt: skip
KEYS = {"frontier": ["scheme", "setting", "dataset", "seed"]}


@pytest.mark.fixed_seed("stored rows are draws of their own seeds")
@pytest.mark.parametrize(("name", "key"), [(name, key) for name in ROWS for key in ROWS[name]])
def test_rows_are_computed_as_stored(name, key):
    (table,) = [table for table in ALL if table.name == name]
    names = KEYS.get(name, list(next(iter(table.cases()))))
    (case,) = [case for case in table.cases() if tuple(map(case.get, names)) == key]
    stored = load_table(name).set_index(names).loc[key]
    for column, value in table.compute(**case).items():
        if isinstance(value, str):
            assert stored[column] == value
        else:
            assert stored[column] == pytest.approx(value, rel=1e-4, abs=1e-9, nan_ok=True)
