"""Releases of a mechanism, of whatever kind they are, and a number for each of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ppdm.typing import AnyArray, FloatArray, IntArray

#: Releases with more different values than one in so many draws are binned.
_DRAWS_A_VALUE = 16
#: Bins of what has too many values.
_N_BINS = 64


def draw_releases(
    mechanism: Callable[..., Any],
    data: Any,
    size: int,
    rng: np.random.Generator,
    batch: bool,
    name: str,
) -> AnyArray:
    """Return releases, one a row of numbers or one an object."""
    try:
        many = mechanism(data, size, rng) if batch else [mechanism(data, rng) for _ in range(size)]
    except Exception as error:
        raise ValueError(f"mechanism raised an error on the {name} input: {error!r}") from error
    if np.ma.is_masked(many):
        raise ValueError(f"mechanism must not mask what it releases of the {name} input")
    try:
        table = np.asarray(many)
    except ValueError:  # of different lengths
        table = np.empty(len(many), dtype=object)
        table[:] = many
    n = len(table) if table.ndim else 1
    if not table.ndim or n != size:
        raise ValueError(
            f"mechanism must make as many releases as asked, {size} of the {name} input, got {n}"
        )
    return table.reshape(size, -1) if table.dtype.kind in "biuf" else table


def number_releases(draws: list[AnyArray], half: int) -> tuple[list[IntArray], AnyArray]:
    """Return the number of each release's value, and the values; bins where they are many."""
    one, other = draws
    if one.shape[1:] != other.shape[1:] or (one.dtype.kind == "O") != (other.dtype.kind == "O"):
        raise ValueError(
            "mechanism must release the same kind of thing of both inputs, got shapes "
            f"{one.shape[1:]} and {other.shape[1:]} a release"
        )
    both = np.concatenate(draws)
    if both.dtype.kind == "O":
        values, codes = _hashed(both)
    else:
        _, first, codes = np.unique(
            _keys(both), axis=0, return_index=True, return_inverse=True
        )
        values, codes = both[first], codes.reshape(-1)
        if both.dtype.kind in "iuf" and len(values) > len(both) / _DRAWS_A_VALUE:
            values, codes = _binned(one.astype(np.float64), other.astype(np.float64), half)
    return np.split(codes, [len(one)]), values


def _keys(releases: AnyArray) -> AnyArray:
    """Return one number a row where rows are small codes: they sort much sooner than rows.

    A missing number is taken for an infinite one: no two NaN are equal.
    """
    if releases.dtype.kind == "f":
        releases = np.where(np.isnan(releases), np.inf, releases)
    if releases.ndim == 2 and releases.shape[1] == 1:
        return releases[:, 0]
    if releases.ndim == 1 or releases.dtype.kind not in "biu":
        return releases
    codes = releases.astype(np.int64) - releases.min(axis=0).astype(np.int64)
    sizes = codes.max(axis=0) + 1
    if np.prod(sizes.astype(np.float64)) > 2**62:
        return releases
    return np.asarray(np.ravel_multi_index(tuple(codes.T), tuple(sizes)))


def _hashed(releases: AnyArray) -> tuple[AnyArray, IntArray]:
    numbers: dict[Any, int] = {}
    try:
        codes = [numbers.setdefault(release, len(numbers)) for release in releases]
    except TypeError as error:
        raise ValueError(
            "mechanism must release arrays of one shape or hashable objects, got "
            f"{type(releases[0]).__name__}"
        ) from error
    values = np.empty(len(numbers), dtype=object)
    values[:] = list(numbers)
    return values, np.array(codes)


def _binned(one: FloatArray, other: FloatArray, half: int) -> tuple[FloatArray, IntArray]:
    """Bins along the difference of the means, which only the choosing halves set."""
    direction = one[:half].mean(axis=0) - other[:half].mean(axis=0)
    length = np.linalg.norm(direction)
    scores = np.concatenate([one, other]) @ (direction / length if length else direction)
    chosen = np.concatenate([scores[:half], scores[len(one) : len(one) + half]])
    cuts = np.unique(np.quantile(chosen, np.arange(1, _N_BINS) / _N_BINS))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return np.column_stack([ends[:-1], ends[1:]]), np.searchsorted(cuts, scores, side="right")
