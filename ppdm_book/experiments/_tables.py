"""Stored tables: what a table is, how it is computed row by row, how it is read.

No module here computes ``audit_peers``, ``growth`` and ``large``, which hold another package's
clients, or seconds: ``benchmarks/`` does.
"""

from __future__ import annotations

import argparse
import csv
import math
import platform
import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
import sklearn

import ppdm

if TYPE_CHECKING:
    import pandas as pd

TABLES = Path(__file__).parent / "tables"

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of which each row is a function of its key, and of nothing else."""

    name: str
    cases: Callable[[], Iterable[Row]]
    compute: Callable[..., Row]
    #: Significant digits of what is not whole; all where None. What is not there is empty.
    digits: int | None = None

    def write(self, made_by: str, folder: Path = TABLES, n_rows: int | None = None) -> Path:
        """Compute the table, or its first rows, and write each row down at once.

        Parameters
        ----------
        made_by : str
            What is said of the table in its first line.
        folder : Path
            Where ``name.csv`` goes. Until it is whole it is ``name.csv.part``, and a part
            that is there is continued.
        n_rows : int, optional
            How many rows; all where None.

        Returns
        -------
        Path
            The file.
        """
        whole = folder / f"{self.name}.csv"
        part = whole.with_suffix(".csv.part")
        folder.mkdir(parents=True, exist_ok=True)
        keys = list(islice(self.cases(), n_rows))
        done = {row[: len(keys[0])] for row in _rows(part)} if part.exists() else set()
        with part.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            for key in keys:
                if tuple(map(self._text, key.values())) in done:
                    continue
                row = key | self.compute(**key)
                if not file.tell():
                    file.write(f"# {made_by}; {_versions()}\n")
                    writer.writerow(row)
                writer.writerow(map(self._text, row.values()))
                file.flush()
        return part.replace(whole)

    def _text(self, value: Any) -> str:
        if self.digits is None or not isinstance(value, float):
            return str(value)
        return "" if math.isnan(value) else f"{value:.{self.digits}g}"


def grid(**columns: Iterable[Any]) -> Iterator[Row]:
    """Name rows: each value of the first column with each of the next, and so on."""
    return (dict(zip(columns, cell, strict=True)) for cell in product(*columns.values()))


def load_table(name: str) -> pd.DataFrame:
    """Return a stored table of the papers' experiments.

    Parameters
    ----------
    name : str
        ``"as00_accuracy"``, ``"as00_classes"``, ``"explains"``, ``"guidance_agrawal"``,
        ``"guidance_votes"``, ``"lx14_utility"``, ``"lx14_zscored"``, ``"lx14_privacy"``,
        ``"lx14_attacks"``, ``"lx14_others"``, ``"mixture_accuracy"``, ``"mixture_copula"``,
        ``"pages_honest"``, ``"pages_cuts"``, ``"pages_students"``, ``"pages_sites"``,
        ``"pages_monthly"``, ``"private_release"``, ``"private_others"``, ``"survey_check"`` or
        ``"frontier"``: the module of the first word, or of that name, says what the columns are.
        Or what programs of ``benchmarks`` wrote: ``"audit_peers"``, of another package's clients;
        ``"growth"`` and ``"large"``, how cost grows.

    Returns
    -------
    pandas.DataFrame
        One row an experiment. Seeds and versions stand in the first lines of the file.

    Raises
    ------
    ValueError
        If there is no such table.
    ImportError
        If pandas is missing: it comes with the extra ``ppdm[data]``.

    Examples
    --------
    >>> from ppdm_book.experiments import load_table
    >>> table = load_table("guidance_votes")
    >>> table.query("order == 'magnitude' and k == 2").accuracy.mean().round(3)
    np.float64(0.887)
    """
    names = sorted(path.stem for path in TABLES.glob("*.csv"))
    if not isinstance(name, str) or name not in names:
        known = ", ".join(map(repr, names))
        raise ValueError(f"name must be one of {known}, got {reprlib.repr(name)}")
    try:
        import pandas as pd
    except ImportError as error:
        how = 'in a clone of ppdm, pip install ".[data]"'
        raise ImportError(f"load_table needs pandas: {how}") from error
    return pd.read_csv(
        TABLES / f"{name}.csv", comment="#", na_values=["", "nan"], keep_default_na=False
    )


def main() -> None:
    """Write the tables of a module, as the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m ppdm_book.experiments")
    parser.add_argument("module", help="what computes them: as00, lx14, ...")
    parser.add_argument("--folder", type=Path, default=TABLES, help="where the tables go")
    parser.add_argument("--rows", type=int, help="the first rows of each table only")
    options = parser.parse_args()
    if options.rows is not None and options.folder == TABLES:
        parser.error("--rows needs --folder: a part would replace the stored table")
    module = import_module(f"ppdm_book.experiments.{options.module}")
    for table in module.TABLES:
        print(table.write(module.__name__, options.folder, options.rows), flush=True)


def _rows(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(line for line in file if line[0] != "#")]


def _versions() -> str:
    return (
        f"ppdm {ppdm.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, python {platform.python_version()}"
    )
