"""scikit-learn's base classes, with types.

scikit-learn has none of its own, and a class with an untyped base is untyped to whoever uses it.
At run time these are scikit-learn's, but for how a Generator is cloned.
"""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ppdm import _validation as check
from ppdm.typing import AnyArray, ArrayLike

if TYPE_CHECKING:

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

    class RegressorMixin(ClassifierMixin):
        """What predicts numbers."""

    class TransformerMixin:
        """What changes records; a frame comes out where ``set_output`` asks for one."""

        def fit_transform(self, X: ArrayLike, y: Any = None, **fit_params: Any) -> Any: ...
        def set_output(
            self, *, transform: Literal["default", "pandas", "polars"] | None = None
        ) -> Self: ...

    class OneToOneFeatureMixin:
        """What gives out as many columns as it takes."""

        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> AnyArray: ...

else:
    from sklearn.base import BaseEstimator as _BaseEstimator
    from sklearn.base import ClassifierMixin, OneToOneFeatureMixin, RegressorMixin, TransformerMixin

    class BaseEstimator(_BaseEstimator):
        """What has parameters.

        A Generator is shared by clones and copies in one process, so that none tosses the coins of
        another. A pickled copy, in another process for instance, and a fork have a child stream of
        their own; two copies loaded from one pickle draw alike.
        """

        def __sklearn_clone__(self) -> Any:
            twin = super().__sklearn_clone__()
            # a scheme is told, not learnt: as it is
            for name in ("random_state", "scheme", "disguised", "y_scheme"):
                if hasattr(self, name):
                    setattr(twin, name, getattr(self, name))
            return twin

        def __copy__(self) -> Self:
            twin = type(self).__new__(type(self))
            vars(twin).update(vars(self))
            return twin

        def __getstate__(self) -> dict[str, Any]:
            state = super().__getstate__()
            if isinstance(state.get("random_state"), np.random.Generator):
                state = {**state, "random_state": check.child_of(state["random_state"])}
            return state

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name == "random_state" and isinstance(value, np.random.Generator):
                check.at_home(value)  # whoever forks later draws another stream


class OfScheme(BaseEstimator):
    """What is told a scheme and asks it: nobody sets the scheme's own parameters through it."""

    scheme: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of this estimator, and none of the scheme's.

        Parameters
        ----------
        deep : bool, default=True
            Taken for scikit-learn's sake; the scheme belongs to whoever made it.
        """
        return super().get_params(deep=False)


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
    "OfScheme",
    "OnCodes",
    "OneToOneFeatureMixin",
    "RegressorMixin",
    "TransformerMixin",
]
