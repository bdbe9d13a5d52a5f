"""Nothing is kept in memory of those who have answered."""

import gc
import json
import tracemalloc
from http.client import HTTPConnection
from urllib.parse import urlsplit

import numpy as np
import pytest
from serving import serve

from ppdm_survey import Collector, create_app, voting_survey

pytestmark = pytest.mark.long(part="survey")


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
