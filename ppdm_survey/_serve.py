"""The network's side: headers on every answer, and limits so that nobody can hold the server alone.

``Guard`` stands before the app, ``Connection`` before uvicorn's parser.
"""

import asyncio
import contextlib
import errno
import json
import logging
import re
import socket
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Bytes of the largest request that is read; R(t) of a thousand bits takes under 5,000.
LIMIT = 65_536

#: Seconds in which one who has been refused may send the rest, which is thrown away. Were the
#: connection closed on it, the refusal might be lost on the way.
REST = 2.0

#: No script, style or address of another host, nothing inline, no form that sends itself.
HEADERS = {
    "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_FIXED = dict(Headers(HEADERS).raw)
_STATIC = {**_FIXED, b"cache-control": b"no-cache"}  # or an upgrade would not arrive
_FRESH = {**_FIXED, b"cache-control": b"no-store"}

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


class Guard:
    """ASGI middleware: security headers on every answer, and no large or foreign body.

    Parameters
    ----------
    app : ASGI application
    hosts : sequence of str, default=()
        The names under which it answers; every name, where empty.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                fixed = _STATIC if "/static/" in scope["path"] else _FRESH
                # some may be there: the miner's app has a guard of its own
                message["headers"] = list((dict(message["headers"]) | fixed).items())
            await send(message)

        headers = Headers(scope=scope)
        # the name without its port
        if self._hosts and re.sub(r":\d*$", "", headers.get("host", "")).lower() not in self._hosts:
            await _refuse(send_with_headers, 400, "foreign_host",
                          f"the server answers only as {', '.join(sorted(self._hosts))}")
        elif "transfer-encoding" in headers:
            await _refuse(send_with_headers, 411, "no_length",
                          "a request must say how long it is, in Content-Length", receive)
        elif scope["method"] == "HEAD":
            # the server sends what stands before the body, and no body
            await self._app({**scope, "method": "GET"}, receive, send_with_headers)
        elif scope["method"] != "POST":
            await self._app(scope, receive, send_with_headers)
        else:
            await self._post(headers, scope, receive, send_with_headers)

    async def _post(self, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a message through whose body is short and JSON."""
        body = await _read(receive)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if body is None:
            await _refuse(send, 413, "too_large",
                          f"a request must have at most {LIMIT} bytes", receive)
        elif kind != "application/json":
            await _refuse(send, 415, "not_json", "Content-Type must be application/json")
        elif not _is_json(body):
            await _refuse(send, 400, "not_json",
                          "the body must be JSON in UTF-8, with no key twice in an object")
        else:
            await self._app(scope, _replay(body, receive), send)


def _is_json(body: bytes) -> bool:
    """Say whether there is one meaning to a body, and the parser can take it."""
    try:
        # NaN and Infinity are no JSON, and no int either
        json.loads(body.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=int)
    except (ValueError, RecursionError):
        return False
    return True


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


async def _read(receive: Receive) -> bytes | None:
    """Return the whole body; None as soon as it is too large."""
    body, more = b"", True
    while more and len(body) <= LIMIT:
        message = await receive()
        if message["type"] != "http.request":
            return b""  # the client has gone
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body if len(body) <= LIMIT else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body once, and then what the client does."""
    waiting = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replayed() -> Message:
        return next(waiting, None) or await receive()

    return replayed


async def _refuse(
    send: Send, status: int, code: str, reason: str, rest: Receive | None = None
) -> None:
    """Say why not; where there is a rest, let it come for a moment, and close the connection."""
    body = json.dumps({"error": code, "reason": reason}).encode("ascii")
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(b"connection", b"close")] if rest else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(REST):
            while rest is not None and (await rest()).get("more_body"):
                pass
    await send({"type": "http.response.body"})


class Connection(H11Protocol):
    """One connection, which gets a certain time for each of its requests."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; where there are too many, close the longest silent other."""
        super().connection_made(transport)
        self._wait()
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
        self._timer.cancel()
        self._wait()
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

    def _wait(self) -> None:
        self.since = time.monotonic()
        self._timer = self.loop.call_later(PATIENCE, self.drop)


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


def demand_free(host: str, port: int) -> None:
    """Refuse a port that is taken, before anything is stored or said; let go of a free one."""
    for family, *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        try:
            socket.create_server((address[0], port), family=family).close()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:  # of anything else the server says what it is
                raise OSError(f"port {port} is taken, perhaps by another survey: give another "
                              f"one, --port {port + 1}") from error


def new_server(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Server:
    """Return a server with limits: of connections, of seconds, of lines in the log."""
    # the access log would hold addresses and times
    server = uvicorn.Server(uvicorn.Config(
        app, host=host, port=port, http=Connection, ws="none", backlog=64, log_level="warning",
        access_log=False, server_header=False, timeout_graceful_shutdown=GRACE))
    for name in ("uvicorn.error", "asyncio", "ppdm_survey"):
        logging.getLogger(name).filters = [Seldom()]
    return server
