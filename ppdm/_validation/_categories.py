"""Labels and codes: the public categories of each attribute, given or declared by a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ppdm._types import AnyArray, Categories, Codes, IntArray
from ppdm._validation import _arrays as arrays
from ppdm._validation import _records as records
from ppdm._validation import _values as single
from ppdm._validation._frames import listed


def coded_table(estimator: Any, X: Any, *, reset: bool, learn: bool = False) -> AnyArray:
    """Return the records given to an estimator, labels as codes by its ``categories``.

    In ``fit`` (reset) ``categories_`` is set: what the parameter gives, what a pandas Categorical
    column has, and with ``learn`` what the texts of other columns are. None where all are codes.
    """
    table = records.code_table(estimator, X, reset=reset)
    if reset:
        given = read_categories(getattr(estimator, "categories", None), table.shape[1])
        names = getattr(estimator, "feature_names_in_", None)
        estimator.categories_ = _find_categories(X, table, given, names, learn=learn)
    return to_codes(table, estimator.categories_, getattr(estimator, "feature_names_in_", None))


def known_categories(estimator: Any) -> Categories | None:
    """Return the categories of an estimator: fitted ones, or those that its parameter gives."""
    if hasattr(estimator, "categories_"):
        found: Categories | None = estimator.categories_
        return found
    return read_categories(getattr(estimator, "categories", None), None)


def read_categories(given: Any, n_features: int | None) -> Categories | None:
    """Return the categories given, an array or None for each attribute; None for None."""
    if given is None:
        return None
    each = single.sequence(given, "categories", "lists of categories, one an attribute", n_features)
    return [None if c is None else _distinct(c, f"categories[{j}]") for j, c in enumerate(each)]


def n_categories(
    n_values: Any, categories: Categories | None, n_features: int | None, **limits: int
) -> list[int]:
    """Return how many values each attribute has, by ``n_values`` and its categories.

    ``limits`` are those of ``sizes``. What has no categories needs ``n_values``; what has both
    must have as many.
    """
    if categories is None:
        return single.sizes(n_values, "n_values", n_features, **limits)
    known = [None if c is None else len(c) for c in categories]
    if n_values is None and None not in known:
        return single.sizes(known, "n_values (how many categories)", len(known), **limits)
    sizes = single.sizes(n_values, "n_values", len(known), **limits)
    for j, (size, wanted) in enumerate(zip(sizes, known, strict=True)):
        if wanted not in (None, size):
            raise ValueError(
                f"n_values must be {wanted} for attribute {j}, as it has the categories "
                f"{listed(categories[j])}, got {size}"
            )
    return sizes


def to_codes(
    table: AnyArray, categories: Categories | None, names: AnyArray | None = None, name: str = "X"
) -> AnyArray:
    """Return labels (n, n_features) as codes: their places among the attribute's categories."""
    if categories is None:
        return table
    if table.ndim != 2 or table.shape[1] != len(categories):
        raise ValueError(f"{name} must have {len(categories)} attribute(s), got {table.shape}")
    codes = np.empty(table.shape, dtype=np.intp)
    for j, known in enumerate(categories):
        column = table[:, j]
        if known is None:
            codes[:, j] = arrays.codes(column[:, np.newaxis], f"{name}[:, {j}]")[:, 0]
        else:
            codes[:, j] = _places(column, known, _called(j, names), name)
    return codes


def to_labels(codes: Codes, categories: Categories | None) -> AnyArray:
    """Return codes (n, n_features) as the labels they stand for; an attribute without, as codes.

    Attributes of several kinds, texts and numbers, are an array of objects.
    """
    if categories is None:
        return codes
    columns = [
        column if known is None else known[column]
        for column, known in zip(codes.T, categories, strict=True)
    ]
    if len({column.dtype.kind for column in columns}) == 1:
        return np.stack(columns, axis=1)
    labels = np.empty(codes.shape, dtype=object)
    for j, column in enumerate(columns):
        labels[:, j] = column.tolist()
    return labels


def _find_categories(
    X: Any, table: AnyArray, given: Categories | None, names: AnyArray | None, *, learn: bool
) -> Categories | None:
    found: Categories = [None] * table.shape[1] if given is None else given
    declared: Sequence[Any] = list(X.dtypes) if hasattr(X, "iloc") else found
    for j, (known, own) in enumerate(zip(found, declared, strict=True)):
        if known is None and hasattr(own, "categories"):
            found[j] = _distinct(own.categories, f"the categories of {_called(j, names)}")
        elif known is None and _has_texts(table[:, j]):
            if not learn:
                raise TypeError(
                    f"X must hold codes 0, 1, ..., got texts in {_called(j, names)}: give the "
                    "public categories, by categories= or as a pandas Categorical; they are not "
                    "learnt from records that are to be disguised"
                )
            _refuse_missing(table[:, j], _called(j, names), "X")
            found[j] = _distinct(np.unique(table[:, j].astype(str)), f"X, {_called(j, names)}")
    return None if all(known is None for known in found) else found


def _distinct(values: Any, name: str) -> AnyArray:
    """Return categories, each there once: texts, or numbers."""
    found = records.class_values(values, name)
    listed = found.tolist()
    if not listed or len(set(listed)) != len(listed):
        raise ValueError(f"{name} must hold at least one category and each once, got {values!r}")
    return np.array(listed)


def _has_texts(column: AnyArray) -> bool:
    if column.dtype.kind != "O":
        return column.dtype.kind in "US"
    return any(issubclass(kind, str) for kind in {type(each) for each in column.tolist()})


def _places(column: AnyArray, known: AnyArray, called: str, name: str) -> IntArray:
    """Return the place of each label (n,) among the categories of its attribute."""
    _refuse_missing(column, called, name)
    try:
        values, place = np.unique(column, return_inverse=True)
    except TypeError:
        kinds = sorted({type(each).__name__ for each in column.tolist()})
        raise TypeError(
            f"{name} must hold labels of one kind in {called}, whose categories are "
            f"{listed(known)}, got {' and '.join(kinds)}"
        ) from None
    code_of = {label: code for code, label in enumerate(known.tolist())}
    unknown = [value for value in values.tolist() if value not in code_of]
    if unknown:
        raise ValueError(
            f"{name} holds a category never seen: {unknown[0]!r} in {called}, whose categories "
            f"are {listed(known)}"
        )
    return np.array([code_of[value] for value in values.tolist()], dtype=np.intp)[place]


def _refuse_missing(column: AnyArray, called: str, name: str) -> None:
    lost = int(_is_missing(column).astype(np.bool_).sum()) if column.dtype.kind in "Of" else 0
    if lost:
        raise ValueError(
            f"{name} has {lost} missing value(s) in {called}: fill or drop them first, or give "
            "them a category of their own"
        )


#: Of each object of an array: NaN is no number equal to itself, and pandas' NA has no truth.
_is_missing = np.frompyfunc(
    lambda each: each is None or type(each).__name__ in ("NAType", "NaTType") or each != each, 1, 1
)


def _called(j: int, names: AnyArray | None) -> str:
    return f"attribute {j}" if names is None else f"attribute {names[j]!r}"
