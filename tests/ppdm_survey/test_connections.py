"""What one side of a connection cannot do to the others: stay silent, drip, flood, hold on."""

import logging
import os
import signal
import socket
import time
from contextlib import ExitStack

import httpx
import pytest
from serving import serve
from survey_server import Server

from ppdm_survey import Collector, _serve, create_app, voting_survey
from ppdm_survey._serve import Seldom

HEAD = b"POST /api/submit HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HALVES = {
    "nothing": b"",
    "half a line": b"GET /api/inq",
    "half a head": b"GET /api/inquiry HTTP/1.1\r\nHost: localhost\r\n",
    "half a body": HEAD + b"Content-Length: 100\r\n\r\n{",
    "half of a second one": b"GET /api/inquiry HTTP/1.1\r\nHost: localhost\r\n\r\nGET /",
}


@pytest.fixture
def port():
    with Collector(voting_survey()) as collector, serve(create_app(collector)) as url:
        yield httpx.URL(url).port


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def everything(one):
    """Read to the end; that it is cut off is an end, too."""
    parts = []
    try:
        while part := one.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize("half", HALVES)
def test_who_does_not_go_on_is_cut_off(port, monkeypatch, half):
    """Each of them held its connection for as long as it liked."""
    monkeypatch.setattr(_serve, "PATIENCE", 0.5)
    with connect(port) as one:
        began = time.monotonic()
        one.sendall(HALVES[half])
        everything(one)
        assert time.monotonic() - began < 5  # before the five seconds of a kept connection


def test_patience_begins_anew_with_each_request(port, monkeypatch):
    """Who asks again and again on one connection keeps it."""
    monkeypatch.setattr(_serve, "PATIENCE", 2.0)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        streams = set()
        for _ in range(6):
            time.sleep(0.5)
            answer = client.get("/api/inquiry")
            streams.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
        assert len(streams) == 1


def test_a_crowd_of_silent_ones_locks_nobody_out(port, monkeypatch):
    """The oldest silent connection makes room; one that has sent its request is left alone."""
    monkeypatch.setattr(_serve, "MOST", 8)
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(port)) for _ in range(30)]
        client = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}"))
        assert client.get("/api/inquiry").status_code == 200
        # those who came first went first, and the last seven are still there
        assert everything(silent[0]) == b""
        silent[-1].sendall(b"GET /api/inquiry HTTP/1.0\r\n\r\n")
        assert b" 200 " in everything(silent[-1])


def test_those_who_ask_and_do_not_read_lock_nobody_out(port, monkeypatch):
    """An answer that nobody reads is not silence; they kept their places, and the next had none."""
    monkeypatch.setattr(_serve, "MOST", 6)
    with ExitStack() as stack:
        for _ in range(6):
            one = stack.enter_context(connect(port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(b"GET /static/ppdm.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
        time.sleep(1)  # until what the system keeps for each is full
        for _ in range(4):
            assert httpx.get(f"http://127.0.0.1:{port}/api/inquiry").status_code == 200


def test_body_that_is_too_large_is_refused_and_the_connection_closed(port):
    """Before, all of it was read, however much came."""
    with connect(port) as one:
        one.sendall(HEAD + b"Content-Length: 1000000000\r\n\r\n" + b" " * 100_000)
        began = time.monotonic()
        answer = everything(one)
        assert time.monotonic() - began < 2 * _serve.REST + 5
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in answer.lower()
    assert b'"error": "too_large"' in answer


@pytest.mark.parametrize("method", [b"POST", b"GET"])
def test_body_in_chunks_is_refused_and_not_parsed(port, method, monkeypatch):
    """A chunk of one byte costs the parser as much as a whole request line."""
    chunks = []
    parse = _serve.H11Protocol.data_received
    monkeypatch.setattr(_serve.H11Protocol, "data_received",
                        lambda self, data: (chunks.append(len(data)), parse(self, data)))
    with connect(port) as one:
        head = HEAD.replace(b"POST", method)
        one.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 20_000)
        answer = everything(one)
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"connection: close" in answer.lower()
    assert sum(chunks) <= 2 * _serve.PIECE  # the head may have come alone


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_though_people_are_in_the_middle(told, tmp_path):
    """An unfinished body held the server for as long as its sender liked."""
    with (Server(f"sqlite:///{tmp_path}/survey.sqlite") as server, ExitStack() as stack):
        for half in HALVES.values():
            stack.enter_context(connect(server.port)).sendall(half)
        time.sleep(0.5)
        os.kill(server.pid, told)
        assert server.ended() == 0
        assert server.said().partition("Stop with Ctrl-C")[2].count("\n") == 1  # no traceback
    # a store that was closed has nothing to undo
    assert not list(tmp_path.glob("*.sqlite-journal"))


def test_log_is_not_flooded(caplog, monkeypatch):
    """One line after the other of the same kind filled a disk; others are still seen."""
    logger, seldom, now = logging.getLogger("seldom"), Seldom(), [600.0]
    monkeypatch.setattr(_serve.time, "monotonic", lambda: now[0])
    logger.addFilter(seldom)
    try:
        for i in range(1001):
            now[0] += 60 * (i == 1000)  # it is silent for a minute only
            logger.warning("invalid request %d", i)
            if i == 999:
                logger.warning("another")
    finally:
        logger.removeFilter(seldom)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == _serve.LINES + 2
    assert said[-3:] == ["invalid request 9 (for a minute no more of these are shown)", "another",
                         "invalid request 1000"]
