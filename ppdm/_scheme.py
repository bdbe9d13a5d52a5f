"""What is told once: how a record is disguised, by an object that everybody else is given."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ppdm import _validation as check


def _or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Leave a scheme as it was where ``fit`` is refused: half of a fit would pass for a whole."""

    @wraps(fit)
    def whole(self: Any, *args: Any, **options: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **options)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return whole


class Scheme:
    """What a provider does to a record, or a curator to a table, before anybody else sees it.

    Its parameters (theta, epsilon, a scale, who shares a coin) are written where it is made, and
    nowhere else: whoever estimates, learns, measures or attacks is given the scheme and asks it.
    A scheme of one's own inherits this, :class:`Channel` where its matrix is known, and
    scikit-learn's ``BaseEstimator``, and has ``fit`` and ``transform``. For a matrix alone there is
    :class:`ppdm.randomized_response.CategoricalRandomizedResponse` with ``channel=``.

    A ``fit`` that is refused leaves a scheme as it was.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "fit" in vars(cls):
            setattr(cls, "fit", _or_nothing(vars(cls)["fit"]))  # noqa: B010

    def disguise(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Return the records as they are released, and their classes.

        A scheme that is not fitted is fitted to ``X`` first. One that is fitted stays as it is:
        a second ``fit`` would draw its width, or its categories, from other records. Of a frame
        scikit-learn's ``fit_transform`` gives an array, unless ``set_output(transform="pandas")``
        asks for a frame.

        Parameters
        ----------
        X : array-like of shape (n_records, n_features)
            Clear records. Of a DataFrame a DataFrame comes out, with the same index; a fitted
            scheme takes its columns in any order, and releases them in its own.
        y : array-like of shape (n_records,), optional
            Their classes, which are public unless the scheme disguises them.

        Returns
        -------
        X : ndarray or DataFrame of shape (n_records, n_released)
        y : as it was given, or disguised
        """
        scheme: Any = self
        check.in_step(X=X, y=y)
        X = self._in_order(X)
        return check.framed(scheme.transform(X), X, scheme), y

    def _in_order(self, X: Any) -> Any:
        """Fit the scheme, or give a frame's columns the order in which it was fitted."""
        scheme: Any = self
        if not check.is_fitted(scheme):
            scheme.fit(X)
        elif check.is_table(X) and hasattr(scheme, "feature_names_in_"):
            known = scheme.feature_names_in_.tolist()
            more = [name for name in X.columns if name not in known]
            check.demand(not more, f"X must have the columns {known} and no other", more)
            X = check.of_names(scheme, X, "X")
        return X

    def record_epsilon(self) -> float:
        """Return what the release of a whole record spends, a disguised class with it, in nats.

        Infinite unless the scheme says otherwise or is a :class:`Channel`, too: then nothing bounds
        how far a release moves anybody's odds.
        """
        of_channel = getattr(super(), "record_epsilon", None)  # whichever base comes first
        return float("inf") if of_channel is None else of_channel()
