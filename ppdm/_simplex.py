"""Estimates that no distribution can be, made legal. What is here checks nothing."""

from __future__ import annotations

import numpy as np

from ppdm.typing import FloatArray


def made_legal(estimates: FloatArray, method: str, total: FloatArray) -> FloatArray:
    """Clip and scale, or go to the nearest point of the simplex: rows (..., m) to sums (...)."""
    wanted = total[..., np.newaxis]
    if method == "clip":
        kept = np.maximum(estimates, 0)
        return np.asarray(kept * (wanted / kept.sum(axis=-1, keepdims=True)))
    # the constant is the largest that some number of the biggest values allows
    ranked = -np.sort(-estimates, axis=-1)
    surplus = (np.cumsum(ranked, axis=-1) - wanted) / np.arange(1, estimates.shape[-1] + 1)
    n_kept = np.count_nonzero(ranked > surplus, axis=-1, keepdims=True)
    return np.maximum(estimates - np.take_along_axis(surplus, n_kept - 1, axis=-1), 0)
