"""How learning from chunks grows with the records: ``python benchmarks/large.py [largest]``.

Each size, 1e4 to the largest (1e8 unless another is given), runs in a process of its own, so that
its peak memory is its own. Records are drawn chunk by chunk from a seed, disguised, and counted;
a tree is grown on the patterns that came and how often. The seconds of drawing stand beside those
of learning; they are of the processor, since others may use the machine, too. Growth is linear
where the time of a record stays.

It exits 1 where a run takes 1 GB or more. With the whole growth to 1e8 (two minutes) it writes
``large.csv`` among the package's stored tables, for chapter 53.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from time import process_time

import numpy as np
from _stored import store

from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import reconstruct_distribution

WHOLE, GB = 10**8, 1e9
N_BITS, CHUNK, DEPTH, THETA, SCALE = 16, 1 << 18, 6, 0.7, 0.25

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def bits(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw 16 bits, each equal to the class with probability 0.6; disguise a record by one coin."""
    y = rng.integers(0, 2, size, dtype=np.int8)
    X = (rng.integers(0, 5, (size, N_BITS), dtype=np.int8) > 2) ^ y[:, np.newaxis]
    return RandomizedResponse(THETA, random_state=rng).disguise(X.astype(np.int8), y)


def values(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw one value with a triangular density and add uniform noise; nobody has a class."""
    x = rng.triangular(0, 0.3, 1, (size, 1))
    return x + rng.uniform(-SCALE, SCALE, x.shape), np.zeros(size, dtype=np.int8)


class Drawn:
    """A source of n records in chunks, with the seconds that drawing took."""

    def __init__(self, draw: Draw, n: int) -> None:
        self.draw, self.n, self.seconds = draw, n, 0.0

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for start in range(0, self.n, CHUNK):
            size = min(CHUNK, self.n - start)
            begun = process_time()
            chunk = self.draw(np.random.default_rng(start), size)
            self.seconds += process_time() - begun
            yield chunk


def naive_bayes(chunks: Drawn) -> None:
    nb = RandomizedResponseNB(RandomizedResponse(THETA))
    for X, y in chunks:
        nb.partial_fit(X, y, classes=[0, 1])
    share = nb.pair_count_[0, 1, 1] / nb.class_count_[1]  # of class 1: the first bit
    assert abs(share - 0.6) < 5 * 4 / chunks.n**0.5, share


def id3(chunks: Drawn) -> None:
    bits = 1 << np.arange(N_BITS + 1)  # of a pattern: the bits of a record, and its class
    times = np.zeros(2 ** bits.size, dtype=np.int64)
    for X, y in chunks:
        times += np.bincount(X @ bits[:-1] + y * bits[-1], minlength=times.size)
    came = np.flatnonzero(times)
    patterns = (came[:, np.newaxis] & bits > 0).astype(np.int8)
    tree = RandomizedResponseTreeClassifier(RandomizedResponse(THETA), max_depth=DEPTH)
    tree.fit(patterns[:, :-1], patterns[:, -1], times[came])
    assert tree.estimator_.get_depth() == DEPTH


def reconstruction(chunks: Drawn) -> None:
    channel = AdditiveNoise("uniform", scale=SCALE).on(np.linspace(0, 1, 51))
    seen = ReleasedCounts.from_chunks(channel, (x[:, 0] for x, _ in chunks))
    found = reconstruct_distribution(None, channel, counts=seen)
    assert abs(found.mean() - 1.3 / 3) < 0.02 + 5 * 0.35 / chunks.n**0.5


RUNS: dict[str, tuple[Draw, Callable[[Drawn], None]]] = {
    "naive Bayes": (bits, naive_bayes),
    "ID3": (bits, id3),
    "reconstruction": (values, reconstruction),
}


def one(name: str, n: int) -> None:
    """Learn from n records; print the seconds of drawing and of learning, and the peak in bytes."""
    draw, learn = RUNS[name]
    chunks = Drawn(draw, n)
    begun = process_time()
    learn(chunks)
    learning = process_time() - begun - chunks.seconds
    print(chunks.seconds, learning, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def growth(largest: int) -> bool:
    """Print a row for each size of each learner; return whether memory kept its limit.

    They are stored if all sizes ran.
    """
    rows = []
    print(f"{'':14}{'records':>13}{'drawing s':>11}{'learning s':>12}{'ns/record':>11}{'MB':>7}")
    for name, n in product(RUNS, (10**k for k in range(4, 10) if 10**k <= largest)):
        command = [sys.executable, __file__, name, str(n)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        drawing, learning, peak = (float(each) for each in done.stdout.split())
        print(f"{name:14} {n:12,d} {drawing:10.2f} {learning:11.3f} {1e9 * learning / n:10.1f} "
              f"{peak / 1e6:6.0f}", flush=True)
        rows.append({"learner": name, "records": n, "drawing": drawing, "seconds": learning,
                     "peak_mb": peak / 1e6})
    if largest >= WHOLE:
        store("large", rows, ("ppdm", "numpy"), ", one thread")
    return all(row["peak_mb"] * 1e6 < GB for row in rows)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        one(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(not growth(int(float(sys.argv[1])) if len(sys.argv) == 2 else WHOLE))
