"""Labels and codes: the public categories of each attribute, given or declared by a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppdm._validation import _arrays as arrays
from ppdm._validation import _records as records
from ppdm._validation import _values as single
from ppdm._validation._frames import is_frame, listed
from ppdm.typing import AnyArray, Categories, Codes, IntArray

#: The categories that a frame's Categorical columns have, by column.
Declared = dict[int, AnyArray]


def coded_table(
    estimator: Any, X: Any, *, reset: bool, learn: bool = False, of: Any = None
) -> AnyArray:
    """Return the records given to an estimator, labels as codes by its ``categories``.

    In ``fit`` (reset) ``categories_`` is set: what the parameter gives, what a pandas Categorical
    column has, and with ``learn`` what the texts of other columns are. None where all are codes.
    The categories may be those ``of`` another estimator.
    """
    table, declared = opened(estimator, X, reset=reset)
    names = getattr(estimator, "feature_names_in_", None)
    if reset:
        given = read_categories(getattr(estimator, "categories", None), table.shape[1])
        estimator.categories_ = find_categories(table, declared, given, names, learn=learn)
    known = known_categories(estimator if of is None else of)
    return table if known is None and not declared else to_codes(table, known, names, "X", declared)


def opened(estimator: Any, X: Any, *, reset: bool) -> tuple[AnyArray, Declared]:
    """Return the records given to an estimator, and what its Categorical columns declare.

    In the table these columns hold their places among their own categories, -1 where missing.
    """
    bare, declared = _declared(X)
    table = records.code_table(estimator, bare, reset=reset)
    if table.dtype.kind in "US" and isinstance(X, list | tuple):
        table = np.array(X, dtype=object)  # numbers beside texts are no texts
    return table, declared


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


def count_values(n_values: Any, categories: Categories | None, codes: Codes) -> IntArray:
    """Return how many values each attribute of codes (n, n_features) has: given, or as seen."""
    if n_values is not None:
        given = np.array(n_categories(n_values, categories, codes.shape[1], low=1))
        arrays.codes(codes, "X", given)
        return given
    sizes = np.asarray(codes.max(axis=0), dtype=np.intp) + 1
    if sizes.max() > single.MOST_VALUES:
        raise ValueError(f"X must hold codes below {single.MOST_VALUES}, got {codes.max()}")
    for j, known in enumerate(categories or []):
        sizes[j] = sizes[j] if known is None else len(known)
    return sizes


def to_codes(
    table: AnyArray,
    categories: Categories | None,
    names: AnyArray | None = None,
    name: str = "X",
    declared: Declared | None = None,
) -> AnyArray:
    """Return labels (n, n_features) as codes: their places among the attribute's categories.

    A column that was ``declared`` has places among its own categories in the table.
    """
    if categories is None and not declared:
        return table
    each: Categories = [None] * table.shape[1] if categories is None else categories
    if table.ndim != 2 or table.shape[1] != len(each):
        raise ValueError(f"{name} must have {len(each)} attribute(s), got {table.shape}")
    codes = np.empty(table.shape, dtype=np.intp)
    for j, known in enumerate(each):
        own = None if declared is None else declared.get(j)
        values, place = distinct(table[:, j], known, own, called_by(j, names), name)
        if known is None:
            values = arrays.codes(values[:, np.newaxis], f"{name}[:, {j}]")[:, 0]
        codes[:, j] = values[place]
    return codes


def distinct(
    column: AnyArray, known: AnyArray | None, own: AnyArray | None, called: str, name: str
) -> tuple[AnyArray, IntArray]:
    """Return what occurs in a column (n,), and which of it each value is.

    Where the attribute has categories that are ``known``, what occurs are places among them. A
    column that declares its ``own`` categories holds places among these.
    """
    if own is not None:
        occurs, place = records.encode_classes(column.astype(np.intp))
        _refuse_missing(np.where(occurs < 0, np.nan, 0.0)[place], called, name)
        values = own[occurs]
    elif known is not None:
        values, place = _distinct_labels(column, known, called, name)
    else:
        values, place = column, np.arange(len(column))
    return values if known is None else _places(values, known, called, name), place


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


def _declared(X: Any) -> tuple[Any, Declared]:
    """Return a frame whose Categorical columns are codes, and the categories of these columns."""
    if not is_frame(X) or not hasattr(X, "columns"):
        return X, {}
    kinds = [getattr(kind, "categories", None) for kind in X.dtypes]
    found = {j: np.asarray(known) for j, known in enumerate(kinds) if known is not None}
    bare = X.copy(deep=False) if found else X
    for j in found:
        bare.isetitem(j, X.iloc[:, j].array.codes)
    return bare, found


def find_categories(
    table: AnyArray,
    declared: Declared,
    given: Categories | None,
    names: AnyArray | None,
    *,
    learn: bool,
) -> Categories | None:
    """Return each attribute's categories: given, declared, or learnt; None where all are codes."""
    found: Categories = [None] * table.shape[1] if given is None else given
    for j, known in enumerate(found):
        called = called_by(j, names)
        if known is None and j in declared:
            found[j] = _distinct(declared[j], f"the categories of X, {called},")
        elif known is None and str in kinds_of(table[:, j]):
            if not learn:
                raise TypeError(
                    f"X must hold codes 0, 1, ..., got texts in {called}: give the public "
                    "categories, by categories= or as a pandas Categorical; they are not learnt "
                    "from records that are to be disguised"
                )
            _refuse_missing(table[:, j], called, "X")
            found[j] = _distinct(np.unique(table[:, j].astype(str)), f"X, {called},")
    return None if all(known is None for known in found) else found


def _distinct(values: Any, name: str) -> AnyArray:
    """Return categories, each there once: texts, or numbers."""
    found = records.class_values(values, name)
    listed = found.tolist()
    if not listed or len(set(listed)) != len(listed):
        raise ValueError(f"{name} must hold at least one category and each once, got {values!r}")
    return np.array(listed)


def kinds_of(column: AnyArray) -> set[type]:
    """Return the types of an array of objects; str for one of texts, nothing for numbers."""
    if column.dtype.kind != "O":
        return {str} if column.dtype.kind in "US" else set()
    return {str if issubclass(kind, str) else kind for kind in set(map(type, column.tolist()))}


def _distinct_labels(
    column: AnyArray, known: AnyArray, called: str, name: str
) -> tuple[AnyArray, IntArray]:
    """Return the labels that occur in a column (n,), and which of them each is."""
    _refuse_missing(column, called, name)
    kinds = kinds_of(column)
    try:  # texts sort sooner as texts than as objects
        return records.encode_classes(column.astype(str) if kinds == {str} else column)
    except TypeError:
        named = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(
            f"{name} must hold labels of one kind in {called}, whose categories are "
            f"{listed(known)}, got {named}"
        ) from None


def _places(values: AnyArray, known: AnyArray, called: str, name: str) -> IntArray:
    """Return the place of each label (m,) among the categories of its attribute."""
    code_of = {label: code for code, label in enumerate(known.tolist())}
    unknown = [value for value in values.tolist() if value not in code_of]
    if unknown:
        raise ValueError(
            f"{name} holds a category never seen: {unknown[0]!r} in {called}, whose categories "
            f"are {listed(known)}"
        )
    return np.array([code_of[value] for value in values.tolist()], dtype=np.intp)


def _refuse_missing(column: AnyArray, called: str, name: str) -> None:
    lost = 0
    if column.dtype.kind == "f":
        lost = int(np.isnan(column).sum())
    elif column.dtype.kind == "O" and kinds_of(column) - {str, int, bool}:
        lost = int(_is_missing(column).astype(np.bool_).sum())
    if lost:
        raise ValueError(
            f"{name} has {lost} missing value(s) in {called}: fill or drop them first, or give "
            "them a category of their own"
        )


#: Of each object of an array: NaN is no number equal to itself, and pandas' NA has no truth.
_is_missing = np.frompyfunc(
    lambda each: each is None or type(each).__name__ in ("NAType", "NaTType") or each != each, 1, 1
)


def called_by(j: int, names: AnyArray | None) -> str:
    """Return what an error calls an attribute: its name, or its number."""
    return f"attribute {j}" if names is None else f"attribute {names[j]!r}"
