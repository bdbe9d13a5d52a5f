"""scikit-learn's base classes, with types.

scikit-learn has none of its own, and a class with an untyped base is untyped to whoever uses it.
At run time these are scikit-learn's, but for how a Generator is cloned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from ppdm.typing import AnyArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    class BaseEstimator:
        """What has parameters."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_clone__(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """What predicts classes."""

        def score(
            self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
        ) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """What predicts numbers."""

        def score(
            self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
        ) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        """What changes records; a frame comes out where ``set_output`` asks for one."""

        def fit_transform(self, X: ArrayLike, y: Any = None, **fit_params: Any) -> Any: ...
        def set_output(
            self, *, transform: Literal["default", "pandas", "polars"] | None = None
        ) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    class OneToOneFeatureMixin:
        """What gives out as many columns as it takes."""

        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> AnyArray: ...

else:
    from sklearn.base import BaseEstimator as _BaseEstimator
    from sklearn.base import (
        ClassifierMixin,
        OneToOneFeatureMixin,
        RegressorMixin,
        TransformerMixin,
    )

    class BaseEstimator(_BaseEstimator):
        """What has parameters."""

        def __sklearn_clone__(self) -> Any:
            """Share a Generator: its copies, in a ColumnTransformer, would toss one coin twice."""
            twin = super().__sklearn_clone__()
            if hasattr(self, "random_state"):
                twin.random_state = self.random_state
            return twin


class OnCodes(BaseEstimator):
    """What takes bits or codes."""

    def __sklearn_tags__(self) -> Any:
        """Say that the input is codes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.positive_only = True
        return tags


class CodesTransformer(TransformerMixin, OnCodes):
    """What changes bits or codes at random: integers come out, whatever the input's type."""

    def __sklearn_tags__(self) -> Any:
        """Say that the output is random."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = []
        return tags


__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "CodesTransformer",
    "OnCodes",
    "OneToOneFeatureMixin",
    "RegressorMixin",
    "TransformerMixin",
]
