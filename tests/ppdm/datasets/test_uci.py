"""The data sets: the files are the right ones, and every loader says what is in them.

The shipped tables of Adult are counted again from UCI's raw records, where they are.
"""

import csv
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from statistics import median

import numpy as np
import pandas as pd
import pytest
import raw_adult
from numpy.testing import assert_array_equal

from ppdm.datasets import (
    _uci,
    load_adult_binary,
    load_breast_cancer_wisconsin,
    load_pima,
    load_voting,
)

SHIPPED_LOADERS = [load_voting, load_breast_cancer_wisconsin, load_pima, load_adult_binary]
README = _uci.DATA.joinpath("README.md").read_text()


def rows_of(name):
    """The records of a shipped file by the standard library: what the loaders must agree with."""
    with _uci.DATA.joinpath(name).open() as file:
        return list(csv.DictReader(file))


# --- the files -----------------------------------------------------------------------------


def test_every_shipped_file_has_one_checksum_in_file_code_and_readme():
    files = {path.name for path in _uci.DATA.iterdir() if path.name != "README.md"}
    assert files == set(_uci.SHA256)
    for name in files:
        digest = hashlib.sha256(_uci.DATA.joinpath(name).read_bytes()).hexdigest()
        assert _uci.SHA256[name] == digest
        assert re.findall(r"`([0-9a-f]{64})`", _uci.describe(name)) == [digest]


def test_readme_gives_adults_checksums_and_every_files_size():
    digests = re.findall(r"`([0-9a-f]{64})`", _uci.describe("adult.data"))
    assert digests == [*raw_adult.SHA256["adult.data"], *raw_adult.SHA256["adult.test"]]
    sizes = re.findall(r"^\| `(\S+)` \| (\d+) x (\d+) \|", README, flags=re.MULTILINE)
    assert len(sizes) == len(_uci.SHA256)
    for name, n_rows, n_columns in sizes:
        rows = rows_of(name)
        assert (len(rows), len(rows[0])) == (int(n_rows), int(n_columns))


@pytest.mark.parametrize("name", _uci.SHA256)
def test_a_flipped_byte_is_refused(name, tmp_path):
    content = bytearray(_uci.DATA.joinpath(name).read_bytes())
    (tmp_path / name).write_bytes(content)
    assert len(_uci.read_shipped(name, tmp_path)[1]) == len(rows_of(name))
    content[-2] ^= 1
    (tmp_path / name).write_bytes(content)
    got = hashlib.sha256(content).hexdigest()
    with pytest.raises(ValueError, match="not the file") as caught:
        _uci.read_shipped(name, tmp_path)
    for part in (str(tmp_path / name), f"expected {_uci.SHA256[name]}", f"got {got}"):
        assert part in str(caught.value)


# --- the shape every loader has ------------------------------------------------------------


@pytest.mark.parametrize("load", SHIPPED_LOADERS)
def test_loader_has_the_shape_of_scikit_learns(load):
    fixed = {"random_state": 0} if load is load_voting else {}
    bunch = load(**fixed)
    assert bunch.frame is None
    assert bunch.data.shape == (len(bunch.target), len(bunch.feature_names))
    assert bunch.target.dtype == np.int64
    assert_array_equal(np.unique(bunch.target), [0, 1])
    assert len(bunch.target_names) == 2
    assert len(set(bunch.feature_names)) == len(bunch.feature_names)

    X, y = load(**fixed, return_X_y=True)
    assert_array_equal(X, bunch.data)
    assert_array_equal(y, bunch.target)

    framed = load(**fixed, as_frame=True)
    assert isinstance(framed.data, pd.DataFrame)
    assert isinstance(framed.target, pd.Series)
    assert list(framed.frame) == [*bunch.feature_names, "target"]
    assert_array_equal(framed.frame[bunch.feature_names], bunch.data)
    assert_array_equal(framed.frame["target"], bunch.target)
    assert (framed.data.dtypes == bunch.data.dtype).all()

    X, y = load(**fixed, return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(X, framed.data)
    pd.testing.assert_series_equal(y, framed.target)


@pytest.mark.parametrize(
    ("load", "title"),
    [
        (load_voting, "house-votes-84.csv: Congressional Voting Records 1984"),
        (load_breast_cancer_wisconsin, "breast-cancer-wisconsin.csv: Breast Cancer Wisconsin"),
        (load_pima, "pima-indians-diabetes.csv: Pima Indians Diabetes"),
        (load_adult_binary, "adult-binary-10000.csv: ten thousand Adult records"),
    ],
)
def test_description_is_the_data_sets_own_and_complete(load, title):
    bunch = load()
    assert bunch.DESCR.startswith(title)
    for part in ("Size", "Classes", "Encoding", "Source", "Licence", "Citation"):
        assert part in bunch.DESCR
    licence = "licence is unknown" if load is load_pima else "CC BY 4.0"
    assert licence in re.sub(r"\s+", " ", bunch.DESCR)
    for count in np.bincount(bunch.target) if load is not load_adult_binary else (7621, 2379):
        assert f"{count:,} " in bunch.DESCR


# --- voting --------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_voting, load_breast_cancer_wisconsin])
def test_names_follow_the_description(load):
    bunch = load()
    (listed,) = re.findall(r"\* \*\*The (?:vote|score)s.*?\*\*: (.*?)\.\n", bunch.DESCR, flags=re.S)
    names = [re.sub(r"\W+", "_", name.strip().lower()) for name in listed.split(";")]
    assert names == bunch.feature_names


def test_mode_fill_gives_the_commoner_vote_of_the_column():
    kept, filled = load_voting(fill=None), load_voting(fill="mode")
    assert filled.data.dtype == np.int8
    assert_array_equal(filled.missing, kept.missing)
    for before, after in zip(kept.data.T, filled.data.T, strict=True):
        yeas, nays = (before == 1).sum(), (before == 0).sum()
        assert yeas != nays
        expected = [float(yeas > nays) if vote != vote else vote for vote in before.tolist()]
        assert after.tolist() == expected


def test_random_fill_tosses_a_fair_coin_for_each_vote_that_is_missing():
    kept, rng, n_fills = load_voting(fill=None), np.random.default_rng(0), 100
    missing, seeds = kept.missing, [rng, rng, None, None, *range(n_fills)]
    fills = [load_voting(random_state=seed).data for seed in seeds]
    for fill in fills:
        assert fill.dtype == np.int8
        assert_array_equal(fill[~missing], kept.data[~missing])
    assert_array_equal(fills[4], fills[0])  # a generator begins as its seed does, and goes on
    assert_array_equal(fills[4], load_voting(random_state=0).data)
    # two independent fills are equal with probability 2^-392
    assert len({fill.tobytes() for fill in fills}) == n_fills + 3
    coins = np.array([fill[missing] for fill in fills[4:]])
    # 39,200 fair coins: the share of ones has standard error 0.5 / sqrt(39200) = 0.0025
    assert abs(coins.mean() - 0.5) < 4 * 0.5 / np.sqrt(coins.size)
    # each vote has its own coin: 392 means of 100 coins, each within 5 standard errors
    assert np.abs(coins.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(n_fills)
    # and so has each fill: coins shared within a fill would make these means 0 or 1
    assert np.abs(coins.mean(axis=1) - 0.5).max() < 5 * 0.5 / np.sqrt(missing.sum())


# --- Wisconsin and Pima --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "name", "target", "shape", "counts"),
    [
        (partial(load_voting, fill=None), "house-votes-84.csv", "Class", (435, 16), [267, 168]),
        (load_breast_cancer_wisconsin, "breast-cancer-wisconsin.csv", "Class", (699, 9),
         [458, 241]),
        (load_pima, "pima-indians-diabetes.csv", "diabetes", (768, 8), [500, 268]),
    ],
)  # fmt: skip
def test_the_data_are_the_file_without_ids(load, name, target, shape, counts):
    bunch, rows = load(), rows_of(name)
    columns = [column for column in rows[0] if column not in ("Id", target)]
    code = {"y": 1.0, "n": 0.0, "": np.nan}
    literal = [[float(code.get(row[column], row[column])) for column in columns] for row in rows]
    assert bunch.data.shape == shape
    assert bunch.data.dtype == np.float64
    assert_array_equal(bunch.data, literal)
    if "missing" in bunch:
        assert_array_equal(bunch.missing, np.isnan(literal))
    names = bunch.target_names[bunch.target]
    assert all(name.startswith(row[target]) for name, row in zip(names, rows, strict=True))
    assert np.bincount(bunch.target).tolist() == counts


def test_wisconsin_fill_touches_the_sixteen_missing_only():
    kept, filled = load_breast_cancer_wisconsin(), load_breast_cancer_wisconsin(fill="mode")
    assert np.isnan(kept.data).sum(axis=0).tolist() == [0, 0, 0, 0, 0, 16, 0, 0, 0]
    assert kept.feature_names[5] == "bare_nuclei"
    for bunch in (kept, filled):
        assert_array_equal(bunch.missing, np.isnan(kept.data))
    assert filled.data.dtype == np.int64
    assert_array_equal(filled.data[~kept.missing], kept.data[~kept.missing])
    known = Counter(kept.data[~kept.missing[:, 5], 5].tolist())
    assert set(filled.data[kept.missing]) == {known.most_common(1)[0][0]} == {1}


@pytest.mark.parametrize("fill", ["mode", None])
def test_wisconsin_bits_are_cut_at_the_middle_of_the_range(fill):
    filled = load_breast_cancer_wisconsin(fill="mode").data
    middle = (filled.min(axis=0) + filled.max(axis=0)) / 2
    assert_array_equal(middle, np.full(9, 5.5))
    bits = load_breast_cancer_wisconsin(fill=fill, binary=True)
    assert bits.data.dtype == np.int8
    assert_array_equal(bits.data, filled > middle)
    assert bits.missing.sum() == 16


def test_zeros_of_pima_are_counted():
    pima = load_pima()
    assert pima.feature_names == list(rows_of("pima-indians-diabetes.csv")[0])[:8]
    zeros = (pima.data == 0)[:, 1:6]
    assert zeros.sum(axis=0).tolist() == [5, 35, 227, 374, 11]
    assert (zeros.sum(), zeros.any(axis=1).sum()) == (652, 376)
    for name, count in zip(pima.feature_names[1:6], zeros.sum(axis=0), strict=True):
        assert re.search(rf"`{name}`\s+\({count}\b", pima.DESCR)
    assert "652 values" in pima.DESCR
    assert "376 of the records" in pima.DESCR
    assert "CC BY" not in pima.DESCR


# --- Adult in bits -------------------------------------------------------------------------


#: For each cut the table, and how many of ten thousand have each bit.
ADULT = [
    ("midrange", "adult-binary-10000.csv",
     [1468, 1048, 43, 1409, 8722, 430, 2852, 3938, 1036, 6703, 47, 64, 1149, 398]),
    ("median", "adult-median-10000.csv",
     [4828, 2468, 5000, 2470, 3185, 4062, 3245, 3938, 1444, 0, 826, 473, 2983, 889]),
]  # fmt: skip


@pytest.mark.parametrize(("cut", "name", "ones"), ADULT)
@pytest.mark.parametrize(("subset", "n"), [("train", 8000), ("test", 2000), ("all", 10_000)])
def test_adult_binary_expands_the_counts(subset, n, cut, name, ones):
    adult = load_adult_binary(subset=subset, cut=cut)
    assert adult.data.shape == (n, 14)
    assert adult.data.dtype == np.int8
    expected = Counter()
    for row in rows_of(name):
        *pattern, train, test = (int(value) for value in row.values())
        expected[tuple(pattern)] += {"train": train, "test": test, "all": train + test}[subset]
    seen = Counter(map(tuple, np.column_stack([adult.data, adult.target]).tolist()))
    assert seen == +expected  # + drops the patterns that occur in the other subset only
    assert list(rows_of(name)[0])[:14] == adult.feature_names
    assert adult.target_names.tolist() == ["<=50K", ">50K"]
    assert_array_equal(load_adult_binary(cut=cut).data, load_adult_binary("train", cut=cut).data)
    described = re.sub(r"\s+", " ", adult.DESCR)
    for feature, count in zip(adult.feature_names, ones, strict=True):
        assert f"{feature} {count}" in described
    if subset == "all":
        assert (adult.data.sum(axis=0).tolist(), adult.target.sum()) == (ones, 2379)
        if cut == "median":
            assert f"{len(np.unique(adult.data, axis=0)):,} patterns of fourteen bits" in described


needs_adult = pytest.mark.skipif(
    not os.environ.get("PPDM_DATA"), reason="needs UCI's Adult in the folder PPDM_DATA"
)


# --- libraries that are not needed ---------------------------------------------------------


def test_loaders_need_no_heavy_library_and_work_without_pandas():
    code = (
        "import sys, ppdm.datasets as data\n"
        "print(sorted({'pandas', 'matplotlib', 'sklearn'} & set(sys.modules)))\n"
        "sys.modules['pandas'] = None\n"
        "print(data.load_pima().data.shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n(768, 8)\n", "")


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    message = re.escape('as_frame=True needs pandas: in a clone of ppdm, pip install ".[data]"')
    with pytest.raises(ImportError, match=message):
        load_pima(as_frame=True)


# --- with UCI's own files ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [("adult.data", (32_561, 30_162, 7_841)), ("adult.test", (16_281, 15_060, 3_846))],
)
@needs_adult
def test_raw_adult_has_the_counts_that_adult_names_states(name, expected):
    data, target, values = raw_adult.read(name)
    complete = ~np.isnan(data).any(axis=1)
    assert (len(data), complete.sum(), target.sum()) == expected
    described = re.sub(r"\s+", " ", _uci.describe("adult.data"))
    for count in (*expected, expected[0] - expected[2]):
        assert f"{count:,} " in re.sub(r"[);]", " ", described)
    names = load_adult_binary().feature_names
    assert list(values) == names
    with_missing = np.array(names)[np.isnan(data).any(axis=0)]
    assert with_missing.tolist() == ["workclass", "occupation", "native_country"]
    sizes = {name: len(values[name]) for name in names if values[name] != ["continuous"]}
    assert ", ".join(f"{name} ({size})" for name, size in sizes.items()) in described


def count_slowly(data, target, cut, n_records=10_000):
    """The rule of the shipped tables, record by record."""
    columns = []
    for column in data[:n_records].T.tolist():
        known = Counter(value for value in column if value == value)
        mode = max(sorted(known), key=known.__getitem__)
        column = [value if value == value else mode for value in column]
        middle = (min(column) + max(column)) / 2 if cut == "midrange" else median(column)
        columns.append([int(value > middle) for value in column])
    counts = {}
    for i, pattern in enumerate(zip(*columns, map(int, target[:n_records]), strict=True)):
        counts.setdefault(pattern, [0, 0])[i % 5 == 4] += 1
    return [[*pattern, *counts[pattern]] for pattern in sorted(counts)]


@pytest.mark.parametrize(("cut", "name", "ones"), ADULT)
@needs_adult
def test_raw_adult_gives_the_shipped_table(cut, name, ones):
    data, target, values = raw_adult.read("adult.data")
    table = count_slowly(data, target, cut)
    header = ",".join([*values, "income_over_50k", "train", "test"])
    lines = [",".join(map(str, row)) for row in table]
    assert [sum(row[j] * (row[-2] + row[-1]) for row in table) for j in range(14)] == ones
    assert "\n".join([header, *lines, ""]) == _uci.DATA.joinpath(name).read_text()
