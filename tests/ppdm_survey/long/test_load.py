"""Sixty-four respondents at once: nobody is lost or doubled, and nothing is kept in memory."""

import gc
import tracemalloc
from base64 import urlsafe_b64decode

import httpx
import numpy as np
import pytest
from serving import serve
from survey_load import run_load
from survey_server import Server
from test_durability import OPTIONS, rows_of

from ppdm_survey import Collector, create_app, voting_survey

pytestmark = pytest.mark.long(part="survey")

N_BITS = voting_survey().n_bits


def test_sixty_four_clients(database, capsys, scheme):
    with Server(database, *OPTIONS[scheme]) as server:
        coin = scheme == "coin"
        load = run_load(server.port, clients=64, submissions=2_000, n_bits=N_BITS,
                        channel=server.get("api/channel") if coin else None)
        with capsys.disabled():
            print(f"\n{scheme}, {database.partition(':')[0]}, 64 clients: {load.line()}")
        found = server.get("miner/api/results")
        assert found["n_reports" if coin else "n_received"] == 2_000
        assert server.stop() == 0
    assert len(set(load.tokens)) == 2_000
    rows = rows_of(database)
    assert len(rows) == 2_000
    assert {bytes(row.token) for row in rows} == {
        urlsafe_b64decode(token + "=")[:16] for token in load.tokens
    }


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
    with Collector(voting_survey(), f"sqlite:///{tmp_path}/survey.sqlite") as collector:
        assert collector.batch_size == batch
        with serve(create_app(collector)) as url:
            port = httpx.URL(url).port
            run_load(port, clients=8, submissions=n // 2, n_bits=N_BITS)
            gc.collect()
            tracemalloc.start()
            used = [0]
            for seed in (1, 2, 3):
                run_load(port, clients=8, submissions=n, n_bits=N_BITS, seed=seed)
                gc.collect()
                used.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.stop()
        assert collector.n_received == n // 2 + 3 * n
    assert np.diff(used).min() < n // batch * 1024 + 64 * 1024, used
