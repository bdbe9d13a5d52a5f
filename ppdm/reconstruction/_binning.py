"""Counting values in cells, for many attributes and groups in one pass."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_array, check_edges, check_integer, check_numbers
from ppdm.exceptions import UnexplainedValueWarning
from ppdm.noise import AdditiveNoise

_CHUNK = 1 << 18  # values worked on at a time: they stay in the cache
_PAIRS = 1 << 9  # with no more cells than this, values are counted two at a time


def count_cells(
    values: NDArray[np.float64],
    edges: NDArray[np.float64],
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
    width = (edges[:, -1:] - edges[:, :1]) / n_cells
    even = edges[:, :1] + width * np.arange(n_cells + 1)
    regular = np.abs(edges - even).max() <= 1e-9 * width.min()
    locate = _locate_regular if regular else _locate_any
    tally = np.zeros(n_groups * n_columns * n_cells, dtype=np.intp)
    in_pairs = len(tally) <= _PAIRS and values.size >= len(tally) ** 2
    pairs = np.zeros(len(tally) ** 2, dtype=np.int32) if in_pairs else None
    first = np.arange(n_columns, dtype=np.int32)[:, None] * n_cells  # of each attribute's cells
    step = max(1, _CHUNK // n_columns)
    for start in range(0, len(values), step):
        position = locate(values[start : start + step].T, edges)
        numbers = _whole(position, n_cells)
        if numbers is None:
            check_numbers(values if n_columns > 1 else values[:, 0], name)
            numbers = np.clip(position, 0, n_cells - 1).astype(np.int32)
        if n_columns > 1:
            numbers += first
        if groups is not None:
            numbers += groups[start : start + step] * np.int32(n_columns * n_cells)
        _add(numbers.ravel(), tally, pairs)
    if pairs is not None:
        table = pairs.reshape(len(tally), len(tally))
        tally += table.sum(axis=0) + table.sum(axis=1)
    return tally.reshape(n_groups, n_columns, n_cells)


def _whole(position: NDArray[np.float64], n_cells: int) -> NDArray[np.int32] | None:
    """Cut positions to cell numbers; None where one is missing or beyond the cells."""
    with np.errstate(invalid="raise"):
        try:
            numbers = position.astype(np.int32)
        except FloatingPointError:  # not finite, or beyond any integer
            return None
    # seen as unsigned a negative number is a large one
    return numbers if numbers.view(np.uint32).max() < n_cells else None


def _locate_regular(
    columns: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where each value (d, k) lies, in cells from the first edge; the cells are equally wide."""
    per_unit = (edges.shape[1] - 1) / (edges[:, -1:] - edges[:, :1])
    with np.errstate(over="ignore"):
        position: NDArray[np.float64] = columns * per_unit
    position += 1e-9 - edges[:, :1] * per_unit
    return position


def _locate_any(columns: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the cell of each value (d, k) by search; NaN for what is not finite."""
    pairs = zip(edges[:, 1:-1], columns, strict=True)
    found = [np.searchsorted(inner, column, side="right") for inner, column in pairs]
    return np.where(np.isfinite(columns), np.stack(found), np.nan)


def _add(
    numbers: NDArray[np.int32], tally: NDArray[np.intp], pairs: NDArray[np.int32] | None
) -> None:
    """Count cell numbers in ``tally``, or two at a time in the table of ``pairs``."""
    if pairs is None:
        np.add.at(tally, numbers.astype(np.intp), 1)
        return
    half = len(numbers) // 2
    both = numbers[:half] * np.int32(len(tally))
    both += numbers[half : 2 * half]
    np.add.at(pairs, both.astype(np.intp), np.int32(1))
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
    cells: NDArray[np.float64],
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


def cells_of(noise: AdditiveNoise, edges: NDArray[np.float64], feature: int) -> NDArray[np.float64]:
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
