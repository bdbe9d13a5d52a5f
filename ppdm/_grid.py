"""Public cells for noise: a promise that is kept in floating point, too.

A sum of floats tells of its terms: 43% of what Laplace noise of epsilon 1 once released of 0 were
floats that no noise makes of 1. Which *cell* of a public grid real noise falls into tells nothing
more than epsilon allows, since a cell's mass is an integral of densities, and their ratio is
bounded at each point. So released is the middle of a cell, which is on no edge of intervals.
"""

from __future__ import annotations

import numpy as np

from ppdm.typing import FloatArray


def cell_width(scale: FloatArray | float) -> FloatArray:
    """Return the power of two near scale / 1024: what is divided by it loses no digit."""
    return np.ldexp(1.0, np.rint(np.log2(scale)).astype(np.intp) - 10)


def middles(values: FloatArray, width: FloatArray) -> FloatArray:
    """Return the middle of the cell that each value is in; the values are written over."""
    values /= width
    np.floor(values, out=values)
    values += 0.5
    values *= width
    return values
