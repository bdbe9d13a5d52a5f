"""Two workers against one, on a cluster: ``python benchmarks/dask_workers.py [n [tree]]``.

n disguised records of 16 bits (2e7 unless another number is given) are drawn in blocks where they
are wanted, and learnt from by naive Bayes; or, with the word ``tree`` behind n, kept there, and
learnt from by a tree of three levels. Runs with one worker and with two alternate, five of
each; the ratio is the median of the pairs'. ``not counting`` is the share of the workers' time in
which no block was drawn or counted: Dask's scheduling, sending, adding, waiting.

It exits 1 where two workers are less than 1.7 times as fast as one. It needs two cores that nobody
else uses: it says how busy the machine was when it began.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, get_task_stream

from ppdm import dask as far
from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.randomized_response import RandomizedResponse

N_BITS, BLOCK, TARGET = 16, 500_000, 1.7
TREE = "tree" in sys.argv[1:]
GROUPS = [list(range(0, N_BITS, 2)), list(range(1, N_BITS, 2))]


def draw(seed: int) -> np.ndarray:
    """Draw one block of records, the class last."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (BLOCK, 1), dtype=np.int8)
    odd = rng.integers(0, 5, (BLOCK, N_BITS), dtype=np.int8) > 2
    return np.hstack([odd ^ y, y])


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    """Start a cluster whose workers have imported what they need."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=n_workers, **options) as local,
        Client(local, set_as_default=False) as client,
    ):
        client.wait_for_workers(n_workers)
        run(client, 4 * n_workers)
        yield client


def run(client: Client, n_blocks: int) -> tuple[float, float]:
    """Return the seconds that pass and the share of the workers' time that is not counting."""
    with client.as_current(), get_task_stream(client) as stream:
        start = time.perf_counter()
        learn(n_blocks)
        seconds = time.perf_counter() - start
    busy = sum(
        each["stop"] - each["start"]
        for task in stream.data
        for each in task["startstops"]
        if each["action"] == "compute"
    )
    return seconds, 1 - busy / (len(client.nthreads()) * seconds)


def learn(n_blocks: int) -> None:
    """Draw, disguise and count so many blocks."""
    scheme = RandomizedResponse(0.7, groups=GROUPS, class_group=1).fit(np.eye(N_BITS))
    drawn = [dask.delayed(draw)(seed) for seed in range(n_blocks)]
    shape = BLOCK, N_BITS + 1
    records = da.concatenate([da.from_delayed(one, shape, dtype=np.int8) for one in drawn])
    R, z = far.disguise(scheme, records[:, :-1], records[:, -1], random_state=0)
    if TREE:
        R, z = dask.persist(R, z)
        far.fit(RandomizedResponseTreeClassifier(scheme, max_depth=3), R, z)
    else:
        far.fit(RandomizedResponseNB(scheme), R, z, classes=[0, 1])


def main(n: int) -> bool:
    """Print the table; return whether the target was met."""
    n_blocks = max(n // BLOCK, 1)
    print(f"{n_blocks * BLOCK:,d} records in {n_blocks} blocks; {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f} before")
    pairs = []
    with cluster(1) as alone, cluster(2) as both:
        for _ in range(5):
            pairs.append((run(alone, n_blocks), run(both, n_blocks)))
            (one, idle), (two, idle_two) = pairs[-1]
            print(f"one {one:6.2f} s ({idle:4.0%} not counting), two {two:6.2f} s "
                  f"({idle_two:4.0%}): {one / two:.2f} times as fast", flush=True)
    ratio = statistics.median(one / two for (one, _), (two, _) in pairs)
    print(f"median {ratio:.2f}, target {TARGET}: {'ok' if ratio >= TARGET else 'MISSED'}")
    return ratio >= TARGET


if __name__ == "__main__":
    sys.exit(not main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000_000))
