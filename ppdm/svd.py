"""The two singular-value methods that sample generation is compared with.

BSVD publishes the best approximation of rank k to the data matrix; SSVD first sets the
smallest entries of the singular vectors to zero. Both work on the raw matrix, without
centring or scaling, so that the published matrix still looks like the data. Neither
uses a random number: what keeps a reader from the true values is only what was left out.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ppdm import _validation as check
from ppdm._estimators import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from ppdm.channel import Scheme
from ppdm.typing import ArrayLike, FloatArray

__all__ = ["SparsifiedSVDPerturbation", "TruncatedSVDPerturbation"]


class TruncatedSVDPerturbation(Scheme, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Basic SVD perturbation (BSVD): keep k singular components of the raw matrix.

    With :math:`X = U S V^T`, the release is :math:`U_k S_k V_k^T`. It equals
    :math:`X V_k V_k^T`, so new records are perturbed by the same projection and
    ``transform`` of the training records is ``fit_transform`` of them.

    Parameters
    ----------
    n_components : int, default=2
        k, from 1 to the rank of the matrix. The larger, the better the utility and
        the worse the privacy; with k equal to the rank, the release *is* the data.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The k leading right singular vectors, as rows.
    singular_values_ : ndarray of shape (n_components,)
        The k largest singular values, in descending order.
    threshold_ : float
        Entries of U_k and V_k below this absolute value are set to zero: here 0, none is.
    rank_ : int
        Numerical rank of the matrix seen in ``fit``.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Raises
    ------
    ValueError
        If ``n_components`` is above the rank, or X has a missing or infinite value.

    Notes
    -----
    LX14, section 3.4 (comparator "BSVD"). The perturbation is no channel: it is
    deterministic and leaves most values nearly as they were.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9]])
    >>> TruncatedSVDPerturbation(n_components=1).fit_transform(X).round(2)
    array([[1.  , 2.  ],
           [2.05, 4.08],
           [2.97, 5.92]])
    >>> np.allclose(TruncatedSVDPerturbation(n_components=2).fit_transform(X), X)
    True
    """

    n_features_in_: int
    sparsity: float = 0.0

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Decompose X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data matrix, numeric, without missing values.
        y : None
            Ignored.

        Returns
        -------
        self : TruncatedSVDPerturbation
        """
        array: FloatArray = check.table(self, X, reset=True, dtype=np.float64)
        k = check.given("svd.n_components", self.n_components)
        _, values, rows = np.linalg.svd(array, full_matrices=False)
        # the usual tolerance of a numerical rank (numpy.linalg.matrix_rank)
        floor = values[0] * max(array.shape) * np.finfo(np.float64).eps
        self.rank_: int = int((values > floor).sum())
        rule = f"n_components must be at most the rank of X, which is {self.rank_} for its shape "
        check.demand(k <= self.rank_, f"{rule}{array.shape}", k)
        self.singular_values_: FloatArray = values[:k]
        self.components_: FloatArray = rows[:k]
        share = check.given("sparsity", self.sparsity)
        entries = np.concatenate([self._left_vectors(array).ravel(), self.components_.ravel()])
        self.threshold_: float = _cut(np.abs(entries), share)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Perturb the records of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Records, those of ``fit`` or new ones.

        Returns
        -------
        released : ndarray of shape (n_samples, n_features)
            The perturbed records, in the units of X.
        """
        check.fitted(self)
        array: FloatArray = check.table(self, X, reset=False, dtype=np.float64)
        left, right = (
            np.where(np.abs(part) < self.threshold_, 0.0, part)
            for part in (self._left_vectors(array), self.components_)
        )
        return np.asarray((left * self.singular_values_) @ right)

    def _left_vectors(self, X: FloatArray) -> FloatArray:
        """U of these records: X V / s, which for the records of fit is U_k itself."""
        return np.asarray(X @ self.components_.T / self.singular_values_)


class SparsifiedSVDPerturbation(TruncatedSVDPerturbation):
    r"""Sparsified SVD perturbation (SSVD): BSVD with small entries of U_k, V_k set to zero.

    Parameters
    ----------
    n_components : int, default=2
        k, from 1 to the rank of the matrix.
    sparsity : float in [0, 1), default=0.1
        e, the share of the entries of U_k and V_k together that is set to zero, those of
        smallest absolute value. 0 is BSVD. The entries of V_k are larger, as it has fewer
        rows: nearly all zeros fall into U_k.

    Attributes
    ----------
    components_, singular_values_, rank_ : see TruncatedSVDPerturbation
    n_features_in_ : int
        As in :class:`TruncatedSVDPerturbation`; ``components_`` is not sparsified.
    threshold_ : float
        Entries below this absolute value are set to zero. It lies half way between the last
        dropped and the first kept entry.

    Raises
    ------
    ValueError
        If ``sparsity`` is outside [0, 1) or ``n_components`` is above the rank.

    Notes
    -----
    LX14, section 3.4 (comparator "SSVD"). Entries that are equal (equal records have
    equal rows in U_k) are kept or dropped together, so slightly less than the share
    may be dropped. New records get U recomputed as :math:`X V_k S_k^{-1}`, then
    sparsified with the threshold of ``fit``: a record's release depends on no other
    record of the same call.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9], [0.5, 0.1]])
    >>> ssvd = SparsifiedSVDPerturbation(n_components=2, sparsity=0.25)
    >>> ssvd.fit_transform(X).round(2)
    array([[ 1.01,  2.  ],
           [ 2.  ,  4.1 ],
           [ 2.98,  5.91],
           [ 0.36, -0.18]])
    """

    def __init__(self, n_components: int = 2, sparsity: float = 0.1) -> None:
        super().__init__(n_components)
        self.sparsity = sparsity


def _cut(sizes: FloatArray, share: float) -> float:
    """Return a threshold with ``share`` of the sizes below it, or less where sizes are equal.

    Sizes that differ by no more than rounding count as equal.
    """
    ordered = np.concatenate([[0.0], np.sort(sizes)])
    # a product such as 0.15 * 3720 may fall just short of the whole number it stands for
    n_dropped = int(np.floor(share * sizes.size + 1e-9))
    apart = np.diff(ordered) > 1e-9 * ordered[-1]
    allowed = np.flatnonzero(apart[: n_dropped + 1])
    if n_dropped == 0 or allowed.size == 0:
        return 0.0
    last = int(allowed[-1])
    return float(ordered[last] + ordered[last + 1]) / 2
