"""What the miner knows before he sees a record: classes, bounds, noise and intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppdm._validation import check_integer
from ppdm.classifiers._blocks import BoolArray, FloatArray
from ppdm.noise import AdditiveNoise
from ppdm.noise._domain import check_inside

#: An interval for every so many records, and the least and largest number of them.
RECORDS_AN_INTERVAL, FEWEST, MOST = 100, 10, 100


def check_classes(labels: NDArray[Any], classes: ArrayLike | None) -> None:
    """Refuse a label outside the public classes, and a class without a record."""
    if classes is None:
        return
    public, present = np.unique(np.asarray(classes)), np.unique(labels)
    outside = present[~np.isin(present, public)]
    if len(outside):
        raise ValueError(
            f"y must hold only labels among classes {public.tolist()}, got {outside[0].item()!r}"
        )
    empty = public[~np.isin(public, present)]
    if len(empty):
        raise ValueError(
            f"y must hold a record of every class, got none of class {empty[0].item()!r}: "
            "its distribution cannot be reconstructed"
        )


def check_mask(integer: ArrayLike | None, n_features: int) -> BoolArray:
    """Return which attributes hold whole numbers, from a mask, columns or None."""
    mask = np.zeros(n_features, dtype=np.bool_)
    if integer is None:
        return mask
    given = np.asarray(integer)
    if given.dtype.kind == "b" and given.shape == (n_features,):
        return given.copy()
    whole = given.size == 0 or given.dtype.kind in "iu"
    if given.ndim != 1 or not whole or not np.isin(given, np.arange(n_features)).all():
        raise ValueError(
            f"integer must be a mask of shape ({n_features},) or columns from 0 to "
            f"{n_features - 1}, got {integer!r}"
        )
    mask[given.astype(np.intp)] = True
    return mask


def known_noise(
    noise: AdditiveNoise, X: FloatArray, names: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray | None]:
    """Return the scale of each attribute's noise, (n_features,), and the bounds if known.

    The bounds are (n_features, 2), or None where only the scale is public.
    """
    if not isinstance(noise, AdditiveNoise):
        raise TypeError(f"noise must be an AdditiveNoise, got {noise!r}")
    if not hasattr(noise, "scale_"):
        noise = _fitted(noise, X)
    if len(noise.scale_) != X.shape[1]:
        raise ValueError(
            f"noise must be for the {X.shape[1]} attribute(s) of X, got one for "
            f"{len(noise.scale_)}"
        )
    theirs = getattr(noise, "feature_names_in_", None)
    if names is not None and theirs is not None and (names != theirs).any():
        j = int(np.argmax(names != theirs))
        raise ValueError(
            f"noise must be for the attributes of X in their order, got {theirs[j]!r} "
            f"where X has {names[j]!r}"
        )
    bounds: FloatArray | None = getattr(noise, "domain_", None)
    return noise.scale_, bounds


def _fitted(noise: AdditiveNoise, X: FloatArray) -> AdditiveNoise:
    """Return a copy of the noise that has learned what it says itself, nothing from X."""
    if noise.domain is None and noise.scale is None:
        raise ValueError(
            "noise must know its scale: give its domain or its scale, or fit it (a clone, as "
            "cross-validation makes, forgets what was learned)"
        )
    copy = AdditiveNoise(
        noise.distribution, noise.privacy, noise.confidence, noise.scale, noise.domain
    )
    if noise.domain is not None:
        return copy.fit(np.transpose(noise.domain))  # the bounds are two records within them
    scale = np.asarray(noise.scale, dtype=np.float64)
    copy.fit(np.zeros((1, X.shape[1] if scale.ndim == 0 else scale.size)))
    del copy.domain_
    return copy


def check_spread(X: FloatArray, bounds: FloatArray | None, clear: bool, inside: bool) -> FloatArray:
    """Return the bounds, the range of X where they are not known.

    A disguised attribute, or one without bounds, must not be constant; a clear one has to
    lie ``inside`` bounds that were given.
    """
    found = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    needed = found if not clear or bounds is None else bounds
    flat = np.flatnonzero(needed[:, 0] >= needed[:, 1])
    if len(flat):
        raise ValueError(
            f"X must not have a constant attribute, got {needed[flat[0], 0]:g} only for attribute "
            f"{flat[0]} in n_samples={len(X)}"
        )
    if bounds is None:
        return found
    if (bounds[:, 0] >= bounds[:, 1]).any():
        j = int(np.argmax(bounds[:, 0] >= bounds[:, 1]))
        raise ValueError(
            f"noise must be for attributes that vary, got one fitted to {bounds[j, 0]:g} only "
            f"for attribute {j}"
        )
    if clear and inside:
        check_inside(X, bounds)
    return bounds


def lay_edges(
    bounds: FloatArray, integer: BoolArray, n_intervals: int | None, n_records: int
) -> tuple[list[FloatArray], BoolArray]:
    """Return the edges of each attribute's intervals, and which stand for whole numbers.

    Parameters
    ----------
    bounds : ndarray of shape (n_features, 2)
    integer : ndarray of bool, shape (n_features,)
    n_intervals : int or None
        None takes one interval for every 100 records, 10 to 100 of them.
    n_records : int

    Returns
    -------
    edges : list of ndarray
    whole : ndarray of bool, shape (n_features,)
        ``integer`` without the attributes of more than 100 values.
    """
    if n_intervals is None:
        m = int(np.clip(n_records // RECORDS_AN_INTERVAL, FEWEST, MOST))
    else:
        m = check_integer(n_intervals, "n_intervals", low=2)
    wrong = integer & (bounds != np.rint(bounds)).any(axis=1)
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(
            f"noise must have whole numbers as the domain of an integer attribute, got "
            f"{bounds[j].tolist()} for attribute {j}"
        )
    whole = integer & (bounds[:, 1] - bounds[:, 0] < MOST)
    edges = [
        np.arange(low, high + 2) - 0.5 if w else np.linspace(low, high, m + 1)
        for (low, high), w in zip(bounds, whole, strict=True)
    ]
    return edges, whole


def locate(X: FloatArray, edges: list[FloatArray]) -> NDArray[np.int32]:
    """Return the interval of each value, (n_samples, n_features); the outer ones run on."""
    codes = np.empty(X.shape, dtype=np.int32, order="F")
    for j, e in enumerate(edges):
        codes[:, j] = np.searchsorted(e[1:-1], X[:, j], side="right")
    return codes
