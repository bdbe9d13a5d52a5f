"""Checks of randomised response: theta, and who shares a coin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppdm._types import AnyArray, ClassGroup, Groups, IntArray
from ppdm._validation._scalars import check_number


def check_theta(theta: object) -> float:
    """Return theta if it is a probability."""
    return check_number(theta, "theta", low=0, high=1)


def check_invertible(theta: object) -> float:
    """Return theta if reports at it say something about the truth."""
    theta = check_theta(theta)
    if theta == 0.5:
        raise ValueError(
            "theta = 0.5 cannot be inverted: the reports are fair coins whatever the truth. "
            "Use another theta, or the unrelated-question model"
        )
    return theta


def check_groups(groups: Groups, n_bits: int) -> list[IntArray]:
    """Return the groups as index arrays; each of ``n_bits`` attributes stands in one."""
    if groups is None:
        return [np.arange(n_bits)]
    checked = [_check_group(group, n_bits) for group in groups]
    times = np.bincount(np.concatenate([*checked, np.array([], dtype=np.intp)]), minlength=n_bits)
    if (times > 1).any():
        raise ValueError(
            f"groups must not overlap, got attribute {int(np.argmax(times > 1))} "
            f"{times.max()} times in {list(groups)!r}"
        )
    if (times == 0).any():
        raise ValueError(
            f"groups must hold every attribute 0, ..., {n_bits - 1}, "
            f"got none with attribute {int(np.argmin(times))} in {list(groups)!r}"
        )
    return checked


def check_class_group(class_group: object, n_groups: int) -> ClassGroup:
    """Return ``class_group`` if it is None, ``"own"`` or the index of a group."""
    if class_group is None or (isinstance(class_group, str) and class_group == "own"):
        return class_group  # type: ignore[return-value]
    whole = isinstance(class_group, int | np.integer) and not isinstance(class_group, bool)
    if not (whole and 0 <= int(class_group) < n_groups):  # type: ignore[call-overload]
        raise ValueError(
            "class_group must be None (the class is public), 'own' (a coin of its own) or the "
            f"index of one of the {n_groups} group(s), 0, ..., {n_groups - 1}, got {class_group!r}"
        )
    return int(class_group)  # type: ignore[call-overload,no-any-return]


def check_two_classes(classes: AnyArray, class_group: object) -> None:
    """Refuse a disguised class that has no single opposite."""
    if class_group is not None and classes.size != 2:
        raise ValueError(
            f"y must have two classes where the class is disguised, got {classes.tolist()}"
        )


def _check_group(group: Sequence[int], n_bits: int) -> IntArray:
    try:
        members = np.asarray(group)
    except ValueError:  # a ragged list
        members = np.array(None)
    if members.ndim != 1 or members.size == 0 or members.dtype.kind not in "iu":
        raise ValueError(
            f"groups must be a list of non-empty lists of attribute indices, got {group!r} in it"
        )
    if members.min() < 0 or members.max() >= n_bits:
        raise ValueError(
            f"groups must hold attributes 0, ..., {n_bits - 1}, got {group!r} in it"
        )
    return members.astype(np.intp)
