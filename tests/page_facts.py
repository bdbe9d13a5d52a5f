"""What the pages' numbers are tied to beside the chapters: ``435<!--voting.1-->`` in prose.

Each function is a fact of that name; the numbers that it returns count from 1, in order.
"""

import inspect
import json
import os
import re

import bench
import numpy as np
from by_path import ROOT, load
from which_scheme import least

from ppdm.compare import compare_schemes
from ppdm.datasets import fetch_adult, load_adult_binary, load_pima, load_voting
from ppdm.datasets import load_breast_cancer_wisconsin as load_wisconsin
from ppdm_book.experiments import load_table
from ppdm_survey import _schema, _serve

LACKING = "workclass", "occupation", "native_country"


def voting():
    """People, votes, classes; gaps: of cells, people without and with, lacking all; rows."""
    house = load_voting(fill=None)
    gaps, rows = house.missing, np.nan_to_num(house.data, nan=2)
    filled = load_voting(fill="mode").data
    late = [100 * gaps[house.target == c, -1].mean() for c in (0, 1)]
    alone = (np.unique(rows, axis=0, return_counts=True)[1] == 1).sum()
    return [*rows.shape, *np.bincount(house.target), gaps.sum(), gaps.size,
            (~gaps.any(axis=1)).sum(), gaps.any(axis=1).sum(), gaps.all(axis=1).sum(), *late,
            gaps[:, -1].sum(), len(np.unique(rows, axis=0)), alone, len(filled)]  # fmt: skip


def wisconsin():
    """Rows, scores, classes; rows with a gap, benign ones; the mode; numbers; shared; the cut."""
    cells = load_wisconsin()
    gaps = cells.missing.any(axis=1)
    lines = (ROOT / "ppdm/datasets/data/breast-cancer-wisconsin.csv").read_text().splitlines()
    at = lines[0].split(",").index("Id") if "Id" in lines[0] else 0
    numbers = np.unique([line.split(",")[at] for line in lines[1:]], return_counts=True)[1]
    mode = load_wisconsin(fill="mode").data
    middle = (mode.min(axis=0) + mode.max(axis=0)) / 2
    mitoses = load_wisconsin(fill="mode", binary=True).data[:, -1].sum()
    return [*cells.data.shape, *np.bincount(cells.target), gaps.sum(),
            (cells.target[gaps] == 0).sum(), *np.unique(mode[cells.missing]), len(numbers),
            numbers[numbers > 1].sum(), *np.unique(middle), mitoses]  # fmt: skip


def pima():
    """Rows, measures, classes; ages; zeros by column; rows with one, without; not pregnant."""
    women = load_pima()
    zeros = women.data == 0
    some = zeros[:, 1:6].any(axis=1).sum()
    return [*women.data.shape, *np.bincount(women.target), women.data[:, 7].min(),
            women.data[:, 7].max(), *zeros[:, 1:6].sum(axis=0), some, len(zeros) - some,
            zeros[:, 0].sum()]  # fmt: skip


def adult_bits():
    """Records, bits, classes; train and class 1, test and class 1; always 0; patterns; alone."""
    every, train, test = (load_adult_binary(part) for part in ("all", "train", "test"))
    found = [*every.data.shape, *np.bincount(every.target), len(train.data), train.target.sum(),
             len(test.data), test.target.sum(), 100 * (test.target == 0).mean()]  # fmt: skip
    patterns = np.unique(np.c_[every.data, every.target], axis=0, return_counts=True)[1]
    return [*found, len(patterns), (patterns == 1).sum()]


def adult_ones():
    """Ones of each bit."""
    return list(load_adult_binary("all").data.sum(axis=0))


def adult_median():
    """Ones of fnlwgt; patterns of bits and class, of bits; people alone."""
    every = load_adult_binary("all", cut="median")
    patterns = np.unique(np.c_[every.data, every.target], axis=0, return_counts=True)[1]
    seen = load_table("frontier").groupby(["scheme", "dataset"]).accuracy.mean()
    ahead = [100 * (seen["clear", name] - seen["larger class", name])
             for name in ("adult_median", "adult_midrange")]  # fmt: skip
    return [every.data[:, 2].sum(), len(patterns), len(np.unique(every.data, axis=0)),
            (patterns == 1).sum(), *ahead]  # fmt: skip


def raw():
    """UCI's files, where they are: records, attributes, classes; gaps; the cuts of the rule."""
    if "PPDM_DATA" not in os.environ:
        return None
    train, test = (
        fetch_adult(subset=part, download_if_missing=False) for part in ("train", "test")
    )
    gaps, names = np.isnan(train.data), train.feature_names
    columns = [names.index(name) for name in LACKING]
    classes = np.bincount(train.target) + np.bincount(test.target)
    first = train.data[:10_000]
    middle = (np.nanmin(first, axis=0) + np.nanmax(first, axis=0)) / 2
    repeated = len(train.data) - len(np.unique(np.c_[np.nan_to_num(train.data, nan=-1),
                                                     train.target], axis=0))  # fmt: skip
    return [classes.sum(), train.data.shape[1], *classes, len(train.data),
            100 * train.target.mean(), len(test.data), *gaps[:, columns].sum(axis=0),
            gaps.any(axis=1).sum(), repeated, *gaps[:10_000, columns].sum(axis=0),
            *middle, *np.nanmax(first, axis=0)]  # fmt: skip


def chooser():
    """Smaller class, error; people whom a trusted curator needs for one yes or no at odds 1,000."""
    given = inspect.signature(compare_schemes).parameters
    return [given["smaller"].default, given["error"].default, least([2], 1_000, "curator")]


def survey():
    """Bytes of a body, seconds of a request, connections; words of consent."""
    return [_serve.LIMIT, _serve.PATIENCE, _serve.MOST, _schema._CONSENT]


def python():
    """The oldest Python."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return [re.search(r'requires-python = ">=([\d.]+)"', text)[1]]


def assignments():
    """How many; points in all, by tests, by a reader."""
    texts = [path.read_text() for path in sorted((ROOT / "notebooks/assignments").glob("*.md"))]
    worth = {tuple(sum(int(n) for n in re.findall(rf"{tag}\"?, \"?points-(\d+)", text))
                   for tag in ("test", "by-hand")) for text in texts}  # fmt: skip
    ((tests, by_hand),) = worth  # the same for all
    return [len(texts), tests + by_hand, tests, by_hand]


def minutes():
    """From and to, for each assignment."""
    texts = [path.read_text() for path in sorted((ROOT / "notebooks/assignments").glob("*.md"))]
    return [n for text in texts for n in re.search(r"Time\*\*: (\d+) to (\d+)", text).groups()]


def figure():
    """Evenings, the naive mean, the truth, of the README's picture."""
    truth, naive, _ = load("book/_make/readme_figure.py").shares()
    return [len(naive), naive.mean(), truth]


STORED = json.loads(bench.STORED.read_text(encoding="utf-8"))


def versions():
    """What the ratios were measured with: the packages in the stored order."""
    return re.findall(r" (\d+\.\d+)", STORED["machine"]["packages"])


def mixture():
    """Ratios to ByClass: the mixture's fast form, Local."""
    rows = {name.split(",")[0]: row["ratio"] for name, row in STORED["rows"].items()}
    return [rows["mixture"], rows["Local"]]


FACTS = {name: value for name, value in globals().items()
         if callable(value) and getattr(value, "__module__", "") == __name__}  # fmt: skip
