"""Floods from one machine, and many who answer: neither disk nor memory fills."""

import gc
import json
import resource
import socket
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np
import pytest
from serving import serve
from survey_server import Server

from ppdm_survey import Collector, create_app, voting_survey

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

    with ThreadPoolExecutor(4) as four:
        for _ in range(4):
            four.submit(drip)
        try:
            took = waits(server, 8)
        finally:
            over.set()
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


def submit(url, first, n):
    """Let n people answer over one connection, behind the first ones."""
    rng, line = np.random.default_rng(first), HTTPConnection(urlsplit(url).netloc)

    def ask(what, body):
        line.request("POST", f"/api/{what}", json.dumps(body), {"Content-Type": "application/json"})
        answer = line.getresponse()
        return answer.status, answer.read()

    for i in range(first, first + n):
        token = json.loads(ask("ready", {"epoch": i // 100})[1])["token"]
        ones = np.flatnonzero(rng.random(32) < 0.4).tolist()
        body = {"token": token, "epoch": i // 100, "class": i % 2, "ones": ones}
        assert ask("submit", body)[0] == 204
    line.close()


def test_memory_does_not_grow_with_the_tuples(tmp_path):
    """Ten epochs more leave ten lines, and no tuple.

    An epoch's line is a dict of its hash, another of its accuracy, and its k*: under 1 KiB.
    The classifier, its published counts and the buffers of a connection are there after
    the first 500 tuples as after 3,500. 64 KiB are left for what caches and lists grow by.
    One R(t) as an array takes 144 bytes, a row of the store over 200, a future over 500:
    1,000 of any of them would be 140 KiB or more, in each of three rounds. What is loaded once,
    as a first refusal or a cache that has not seen so many rows together, is in one of them.
    """
    n, batch = 1_000, 100
    with (Collector(voting_survey(), f"sqlite:///{tmp_path}/survey.sqlite", batch_size=batch)
          as collector, serve(create_app(collector)) as url):
        submit(url, 0, n // 2)
        gc.collect()
        tracemalloc.start()
        used = [0]
        for nth in range(3):
            submit(url, n // 2 + nth * n, n)
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert collector.n_received == n // 2 + 3 * n
    assert np.diff(used).min() < n // batch * 1024 + 64 * 1024, used
