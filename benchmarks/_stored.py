"""What is measured here for a chapter: tables among the package's stored ones."""

from __future__ import annotations

import csv
import platform
from collections.abc import Sequence
from importlib.metadata import version

from ppdm_book.experiments._tables import TABLES, Row


def store(name: str, rows: Sequence[Row], made_of: Sequence[str], how: str = "") -> None:
    """Write rows, the first of which has all columns, below what they were made with, and how."""
    versions = ", ".join(f"{each} {version(each)}" for each in made_of)
    with (TABLES / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write(f"# benchmarks/{name}.py; {versions}, python {platform.python_version()}{how}\n")
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({
                key: f"{value:.5g}" if isinstance(value, float) else value
                for key, value in row.items()
            })  # fmt: skip
