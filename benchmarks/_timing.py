"""Comparing two calls on a machine that others use, too: times, and memory."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from _elsewhere import Elsewhere

Call = Callable[[], object] | Elsewhere

#: Pairs are added, up to three times as many, until the middle half of the ratios lies this close.
SPREAD = 0.1


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Medians of both sides, the median of the ratios of pairs, and the quartiles of these."""

    ours: float
    peer: float
    ratio: float
    low: float
    high: float
    pairs: int
    unit: str = "s"


def paired_ratio(
    ours: Call, peer: Call, repeats: int = 5, most: int | None = None
) -> Measured:
    """Run both in turn, ``repeats`` times after a warm-up, and compare run with run.

    What slows the machine down for a while slows both runs of a pair, so the median of
    the ratios varies far less than the ratio of two averages. Processor time is measured,
    in which waiting for others does not count; on an idle machine, with one thread, it is
    the time that passes. Where the ratios lie far apart, up to three times as many pairs are run,
    or ``most``.
    """
    most = 3 * repeats if most is None else most
    repeats = min(repeats, most)
    _seconds(ours)
    _seconds(peer)
    pairs: list[tuple[float, float]] = []
    while True:
        pairs.append((_seconds(ours), _seconds(peer)))
        if len(pairs) < repeats:
            continue
        ratios = [a / b for a, b in pairs]
        low, middle, high = map(float, np.quantile(ratios, (0.25, 0.5, 0.75)))
        if high - low <= SPREAD * middle or len(pairs) >= most:
            break
    return Measured(
        ours=statistics.median(a for a, _ in pairs),
        peer=statistics.median(b for _, b in pairs),
        ratio=middle,
        low=low,
        high=high,
        pairs=len(pairs),
    )


def peak_ratio(call: Callable[[], object], n_bytes: int) -> Measured:
    """Return the peak of memory that a call allocates, as a multiple of its input's ``n_bytes``.

    Its result counts; its input does not.
    """
    tracemalloc.start()
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    ratio = peak / n_bytes
    return Measured(
        ours=peak / 1e6, peer=n_bytes / 1e6, ratio=ratio, low=ratio, high=ratio, pairs=1, unit="MB"
    )


def _seconds(call: Call) -> float:
    if isinstance(call, Elsewhere):
        return call.seconds()
    start = time.process_time()
    call()
    return time.process_time() - start
