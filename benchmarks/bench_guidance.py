"""What perturbation guidance costs the miner, beside the reconstruction it replaces.

ZWZ05, section 7.1, has the guidance cost O(n^2) a refresh, n the number of attributes, and
off the critical path; ByClass reconstruction is done when all data are there. Measured
here: both on 100,000 people of nine attributes, and a refresh taken apart. O(n^2) is the
accumulation; the decomposition grows with the cube.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time

import numpy as np
from _timing import Ratio, paired_ratio, report
from numpy.typing import NDArray

from ppdm.datasets import AGRAWAL_DOMAIN, make_agrawal
from ppdm.guidance import Guidance, one_hot, perturb

N, BATCH, LEVEL = 100_000, 100, 8
N_VALUES = (4, 4, 4, 5, 4, 9, 4, 4, 4)
NOMINAL = (3, 5)
SIZES = (42, 100, 400, 1000)


def guide(R: NDArray[np.intp], y: NDArray[np.intp]) -> None:
    """Take all tuples, in batches; k* and V_k* after each."""
    guidance = Guidance(R.shape[1])
    for start in range(0, len(R), BATCH):
        guidance.update(R[start : start + BATCH], y[start : start + BATCH])
        guidance.vectors(guidance.disclosure_level())


def against_byclass(X: NDArray[np.float64], y: NDArray[np.intp]) -> None:
    cuts = [
        None if j in NOMINAL else np.quantile(column, [0.25, 0.5, 0.75])
        for j, column in enumerate(X.T)
    ]
    T = one_hot(X, N_VALUES, cuts=cuts)
    R = perturb(T, Guidance(T.shape[1]).update(T, y).vectors(LEVEL), random_state=1)
    name = f"guidance, {N:,} tuples of {T.shape[1]} bits, a refresh every {BATCH}"
    try:
        from ppdm.noise import AdditiveNoise
        from ppdm.reconstruction import reconstruct_distribution
    except ImportError as error:
        print(f"{name}: {seconds(lambda: guide(R, y)):.2f} s; peer skipped: {error}")
        return
    noise = AdditiveNoise("gaussian", domain=AGRAWAL_DOMAIN, random_state=2).fit(X)
    disguised = noise.transform(X)
    intervals = np.linspace(AGRAWAL_DOMAIN[:, 0], AGRAWAL_DOMAIN[:, 1], 101, axis=1)

    def reconstruct() -> None:
        reconstruct_distribution(disguised, noise, intervals, labels=y)

    measured = paired_ratio(lambda: guide(R, y), reconstruct)
    print("peer: ByClass reconstruction of the same people, nine attributes of 100 intervals")
    report(name, measured, None)
    report(
        "  of it after the last tuple, one refresh",
        Ratio(measured.ours * BATCH / N, measured.peer, measured.ratio * BATCH / N),
        None,
    )


def refresh_apart() -> None:
    """Time a batch's accumulation and the decomposition that follows it, by size."""
    rng = np.random.default_rng(0)
    table = []
    for n_bits in SIZES:
        R, y = rng.integers(0, 2, (BATCH, n_bits), dtype=np.int8), rng.integers(0, 2, BATCH)
        guidance = Guidance(n_bits)
        pairs = []
        for _ in range(5 if n_bits > 500 else 15):
            added = seconds(partial(guidance.update, R, y))
            pairs.append((added, seconds(guidance.disclosure_level)))
        table.append([median(times) for times in zip(*pairs, strict=True)])
        print(
            f"refresh at {n_bits:5,} bits: {table[-1][0] * 1e3:9.3f} ms to add {BATCH} tuples, "
            f"{table[-1][1] * 1e3:9.3f} ms to decompose"
        )
    grown = np.log(np.divide(table[-1], table[-2])) / np.log(SIZES[-1] / SIZES[-2])
    print(
        f"from {SIZES[-2]} to {SIZES[-1]:,} bits the first grows with the power {grown[0]:.1f} "
        f"of the bits, the second with {grown[1]:.1f}"
    )


def seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    against_byclass(*make_agrawal(N, 3, random_state=0))
    refresh_apart()


if __name__ == "__main__":
    main()
