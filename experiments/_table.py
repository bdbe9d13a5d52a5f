"""Rows of a dataclass as a CSV file that says what made it."""

from __future__ import annotations

import csv
import platform
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

import ppdm

DATA = Path(__file__).resolve().parent.parent / "book" / "_data"


def write_rows(name: str, made_by: str, rows: Iterable[Any]) -> Path:
    """Write ``book/_data/name``; the lines that start with # name the versions."""
    path = DATA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    table = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {made_by}\n")
        file.write(
            f"# ppdm {ppdm.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
            f"scikit-learn {sklearn.__version__}, python {platform.python_version()}\n"
        )
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(table[0]))
        writer.writerows(astuple(row) for row in table)
    return path
