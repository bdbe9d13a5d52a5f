"""How a database is reached, and how one server keeps it for itself."""

import contextlib
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import NullPool, StaticPool

from ppdm_survey._errors import DatabaseInUseError

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


def sqlite_path(engine: sa.Engine) -> Path | None:
    """Return where SQLite's file is; None for PostgreSQL and for a database in memory."""
    if engine.dialect.name != "sqlite" or isinstance(engine.pool, StaticPool):
        return None
    return Path(str(engine.url.database)).resolve()  # one database under two names has one lock


def create_private(path: Path) -> bool:
    """Create a file that its owner alone may read; say whether it was not there."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return True
    return False


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
    in_memory = sqlite and address.database in (None, "", ":memory:")
    # the text of an error goes to the log, where no submission should stand
    engine = sa.create_engine(address, hide_parameters=True,
                              poolclass=StaticPool if in_memory else NullPool,
                              connect_args={"check_same_thread": False} if sqlite else {})
    if sqlite:
        sa.event.listen(engine, "connect", _configure)
    return engine


def _configure(connection: sqlite3.Connection, _: Any) -> None:
    connection.execute("PRAGMA journal_mode = WAL")  # of a database in memory it has no effect
    connection.execute("PRAGMA synchronous = FULL")  # an acknowledgement survives a power cut
    connection.execute("PRAGMA fullfsync = ON")  # on macOS, too
    connection.execute("PRAGMA secure_delete = ON")  # zeros in the place of what goes


def lock_file(engine: sa.Engine) -> sqlite3.Connection | None:
    """Hold a file beside SQLite's that a second server cannot have, until the process ends."""
    database = sqlite_path(engine)
    if database is None:
        return None
    path = f"{database}-lock"
    for one in (database, Path(path)):
        with contextlib.suppress(OSError):  # SQLite says what is wrong, below
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
            # SQLite's log stands beside the name: under another one the last rows are not found
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
    return DatabaseInUseError(f"database {engine.url!r} is in use by another server")
