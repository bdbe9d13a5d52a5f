"""Stored tables, and rows computed as stored; the book's attacks and miners, the answer known."""

import csv
import pkgutil
import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ppdm_book import experiments
from ppdm_book.experiments import as00, load_table, pages, private
from ppdm_book.experiments._tables import TABLES, Table, main
from ppdm_book.experiments.lx14_others import told_apart

# --- leave one out on invented records: what is told, what is not ---

# ten people in a row, of two classes that alternate
LINE = np.arange(10.0)[:, np.newaxis]
EVERY_OTHER = np.arange(10) % 2


def attack(estimators, released, X=LINE, y=EVERY_OTHER, targets=None, seed=0):
    rows = np.arange(len(X)) if targets is None else targets
    return told_apart(estimators, X, y, np.asarray(released), rows, np.random.default_rng(seed))


NEAREST, BLIND = KNeighborsClassifier(1), DummyClassifier()


@pytest.mark.parametrize(
    ("estimators", "released", "targets", "told"),
    [
        # without the target its own place goes to a neighbour, who is of the other class
        ([NEAREST], LINE, None, [1.0] * 10),
        ([BLIND], LINE, None, [0.5] * 10),
        # the one released record is next to row 7: only its candidate can be told
        ([NEAREST], [[7.1]], np.array([7]), [1.0]),
        ([NEAREST], [[7.1]], np.array([1]), [0.5]),
        # one classifier that tells is enough
        ([BLIND, NEAREST], LINE, None, [1.0] * 10),
        ([NEAREST, BLIND], LINE, None, [1.0] * 10),
    ],
)
def test_who_decides_the_class_of_a_released_record_is_told(estimators, released, targets, told):
    assert attack(estimators, released, targets=targets).tolist() == told


def test_the_other_candidate_is_of_the_targets_class():
    # classes far apart: a candidate of the other class would give its own half another class
    X = np.r_[LINE, LINE + 1000]
    y = np.repeat([4, 9], 10)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    told = attack([tree], [[-50.0], [300.0], [2000.0]], X, y, targets=np.array([5, 15]))
    assert told.tolist() == [0.5] * 2


def test_a_slow_attack_finds_as_much():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    released = rng.uniform(-2, 2, size=(60, 2))
    fast = attack([KNeighborsClassifier(1)], released, X, y, np.arange(40))
    before = KNeighborsClassifier(1).fit(X, y).predict(released)
    chances = []
    for i in range(40):  # over all others of the class, not one at random
        told = []
        for j in np.flatnonzero((y == y[i]) & (np.arange(40) != i)):
            people = X.copy()
            people[i] = X[j]
            after = KNeighborsClassifier(1).fit(people, y).predict(released)
            told.append(1.0 if (after != before).any() else 0.5)
        chances.append(np.mean(told))
    # 40 draws of which each spreads by at most .25
    assert fast.mean() == pytest.approx(np.mean(chances), abs=4 * 0.25 / np.sqrt(40))


def test_every_row_is_at_least_a_guess_and_more_records_tell_more():
    table = load_table("lx14_others")
    assert table.success.between(0.5, 1).all()  # the true candidate is never ruled out
    mean = table.groupby(["dataset", "parameter"]).success.mean().unstack()
    assert (mean[16.0] > mean[1.0] + 0.05).all()


# --- private releases: the adversary who counts ---


def people(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, d)), rng.integers(0, 2, n)


def test_who_gets_exact_counts_tells_everybody():
    X, y = people()
    told = private.matched(private.pair_counts(X, y), X, y, np.random.default_rng(1))
    assert set(told) <= {0.5, 1.0}  # 1/2 where the other is the same
    assert told.mean() > 0.8


def test_who_gets_counts_of_other_people_guesses():
    X, y = people(400)
    rng = np.random.default_rng(2)
    means = []
    for seed in range(30):
        # a mirror of the counts' error in sign has the opposite success, but for ties
        noise = np.triu(np.random.default_rng(seed).normal(0, 300, (6, 6)))
        counts = private.pair_counts(X, y) + noise + noise.T
        means.append(private.matched(counts, X, y, rng).mean())
    # one release tells all alike, so the releases are the draws
    assert abs(np.mean(means) - 0.5) < 5 * np.std(means, ddof=1) / np.sqrt(30) + 0.01


def test_the_gap_is_that_of_the_literal_distances():
    X, y = people(20, 3, 3)
    noise = np.random.default_rng(4).normal(0, 1, (4, 4))
    counts = private.pair_counts(X, y) + noise + noise.T
    told = private.matched(counts, X, y, np.random.default_rng(5))
    bits, rng = np.column_stack([y, X]), np.random.default_rng(5)
    expected = np.empty(20)
    for label in np.unique(y):
        inside = np.flatnonzero(y == label)
        drawn = inside[rng.integers(inside.size, size=inside.size)]
        for i, other in zip(inside, drawn, strict=True):
            rest = np.delete(bits, i, axis=0)
            left = counts - rest.T @ rest
            away = [((left - np.outer(s, s)) ** 2).sum() for s in (bits[i], bits[other])]
            same = (bits[i] == bits[other]).all()
            expected[i] = 0.5 if same else float(away[0] < away[1])
    np.testing.assert_array_equal(told, expected)


def test_no_more_is_told_than_epsilon_allows():
    # over ten releases
    mean = load_table("private_others").groupby("epsilon")["matched"].mean()
    assert (mean <= 1 / (1 + np.exp(-mean.index.to_numpy()))).all()


NAMES = [info.name for info in pkgutil.iter_modules(experiments.__path__) if info.name[0] != "_"]
MODULES = [import_module(f"{experiments.__name__}.{name}") for name in NAMES]
ALL = [table for module in MODULES for table in getattr(module, "TABLES", ())]
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
    compare(table, tmp_path, n_rows=1)


@pytest.mark.long(part="elsewhere")
@pytest.mark.fixed_seed("the stored rows were drawn with these seeds")
@pytest.mark.parametrize("table", pages.TABLES, ids=lambda t: t.name)
def test_all_that_pages_tell_is_computed_as_stored(table, tmp_path):
    compare(table, tmp_path)


def compare(table, folder, n_rows=None):
    names = list(next(iter(table.cases())))
    stored = rows(TABLES / f"{table.name}.csv")
    for made in rows(table.write("a test", folder, n_rows=n_rows)):
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
    assert len(rows(squares(upto=2).write("", tmp_path))) == 2  # a whole table is computed anew


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
