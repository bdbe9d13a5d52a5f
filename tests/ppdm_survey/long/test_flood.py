"""Floods from one machine: the others are served meanwhile, and the disk does not fill."""

import resource
import socket
import threading
import time
from contextlib import ExitStack

import pytest
from survey_server import Server

pytestmark = [
    pytest.mark.long(part="survey"),
    pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux's prlimit"),
]
HEAD = b"POST /api/submit HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def server(tmp_path):
    with Server(f"sqlite:///{tmp_path}/survey.sqlite") as server:
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        yield server


def waits(server, seconds):
    """Ask on new connections for some time; return how long each answer took."""
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        assert server.get("api/inquiry")["epoch"] == 0
        took.append(time.monotonic() - began)
    return took


def test_thousands_of_idle_connections(server):
    """With 1,024 files there was no answer any more, and 50 MB in the log."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    with ExitStack() as stack:
        for _ in range(2_600):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        took = waits(server, 5)
    print(f"2,600 idle connections: {len(took)} answers, the slowest after {max(took):.2f} s, "
          f"{len(server.said())} characters in the log")
    assert max(took) < 3
    assert len(server.said()) < 20_000


def test_chunks_of_one_byte(server):
    """Four senders of one-byte chunks made everybody wait for eight seconds."""
    over = threading.Event()
    flood = b"1\r\n \r\n" * 200_000

    def drip():
        while not over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", server.port), timeout=30) as one:
                    one.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + flood)
                    one.recv(65536)
                    over.wait(2)
            except OSError:
                pass

    threads = [threading.Thread(target=drip) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        took = waits(server, 8)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    print(f"one-byte chunks: {len(took)} answers, the slowest after {max(took):.2f} s")
    assert max(took) < 2


def test_what_is_no_http_does_not_fill_the_disk(server):
    """Each was a line of the log."""
    for _ in range(2_000):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as one:
            one.sendall(b"nonsense\r\n\r\n")
            one.recv(1000)
    assert "no more of these are shown" in server.said()
    assert len(server.said()) < 20_000
