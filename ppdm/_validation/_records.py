"""Checks of records, their values and their classes, and of who shares a coin.

scikit-learn is imported where it is asked: ``import ppdm.datasets`` comes without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ppdm._validation import _arrays as check
from ppdm._validation import _values as single
from ppdm._validation._frames import numbered
from ppdm.typing import AnyArray, Bits, ClassGroup, FloatArray, Groups, IntArray


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

    with naming("y", "a class for each record"):
        check.unmasked(y, "y")
        labels = column_or_1d(y, warn=True)
        if labels.size != n:
            raise ValueError(f"y must hold one class for each of {n} records, got {labels.size}")
        if labels.dtype.kind not in "iu":  # whole numbers cannot be missing or continuous
            assert_all_finite(labels, input_name="y")
            check_classification_targets(labels)
            class_values(labels, "y", n)
        return encode_classes(labels)


def class_values(values: Any, name: str, n: int | None = None) -> AnyArray:
    """Return ``n`` classes as they are: numbers or texts, of which none is missing."""
    found = check.plain(values, name)
    if found.shape != (found.size if n is None else n,):
        wanted = "(n,)" if n is None else f"({n},)"
        raise ValueError(f"{name} must have shape {wanted}, one a record, got {found.shape}")
    kinds = {type(each) for each in found.tolist()} if found.dtype.kind == "O" else set()
    if found.dtype.kind not in "biufUSO" or (kinds - {str} and kinds - {int, bool}):
        kind = " and ".join(sorted(each.__name__ for each in kinds)) or found.dtype
        raise TypeError(f"{name} must hold classes, numbers or texts, got values of type {kind}")
    if found.dtype.kind == "f":
        whole = np.isfinite(found) & (np.floor(found) == found)
        check.refuse(~whole, found, f"{name} must hold classes, whole where they are numbers")
    return found


def weights(sample_weight: ArrayLike, n: int) -> FloatArray:
    """Return a signed weight for each of ``n`` records."""
    found = check.numbers(sample_weight, "sample_weight")
    if found.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {found.shape}")
    return found


@contextmanager
def naming(name: str, what: str) -> Iterator[None]:
    """Name the argument and what is allowed, where an error of another function does not.

    That something is not fitted (to scikit-learn an AttributeError, too) is no fault of it.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(error, AttributeError) or re.search(rf"\b{name}\b", str(error)):
            raise
        kind = ValueError if isinstance(error, ValueError) else TypeError
        raise kind(f"{name} must be {what}. {error}") from error


def table(estimator: Any, X: Any, *, reset: bool, **options: Any) -> AnyArray:
    """Return the records given to an estimator, in ``fit`` (reset) or against it.

    ``options`` are those of scikit-learn's ``validate_data``.
    """
    _numbers_only(X)
    return _validated(estimator, X, reset=reset, **options)


def labelled_table(
    estimator: Any, X: Any, y: Any, **options: Any
) -> tuple[AnyArray, AnyArray]:
    """Return the records and the classes given to ``fit``."""
    from sklearn.utils.validation import validate_data

    _numbers_only(X)
    check.unmasked(y, "y")
    with naming("X", "a table, a row a record, with a class for each in y"):
        checked, labels = validate_data(estimator, X, y, **options)
    return checked, labels


def code_table(estimator: Any, X: Any, *, reset: bool) -> AnyArray:
    """Do the same for records of bits or codes, whose values are checked afterwards."""
    check.unmasked(X, "X")
    return _validated(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)


def _validated(estimator: Any, X: Any, **options: Any) -> AnyArray:
    from sklearn.utils.validation import validate_data

    with naming("X", "a table, a row a record"):
        checked: AnyArray = validate_data(estimator, X, **options)
    return checked


def _numbers_only(X: Any) -> None:
    """Refuse texts and dates, which scikit-learn would turn into numbers where it can."""
    found = check.plain(X, "X")
    if found.dtype.kind in "USMmV":
        raise TypeError(f"X must hold numbers, got values of type {found.dtype}")


def n_values(n_values: Sequence[int]) -> list[int]:
    """Return the attributes' numbers of values, each a whole number >= 2."""
    given = single.sequence(n_values, "n_values", "integers")
    sizes = [single.integer(s, f"n_values[{j}]", low=2) for j, s in enumerate(given)]
    if not sizes:
        raise ValueError("n_values must have at least one attribute, got none")
    if sum(sizes) > single.MOST_BITS:
        raise ValueError(f"n_values must add up to at most {single.MOST_BITS}, got {sum(sizes)}")
    return sizes


def tuples(R: ArrayLike, y: ArrayLike, n_bits: int, name: str = "R") -> tuple[Bits, Bits]:
    """Return rows of ``n_bits`` bits and as many labels, from one tuple or several."""
    bits, labels = check.bits(R, name), check.bits(y, "y")
    if bits.ndim not in (1, 2) or bits.shape[-1] != n_bits:
        raise ValueError(f"{name} must have {n_bits} bits a tuple, got shape {bits.shape}")
    if labels.shape != bits.shape[:-1]:
        raise ValueError(
            f"y must have one label for each tuple, shape {bits.shape[:-1]}, got {labels.shape}"
        )
    return np.atleast_2d(bits), np.atleast_1d(labels)


def bit_table(estimator: Any, X: ArrayLike, *, reset: bool, name: str = "X") -> Bits:
    """Return the records given to an estimator as bits, in ``fit`` (reset) or against it."""
    with naming(name, "a table of bits, as the X of fit"):
        found = code_table(estimator, X, reset=reset)
        advice = "only 0 and 1 are allowed (NaN for not asked needs a learner that is told asked=)"
        return check.bits(found, "X", ndim=2, advice=advice)


def bit_probabilities(
    T: ArrayLike, probabilities: ArrayLike, y: ArrayLike | None, n_bits: int | None = None
) -> tuple[Bits, FloatArray, Bits]:
    """Return clear tuples, P(released bit is 1 | tuple) and classes 0 or 1, all zero for None.

    As many bits go in as come out, ``n_bits``; for None any number of either.
    """
    clear = check.bits(T, "T", ndim=2)
    if n_bits is not None and clear.shape[1] != n_bits:
        raise ValueError(f"T must have {n_bits} bits a tuple, got {clear.shape[1]}")
    P = check.numbers(probabilities, "probabilities", ndim=2)
    shape = len(clear), P.shape[1] if n_bits is None else n_bits
    if P.shape != shape:
        raise ValueError(f"probabilities must have shape {shape}, a row a tuple, got {P.shape}")
    check.refuse((P < 0) | (P > 1), P, "probabilities must be in [0, 1]")
    if y is None:
        return clear, P, np.zeros(len(clear), dtype=np.int8)
    classes = check.bits(y, "y", ndim=1)
    if len(classes) != len(clear):
        raise ValueError(f"y must have {len(clear)} labels, one for each tuple, got {len(classes)}")
    return clear, P, classes


def records(estimator: Any, X: ArrayLike, *, reset: bool = False) -> FloatArray:
    """Return records as floats, checked in ``fit`` (reset) or, after it, against it."""
    from sklearn.utils.validation import check_array

    if reset or hasattr(estimator, "n_features_in_"):
        return table(estimator, X, reset=reset, dtype=np.float64)
    _numbers_only(X)
    with naming("X", "a table, a row a record"):
        checked: FloatArray = check_array(
            X, dtype=np.float64, input_name="X", estimator=estimator
        )
    return checked


def inside(X: FloatArray, domain: FloatArray) -> None:
    """Refuse records (n_samples, n_features) with a value outside the domain."""
    low, high = domain.T
    outside = np.less(X, low) | np.greater(X, high)
    if outside.any():
        row, column = check.first(outside)
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
    flat = np.flatnonzero(bounds[:, 0] == bounds[:, 1])
    if need_range and len(flat):
        raise ValueError(
            f"the range of attribute {flat[0]} cannot be learned: X has one value only, "
            f"{bounds[flat[0], 0]:g}, in n_samples={len(X)}; give domain"
        )
    return bounds


def theta(theta: object) -> float:
    """Return theta if it is a probability."""
    return single.number(theta, "theta", low=0, high=1)


def invertible(value: object) -> float:
    """Return theta if reports at it say something about the truth."""
    if theta(value) == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta(value)


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
    times = np.bincount(np.concatenate([*checked, np.array([], dtype=np.intp)]), minlength=n_bits)
    if (times != 1).any():
        j = int(np.argmax(times != 1))
        raise ValueError(
            f"groups must hold every attribute 0, ..., {n_bits - 1} once, got attribute {j} "
            f"{times[j]} times in {given!r}"
        )
    return checked


def class_group(class_group: Any, n_groups: int) -> ClassGroup:
    """Return ``class_group`` if it is None, ``"own"`` or the index of a group."""
    if class_group is None:
        return None
    if isinstance(class_group, str) and class_group == "own":
        return "own"
    if not (single.is_integer(class_group) and 0 <= class_group < n_groups):
        raise ValueError(
            "class_group must be None (the class is public), 'own' (a coin of its own) or the "
            f"index of one of the {n_groups} group(s), 0, ..., {n_groups - 1}, got {class_group!r}"
        )
    return int(class_group)


def two_classes(classes: AnyArray, class_group: object) -> None:
    """Refuse a disguised class that has no single opposite."""
    if class_group is not None and classes.size != 2:
        raise ValueError(f"y must have two classes where it is disguised, got {classes.tolist()}")


def _group(group: Sequence[int], n_bits: int) -> IntArray:
    members = check.plain(group, "groups")
    if members.ndim != 1 or members.size == 0 or members.dtype.kind not in "iu":
        raise ValueError(
            f"groups must be a list of non-empty lists of attribute indices, got {group!r} in it"
        )
    if members.min() < 0 or members.max() >= n_bits:
        raise ValueError(f"groups must hold attributes 0, ..., {n_bits - 1}, got {group!r} in it")
    return members.astype(np.intp)
