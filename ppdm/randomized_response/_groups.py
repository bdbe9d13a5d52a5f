"""Who shares a coin: the groups of a record's bits, and what every module checks about them.

A record has attributes and, where it is labelled, a class. A disguised class is one more
bit of the record: it stands in one of the groups or has a coin of its own. So everything
behind the public functions knows bits and groups only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_bits, check_number

Groups = Sequence[Sequence[int]] | None
ClassGroup = int | Literal["own"] | None

IntArray = NDArray[np.intp]


class Table(NamedTuple):
    """Records as bits, a disguised class being the last of them."""

    bits: NDArray[np.int8]  # (n_records, n_bits)
    groups: list[IntArray]  # the bits that share a coin
    label: NDArray[Any] | None  # a public class, (n_records,)


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


def inverse_weights(theta: float) -> NDArray[np.float64]:
    """Return what a report and its opposite count for the truth: the inverse of the channel.

    The first row of the inverse of [[theta, 1 - theta], [1 - theta, theta]], in closed form.
    The two add up to one.
    """
    return np.array([theta, theta - 1.0]) / (2.0 * theta - 1.0)


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


def tabulate(
    bits: NDArray[np.int8], y: ArrayLike | None, groups: Groups, class_group: object
) -> Table:
    """Lay attributes and class side by side.

    Parameters
    ----------
    bits : ndarray of shape (n_records, n_attributes)
        Checked zeros and ones.
    y : array-like of shape (n_records,) or None
        The class; zeros and ones unless it is public.
    groups, class_group : see ``RandomizedResponse``
    """
    found = check_groups(groups, bits.shape[1])
    where = check_class_group(class_group, len(found))
    if y is None:
        if where is not None:
            raise ValueError(f"y must be given where the class is disguised, class_group={where!r}")
        return Table(bits, found, None)
    label = np.asarray(y)
    if label.shape != (len(bits),):
        raise ValueError(f"y must have shape ({len(bits)},), one class a record, got {label.shape}")
    if where is None:
        return Table(bits, found, label)
    last = np.array([bits.shape[1]])
    if where == "own":
        found.append(last)
    else:
        found[where] = np.append(found[where], last)
    return Table(np.column_stack([bits, check_bits(label, "y")]), found, None)


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
