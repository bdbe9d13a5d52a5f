"""Past memory: reports that come in chunks, and their counts, which add up.

Whatever learns from counts needs no record twice. The naive Bayes classifiers and
:class:`ppdm.guidance.Guidance` count a chunk by ``partial_fit`` or ``update``, and two of them
add up with ``+``. :class:`ReleasedCounts` is the same for :mod:`ppdm.reconstruction`: how often
each value was released, of any channel. All are integers until they are undone, so that the
result is bit for bit that of all records in one piece, whatever the chunks and their order.

:class:`ParquetChunks` reads such chunks from a file. A progress bar is tqdm's:
``for X, y in tqdm(ParquetChunks(...))``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from textwrap import shorten
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm.channel import Channel, bound
from ppdm.typing import AnyArray, IntArray

__all__ = ["ParquetChunks", "ReleasedCounts"]

#: Bytes of a column that are read ahead, for a group of rows may be as large as it likes.
_AHEAD = 1 << 16


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedCounts:
    """Counts of what a channel released, which add up with ``+``.

    They are taken wherever counts are: by :func:`ppdm.reconstruction.em`,
    :func:`~ppdm.reconstruction.invert` and as ``counts`` of
    :func:`~ppdm.reconstruction.reconstruct_distribution`.

    Attributes
    ----------
    channel : Channel
        What the reports came through; of additive noise, ``noise.on(edges)``.
    counts : ndarray of int, shape (S,), (d, S), (n_labels, S) or (n_labels, d, S)
        How often each value was released, as ``channel.count`` gives it.
    n : int
        How many records were counted.

    Examples
    --------
    >>> from ppdm.chunks import ReleasedCounts
    >>> from ppdm.noise import AdditiveNoise
    >>> from ppdm.reconstruction import reconstruct_distribution
    >>> channel = AdditiveNoise("uniform", scale=0.5).on([0, 0.5, 1])
    >>> seen = ReleasedCounts.from_chunks(channel, [[-0.3, 0.2], [0.6, 0.7, 1.1]])
    >>> seen.counts, seen.n
    (array([1, 1, 2, 1]), 5)
    >>> more = seen + ReleasedCounts.of(channel, [1.2])
    >>> reconstruct_distribution(None, channel, counts=more).n
    6.0
    """

    channel: Channel
    counts: IntArray
    n: int

    @classmethod
    def of(
        cls,
        channel: Any,
        released: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        n_labels: int | None = None,
    ) -> Self:
        """Count one chunk.

        Parameters
        ----------
        channel : Channel or array-like of shape (S, m)
            What the reports came through.
        released : array-like of shape (n,) or (n, n_features)
            What was released, of one attribute or of all.
        labels : array-like of int, shape (n,), optional
            A code 0, 1, ... for each record, its class for instance.
        n_labels : int, optional
            How many labels there are; to be given with labels, since a chunk may lack some.

        Returns
        -------
        ReleasedCounts

        Raises
        ------
        ValueError, TypeError
            As :meth:`ppdm.channel.Channel.count`, or if labels come without their number.
        """
        if labels is not None and n_labels is None:
            raise ValueError("n_labels must be given with labels: a chunk may lack the last one")
        scheme = bound(channel, released, "released")
        counts = scheme.count(released, labels=labels, n_labels=n_labels)
        n = len(check.plain(released, "released"))
        return cls(channel=scheme, counts=counts.astype(np.int64, copy=False), n=n)

    @classmethod
    def from_chunks(
        cls, channel: Any, chunks: Iterable[Any], *, n_labels: int | None = None
    ) -> Self:
        """Count all chunks, one at a time in memory.

        Parameters
        ----------
        channel : Channel or array-like of shape (S, m)
            What the reports came through.
        chunks : iterable of array-like, or of tuples (released, labels)
            Labels, or the target of :class:`ParquetChunks`, may be None.
        n_labels : int, optional
            How many labels there are.

        Returns
        -------
        ReleasedCounts

        Raises
        ------
        ValueError, TypeError
            As :meth:`of`; if there is no chunk, or a tuple is no pair.
        """
        is_one = isinstance(chunks, str | bytes) or hasattr(chunks, "ndim")
        rule = "chunks must be an iterable of chunks, and not one of them"
        check.demand(isinstance(chunks, Iterable) and not is_one, rule, chunks, TypeError)
        total: Self | None = None
        for chunk in chunks:
            released, labels = _pair(chunk)
            known = channel if total is None else total.channel  # a matrix is bound once
            one = cls.of(known, released, labels=labels, n_labels=n_labels)
            total = one if total is None else total + one
        if total is None:
            raise ValueError("chunks must hold at least one chunk of reports, got none")
        return total

    def __add__(self, other: Self) -> Self:
        """Return the counts of both; neither of the two is changed.

        Raises
        ------
        ValueError, TypeError
            If ``other`` is none, its reports came through another channel, or they have other
            attributes or labels.
        """
        if not isinstance(other, ReleasedCounts):
            return NotImplemented
        check.alike(self.channel, other.channel, "channel")
        check.alike(self.counts.shape, other.counts.shape, "the shape of the counts of all chunks")
        counts, n = self.counts + other.counts, self.n + other.n
        return type(self)(channel=self.channel, counts=counts, n=n)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return the counts: whatever takes an array of counts takes these."""
        return np.array(self.counts, dtype=dtype, copy=copy)


def _pair(chunk: Any) -> tuple[Any, Any]:
    """Return a chunk's reports and labels."""
    if not isinstance(chunk, tuple):
        return chunk, None
    check.demand(len(chunk) == 2, "chunks must be arrays or pairs (released, labels)", len(chunk))
    return chunk


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
        self.batch_size: int = check.given("batch_size", batch_size, most=check.MOST_DRAWS)
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
        check.demand(self.features, f"features must name a column of {schema.names}", features)
        for name in self.features:
            check.option(name, "features", schema.names)
            kind = schema.field(name).type
            rule = f"features must hold numbers or truth values, {name!r} too (its codes 0, 1, ...)"
            check.demand(_is_number(kind), rule, str(kind), TypeError)
        check.demand(self.n_records, "path must hold at least one record", path)

    def __iter__(self) -> Iterator[tuple[AnyArray, AnyArray | None]]:
        """Read the file from its first record."""
        columns = [*self.features, *([] if self.target is None else [self.target])]
        with self._open() as file:
            for batch in file.iter_batches(self.batch_size, columns=list(dict.fromkeys(columns))):
                X = np.column_stack([_values(batch[name]) for name in self.features])
                yield X, None if self.target is None else self._target(batch)

    def _target(self, batch: Any) -> AnyArray:
        column = batch[self.target]
        check.demand(not column.null_count, "target must have no missing value", self.target)
        return np.asarray(column.to_pylist() if not _is_number(column.type) else _values(column))

    def _open(self) -> Any:
        check.import_optional("pyarrow", "ParquetChunks", "parquet")
        from pyarrow import parquet

        check.of_kind(self.path, str | PathLike, "path must be the path of a file")
        try:
            with check.naming("path", f"a Parquet file, which {check.printed(self.path)} is not"):
                return parquet.ParquetFile(self.path, buffer_size=_AHEAD, pre_buffer=False)
        except OSError as error:
            why = shorten(str(error), 200)
            said = f"path must be a file to be read, got {check.printed(self.path)}: {why}"
            raise type(error)(said) from error


def _is_number(column: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(column) or types.is_floating(column) or types.is_boolean(column))


def _values(column: Any) -> AnyArray:
    """Return a column as an array; a missing value as NaN."""
    if column.null_count:
        column = column.cast("float64")
    return np.asarray(column.to_numpy(zero_copy_only=False))
