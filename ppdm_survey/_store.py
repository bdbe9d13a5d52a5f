"""What survives a crash: the survey, the guidance of each epoch, and every submission."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from ppdm_survey import _tables as tables
from ppdm_survey._blind import new_key
from ppdm_survey._database import lock_file, new_engine, prepare, sqlite_path
from ppdm_survey._errors import DatabaseInUseError
from ppdm_survey._messages import PublishedGuidance
from ppdm_survey._schema import Survey
from ppdm_survey._tables import LAYOUT, Exchange, Row, metadata


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
                found = _only_row(connection, tables.STORE)
                if found is not None and found.layout != LAYOUT:
                    raise DatabaseInUseError(
                        f"database must have layout {LAYOUT}, got {found.layout}: it is another "
                        "version's of ppdm; go on with that one, and take its export along")
                self.closed = found is not None and bool(found.closed)
                if lock:
                    metadata.create_all(connection)
                if lock and found is None:  # new, or from before layouts had a number
                    connection.execute(sa.insert(tables.STORE), {"layout": LAYOUT, "closed": False})
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
            other = _differs(found, wanted) if found else None
            if found and not other:
                return found
            if connection.execute(sa.select(tables.SUBMISSIONS.c.position).limit(1)).first():
                raise DatabaseInUseError(
                    f"database holds answers to a survey with another {other}, "
                    f"{json.dumps(getattr(found, str(other)))}: name another database or the "
                    "same survey")
            over = [tables.SURVEY, tables.EPOCHS, tables.KEYS, tables.INVITATIONS]
            if found and "access" in found.settings and "access" in settings:
                # invitations are out already, and some may be exchanged: both stay good
                wanted, over = wanted._replace(secret=found.secret), over[:2]
            for table in over:
                connection.execute(sa.delete(table))
            text = {"schema": json.dumps(schema), "settings": json.dumps(settings)}
            connection.execute(sa.insert(tables.SURVEY), {"id": 1, **wanted._asdict(), **text})
        return wanted

    def signing_key(self) -> bytes:
        """Return the key that signs blindly; a new one where there is none."""
        with self._transaction() as connection:
            found: bytes | None = connection.scalar(sa.select(tables.KEYS.c.private))
            if found is None:
                found = new_key()
                connection.execute(sa.insert(tables.KEYS), {"id": 1, "private": found})
        return found

    def exchange(self, exchanges: Sequence[Exchange]) -> list[bool]:
        """Store what is new among the exchanges; say of each whether it may have its signature.

        Whoever was not answered may ask for the same again, and for nothing else.
        """
        asked = [(one.code, hashlib.sha256(one.blinded).digest()) for one in exchanges]
        first = dict(reversed(asked))
        with self._transaction() as connection:
            found = {code: old for code, old in connection.execute(sa.select(tables.INVITATIONS))}
            known = {**first, **found}
            if len(known) > len(found):
                # all anew, by code: a page of the file has its rows as they came
                connection.execute(sa.delete(tables.INVITATIONS))
                connection.execute(sa.insert(tables.INVITATIONS), [
                    {"code": code, "blinded": known[code]} for code in sorted(known)])
        return [known[code] == blinded for code, blinded in asked]

    def find(self, tokens: Sequence[bytes]) -> dict[bytes, Row]:
        """Return those submissions whose tokens are among the given."""
        query = sa.select(tables.SUBMISSIONS).where(tables.SUBMISSIONS.c.token.in_(tokens))
        with self._transaction() as connection:
            return {row.token: Row(*row[1:]) for row in connection.execute(query)}

    def add(self, rows: Sequence[Row], position: int) -> None:
        """Store submissions in one transaction, the first one at a position.

        When this returns they are on disk. Two servers on one database would collide
        here, on the position.
        """
        values = [{"position": at, **row._asdict()} for at, row in enumerate(rows, position)]
        with self._transaction() as connection:
            connection.execute(sa.insert(tables.SUBMISSIONS), values)

    def add_guidance(self, guidance: PublishedGuidance) -> None:
        """Store the guidance of a new epoch."""
        row = {"epoch": guidance.epoch, "n_received": guidance.n_received, "k": guidance.k,
               "V": guidance.V.astype("<f8").tobytes()}
        with self._transaction() as connection:
            connection.execute(sa.insert(tables.EPOCHS), row)

    def guidance(self, epoch: int) -> PublishedGuidance | None:
        """Return the guidance of an epoch, None where none is stored yet."""
        query = sa.select(tables.EPOCHS).where(tables.EPOCHS.c.epoch == epoch)
        with self._transaction() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        V = np.frombuffer(row.V, dtype="<f8").reshape(-1, row.k)
        return PublishedGuidance(epoch=row.epoch, n_received=row.n_received, V=V)

    def pages(self, size: int) -> Iterator[list[Row]]:
        """Yield all submissions, in order, ``size`` at a time."""
        query = sa.select(tables.SUBMISSIONS).order_by(tables.SUBMISSIONS.c.position).limit(size)
        last = 0
        while True:
            # page by page: an open cursor would keep the database from clearing up behind it
            with self._transaction() as connection:
                rows = connection.execute(query.where(tables.SUBMISSIONS.c.position > last)).all()
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
        """Close the survey: forget the secret, the tokens, and the order within an epoch."""
        rows = (row for page in self.pages(size) for row in sorted(page, key=lambda row: row[1:]))
        new = [{**row._asdict(), "token": at.to_bytes(16, "big"), "at": at}
               for at, row in enumerate(rows, 1)]
        at_position = tables.SUBMISSIONS.c.position == sa.bindparam("at")
        with self._transaction() as connection:
            if new:
                connection.execute(sa.update(tables.SUBMISSIONS).where(at_position), new)
            for table in metadata.tables.keys() - {"store", "survey", "epoch", "submission"}:
                connection.execute(sa.delete(metadata.tables[table]))
            connection.execute(sa.update(tables.SURVEY), {"secret": b""})
            connection.execute(sa.update(tables.STORE), {"closed": True})
        self.closed = True

    def drop(self) -> None:
        """Delete everything; of SQLite, the files."""
        path = sqlite_path(self._engine)
        if path is None:
            with self._transaction() as connection:
                metadata.drop_all(connection)
        self.close()
        for suffix in ("", "-wal", "-shm", "-lock") if path else ():
            Path(f"{path}{suffix}").unlink(missing_ok=True)

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
    if (found := _only_row(connection, tables.SURVEY)) is None:
        return None
    _, schema, settings, secret, start = found
    return Opened(json.loads(schema), json.loads(settings), secret, start)


def _differs(found: Opened, wanted: Opened) -> str | None:
    """Return which of schema and settings is another; an earlier version's lacks newer keys."""
    schema = {**wanted.schema, **found.schema}
    with suppress(ValueError, TypeError):  # it may break a rule that came later
        schema = Survey.from_dict(schema).to_dict()
    if schema != wanted.schema:
        return "schema"
    return "settings" if found.settings != wanted.settings else None
