"""What survives a crash: the survey, the guidance of each epoch, and every submission.

No address and no time stands beside a submission. Its position is the order in which it
came, which the replay needs.
"""

import contextlib
import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Column, Integer, LargeBinary, Table, Text
from sqlalchemy.pool import NullPool, StaticPool

from ppdm.typing import Bits
from ppdm_survey._coin import CoinChannel
from ppdm_survey._errors import DatabaseInUseError, SurveyError, demand
from ppdm_survey._messages import PublishedGuidance
from ppdm_survey._schema import Survey, ascending
from ppdm_survey._tokens import new_key

#: What is stored has this layout. A change that the tables below cannot take over raises it.
LAYOUT = 1

#: A primary key that the database does not count by itself, and a column that is never empty.
_number = partial(Column, type_=Integer, primary_key=True, autoincrement=False)
_filled = partial(Column, nullable=False)

metadata = sa.MetaData()
STORE = Table("store", metadata, Column("layout", Integer), Column("closed", sa.Boolean))
SURVEY = Table(
    "survey", metadata, _number("id"), _filled("schema", Text), _filled("settings", Text),
    _filled("secret", LargeBinary), _filled("start", LargeBinary))
EPOCHS = Table("epoch", metadata, _number("epoch"), _filled("n_received", Integer),
               _filled("k", Integer), _filled("V", LargeBinary))
SUBMISSIONS = Table(
    "submission", metadata, _number("position"),
    _filled("token", LargeBinary(16), unique=True), _filled("epoch", Integer),
    _filled("label", sa.SmallInteger), _filled("bits", LargeBinary))
# by the code and without a row number: the order of the exchanges is not kept
INVITATIONS = Table(
    "invitation", metadata, Column("code", LargeBinary(16), primary_key=True),
    _filled("blinded", LargeBinary(32)), sqlite_with_rowid=False)
KEYS = Table("key", metadata, _number("id"), _filled("private", LargeBinary))

_ADVISORY_LOCK = 0x7070646D  # "ppdm"
# A commit means on disk, whatever the database's default; and a session whose network is gone
# ends within a minute, and its lock with it.
_POSTGRESQL = sa.text(
    "SELECT set_config('lock_timeout', '9s', false), "  # a writer that waits cannot be stopped
    "set_config('tcp_keepalives_idle', '20', false), "
    "set_config('tcp_keepalives_interval', '10', false), "
    "set_config('tcp_keepalives_count', '3', false), "
    "CASE current_setting('synchronous_commit') WHEN 'off' "
    "THEN set_config('synchronous_commit', 'on', false) END")


class Exchange(NamedTuple):
    """An invitation, and what it is to be exchanged for the signature of."""

    code: bytes
    """The nonce of the invitation."""
    blinded: bytes


class Row(NamedTuple):
    """One submission as it is stored, behind its position."""

    token: bytes
    """The nonce of its one-time token."""
    epoch: int
    label: int
    bits: bytes
    """R(t), eight bits a byte."""


def pack(ones: Sequence[int], n_bits: int) -> bytes:
    """Return R(t) as it is stored, from the indices of its set bits.

    Raises
    ------
    SurveyError
        If they are out of range or not ascending.
    """
    rule = f"ones must be whole numbers, distinct, ascending and in [0, {n_bits - 1}]"
    demand(ascending(ones, n_bits), rule, list(ones), SurveyError)
    return np.packbits(np.isin(np.arange(n_bits), ones)).tobytes()


def unpack(rows: Sequence[Row], n_bits: int) -> tuple[Bits, Bits]:
    """Return R and y of stored rows, shapes (n, n_bits) and (n,)."""
    packed = np.frombuffer(b"".join(row.bits for row in rows), np.uint8).reshape(len(rows), -1)
    R = np.unpackbits(packed, axis=1, count=n_bits).view(np.int8)
    return R, np.array([row.label for row in rows], dtype=np.int8)


class Opened(NamedTuple):
    """What a survey keeps from its beginning."""

    schema: dict[str, Any]
    settings: dict[str, Any]
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
    lock : bool, default=True
        Whether to keep the database for itself. Without, it may only be read, and nothing
        is created.

    Raises
    ------
    DatabaseInUseError
        If another server works on it, or it has another layout.
    sqlalchemy.exc.SQLAlchemyError
        If the address is none, or the database cannot be reached.
    """

    def __init__(self, url: str, *, lock: bool = True) -> None:
        self._engine = new_engine(url)
        self._locks = lock
        self._lock = lock_file(self._engine) if lock else None
        self._session: sa.Connection | None = None
        try:
            with self._transaction() as connection:
                found = _only_row(connection, STORE)
                if found is not None and found.layout != LAYOUT:
                    raise DatabaseInUseError(
                        f"database must have layout {LAYOUT}, got {found.layout}: it is another "
                        "version's of ppdm; go on with that one, and take its export along")
                self.closed = found is not None and bool(found.closed)
                if lock:
                    metadata.create_all(connection)
                if lock and found is None:  # new, or from before layouts had a number
                    connection.execute(sa.insert(STORE), {"layout": LAYOUT, "closed": False})
        except BaseException:
            self.close()
            raise

    def open(self, schema: dict[str, Any], settings: dict[str, Any], start: bytes) -> Opened:
        """Begin a survey, or go on with the one that is there.

        Before anybody has answered another one takes its place: a typo can be mended.

        Raises
        ------
        DatabaseInUseError
            If what is there is another and has answers, or is closed.
        """
        if self.closed:
            raise DatabaseInUseError(
                "the survey in this database is closed: export it, or name another database")
        # a new secret, too: nobody can submit a token that he got for other questions
        wanted = Opened(schema, settings, secrets.token_bytes(32), start)
        with self._transaction() as connection:
            found = _survey(connection)
            other = found and _differs(found, wanted)
            if found and not other:
                return found
            if connection.execute(sa.select(SUBMISSIONS.c.position).limit(1)).first():
                raise DatabaseInUseError(
                    f"database holds answers to a survey that was begun with {other}: start with "
                    "that, or name another database")
            over = [SURVEY, EPOCHS, KEYS, INVITATIONS]
            if found and found.settings["access"] == settings["access"] == "invitation":
                # invitations are out already, and some may be exchanged: both stay good
                wanted, over = wanted._replace(secret=found.secret), over[:2]
            for table in over:
                connection.execute(sa.delete(table))
            text = {"schema": json.dumps(schema), "settings": json.dumps(settings)}
            connection.execute(sa.insert(SURVEY), {"id": 1, **wanted._asdict(), **text})
        return wanted

    def signing_key(self) -> bytes:
        """Return the key that signs blindly; a new one where there is none."""
        with self._transaction() as connection:
            found: bytes | None = connection.scalar(sa.select(KEYS.c.private))
            if found is None:
                found = new_key()
                connection.execute(sa.insert(KEYS), {"id": 1, "private": found})
        return found

    def exchange(self, exchanges: Sequence[Exchange]) -> list[bool]:
        """Store what is new among the exchanges; say of each whether it may have its signature.

        Whoever was not answered may ask for the same again, and for nothing else.
        """
        asked = [(one.code, hashlib.sha256(one.blinded).digest()) for one in exchanges]
        first = dict(reversed(asked))
        with self._transaction() as connection:
            found = {code: old for code, old in connection.execute(sa.select(INVITATIONS))}
            known = {**first, **found}
            if len(known) > len(found):
                # all anew, by code: a page of the file has its rows as they came
                connection.execute(sa.delete(INVITATIONS))
                connection.execute(sa.insert(INVITATIONS), [
                    {"code": code, "blinded": known[code]} for code in sorted(known)])
        return [known[code] == blinded for code, blinded in asked]

    def find(self, tokens: Sequence[bytes]) -> dict[bytes, Row]:
        """Return those submissions whose tokens are among the given."""
        query = sa.select(SUBMISSIONS).where(SUBMISSIONS.c.token.in_(tokens))
        with self._transaction() as connection:
            return {row.token: Row(*row[1:]) for row in connection.execute(query)}

    def add(self, rows: Sequence[Row], position: int) -> None:
        """Store submissions in one transaction, the first one at a position.

        When this returns they are on disk. Two servers on one database would collide
        here, on the position.
        """
        values = [{"position": at, **row._asdict()} for at, row in enumerate(rows, position)]
        with self._transaction() as connection:
            connection.execute(sa.insert(SUBMISSIONS), values)

    def add_guidance(self, guidance: PublishedGuidance) -> None:
        """Store the guidance of a new epoch."""
        row = {"epoch": guidance.epoch, "n_received": guidance.n_received, "k": guidance.k,
               "V": guidance.V.astype("<f8").tobytes()}
        with self._transaction() as connection:
            connection.execute(sa.insert(EPOCHS), row)

    def guidance(self, epoch: int) -> PublishedGuidance | None:
        """Return the guidance of an epoch, None where none is stored yet."""
        query = sa.select(EPOCHS).where(EPOCHS.c.epoch == epoch)
        with self._transaction() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        V = np.frombuffer(row.V, dtype="<f8").reshape(-1, row.k)
        return PublishedGuidance(epoch=row.epoch, n_received=row.n_received, V=V)

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Yield all submissions, in order, ``size`` at a time."""
        query = sa.select(SUBMISSIONS).order_by(SUBMISSIONS.c.position).limit(size)
        last = 0
        while True:
            # page by page: an open cursor would keep the database from clearing up behind it
            with self._transaction() as connection:
                rows = connection.execute(query.where(SUBMISSIONS.c.position > last)).all()
            if not rows:
                return
            last = rows[-1].position
            yield [Row(*row[1:]) for row in rows]

    def settled(self) -> Opened:
        """Return the survey that is there."""
        with self._transaction() as connection:
            found = _survey(connection)
        if found is None:
            raise ValueError("database must hold a survey, got one without")
        return found

    def end(self, size: int) -> None:
        """Close the survey: forget the secret, the tokens, and the order within an epoch.

        What came after the last whole batch is sorted with that one: alone it would be few.
        """
        pages = list(self.pages(size))
        if len(pages) > 1 and len(pages[-1]) < size:
            pages[-2:] = [pages[-2] + pages[-1]]
        rows = (row for page in pages for row in sorted(page, key=lambda row: row[1:]))
        new = [{**row._asdict(), "token": at.to_bytes(16, "big"), "position": at}
               for at, row in enumerate(rows, 1)]
        with self._transaction() as connection:
            for table in metadata.tables.keys() - {"store", "survey", "epoch"}:
                connection.execute(sa.delete(metadata.tables[table]))
            if new:
                connection.execute(sa.insert(SUBMISSIONS), new)
            connection.execute(sa.update(SURVEY), {"secret": b""})
            connection.execute(sa.update(STORE), {"closed": True})
        self.closed = True

    def drop(self) -> None:
        """Delete everything; of SQLite, the files."""
        path = sqlite_path(self._engine)
        if path is None:
            with self._transaction() as connection:
                metadata.drop_all(connection)
        self.close()
        for suffix in ("", "-journal", "-lock") if path else ():
            Path(f"{path}{suffix}").unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the database."""
        self._drop_session()
        self._engine.dispose()
        if self._lock is not None:
            self._lock.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Give the session, new where it was lost; commit at the end, or drop it."""
        try:
            if self._session is None:
                self._session = self._engine.connect()
                if self._locks:
                    prepare(self._session)
            with self._session.begin():
                yield self._session
        except BaseException:
            self._drop_session()
            raise

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _only_row(connection: sa.Connection, table: sa.Table) -> Any:
    """Return the row of a table that has one; None where there is none, or no table."""
    there = sa.inspect(connection).has_table(table.name)
    return connection.execute(sa.select(table)).one_or_none() if there else None


def _survey(connection: sa.Connection) -> Opened | None:
    """Return the survey that is there, if one is."""
    if (found := _only_row(connection, SURVEY)) is None:
        return None
    _, schema, settings, secret, start = found
    # the first version wrote access only where people were invited, and knew one scheme
    known = {"scheme": "guided", "access": "open", **json.loads(settings)}
    return Opened(json.loads(schema), known, secret, start)


def _differs(found: Opened, wanted: Opened) -> str:
    """Return the options that open what is there, none where it is the same."""
    old, new = found.settings, wanted.settings
    scheme = old["scheme"]
    # read and written anew: an earlier version left out what it did not know
    known = Survey.from_dict(found.schema, scheme=scheme).to_dict(scheme)
    if scheme == new["scheme"] and known != wanted.schema:
        was, now = _leaves(known), _leaves(wanted.schema)
        off = [f"{key} {was.get(key, 'nothing')}, not {now.get(key, 'nothing')}"
               for key in {**was, **now} if was.get(key) != now.get(key)]
        return f"--survey FILE, and in FILE (places that differ: {len(off)}) {'; '.join(off[:3])}"
    return " ".join(
        CoinChannel.model_validate(old[name]).options if name == "channel"
        else f"--{name.replace('_', '-')} {old[name]}"
        for name in old if name != "order" and old[name] != new.get(name))  # there is one order


def _leaves(part: Any, at: str = "") -> dict[str, str]:
    """Return what a message says as JSON, by the keys and places that lead there."""
    if not isinstance(part, dict | list):
        return {at: json.dumps(part, ensure_ascii=False)}
    each = part.items() if isinstance(part, dict) else enumerate(part)
    return {key: leaf for name, one in each
            for key, leaf in _leaves(one, f"{at}.{name}".lstrip(".")).items()}


def sqlite_path(engine: sa.Engine) -> Path | None:
    """Return where SQLite's file is; None for PostgreSQL and for a database in memory."""
    if engine.dialect.name != "sqlite" or isinstance(engine.pool, StaticPool):
        return None
    return Path(str(engine.url.database)).resolve()  # one database under two names has one lock


def create_private(path: Path) -> Path:
    """Create a file that its owner alone may read; FileExistsError where one is there."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return path


def new_engine(url: str) -> sa.Engine:
    """Return an engine for one of the two kinds of database."""
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise ValueError("database must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME, "
                         f"got {url!r}") from None
    backend = address.get_backend_name()
    sqlite = backend == "sqlite"
    if backend not in ("sqlite", "postgresql") or (sqlite and address.query):
        raise ValueError(f"database must be sqlite (no options) or postgresql, got {address!r}")
    if sqlite and url.startswith("sqlite:///") and not address.database:
        raise ValueError(f"database must name a file, got {url!r}: it would be in memory and "
                         "forget everything; write sqlite:///FILE")
    in_memory = sqlite and address.database in (None, "", ":memory:")
    # the text of an error goes to the log, where no submission should stand
    engine = sa.create_engine(address, hide_parameters=True,
                              poolclass=StaticPool if in_memory else NullPool,
                              connect_args={"check_same_thread": False} if sqlite else {})
    if sqlite:
        sa.event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: sqlite3.Connection, _: Any) -> None:
    # A write-ahead log beside the file joined exchange and submission for .94, .84, .26 of people
    # at 1, 3, 30 an hour; a journal that each write deletes, for none. It stores 830 rows a second
    # one by one where the log did 1,930 (a log cut after each write: 920, but a reader stops that).
    connection.execute("PRAGMA journal_mode = DELETE")  # of a database in memory it has no effect
    connection.execute("PRAGMA synchronous = EXTRA")  # a power cut brings no journal back
    connection.execute("PRAGMA fullfsync = ON")  # on macOS, too
    connection.execute("PRAGMA secure_delete = ON")  # zeros in the place of what goes


def lock_file(engine: sa.Engine) -> sqlite3.Connection | None:
    """Hold a file beside SQLite's that a second server cannot have, until the process ends."""
    database = sqlite_path(engine)
    if database is None:
        return None
    path = f"{database}-lock"
    for one in (database, Path(path)):
        with contextlib.suppress(OSError):  # it is there, or SQLite says below what is wrong
            create_private(one)
    with contextlib.ExitStack() as closing:
        try:
            connection = sqlite3.connect(path, timeout=0, check_same_thread=False)
            closing.callback(connection.close)
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise _in_use(engine) from error
            raise OSError(f"cannot lock {path}: {error}") from error
        if database.stat().st_nlink > 1:
            # SQLite's journal stands beside the name: under another one it is not rolled back
            raise DatabaseInUseError(
                f"database {database} has a second name, a hard link, under which another server "
                "could open it: remove all names but one (a copy is made by the command backup)")
        closing.pop_all()
    return connection


def prepare(session: sa.Connection) -> None:
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
    return DatabaseInUseError(f"database {engine.url!r} is in use by a server: stop "
                              "that one first (Ctrl-C)")
