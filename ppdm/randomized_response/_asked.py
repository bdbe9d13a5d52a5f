"""Some answers a person, drawn by lot, for whatever scheme; and what schemes of codes share.

Who answers s of d questions may give each of them an s-th of the budget, and not a d-th. Which were
asked is drawn without a look at the record and says nothing of it. In what is released NaN stands
for what was not asked; in a channel's matrix that is one more row, the last.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
from functools import reduce
from itertools import combinations
from math import comb, log
from typing import Any, Self

import numpy as np
from scipy.linalg import khatri_rao
from scipy.sparse import csc_array
from scipy.special import xlogy

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm._support import Support, epsilon_of
from ppdm.channel import Channel, RecordPart, Scheme
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Categories,
    Codes,
    FloatArray,
    GivenCategories,
    RandomState,
)

#: Entries of the channel of whole records, at most.
_MOST_ENTRIES = 2**22


class SomeAsked(Channel):
    """A channel of which each record passes ``asked`` attributes, drawn by lot; None is all.

    A scheme writes what an attribute passes that is asked, with :meth:`_some` and
    :meth:`_some_inverse` around it, :meth:`_answer_codes` and :meth:`_parts`; the rest follows.
    """

    asked: int | None
    n_features_in_: int
    categories_: Categories | None

    def record_channels(self) -> list[FloatArray]:
        """Return the independent parts that a record passes through, one an attribute.

        Where ``asked`` of them are asked, so many: those of the largest epsilons. Which are asked
        was drawn without a look at the record, so that their sum is what a record spends.
        """
        check.fitted(self)
        parts = self._parts()
        heaviest = sorted(parts, key=epsilon_of, reverse=True)[: self.asked]
        return parts if self.asked is None else heaviest

    def attribute_channels(self) -> list[FloatArray]:
        """Return what a release tells of each attribute; see ``Channel``."""
        check.fitted(self)
        return [self._some(part) for part in self._parts()]

    def record_parts(self, records: ArrayLike) -> list[RecordPart]:
        """Return what these records release in each part; see ``Channel``.

        Where only some attributes are asked all is one part: one answer less is one more of
        another attribute. A row is a choice of attributes, the first by
        ``itertools.combinations``, and their answers, the first changing soonest.
        """
        parts = super().record_parts(records)
        if self.asked is None:
            return parts
        table = np.stack([part.values for part in parts], axis=1)
        true, values = np.unique(table, axis=0, return_inverse=True)
        sizes = np.array([part.matrix.shape[0] - 1 for part in parts])
        n, n_rows = len(true), round(np.poly(-sizes)[self.asked])  # of all choices together
        rule = f"records must have at most {_MOST_ENTRIES} pairs of record and release for a table "
        rule += "of them (log_likelihood needs none)"
        check.demand(n * n_rows <= _MOST_ENTRIES, rule, (n, n_rows))
        pairs = zip(parts, true.T, strict=True)
        told = [part.matrix.toarray()[:-1, code] / self._share() for part, code in pairs]
        choices = combinations(told, self.asked)
        beside: Any = lambda told, more: khatri_rao(more, told)  # noqa: E731
        tables = [reduce(beside, choice) for choice in choices]
        matrix = csc_array(np.concatenate(tables) / len(tables))
        return [RecordPart(np.arange(len(parts)), values.reshape(-1), matrix)]

    def log_likelihood(self, released: ArrayLike, records: ArrayLike) -> FloatArray:
        """Return log P[released | record] of each release under each record; see ``Channel``."""
        if self.asked is None:
            return super().log_likelihood(released, records)
        # as if each attribute had its own lot; what all releases have in common is put right
        parts = super().record_parts(self.record_codes(records))
        apart = self._log_product(released, parts)
        share, d, s = self._share(), self.n_features_in_, self.asked
        lots = xlogy(s, share) + xlogy(d - s, 1 - share)
        return np.asarray(apart - lots - log(comb(d, s)))

    def when_asked(self) -> SomeAsked:
        """Return the channel of who is asked an attribute: the scheme as if all were."""
        if self.asked is None:
            return self
        told = copy(self)
        told.asked = None
        return told

    def codes(self, released: ArrayLike) -> Codes:
        """Return which answer each report is, and one more code for NaN: nothing was asked.

        Parameters
        ----------
        released : array-like of shape (n,) or (n, n_columns)
            What was released, of one attribute or of all.

        Returns
        -------
        ndarray of int, shape (n,) or (n, n_features)

        Raises
        ------
        ValueError, TypeError
            If anything else was released, or not ``asked`` answers in each record.
        """
        if self.asked is not None and check.plain(released, "released").ndim == 2:
            check.fitted(self)
            whole = check.as_released(self, released, "released")
            blocks = [whole[:, self.columns_of(j)] for j in range(self.n_features_in_)]
            n_answers = np.sum([check.answered(block) for block in blocks], axis=0)
            rule = f"released must have {self.asked} answer(s) a record, and NaN where nothing was "
            check.refuse(n_answers != self.asked, n_answers, f"{rule}asked")
        return super().codes(released)

    def codes_of(self, block: ArrayLike, feature: int = 0) -> Codes:
        """Return which answer each report of one attribute is; see ``Channel``.

        Where only some are asked NaN is one more code, the last.
        """
        if self.asked is None:
            return self._answer_codes(block, feature)
        reports = check.plain(block, "released")
        check.demand(reports.size, "released must not be empty", reports.shape)
        said = check.answered(reports)
        last = self.n_released(feature) - 1
        codes = np.full(len(reports), last)
        if said.any():
            codes[said] = self._answer_codes(reports[said], feature)
        return codes

    def count_support(
        self, block: ArrayLike, feature: int = 0, *, weight: FloatArray | None = None
    ) -> AnyArray:
        """Count how many answers do not support each value, and do; none where nobody was asked.

        See ``Channel``.
        """
        reports = check.plain(block, "released")
        if self.asked is not None:
            said, law = check.answered(reports), self.support(feature)
            if law is not None and not said.any():
                return np.zeros((law.n_values, 2), dtype=np.int64)
            reports, weight = reports[said], None if weight is None else weight[said]
        return self._count_answers(reports, feature, weight)

    def _answer_codes(self, block: ArrayLike, feature: int) -> Codes:
        """Return which answer each report is, where all are answers."""
        return Channel.codes_of(self.when_asked(), block, feature)

    def _count_answers(self, block: AnyArray, feature: int, weight: FloatArray | None) -> AnyArray:
        """Count how many reports do not support each value, and do, where all are answers."""
        return super().count_support(block, feature, weight=weight)

    @abstractmethod
    def _parts(self) -> list[FloatArray]:
        """Return the channel of each attribute that is asked, or two of its true values'."""

    def _share(self) -> float:
        """Return the share of people who are asked an attribute; one where all are."""
        if self.asked is None:
            return 1.0
        check.fitted(self)
        asked: int = check.given("asked", self.asked, high=self.n_features_in_)
        return asked / self.n_features_in_

    def _some(self, told: FloatArray) -> FloatArray:
        """Return an attribute's channel from that of who is asked; the last row is no answer."""
        share, n_more = self._share(), int(self.asked is not None)
        return np.vstack([share * told, np.full((n_more, told.shape[1]), 1 - share)])

    def _some_inverse(self, told: AnyArray) -> FloatArray:
        """Return what undoes it on counts, from what undoes it of who is asked, (k, S).

        No answer, in the last column, is an even part of each value. So the counts add up to the
        number of records. Who divides by the number that answered does better, but not by a matrix.
        """
        if self.asked is None:
            return told
        k, share = len(told), self._share()
        return np.hstack([(told - (1 - share) / k) / share, np.full((k, 1), 1 / k)])

    def _by_lot(self, rng: np.random.Generator, said: AnyArray) -> AnyArray:
        """Draw who is asked what, and leave NaN of all other answers, (n, columns).

        All have been drawn, for a fixed seed to give the same answers whoever is asked. Columns
        beyond those of the attributes (a disguised class) are always told.
        """
        if self.asked is None:
            return said
        places = [self.columns_of(j) for j in range(self.n_features_in_)]
        left_out = rng.random((len(said), len(places))).argsort(axis=1) >= self.asked
        answers = said.astype(np.float64 if said.dtype.kind in "biuf" else object)
        widths = [place.stop - place.start for place in places]
        answers[:, : places[-1].stop][np.repeat(left_out, widths, axis=1)] = np.nan
        return answers


@dataclass(eq=False, repr=False)
class OfCodes(SomeAsked, Scheme, OneToOneFeatureMixin, CodesTransformer):
    """Codes of ``n_values`` values each, or labels, disguised attribute by attribute."""

    n_values: int | Sequence[int] | None = None
    _: KW_ONLY
    epsilon: float | None = None
    asked: int | None = None
    categories: GivenCategories = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Check the parameters and learn the number of attributes; nothing else is learnt.

        Parameters
        ----------
        X : array-like of shape (n_records, n_attributes)
            Codes 0, 1, ..., or labels.
        y : ignored

        Returns
        -------
        estimator
        """
        check.random_state(self.random_state)
        self._read(X, reset=True)
        self._share()
        return self

    def bound_to(self, n_columns: int, names: AnyArray | None = None) -> Channel:
        """Return a copy for as many attributes as have so many columns, or as parameters name."""
        n_known, width = len(self._told(None)), self.columns_of(0).stop
        n_features = max(n_columns // width, 1) if n_known == 1 else n_known
        return super().bound_to(n_features, names if width == 1 else None)

    @abstractmethod
    def _told(self, n_features: int | None) -> list[Any]:
        """Return what is known of each attribute, its ``n_values`` for one; check the parameters.

        For an unknown number of attributes (None), of as many as the parameters name.
        """

    def _of_feature(self, feature: int) -> Any:
        n_features = getattr(self, "n_features_in_", None)
        return check.of_feature(self._told(n_features), feature, n_features)

    def _read(self, X: ArrayLike, *, reset: bool) -> tuple[Codes, list[Any]]:
        table = check.coded_table(self, X, reset=reset)
        told = self._told(table.shape[1])
        return check.codes(table, "X", [each.n_values for each in told]), told


@dataclass(eq=False, repr=False)
class PureProtocol(OfCodes):
    """Codes that are released in a form that supports some of them, with two probabilities."""

    epsilon: float | None = None

    @property
    def epsilon_(self) -> float:
        """What an attribute spends that is asked."""
        return float(check.given(f"{type(self).__name__}.epsilon", self.epsilon))

    def support(self, feature: int = 0) -> Support:
        """Return how likely a report supports the true value and another one; see ``Channel``."""
        law: Support = self._of_feature(feature)
        return law

    @abstractmethod
    def _law(self, k: int) -> Support:
        """Return the chances of an attribute of k values; refuse an epsilon that is none."""

    def _parts(self) -> list[FloatArray]:
        """Return of each attribute what tells two of its values apart, (4, 2).

        The rest is drawn alike under both and tells nothing of which it was. So this works for any
        number of values.
        """
        _, p, q = self._law(2)
        both = [np.array([1 - one, one]) for one in (p, q)]
        pair = np.stack([np.outer(*both).ravel(), np.outer(*both[::-1]).ravel()], axis=1)
        return [pair] * self.n_features_in_

    def _told(self, n_features: int | None) -> list[Support]:
        known = check.known_categories(self)
        sizes = check.n_values(self.n_values, n_features, categories=known, in_all=np.inf)
        return [self._law(size) for size in sizes]

    def _size(self, feature: int) -> int:
        return self.support(feature).n_values
