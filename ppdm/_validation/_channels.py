"""Checks of channels, what goes through them and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm._validation import _arrays as check
from ppdm._validation import _values as single
from ppdm.typing import Codes, FloatArray


def edges(
    edges: ArrayLike, name: str = "edges", *, ndim: int | tuple[int, ...] = (1, 2), least: int = 2
) -> FloatArray:
    """Return the edges of at least ``least`` intervals, strictly increasing on the last axis."""
    array = check.numbers(edges, name, ndim=ndim)
    if array.shape[-1] < least + 1:
        wanted = "one interval (two edges)" if least == 1 else "two intervals (three edges)"
        raise ValueError(f"{name} must bound at least {wanted}, got {array.shape[-1]} edge(s)")
    falls = np.diff(array, axis=-1) <= 0
    if falls.any():
        where = check.first(falls)
        after = (*where[:-1], where[-1] + 1)
        raise ValueError(
            f"{name} must increase strictly, got {array[where]:g} followed by {array[after]:g}"
        )
    return array


def cuts(cuts: ArrayLike, name: str, size: int) -> FloatArray:
    """Return the inner edges of ``size`` intervals, finite and ascending; some may be equal."""
    points = check.numbers(cuts, name, ndim=1)
    if len(points) != size - 1:
        raise ValueError(
            f"{name} must have {size - 1} inner edges for {size} values, got {len(points)}"
        )
    if (np.diff(points) < 0).any():
        raise ValueError(f"{name} must not descend, got {points.tolist()}")
    return points


def channel(
    channel: Any, name: str = "channel", *, ndim: int | tuple[int, ...] = (2, 3), feature: int = 0
) -> FloatArray:
    """Return a matrix P[released | true] (..., n_released, n_true): columns sum to one.

    From such a matrix, or from a ``Channel``, whose matrix of one attribute it is.
    """
    if hasattr(channel, "channel_matrix") and not isinstance(channel, type):
        channel = channel.channel_matrix(feature)
    elif single.integer(feature, "feature", low=0):
        raise ValueError(f"feature must be 0 where {name} is a matrix, got {feature!r}")
    array = check.numbers(channel, name, ndim=ndim)
    if array.shape[-1] < 2:
        raise ValueError(f"{name} must have two or more true values, got shape {array.shape}")
    check.refuse(array < 0, array, f"{name} must not be negative")
    sums = array.sum(axis=-2)
    if not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        where = np.unravel_index(np.abs(sums - 1.0).argmax(), sums.shape)
        raise ValueError(
            f"{name} must have columns that sum to one (a column is P[released | one true value]), "
            f"got {sums[where]:g} in column {int(where[-1])}"
        )
    return array


def counts(counts: ArrayLike, n_cells: int, name: str = "counts") -> FloatArray:
    """Return counts (..., n_cells), none negative and not all zero."""
    array = check.numbers(counts, name)
    if array.ndim < 1 or array.shape[-1] != n_cells:
        raise ValueError(
            f"{name} must have one value for each of the {n_cells} cells along its last axis, "
            f"got shape {array.shape}"
        )
    check.refuse(array < 0, array, f"{name} must not be negative")
    if array.max() == 0:
        raise ValueError(f"{name} must hold at least one record, got zeros only")
    return array


def channel_counts(
    given: Any, records: ArrayLike, feature: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Return a channel (S, m) with counts (..., S), or channels (d, S, m) with (..., d, S)."""
    matrix = channel(given, feature=feature)
    tally = counts(records, matrix.shape[-2])
    if matrix.ndim == 3 and tally.shape[-2:-1] != matrix.shape[:1]:
        raise ValueError(
            "channel must have shape (S, m), or (d, S, m) with counts of shape (..., d, S), "
            f"got {matrix.shape} with counts of shape {tally.shape}"
        )
    return matrix, tally


def probabilities(values: ArrayLike, name: str, n_values: int) -> FloatArray:
    """Return distributions (..., n_values): not negative, each summing to one."""
    array = check.numbers(values, name)
    if array.ndim < 1 or array.shape[-1] != n_values:
        raise ValueError(f"{name} must have {n_values} values a row, got shape {array.shape}")
    check.refuse(array < 0, array, f"{name} must not be negative")
    sums = array.sum(axis=-1)
    if not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        raise ValueError(f"{name} must sum to one, got {sums.flat[np.abs(sums - 1).argmax()]:g}")
    return array


def released(released: ArrayLike, matrix_of: Callable[[int], FloatArray]) -> Codes:
    """Return released codes (n,) or (n, n_features); each has a row of its channel matrix."""
    array = check.plain(released, "released")
    table = array[:, np.newaxis] if array.ndim == 1 else array
    columns = table.shape[1] if table.ndim == 2 else 0
    try:
        sizes = [len(matrix_of(feature)) for feature in range(columns)]
    except ValueError as error:
        if "feature must" not in str(error):
            raise
        raise ValueError(
            f"released must have an attribute for each of the channel, got {columns}: {error}"
        ) from error
    return check.codes(table, "released", sizes or None).reshape(array.shape)


def matrices_of(given: Any, n_features: int | None, name: str = "channel") -> list[FloatArray]:
    """Return the matrix of each attribute: of a ``Channel``, of one matrix for all or of a list.

    For an unknown number of attributes (None), as many as are given.
    """
    if hasattr(given, "channel_matrix"):
        return [channel(given, name, ndim=2, feature=j) for j in range(n_features or 1)]
    if not (isinstance(given, list | tuple) or np.ndim(given) == 3) or not is_list(given):
        return [channel(given, name, ndim=2)] * (n_features or 1)
    if n_features not in (None, len(given)):
        raise ValueError(
            f"{name} must be one matrix or one for each of {n_features} attributes, "
            f"got {len(given)}"
        )
    return [channel(matrix, name, ndim=2) for matrix in given]


def is_list(given: Any) -> bool:
    """Return whether channels are given one for each attribute, and not one for all."""
    if not isinstance(given, list | tuple | np.ndarray) or np.size(given[:1]) == 0:
        return False
    return np.ndim(given[0]) == 2


def inverse_of(
    given: Any, feature: int = 0, name: str = "channel", *, ndim: int | tuple[int, ...] = 2
) -> FloatArray:
    """Return what undoes one attribute: a ``Channel``'s own inverse, or that of its matrix."""
    if hasattr(given, "inverse_matrix"):
        return np.asarray(given.inverse_matrix(feature))
    return invert_matrix(channel(given, name, ndim=ndim, feature=feature), name)


def invert_matrix(matrix: FloatArray, name: str = "channel") -> FloatArray:
    """Return the (pseudo-)inverse of a channel (..., S, m) whose columns are independent."""
    rank = int(np.min(np.linalg.matrix_rank(matrix)))
    if rank < matrix.shape[-1]:
        raise ValueError(
            f"{name} must have linearly independent columns to be inverted, got rank {rank} "
            f"with {matrix.shape[-1]} columns; em works without an inverse"
        )
    return np.asarray(np.linalg.pinv(matrix))
