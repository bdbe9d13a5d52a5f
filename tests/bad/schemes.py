"""Valid calls of the schemes: transformers, channels, generators."""

import numpy as np
from bad.fitting import (
    ANSWERS,
    BINARY,
    CODED,
    DOMAIN,
    POSITIVE,
    REAL,
    SAME_FOR_ALL,
    TARGET,
    after,
    answers,
    asked_coin,
    call,
    categorical,
    channels,
    class_released,
    coin,
    intervals,
    one_table,
    unary,
    value_classes,
    wave,
)
from bad.given import (
    APART,
    ASKED,
    BITS,
    CATEGORIES,
    CHANNEL,
    CODES,
    COIN,
    EDGES,
    RANDOM,
    TEXTS,
    TUPLES,
    Call,
    X,
    Y,
    edges,
    matrix,
)
from bad.kinds import (
    array,
    bits,
    either,
    flag,
    integer,
    nothing,
    number,
    option,
    optional,
    texts,
)

from ppdm import (
    generation,
    svd,
)
from ppdm import randomized_response as rr
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership


def covering(v):
    """Edges of one attribute that cover 0 to 3, with all middles inside."""
    if not edges()(v) or np.size(v) != np.shape(v)[-1]:
        return False
    found = np.ravel(np.asarray(v, float))
    return bool(found[0] <= 0 <= found[:2].mean() and found[-2:].mean() <= 3 <= found[-1])


CALLS = [
    call(rr.RandomizedResponse, COIN | RANDOM, "fit", BINARY),
    call(rr.RandomizedResponse, APART | RANDOM, "fit", {"X": (BITS, bits(2, (None, 3)))}),
    call(rr.RandomizedResponse, ASKED | RANDOM, "fit", {"X": (BITS, bits(2, (None, 3)))}),
    call(
        rr.RandomizedResponse,
        COIN | RANDOM,
        "disguise",
        {"X": (BITS, bits(2, (6, 3))), "y": (Y, bits(1, (6,)))},
    ),
    *after(
        coin,
        (BITS,),
        **one_table(bits(2, (None, 3)), BITS, "transform"),
        record_channels={"with_class": (True, flag)},
    ),
    call(
        rr.CategoricalRandomizedResponse,
        {"n_values": ([2, 3], SAME_FOR_ALL), "theta": (0.8, number(0, 1)), **RANDOM},
        "fit",
        CODED,
    ),
    call(
        rr.CategoricalRandomizedResponse,
        {
            "channel": (
                CHANNEL,
                either(matrix((None, None)), lambda v: np.ndim(v) == 3 and all(map(matrix(), v))),
            )
        },
        "fit",
        CODED,
    ),
    *(
        call(
            scheme,
            {"categories": (CATEGORIES, nothing), **more},
            "fit",
            {"X": (TEXTS, texts())},
        )
        for scheme, more in (
            (rr.CategoricalRandomizedResponse, {"theta": (0.8, number(0, 1))}),
            (rr.UnaryEncoding, {"n_values": (None, optional(nothing)), "epsilon": (1, number(0))}),
        )
    ),
    *after(
        categorical,
        (CODES,),
        **one_table(array(2, (None, 2), 0, 2, whole=True), CODES, "transform"),
    ),
    call(
        rr.CategoricalRandomizedResponse,
        {"n_values": ([2, 3], SAME_FOR_ALL), "epsilon": (1.0, number(0, 20))},
        "fit",
        CODED,
    ),
    call(
        rr.UnaryEncoding,
        {"n_values": ([2, 3], SAME_FOR_ALL), "epsilon": (1.0, number(0)), **RANDOM},
        "fit",
        CODED,
    ),
    *after(unary, (CODES,), **one_table(array(2, (None, 2), 0, 2, whole=True), CODES, "transform")),
    *channels(coin, BITS, array((1, 2), None, 0, 1, whole=True)),
    *channels(asked_coin, ANSWERS, answers),
    *channels(categorical, CODES, array((1, 2), None, 0, 2, whole=True)),
    *channels(lambda: rr.UnaryEncoding(3, 1.0), TUPLES[:, 2:], bits(2)),
    *channels(intervals, np.array([0.1, 2.0, 1.5, 3.0]), array((1, 2))),
    *channels(value_classes, np.array([0, 1, 2, 3]), class_released()),
    call(
        AdditiveNoise,
        {
            "distribution": ("gaussian", option("gaussian", "uniform", "laplace")),
            "privacy": (1.0, number(0)),
            "confidence": (0.9, number(0, 1)),
            "scale": ([1.0, 1.0, 2.0], optional(POSITIVE)),
            **DOMAIN,
            **RANDOM,
        },
        "fit_transform",
        REAL,
    ),
    call(
        AdditiveNoise,
        {
            "distribution": ("laplace", option("laplace")),
            "epsilon": (1.0, optional(number(0))),
            **DOMAIN,
        },
        "fit_transform",
        REAL,
    ),
    call(AdditiveNoise, {"scale": (1.0, array(0, None, 0))}, "on", {"edges": (EDGES, edges())}),
    Call(
        "AdditiveNoise.on",
        lambda **kw: AdditiveNoise(scale=1.0).on(**kw),
        {
            "edges": (EDGES, edges()),
            "feature": (0, integer(0)),
            "cells": (EDGES, optional(edges())),
            "whole": (True, flag),
        },
    ),
    Call(
        "AdditiveNoise.on of two attributes",
        lambda **kw: AdditiveNoise(scale=[1.0, 2.0]).on(**kw),
        {"edges": (np.stack([EDGES, EDGES]), edges()), "feature": (0, integer(0, 0))},
        also={"edges": "scale"},
    ),
    *[
        call(scheme, {"epsilon": (1.0, number(0, 20)), **DOMAIN, **RANDOM}, "fit_transform", REAL)
        for scheme in (SquareWave, Piecewise)
    ],
    Call(
        "SquareWave.on",
        lambda **kw: SquareWave(1.0, domain=[[0, 3]]).on(**kw),
        {"edges": (EDGES, covering), "feature": (0, integer(0, 0)), "whole": (True, flag)},
    ),
    Call(
        "SquareWave.log_likelihood",
        lambda **kw: SquareWave(1.0, domain=[[-9, 9]] * 3).log_likelihood(**kw),
        {"released": (X, array(2, (None, 3))), "records": (X, array(2, (None, 3)))},
    ),
    *channels(wave, np.array([0.1, 2.0, 1.5, 3.0]), array((1, 2))),
    call(
        ValueClassMembership,
        {"n_intervals": (4, optional(integer(2, 10**9))), **DOMAIN},
        "fit_transform",
        REAL,
    ),
    call(ValueClassMembership, {"width": (2.0, optional(POSITIVE)), **DOMAIN}, "fit", REAL),
    Call(
        "ValueClassMembership.on",
        lambda **kw: ValueClassMembership(4, domain=[[0, 4]]).on(**kw),
        {"edges": (EDGES, edges()), "feature": (0, integer(0, 0))},
    ),
    *after(
        lambda: ValueClassMembership(3),
        (X,),
        **one_table(array(2, (None, 3), 0, 2, whole=True), Y.reshape(2, 3), "inverse_transform"),
    ),
    call(svd.TruncatedSVDPerturbation, {"n_components": (2, integer(1, 3))}, "fit", REAL),
    call(
        svd.SparsifiedSVDPerturbation,
        {
            "n_components": (2, integer(1, 3)),
            "sparsity": (0.1, number(0, 1)),
            "pooled": (True, flag),
        },
        "fit",
        REAL,
    ),
    *after(
        svd.TruncatedSVDPerturbation,
        (X,),
        **one_table(array(2, (None, 3), objects=True), X, "transform"),
    ),
    call(
        generation.GaussianSampleGenerator,
        {"n_samples": (5, either(integer(1, 10**9), option("same"))), **RANDOM},
        "fit_resample",
        REAL | TARGET,
    ),
    call(
        generation.SampleGenerator,
        {
            "estimators": (generation.default_estimators(), optional(nothing)),
            "n_samples": (5, either(integer(1, 10**9), option("same"))),
            **RANDOM,
        },
        "fit_resample",
        REAL | TARGET,
    ),
    call(
        generation.PrivateTreeGenerator,
        {
            "n_values": ([2, 3], optional(SAME_FOR_ALL)),
            "epsilon": (1.0, number(0)),
            "delta": (1e-5, number(0, 1)),
            "n_samples": (5, either(integer(1, 10**9), option("same"))),
            **RANDOM,
        },
        "fit_resample",
        CODED | TARGET,
    ),
    call(
        generation.PrivateTreeGenerator,
        {"categories": (CATEGORIES, nothing), "n_values": (None, optional(nothing))},
        "fit_resample",
        {"X": (TEXTS, texts(6)), **TARGET},
    ),
    *after(
        generation.GaussianSampleGenerator,
        (X, Y),
        sample={"n_samples": (5, optional(either(integer(1, 10**9), option("same"))))},
    ),
]
