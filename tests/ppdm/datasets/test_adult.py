"""The shipped tables of Adult, counted again from UCI's raw records; libraries not needed."""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from statistics import median

import numpy as np
import pytest
import raw_adult

from ppdm.datasets import _uci, load_adult_binary, load_pima

needs_adult = pytest.mark.skipif(
    not os.environ.get("PPDM_DATA"), reason="needs UCI's Adult in the folder PPDM_DATA"
)


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
        assert not {"pandas", "matplotlib", "sklearn"} & set(loaded)


def test_loaders_work_without_pandas():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from ppdm.datasets import load_pima\n"
        "print(load_pima().data.shape)"
    )
    assert run(code) == "(768, 8)\n"


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


@pytest.mark.parametrize(
    ("cut", "name"), [("midrange", "adult-binary-10000.csv"), ("median", "adult-median-10000.csv")]
)
@needs_adult
def test_raw_adult_gives_the_shipped_table(cut, name):
    data, target, values = raw_adult.read("adult.data")
    table = count_slowly(data, target, cut)
    header = ",".join([*values, "income_over_50k", "train", "test"])
    lines = [",".join(map(str, row)) for row in table]
    assert "\n".join([header, *lines, ""]) == _uci.DATA.joinpath(name).read_text()


@needs_adult
def test_the_two_checksums_of_adult_test_differ_by_its_first_line():
    first, records = "|1x3 Cross validator\n", raw_adult.text_of("adult.test")
    records = records.removeprefix(first)
    digests = [hashlib.sha256(c.encode()).hexdigest() for c in (first + records, records)]
    assert digests == raw_adult.SHA256["adult.test"]
