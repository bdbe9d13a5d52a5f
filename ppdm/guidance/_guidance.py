"""The data miner's side of guided perturbation: A0*, A1*, k* and V_k*.

Zhang, Wang and Zhao (2005), section 4.1.
"""

from __future__ import annotations

from math import isqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm.typing import ArrayLike, Bits, FloatArray, Order


class Guidance:
    r"""What the data miner keeps of the tuples: A0*, A1*, and the guidance they give.

    .. math:: A_c^* = \sum_{i \in C_c} R(t_i)' R(t_i), \qquad
              A^* = A_0^* - A_1^* = V^* \Sigma^* V^{*\prime}

    Parameters
    ----------
    n_bits : int >= 1
        Bits of a tuple.
    order : {"magnitude", "signed"}, default="magnitude"
        How the eigenvalues are sorted. The paper's text sorts them by value (signed).
        Its Eq. 22 needs them sorted by magnitude: only then is the truncated matrix the
        nearest of its rank. In signed order the direction in which class 1 prevails
        comes last, and the result depends on which class is called 0.

    Attributes
    ----------
    A0, A1 : ndarray of int64, shape (n_bits, n_bits)
        The sums of Eq. 4, exact.
    n_tuples : ndarray of int64, shape (2,)
        How many tuples of each class went into them.

    Raises
    ------
    ValueError, TypeError
        If n_bits is not a whole number >= 1, or the order is another word.

    Notes
    -----
    ZWZ05, section 4.1. Memory is O(n_bits^2) whatever the number of tuples; an update
    costs O(n_bits^2) a tuple, the decomposition O(n_bits^3). It is computed when it is
    asked for and kept until the next update.

    Where eigenvalues at rank k and k + 1 are equal, V_k is not determined by the data:
    any basis of their space will do, and LAPACK's is taken.

    Examples
    --------
    Two attributes of two values; the first one is the class, the second a coin:

    >>> from ppdm.guidance import Guidance, one_hot
    >>> T = one_hot([[0, 0], [0, 1], [1, 0], [1, 1]], [2, 2])
    >>> guidance = Guidance(n_bits=4).update(T, [0, 0, 1, 1])
    >>> guidance.eigenvalues.round(3)
    array([ 2.828, -2.828,  0.   ,  0.   ])
    >>> guidance.disclosure_level(mu=0.15), guidance.vectors(2).shape
    (2, (4, 2))
    """

    def __init__(self, n_bits: int, order: Order = "magnitude") -> None:
        self.n_bits: int = check.given("n_bits", n_bits)
        self.order: Order = check.given("order", order)
        self.A0 = np.zeros((self.n_bits, self.n_bits), dtype=np.int64)
        self.A1 = np.zeros_like(self.A0)
        self.n_tuples: NDArray[np.int64] = np.zeros(2, dtype=np.int64)
        self._eigen: tuple[FloatArray, FloatArray] | None = None

    @property
    def A(self) -> NDArray[np.int64]:
        """A* = A0* - A1*, shape (n_bits, n_bits)."""
        return self.A0 - self.A1

    @property
    def eigenvalues(self) -> FloatArray:
        """The eigenvalues of A* in the chosen order, shape (n_bits,)."""
        return self._decompose()[0].copy()

    def update(self, R: ArrayLike, y: ArrayLike) -> Guidance:
        """Add one tuple or a batch (Eq. 4).

        Parameters
        ----------
        R : array-like of shape (n_bits,) or (n, n_bits)
            Bits, disguised ones (or bootstrap tuples).
        y : int, or array-like of shape (n,)
            Class labels 0 or 1.

        Returns
        -------
        Guidance
            The object itself, unchanged if an error is raised.

        Raises
        ------
        ValueError, TypeError
            If R does not hold bits or has another number of them, or a label is neither
            0 nor 1, or their numbers differ.
        """
        self._add(*check.tuples(R, y, self.n_bits))
        return self

    def _add(self, bits: Bits, labels: Bits) -> None:
        """Add tuples (n, n_bits) that have been checked."""
        for label, moment in enumerate((self.A0, self.A1)):
            # in float64, where the product is fast and counts below 2^53 are exact
            rows = bits[labels == label].astype(np.float64)
            moment += (rows.T @ rows).astype(np.int64)
        self.n_tuples += np.bincount(labels, minlength=2)
        self._eigen = None

    def merge(self, other: Guidance) -> Guidance:
        """Add what another Guidance has seen; the order stays this one's.

        Parameters
        ----------
        other : Guidance
            With the same number of bits.

        Returns
        -------
        Guidance
            The object itself.

        Raises
        ------
        TypeError, ValueError
            If ``other`` is no Guidance or has another number of bits.
        """
        check.alike(self.n_bits, other.n_bits, "n_bits")
        self.A0 += other.A0
        self.A1 += other.A1
        self.n_tuples += other.n_tuples
        self._eigen = None
        return self

    def __add__(self, other: Guidance) -> Guidance:
        """Return a Guidance of what both have seen; neither of the two is changed.

        Raises
        ------
        ValueError, TypeError
            If ``other`` is no Guidance, or has another number of bits or another order.
        """
        if not isinstance(other, Guidance):
            return NotImplemented
        check.alike(self.order, other.order, "order")
        return Guidance.from_bytes(self.to_bytes(), self.order).merge(other)

    def to_bytes(self) -> bytes:
        """Return the sums as bytes, exactly: what :meth:`from_bytes` takes up again.

        Returns
        -------
        bytes
            A0* and A1*, row by row, and n_tuples, as little-endian 64-bit integers:
            8 (2 n_bits^2 + 2) bytes. The order of the eigenvalues is not among them.
        """
        counts = np.concatenate([self.A0.ravel(), self.A1.ravel(), self.n_tuples])
        return counts.astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, order: Order = "magnitude") -> Self:
        """Return the Guidance whose sums were written with :meth:`to_bytes`.

        Parameters
        ----------
        data : bytes
            As ``to_bytes`` returned them.
        order : {"magnitude", "signed"}, default="magnitude"
            How the eigenvalues are sorted.

        Returns
        -------
        Guidance

        Raises
        ------
        ValueError
            If no number of bits has so many bytes, or the order is another word.

        Examples
        --------
        >>> guidance = Guidance(n_bits=2).update([[1, 0], [0, 1], [1, 0]], [0, 1, 0])
        >>> Guidance.from_bytes(guidance.to_bytes()).A0
        array([[2, 0],
               [0, 0]])
        """
        are_bytes = isinstance(data, bytes | bytearray | memoryview)
        check.demand(are_bytes, "data must be bytes", data, TypeError)
        n_bits = isqrt(max(len(data) // 8 - 2, 0) // 2)
        if n_bits == 0 or len(data) != 8 * (2 * n_bits**2 + 2):
            raise ValueError(f"data must be what Guidance.to_bytes returned, got {len(data)} bytes")
        counts = np.frombuffer(data, dtype="<i8").astype(np.int64)
        guidance = cls(n_bits, order)
        guidance.A0, guidance.A1 = counts[:-2].reshape(2, n_bits, n_bits)
        guidance.n_tuples = counts[-2:]
        return guidance

    def disclosure_level(self, mu: float = 0.15) -> int:
        r"""Return k*, the least k >= 1 with :math:`\sigma_{k+1} \le \mu \sigma_1` (Eq. 6).

        Parameters
        ----------
        mu : float in (0, 1), default=0.15
            The share of the first eigenvalue under which a direction is left out; by
            magnitude the absolute values are compared.

        Returns
        -------
        int
            In [1, n_bits]. While a class has no tuple, or A* is zero, no direction is
            known to tell the classes apart, and it is n_bits: only providers who accept
            every level are asked.

        Raises
        ------
        ValueError, TypeError
            If mu is not a number in (0, 1).
        """
        mu = check.given("mu", mu)
        if not self.n_tuples.all() or not self.A.any():
            return self.n_bits
        sigma = self._decompose()[0]
        if self.order == "magnitude":
            sigma = np.abs(sigma)
        small = np.append(sigma[1:] <= mu * sigma[0], True)
        return int(np.argmax(small)) + 1

    def error_bound(self, mu: float) -> float:
        r"""Return what Theorem 5.1 says the degree of error does not exceed.

        .. math:: l_e \le 2 \mu \sigma_1 / m

        The theorem does not hold (:func:`ppdm.utility.degree_of_error`): its proof takes the
        expectation of a product of two released bits for the product of their projections.

        Parameters
        ----------
        mu : float in (0, 1)
            The share of the first eigenvalue that k* is computed with.

        Returns
        -------
        float
            A bound above 1 says nothing. In magnitude order sigma_1 is the largest magnitude.

        Raises
        ------
        ValueError, TypeError
            If no tuple was seen, or mu is not a number in (0, 1).

        Notes
        -----
        ZWZ05, Theorem 5.1, Eq. 12.

        Examples
        --------
        >>> guidance = Guidance(n_bits=4).update([[1, 0, 1, 0], [0, 1, 1, 0]], [0, 1])
        >>> round(guidance.error_bound(mu=0.1), 4)
        0.1732
        """
        mu, m = check.given("mu", mu), int(self.n_tuples.sum())
        check.demand(m, "guidance must have seen a tuple", m)
        first = float(self.eigenvalues[0])
        return 2 * mu * (abs(first) if self.order == "magnitude" else first) / m

    def vectors(self, k: int) -> FloatArray:
        """Return V_k: the first k eigenvectors of A*, orthonormal columns.

        Parameters
        ----------
        k : int in [1, n_bits]
            How many; see ``disclosure_level``.

        Returns
        -------
        ndarray of float64, shape (n_bits, k)
            Each with its largest entry positive, so that the sign repeats everywhere.

        Raises
        ------
        ValueError, TypeError
            If k is not a whole number in [1, n_bits].
        """
        k = check.given("k", k, high=self.n_bits)
        return self._decompose()[1][:, :k].copy()

    def _decompose(self) -> tuple[FloatArray, FloatArray]:
        if self._eigen is None:
            values, vectors = np.linalg.eigh(self.A.astype(np.float64))
            size = np.abs(values)
            # what is zero but for rounding is zero, or its sign would decide the order
            values[size <= self.n_bits * np.finfo(np.float64).eps * size.max()] = 0.0
            key = -np.abs(values) if self.order == "magnitude" else -values
            first = np.lexsort((-values, key))  # of equal magnitudes the positive one first
            vectors, size = vectors[:, first], np.abs(vectors[:, first])
            # the first of the largest entries, with room for rounding, so that a tie repeats
            lead = np.argmax(size >= (1 - 1e-6) * size.max(axis=0), axis=0)
            signs = np.where(vectors[lead, np.arange(self.n_bits)] < 0, -1.0, 1.0)
            self._eigen = values[first], vectors * signs
        return self._eigen
