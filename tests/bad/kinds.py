"""What an argument may be, said a second time and without the package's own checks.

A kind is a function that says whether a value is legal. The tests of bad input ask it only of
values that were *accepted*: what is not legal there was taken in silence.
"""

from numbers import Integral, Real

import numpy as np
from scipy import sparse


def integer(low=-np.inf, high=np.inf):
    return lambda v: isinstance(v, Integral) and not isinstance(v, bool) and low <= v <= high


def number(low=-np.inf, high=np.inf):
    """A finite number; which of its ends are open the functions' own tests say."""

    def legal(v):
        if isinstance(v, bool | np.bool_) or not isinstance(v, Real):
            return False
        return bool(np.isfinite(float(v)) and low <= v <= high)

    return legal


def option(*values):
    return lambda v: isinstance(v, str | bool | None) and any(v is o or v == o for o in values)


def flag(v):
    return isinstance(v, bool | np.bool_)


def seed(v):
    return v is None or integer(0)(v) or isinstance(v, np.random.Generator)


def anything(_):
    return True


def nothing(_):
    return False


def optional(kind):
    return lambda v: v is None or kind(v)


def either(*kinds):
    return lambda v: any(kind(v) for kind in kinds)


def array(ndim=(1, 2), shape=None, low=-np.inf, high=np.inf, *, whole=False, objects=False):
    """Finite numbers in [low, high]; ``objects`` where scikit-learn takes Python's own, too."""
    allowed = (ndim,) if isinstance(ndim, int) else ndim

    def legal(v):
        found = plain(v)
        if found is None or found.ndim not in allowed or not found.size:
            return False
        if objects and found.dtype == object:
            try:
                found = found.astype(float)
            except (TypeError, ValueError):
                return False
        if found.dtype.kind not in "biuf" or not np.isfinite(found).all():
            return False
        if shape is not None and any(
            n not in (None, m) for n, m in zip(shape, found.shape, strict=False)
        ):
            return False
        if whole and (np.floor(found) != found).any():
            return False
        return bool(((found >= low) & (found <= high)).all())

    return legal


def bits(ndim=2, shape=None):
    return array(ndim, shape, 0, 1, whole=True)


def codes(shape=None, high=np.inf):
    return array(2, shape, 0, high, whole=True)


def texts(n=None):
    """A table of texts, which are labels where they may be learnt."""

    def legal(v):
        found = plain(v)
        is_table = found is not None and found.ndim == 2 and found.size > 0
        rows = n is None or (is_table and len(found) == n)
        return is_table and rows and all(isinstance(x, str) for x in found.ravel())

    return legal


def labels(n):
    """A class for each of n records: numbers or names, none missing."""

    def legal(v):
        found = plain(v)
        if found is None or found.shape not in ((n,), (n, 1)):
            return False
        if found.dtype.kind == "f":
            return bool((np.isfinite(found) & (np.floor(found) == found)).all())
        if found.dtype == object:
            return len({type(x) for x in found.ravel()}) == 1 and isinstance(
                found.flat[0], str | int | np.integer
            )
        return found.dtype.kind in "biuUS"

    return legal


def plain(v):
    """Return an array, or None for what is none: generators, ragged lists, masks, text."""
    if v is None or isinstance(v, str | bytes | dict | set) or sparse.issparse(v):
        return None
    if np.ma.is_masked(v):
        return None
    try:
        return np.asarray(v)
    except ValueError:
        return None
