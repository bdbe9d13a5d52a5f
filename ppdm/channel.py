"""The one idea of the book as an interface: a disguise that is known, and undone on counts.

A provider's true value goes in, a released value comes out, and everybody knows with which
probability. Whatever is a :class:`Channel` can be reconstructed from
(:mod:`ppdm.reconstruction`), learnt from (:mod:`ppdm.classifiers`), measured
(:mod:`ppdm.privacy`) and attacked (:mod:`ppdm.attacks`); these know no scheme by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array

from ppdm import _validation as check
from ppdm._coding import count_codes
from ppdm.typing import Codes, FloatArray, IntArray

__all__ = ["Channel", "RecordPart"]

T = TypeVar("T")


class RecordPart(NamedTuple):
    """What given records release in one of their independent parts.

    The matrix is sparse: a coin that 16 bits share releases two of 65,536 values.
    """

    columns: IntArray
    """The attributes that the part is about."""
    values: IntArray
    """Which column of the matrix each record is, (n,)."""
    matrix: csc_array
    """P[released | true], (S, m), of the true values that occur."""


class Channel(ABC):
    """A known channel from the true to the released values of each attribute.

    A scheme writes :meth:`channel_matrix`; the rest follows from it, and is written anew
    where the scheme knows better: a closed form of the inverse, coins that attributes
    share, a released value that fills several columns.

    Examples
    --------
    A die decides whether a provider of a digit 0, 1 or 2 says the next one instead:

    >>> import numpy as np
    >>> from ppdm.channel import Channel
    >>> class NextDigit(Channel):
    ...     def channel_matrix(self, feature=0):
    ...         return 5 / 6 * np.eye(3) + 1 / 6 * np.roll(np.eye(3), 1, axis=0)
    >>> from ppdm.reconstruction import invert
    >>> reports = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 0]
    >>> invert(NextDigit(), NextDigit().count(reports)).counts.round(2)
    array([3.71, 2.86, 5.43])
    """

    @abstractmethod
    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true] of one attribute.

        Parameters
        ----------
        feature : int, default=0
            The attribute; any will do where all are alike.

        Returns
        -------
        ndarray of shape (S, m)
            Column j is what a provider with the true value j releases; it sums to one.
        """

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return a matrix that undoes the channel of one attribute on counts, without bias.

        Parameters
        ----------
        feature : int, default=0
            The attribute.

        Returns
        -------
        ndarray of shape (m, S)
            Its product with the channel is the identity. The pseudo-inverse, unless the
            scheme knows a better one.

        Raises
        ------
        ValueError
            If the channel's columns are linearly dependent: some shares of true values
            then give the same reports.
        """
        return check.invert_matrix(self.channel_matrix(feature))

    def record_channels(self) -> list[FloatArray]:
        """Return the independent channels that a whole record passes through.

        What is released about a record are these parts, drawn independently, so that what
        they disclose adds up (:func:`ppdm.privacy.local_epsilon`). A scheme in which
        attributes, or the columns of one released value, depend on each other says so here:
        they are one part. A part may be cut down to two of its true values or bits, where
        all are alike and what it tells of two truths does not hang on the others.

        Returns
        -------
        list of ndarray of shape (S, m)
            One an attribute; of a single one, where the channel is bound to no number of
            attributes.
        """
        n_features = getattr(self, "n_features_in_", 1)
        return [self.channel_matrix(feature) for feature in range(n_features)]

    def attribute_channels(self) -> list[FloatArray]:
        """Return what a release tells of each attribute to one who knows all the others.

        The parts of :meth:`record_channels`, unless a scheme has a part with several
        attributes: it writes this anew.

        Returns
        -------
        list of ndarray of shape (S, m)
        """
        return self.record_channels()

    def record_parts(self, records: ArrayLike) -> list[RecordPart]:
        """Return what these records, true codes (n, n_features), release in each part.

        The parts are those of :meth:`record_channels`, none of them cut down. Given the
        record they are independent, so that its likelihood is a product over them. A code
        that the channel does not have is refused.
        """
        codes = check.codes(records, "records")
        n_features = getattr(self, "n_features_in_", codes.shape[1])
        check.of_shape(codes, (None, n_features), f"records must have {n_features} attribute(s)")
        given = _of_each(self.channel_matrix, codes.shape[1], "records")
        matrices = [check.channel(matrix) for matrix in given]
        check.codes(codes, "records", [matrix.shape[1] for matrix in matrices])
        return [
            RecordPart(np.array([j]), column.astype(np.intp), csc_array(matrix))
            for j, (column, matrix) in enumerate(zip(codes.T, matrices, strict=True))
        ]

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return the logarithm of P[released | record] of each release under each record.

        Parameters
        ----------
        released : array-like of shape (n, n_features)
            What was released about whole records.
        records : array-like of int, shape (m, n_features)
            Candidates: true codes 0, 1, ... of each attribute.

        Returns
        -------
        ndarray of shape (n, m)
            Minus infinity where the record cannot have released it.

        Raises
        ------
        ValueError, TypeError
            If something was released that the channel never releases, or a record holds a
            code that it does not have.
        """
        return self._log_product(released, self.record_parts(records))

    def _log_product(self, released: ArrayLike, parts: list[RecordPart]) -> FloatArray:
        """Return the sum over the parts, one an attribute, of log P[released | record], (n, m)."""
        rows = np.asarray(self.codes(released))
        check.of_shape(rows, (None, len(parts)), f"released must have {len(parts)} attribute(s)")
        total = np.zeros((len(rows), len(parts[0].values)))
        with np.errstate(divide="ignore"):
            for code, part in zip(rows.T, parts, strict=True):
                total += np.log(part.matrix.toarray())[code][:, part.values]
        return total

    def codes(self, released: ArrayLike) -> Codes:
        """Return which released value each report is: its row of the channel matrix.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_features)
            What was released, of one attribute or of all: codes, or labels where there are
            categories.

        Returns
        -------
        ndarray of int, shape (n,) or (n, n_features)

        Raises
        ------
        ValueError, TypeError
            If something was released that the channel never releases.
        """
        array = check.plain(released, "released")
        table = array[:, np.newaxis] if array.ndim == 1 else array
        known = check.known_categories(self)
        if known is not None:
            names = getattr(self, "feature_names_in_", None)
            return check.to_codes(table, known, names, "released").reshape(array.shape)
        n_columns = table.shape[1] if table.ndim == 2 else 0
        sizes = _of_each(self._n_released, n_columns, "released")
        return check.codes(table, "released", sizes or None).reshape(array.shape)

    def count(
        self, released: ArrayLike, *, labels: ArrayLike | None = None, n_labels: int | None = None
    ) -> IntArray:
        """Count how often each value was released; counts of chunks add up.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_features)
            What was released, of one attribute or of all, which then have as many released
            values each.
        labels : array-like of int, shape (n,), optional
            A code 0, 1, ... for each record, its class for instance.
        n_labels : int, optional
            How many labels there are; one more than the largest where None. Give it where
            a chunk may lack the last one.

        Returns
        -------
        ndarray of int, shape (S,), (n_features, S), (n_labels, S) or (n_labels, n_features, S)

        Raises
        ------
        ValueError, TypeError
            As :meth:`codes`, if the labels are not one code for each record, or if a later
            attribute releases more values than the first.
        """
        codes = np.asarray(self.codes(released))
        n_values = self._n_released()
        rule = f"released must hold attributes of {n_values} values each, as the first has (count "
        most = int(codes.max(initial=0))
        check.demand(most < n_values, f"{rule}the others by themselves)", most)
        group, n_groups = check.labels(labels, n_labels, len(codes))
        table = codes[:, np.newaxis] if codes.ndim == 1 else codes
        tally = count_codes(table, n_values, group, n_groups)
        tally = tally[:, 0] if codes.ndim == 1 else tally
        return tally[0] if labels is None else tally

    def _n_released(self, feature: int = 0) -> int:
        """Return how many values an attribute releases; a closed form needs no matrix for it."""
        return len(self.channel_matrix(feature))


def _of_each(what: Callable[..., T], n_columns: int, name: str) -> list[T]:
    """Return ``what`` the channel says of each attribute of a table that has so many columns.

    What a scheme refuses of a later attribute, but not of the first, is that there is none.
    """
    first = [what()] if n_columns else []
    with check.naming(name, f"attributes of the channel, one each, not {n_columns}"):
        return first + [what(j) for j in range(1, n_columns)]


class _Matrices(Channel):
    """Plain matrices, one for each attribute."""

    def __init__(self, matrices: list[FloatArray]) -> None:
        self.matrices, self.n_features_in_ = matrices, len(matrices)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        return check.of_feature(self.matrices, feature, self.n_features_in_)


def as_channel(channel: Any, n_features: int) -> Channel:
    """Return a ``Channel`` as it is, and anything else that is a channel as one.

    That is a matrix P[released | true] for all of ``n_features`` attributes, or one each.
    """
    if isinstance(channel, Channel):
        return channel
    return _Matrices(check.matrices_of(channel, n_features))
