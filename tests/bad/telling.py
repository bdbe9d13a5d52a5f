"""One valid call of what measures and judges whole records, and of channels of whole records."""

import numpy as np
from bad.fitting import categorical, coin, intervals, unary, value_classes
from bad.given import (
    BITS,
    CHANNEL,
    CODES,
    COUNTS,
    MATRIX,
    RANDOM,
    SAMPLING,
    SHARES,
    TUPLES,
    Call,
    V,
    X,
    Y,
    directions,
    distribution,
    matrix,
)
from bad.kinds import (
    anything,
    array,
    bits,
    either,
    flag,
    integer,
    labels,
    nothing,
    number,
    option,
    optional,
    plain,
)
from matplotlib.figure import Figure

from ppdm import channel, guidance, noise, privacy
from ppdm_book import figures

PRIOR = {"prior": (SHARES, distribution(3, 1))}
RECORDS = {"records": (CODES, array(2, None, 0, 2, whole=True)), "y": (Y, optional(labels(6)))}
GAUSS = {
    "scale": (np.ones(3), array((0, 1), None, 0)),
    "sensitivity": (np.ones(3), array((0, 1), None, 0)),
}


def infinite(v):
    """An epsilon may be: a mechanism that hides nothing."""
    found = plain(v)
    if found is None or found.dtype.kind != "f":
        return False
    return not np.isnan(found).any() and bool((found >= 0).all())


def members(v):
    return integer(0, 2)(v) or array((0, 1), None, 0, 2, whole=True)(v)


def tossed(data, n, rng):
    """n reports of a bit that is kept with probability 0.8."""
    return (rng.random((n, 1)) < 0.2) ^ np.asarray(data, bool)


def of_records(scheme, released, released_kind, records, records_kind):
    """Calls of what a channel says of whole records."""
    name = scheme.__name__
    yield Call(
        f"{name}.record_parts",
        lambda **kw: scheme().record_parts(**kw),
        {"records": (records, records_kind)},
    )
    yield Call(
        f"{name}.log_likelihood",
        lambda **kw: scheme().log_likelihood(**kw),
        {"released": (released, released_kind), "records": (records, records_kind)},
    )


def plain_matrices():
    return channel.as_channel(CHANNEL, 2)


THREE = array(2, (None, 2), 0, 2, whole=True)
CALLS = [
    Call(
        "local_epsilon with changes",
        lambda channel, changes: privacy.local_epsilon(channel, changes=changes),
        {
            "channel": (CHANNEL, matrix((None, None))),
            "changes": ("bit", option("record", "group", "attribute", "bit")),
        },
    ),
    Call(
        "local_epsilon of a scheme",
        lambda changes: privacy.local_epsilon(coin(), changes=changes),
        {"changes": ("bit", option("record", "group", "attribute", "bit"))},
    ),
    Call(
        "record_information",
        privacy.record_information,
        {
            "channel": (CHANNEL, matrix((None, None))),
            **RECORDS,
            "prior": ("pool", option("pool", "product")),
            **SAMPLING,
        },
    ),
    Call(
        "record_information of a product",
        lambda **kw: privacy.record_information(**kw, prior="product"),
        {"channel": (CHANNEL, matrix((None, None))), **RECORDS},
    ),
    Call(
        "product_prior",
        privacy.product_prior,
        RECORDS | {"records": (CODES, array(2, None, 0, 2**20 - 1, whole=True))},
    ),
    Call(
        "posterior_odds",
        privacy.posterior_odds,
        {
            **MATRIX,
            **PRIOR,
            "truths": (0, members),
        },
    ),
    Call(
        "compose",
        privacy.compose,
        {
            "epsilon": (np.array([0.1, 0.5]), either(array((0, 1, 2, 3), None, 0), infinite)),
            "delta": (np.array([0.1, 0.0]), array((0, 1, 2, 3), None, 0, 1)),
            "repeats": (3, integer(1, 10**9)),
            "slack": (0.1, number(0, 1)),
        },
    ),
    Call("gaussian_delta", privacy.gaussian_delta, {"epsilon": (1.0, number(0)), **GAUSS}),
    Call("gaussian_epsilon", privacy.gaussian_epsilon, {"delta": (0.1, number(0, 1)), **GAUSS}),
    Call(
        "audit_epsilon",
        privacy.audit_epsilon,
        {
            "mechanism": (tossed, nothing),
            "first": ([0], anything),
            "second": ([1], anything),
            "n_draws": (400, integer(2, 10**9)),
            "delta": (0.0, number(0, 1)),
            "confidence": (0.9, number(0, 1)),
            "batch": (True, flag),
            **RANDOM,
        },
    ),
    Call(
        "audit_epsilon of a channel",
        lambda first=0, second=2, channel=None: privacy.audit_epsilon(
            lambda data, n, rng: rng.random((n, 1)) < 0.2,
            first,
            second,
            n_draws=100,
            batch=True,
            channel=plain_matrices() if channel is None else channel,
        ),
        {
            "first": (np.array([0, 2]), array((1, 2), None, 0, 2, whole=True)),
            "second": (np.array([1, 2]), array((1, 2), None, 0, 2, whole=True)),
            "channel": (None, lambda v: v is None),
        },
    ),
    Call(
        "audit_epsilon of what a mechanism returns",
        lambda result: privacy.audit_epsilon(
            lambda *_: result, 0, 1, n_draws=100, batch=False, random_state=0
        ),
        {"result": (1, anything)},
        also={"result": "mechanism"},
    ),
    Call(
        "audit_epsilon of what a mechanism returns at once",
        lambda result: privacy.audit_epsilon(
            lambda data, n, rng: [1] * n if data else result,
            0,
            1,
            n_draws=100,
            batch=True,
            random_state=0,
        ),
        {"result": ([1] * 101, lambda v: plain(v) is not None and len(v) == 101)},
        also={"result": "mechanism"},
    ),
    Call(
        "record_information of a list",
        lambda **kw: privacy.record_information(**kw),
        {
            "channel": (
                np.stack([CHANNEL, CHANNEL]),
                lambda v: matrix()(v) or all(map(matrix((None, None)), v)),
            ),
            "records": RECORDS["records"],
        },
    ),
    Call(
        "a matrix as a Channel",
        lambda **kw: plain_matrices().channel_matrix(**kw),
        {"feature": (1, integer(0, 1))},
    ),
    *of_records(coin, BITS, bits(2, (None, 3)), BITS, bits(2, (None, 3))),
    *of_records(categorical, CODES, THREE, CODES[:4], THREE),
    *of_records(unary, TUPLES, bits(2, (None, 5)), CODES[:4], THREE),
    *of_records(intervals, X[:, :1], array(2), COUNTS[:, None] % 3, array(2, None, 0, 2)),
    *of_records(value_classes, Y[:, None], array(2, None, 0, 3), Y[:, None], array(2, None, 0, 2)),
    *of_records(plain_matrices, CODES, THREE, CODES[:4], THREE),
    Call(
        "AdditiveNoise.log_likelihood",
        lambda **kw: noise.AdditiveNoise(scale=[1.0, 2.0, 1.0]).log_likelihood(**kw),
        {"released": (X, array(2, (None, 3))), "records": (X[:4], array(2, (None, 3)))},
    ),
    Call(
        "log_likelihood",
        guidance.log_likelihood,
        {
            "R": (TUPLES, bits(2, (None, 5))),
            "T": (TUPLES[:4], bits((1, 2))),
            "V": (V, directions(5)),
        },
    ),
    Call("figures.digest", figures.digest, {"fig": (Figure(), nothing)}),
]
