"""The network's side: uvicorn, with limits so that nobody can hold the server alone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Seconds in which a request has come and been answered, or its connection is closed.
PATIENCE = 30.0
#: Connections that are kept; for one more, the one that has been waited for longest goes.
MOST = 500
#: Seconds that answers may take when the server is told to stop.
GRACE = 3
#: Bytes that are parsed before anything else is looked at.
PIECE = 512
#: Lines of one kind that are logged in a minute.
LINES = 10


class Connection(H11Protocol):
    """One connection, which gets a certain time for each of its requests."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MOST:
            silent = [one for one in self.connections if isinstance(one, Connection) and one.silent]
            min(silent, key=lambda one: one._since).drop()

    @property
    def silent(self) -> bool:
        """Whether no whole request is there that has no answer yet."""
        return not self.cycle or self.cycle.response_complete or self.cycle.more_body

    def data_received(self, data: bytes) -> None:
        """Parse piece by piece; behind the head of a request in chunks, nothing.

        Each chunk costs the parser as much as a header, however short it is. ``Guard`` refuses
        such a request, and until it has its turn the rest must not hold up the others.
        """
        for at in range(0, len(data), PIECE):
            chunked = any(name == b"transfer-encoding" for name, _ in self.headers or ())
            if chunked or self.transport.is_closing():
                return
            super().data_received(data[at : at + PIECE])

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Answer what has come; what has not come whole was promised nothing."""
        super().shutdown()
        if self.silent:
            self.drop()

    def drop(self) -> None:
        """Close without waiting for the other side."""
        self.connections.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(PATIENCE, self.drop)


class Seldom(logging.Filter):
    """Let through so many lines of one kind in a minute: who floods us shall not fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Count the lines that come from one place in the code."""
        kind, now = (record.pathname, record.lineno), time.monotonic()
        since, n = self._seen.get(kind, (now, 0))
        since, n = (now, 1) if now - since > 60 else (since, n + 1)
        self._seen[kind] = since, n
        if n == LINES:
            record.msg = f"{record.msg} (for a minute no more of these are shown)"
        return n <= LINES


def new_server(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Return a server with limits: of connections, of seconds, of lines in the log."""
    config = uvicorn.Config(
        app, host=host, port=port, http=Connection, ws="none", backlog=64, log_level="warning",
        access_log=False,  # it would hold addresses and times
        server_header=False, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    for name in ("uvicorn.error", "asyncio", "ppdm.survey._writer"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, Seldom) for one in logger.filters):
            logger.addFilter(Seldom())
    # some systems allow 256 open files until they are asked for more
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 2 * MOST:
            resource.setrlimit(resource.RLIMIT_NOFILE, (2 * MOST, hard))
    return uvicorn.Server(config)
