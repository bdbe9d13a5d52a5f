"""Each attribute's intervals, from what is public of the noise and of the records."""

from typing import Any

import numpy as np

from ppdm import _validation as check
from ppdm._coding import between
from ppdm._weighted import numbers_of, public_classes
from ppdm.typing import AnyArray, ArrayLike, BoolArray, FloatArray

#: An interval for every so many records, and the least and largest number of them.
RECORDS_AN_INTERVAL, FEWEST, MOST = 100, 10, 100


def check_public_classes(labels: AnyArray, classes: ArrayLike | None) -> None:
    """Refuse a label outside the public classes, and a class without a record."""
    if classes is None:
        return
    public = public_classes(classes)
    numbers_of(labels, public)
    rule = f"y must hold a record of each of classes {check.listed(public)}, or its distribution "
    check.demand(np.isin(public, labels).all(), f"{rule}cannot be reconstructed", labels.tolist())


def known_bounds(noise: Any, n_features: int, names: AnyArray | None) -> FloatArray | None:
    """Return the bounds that the noise makes public, (n_features, 2), or None.

    ``names`` are those of the records' attributes, where they have some.
    """
    rule = "scheme must have on(edges), as AdditiveNoise has"
    check.demand(hasattr(noise, "on"), rule, noise, TypeError)
    fitted = check.is_fitted(noise)
    domain = getattr(noise, "domain", None)
    if fitted:
        sizes = [noise.n_features_in_]
    else:
        given = (np.asarray(v) for v in (domain, getattr(noise, "scale", None)))
        sizes = [len(v) for v in given if v.ndim]
    for size in sizes:
        rule = f"scheme must be for the {n_features} attribute(s) of X"
        check.demand(size == n_features, rule, size)
    theirs = getattr(noise, "feature_names_in_", None)
    if names is not None and theirs is not None:
        rule = f"scheme must be for the attributes of X in their order, {check.listed(names)}"
        check.demand((names == theirs).all(), rule, theirs.tolist())
    if fitted:
        return getattr(noise, "domain_", None)
    return None if domain is None else check.domain(domain)


def check_spread(X: FloatArray, bounds: FloatArray | None, clear: bool, inside: bool) -> FloatArray:
    """Return the bounds, the range of X where they are not known.

    A disguised attribute, or one without bounds, must not be constant; a clear one has to
    lie ``inside`` bounds that were given.
    """
    spans = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
    needed = spans if not clear or bounds is None else bounds
    rule = f"X must not have a constant attribute in n_samples={len(X)}"
    check.refuse_attribute(needed[:, 0] >= needed[:, 1], needed, rule)
    if bounds is None:
        return spans
    rule = "scheme must be for attributes that vary"
    check.refuse_attribute(bounds[:, 0] >= bounds[:, 1], bounds, rule)
    if clear and inside:
        check.inside(X, bounds)
    return bounds


def lay_edges(
    X: FloatArray, bounds: FloatArray, integer: BoolArray, n_intervals: int | None, clear: bool
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

    Returns
    -------
    edges : list of ndarray
    whole : ndarray of bool, shape (n_features,)
        ``integer`` without the attributes of more than 100 values.
    """
    if n_intervals is None:
        m = int(np.clip(len(X) // RECORDS_AN_INTERVAL, FEWEST, MOST))
    else:
        m = check.given("n_intervals", n_intervals)
    wrong = integer & (bounds != np.rint(bounds)).any(axis=1)
    rule = "scheme must have whole numbers as the domain of attributes in integer_features"
    check.refuse_attribute(wrong, bounds, rule)
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


def lay(estimator: Any, X: FloatArray) -> tuple[list[FloatArray], BoolArray]:
    """Return what :func:`lay_edges` does, by an estimator's parameters.

    ``X`` are its records: disguised, unless it has a ``strategy`` that says otherwise.
    """
    noise, strategy = estimator.scheme, getattr(estimator, "strategy", None)
    names, clear = getattr(estimator, "feature_names_in_", None), strategy == "none"
    bounds = known_bounds(noise, X.shape[1], names)
    bounds = check_spread(X, bounds, clear, getattr(noise, "domain", None) is not None)
    whole = check.columns(estimator.integer_features, "integer_features", X.shape[1], names)
    if strategy == "randomized":  # the values as they are, over their whole range
        bounds = np.stack([X.min(axis=0), X.max(axis=0)], axis=1)
        whole = np.zeros_like(whole)
    return lay_edges(X, bounds, whole, estimator.n_intervals, clear)


def bind(noise: Any, edges: list[FloatArray], whole: BoolArray) -> list[Any]:
    """Bind the noise to each attribute's intervals, which may stand for whole numbers."""
    narrow = [j for j, e in enumerate(edges) if (np.diff(e) <= 0).any()]
    rule = "X must have no attribute whose range double precision cannot cut into intervals"
    check.demand(not narrow, rule, narrow)
    each = enumerate(zip(edges, whole.tolist(), strict=True))
    return [noise.on(e, feature=j, **({"whole": True} if w else {})) for j, (e, w) in each]
