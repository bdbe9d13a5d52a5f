"""What is measured here for a chapter: tables among the package's stored ones."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version

import pandas as pd

from ppdm_book.experiments._tables import TABLES, Row


def store(name: str, rows: Sequence[Row], made_of: Sequence[str], how: str = "") -> None:
    """Write rows below what they were made with, and how."""
    versions = ", ".join(f"{each} {version(each)}" for each in made_of)
    with (TABLES / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write(f"# benchmarks/{name}.py; {versions}, python {platform.python_version()}{how}\n")
        pd.DataFrame(rows).to_csv(file, index=False, float_format="%.5g", lineterminator="\n")
