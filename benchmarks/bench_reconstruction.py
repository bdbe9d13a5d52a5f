"""Reconstruction beside NumPy's histogram and beside another package's iteration.

Run with ``python benchmarks/bench_reconstruction.py``. The target of the first lines: counting
a million disguised values and iterating until the paper's stop rule is met takes at most 1.5
times as long as ``np.histogram`` needs to put the same values into 200 equal cells. Under each
stand its two parts beside the same histogram: the counting, and all that follows it.

The peer of the last lines is ``multi_freq_ldpy`` (``pip install multi-freq-ldpy``), for
comparison only; numba compiles its loop, and the seconds of that are told beside. It multiplies
by the same matrix on both sides, which is right for symmetric channels alone, so both iterate on
randomised response. The targets: at most 3 times its seconds at 100 values, 1.2 times at 1,000.
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

from functools import partial

import numpy as np
from _timing import paired_ratio, report

from ppdm.datasets import make_plateau, make_triangles
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import em, reconstruct_distribution

N_VALUES, N_INTERVALS, N_STEPS = 1_000_000, 100, 1000
NOISES = {"uniform, half-width 0.5": ("uniform", 0.5), "Gaussian, sd 0.25": ("gaussian", 0.25)}
SHAPES = {"plateau": make_plateau, "triangles": make_triangles}


def against_histogram() -> None:
    edges = np.linspace(0, 1, N_INTERVALS + 1)
    for shape, make in SHAPES.items():
        for title, (distribution, scale) in NOISES.items():
            noise = AdditiveNoise(distribution, scale=scale, random_state=1)
            values = noise.transform(make(N_VALUES, random_state=0))[:, 0]
            channel = noise.on(edges)
            counts = channel.count(values)
            ours = partial(reconstruct_distribution, values, noise, edges)
            counting = partial(channel.count, values)
            stepping = partial(reconstruct_distribution, None, noise, edges, counts=counts)
            peer, steps = partial(np.histogram, values, 200), ours().n_iter
            name = f"{shape}, {title}: count, {steps} steps / histogram"
            report(name, paired_ratio(ours, peer, 51), 1.5)
            report("  counting alone", paired_ratio(counting, peer, 51), None)
            report("  the steps alone, from counts", paired_ratio(stepping, peer, 51), None)


def against_iterative_bayesian_update() -> None:
    try:
        from multi_freq_ldpy.estimators.Histogram_estimator import IBU
    except ImportError:
        print("EM / iterative Bayesian update: skipped (pip install multi-freq-ldpy)")
        return
    for k, target in ((100, 3.0), (1000, 1.2)):
        channel = np.full((k, k), 0.5 / (k - 1))
        np.fill_diagonal(channel, 0.5)
        rng = np.random.default_rng(0)
        counts = rng.multinomial(N_VALUES, channel @ rng.dirichlet(np.ones(k)))
        ours = partial(em, channel, counts, stop=None, max_iter=N_STEPS)
        never = 0.0  # the peer stops where the change is below it
        peer = partial(IBU, k, channel, counts / N_VALUES, N_STEPS, never, "max_abs")
        start = time.perf_counter()
        IBU(k, channel, counts / N_VALUES, 1, never, "max_abs")
        compiled = time.perf_counter() - start  # nothing left to compile the second time
        if not np.allclose(ours().probabilities, peer(), atol=1e-12):
            raise AssertionError("the two iterations disagree")
        name = f"EM, {k} values, {N_STEPS} steps / iterative Bayesian update"
        report(name, paired_ratio(ours, peer, 11), target)
        print(f"  the first call of the peer, which compiles: {compiled:.1f} s")


if __name__ == "__main__":
    against_histogram()
    against_iterative_bayesian_update()
