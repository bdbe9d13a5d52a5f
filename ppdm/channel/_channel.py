"""The interface of a known channel: what is released, its inverse on counts, its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array
from sklearn.base import BaseEstimator

from ppdm import _validation as check
from ppdm._coding import count_pairs
from ppdm._support import Support, but_for, epsilon_of
from ppdm.typing import AnyArray, ArrayLike, Changes, Codes, FloatArray, IntArray, Undoing


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
    share, a released value that fills several columns (``columns_of`` and ``codes_of``), values
    that are too many for a matrix (``support``, ``count_support`` and ``n_released``).

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

    undoing: Undoing = "raw"
    """How a classifier that is told nothing else undoes counts of its reports: by the inverse, or
    by EM where the inverse of so many values would be mostly chance."""

    def __repr__(self) -> str:
        told = isinstance(self, BaseEstimator)  # by its parameters
        return super().__repr__() if told else f"<{type(self).__name__}>"

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
            Its product with the channel is the identity, and its columns sum to one, so that
            counts keep their sum. From the pseudo-inverse, unless the scheme knows a better one.

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
        codes = check.codes(check.of_names(self, records, "records"), "records")
        scheme = self._bound(codes, "records")
        check.of_shape(codes, "records", (None, scheme.n_features_in_), "a column an attribute")
        matrices = [check.matrix(scheme.channel_matrix(j)) for j in range(scheme.n_features_in_)]
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
        records : array-like of shape (m, n_features)
            Candidates, as :meth:`record_codes` reads them.

        Returns
        -------
        ndarray of shape (n, m)
            Minus infinity where the record cannot have released it.

        Raises
        ------
        ValueError, TypeError
            If something was released that the channel never releases, or a record holds a
            value that it does not have.
        """
        return self._log_product(released, self.record_parts(self.record_codes(records)))

    def _log_product(self, released: ArrayLike, parts: list[RecordPart]) -> FloatArray:
        """Return the sum over the parts, one an attribute, of log P[released | record], (n, m)."""
        rows = np.asarray(self.codes(released))
        check.of_shape(rows, "released", (None, len(parts)), "a column an attribute")
        total = np.zeros((len(rows), len(parts[0].values)))
        with np.errstate(divide="ignore"):
            for code, part in zip(rows.T, parts, strict=True):
                total += np.log(part.matrix.toarray())[code][:, part.values]
        return total

    def part_epsilons(self, changes: Changes) -> list[float]:
        """Return the epsilon of each part of a release that shows a change of the truth.

        Of a value it is the promise to its owner, over all values that she may have, so that noise
        on numbers answers for the numbers and not for the intervals that they are counted in.

        Parameters
        ----------
        changes : {"record", "group", "attribute", "bit"}
            What the two truths differ in.

        Returns
        -------
        list of float
            In [0, inf], in nats. Those of a record add up; of the others the largest counts.
        """
        if changes == "attribute":
            parts = self.attribute_channels()
        elif changes != "bit":
            parts = self.record_channels()
        elif hasattr(self, "bit_channel"):
            parts = [self.bit_channel()]
        else:
            parts = Channel.record_channels(self)  # each attribute's, whatever they share
        return [epsilon_of(part) for part in parts]

    def record_epsilon(self) -> float:
        """Return what a whole record spends: the epsilons of its independent parts add up."""
        return float(sum(self.part_epsilons("record")))

    def support(self, feature: int = 0) -> Support | None:
        """Return the chances of a pure protocol, of who is asked; None where it is none.

        Then each value is counted by itself, in closed form and without a matrix: of ``n`` reports
        of which ``c`` support it, (c - n q) / (p - q) are of people who have it.

        Parameters
        ----------
        feature : int, default=0
            The attribute.
        """
        return None

    def count_support(
        self, block: ArrayLike, feature: int = 0, *, weight: FloatArray | None = None
    ) -> AnyArray:
        """Count how many reports do not support each value, and how many do, by who was asked.

        Counts of chunks add up. Only a scheme with :meth:`support` has them.

        Parameters
        ----------
        block : array-like of shape (n, w)
            What was released of the attribute, its columns alone.
        feature : int, default=0
            The attribute.
        weight : ndarray of shape (n,), optional
            What each report counts, instead of one.

        Returns
        -------
        ndarray of shape (n_values, 2)
            Whole numbers where there is no weight.
        """
        support = self.support(feature)
        rule = "feature must be an attribute with a support, of a pure protocol"
        check.demand(support is not None, rule, feature)
        assert support is not None
        named = np.bincount(self.codes_of(block, feature), weight, support.n_values)
        return but_for(named[: support.n_values])  # one more code is no answer

    def n_released(self, feature: int = 0) -> int:
        """Return how many values an attribute releases: the rows of its matrix."""
        return len(self.channel_matrix(feature))

    def columns_of(self, feature: int = 0) -> slice:
        """Return which columns of a release are about an attribute: one, unless there are more."""
        return slice(feature, feature + 1)

    def class_inverse(self, feature: int | None = None) -> FloatArray | None:
        """Return what undoes the class on counts; None where the class is public.

        Parameters
        ----------
        feature : int, optional
            With the values of an attribute beside it: pairs of class and value, the value
            changing first.

        Returns
        -------
        ndarray of shape (2, 2), with a feature (2 m, 2 S), or None
        """
        return None

    def when_asked(self) -> Channel:
        """Return the channel of those who are asked a question: itself, if everybody is."""
        return self

    def attribute(self, feature: int) -> Channel:
        """Return the channel of one attribute alone, of who is asked it.

        Parameters
        ----------
        feature : int
            The attribute.
        """
        told = self.when_asked()
        return told if getattr(told, "n_features_in_", 0) == 1 else _Attribute(told, feature)

    def true_codes(self, column: ArrayLike, feature: int = 0) -> Codes:
        """Return which true value each clear value of an attribute is: its column of the matrix.

        Parameters
        ----------
        column : array-like of shape (n,)
            Codes 0, 1, ..., labels where there are categories, or numbers of intervals.
        feature : int, default=0
            The attribute.

        Raises
        ------
        ValueError, TypeError
            If a value is none of the attribute's.
        """
        support = self.when_asked().support(feature)
        size = self.channel_matrix(feature).shape[1] if support is None else support.n_values
        return self._coded(column, feature, size, "X")

    def record_codes(self, records: ArrayLike) -> Codes:
        """Return which true value each attribute of clear records has, (n, n_features).

        Parameters
        ----------
        records : array-like of shape (n, n_features)
            Whole records, each attribute as :meth:`true_codes` takes it.

        Raises
        ------
        ValueError, TypeError
            If a value is none of its attribute's, which the error names.
        """
        named = check.of_names(self, records, "records")
        scheme, table = self._bound(named, "records"), check.labelled(named, "records")
        d, names = scheme.n_features_in_, getattr(scheme, "feature_names_in_", None)
        check.of_shape(table, "records", (None, d), "a column an attribute")
        codes = np.empty(table.shape, dtype=np.intp)
        for j, column in enumerate(table.T):
            called = check.called_by(j, names)
            with check.naming_column(called, column, "records", f"true values of {called}"):
                codes[:, j] = scheme.true_codes(column, j)
        return codes

    def _bound(self, reports: Any, name: str = "reports") -> Any:
        """Return this channel, or a copy that knows its number of attributes from the reports."""
        d = check.n_columns(reports, name)
        if check.is_fitted(self):
            return self
        if not d:
            rule = f"{name} has 0 feature(s) (shape={np.shape(reports)}) while a minimum of 1 is "
            check.demand(d, f"{rule}required", d)
        return self.bound_to(d, check.names_of(reports))

    def bound_to(self, n_columns: int, names: AnyArray | None = None) -> Channel:
        """Return a copy that knows its number of attributes, from reports of so many columns.

        Parameters
        ----------
        n_columns : int
            Columns of the reports.
        names : ndarray of str, optional
            Their names.
        """
        bound: Any = copy(self)
        bound.n_features_in_ = n_columns
        if names is not None:
            bound.feature_names_in_ = names
        return bound  # type: ignore[no-any-return]

    def codes_of(self, block: ArrayLike, feature: int = 0) -> Codes:
        """Return which released value each report of one attribute is: its row of the matrix.

        This is what a scheme writes whose reports are no codes; ``codes`` and ``count`` follow.

        Parameters
        ----------
        block : array-like of shape (n, w)
            What was released of the attribute, its columns alone.
        feature : int, default=0
            The attribute.

        Returns
        -------
        ndarray of int, shape (n,)

        Raises
        ------
        ValueError, TypeError
            If something was released that the channel never releases.
        """
        return self._coded(block, feature, self.n_released(feature), "released")

    def _coded(self, values: ArrayLike, feature: int, size: int, name: str) -> Codes:
        """Return codes below a size, or labels by the categories of their attribute, as codes."""
        given = check.plain(values, name)
        rule = f"{name} must be of one attribute, (n,) or (n, 1) (codes reads whole records)"
        check.demand(given.shape[1:] in ((), (1,)), rule, given.shape)
        column = given.reshape(-1, 1)
        known = check.known_categories(self)
        labels = None if known is None else known[feature]
        if labels is None:
            return check.codes(column, name, [size], first=feature)[:, 0]
        called = getattr(self, "feature_names_in_", range(feature + 1))[feature]
        return check.to_codes(column, [labels], np.array([called], dtype=object), name)[:, 0]

    def codes(self, released: ArrayLike) -> Codes:
        """Return which released value each report is: its row of the channel matrix.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_columns)
            What was released, of one attribute or of all: codes, or labels where there are
            categories. A DataFrame is read by the names of its columns, where the scheme knows
            them, in any order.

        Returns
        -------
        ndarray of int, shape (n,) or (n, n_features)

        Raises
        ------
        ValueError, TypeError
            If something was released that the channel never releases, or there is another number
            of columns.
        """
        scheme = self._bound(released, "released")
        which = range(scheme.n_features_in_)
        plain = check.plain(released, "released")
        if plain.ndim == 1 < len(which) and len({*map(scheme.n_released, which)}) == 1:
            return np.asarray(scheme.codes_of(plain[:, np.newaxis]))  # of any: all are alike
        whole = check.as_released(scheme, released, "released")
        each = [scheme.codes_of(whole[:, scheme.columns_of(j)], j) for j in which]
        codes = np.stack(each, axis=1) if len(each) > 1 else each[0][:, np.newaxis]
        return codes[:, 0] if plain.ndim == 1 else codes

    def count(
        self, released: ArrayLike, *, labels: ArrayLike | None = None, n_labels: int | None = None
    ) -> IntArray:
        """Count how often each value was released; counts of chunks add up.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_columns)
            What was released, of one attribute or of all. Of those that release fewer values
            the last counts are zero; :func:`ppdm.reconstruction.em` and ``invert`` leave them out.
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
            As :meth:`codes`, or if the labels are not one code for each record.
        """
        check.in_step(released=released, labels=labels)
        codes = np.asarray(self.codes(released))
        n_values = max(self.n_released(j) for j in range(codes.shape[1] if codes.ndim == 2 else 1))
        group, n_groups = check.labels(labels, n_labels, len(codes))
        table = codes[:, np.newaxis] if codes.ndim == 1 else codes
        tally = count_pairs(table, group, None, n_groups, n_values).swapaxes(0, 1)
        tally = tally[:, 0] if codes.ndim == 1 else tally
        return tally[0] if labels is None else tally


class _Attribute(Channel):
    """One attribute of a channel of several."""

    def __init__(self, whole: Channel, place: int) -> None:
        self.whole, self.place, self.n_features_in_ = whole, place, 1
        known = check.known_categories(whole)
        self.categories_ = None if known is None else [known[place]]

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        return self.whole.channel_matrix(self.place)

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        return self.whole.inverse_matrix(self.place)

    def support(self, feature: int = 0) -> Support | None:
        return self.whole.support(self.place)

    def count_support(
        self, block: ArrayLike, feature: int = 0, *, weight: FloatArray | None = None
    ) -> AnyArray:
        return self.whole.count_support(block, self.place, weight=weight)

    def n_released(self, feature: int = 0) -> int:
        return self.whole.n_released(self.place)

    def codes_of(self, block: ArrayLike, feature: int = 0) -> Codes:
        return self.whole.codes_of(block, self.place)
