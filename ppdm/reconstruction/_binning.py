"""Counting values in cells, for many attributes and groups in one pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_array, check_edges, check_integer, check_numbers
from ppdm.exceptions import UnexplainedValueWarning
from ppdm.noise import AdditiveNoise

Array = NDArray[np.float64]

_CHUNK = 1 << 17  # values worked on at a time: they stay in the cache, and calls are few
_PAIRS = 1 << 9  # with no more cells than this, values are counted two at a time


def count_cells(
    values: Array,
    edges: Array,
    groups: NDArray[np.int32] | None = None,
    n_groups: int = 1,
    *,
    name: str = "values",
) -> NDArray[np.intp]:
    """Count ``values`` (n, d) in the cells of ``edges`` (d, S + 1), for each group.

    Cells are closed on the left; the end cells take what lies beyond them. Where cells are
    equally wide an edge is taken with a tolerance of a billionth of a cell, so that a
    value written as the edge counts above it whatever its rounding. Missing and infinite
    values are refused, under ``name``. Returns (n_groups, d, S).
    """
    n_columns, n_cells = edges.shape[0], edges.shape[1] - 1
    tally = np.zeros(n_groups * n_columns * n_cells, dtype=np.intp)
    in_pairs = len(tally) <= _PAIRS and values.size >= len(tally) ** 2
    pairs = np.zeros(len(tally) ** 2, dtype=np.int32) if in_pairs else None
    locate = _locator(edges)
    first = np.arange(n_columns, dtype=np.int32)[:, None] * n_cells  # of each attribute's cells
    step = max(1, _CHUNK // n_columns)
    # the working memory is asked for once: fresh memory costs more than the work in it
    positions = np.empty((n_columns, step))
    numbers = np.empty((n_columns, step), dtype=np.int32)
    index = np.empty(n_columns * step, dtype=np.intp)
    for start in range(0, len(values), step):
        columns = values[start : start + step].T
        size = columns.shape[1]
        position, number = positions[:, :size], numbers[:, :size]
        locate(columns, position)
        if not _cut(position, number, n_cells):
            check_numbers(values if n_columns > 1 else values[:, 0], name)
            number[:] = np.clip(position, 0, n_cells - 1)
        if n_columns > 1:
            number += first
        if groups is not None:
            number += groups[start : start + step] * np.int32(n_columns * n_cells)
        _add(number.ravel(), index, tally, pairs)
    if pairs is not None:
        table = pairs.reshape(len(tally), len(tally))
        tally += table.sum(axis=0) + table.sum(axis=1)
    return tally.reshape(n_groups, n_columns, n_cells)


def _locator(edges: Array) -> Callable[[Array, Array], None]:
    """Choose how to find where values (d, k) lie, in cells from the first edge on.

    The function returned puts the places into its second argument; a missing value gets
    NaN, an infinite one NaN or infinity.
    """
    n_cells = edges.shape[1] - 1
    width = (edges[:, -1:] - edges[:, :1]) / n_cells
    even = edges[:, :1] + width * np.arange(n_cells + 1)
    per_unit = 1 / width
    shift = 1e-9 - edges[:, :1] * per_unit

    def by_arithmetic(columns: Array, position: Array) -> None:
        if len(columns) > 1:  # arithmetic would walk along the short axis, a copy does not
            np.copyto(position, columns)
            columns = position
        with np.errstate(over="ignore"):
            np.multiply(columns, per_unit, out=position)
        np.add(position, shift, out=position)

    def by_search(columns: Array, position: Array) -> None:
        for inner, column, found in zip(edges[:, 1:-1], columns, position, strict=True):
            found[:] = np.searchsorted(inner, column, side="right")
        position[~np.isfinite(columns)] = np.nan

    return by_arithmetic if np.abs(edges - even).max() <= 1e-9 * width.min() else by_search


def _cut(position: Array, number: NDArray[np.int32], n_cells: int) -> bool:
    """Cut positions to cell numbers; False where one is missing or beyond the cells."""
    with np.errstate(invalid="raise"):
        try:
            number[:] = position
        except FloatingPointError:  # not finite, or beyond any integer
            return False
    # seen as unsigned a negative number is a large one
    return bool(number.view(np.uint32).max() < n_cells)


def _add(
    numbers: NDArray[np.int32],
    index: NDArray[np.intp],
    tally: NDArray[np.intp],
    pairs: NDArray[np.int32] | None,
) -> None:
    """Count cell numbers in ``tally``, or two at a time in the table of ``pairs``.

    ``index`` is working memory, and so is ``numbers`` from here on.
    """
    if pairs is None:
        index = index[: len(numbers)]
        index[:] = numbers
        np.add.at(tally, index, 1)
        return
    half = len(numbers) // 2
    both, index = numbers[:half], index[:half]
    both *= np.int32(len(tally))
    both += numbers[half : 2 * half]
    index[:] = both
    np.add.at(pairs, index, np.int32(1))
    tally[numbers[2 * half :]] += 1  # the odd one


def bin_disguised(
    disguised: ArrayLike,
    noise: AdditiveNoise,
    edges: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    n_groups: int | None = None,
    feature: int = 0,
) -> NDArray[np.intp]:
    """Count disguised values in the cells of ``noise.disguised_edges(edges)``.

    Counts of chunks add up, so data that come in pieces, or from several places, need
    not be kept.

    Parameters
    ----------
    disguised : array of shape (n,), (n, 1) or (n, d)
        Disguised values of one attribute, or of all where ``edges`` has d rows.
    noise : AdditiveNoise
        The noise, fitted or with its ``scale`` or ``domain`` given.
    edges : array of shape (m + 1,) or (d, m + 1)
        Edges of the intervals, m >= 2; they should cover the domain.
    groups : array of int of shape (n,), optional
        A code 0, 1, ... for each record, its class for instance.
    n_groups : int, optional
        Number of groups; one more than the largest code where None. Give it where a
        chunk may lack the last group.
    feature : int
        The attribute of ``noise`` that one-dimensional ``edges`` belong to.

    Returns
    -------
    ndarray of shape (S,), (d, S), (n_groups, S) or (n_groups, d, S)
        Counts. A cell is closed on the left; the two end cells are open.

    Raises
    ------
    TypeError
        If ``noise`` is not an AdditiveNoise.
    ValueError
        If a value is not finite, or the shapes do not fit.

    Warns
    -----
    UnexplainedValueWarning
        If values lie more than a cell beyond the reach of bounded noise.

    Examples
    --------
    >>> noise = AdditiveNoise("uniform", scale=0.5)
    >>> bin_disguised([-0.3, 0.2, 0.6, 0.7], noise, [0, 0.5, 1])
    array([1, 1, 2, 0])
    """
    cells = cells_of(noise, check_edges(edges), feature)
    return bin_in_cells(disguised, cells, noise.bounded, groups, n_groups)


def bin_in_cells(
    disguised: ArrayLike,
    cells: Array,
    bounded: bool,
    groups: ArrayLike | None = None,
    n_groups: int | None = None,
) -> NDArray[np.intp]:
    """Count in cells (S + 1,) or (d, S + 1); ``bounded`` noise should reach no further."""
    grid = np.atleast_2d(cells)
    values = check_array(disguised, "disguised", ndim=(1, 2))
    table = values[:, None] if values.ndim == 1 else values
    if table.shape[1] != len(grid):
        raise ValueError(
            f"disguised must have {len(grid)} attribute(s) as edges has, got shape {values.shape}"
        )
    codes, n_codes = None, 1
    if groups is not None:
        codes, n_codes = _check_groups(groups, n_groups, len(table))
    # two cells more at either end: one for what may be rounding, one for what is not
    width = (grid[:, -1:] - grid[:, :1]) / (grid.shape[1] - 1)
    below, above = grid[:, :1] + width * [-2, -1], grid[:, -1:] + width * [1, 2]
    padded = np.concatenate([below, grid, above], axis=1)
    tally = count_cells(table, padded, codes, n_codes, name="disguised")
    n_beyond = int(tally[..., 0].sum() + tally[..., -1].sum())
    if n_beyond and bounded:
        warnings.warn(
            f"{n_beyond} of {values.size} disguised value(s) lie where no value inside edges and "
            "its noise can reach; they are counted in the nearest interval: check edges and scale",
            UnexplainedValueWarning,
            stacklevel=3,
        )
    tally[..., 2] += tally[..., :2].sum(axis=-1)
    tally[..., -3] += tally[..., -2:].sum(axis=-1)
    lead = (n_codes,) if groups is not None else ()
    return tally[..., 2:-2].reshape(*lead, *cells.shape[:-1], cells.shape[-1] - 1)


def cells_of(noise: AdditiveNoise, edges: Array, feature: int) -> Array:
    """Disguised cells of checked ``edges``."""
    if not isinstance(noise, AdditiveNoise):
        raise TypeError(
            f"noise must be an AdditiveNoise, got {noise!r}; for another channel use em with "
            "its matrix"
        )
    return noise.disguised_edges(edges, feature=feature)


def _check_groups(groups: ArrayLike, n_groups: int | None, n: int) -> tuple[NDArray[np.int32], int]:
    codes = np.asarray(groups)
    if codes.shape != (n,) or codes.dtype.kind not in "biu":
        raise ValueError(
            f"groups must hold one integer code for each of the {n} records, got "
            f"{codes.dtype} of shape {codes.shape}"
        )
    highest = int(codes.max())
    wanted = highest + 1 if n_groups is None else check_integer(n_groups, "n_groups", low=1)
    if codes.min() < 0 or highest >= wanted:
        raise ValueError(
            f"groups must hold codes from 0 to {wanted - 1}, got {codes.min()} to {highest}"
        )
    return codes.astype(np.int32), wanted
