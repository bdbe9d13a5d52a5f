"""Labels among numbers: tables in which some attributes hold texts, or a Categorical's labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppdm._validation import _arrays as arrays
from ppdm._validation import _categories as labels
from ppdm._validation import _records as records
from ppdm._validation._frames import is_frame
from ppdm.typing import AnyArray, Categories


def mixed_table(
    estimator: Any, X: Any, *, reset: bool, ordered: bool = False, learn: bool = True
) -> AnyArray:
    """Return the records given to an estimator, numbers as they are and labels as codes.

    In ``fit`` (reset) ``categories_`` is set: what the parameter gives, what a pandas Categorical
    column has, and with ``learn`` what the texts of other columns are; None where all are numbers.
    Where they are ``ordered``, they are given, or an ordered Categorical's.
    """
    given = getattr(estimator, "categories" if reset else "categories_", None)
    if given is None and not (reset and _may_hold_labels(X)):
        if reset:
            estimator.categories_ = None
        return records.table(estimator, X, reset=reset)
    table, declared = labels.opened(estimator, X, reset=reset)
    names = getattr(estimator, "feature_names_in_", None)
    known = labels.read_categories(given, table.shape[1])
    if reset:
        _refuse_unknown(X, table, known, names, ordered=ordered, learn=learn)
        known = labels.find_categories(table, declared, known, names, learn=True)
        estimator.categories_ = known
        if known is None:  # Python's own numbers
            return records.table(estimator, X, reset=True)
    assert known is not None
    columns = [
        _column(table[:, j], each, declared.get(j), labels.called_by(j, names))
        for j, each in enumerate(known)
    ]
    return np.column_stack(columns)


def _may_hold_labels(X: Any) -> bool:
    """Return whether a column is of another type than numbers, without looking at any value."""
    if is_frame(X) and hasattr(X, "columns"):
        return any(hasattr(kind, "categories") or kind.kind in "OUS" for kind in X.dtypes)
    return arrays.plain(X, "X").dtype.kind in "OUS"


def _column(
    column: AnyArray, known: AnyArray | None, own: AnyArray | None, called: str
) -> AnyArray:
    """Return labels (n,) as codes, or finite numbers."""
    values, place = labels.distinct(column, known, own, called, "X")
    if known is not None:
        return values[place]
    kinds = labels.kinds_of(values)
    if str in kinds:
        raise TypeError(f"X must hold numbers in {called}, as the X of fit, got texts")
    found = arrays.numbers(values, f"X, {called},")[place]
    ints = kinds and all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds)
    return found.astype(np.int64) if ints or values.dtype.kind in "biu" else found


def _refuse_unknown(
    X: Any,
    table: AnyArray,
    known: Categories | None,
    names: AnyArray | None,
    *,
    ordered: bool,
    learn: bool,
) -> None:
    """Refuse labels whose categories, or whose order where they are ``ordered``, nobody gave."""
    types = X.dtypes if is_frame(X) else [None] * table.shape[1]
    for j, kind in enumerate(types):
        if known is not None and known[j] is not None:
            continue
        called, texts = labels.called_by(j, names), False
        if not hasattr(kind, "categories"):
            texts = str in labels.kinds_of(table[:, j])
        if ordered and (texts or not getattr(kind, "ordered", True)):
            raise TypeError(
                "X must hold numbers for split='threshold', or labels in an order, got "
                f"{'texts' if texts else 'labels without one'} in {called}: give the order, by "
                "categories= or as an ordered pandas Categorical, or take split='multiway'"
            )
        if texts and not learn:
            raise TypeError(
                f"X must hold numbers in chunks, or labels of known categories, got texts in "
                f"{called}: give them by categories= or as a pandas Categorical, since a chunk may "
                "lack some"
            )
