"""UCI's raw Adult records, from which the shipped tables are made: read in the folder PPDM_DATA."""

import gzip
import hashlib
import os
import re
from pathlib import Path

import numpy as np

SHA256 = {  # of the unpacked files; some copies of adult.test lack its first line, no record
    "adult.data": ["5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"],
    "adult.test": ["a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
                   "72567b94f5c1a6f8501377dd80f93892c3848ff071cf91ba47e00b0785a28074"],
}  # fmt: skip


def text_of(name):
    path = Path(os.environ["PPDM_DATA"], name)
    packed = path.with_name(f"{name}.gz")
    content = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    assert name not in SHA256 or hashlib.sha256(content).hexdigest() in SHA256[name], path
    return content.decode("ascii")


def read(name):
    """Return values (n, 14), NaN for ``?``; classes; the values that each attribute may have."""
    stated = re.findall(r"^([a-z-]+): (.*)\.$", text_of("adult.names"), flags=re.MULTILINE)
    values = {name.replace("-", "_"): every.split(", ") for name, every in stated}
    codes = [{level: i for i, level in enumerate(levels)} for levels in values.values()]
    rows = [line.rstrip(".").split(", ") for line in text_of(name).splitlines() if "," in line]
    data = [[np.nan if cell == "?" else code.get(cell, cell)
             for code, cell in zip(codes, row[:-1], strict=True)] for row in rows]  # fmt: skip
    return np.array(data, dtype=float), np.array([row[-1] == ">50K" for row in rows]), values
