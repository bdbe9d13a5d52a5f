"""What survives a crash: the survey, the guidance of each epoch, and every submission.

No address and no time stands beside a submission. Its position is the order in which it
came, which the replay needs.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.pool import NullPool, StaticPool

from ppdm._types import Bits
from ppdm.survey._errors import DatabaseInUseError
from ppdm.survey._messages import PublishedGuidance
from ppdm.survey._schema import Survey

_ADVISORY_LOCK = 0x7070646D  # "ppdm"
# A commit means on disk, whatever the database's default; and a session whose network is gone
# ends within a minute, and its lock with it.
_POSTGRESQL = sa.text(
    "SELECT set_config('tcp_keepalives_idle', '20', false), "
    "set_config('tcp_keepalives_interval', '10', false), "
    "set_config('tcp_keepalives_count', '3', false), "
    "CASE current_setting('synchronous_commit') WHEN 'off' "
    "THEN set_config('synchronous_commit', 'on', false) END"
)

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

    All work goes through one session, which holds the lock as well: when it is lost, so is
    the lock, and nothing is written before both are there again. One thread at a time may
    call it.

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
        self._lock = _lock_file(self._engine)
        self._session: sa.Connection | None = None
        try:
            with self._transaction() as connection:
                _metadata.create_all(connection)
        except BaseException:
            self.close()
            raise

    def open(self, schema: dict[str, Any], settings: dict[str, Any], start: bytes) -> Opened:
        """Begin a survey, or go on with the one that is there.

        Before anybody has answered, a survey with another schema or other settings takes its
        place, so that a typo can be mended.

        Raises
        ------
        DatabaseInUseError
            If what is there has another schema or other settings, and answers.
        """
        wanted = {"schema": schema, "settings": settings}
        with self._transaction() as connection:
            found = connection.execute(sa.select(_survey)).one_or_none()
            other = None if found is None else _differs(found, wanted)
            if found is not None and other is None:
                return Opened(bytes(found.secret), bytes(found.start))
            if connection.execute(sa.select(_submissions.c.position).limit(1)).first():
                raise DatabaseInUseError(
                    f"database holds answers to a survey with another {other}, "
                    f"{getattr(found, str(other))}: name another database or the same survey"
                )
            # a new secret, too: nobody can submit what was drawn for other questions
            secret = secrets.token_bytes(32)
            text = {key: json.dumps(value) for key, value in wanted.items()}
            connection.execute(sa.delete(_survey))
            connection.execute(sa.delete(_epochs))
            row = {"id": 1, **text, "secret": secret, "start": start}
            connection.execute(sa.insert(_survey), row)
        return Opened(secret, start)

    def find(self, tokens: Sequence[bytes]) -> dict[bytes, Row]:
        """Return those submissions whose tokens are among the given."""
        columns = [_submissions.c[name] for name in Row._fields]
        query = sa.select(*columns).where(_submissions.c.token.in_(tokens))
        with self._transaction() as connection:
            rows = [Row(bytes(t), e, y, bytes(b)) for t, e, y, b in connection.execute(query)]
        return {row.token: row for row in rows}

    def add(self, rows: Sequence[Row], position: int) -> None:
        """Store submissions in one transaction, the first one at a position.

        When this returns they are on disk. Two servers on one database would collide
        here, on the position.
        """
        values = [{"position": at, **row._asdict()} for at, row in enumerate(rows, position)]
        with self._transaction() as connection:
            connection.execute(sa.insert(_submissions), values)

    def add_guidance(self, guidance: PublishedGuidance) -> None:
        """Store the guidance of a new epoch."""
        row = {"epoch": guidance.epoch, "n_received": guidance.n_received, "k": guidance.k,
               "V": guidance.V.astype("<f8").tobytes()}
        with self._transaction() as connection:
            connection.execute(sa.insert(_epochs), row)

    def guidance(self, epoch: int) -> PublishedGuidance | None:
        """Return the guidance of an epoch, None where none is stored yet."""
        query = sa.select(_epochs).where(_epochs.c.epoch == epoch)
        with self._transaction() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        V = np.frombuffer(bytes(row.V), dtype="<f8").reshape(-1, row.k)
        return PublishedGuidance(epoch=row.epoch, n_received=row.n_received, V=V)

    def tuples(self, n_bits: int, size: int) -> Iterator[tuple[Bits, Bits]]:
        """Yield R and y of every submission, in order, ``size`` at a time."""
        query = sa.select(_submissions).order_by(_submissions.c.position).limit(size)
        last = 0
        while True:
            # page by page: an open cursor would keep the database from clearing up behind it
            with self._transaction() as connection:
                rows = connection.execute(query.where(_submissions.c.position > last)).all()
            if not rows:
                return
            last = rows[-1].position
            labels = np.array([row.label for row in rows], dtype=np.int8)
            yield unpack([bytes(row.bits) for row in rows], n_bits), labels

    def close(self) -> None:
        """Let go of the database."""
        self._drop_session()
        self._engine.dispose()
        if self._lock is not None:
            self._lock.close()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Give the session, new where it was lost; commit at the end, or drop it."""
        try:
            if self._session is None:
                self._session = self._engine.connect()
                _prepare(self._session)
            with self._session.begin():
                yield self._session
        except BaseException:
            self._drop_session()
            raise

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _differs(found: Any, wanted: dict[str, Any]) -> str | None:
    """Return which of schema and settings is another; an earlier version's lacks newer keys."""
    schema = {**wanted["schema"], **json.loads(found.schema)}
    with suppress(ValueError, TypeError):  # it may break a rule that came later
        schema = Survey.from_dict(schema).to_dict()
    there = {"schema": schema, "settings": json.loads(found.settings)}
    return next((key for key, value in wanted.items() if there[key] != value), None)


def pack(bits: Bits) -> bytes:
    """Return R(t) as it is stored."""
    return np.packbits(bits.astype(bool)).tobytes()


def unpack(rows: Sequence[bytes], n_bits: int) -> Bits:
    """Return stored rows as bits, shape (n, n_bits)."""
    packed = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
    return np.unpackbits(packed, axis=1, count=n_bits).view(np.int8)


def _engine(url: str) -> sa.Engine:
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise ValueError(
            f"database must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME, got {url!r}"
        ) from None
    backend = address.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise ValueError(f"database must be sqlite or postgresql, got {backend!r}")
    # the text of an error goes to the log, where no submission should stand
    create = partial(sa.create_engine, address, hide_parameters=True)
    if backend == "postgresql":
        return create(poolclass=NullPool)
    if address.database in (None, "", ":memory:"):
        return create(poolclass=StaticPool, connect_args={"check_same_thread": False})
    engine = create(poolclass=NullPool, connect_args={"check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # an acknowledgement survives a power cut

    return engine


def _lock_file(engine: sa.Engine) -> sqlite3.Connection | None:
    """Hold a file beside SQLite's that a second server cannot have, until the process ends."""
    if engine.dialect.name != "sqlite" or isinstance(engine.pool, StaticPool):
        return None
    # one database under two names has one lock
    path = f"{Path(str(engine.url.database)).resolve()}-lock"
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if connection is not None:
            connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise _in_use(engine) from error
        raise OSError(f"cannot lock {path}: {error}") from error
    return connection


def _prepare(session: sa.Connection) -> None:
    """Take PostgreSQL's lock, which lasts as long as the session does."""
    if session.dialect.name == "sqlite":
        return
    for pause in (0.0, 0.1, 0.3, 0.6, 1.0):  # one that was killed may not have let go yet
        time.sleep(pause)
        with session.begin():
            session.execute(_POSTGRESQL)
            if session.scalar(sa.select(sa.func.pg_try_advisory_lock(_ADVISORY_LOCK))):
                return
    raise _in_use(session.engine)


def _in_use(engine: sa.Engine) -> DatabaseInUseError:
    return DatabaseInUseError(f"database {engine.url!r} is in use by another server")
