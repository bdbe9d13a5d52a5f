"""Data, kinds and arguments that the tables of valid calls share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bad.kinds import (
    array,
    bits,
    flag,
    integer,
    number,
    option,
    optional,
    seed,
)  # fmt: skip

from ppdm import (
    guidance,
    protocol,
)

rng = np.random.default_rng(0)
BITS = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0]])
Y = np.array([0, 1, 0, 1, 1, 0])
CODES = np.array([[0, 2], [1, 1], [0, 0], [1, 2], [0, 1], [1, 0]])
CATEGORIES = [["red", "blue"], ["one", "two", "three"]]
TEXTS = np.stack([np.array(CATEGORIES[j])[CODES[:, j]] for j in (0, 1)], axis=1)
TUPLES = guidance.one_hot(CODES, [2, 3])  # five bits
V = np.linalg.qr(rng.normal(size=(5, 2)))[0]
P = np.full((6, 5), 0.3)
X = rng.normal(size=(6, 3))
CHANNEL = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
EDGES = np.array([0.0, 1.0, 2.0, 3.0])
COUNTS = np.array([5, 3, 2])
SHARES = np.array([0.5, 0.3, 0.2])


@dataclass(frozen=True)
class Call:
    """A function, arguments that it takes, and the kind of each."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, tuple[Any, Callable[[Any], bool]]]
    #: Other names under which an argument may be named in an error.
    also: dict[str, str] = field(default_factory=dict)
    #: An extra without which it cannot be called.
    needs: str = ""

    def valid(self) -> dict[str, Any]:
        return {name: value for name, (value, _) in self.arguments.items()}


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


def guided():
    return guidance.Guidance(5).update(TUPLES, Y)


def miner():
    found = protocol.DataMiner([2, 3], batch_size=3)
    found.bootstrap(TUPLES[:3], Y[:3])
    return found


def answering(k):
    """An oracle of a provider at level k."""
    return lambda level: level <= k


RANDOM = {"random_state": (0, seed)}
COIN = {"theta": (0.8, number(0, 1)), "groups": ([[0, 2], [1]], groups(3)),
        "class_group": (0, class_group(2))}  # fmt: skip
ASKED = {
    "theta": (0.8, number(0, 1)),
    "groups": ([[0], [1], [2]], optional(lambda v: groups(3)(v) and len(v) == 3)),
    "class_group": ("own", lambda v: v is None or (isinstance(v, str) and v == "own")),
    "asked": (2, optional(integer(1, 3))),
}
APART = {
    "epsilon": (1.0, number(0, 20)),
    "groups": ([[0], [1], [2]], lambda v: v is not None and groups(3)(v) and len(v) == 3),
    "class_group": ("own", lambda v: v is None or (isinstance(v, str) and v == "own")),
}
REPORTS = {"y": (Y, optional(bits(1, (6,)))), **COIN}
MATRIX = {"channel": (CHANNEL, matrix((3, None))), "feature": (0, integer(0, 0))}
STOPS = {"stop": ("chi2", option("auto", "chi2", "tol", None)),
         "tol": (0.01, optional(number(0))), "max_iter": (50, integer(1)),
         "keep_history": (True, flag), "smooth": (False, flag)}  # fmt: skip
PRIOR = {"T": (TUPLES, bits(2, (6, None))), "probabilities": (P, array(2, (6, None), 0, 1)),
         "y": (Y, optional(bits(1, (6,))))}  # fmt: skip
SAMPLING = {"n_samples": (10, integer(2, 10**9)), "max_cells": (1000, integer(0)), **RANDOM}
LOADER = {"return_X_y": (True, flag), "as_frame": (False, flag)}
TWO_TABLES = {"original": (X, array(2, (6, 3))), "released": (X + 1, array(2, (6, 3)))}
