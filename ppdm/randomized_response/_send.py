"""What each code becomes: draws from the columns of a matrix."""

from __future__ import annotations

import numpy as np

from ppdm.typing import Codes, FloatArray

#: So many values are disguised at a time, for what is used on the way to stay in the cache.
_BLOCK = 1 << 15


def send(codes: Codes, channel: FloatArray, rng: np.random.Generator, released: Codes) -> None:
    """Draw what each code becomes: invert the distribution function of its column.

    A number u in [0, 1) is first looked up on a grid, which gives the answer at the grid
    point below u; the few u with a step between that point and them go on from there. That
    is five times as fast as a binary search for each.
    """
    k = len(channel)
    ends = (np.cumsum(channel, axis=0) / channel.sum(axis=0)).T
    ends[:, -1] = np.inf
    n_cells = 1 << max(4 * k, 2048 // k).bit_length()
    grid = np.arange(n_cells) / n_cells
    start = np.concatenate([np.searchsorted(row, grid, side="right") for row in ends])
    for first in range(0, codes.size, _BLOCK):
        column = codes[first : first + _BLOCK].astype(np.intp)
        draws = rng.random(column.size)
        found = start.take(column * n_cells + (draws * n_cells).astype(np.intp))
        column *= k
        late = np.flatnonzero(ends.take(column + found) <= draws)
        while late.size:
            found[late] += 1
            late = late[ends.take(column[late] + found[late]) <= draws[late]]
        released[first : first + _BLOCK] = found
