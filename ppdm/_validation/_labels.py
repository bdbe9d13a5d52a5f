"""Labels and codes: each attribute's public categories, given, declared by a frame, or learnt."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ppdm._validation import _arrays as arrays
from ppdm._validation import _records as records
from ppdm._validation import _values as single
from ppdm.typing import AnyArray, Categories, Codes

#: The types of a frame's Categorical columns, by column: their categories, and whether in order.
Declared = dict[int, Any]


def coded_table(
    estimator: Any, X: Any, *, reset: bool, learn: bool = False, of: Any = None
) -> AnyArray:
    """Return the records given to an estimator, labels as codes by its ``categories``.

    In ``fit`` (reset) ``categories_`` is set: what the parameter gives, what a pandas Categorical
    column has, and with ``learn`` what the texts of other columns are. None where all are codes.
    The categories may be those ``of`` another estimator.
    """
    table, declared = _opened(estimator, X, reset=reset)
    if reset:
        why = "codes 0, 1, ..., got texts in {}: give the public categories, by categories= or as "
        why += "a pandas Categorical; they are not learnt from records that are to be disguised"
        _find_categories(estimator, table, declared, None if learn else why)
    names = getattr(estimator, "feature_names_in_", None)
    known = known_categories(estimator if of is None else of)
    return to_codes(table, known, names, "X", declared)


def mixed_table(estimator: Any, X: Any, *, reset: bool, ordered: bool = False) -> AnyArray:
    """Do the same where an attribute without categories holds numbers, which stay as they are.

    Where categories are ``ordered``, they are given, or an ordered Categorical's.
    """
    given = getattr(estimator, "categories" if reset else "categories_", None)
    if given is None and not (reset and _may_hold_labels(X)):
        estimator.categories_ = None
        return records.table(estimator, X, reset=reset)
    table, declared = _opened(estimator, X, reset=reset)
    if reset:
        _find_categories(estimator, table, declared, None, ordered=ordered)
    if estimator.categories_ is None:  # Python's own numbers
        return records.table(estimator, X, reset=reset)
    names = getattr(estimator, "feature_names_in_", None)
    return to_codes(table, estimator.categories_, names, "X", declared, numbers=True)


def each_column(estimator: Any, X: Any, *, reset: bool) -> list[Any]:
    """Return the records given to an estimator attribute by attribute, (n, 1).

    A frame's columns stay frames, for a Categorical to be one, but have no names.
    """
    table = records.code_table(estimator, X, reset=reset)
    if single.is_table(X):
        return [X.iloc[:, j].to_frame(0) for j in range(X.shape[1])]
    return np.split(table, table.shape[1], axis=1)


@contextmanager
def naming_column(
    called: str, column: Any, name: str, what: str, *, reports: bool = False
) -> Iterator[None]:
    """Say of an error about one column which attribute of ``name`` lacks a value, if one does.

    Of any other error, as ``naming`` does. A part of a scheme knows its one attribute by no name,
    and is told what it is ``called``.
    """
    with renaming(called, column, name, reports=reports), single.naming(name, what):
        yield


@contextmanager
def renaming(called: str, column: Any, name: str, *, reports: bool = False) -> Iterator[None]:
    """Do the same without a word on what is allowed."""
    try:
        yield
    except (ValueError, TypeError) as error:
        advice = arrays.remedy(name, reports=True) if reports else None
        arrays.refuse_missing(np.asarray(column, dtype=object), name, advice, called=called)
        raise type(error)(str(error).replace("attribute 0", called)) from error


def known_categories(estimator: Any) -> Categories | None:
    """Return the categories of an estimator: fitted ones, or those that its parameter gives."""
    if hasattr(estimator, "categories_"):
        fitted: Categories | None = estimator.categories_
        return fitted
    return read_categories(getattr(estimator, "categories", None), None)


def labels_of(channel: Any, n_values: int) -> AnyArray:
    """Return what the true values of a channel of one attribute are called: labels, or codes."""
    known = (known_categories(channel) or [None])[0]
    return np.arange(n_values) if known is None else known


def read_categories(given: Any, n_features: int | None) -> Categories | None:
    """Return the categories given, an array or None for each attribute; None for None."""
    if given is None:
        return None
    what = "lists of categories, one an attribute, such as [['no', 'yes']]"
    each = single.sequence(given, "categories", what, n_features)
    flat = next((one for one in each if isinstance(one, str)), None)
    single.demand(flat is None, f"categories must be {what}", given, TypeError)
    return [None if c is None else _distinct(c, f"categories[{j}]") for j, c in enumerate(each)]


def to_codes(
    table: AnyArray,
    categories: Categories | None,
    names: AnyArray | None = None,
    name: str = "X",
    declared: Declared | None = None,
    *,
    numbers: bool = False,
) -> AnyArray:
    """Return labels (n, n_features) as codes: their places among the attribute's categories.

    A column that was ``declared`` has places among its own categories in the table. What has no
    categories holds codes, or ``numbers``.
    """
    if categories is None and not declared:
        return table
    each: Categories = [None] * table.shape[1] if categories is None else categories
    arrays.of_shape(table, name, (None, len(each)), "a column an attribute")
    columns = []
    for j, known in enumerate(each):
        called = called_by(j, names)
        column = _places(table[:, j], known, (declared or {}).get(j), called, name)
        if known is None and numbers:
            column = arrays.finite(column, f"{name}, {called},")
        elif known is None:
            column = arrays.codes(column[:, np.newaxis], f"{name}[:, {j}]")[:, 0]
        columns.append(column)
    return np.column_stack(columns)


def to_labels(codes: Codes, categories: Categories | None) -> AnyArray:
    """Return codes (n, n_features) as the labels they stand for; an attribute without, as codes.

    Texts are an array of objects: beside numbers an array of texts would make texts of them.
    """
    if categories is None:
        return codes
    pairs = zip(codes.T, categories, strict=True)
    columns = [column if known is None else known[column] for column, known in pairs]
    if any(column.dtype.kind not in "biuf" for column in columns):
        columns = [column.astype(object) for column in columns]
    return np.stack(columns, axis=1)


def called_by(j: int, names: AnyArray | None) -> str:
    """Return what an error calls an attribute: its name, or its number."""
    return f"attribute {j}" if names is None else f"attribute {names[j]!r}"


def _opened(estimator: Any, X: Any, *, reset: bool) -> tuple[AnyArray, Declared]:
    """Return the records given to an estimator, and the types of Categorical columns.

    In the table these columns hold their places among their own categories, -1 where missing.
    """
    kinds = enumerate(X.dtypes) if single.is_table(X) else ()
    declared = {j: kind for j, kind in kinds if hasattr(kind, "categories")}
    bare = X.copy(deep=False) if declared else X
    for j in declared:
        bare.isetitem(j, X.iloc[:, j].array.codes)
    return records.code_table(estimator, bare, reset=reset), declared


def _may_hold_labels(X: Any) -> bool:
    """Return whether a column is of another type than numbers, without looking at any value."""
    if single.is_table(X):
        return any(hasattr(kind, "categories") or kind.kind in "OUS" for kind in X.dtypes)
    return arrays.plain(X, "X").dtype.kind in "OUS"


def _find_categories(
    estimator: Any, table: AnyArray, declared: Declared, why: str | None, *, ordered: bool = False
) -> None:
    """Set each attribute's categories: given, declared, or learnt; None where all are codes.

    Texts are not learnt where it is said ``why``; where categories are ``ordered``, labels whose
    order nobody gave are refused.
    """
    given = read_categories(getattr(estimator, "categories", None), table.shape[1])
    every: Categories = [None] * table.shape[1] if given is None else given
    for j, known in enumerate(every):
        if known is not None:
            continue
        called = called_by(j, getattr(estimator, "feature_names_in_", None))
        column, kind = table[:, j], declared.get(j)
        texts = column.dtype.kind in "OUS" and any(isinstance(one, str) for one in column.tolist())
        if ordered and (texts or not getattr(kind, "ordered", True)):
            raise TypeError(
                "X must hold numbers for split='threshold', or labels in an order, got "
                f"{'texts' if texts else 'labels without one'} in {called}: give the order, by "
                "categories= or as an ordered pandas Categorical, or take split='multiway'"
            )
        if texts and why is not None:
            raise TypeError(f"X must hold {why.format(called)}")
        if kind is not None:
            every[j] = _distinct(np.asarray(kind.categories), f"the categories of X, {called},")
        elif texts:
            arrays.refuse_missing(column, "X", called=called)
            with single.naming("X", f"labels of one kind in {called}"):
                every[j] = _distinct(sorted(set(column.tolist())), f"X, {called},")
    estimator.categories_ = None if all(known is None for known in every) else every


def _distinct(values: Any, name: str) -> AnyArray:
    """Return categories, each there once: texts, or numbers."""
    labels = records.class_values(values, name).tolist()
    each_once = labels and len(set(labels)) == len(labels)
    single.demand(each_once, f"{name} must hold at least one category and each once", values)
    return np.array(labels)


def _places(column: AnyArray, known: AnyArray | None, own: Any, called: str, name: str) -> AnyArray:
    """Return the place of each label (n,) among the categories of its attribute.

    What holds places among its ``own`` categories is read by these. An attribute without
    categories keeps its values.
    """
    # the last of the own stands for -1, which is missing
    labels = column if own is None else np.array([*own.categories, None], dtype=object)
    if known is None:
        return labels if own is None else labels[column.astype(np.intp)]
    places = {label: i for i, label in enumerate(known.tolist())}
    with single.naming(name, f"labels in {called}"):
        place = np.array([places.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    if own is not None:
        among_own = column.astype(np.intp)
        place, labels = place[among_own], labels[among_own]
    unknown = place < 0
    if unknown.any():
        arrays.refuse_missing(labels, name, called=called)
        row = int(unknown.argmax())
        raise ValueError(
            f"{name} holds a category never seen: {single.printed(labels[row])} in {called}, whose "
            f"categories are {single.listed(known)} (row {row})"
        )
    return place


def n_values(
    value: Any, n: int | None = None, *, categories: Any = None, name: str = "n_values",
    low: int = 2, most: int = single.MOST_VALUES, in_all: float = single.MOST_BITS,
) -> list[int]:
    """Return how many values each of ``n`` attributes has, from one number for all or one each.

    For an unknown number of attributes (None), as many as are given. What has no ``categories``
    needs a number, what has both must have as many; ``in_all`` they are so many at most.
    """
    known = [] if categories is None else [None if c is None else len(c) for c in categories]
    rule = f"{name} must say how many values an attribute has, unless categories lists them"
    single.demand(known or value is not None, rule, None)
    if value is None and None not in known:
        value = known
    n = len(known) or n
    each = [value] * (1 if n is None else n)
    if isinstance(value, list | tuple | np.ndarray):
        each = single.sequence(value, name, "integers")
        some = "some" if n is None else n
        rule = f"{name} must be one number or one for each of {some} attributes"
        single.demand(each and n in (None, len(each)), rule, value)
    sizes = [single.integer(size, name, low=low, most=most) for size in each]
    for j, (size, wanted) in enumerate(zip(sizes, known, strict=False)):
        if wanted not in (None, size):
            rule = f"{name} must be {wanted} for attribute {j}, as it has the categories "
            single.demand(False, rule + single.listed(categories[j]), size)
    single.demand(sum(sizes) <= in_all, f"{name} must add up to at most {in_all}", sum(sizes))
    return sizes
