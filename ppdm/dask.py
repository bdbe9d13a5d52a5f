"""Past one machine: disguise, count and learn on Dask's arrays and data frames.

Counts add up, so a block of records is counted where it lies, and only counts travel. Dask decides
who counts what and when, and counts again what was lost with a worker; nothing here does. What
comes out is what one machine makes of the same records in one piece, bit for bit. A tree reads its
records once, in one piece: give it each pattern with its count, as :mod:`ppdm.chunks` shows.

Dask comes with ``ppdm[dask]``. A ``distributed.Client`` is used where there is one, else threads
of this process. Where the workers that count a block die, once more than Dask's setting
``allowed-failures``, it raises ``distributed.KilledWorker``, and nothing is half-counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm.chunks import ReleasedCounts
from ppdm.typing import ArrayLike, RandomState

__all__ = ["count", "disguise", "fit"]

#: So many parts are joined in one task: a few levels do for any number of blocks.
TOGETHER = 16


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
    check.having(scheme, "scheme", "transform" if y is None else "disguise")
    seed = int(check.random_state(random_state).integers(2**63))
    later = need("dask").delayed
    probe = _disguise(scheme, *first_record(blocks), seed, 0, None)
    none = probe[:0] if y is None else tuple(part[:0] for part in probe)
    done = [later(_disguise)(scheme, *block, seed, j, none) for j, block in enumerate(blocks)]
    if y is None:
        return _gather(done, none, X)
    return tuple(_gather([pair[k] for pair in done], none[k], X) for k in (0, 1))


def _disguise(scheme: Any, X: Any, y: Any, seed: int, block: int, none: Any) -> Any:
    """Disguise one block: a task, which draws the same whenever it is run."""
    if len(X) == 0:
        return none
    own = copy(scheme)
    own.random_state = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
    return own.transform(X) if y is None else own.disguise(X, y)


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


def count(
    channel: Any, released: Any, *, labels: Any = None, n_labels: int | None = None
) -> ReleasedCounts:
    """Count how often each value was released, block by block.

    Parameters
    ----------
    channel : Channel or array-like of shape (S, m)
        What the reports came through.
    released : dask.array.Array, dask.dataframe.DataFrame or Series
        The reports, of one attribute or of all.
    labels : dask.array.Array or dask.dataframe.Series, optional
        A code 0, 1, ... for each record, in the same blocks.
    n_labels : int, optional
        How many labels there are.

    Returns
    -------
    ReleasedCounts
        What ``ReleasedCounts.of`` returns for all reports in one piece.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError, TypeError
        As :meth:`ppdm.chunks.ReleasedCounts.of`; if something is nothing of Dask's, blocks differ,
        or there is no report.

    Examples
    --------
    >>> import dask.array as da
    >>> from ppdm import dask as far
    >>> channel = [[0.8, 0.2], [0.2, 0.8]]
    >>> far.count(channel, da.from_array([0, 1, 1, 0, 1], chunks=2)).counts
    array([2, 3])
    """
    blocks = blocks_of(released, labels, "released", "labels")
    parts = ask(lambda X, z: ReleasedCounts.of(channel, X, labels=z, n_labels=n_labels), blocks)
    counts: ReleasedCounts = total(parts, "released")
    return counts


def fit(learner: Any, X: Any, y: Any, *, classes: ArrayLike | None = None) -> Any:
    """Learn from counts of all blocks.

    Parameters
    ----------
    learner : classifier or Guidance
        Whatever has ``partial_fit``, or ``update``, and ``+``: CountNB, RandomizedResponseNB,
        GuidedNB and Guidance. It is not changed. A Guidance goes on from what it has seen.
    X : dask.array.Array or dask.dataframe.DataFrame
        Disguised records.
    y : dask.array.Array or dask.dataframe.Series
        Their classes, in the same blocks.
    classes : array-like of shape (n_classes,), optional
        All classes there are, since a block may lack some; a Guidance knows its two.

    Returns
    -------
    object
        A fitted learner, the same as from all records in one piece.

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError, TypeError
        As ``partial_fit`` or ``update``, if classes are missing, if X or y is nothing of Dask's,
        their blocks differ, or there is no record.

    Examples
    --------
    >>> import dask.array as da
    >>> from ppdm import dask as far
    >>> from ppdm.naive_bayes import CountNB
    >>> X = da.from_array([[0, 2], [0, 1], [1, 1], [1, 0]], chunks=(3, 2))
    >>> y = da.from_array(["no", "no", "yes", "yes"], chunks=3)
    >>> far.fit(CountNB(n_values=[2, 3]), X, y, classes=["no", "yes"]).class_count_
    array([2., 2.])
    """
    need("dask")
    check.having(learner, "learner", "__add__")
    if hasattr(learner, "update"):  # a Guidance: counts from zero go on from what it has seen
        check.goes_with(classes, "classes", "a learner that has partial_fit")
        blank = type(learner)(learner.n_bits, learner.order)
        parts = ask(lambda R, z: deepcopy(blank).update(R, z), blocks_of(X, y))
        return learner + total(parts, "X")
    check.having(learner, "learner", "partial_fit")
    rule = "classes must name all classes, since a block may lack some"
    check.demand(classes is not None, rule, None)
    known = check.class_values(classes, "classes")
    blank = type(learner)(**learner.get_params(deep=False))
    parts = ask(lambda R, z: deepcopy(blank).partial_fit(R, z, classes=known), blocks_of(X, y))
    return total(parts, "X")


def need(module: str) -> Any:
    """Return a module of Dask's, or say how to get it."""
    return check.import_optional(module, "ppdm.dask", "dask")


def blocks_of(X: Any, y: Any, X_name: str = "X", y_name: str = "y") -> Iterator[tuple[Any, Any]]:
    """Yield blocks of whole records, each with its part of y, or None."""
    records = _delayed(X, X_name)
    if y is None:
        return ((block, None) for block in records)
    sizes, chunks = getattr(X, "chunks", None), getattr(y, "chunks", None)
    if chunks and sizes and not np.isnan([*chunks[0], *sizes[0]]).any() and len(X) == len(y):
        y = y.rechunk({0: sizes[0]})
    classes = _delayed(y, y_name)
    rule = f"{y_name} must have the blocks of {X_name}, {len(records)}"
    check.demand(len(classes) == len(records), rule, len(classes))
    return zip(records, classes, strict=True)


def _delayed(collection: Any, name: str) -> list[Any]:
    """Return the blocks of an array or a data frame of Dask's, whole records each."""
    known = need("dask").is_dask_collection(collection)
    legal = known and hasattr(collection, "to_delayed") and hasattr(collection, "ndim")
    rule = f"{name} must be an array or a data frame of Dask's"
    check.demand(legal, rule, collection, TypeError)
    if not hasattr(collection, "chunks"):
        return list(collection.to_delayed())
    whole = collection.rechunk({1: -1}) if collection.ndim == 2 else collection
    # optimised one by one, X and y of one table would have tasks of one name that differ
    return list(np.ravel(whole.to_delayed(optimize_graph=False)))


def first_record(blocks: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return one record: what the scheme makes of it tells the type of all."""
    for X, y in blocks:
        record: tuple[Any, Any] = need("dask").compute(X[:1], None if y is None else y[:1])
        if len(record[0]):
            return record
    raise ValueError("X must hold at least one record, got 0")


def ask(function: Callable[..., Any], blocks: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return a task for each block, which answers None where the block is empty."""
    later = need("dask").delayed
    answer, sent = later(_answer), later(function, pure=False, traverse=False)
    return [answer(sent, *block) for block in blocks]


def _answer(function: Callable[..., Any], X: Any, y: Any) -> Any:
    check.in_step(X=X, y=y)  # frames of Dask's meet by index, as those of pandas do
    return None if len(X) == 0 and (y is None or len(y) == 0) else function(X, y)


def total(parts: list[Any], name: str) -> Any:
    """Add up what was counted in a tree, so that no worker and no wire carries all of it."""
    later = need("dask").delayed
    while len(parts) > 1:
        some = [parts[j : j + TOGETHER] for j in range(0, len(parts), TOGETHER)]
        parts = [later(_added)(group) for group in some]
    counts = parts[0].compute()
    check.demand(counts is not None, f"{name} must hold at least one record", 0)
    return counts


def _added(parts: list[Any]) -> Any:
    """Add up the counts of some blocks, but of those that are empty, which have none."""
    counted = [part for part in parts if part is not None]
    return reduce(add, counted) if counted else None
