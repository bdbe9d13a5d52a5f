"""The guidance of one epoch, as it is published and handed out."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Guide:
    """V_k* of one epoch with its hash; it never changes.

    Parameters
    ----------
    epoch, n_received : int
        The epoch, and how many tuples had come in when it began.
    V : ndarray of float64, shape (n_bits, k)
    """

    def __init__(self, epoch: int, n_received: int, V: NDArray[np.float64]) -> None:
        self.epoch = epoch
        self.n_received = n_received
        self.V = V + 0.0  # no -0.0, which JSON's readers treat in different ways
        self.hash = guidance_hash(epoch, self.V)

    @property
    def k(self) -> int:
        """The disclosure level."""
        return int(self.V.shape[1])

    def to_dict(self) -> dict[str, Any]:
        """Return what is published of it."""
        return {"epoch": self.epoch, "k": self.k, "n_received": self.n_received,
                "hash": self.hash}

    def message(self, token: str) -> str:
        """Return the answer to a provider that is ready, as JSON."""
        return f'{{"epoch":{self.epoch},"k":{self.k},"token":"{token}",{self._tail}'

    @cached_property
    def _tail(self) -> str:
        # the same for everybody in the epoch, so it is written once
        return json.dumps({"hash": self.hash, "V": self.V.tolist()}, separators=(",", ":"))[1:]


def guidance_hash(epoch: int, V: ArrayLike) -> str:
    r"""Return the hash that commits the miner to one guidance for all of an epoch.

    SHA-256 of ``ppdm-guidance-1\n{epoch}\n{n_bits}\n{k}\n`` and V's entries, row by row, as
    little-endian doubles.

    Parameters
    ----------
    epoch : int
    V : array-like of shape (n_bits, k)

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from ppdm.survey import guidance_hash
    >>> guidance_hash(0, [[1.0, 0.0], [0.0, 1.0]])[:16]
    'c6a3260e970127ee'
    """
    vectors = np.asarray(V, dtype="<f8")
    n_bits, k = vectors.shape
    head = f"ppdm-guidance-1\n{epoch}\n{n_bits}\n{k}\n".encode("ascii")
    return hashlib.sha256(head + vectors.tobytes()).hexdigest()
