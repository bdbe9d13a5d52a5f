"""What unary encoding and Hadamard response have in common: codes in, and a law of two numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ppdm import _validation as check
from ppdm._estimators import CodesTransformer, OneToOneFeatureMixin
from ppdm._support import Support
from ppdm.channel import Channel, Scheme
from ppdm.randomized_response._asked import SomeAsked
from ppdm.typing import AnyArray, Codes, FloatArray, GivenCategories, RandomState


@dataclass(eq=False, repr=False)
class PureProtocol(SomeAsked, Scheme, OneToOneFeatureMixin, CodesTransformer):
    """Codes of ``n_values`` values, released at an epsilon in a form that supports some of them."""

    n_values: int | Sequence[int] | None = None
    epsilon: float | None = None
    _: KW_ONLY
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
        self._law(2)
        check.random_state(self.random_state)
        self._read(X, reset=True)
        self._share()
        return self

    @property
    def epsilon_(self) -> float:
        """What an attribute spends that is asked."""
        return float(check.given(f"{type(self).__name__}.epsilon", self.epsilon))

    def support(self, feature: int = 0) -> Support:
        """Return how likely a report supports the true value and another one; see ``Channel``."""
        return self._law(self._size(feature))

    def bound_to(self, n_columns: int, names: AnyArray | None = None) -> Channel:
        """Return a copy for as many attributes as have so many columns, or as parameters name."""
        sizes = self._sizes(None)
        width = self.columns_of(0).stop
        n_known = max(n_columns // width, 1) if len(sizes) == 1 else len(sizes)
        return super().bound_to(n_known, names if width == 1 else None)

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

    def _sizes(self, n_features: int | None) -> list[int]:
        categories = check.known_categories(self)
        return check.n_categories(self.n_values, categories, n_features, low=2)

    def _size(self, feature: int) -> int:
        n_features = getattr(self, "n_features_in_", None)
        return check.of_feature(self._sizes(n_features), feature, n_features)

    def _read(self, X: ArrayLike, *, reset: bool) -> tuple[Codes, list[int]]:
        table = check.coded_table(self, X, reset=reset)
        sizes = self._sizes(table.shape[1])
        return check.codes(table, "X", sizes), sizes
