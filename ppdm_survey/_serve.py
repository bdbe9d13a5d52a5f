"""The network's side: uvicorn, with limits so that nobody can hold the server alone."""

import asyncio
import logging
import time
from collections import Counter

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

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; where there are too many, close the longest silent other."""
        super().connection_made(transport)
        self.since = time.monotonic()
        self._timer = self.loop.call_later(PATIENCE, self._look)
        if len(self.connections) > MOST:
            # one that asks and does not read is not silent: it goes when no silent one is left
            others = [one for one in self.connections if isinstance(one, Connection)]
            min(others, key=lambda one: (one is self, not one.silent, one.since)).drop()

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
        self.since = time.monotonic()
        super().on_response_complete()

    def shutdown(self) -> None:
        """Answer what has come; what has not come whole was promised nothing."""
        super().shutdown()
        if self.silent:
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._timer.cancel()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close without waiting for the other side."""
        self.connections.discard(self)
        self.transport.abort()

    def _look(self) -> None:
        left = self.since + PATIENCE - time.monotonic()
        if left > 0:
            self._timer = self.loop.call_later(left, self._look)
        else:
            self.drop()


class Seldom(logging.Filter):
    """Let through so many lines of one kind in a minute: who floods us shall not fill the disk."""

    _seen: Counter[tuple[str, int]]
    _minute = -1

    def filter(self, record: logging.LogRecord) -> bool:
        """Count the lines that come from one place in the code."""
        kind, minute = (record.pathname, record.lineno), int(time.monotonic() / 60)
        if minute != self._minute:
            self._minute, self._seen = minute, Counter()
        self._seen[kind] += 1
        if self._seen[kind] == LINES:
            record.msg = f"{record.msg} (for a minute no more of these are shown)"
        return self._seen[kind] <= LINES


def new_server(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Return a server with limits: of connections, of seconds, of lines in the log."""
    # the access log would hold addresses and times
    server = uvicorn.Server(uvicorn.Config(
        app, host=host, port=port, http=Connection, ws="none", backlog=64, log_level="warning",
        access_log=False, server_header=False, timeout_graceful_shutdown=GRACE))
    for name in ("uvicorn.error", "asyncio", "ppdm_survey._writer"):
        logging.getLogger(name).filters = [Seldom()]
    return server
