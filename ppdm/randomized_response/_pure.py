"""What schemes of codes have in common, and what those of them that have a law of two numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm._support import Support
from ppdm.channel import Channel, Scheme
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import AnyArray, Codes, FloatArray, GivenCategories, RandomState


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
        sizes = check.n_categories(
            self.n_values, check.known_categories(self), n_features, low=2
        )
        return [self._law(size) for size in sizes]

    def _size(self, feature: int) -> int:
        return self.support(feature).n_values
