"""What the data miner and a data provider say to each other: plain tuples."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from ppdm._types import FloatArray, IntArray


class Announcement(NamedTuple):
    """The miner's answer to an inquiry."""

    epoch: int
    """Counts the refreshes of the guidance, from 0."""
    k: int
    """The system disclosure level k*."""


class GuidanceMessage(NamedTuple):
    """The miner's answer to a provider that is ready."""

    epoch: int
    k: int
    V: FloatArray
    """V_k*, shape (n_bits, k)."""


class Submission(NamedTuple):
    """What leaves the provider."""

    sender: Hashable
    """Whatever tells providers apart; each may submit once."""
    epoch: int
    """The epoch of the guidance that R was drawn under: an earlier one is legal."""
    label: int
    """The class, 0 or 1; it is not disguised."""
    R: IntArray
    """R(t), shape (n_bits,)."""


class Refresh(NamedTuple):
    """One entry of the miner's history."""

    epoch: int
    n_received: int
    """Submissions received before it, bootstrap tuples not counted."""
    k: int
