"""Past memory: reports that come in chunks, and their counts, which add up.

Whatever learns from counts needs no record twice. The naive Bayes classifiers and
:class:`ppdm.guidance.Guidance` count a chunk by ``partial_fit`` or ``update``, and two of them
add up with ``+``. :class:`ReleasedCounts` is the same for :mod:`ppdm.reconstruction`: how often
each value was released, of any channel. All are integers until they are undone, so that the
result is bit for bit that of all records in one piece, whatever the chunks and their order.

A tree of bits takes each pattern once, with how often it came as its weight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ppdm import _validation as check
from ppdm.channel import Channel
from ppdm.channel._opening import bound
from ppdm.typing import AnyArray, ArrayLike, IntArray

__all__ = ["ReleasedCounts"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedCounts:
    """Counts of what a channel released, which add up with ``+``.

    They are taken wherever counts are: by :func:`ppdm.reconstruction.em`,
    :func:`~ppdm.reconstruction.invert` and as ``counts`` of
    :func:`~ppdm.reconstruction.reconstruct_distribution`.

    Attributes
    ----------
    channel : Channel
        What the reports came through; of additive noise, ``noise.on(edges)``.
    counts : ndarray of int, shape (S,), (d, S), (n_labels, S) or (n_labels, d, S)
        How often each value was released, as ``channel.count`` gives it.
    n : int
        How many records were counted.

    Examples
    --------
    >>> from ppdm.chunks import ReleasedCounts
    >>> from ppdm.noise import AdditiveNoise
    >>> from ppdm.reconstruction import reconstruct_distribution
    >>> channel = AdditiveNoise("uniform", scale=0.5).on([0, 0.5, 1])
    >>> seen = ReleasedCounts.from_chunks(channel, [[-0.3, 0.2], [0.6, 0.7, 1.1]])
    >>> seen.counts, seen.n
    (array([1, 1, 2, 1]), 5)
    >>> more = seen + ReleasedCounts.of(channel, [1.2])
    >>> reconstruct_distribution(None, channel, counts=more).n
    6.0
    """

    channel: Channel
    counts: IntArray
    n: int

    @classmethod
    def of(
        cls,
        channel: Any,
        released: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        n_labels: int | None = None,
    ) -> Self:
        """Count one chunk.

        Parameters
        ----------
        channel : Channel or array-like of shape (S, m)
            What the reports came through.
        released : array-like of shape (n,) or (n, n_features)
            What was released, of one attribute or of all.
        labels : array-like of int, shape (n,), optional
            A code 0, 1, ... for each record, its class for instance.
        n_labels : int, optional
            How many labels there are; by default the largest + 1, which a chunk may lack.

        Returns
        -------
        ReleasedCounts

        Raises
        ------
        ValueError, TypeError
            As :meth:`ppdm.channel.Channel.count`.
        """
        scheme = bound(channel, released, "released")
        counts = scheme.count(released, labels=labels, n_labels=n_labels)
        n = len(check.plain(released, "released"))
        return cls(channel=scheme, counts=counts.astype(np.int64, copy=False), n=n)

    @classmethod
    def from_chunks(
        cls, channel: Any, chunks: Iterable[Any], *, n_labels: int | None = None
    ) -> Self:
        """Count all chunks, one at a time in memory.

        Parameters
        ----------
        channel : Channel or array-like of shape (S, m)
            What the reports came through.
        chunks : iterable of array-like, or of tuples (released, labels)
            Labels may be None. An empty chunk counts nothing.
        n_labels : int, optional
            How many labels there are.

        Returns
        -------
        ReleasedCounts

        Raises
        ------
        ValueError, TypeError
            As :meth:`of`; if there is no report, or a tuple is no pair.
        """
        is_one = isinstance(chunks, str | bytes) or hasattr(chunks, "ndim")
        rule = "chunks must be an iterable of chunks, and not one of them"
        check.demand(isinstance(chunks, Iterable) and not is_one, rule, chunks, TypeError)
        total: Self | None = None
        for chunk in chunks:
            released, labels = chunk if isinstance(chunk, tuple) else (chunk, None)
            if np.shape(released)[:1] == (0,):
                continue
            known = channel if total is None else total.channel  # a matrix is bound once
            one = cls.of(known, released, labels=labels, n_labels=n_labels)
            total = one if total is None else total + one
        if total is None:
            raise ValueError("chunks must hold at least one report, got none")
        return total

    def __add__(self, other: Self) -> Self:
        """Return the counts of both; neither of the two is changed.

        Raises
        ------
        ValueError, TypeError
            If ``other`` is none, its reports came through another channel, or they have other
            attributes or labels.
        """
        if not isinstance(other, ReleasedCounts):
            return NotImplemented
        check.alike(self.channel, other.channel, "channel")
        check.alike(self.counts.shape, other.counts.shape, "the shape of the counts of all chunks")
        counts, n = self.counts + other.counts, self.n + other.n
        return type(self)(channel=self.channel, counts=counts, n=n)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """Return the counts: whatever takes an array of counts takes these."""
        return np.array(self.counts, dtype=dtype, copy=copy)
