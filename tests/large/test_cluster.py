"""On a real cluster of worker processes, of which one is killed: the same result, or an error."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from ppdm import dask as far
from ppdm.classifiers import RandomizedResponseNB
from ppdm.naive_bayes import CountNB
from ppdm.randomized_response import RandomizedResponse

dask = pytest.importorskip("dask", reason="the extra ppdm[dask]")
da = pytest.importorskip("dask.array", reason="the extra ppdm[dask]")
distributed = pytest.importorskip("distributed", reason="the extra ppdm[dask]")

# sockets that a killed worker leaves behind, and what Dask itself says of its age
pytestmark = [pytest.mark.long(part="large"), pytest.mark.filterwarnings("default")]

N_BLOCKS, SIZE, N_BITS = 60, 5_000, 6
SCHEME = RandomizedResponse(0.7, groups=[[0, 1], [2, 3, 4, 5]], class_group=1).fit(np.eye(6))


@contextmanager
def workers(n):
    """Give the client of a cluster of so many processes."""
    with (
        distributed.LocalCluster(
            n_workers=n, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def draw(block, folder, seconds):
    """Draw a block of records; leave a mark of the process that did."""
    with open(folder / f"{block}-{os.getpid()}-{time.monotonic_ns()}", "w"):
        time.sleep(seconds)
    rng = np.random.default_rng(block)
    y = rng.integers(0, 2, SIZE)
    return np.column_stack([rng.integers(0, 2, (SIZE, N_BITS)) ^ y[:, np.newaxis] & 1, y])


def table(folder, seconds):
    """Return records and classes as a Dask array of blocks drawn where they are wanted."""
    later = dask.delayed(draw)
    blocks = [
        da.from_delayed(later(j, folder, seconds), (SIZE, N_BITS + 1), dtype=np.int64)
        for j in range(N_BLOCKS)
    ]
    return da.concatenate(blocks)


def kill_half_way(folder, killed):
    """Kill a worker that drew, when a third of the blocks was drawn."""
    last = time.monotonic() + 300  # where nothing is drawn the test ends, and says so
    while len(marks := list(folder.iterdir())) < N_BLOCKS // 3 and time.monotonic() < last:
        time.sleep(0.01)
    killed.append(int(marks[-1].name.split("-")[1]))
    os.kill(killed[0], signal.SIGKILL)


@contextmanager
def a_worker_killed(folder):
    """Kill a worker while reports are learnt from; yield what becomes its number."""
    killed = []
    killer = threading.Thread(target=kill_half_way, args=(folder, killed), daemon=True)
    killer.start()
    yield killed
    killer.join()
    assert killed


def reports(folder, seconds):
    """Return reports and classes, disguised where the records are drawn."""
    folder.mkdir()
    records = table(folder, seconds)
    return far.disguise(SCHEME, records[:, :-1], records[:, -1], random_state=7)


def reports_of_one_process(folder):
    """Return the same reports, drawn one block after the other."""
    with dask.config.set(scheduler="synchronous"):
        return dask.compute(*reports(folder, 0))


def marks(folder):
    """Return block, process and time of each draw."""
    return [tuple(map(int, mark.name.split("-"))) for mark in folder.iterdir()]


def test_a_worker_killed_half_way_changes_no_count(tmp_path):
    # catches counts that are lost with their worker or counted twice, and a block that is disguised
    # with other draws when it is computed again
    R, z = reports(tmp_path / "far", 0.05)
    blank = RandomizedResponseNB(SCHEME)
    with workers(3), a_worker_killed(tmp_path / "far"):
        found = far.fit(blank, R, z, classes=[0, 1])
    drawn = [block for block, _, _ in marks(tmp_path / "far")]
    # not all was done when it died, and what it had done was done again by others
    assert len(drawn) > N_BLOCKS + 1
    assert set(drawn) == set(range(N_BLOCKS))

    R, z = reports_of_one_process(tmp_path / "near")
    whole = RandomizedResponseNB(SCHEME).fit(R, z)
    assert whole.class_count_.sum() == pytest.approx(N_BLOCKS * SIZE)
    assert np.array_equal(found.class_count_, whole.class_count_)
    assert np.array_equal(found.pair_count_, whole.pair_count_)


def deadly(block):
    """Kill whoever computes the last block."""
    if block[0, 0] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_a_block_that_kills_two_workers_is_an_error_that_says_so(tmp_path):
    X = np.zeros((8, 2), dtype=int)
    X[6] = 1
    nb = CountNB(2)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        workers(2),
    ):
        far_X = da.from_array(X, chunks=(2, 2)).map_blocks(deadly, dtype=int, meta=X[:0])
        with pytest.raises(distributed.KilledWorker, match=r"2 different workers, but all those"):
            far.fit(nb, far_X, da.from_array(X[:, 0], chunks=2), classes=[0, 1])
    assert vars(nb) == vars(CountNB(2))  # nothing was learnt
