"""Calls of estimators: their parameters, ``fit``, and what comes after it."""

from __future__ import annotations

import numpy as np
from bad.given import (
    BITS,
    CHANNEL,
    CODES,
    EDGES,
    TUPLES,
    Call,
    X,
    Y,
    sizes,
)
from bad.kinds import (
    array,
    bits,
    either,
    integer,
    labels,
    number,
    option,
    optional,
    plain,
    texts,
)  # fmt: skip

from ppdm import randomized_response as rr
from ppdm.noise import AdditiveNoise, SquareWave, ValueClassMembership

REAL = {"X": (X, array(2, objects=True))}
TARGET = {"y": (Y, labels(6))}
BINARY = {"X": (BITS, bits(2))}
CODED = {"X": (CODES, array(2, None, 0, 2**20 - 1, whole=True))}
#: Codes, or labels that are learnt.
LABELLED = {"X": (CODES, either(CODED["X"][1], texts(6)))}
WEIGHT = {"sample_weight": (np.ones(6), optional(array(1, (6,))))}
DOMAIN = {
    "domain": (
        np.array([[-9.0, 9.0]] * 3),
        optional(lambda v: array(2, (3, 2))(v) and bool((np.diff(np.asarray(v, float)) > 0).all())),
    )
}
SAME_FOR_ALL = either(integer(2, 64), lambda v: not np.isscalar(v) and sizes(n=2)(v))
POSITIVE = array((0, 1), None, 0)
TREE = {"criterion": ("gini", option("gini", "entropy")),
        "max_depth": (3, optional(integer(0))), "min_samples_leaf": (0.0, number(0)),
        "min_impurity_decrease": (0.0, number(0)),
        "pruning": ("sliq", option("sliq", "stochastic", None))}  # fmt: skip


def call(estimator, parameters, then, records):
    """A call of ``then`` (fit, disguise, ...) with bad parameters or bad records."""

    def function(**given):
        found = estimator(**{name: given[name] for name in parameters})
        return getattr(found, then)(**{name: given[name] for name in records})

    return Call(f"{estimator.__name__}.{then}", function, parameters | records)


def after(estimator, clear, **records):
    """Calls of methods of a fitted estimator, by the method's name."""

    def made(then):
        return lambda **given: getattr(estimator().fit(*clear), then)(**given)

    name = (
        getattr(estimator, "__name__", "")
        if isinstance(estimator, type)
        else type(estimator()).__name__
    )
    return [Call(f"{name}.{then}", made(then), arguments) for then, arguments in records.items()]


def channels(scheme, released, kind, labelled=True):
    """Calls of what every channel offers."""
    n = len(released)
    yield Call(
        f"{scheme.__name__}.channel_matrix",
        lambda **kw: scheme().channel_matrix(**kw),
        {"feature": (0, integer(0))},
    )
    yield Call(
        f"{scheme.__name__}.inverse_matrix",
        lambda **kw: scheme().inverse_matrix(**kw),
        {"feature": (0, integer(0))},
    )
    yield Call(
        f"{scheme.__name__}.codes",
        lambda **kw: scheme().codes(**kw),
        {"released": (released, kind)},
    )
    yield Call(
        f"{scheme.__name__}.count",
        lambda **kw: scheme().count(**kw),
        {
            "released": (released, kind),
            "labels": (np.arange(n) % 2, optional(array(1, (n,), 0, 1, whole=True))),
            "n_labels": (2, optional(integer(2, 10**9))),
        },
    )
    yield Call(
        f"{scheme.__name__}.count without labels",
        lambda **kw: scheme().count(**kw),
        {"released": (released, kind), "n_labels": (None, lambda v: v is None)},
    )


def coin():
    return rr.RandomizedResponse(0.8, [[0, 2], [1]], 0, random_state=0).fit(BITS)


def asked_coin():
    return rr.RandomizedResponse(0.8, asked=2, random_state=0).fit(BITS)


def answers(v):
    """Bits, with NaN; of whole records two answers each."""
    found = plain(v)
    if found is None or found.ndim not in (1, 2) or not found.size:
        return False
    found = found.astype(float)
    told = ~np.isnan(found)
    each = found.ndim == 1 or (found.shape[1] == 3 and (told.sum(axis=1) == 2).all())
    return bool(each and np.isin(found[told], (0, 1)).all())


def categorical():
    return rr.CategoricalRandomizedResponse(3, 0.8, random_state=0).fit(CODES)


def unary():
    return rr.UnaryEncoding([2, 3], 1.0, random_state=0).fit(CODES)


def intervals():
    return AdditiveNoise(scale=1.0).on(EDGES)


def wave():
    return SquareWave(1.0, domain=[[0, 3]]).on(EDGES)


def value_classes():
    return ValueClassMembership(4, domain=[[0, 4]]).on(EDGES)


def class_released():
    return array((1, 2), None, 0, 3, whole=True)


#: Two answers of three.
ANSWERS = np.where(np.eye(3)[[0, 1, 2, 0, 1, 2]] > 0, np.nan, BITS)
FITTED = rr.CategoricalRandomizedResponse(channel=CHANNEL)
GUIDED = {"n_values": ([2, 3], sizes(n=2))}
TUPLE_BITS = {"X": (TUPLES, bits(2, (6, 5)))}
NB_AFTER = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba")


def one_table(kind, value, *methods):
    return {method: {"X": (value, kind)} for method in methods}
