"""Checks of records given to an estimator, their columns and classes, and of who shares a coin.

scikit-learn is imported where it is asked: ``import ppdm.datasets`` comes without it. Nor is pandas
imported: a frame is known by what it has.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ppdm._validation import _arrays as check
from ppdm._validation import _values as single
from ppdm.typing import (
    AnyArray,
    ArrayLike,
    Bits,
    BoolArray,
    ClassGroup,
    FloatArray,
    Groups,
    IntArray,
)

#: What to do with classes that are missing.
_DROP = "drop them with their records, or give them a class of their own"


def table(estimator: Any, X: Any, *, reset: bool, dtype: Any = "numeric") -> AnyArray:
    """Return the finite numbers given to an estimator, in ``fit`` (reset) or against it."""
    _refuse_all_but_numbers(X)
    return code_table(estimator, X, reset=reset, dtype=dtype, ensure_all_finite=True)


def code_table(estimator: Any, X: Any, *, reset: bool, name: str = "X", **options: Any) -> AnyArray:
    """Do the same for records of bits, codes or labels, whose values are checked afterwards.

    ``options`` are those of scikit-learn's ``validate_data``.
    """
    from sklearn.utils.validation import validate_data

    check.plain(X, name)
    options = {"dtype": None, "ensure_all_finite": False, **options}
    if options["dtype"] is None and single.is_table(X):
        # beside a Boolean or nullable column scikit-learn would make numbers of texts
        X = X.astype(object) if any(kind.kind == "O" for kind in X.dtypes) else X
    with single.naming(name, "a table, a row a record"):
        checked: AnyArray = validate_data(estimator, X, reset=reset, **options)
    if checked.dtype.kind in "US" and isinstance(X, list | tuple):
        return np.array(X, dtype=object)  # numbers beside texts are no texts
    return checked


def bit_table(estimator: Any, X: ArrayLike, *, reset: bool, name: str = "X") -> Bits:
    """Return the records given to an estimator as bits, in ``fit`` (reset) or against it."""
    bits = code_table(estimator, X, reset=reset, name=name)
    # what learns from bits learns from reports
    reports = hasattr(estimator, "predict")
    return check.bits(bits, name, ndim=2, advice=check.NOT_ASKED, reports=reports)


def records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> FloatArray:
    """Return records as floats, checked in ``fit`` (reset) or, after it, against it."""
    from sklearn.utils.validation import check_array

    if reset or hasattr(estimator, "n_features_in_"):
        return table(estimator, X, reset=reset, dtype=np.float64)
    with single.naming("X", "a table, a row a record"):
        _refuse_all_but_numbers(X)
        checked: FloatArray = check_array(X, dtype=np.float64, input_name="X")
    return checked


def _refuse_all_but_numbers(X: Any) -> None:
    """Refuse texts and dates, which scikit-learn would turn into numbers where it can."""
    values = check.plain(X, "X")
    if values.dtype.kind in "USMmV":
        raise TypeError(f"X must hold numbers, got values of type {values.dtype}")
    check.refuse_texts(values, "X")


def encode_classes(y: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the classes in order and each record's number among them.

    Whole numbers close together are counted, which is faster than sorting.
    """
    if y.dtype.kind in "iu" and y.size:
        whole = y.astype(np.intp, copy=False)
        low = int(whole.min())
        if int(whole.max()) - low < 1024:
            offset = whole - low
            occurs = np.bincount(offset) > 0
            classes = (np.flatnonzero(occurs) + low).astype(y.dtype)
            return classes, offset if occurs.all() else (np.cumsum(occurs) - 1)[offset]
    classes, code = np.unique(y, return_inverse=True)
    return classes, code


def classes(y: ArrayLike, n: int) -> tuple[AnyArray, IntArray]:
    """Return the classes in order and the number of each of ``n`` records among them."""
    from sklearn.utils import assert_all_finite, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets

    check.refuse_missing(check.plain(y, "y"), "y", _DROP)
    with single.naming("y", "a class for each record"):
        labels = column_or_1d(y, warn=True)
        rule = f"y must hold one class for each of {n} records"
        single.demand(labels.size == n, rule, labels.size)
        if labels.dtype.kind not in "iu":  # whole numbers cannot be missing or continuous
            assert_all_finite(labels, input_name="y")
            check_classification_targets(labels)
            class_values(labels, "y", n)
        return encode_classes(labels)


def class_values(values: Any, name: str, n: int | None = None) -> AnyArray:
    """Return ``n`` classes as they are: numbers or texts, of which none is missing."""
    labels = check.plain(values, name)
    check.refuse_missing(labels, name, _DROP)
    check.of_shape(labels, name, (n,), "one a record")
    kinds = {type(each) for each in labels.tolist()} if labels.dtype.kind == "O" else set()
    if labels.dtype.kind not in "biufUSO" or (kinds - {str} and kinds - {int, bool}):
        kind = " and ".join(sorted(each.__name__ for each in kinds)) or labels.dtype
        raise TypeError(f"{name} must hold classes, numbers or texts, got values of type {kind}")
    if labels.dtype.kind == "f":
        whole = np.isfinite(labels) & (np.floor(labels) == labels)
        check.refuse(~whole, labels, f"{name} must hold classes, whole where they are numbers")
    return labels


def two_classes(classes: AnyArray, class_group: object) -> None:
    """Refuse a disguised class that has no single opposite."""
    legal = class_group is None or classes.size == 2
    single.demand(legal, "y must have two classes where it is disguised", classes.tolist())


def inside(X: FloatArray, domain: FloatArray) -> None:
    """Refuse records (n_samples, n_features) with a value outside the domain."""
    low, high = domain.T
    outside = np.less(X, low) | np.greater(X, high)
    if outside.any():
        row, column = check.where(outside)
        raise ValueError(
            f"X must lie inside domain, from {low[column]:g} to {high[column]:g} for attribute "
            f"{column}, got {X[row, column]:g} in row {row} ({int(outside.sum())} value(s) outside)"
        )


def learn_domain(domain: ArrayLike | None, X: FloatArray, *, need_range: bool = True) -> FloatArray:
    """Return the domain given, with X inside it, or the range of X, (n_features, 2)."""
    if domain is not None:
        bounds = check.domain(domain, X.shape[1])
        inside(X, bounds)
        return bounds
    bounds = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    flat = (bounds[:, 0] == bounds[:, 1]) & need_range
    rule = f"X must have attributes that vary in n_samples={len(X)} where domain is not given"
    check.refuse_attribute(flat, bounds, rule)
    return bounds


def known_domain(estimator: Any, n_features: int | None = None) -> FloatArray:
    """Return the domain that a noise was given, or has learnt in ``fit``."""
    if estimator.domain is None:
        single.fitted(estimator, "domain_")
    given = estimator.domain_ if estimator.domain is None else estimator.domain
    return check.domain(given, n_features)


def columns(
    value: ArrayLike | None, name: str, n_features: int, names: AnyArray | None = None
) -> BoolArray:
    """Return a mask of attributes, from a mask, their columns or names, or None for none."""
    mask = np.zeros(n_features, dtype=np.bool_)
    if value is None:
        return mask
    given = check.plain(numbered(value, name, names), name)
    is_mask = given.dtype.kind == "b" and given.shape == mask.shape
    legal = is_mask or given.shape == (0,) or check.are_places(given, n_features)
    rule = f"{name} must be a mask of shape ({n_features},) or columns from 0 to {n_features - 1}"
    single.demand(legal, rule, value)
    mask[given if is_mask else given.astype(np.intp)] = True
    return mask


def groups(
    groups: Groups | list[IntArray], n_bits: int, names: AnyArray | None = None
) -> list[IntArray]:
    """Return the groups as index arrays; each of ``n_bits`` attributes stands in one.

    ``names`` are those of a frame's columns, by which groups may be given.
    """
    if groups is None:
        return [np.arange(n_bits)]
    given = single.sequence(groups, "groups", "lists of attribute indices")
    checked = [_group(numbered(group, "groups", names), n_bits) for group in given]
    times = np.bincount([j for group in checked for j in group], minlength=n_bits)
    rule = f"groups must hold every attribute 0, ..., {n_bits - 1} once"
    single.demand((times == 1).all(), rule, given)
    return checked


def _group(group: Sequence[int], n_bits: int) -> IntArray:
    members = check.plain(group, "groups")
    rule = f"groups must hold non-empty lists of attributes 0, ..., {n_bits - 1}"
    single.demand(check.are_places(members, n_bits), rule, group)
    return members.astype(np.intp)


def class_group(class_group: Any, n_groups: int) -> ClassGroup:
    """Return ``class_group`` if it is None, ``"own"`` or the index of a group."""
    if class_group is None:
        return None
    if isinstance(class_group, str) and class_group == "own":
        return "own"
    rule = "class_group must be None (the class is public), 'own' (a coin of its own) or the "
    rule += f"index of one of the {n_groups} group(s), 0, ..., {n_groups - 1}"
    legal = single.is_integer(class_group) and 0 <= class_group < n_groups
    single.demand(legal, rule, class_group)
    return int(class_group)


def names_of(X: Any) -> AnyArray | None:
    """Return the names of a frame's columns; None where not all are texts, or there are none."""
    names = list(getattr(X, "columns", ()))
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return np.array(names, dtype=object)


def like(values: AnyArray, given: Any) -> Any:
    """Return an array, (n, d) or (n,), as the pandas object that was given: its index and names.

    Where no pandas object was given, the array.
    """
    if not single.is_frame(given):
        return values
    names = "columns" if single.is_table(given) else "name"
    return type(given)(values, index=given.index, **{names: getattr(given, names)})


def numbered(columns: Any, name: str, names: AnyArray | None) -> Any:
    """Return columns with the number of each that is named; what names none as it is."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        return columns
    given = list(columns) if getattr(columns, "ndim", 1) == 1 else []
    if not any(isinstance(each, str) for each in given):
        return columns
    return [single.number_of(j, name, names) if isinstance(j, str) else j for j in given]


def n_columns(reports: Any, name: str) -> int:
    """Return how many columns reports or records have, which have a row for each person."""
    shape = reports.shape if hasattr(reports, "shape") else check.plain(reports, name).shape
    single.demand(shape, f"{name} must have a row for each record", reports)
    return shape[1] if len(shape) == 2 else 1
