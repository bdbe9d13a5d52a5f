"""What a row of the table is, and how a file of rows (``rows_*.py``) adds one.

A row is a function of the number of records that makes the data and returns the two calls to
compare::

    @row("what is compared", "which peer", target=0.25, n=1_000_000, small=50_000)
    def naive_bayes(n):
        return ours, peer

``elsewhere`` names the environment of the peer, ``benchmarks/peers-ELSEWHERE.txt``. With
``memory=True`` the second is the size of the input in bytes. Why a target is missed stands in
``book/bench.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from _elsewhere import Elsewhere
from _timing import Measured, paired_ratio, peak_ratio

Make = Callable[[int], tuple[Any, Any]]


@dataclass(frozen=True)
class Row:
    """A comparison; ``target`` is the largest ratio that meets it, None where none was set."""

    name: str
    peer: str
    make: Make
    target: float | None
    n: int
    small: int
    repeats: int = 5
    elsewhere: str | None = None
    memory: bool = False

    def measure(self, n: int, pairs: int | None = None) -> Measured:
        """Return the ratio at ``n`` records, from so many pairs of runs at most."""
        ours, peer = self.make(n)
        if self.memory:
            return peak_ratio(ours, peer)
        try:
            return paired_ratio(ours, peer, self.repeats, pairs)
        finally:
            if isinstance(peer, Elsewhere):
                peer.close()

    def met(self, ratio: float) -> bool:
        """Say whether a ratio meets the target; without one, each does."""
        return self.target is None or ratio <= self.target


#: By file, as it is named behind ``rows_``.
ROWS: dict[str, list[Row]] = {}


def row(name: str, peer: str, **told: Any) -> Callable[[Make], Make]:
    """Add a row to those of its file."""

    def add(make: Make) -> Make:
        file = make.__module__.removeprefix("rows_")
        ROWS.setdefault(file, []).append(Row(name, peer, make, **told))
        return make

    return add
