"""From a reconstructed distribution back to records: who is taken to lie in which interval.

A tree splits records, so each record needs an interval. AS00 (section 4.2) sorts the
disguised values and takes the lowest ones for the first interval, the next ones for the
second, as many as were reconstructed for each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppdm.classifiers._blocks import Block, FloatArray, IntArray, Stop


def largest_remainder(shares: FloatArray, totals: NDArray[np.integer]) -> IntArray:
    """Round ``totals`` times ``shares`` to whole counts that add up exactly.

    Each count is rounded down; what is missing goes, one each, to those that lost most,
    the first ones among equals.

    Parameters
    ----------
    shares : ndarray of shape (..., m)
        Not negative, each row summing to one.
    totals : ndarray of int, shape (...)
        What each row of counts adds up to.

    Returns
    -------
    ndarray of int, shape (..., m)

    Examples
    --------
    >>> largest_remainder(np.array([0.5, 0.3, 0.2]), np.array(11)).tolist()
    [6, 3, 2]
    """
    exact = shares * totals[..., None]
    counts = np.floor(exact).astype(np.intp)
    missing = totals - counts.sum(axis=-1)
    lost = np.argsort(counts - exact, axis=-1, kind="stable")
    place = np.argsort(lost, axis=-1)
    counts += place < missing[..., None]
    return counts


class Dealer:
    """The disguised training records, sorted once, and dealt to intervals group by group.

    Parameters
    ----------
    X : ndarray of float, shape (n_samples, n_features)
        Disguised records.
    blocks : list of Block
        Every attribute belongs to one.
    stop : Stop
        When the reconstruction stops.
    """

    def __init__(self, X: FloatArray, blocks: list[Block], stop: Stop) -> None:
        self.shape = X.shape
        self._X, self._blocks, self._stop = X, blocks, stop
        self._order = [np.argsort(column) for column in np.ascontiguousarray(X.T)]

    def deal(
        self,
        rows: IntArray,
        groups: IntArray,
        n_groups: int,
        wanted: NDArray[np.bool_],
        codes: NDArray[np.int32],
    ) -> IntArray:
        """Reconstruct each attribute in each group and write the records' intervals.

        Parameters
        ----------
        rows : ndarray of int, shape (k,)
            Training records.
        groups : ndarray of int, shape (k,)
            The group of each, 0, ..., n_groups - 1.
        n_groups : int
        wanted : ndarray of bool, shape (n_groups, n_features)
            Which attributes are reconstructed in which groups; the others keep their codes.
        codes : ndarray of int, shape (k, n_features)
            The intervals of these records; written to.

        Returns
        -------
        ndarray of int, shape (n_features,)
            The most steps that a group's reconstruction of each attribute took.
        """
        steps = np.zeros(self.shape[1], dtype=np.intp)
        sizes = np.bincount(groups, minlength=n_groups)
        groups = groups.astype(np.min_scalar_type(n_groups))  # small integers sort faster
        slot = np.full(len(self._X), -1, dtype=np.int32)
        slot[rows] = np.arange(len(rows), dtype=np.int32)
        for block in self._blocks:
            asked = wanted[:, block.features]
            if not asked.any():
                continue
            tally = block.count(self._X[rows], groups, n_groups)
            shares, n_iter = block.reconstruct(tally * asked[..., None], self._stop)
            steps[block.features] = n_iter.max(axis=0)
            counts = largest_remainder(shares, sizes[:, None] * asked)
            for feature, share, some in zip(
                block.features, np.moveaxis(counts, 1, 0), asked.T, strict=True
            ):
                ascending = slot[self._order[feature]]
                ascending = ascending[ascending >= 0]
                group = groups[ascending]
                if not some.all():
                    ascending = ascending[some[group]]
                    group = groups[ascending]
                ascending = ascending[np.argsort(group, kind="stable")]
                interval = np.tile(np.arange(block.n_values, dtype=np.int32), n_groups)
                codes[ascending, feature] = np.repeat(interval, share.ravel())
        return steps
