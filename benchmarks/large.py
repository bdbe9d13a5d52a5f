"""How learning from chunks grows with the records: ``python benchmarks/large.py [largest]``.

Each size, 1e4 to the largest (1e8 unless another is given), runs in a process of its own, so that
its peak memory is its own. Records are drawn chunk by chunk from a seed, disguised, and counted;
the seconds of drawing and disguising stand beside those of learning. ``linear`` is the seconds a
record of this size over those of the size before: 1 is linear growth. Seconds are of the processor,
since others may use the machine, too.

It exits 1 where a run takes 1 GB or more, or where the growth above a million records is not linear
within a factor of two.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import RandomizedResponseNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import reconstruct_distribution

N_BITS, CHUNK, GB = 16, 1 << 20, 1e9
GROUPS = [list(range(0, N_BITS, 2)), list(range(1, N_BITS, 2))]


def sizes(n: int) -> Iterator[int]:
    """Yield the sizes of the chunks of n records."""
    for start in range(0, n, CHUNK):
        yield min(CHUNK, n - start)


def disguised_bits(n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Draw records of 16 bits, 0.6 of them as their class says, and disguise them in two groups."""
    rng = np.random.default_rng(0)
    scheme = RandomizedResponse(0.7, groups=GROUPS, class_group=1, random_state=rng)
    for size in sizes(n):
        y = rng.integers(0, 2, size, dtype=np.int8)
        odd = rng.integers(0, 5, (size, N_BITS), dtype=np.int8) > 2
        yield scheme.disguise(odd ^ y[:, np.newaxis], y)


def noisy_values(n: int) -> Iterator[np.ndarray]:
    """Draw values with a triangular density and add noise."""
    rng = np.random.default_rng(1)
    noise = AdditiveNoise("gaussian", scale=0.25, random_state=rng)
    for size in sizes(n):
        yield noise.transform(rng.triangular(0, 0.3, 1, (size, 1)))[:, 0]


def naive_bayes(n: int) -> tuple[float, float]:
    """Return the seconds of drawing and of learning n disguised records of 16 bits."""
    nb = RandomizedResponseNB(0.7, groups=GROUPS, class_group=1)
    drawing, learning = timed(
        disguised_bits(n), lambda chunk: nb.partial_fit(*chunk, classes=[0, 1])
    )
    start = time.process_time()
    share = nb.pair_count_[0, 1, 1] / nb.class_count_[1]  # of class 1, who have the first bit
    assert abs(share - 0.6) < 5 * 2 / n**0.5, share
    return drawing, learning + time.process_time() - start


def reconstruction(n: int) -> tuple[float, float]:
    """Return the seconds of drawing and of reconstructing n disguised values."""
    channel = AdditiveNoise("gaussian", scale=0.25).on(np.linspace(0, 1, 51))
    seen: list[ReleasedCounts] = []

    def count(values: np.ndarray) -> None:
        more = ReleasedCounts.of(channel, values)
        seen[:] = [seen[0] + more] if seen else [more]

    drawing, learning = timed(noisy_values(n), count)
    start = time.process_time()
    found = reconstruct_distribution(None, channel, counts=seen[0])
    assert abs(found.mean() - 1.3 / 3) < 0.02 + 5 * 0.35 / n**0.5
    return drawing, learning + time.process_time() - start


def timed(chunks: Iterator, learn: Callable) -> tuple[float, float]:
    """Learn from all chunks; return the seconds of drawing and of learning."""
    seconds = [0.0, 0.0]
    while True:
        start = time.process_time()
        chunk = next(chunks, None)
        seconds[0] += time.process_time() - start
        if chunk is None:
            return seconds[0], seconds[1]
        start = time.process_time()
        learn(chunk)
        seconds[1] += time.process_time() - start


RUNS = {"naive_bayes": naive_bayes, "reconstruction": reconstruction}


def one(name: str, n: int) -> None:
    """Run one size, and print its seconds and its peak memory in bytes."""
    drawing, learning = RUNS[name](n)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(drawing, learning, peak)


def growth(largest: int) -> bool:
    """Print a table for each learner; return whether all is within its bounds."""
    fine = True
    for name in RUNS:
        print(f"\n{name}\n{'records':>12} {'drawing s':>10} {'learning s':>11} {'ns/record':>10} "
              f"{'linear':>7} {'peak MB':>8}")
        before = None
        for n in (10**k for k in range(4, 10) if 10**k <= largest):
            command = [sys.executable, __file__, name, str(n)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            drawing, learning, peak = (float(each) for each in done.stdout.split())
            each = learning / n * 1e9
            linear = each / before if before else float("nan")
            print(f"{n:12,d} {drawing:10.2f} {learning:11.3f} {each:10.1f} {linear:7.2f} "
                  f"{peak / 1e6:8.0f}", flush=True)
            fine &= peak < GB and (n <= 10**6 or linear < 2)
            before = each
    return fine


if __name__ == "__main__":
    if len(sys.argv) == 3:
        one(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(not growth(int(float(sys.argv[1])) if len(sys.argv) == 2 else 10**8))
