"""The words of the calls: what each argument is called, a value that is right, and its kind.

A word means one thing in this package. So a call names its arguments, and gives itself only what is
another thing there. A number, an option or a flag is of the kind that the package's own table of
constraints says; that the table is right is written by hand in ``test_limits.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import numpy as np
from bad import kinds
from bad.kinds import array, bits, integer, labels, optional

from ppdm import _validation as check
from ppdm import guidance, protocol
from ppdm import randomized_response as rr
from ppdm.noise import AdditiveNoise, SquareWave, ValueClassMembership

rng = np.random.default_rng(0)
BITS = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0]])
Y = np.array([0, 1, 0, 1, 1, 0])
CODES = np.array([[0, 2], [1, 1], [0, 0], [1, 2], [0, 1], [1, 0]])
CATEGORIES = [["red", "blue"], ["one", "two", "three"]]
TEXTS = np.stack([np.array(CATEGORIES[j])[CODES[:, j]] for j in (0, 1)], axis=1)
TUPLES = guidance.one_hot(CODES, [2, 3])  # five bits
#: Two answers of three.
ANSWERS = np.where(np.eye(3)[[0, 1, 2, 0, 1, 2]] > 0, np.nan, BITS)
#: One of two answers: three bits, or a code.
SOME_TUPLES = np.where(Y[:, np.newaxis] == [1, 1, 1, 0], TUPLES[:, [0, 1, 4, 2]], np.nan)
KINDS = [rr.UnaryEncoding(3, 1.0), rr.CategoricalRandomizedResponse(3, 0.8)]
V = np.linalg.qr(rng.normal(size=(5, 2)))[0]
X = rng.normal(size=(6, 3))
CHANNEL = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
EDGES = np.array([0.0, 1.0, 2.0, 3.0])
COUNTS = np.array([5, 3, 2])
NOISE = AdditiveNoise(scale=1.0)

ANY_SHAPE = (0, 1, 2, 3)
SHARE = [0.7, 0.8], array(ANY_SHAPE, None, 0, 1)
SCALE = np.ones(3), array((0, 1), None, 0)
TABLE = X, array(2, (6, 3))
CODED = CODES, array(2, None, 0, 2**20 - 1, whole=True)
THREE_BITS = BITS, bits(2, (6, 3))
SOME_BITS = BITS, bits(2, (None, 3))
FIVE_BITS = TUPLES, bits(2, (6, 5))
PUBLIC = optional(kinds.public_classes)

#: Arrays, lists and what else the package's table does not have: a value and its kind.
WORDS: dict[str, tuple[Any, Callable[[Any], bool]]] = {
    "T": (TUPLES, bits((1, 2))), "R": (TUPLES, bits((1, 2))), "V": (V, kinds.directions(5)),
    "t": (TUPLES[0], bits(1)), "probabilities": (np.full((6, 5), 0.3), array(2, (6, None), 0, 1)),
    "n_values": ([2, 3], kinds.sizes()), "X": (X, array(2, objects=True)), "y": (Y, labels(6)),
    "sample_weight": (np.ones(6), optional(array(1, (6,)))), "classes": (np.array([0, 1]), PUBLIC),
    "domain": (np.array([[-9.0, 9.0]] * 3), optional(kinds.bounds(3))),
    "categories": (CATEGORIES, kinds.nothing), "noise": (NOISE, kinds.nothing),
    "scheme": (rr.RandomizedResponse(0.8), lambda v: isinstance(v, rr.RandomizedResponse)),
    "integer_features": (None, optional(kinds.whole_columns(3))), "reports": THREE_BITS,
    "expression": ({0: 1, "class": 0}, kinds.expression),
    "groups": ([[0, 2], [1]], kinds.groups(3)), "class_group": (0, kinds.class_group(2)),
    "channel": (CHANNEL, kinds.matrix((3, None))), "edges": (EDGES, kinds.edges()),
    "counts": (COUNTS, array((1, 2, 3), None, 0)),
    "prior": (np.array([0.5, 0.3, 0.2]), kinds.distribution(3, 1)), "released": TABLE,
    "records": TABLE, "original": TABLE, "released_accuracy": SHARE, "original_accuracy": SHARE,
    "noise_std": SCALE, "sensitivity": SCALE, "n_labels": (2, optional(integer(2, 10**9))),
    "labels": (Y, optional(array(1, (6,), 0, 1, whole=True))),
}  # fmt: skip
#: A value for what the table has.
VALUES: dict[str, Any] = {
    "theta": 0.8, "epsilon": 1.0, "delta": 0.1, "mu": 0.15, "proportion": 0.3, "confidence": 0.9,
    "privacy": 1.0, "scale": 1.0, "sparsity": 0.1, "slack": 0.1, "false_positive_rate": 0.1,
    "tol": 0.01, "min_samples_leaf": 0.0, "min_impurity_decrease": 0.0,
    "feature": 0, "k": 2, "max_level": 3, "n_bits": 5, "m0": 4, "label": 1, "batch_size": 3,
    "n": 4, "n_draws": 1, "n_samples": 5, "max_cells": 1000, "repeats": 2, "max_iter": 20,
    "max_depth": 3, "n_intervals": 5, "n_components": 2, "n_starts": 1, "n_passes": 1, "n_cells": 9,
    "min_node_records": 5, "min_class_records": 2, "max_size": 2, "function": 4, "node": 1,
    "random_state": 0, "order": "signed", "stop": "chi2", "kernel": "cell", "criterion": "gini",
    "pruning": "sliq", "strategy": "byclass", "split": "threshold", "distribution": "gaussian",
    "changes": "bit", "subset": "test", "fill": "mode", "cut": "median", "keep": True,
    "keep_history": True, "smooth": False, "whole": True,
    "online": True, "keep_split": True, "batch": True, "balanced": False,
    "project": False, "yes_no": 2, "want": "proportion", "margin": 0.1, "top": None,
    "trust": "curator", "smaller": 0.3, "secret_class": False, "times": 2, "cv": 2,
    "prior_sd": 2.5, "missing": "drop", "difference": 0.1, "power": 0.8,
    "binary": True, "symmetric": False, "return_X_y": True, "as_frame": False,
}  # fmt: skip
COIN = "theta groups class_group"
STOPS = "stop tol max_iter keep_history smooth"
TREE = "criterion max_depth min_samples_leaf min_impurity_decrease pruning"
SAMPLING = "n_samples max_cells random_state"
#: A coin for each answer, where a record has an epsilon, and where some are asked.
ALONE = [[0], [1], [2]], lambda v: v is not None and kinds.groups(3)(v) and len(v) == 3
OWN = "own", lambda v: v is None or (isinstance(v, str) and v == "own")
APART = {"groups": ALONE, "class_group": OWN}
ASKED = {"groups": (ALONE[0], optional(ALONE[1])), "class_group": OWN,
         "asked": (2, optional(integer(1, 3)))}  # fmt: skip


def by_coins(function):
    """Return a function that is told each parameter of its scheme of coins by itself."""
    names = set(inspect.signature(rr.RandomizedResponse).parameters)

    @wraps(function)
    def told(**given):
        scheme = rr.RandomizedResponse(**{n: v for n, v in given.items() if n in names})
        return function(scheme=scheme, **{n: v for n, v in given.items() if n not in names})

    return told


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


def by_the_table(owners, name):
    """The kind that the package's table says, for an argument of one of the owners."""
    row = next((f"{of}.{name}" for of in owners if f"{of}.{name}" in check.TABLE), name)

    def legal(v):
        check.given(row, v)
        return True

    rule = check.TABLE.get(row)
    if rule and rule.check is check.integer:
        whole = integer(rule.limits.get("low", -np.inf), rule.limits.get("high", np.inf))
        vars(legal).update(vars(whole))
    return legal


def arguments(owner, names, own):
    """Return each argument's value and kind: its own ones, those of the word, the table's."""
    classes = [each.__name__ for each in getattr(owner, "__mro__", [owner])]
    owners = [*classes, owner.__module__.split(".")[1]]
    found = {}
    for name in [*names.split(), *(name for name in own if name not in names.split())]:
        given = own.get(name, WORDS[name] if name in WORDS else VALUES.get(name))
        if isinstance(given, tuple) and len(given) == 2 and callable(given[1]):
            found[name] = given
        elif name in WORDS:
            found[name] = given, WORDS[name][1]
        else:
            found[name] = given, by_the_table(owners, name)
    return found


def call(function, names="", title="", *, owner=None, also=(), needs="", **own):
    """A call of a function with these arguments; what is its ``own`` is a value, or with a kind."""
    of = function if owner is None else owner
    name = " ".join(filter(None, (of.__name__, title)))
    return Call(name, function, arguments(of, names, own), dict(also), needs)


def fit(estimator, parameters="", records="X", then="fit", also=(), **own):
    """A call of ``then`` (fit, disguise, ...) with bad parameters or bad records."""
    given = arguments(estimator, f"{parameters} {records}", own)
    of_records = records.split()

    def function(**values):
        found = estimator(**{n: v for n, v in values.items() if n not in of_records})
        return getattr(found, then)(**{name: values[name] for name in of_records})

    return Call(f"{estimator.__name__}.{then}", function, given, dict(also))


def method(make, then, names="", title="", also=(), **own):
    """A call of a method of what is made anew each time."""
    of = type(make())
    name = " ".join(filter(None, (f"{of.__name__}.{then}", title)))
    return Call(
        name, lambda **given: getattr(make(), then)(**given), arguments(of, names, own), dict(also)
    )


def predicting(make, kind, value, *methods):
    """Calls of methods that take one table of clear records."""
    return [method(make, then, X=(value, kind)) for then in methods]


def guided():
    return guidance.Guidance(5).update(TUPLES, Y)


def miner():
    found = protocol.DataMiner([2, 3], batch_size=3)
    found.bootstrap(TUPLES[:3], Y[:3])
    return found


def coin():
    return rr.RandomizedResponse(0.8, [[0, 2], [1]], 0, random_state=0).fit(BITS)


def asked_coin():
    return rr.RandomizedResponse(0.8, asked=2, random_state=0).fit(BITS)


def categorical():
    return rr.CategoricalRandomizedResponse(3, 0.8, random_state=0).fit(CODES)


def mixed():
    return rr.MixedResponse(KINDS, asked=1, random_state=0).fit(CODES)


def unary():
    return rr.UnaryEncoding([2, 3], 1.0, random_state=0).fit(CODES)


def hadamard():
    return rr.HadamardResponse(3, 1.0, random_state=0).fit(CODES)


def intervals():
    return NOISE.on(EDGES)


def wave():
    return SquareWave(1.0, domain=[[0, 3]]).on(EDGES)


def value_classes():
    return ValueClassMembership(4, domain=[[0, 4]]).on(EDGES)
