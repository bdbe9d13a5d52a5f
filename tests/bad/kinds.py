"""What an argument may be, said a second time and without the package's own checks.

A kind is a function that says whether a value is legal. The tests of bad input ask it only of
values that were *accepted*: what is not legal there was taken in silence.
"""

from numbers import Integral, Real

import numpy as np
from scipy import sparse


def integer(low=-np.inf, high=np.inf):
    """A whole number; its ends are tried: what is ``allowed``, and what lies ``beyond``."""

    def legal(v):
        return isinstance(v, Integral) and not isinstance(v, bool) and low <= v <= high

    legal.allowed = [end for end in (low, high) if abs(end) < 1000]
    legal.beyond = [end for end in (low - 1, high + 1) if np.isfinite(end)]
    return legal


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


def anything(_):
    return True


def nothing(_):
    return False


def absent(v):
    return v is None


def optional(kind):
    return either(absent, kind)


def either(*kinds):
    def legal(v):
        return any(kind(v) for kind in kinds)

    for kind in kinds:
        vars(legal).update(getattr(kind, "__dict__", {}))
    return legal


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


def sizes(low=2, high=64, n=None):
    """A number of values for each attribute."""

    def legal(v):
        if isinstance(v, str | bytes | dict | set) or not np.iterable(v):
            return False
        v = list(v) if isinstance(v, list | tuple | np.ndarray) else []
        return len(v) in ((n,) if n else range(1, 99)) and all(integer(low, high)(s) for s in v)

    return legal


def groups(n_bits):
    """Lists of columns in which each stands once."""

    def legal(v):
        if v is None:
            return True
        if not isinstance(v, list | tuple | np.ndarray):
            return False
        try:
            members = [int(j) for group in v for j in group]
        except (TypeError, ValueError, OverflowError, np.ma.MaskError):
            return False
        return sorted(members) == list(range(n_bits))

    return legal


def class_group(n_groups):
    return lambda v: v is None or (isinstance(v, str) and v == "own") or integer(0, n_groups - 1)(v)


def matrix(shape=(3, 3)):
    return lambda v: array(2, shape, 0, 1)(v) and np.allclose(np.asarray(v, float).sum(axis=0), 1)


def distribution(n=3, ndim=(1, 2)):
    def legal(v):
        if not array(ndim, None, 0, 1)(v):
            return False
        found = np.asarray(v, float)
        return found.shape[-1] == n and bool(np.allclose(found.sum(axis=-1), 1))

    return legal


def edges(ndim=(1, 2), least=3):
    def legal(v):
        if not array(ndim)(v):
            return False
        found = np.asarray(v, float)
        return found.shape[-1] >= least and bool((np.diff(found) > 0).all())

    return legal


def directions(n_bits):
    def legal(v):
        if not array(2, (n_bits, None))(v):
            return False
        found = np.asarray(v, float)
        return bool(np.allclose(found.T @ found, np.eye(found.shape[1])))

    return legal


def expression(v):
    return isinstance(v, dict) and set(v) <= {0, 1, 2, "class"}


def bounds(n):
    """A lower and an upper bound for each of n attributes."""
    return lambda v: array(2, (n, 2))(v) and bool((np.diff(np.asarray(v, float)) > 0).all())


def columns(n):
    """A mask of n attributes, or some of them."""

    def legal(v):
        found = plain(v)
        if found is None or found.ndim != 1:
            return False
        if found.dtype.kind == "b":
            return found.shape == (n,) and bool(found.any())
        return bool(found.size) and array(1, None, 0, n - 1, whole=True)(v)

    return legal


def whole_columns(n):
    """The same where there may be none."""
    none = lambda v: np.size(v) == 0 and np.ndim(v) == 1  # noqa: E731
    mask = lambda v: np.shape(v) == (n,) and np.asarray(v).dtype.kind == "b"  # noqa: E731
    return either(mask, none, columns(n))


def public_classes(v):
    """Classes, among them 0 and 1."""
    return array(1, None, whole=True)(v) and {0, 1} <= set(np.asarray(v).tolist())


def answers(v):
    """Bits, with NaN; of whole records two answers each."""
    found = plain(v)
    if found is None or found.ndim not in (1, 2) or not found.size:
        return False
    found = found.astype(float)
    told = ~np.isnan(found)
    each = found.ndim == 1 or (found.shape[1] == 3 and (told.sum(axis=1) == 2).all())
    return bool(each and np.isin(found[told], (0, 1)).all())


def one_of_two(v):
    """Three bits or a code below three, and NaN elsewhere."""
    found = plain(v)
    if found is None or found.ndim != 2 or found.shape[1] != 4 or not len(found):
        return False
    found = found.astype(float)
    told = ~np.isnan(found)
    apart = (told == np.where(told[:, 3:], [0, 0, 0, 1], [1, 1, 1, 0])).all()
    legal = np.isin(found, (0, 1)) | (np.isin(found, 2) & [False, False, False, True])
    return bool(apart and legal[told].all())


def some_bits(*shapes):
    """Bits, with NaN where a person did not tell; not of all."""

    def legal(v):
        found = plain(v)
        if found is None or found.shape not in shapes:
            return False
        found = found.astype(float)
        told = ~np.isnan(found)
        return bool(told.any() and np.isin(found[told], (0, 1)).all())

    return legal
