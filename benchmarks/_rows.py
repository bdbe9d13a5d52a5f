"""What a row of the table is, and how a file of rows (``rows_*.py``) adds one.

A row is a function of the number of records that makes the data and returns the two calls to
compare::

    @row("what is compared", "which peer", target=0.25, n=1_000_000, small=50_000,
         where="where our time goes", floor="what no such call can go below")
    def naive_bayes(n):
        return ours, peer

``elsewhere`` names the environment of the peer, ``benchmarks/peers-ELSEWHERE.txt``. With
``memory=True`` the second is the size of the input in bytes. ``reason`` says why a target
is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from _elsewhere import Elsewhere
from _timing import Measured, paired_ratio, peak_ratio

Make = Callable[[int], tuple[Any, Any]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A comparison; ``target`` is the largest ratio that meets it, None where none was set."""

    name: str
    peer: str
    subject: str
    target: float | None
    n: int
    small: int
    where: str
    floor: str
    reason: str
    repeats: int
    elsewhere: str | None
    memory: bool
    make: Make

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


ROWS: list[Row] = []


def row(
    name: str,
    peer: str,
    *,
    target: float | None,
    n: int,
    small: int,
    where: str,
    floor: str,
    reason: str = "",
    repeats: int = 5,
    elsewhere: str | None = None,
    memory: bool = False,
) -> Callable[[Make], Make]:
    """Add a row; its subject is the first line of its file's docstring."""

    def add(make: Make) -> Make:
        doc = sys.modules[make.__module__].__doc__ or ""
        ROWS.append(Row(
            name=name, peer=peer, subject=doc.splitlines()[0].rstrip("."), target=target,
            n=n, small=small, where=where, floor=floor, reason=reason, repeats=repeats,
            elsewhere=elsewhere, memory=memory, make=make,
        ))  # fmt: skip
        return make

    return add
