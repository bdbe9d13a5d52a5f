"""What survives a crash: the survey, the guidance of each epoch, and every submission.

No address and no time stands beside a submission. Its position is the order in which it
came, which the replay needs.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.pool import StaticPool

from ppdm.survey._errors import DatabaseInUseError
from ppdm.survey._guide import Guide

_ADVISORY_LOCK = 0x7070646D  # "ppdm"

_metadata = sa.MetaData()
_survey = sa.Table(
    "survey",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("schema", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Column("start", sa.LargeBinary, nullable=False),
)
_epochs = sa.Table(
    "epoch",
    _metadata,
    sa.Column("epoch", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n_received", sa.Integer, nullable=False),
    sa.Column("k", sa.Integer, nullable=False),
    sa.Column("V", sa.LargeBinary, nullable=False),
)
_submissions = sa.Table(
    "submission",
    _metadata,
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("token", sa.LargeBinary(16), nullable=False, unique=True),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("label", sa.SmallInteger, nullable=False),
    sa.Column("bits", sa.LargeBinary, nullable=False),
)


class Row(NamedTuple):
    """One submission as it is stored."""

    token: bytes
    """The nonce of its one-time token."""
    epoch: int
    label: int
    bits: bytes
    """R(t), eight bits a byte."""


class Opened(NamedTuple):
    """What a survey keeps from its beginning."""

    secret: bytes
    """Signs the tokens."""
    start: bytes
    """A0* and A1* of its random start."""


class Store:
    """One survey in one database.

    Parameters
    ----------
    url : str
        An SQLAlchemy address: ``sqlite:///file``, ``sqlite://`` (in memory, for tests and
        demonstrations) or ``postgresql+psycopg://user@host/name``.

    Raises
    ------
    DatabaseInUseError
        If another server works on it.
    sqlalchemy.exc.SQLAlchemyError
        If the address is none, or the database cannot be reached.
    """

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._lock: Any = None
        try:
            self._lock = _lock(self._engine)
            _metadata.create_all(self._engine)
        except BaseException:
            self.close()
            raise

    def open(self, schema: dict[str, Any], settings: dict[str, Any], start: bytes) -> Opened:
        """Begin a survey, or go on with the one that is there.

        Raises
        ------
        DatabaseInUseError
            If what is there has another schema or other settings.
        """
        wanted = {"schema": json.dumps(schema), "settings": json.dumps(settings)}
        with self._engine.begin() as connection:
            found = connection.execute(sa.select(_survey)).one_or_none()
            if found is None:
                secret = secrets.token_bytes(32)
                row = {"id": 1, **wanted, "secret": secret, "start": start}
                connection.execute(sa.insert(_survey), row)
                return Opened(secret, start)
        for key, value in wanted.items():
            if getattr(found, key) != value:
                raise DatabaseInUseError(
                    f"database holds a survey with another {key}, {getattr(found, key)}: "
                    "name another database or the same survey"
                )
        return Opened(bytes(found.secret), bytes(found.start))

    def find(self, tokens: Sequence[bytes]) -> dict[bytes, Row]:
        """Return those submissions whose tokens are among the given."""
        columns = [_submissions.c[name] for name in Row._fields]
        query = sa.select(*columns).where(_submissions.c.token.in_(tokens))
        with self._engine.connect() as connection:
            rows = [Row(bytes(t), e, y, bytes(b)) for t, e, y, b in connection.execute(query)]
        return {row.token: row for row in rows}

    def add(self, rows: Sequence[Row], position: int) -> None:
        """Store submissions in one transaction, the first one at a position.

        When this returns they are on disk. Two servers on one database would collide
        here, on the position.
        """
        values = [{"position": at, **row._asdict()} for at, row in enumerate(rows, position)]
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_submissions), values)

    def add_guide(self, guide: Guide) -> None:
        """Store the guidance of a new epoch."""
        row = {"epoch": guide.epoch, "n_received": guide.n_received, "k": guide.k,
               "V": guide.V.astype("<f8").tobytes()}
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_epochs), row)

    def guides(self) -> Iterator[Guide]:
        """Yield the guidance of each epoch, in order."""
        with self._engine.connect() as connection:
            for row in connection.execute(sa.select(_epochs).order_by(_epochs.c.epoch)):
                V = np.frombuffer(bytes(row.V), dtype="<f8").reshape(-1, row.k)
                yield Guide(row.epoch, row.n_received, V.astype(np.float64))

    def tuples(self, n_bits: int, size: int) -> Iterator[tuple[NDArray[np.int8], NDArray[np.int8]]]:
        """Yield R and y of every submission, in order, ``size`` at a time."""
        query = sa.select(_submissions).order_by(_submissions.c.position)
        with self._engine.connect() as connection:
            streamed = connection.execution_options(yield_per=size).execute(query)
            for rows in streamed.partitions(size):
                yield unpack([bytes(row.bits) for row in rows], n_bits), np.array(
                    [row.label for row in rows], dtype=np.int8
                )

    def close(self) -> None:
        """Let go of the database."""
        if self._lock is not None:
            self._lock.close()
        self._engine.dispose()


def pack(bits: NDArray[np.int8]) -> bytes:
    """Return R(t) as it is stored."""
    return np.packbits(bits.astype(bool)).tobytes()


def unpack(rows: Sequence[bytes], n_bits: int) -> NDArray[np.int8]:
    """Return stored rows as bits, shape (n, n_bits)."""
    packed = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return np.unpackbits(packed, axis=1, count=n_bits).view(np.int8)


def _engine(url: str) -> sa.Engine:
    address = sa.make_url(url)
    if address.get_backend_name() != "sqlite":
        return sa.create_engine(address, pool_pre_ping=True)
    if address.database in (None, "", ":memory:"):
        return sa.create_engine(
            address, poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
    engine = sa.create_engine(address)

    @sa.event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an acknowledgement survives a power cut

    return engine


def _lock(engine: sa.Engine) -> Any:
    """Hold what a second server cannot have, until the process ends, however it ends."""
    taken = DatabaseInUseError(f"database {engine.url!r} is in use by another server")
    if engine.dialect.name == "sqlite":
        if isinstance(engine.pool, StaticPool):
            return None
        path = Path(f"{engine.url.database}-lock")
        connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            raise taken from error
        return connection
    session = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    if not session.execute(sa.select(sa.func.pg_try_advisory_lock(_ADVISORY_LOCK))).scalar():
        session.close()
        raise taken
    return session
