"""How trees from chunks grow with the records: ``python benchmarks/large_trees.py [largest]``.

Each size, 1e5 to the largest (1e7 unless another is given), runs in a process of its own, so that
its peak memory is its own. A source draws its chunks anew from a seed at each reading; ``drawing``
is the share of the seconds that this takes. ``linear`` is the seconds a record over those of the
size before: 1 is linear growth.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from ppdm.classifiers import RandomizedResponseTreeClassifier, ReconstructedTreeClassifier
from ppdm.noise import AdditiveNoise

N_BITS, CHUNK, DEPTH = 16, 1 << 18, 6
NOISE = AdditiveNoise("uniform", scale=0.25, domain=[[0, 1]])


class Drawn:
    """A source of n records that can be read again, with the seconds that drawing took."""

    def __init__(self, n: int) -> None:
        self.n, self.seconds, self.readings = n, 0.0, 0

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        self.readings += 1
        for start in range(0, self.n, CHUNK):
            began = time.process_time()
            pair = self.draw(np.random.default_rng(start), min(CHUNK, self.n - start))
            self.seconds += time.process_time() - began
            yield pair


class Bits(Drawn):
    """Records of 16 bits that agree with their class in 60 of 100 cases, all or none reversed."""

    def draw(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw a chunk."""
        y = rng.integers(0, 2, size, dtype=np.int8)
        X = (rng.integers(0, 5, (size, N_BITS), dtype=np.int8) > 2) ^ y[:, None]
        lie = rng.random(size) > 0.7
        return (X ^ lie[:, None]).astype(np.int8), y


class Values(Drawn):
    """One value with noise, of two classes on either side of 0.4."""

    def draw(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw a chunk."""
        X = rng.triangular(0, 0.3, 1, (size, 1))
        return X + rng.uniform(-0.25, 0.25, X.shape), (X[:, 0] > 0.4).astype(np.int8)


def run(kind: str, n: int) -> None:
    source = (Bits if kind == "bits" else Values)(n)
    if kind == "bits":
        model = RandomizedResponseTreeClassifier(0.7, max_depth=DEPTH)
    else:
        model = ReconstructedTreeClassifier(NOISE, "byclass", max_depth=DEPTH)
    began = time.process_time()
    model.fit_chunks(source)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kilobytes on Linux
    print(seconds, source.seconds, source.readings, peak, model.estimator_.tree_.n_nodes)


def main(largest: float) -> None:
    names = {"bits": "tree, 16 bits, one coin, depth 6", "values": "ByClass, one value, depth 6"}
    for kind, name in names.items():
        before = 0.0
        for n in (10**k for k in range(5, 10) if 10**k <= largest):
            done = subprocess.run(
                [sys.executable, __file__, kind, str(n)], capture_output=True, text=True, check=True
            )
            seconds, drawing, readings, peak, nodes = (float(v) for v in done.stdout.split())
            linear = f"{seconds / n / before:.2f}" if before else "-"
            before = seconds / n
            print(
                f"{name:<34} {n:9.0e} records {seconds:8.1f} s (drawing {drawing / seconds:.0%}) "
                f"{readings:3.0f} readings  {peak:.2f} GB  {nodes:4.0f} nodes  linear {linear}",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(sys.argv[1], int(sys.argv[2]))
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e7)
