"""The raw Adult records: found, checked, parsed; never downloaded by a test."""

import doctest
import gzip
import hashlib
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median

import numpy as np
import pooch
import pytest
import requests
from numpy.testing import assert_array_equal

from ppdm.datasets import (
    _adult,
    _base,
    fetch_adult,
    load_adult_binary,
    load_pima,
)

TRAIN = """\
39, Private, 1000, Bachelors, 13, Divorced, Sales, Wife, White, Female, 0, 0, 40, Hong, <=50K
50, ?, 2000, Preschool, 1, Widowed, ?, Unmarried, Black, Male, 99999, 7, 20, ?, >50K

"""
TEST = """\
|1x3 Cross validator
17, Never-worked, 3000, 11th, 7, Separated, Armed-Forces, Husband, Other, Male, 0, 0, 1, Peru, >50K.

"""
TRAIN_CODES = [
    [39, 0, 1000, 0, 13, 1, 3, 0, 0, 0, 0, 0, 40, 39],
    [50, np.nan, 2000, 15, 1, 4, np.nan, 5, 4, 1, 99999, 7, 20, np.nan],
]
TEST_CODES = [[17, 7, 3000, 2, 7, 3, 13, 2, 3, 1, 0, 0, 1, 38]]


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Two small files in UCI's format whose checksums stand in for UCI's."""
    contents = {"adult.data": TRAIN.encode(), "adult.test": TEST.encode()}
    digests = {name: (hashlib.sha256(text).hexdigest(),) for name, text in contents.items()}
    monkeypatch.setattr(_adult, "ADULT_SHA256", digests)
    monkeypatch.delenv("PPDM_DATA", raising=False)
    return contents


def put(folder, name, content):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder


def test_fetch_adult_codes_values_in_the_order_of_adult_names(tiny, tmp_path, monkeypatch):
    for name, content in tiny.items():
        put(tmp_path, name, content)
    monkeypatch.setenv("HOME", str(tmp_path))
    train, test, both = (
        fetch_adult(subset=subset, data_home=tmp_path) for subset in ("train", "test", "all")
    )
    assert_array_equal(train.data, TRAIN_CODES)
    assert_array_equal(test.data, TEST_CODES)
    assert_array_equal(both.data, TRAIN_CODES + TEST_CODES)
    assert both.target.tolist() == [0, 1, 1]
    assert both.feature_names == load_adult_binary().feature_names
    assert both.target_names.tolist() == ["<=50K", ">50K"]
    assert both.DESCR.startswith("adult.data and adult.test: Adult")
    assert both.categories["native_country"][39:] == ["Hong", "Holand-Netherlands"]
    sizes = {name: len(values) for name, values in both.categories.items()}
    described = re.sub(r"\s+", " ", both.DESCR)
    assert ", ".join(f"{name} ({size})" for name, size in sizes.items()) in described
    X, y = fetch_adult(data_home="~", download_if_missing=False, return_X_y=True)
    assert_array_equal(X, TRAIN_CODES)
    assert y.tolist() == [0, 1]


def test_fetch_adult_as_frame_names_the_nominal_values(tiny, tmp_path):
    put(tmp_path, "adult.data", tiny["adult.data"])
    adult = fetch_adult(data_home=tmp_path, as_frame=True)
    rows = [line.split(", ") for line in TRAIN.strip().splitlines()]
    shown = adult.data.astype(object).where(adult.data.notna(), "?").astype(str)
    assert shown.to_numpy().tolist() == [row[:14] for row in rows]
    for name in adult.feature_names:
        if name in adult.categories:
            assert list(adult.frame[name].cat.categories) == adult.categories[name]
        else:
            assert adult.frame[name].dtype == np.int64
    assert adult.frame["target"].tolist() == [0, 1]


def test_fetch_adult_looks_in_data_home_then_ppdm_data_then_cache(tiny, tmp_path, monkeypatch):
    train = tiny["adult.data"]
    cache = put(tmp_path / "cache", "adult.data", train)
    monkeypatch.setattr(pooch, "os_cache", {"ppdm": cache}.__getitem__)
    assert len(fetch_adult().target) == 2
    # a wrong file shows which folder was read
    named = put(tmp_path / "named", "adult.data.gz", gzip.compress(b"wrong"))
    monkeypatch.setenv("PPDM_DATA", str(named))
    with pytest.raises(ValueError, match=re.escape(str(named / "adult.data.gz"))):
        fetch_adult()
    home = put(tmp_path / "home", "adult.data.gz", gzip.compress(train))
    assert len(fetch_adult(data_home=home).target) == 2
    put(named, "adult.data.gz", gzip.compress(train, compresslevel=1))
    assert len(fetch_adult().target) == 2
    monkeypatch.setenv("PPDM_DATA", "")
    assert len(fetch_adult().target) == 2


def test_fetch_adult_says_where_a_file_is_missing(tiny, tmp_path, monkeypatch):
    home = re.escape(str(tmp_path))
    missing = rf"download_if_missing is False for {home}, but neither adult\.data .* is there"
    with pytest.raises(FileNotFoundError, match=missing):
        fetch_adult(data_home=tmp_path, download_if_missing=False)
    monkeypatch.setenv("PPDM_DATA", str(tmp_path))
    monkeypatch.setattr(pooch, "retrieve", None)  # PPDM_DATA is read, never downloaded to
    with pytest.raises(FileNotFoundError, match=rf"PPDM_DATA names {home}, but neither adult\.t"):
        fetch_adult(subset="test")


@pytest.mark.parametrize("packed", [False, True])
def test_fetch_adult_refuses_a_changed_file(tiny, tmp_path, packed):
    content = tiny["adult.data"].replace(b"39", b"38")
    name = "adult.data.gz" if packed else "adult.data"
    put(tmp_path, name, gzip.compress(content) if packed else content)
    got, expected = hashlib.sha256(content).hexdigest(), _adult.ADULT_SHA256["adult.data"][0]
    with pytest.raises(ValueError, match=f"{name} is not .* expected {expected}, got {got}"):
        fetch_adult(data_home=tmp_path)


@pytest.mark.parametrize("damage", ["header", "body", "end", "cut"])
def test_fetch_adult_refuses_a_damaged_archive(tiny, tmp_path, damage):
    packed = bytearray(gzip.compress(tiny["adult.data"]))
    if damage == "cut":
        del packed[-20:]
    else:
        packed[{"header": 0, "body": 12, "end": -6}[damage]] ^= 0xFF
    put(tmp_path, "adult.data.gz", packed)
    with pytest.raises(
        ValueError, match=r"adult\.data\.gz cannot be unpacked .* expected [0-9a-f]"
    ):
        fetch_adult(data_home=tmp_path)


@pytest.fixture
def uci(tiny, monkeypatch):
    """Pooch as it is, with UCI's server replaced by a dictionary; the URLs asked for."""
    asked = []

    def download(self, url, output_file, pooch, check_only=False):
        asked.append(url)
        with open(output_file, "wb") as file:
            file.write(tiny[url.rsplit("/", 1)[1]])

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", download)
    return asked


def test_fetch_adult_downloads_once(uci, tmp_path, monkeypatch):
    monkeypatch.setenv("PPDM_DATA", str(tmp_path))  # data_home comes first
    base = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
    home = tmp_path / "new" / "home"
    assert_array_equal(fetch_adult(subset="all", data_home=home).target, [0, 1, 1])
    assert uci == [base + "adult.data", base + "adult.test"]
    fetch_adult(subset="all", data_home=home)
    fetch_adult(data_home=home, download_if_missing=False)
    assert len(uci) == 2
    monkeypatch.delenv("PPDM_DATA")
    monkeypatch.setattr(pooch, "os_cache", {"ppdm": tmp_path / "cache"}.__getitem__)
    fetch_adult()
    assert (tmp_path / "cache" / "adult.data").read_text() == TRAIN


def test_fetch_adult_refuses_a_wrong_download_and_keeps_nothing(uci, tiny, tmp_path):
    tiny["adult.data"] = b"<html>not found</html>"
    got, expected = (
        hashlib.sha256(tiny["adult.data"]).hexdigest(),
        _adult.ADULT_SHA256["adult.data"][0],
    )
    with pytest.raises(ValueError, match=f"adult/adult.data: .*{expected} but got {got}"):
        fetch_adult(data_home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_fetch_adult_says_what_to_do_without_a_network(tiny, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise requests.exceptions.ConnectionError("no route to host")

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", refuse)
    with pytest.raises(OSError, match=r"could not be downloaded: no route .* in PPDM_DATA"):
        fetch_adult(data_home=tmp_path)


# --- libraries that are not needed ---------------------------------------------------------


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_no_heavy_library():
    for module in ("ppdm", "ppdm.datasets"):
        code = f"import sys, {module}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
        loaded = run(code).split()
        assert "ppdm" in loaded
        assert not {"pandas", "matplotlib", "pooch", "sklearn"} & set(loaded)


def test_loaders_work_without_pandas():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from ppdm.datasets import load_pima\n"
        "print(load_pima().data.shape)"
    )
    assert run(code) == "(768, 8)\n"


@pytest.mark.parametrize(
    ("library", "load", "message"),
    [
        ("pandas", lambda home: load_pima(as_frame=True), "as_frame=True needs pandas"),
        ("pooch", lambda home: fetch_adult(data_home=home), "downloading Adult needs pooch"),
        ("pooch", lambda home: fetch_adult(), "fetch_adult needs pooch"),
    ],
)
def test_a_missing_library_is_named(library, load, message, tmp_path, monkeypatch):
    monkeypatch.delenv("PPDM_DATA", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=message + re.escape(': pip install "ppdm[data]"')):
        load(tmp_path)


# --- with UCI's own files ------------------------------------------------------------------


@pytest.fixture(scope="module", params=["train", "test"])
def raw(request):
    """(subset, Bunch) of UCI's records, from PPDM_DATA or the cache, never downloaded."""
    return request.param, read_raw(request.param)


def read_raw(subset):
    try:
        return fetch_adult(subset=subset, download_if_missing=False)
    except OSError as error:
        if os.environ.get("PPDM_DATA"):
            raise
        pytest.skip(f"needs UCI's Adult: PPDM_DATA is not set and nothing is cached ({error})")


def test_raw_adult_has_the_counts_that_adult_names_states(raw):
    subset, adult = raw
    expected = {"train": (32_561, 30_162, 7_841), "test": (16_281, 15_060, 3_846)}[subset]
    complete = ~np.isnan(adult.data).any(axis=1)
    assert (len(adult.data), complete.sum(), adult.target.sum()) == expected
    for count in (*expected, expected[0] - expected[2]):
        assert f"{count:,} " in re.sub(r"\W*\n", " ", adult.DESCR).replace(")", " ")
    with_missing = np.array(adult.feature_names)[np.isnan(adult.data).any(axis=0)]
    assert with_missing.tolist() == ["workclass", "occupation", "native_country"]
    for name, values in adult.categories.items():
        codes = adult.data[:, adult.feature_names.index(name)]
        assert np.nanmax(codes) < len(values)


def test_categories_are_those_of_adult_names():
    names = Path(os.environ.get("PPDM_DATA", ""), "adult.names")
    if not os.environ.get("PPDM_DATA") or not names.is_file():
        pytest.skip("needs UCI's adult.names in the folder PPDM_DATA")
    lines = re.findall(r"^([a-z-]+): (.*)\.$", names.read_text(), flags=re.MULTILINE)
    stated = {name.replace("-", "_"): values for name, values in lines}
    assert list(stated) == list(_adult.ADULT_FEATURES)
    for name, values in _adult.ADULT_FEATURES.items():
        assert ", ".join(values or ["continuous"]) == stated[name]


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
    for i, pattern in enumerate(zip(*columns, target[:n_records].tolist(), strict=True)):
        counts.setdefault(pattern, [0, 0])[i % 5 == 4] += 1
    return [[*pattern, *counts[pattern]] for pattern in sorted(counts)]


@pytest.mark.parametrize(
    ("cut", "name"), [("midrange", "adult-binary-10000.csv"), ("median", "adult-median-10000.csv")]
)
def test_raw_adult_gives_the_shipped_table(cut, name):
    adult = read_raw("train")
    table = count_slowly(adult.data, adult.target, cut)
    shipped = _base.DATA.joinpath(name).read_text()
    header = ",".join([*adult.feature_names, "income_over_50k", "train", "test"])
    lines = [",".join(map(str, row)) for row in table]
    assert "\n".join([header, *lines, ""]) == shipped


def test_the_two_checksums_of_adult_test_differ_by_its_first_line():
    read_raw("test")
    content = _adult._read(_adult._find("adult.test", None, False), "adult.test").encode()
    records = content.removeprefix(b"|1x3 Cross validator\n")
    digests = [
        hashlib.sha256(c).hexdigest() for c in (b"|1x3 Cross validator\n" + records, records)
    ]
    assert digests == list(_adult.ADULT_SHA256["adult.test"])


def test_fetch_adult_example_is_true():
    read_raw("train")
    text = inspect.getdoc(fetch_adult).replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {}, "fetch_adult", None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 4)
