"""Comparing two functions on a machine that others use, too."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """Median processor times in seconds, and the median of the ratios of runs made side by side."""

    ours: float
    peer: float
    ratio: float


def paired_ratio(
    ours: Callable[[], object], peer: Callable[[], object], repeats: int = 5
) -> Ratio:
    """Run both in turn, ``repeats`` times after a warm-up, and compare run with run.

    What slows the machine down for a while slows both runs of a pair, so the median of
    the ratios varies far less than the ratio of two averages. Processor time is measured,
    in which waiting for others does not count; on an idle machine, with one thread, it is
    the time that passes.
    """
    ours()
    peer()
    pairs = [(_seconds(ours), _seconds(peer)) for _ in range(repeats)]
    return Ratio(
        ours=statistics.median(a for a, _ in pairs),
        peer=statistics.median(b for _, b in pairs),
        ratio=statistics.median(a / b for a, b in pairs),
    )


def report(name: str, measured: Ratio, target: float | None) -> None:
    """Print one line: name, both medians, the ratio and whether it is at most the target."""
    line = f"{name:<66s} ours {measured.ours:9.4f} s  peer {measured.peer:9.4f} s"
    line += f"  ratio {measured.ratio:7.4f}"
    if target is not None:
        line += f"  target {target:g}: {'ok' if measured.ratio <= target else 'MISSED'}"
    print(line, flush=True)


def _seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start
