"""Disguise block by block."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.dask._blocks import blocks_of, first_record, head, need
from ppdm.typing import RandomState


def disguise(scheme: Any, X: Any, y: Any = None, *, random_state: RandomState = None) -> Any:
    """Disguise each block of records with draws of its own.

    Nothing is computed yet. Each block draws from a seed of its own, which is part of the task:
    however often a block is computed, after a worker was lost or for another count, it releases the
    same. A second release of the same records, with other draws, would tell more of them.

    Parameters
    ----------
    scheme : transformer
        What disguises: with ``transform``, and ``disguise`` where ``y`` is given; fitted where it
        has to be. Its own ``random_state`` is not used.
    X : dask.array.Array or dask.dataframe.DataFrame
        Records in the clear.
    y : dask.array.Array or dask.dataframe.Series, optional
        Their classes, in the same blocks, for a scheme that disguises both together.
    random_state : None, int or numpy.random.Generator, default=None
        What the blocks' seeds are drawn from.

    Returns
    -------
    dask.array.Array or dask.dataframe.DataFrame, or a pair of these where ``y`` is given
        Whichever the scheme makes of a block.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError, TypeError
        If X or y is nothing of Dask's, their blocks differ, or the scheme refuses the first record.

    Examples
    --------
    >>> import dask.array as da
    >>> from ppdm import dask as far
    >>> from ppdm.randomized_response import RandomizedResponse
    >>> X = da.zeros((6, 3), dtype="int8", chunks=(2, 3))
    >>> scheme = RandomizedResponse(0.7, groups=[[0], [1], [2]]).fit([[0, 1, 0]])
    >>> released = far.disguise(scheme, X, random_state=0)
    >>> released.chunks, bool((released.compute() == released.compute()).all())
    (((2, 2, 2), (3,)), True)
    """
    blocks = list(blocks_of(X, y))
    seed = int(check.random_state(random_state).integers(2**63))
    later = need("dask").delayed
    check.having(scheme, "scheme", "transform" if y is None else "disguise")
    probe = _disguise(scheme, *first_record(blocks), seed, 0, None)
    none = probe[:0] if y is None else head(probe[0], probe[1], 0)
    done = [later(_disguise)(scheme, *block, seed, j, none) for j, block in enumerate(blocks)]
    if y is None:
        return _gather(done, none, X)
    pairs = zip(*[(later(pair)[0], later(pair)[1]) for pair in done], strict=True)
    return tuple(_gather(list(parts), its, X) for parts, its in zip(pairs, none, strict=True))


def _disguise(scheme: Any, X: Any, y: Any, seed: int, block: int, none: Any) -> Any:
    """Disguise one block: a task, which draws the same whenever it is run."""
    if len(X) == 0:
        return none
    its = copy(scheme)
    its.random_state = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
    return its.transform(X) if y is None else its.disguise(X, y)


def _gather(blocks: list[Any], none: Any, X: Any) -> Any:
    """Return delayed blocks as an array, or as a frame where no record becomes one."""
    if hasattr(none, "iloc"):
        return need("dask.dataframe").from_delayed(blocks, meta=none)
    da = need("dask.array")
    sizes = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * len(blocks)
    parts = (
        da.from_delayed(block, (size, *none.shape[1:]), meta=none)
        for block, size in zip(blocks, sizes, strict=True)
    )
    return da.concatenate(list(parts), allow_unknown_chunksizes=True)
