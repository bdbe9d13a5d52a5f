"""Each attribute's intervals, from what is public, and who is taken to lie in which of them.

A tree splits records, so each record needs an interval. AS00 (section 4.2) sorts the
disguised values and takes the lowest ones for the first interval, the next ones for the
second, as many as were reconstructed for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ppdm import _validation as check
from ppdm._coding import between
from ppdm._estimators import BaseEstimator
from ppdm.classifiers._interval_counts import count_intervals
from ppdm.noise._intervals import count_released
from ppdm.typing import AnyArray, BoolArray, FloatArray, IntArray

#: An interval for every so many records, and the least and largest number of them.
RECORDS_AN_INTERVAL, FEWEST, MOST = 100, 10, 100


def check_public_classes(labels: AnyArray, classes: ArrayLike | None) -> None:
    """Refuse a label outside the public classes, and a class without a record."""
    if classes is None:
        return
    public, present = np.unique(check.class_values(classes, "classes")), np.unique(labels)
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


def known_bounds(noise: Any, n_features: int, names: AnyArray | None) -> FloatArray | None:
    """Return the bounds that the noise makes public, (n_features, 2), or None.

    ``names`` are those of the records' attributes, where they have some.
    """
    if not hasattr(noise, "on"):
        raise TypeError(f"noise must have on(edges), as AdditiveNoise has, got {noise!r}")
    fitted = hasattr(noise, "n_features_in_")
    domain = getattr(noise, "domain", None)
    if fitted:
        sizes = [noise.n_features_in_]
    else:
        _check_known(noise)
        given = (np.asarray(v) for v in (domain, getattr(noise, "scale", None)))
        sizes = [len(v) for v in given if v.ndim]
    for size in sizes:
        if size != n_features:
            raise ValueError(
                f"noise must be for the {n_features} attribute(s) of X, got one for {size}"
            )
    theirs = getattr(noise, "feature_names_in_", None)
    if names is not None and theirs is not None and (names != theirs).any():
        j = int(np.argmax(names != theirs))
        raise ValueError(
            f"noise must be for the attributes of X in their order, got {theirs[j]!r} "
            f"where X has {names[j]!r}"
        )
    if fitted:
        return getattr(noise, "domain_", None)
    return None if domain is None else check.domain(domain)


def _check_known(noise: Any) -> None:
    """Refuse noise that has to be fitted and is not."""
    if isinstance(noise, BaseEstimator):
        try:
            check_is_fitted(noise)
        except NotFittedError as error:
            raise ValueError(
                "noise must know its scale: give its domain or its scale, or fit it (a clone, as "
                "cross-validation makes, forgets what was learned)"
            ) from error


def check_spread(
    X: FloatArray,
    bounds: FloatArray | None,
    clear: bool,
    inside: bool,
    n_samples: int | None = None,
) -> FloatArray:
    """Return the bounds, the range of X where they are not known.

    A disguised attribute, or one without bounds, must not be constant; a clear one has to
    lie ``inside`` bounds that were given. X may be the lowest and highest values of
    ``n_samples`` records.
    """
    n_samples = len(X) if n_samples is None else n_samples
    found = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    needed = found if not clear or bounds is None else bounds
    flat = np.flatnonzero(needed[:, 0] >= needed[:, 1])
    if len(flat):
        raise ValueError(
            f"X must not have a constant attribute, got {needed[flat[0], 0]:g} only for attribute "
            f"{flat[0]} in n_samples={n_samples}"
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
        check.inside(X, bounds)
    return bounds


def lay_edges(
    X: FloatArray,
    bounds: FloatArray,
    integer: BoolArray,
    n_intervals: int | None,
    clear: bool,
    n_samples: int | None = None,
) -> tuple[list[FloatArray], BoolArray]:
    """Return the edges of each attribute's intervals, and which stand for whole numbers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    bounds : ndarray of shape (n_features, 2)
    integer : ndarray of bool, shape (n_features,)
    n_intervals : int or None
        None takes one interval for every 100 records, 10 to 100 of them; where the records
        are ``clear``, it cuts midway between the distinct values (AS00 section 4.2).
    clear : bool
    n_samples : int, optional
        How many records there are, where X is their lowest and highest values.

    Returns
    -------
    edges : list of ndarray
    whole : ndarray of bool, shape (n_features,)
        ``integer`` without the attributes of more than 100 values.
    """
    if n_intervals is None:
        n_samples = len(X) if n_samples is None else n_samples
        m = int(np.clip(n_samples // RECORDS_AN_INTERVAL, FEWEST, MOST))
    else:
        m = check.integer(n_intervals, "n_intervals", low=2, most=check.MOST_VALUES)
    wrong = integer & (bounds != np.rint(bounds)).any(axis=1)
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(
            f"noise must have whole numbers as the domain of attributes in integer_features, got "
            f"{bounds[j].tolist()} for attribute {j}"
        )
    whole = integer & (bounds[:, 1] - bounds[:, 0] < MOST)
    edges = []
    for values, (low, high), numbers in zip(X.T, bounds, whole, strict=True):
        if numbers:
            edges.append(np.arange(low, high + 2) - 0.5)
        elif clear and n_intervals is None:
            # the last cut may be the largest value itself: the edge moves on, cuts stay apart
            exact = between(values, low, high)
            exact[-1] = max(high, np.nextafter(exact[-2], np.inf))
            edges.append(exact)
        else:
            edges.append(np.linspace(low, high, m + 1))
    return edges, whole


def bind(noise: Any, edges: list[FloatArray], whole: BoolArray) -> list[Any]:
    """Bind the noise to each attribute's intervals, which may stand for whole numbers."""
    return [
        noise.on(e, feature=j, whole=True) if w else noise.on(e, feature=j)
        for j, (e, w) in enumerate(zip(edges, whole, strict=True))
    ]


def _ascending(values: FloatArray) -> IntArray:
    """Return the order of values, equal ones as they come; only these need a stable sort."""
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.argsort(values, kind="stable")
    return order


class Dealer:
    """The disguised training records, sorted once, and dealt to intervals label by label.

    Parameters
    ----------
    X : ndarray of float, shape (n_samples, n_features)
        Disguised records.
    channels : list
        One bound channel (:func:`ppdm.reconstruction.reconstruct_distribution`) an attribute.
    rule : dict
        When a reconstruction stops: ``stop``, ``tol`` and ``max_iter``.
    """

    def __init__(self, X: FloatArray, channels: list[Any], rule: dict[str, Any]) -> None:
        self.shape = X.shape
        self._X, self._channels, self._rule = X, channels, rule
        self._order = [_ascending(column) for column in np.ascontiguousarray(X.T)]

    def deal(
        self,
        rows: IntArray,
        labels: IntArray,
        n_labels: int,
        wanted: BoolArray,
        codes: NDArray[np.int32],
    ) -> IntArray:
        """Reconstruct each attribute for each label and write the records' intervals.

        Parameters
        ----------
        rows : ndarray of int, shape (k,)
            Training records.
        labels : ndarray of int, shape (k,)
            The label of each, 0, ..., n_labels - 1.
        n_labels : int
        wanted : ndarray of bool, shape (n_labels, n_features)
            Which attributes are reconstructed for which labels; the others keep their codes.
        codes : ndarray of int, shape (k, n_features)
            The intervals of these records; written to.

        Returns
        -------
        ndarray of int, shape (n_features,)
            The most steps that a label's reconstruction of each attribute took.
        """
        steps = np.zeros(self.shape[1], dtype=np.intp)
        sizes = np.bincount(labels, minlength=n_labels)
        labels = labels.astype(np.min_scalar_type(n_labels))  # small integers sort faster
        slot = np.full(len(self._X), -1, dtype=np.int32)
        for feature in np.flatnonzero(wanted.any(axis=0)):
            asked = wanted[:, feature]
            inside = np.flatnonzero(asked[labels])
            channel = self._channels[feature]
            values = self._X[rows[inside], feature]
            tally = count_released(channel, values, labels[inside], n_labels)
            counts, steps[feature] = count_intervals(tally, sizes * asked, channel, self._rule)
            slot[:] = -1
            slot[rows[inside]] = inside
            ascending = slot[self._order[feature]]
            ascending = ascending[ascending >= 0]
            ascending = ascending[np.argsort(labels[ascending], kind="stable")]
            interval = np.tile(np.arange(counts.shape[1], dtype=np.int32), n_labels)
            codes[ascending, feature] = np.repeat(interval, counts.ravel())
        return steps
