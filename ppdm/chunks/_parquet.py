"""Chunks of a Parquet file, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.typing import AnyArray

#: Bytes of a column that are read ahead, for a group of rows may be as large as it likes.
_AHEAD = 1 << 16


class ParquetChunks:
    """The records of a Parquet file as chunks (X, y), in constant memory.

    It can be read again: each ``for`` begins with the first record.

    Parameters
    ----------
    path : str or path
        The file.
    features : list of str, default=None
        The columns of X; None takes all but the target.
    target : str, default=None
        The column of y; y is None where there is none.
    batch_size : int >= 1, default=65536
        Records a chunk, at most.

    Attributes
    ----------
    features, target, batch_size
        As given, or all columns but the target.
    n_records : int
        How many records the file holds.

    Raises
    ------
    ImportError
        If pyarrow is not installed: ``ppdm[parquet]``.
    OSError
        If there is no such file, or it cannot be read.
    ValueError, TypeError
        If the file is none of Parquet, holds no record, or lacks a column; if a feature holds
        anything but numbers or truth values. While it is read: if the target has a missing value.

    Notes
    -----
    X has one type, the smallest that holds all its columns. A missing value of X is NaN, as where
    nothing was asked.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> import pyarrow
    >>> from pyarrow import parquet
    >>> from ppdm.chunks import ParquetChunks
    >>> from ppdm.naive_bayes import CountNB
    >>> table = pyarrow.table({"cough": [0, 1, 1], "fever": [0, 0, 1], "ill": ["no", "no", "yes"]})
    >>> nb = CountNB(n_values=2)
    >>> with TemporaryDirectory() as folder:
    ...     parquet.write_table(table, Path(folder) / "records.parquet")
    ...     for X, y in ParquetChunks(Path(folder) / "records.parquet", target="ill", batch_size=2):
    ...         nb = nb.partial_fit(X, y, classes=["no", "yes"])
    >>> nb.class_count_
    array([2., 1.])
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        features: Sequence[str] | None = None,
        target: str | None = None,
        batch_size: int = 1 << 16,
    ) -> None:
        most = check.MOST_DRAWS
        self.batch_size: int = check.given("batch_size", batch_size, most=most)
        self.path: str | PathLike[str] = path
        self.target: str | None = target
        with self._open() as file:
            schema = file.schema_arrow
            self.n_records: int = file.metadata.num_rows
        if target is not None:
            check.option(target, "target", schema.names)
        if features is None:
            features = [name for name in schema.names if name != target]
        self.features: list[str] = check.sequence(features, "features", "names of columns")
        if not self.features:
            raise ValueError(f"features must name a column, got none of {schema.names}")
        for name in self.features:
            check.option(name, "features", schema.names)
            if not _is_number(schema.field(name).type):
                raise TypeError(
                    f"features must hold numbers or truth values, got column {name!r} of type "
                    f"{schema.field(name).type}: write its codes 0, 1, ... first"
                )
        if self.n_records == 0:
            raise ValueError(f"path must hold at least one record, got none in {path!r}")

    def __iter__(self) -> Iterator[tuple[AnyArray, AnyArray | None]]:
        """Read the file from its first record."""
        columns = [*self.features, *([] if self.target is None else [self.target])]
        with self._open() as file:
            for batch in file.iter_batches(self.batch_size, columns=list(dict.fromkeys(columns))):
                X = np.column_stack([_values(batch[name]) for name in self.features])
                yield X, None if self.target is None else self._target(batch)

    def _target(self, batch: Any) -> AnyArray:
        column = batch[self.target]
        if column.null_count:
            raise ValueError(f"target must have no missing value, got some in {self.target!r}")
        return np.asarray(column.to_pylist() if not _is_number(column.type) else _values(column))

    def _open(self) -> Any:
        try:
            from pyarrow import ArrowInvalid, parquet
        except ImportError as error:
            raise check.missing("pyarrow", "ParquetChunks", "parquet") from error
        if not isinstance(self.path, str | PathLike):
            raise TypeError(f"path must be the path of a file, got {self.path!r}")
        try:
            return parquet.ParquetFile(self.path, buffer_size=_AHEAD, pre_buffer=False)
        except ArrowInvalid as error:
            raise ValueError(f"path must be a Parquet file, got {self.path!r}: {error}") from error
        except OSError as error:
            said = f"path must be a file to be read, got {self.path!r}: {error}"
            raise type(error)(said) from error


def _is_number(its: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(its) or types.is_floating(its) or types.is_boolean(its))


def _values(column: Any) -> AnyArray:
    """Return a column as an array; a missing value as NaN."""
    if column.null_count:
        column = column.cast("float64")
    return np.asarray(column.to_numpy(zero_copy_only=False))
