"""From a reconstructed distribution back to records: who is taken to lie in which interval.

A tree splits records, so each record needs an interval. AS00 (section 4.2) sorts the
disguised values and takes the lowest ones for the first interval, the next ones for the
second, as many as were reconstructed for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppdm._types import BoolArray, FloatArray, IntArray
from ppdm.reconstruction import reconstruct_distribution


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
    """The disguised training records, sorted once, and dealt to intervals label by label.

    Parameters
    ----------
    X : ndarray of float, shape (n_samples, n_features)
        Disguised records.
    channels : list
        One bound channel (:func:`ppdm.reconstruction.reconstruct_distribution`) an attribute.
    rule : dict
        When a reconstruction stops: ``stop``, ``tol`` and ``max_iter``.
    """

    def __init__(self, X: FloatArray, channels: list[Any], rule: dict[str, Any]) -> None:
        self.shape = X.shape
        self._X, self._channels, self._rule = X, channels, rule
        self._order = [np.argsort(column) for column in np.ascontiguousarray(X.T)]

    def deal(
        self,
        rows: IntArray,
        labels: IntArray,
        n_labels: int,
        wanted: BoolArray,
        codes: NDArray[np.int32],
    ) -> IntArray:
        """Reconstruct each attribute for each label and write the records' intervals.

        Parameters
        ----------
        rows : ndarray of int, shape (k,)
            Training records.
        labels : ndarray of int, shape (k,)
            The label of each, 0, ..., n_labels - 1.
        n_labels : int
        wanted : ndarray of bool, shape (n_labels, n_features)
            Which attributes are reconstructed for which labels; the others keep their codes.
        codes : ndarray of int, shape (k, n_features)
            The intervals of these records; written to.

        Returns
        -------
        ndarray of int, shape (n_features,)
            The most steps that a label's reconstruction of each attribute took.
        """
        steps = np.zeros(self.shape[1], dtype=np.intp)
        sizes = np.bincount(labels, minlength=n_labels)
        labels = labels.astype(np.min_scalar_type(n_labels))  # small integers sort faster
        slot = np.full(len(self._X), -1, dtype=np.int32)
        for feature in np.flatnonzero(wanted.any(axis=0)):
            asked = wanted[:, feature]
            inside = np.flatnonzero(asked[labels])
            found = reconstruct_distribution(
                self._X[rows[inside], feature],
                self._channels[feature],
                labels=labels[inside],
                n_labels=n_labels,
                keep_history=False,
                **self._rule,
            )
            steps[feature] = found.n_iter.max()
            counts = largest_remainder(found.probabilities, sizes * asked)
            slot[:] = -1
            slot[rows[inside]] = inside
            ascending = slot[self._order[feature]]
            ascending = ascending[ascending >= 0]
            ascending = ascending[np.argsort(labels[ascending], kind="stable")]
            interval = np.tile(np.arange(counts.shape[1], dtype=np.int32), n_labels)
            codes[ascending, feature] = np.repeat(interval, counts.ravel())
        return steps
