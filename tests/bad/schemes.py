"""Valid calls of the schemes: transformers, channels, generators."""

# ruff: noqa: I001

import numpy as np
from bad import words
from bad.kinds import (
    absent, answers, array, bits, edges, either, integer, matrix, nothing,
    number, one_of_two, option, optional, sizes, texts,
)  # fmt: skip
from bad.words import (
    ANY_SHAPE, APART, ASKED, BITS, CODES, COIN, EDGES, NOISE, TEXTS, X, Y, call, fit, method,
)  # fmt: skip

from ppdm import generation, svd
from ppdm import randomized_response as rr
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership, privacy_interval


def covering(v):
    """Edges of one attribute that cover 0 to 3, with all middles inside."""
    if not edges()(v) or np.size(v) != np.shape(v)[-1]:
        return False
    found = np.ravel(np.asarray(v, float))
    return bool(found[0] <= 0 <= found[:2].mean() and found[-2:].mean() <= 3 <= found[-1])


def channels(make, released, kind, last=np.inf):
    """Calls of what every channel offers, whose last attribute has this number."""
    n = len(released)
    said = {"released": (released, kind)}
    which = np.arange(n) % 2, optional(array(1, (n,), 0, 1, whole=True))
    return [
        method(make, "channel_matrix", feature=(0, integer(0, last))),
        method(make, "inverse_matrix", feature=(0, integer(0, last))),
        method(make, "codes", **said),
        method(make, "count", **said, labels=which, n_labels=(2, optional(integer(2, 10**9)))),
        method(make, "count", title="without labels", **said, n_labels=(None, absent)),
    ]


def memo():
    return rr.MemoizedResponse(3, 1.0, 2.0)


def clear(make, then, kind, value):
    return method(make, then, X=(value, kind))


THREE = array(2, (None, 2), 0, 2, whole=True)
SAME_FOR_ALL = [2, 3], either(integer(2, 2**20), lambda v: not np.isscalar(v) and sizes(n=2)(v))
EITHER = CODES, words.CODED[1]
EACH = either(matrix((None, None)), lambda v: np.ndim(v) == 3 and all(map(matrix(), v)))
SOME = 5, either(integer(1, 10**9), option("same"))
POSITIVE = array((0, 1), None, 0)
VALUES = np.array([0.1, 2.0, 1.5, 3.0])
ONE = 1, optional(integer(1, 2))
LABELS = {"X": (TEXTS, texts()), "n_values": (None, optional(nothing))}
CALLS = [
    fit(rr.RandomizedResponse, f"{COIN} random_state", X=(BITS, bits(2))),
    fit(rr.RandomizedResponse, "epsilon random_state", X=words.SOME_BITS, **APART),
    fit(rr.RandomizedResponse, "theta random_state", X=words.SOME_BITS, **ASKED),
    fit(rr.RandomizedResponse, f"{COIN} random_state", "X y", "disguise", X=words.THREE_BITS,
        y=(Y, bits(1, (6,)))),
    clear(words.coin, "transform", bits(2, (None, 3)), BITS),
    fit(rr.CategoricalRandomizedResponse, "theta random_state", n_values=SAME_FOR_ALL, X=EITHER),
    fit(rr.CategoricalRandomizedResponse, channel=(words.CHANNEL, EACH), X=EITHER),
    fit(rr.CategoricalRandomizedResponse, "categories theta", X=LABELS["X"]),
    fit(rr.CategoricalRandomizedResponse, "epsilon", n_values=SAME_FOR_ALL, X=EITHER),
    clear(words.categorical, "transform", THREE, CODES),
    fit(rr.UnaryEncoding, "categories epsilon", **LABELS),
    fit(rr.UnaryEncoding, "epsilon random_state symmetric", n_values=SAME_FOR_ALL, X=EITHER),
    clear(words.unary, "transform", THREE, CODES),
    fit(rr.HadamardResponse, "epsilon random_state", n_values=SAME_FOR_ALL, X=EITHER),
    clear(words.hadamard, "transform", THREE, CODES),
    fit(rr.CategoricalRandomizedResponse, "theta", n_values=SAME_FOR_ALL, X=EITHER, asked=ONE),
    fit(rr.UnaryEncoding, "epsilon", n_values=SAME_FOR_ALL, X=EITHER, asked=ONE),
    fit(rr.MixedResponse, "random_state", X=(CODES, THREE), channels=(words.KINDS, nothing),
        epsilon=(2.0, optional(number(0))), asked=ONE),
    clear(words.mixed, "transform", THREE, CODES),
    call(rr.MemoizedResponse, "random_state", n_values=(3, integer(2, 2**20)),
         permanent=(1.0, number(0, 20)), instantaneous=(1.0, optional(number(0, 20)))),
    method(memo, "report", X=(CODES, array(2, None, 0, 2, whole=True))),
    method(memo, "epsilon", n_reports=([3, 4], array(ANY_SHAPE, None, 0))),
    *channels(memo, CODES, array((1, 2), None, 0, 2, whole=True)),
    *channels(words.coin, BITS, array((1, 2), None, 0, 1, whole=True), 2),
    *channels(words.asked_coin, words.ANSWERS, answers, 2),
    *channels(words.categorical, CODES, array((1, 2), None, 0, 2, whole=True), 1),
    *channels(words.mixed, words.SOME_TUPLES, one_of_two, 1),
    *channels(words.hadamard, CODES, array((1, 2), None, 0, 3, whole=True), 1),
    *channels(lambda: rr.UnaryEncoding(3, 1.0), words.TUPLES[:, 2:], bits(2)),
    *channels(words.intervals, VALUES, array((1, 2)), 0),
    *channels(words.value_classes, np.arange(4), array((1, 2), None, 0, 3, whole=True), 0),
    *channels(words.wave, VALUES, array((1, 2)), 0),
    fit(AdditiveNoise, "distribution privacy confidence domain random_state", then="fit_transform",
        scale=([1.0, 1.0, 2.0], optional(POSITIVE))),
    fit(AdditiveNoise, "domain", then="fit_transform", distribution=("laplace", option("laplace")),
        epsilon=(1.0, optional(number(0, 20)))),
    fit(AdditiveNoise, records="edges", then="on", scale=(1.0, array(0, None, 0))),
    method(lambda: NOISE, "on", "edges whole", feature=(0, optional(integer(0))),
           cells=(EDGES, optional(edges()))),
    method(lambda: AdditiveNoise(scale=[1.0, 2.0]), "on", "edges", title="of two attributes",
           feature=(0, integer(0, 1))),
    *[fit(scheme, "epsilon domain random_state", then="fit_transform")
      for scheme in (SquareWave, Piecewise)],
    method(lambda: SquareWave(1.0, domain=[[0, 3]]), "on", "whole", edges=(EDGES, covering),
           feature=(0, optional(integer(0, 0)))),
    fit(ValueClassMembership, "n_intervals domain", then="fit_transform"),
    fit(ValueClassMembership, "domain", width=(2.0, optional(POSITIVE))),
    method(lambda: ValueClassMembership(4, domain=[[0, 4]]), "on", "edges",
           feature=(0, optional(integer(0, 0)))),
    call(privacy_interval, "distribution scale confidence"),
    fit(svd.TruncatedSVDPerturbation, n_components=(2, integer(1, 3))),
    fit(svd.SparsifiedSVDPerturbation, "sparsity", n_components=(2, integer(1, 3))),
    clear(lambda: svd.TruncatedSVDPerturbation().fit(X), "transform",
          array(2, (None, 3), objects=True), X),
    fit(generation.GaussianSampleGenerator, "random_state", "X y", "fit_resample", n_samples=SOME),
    fit(generation.SampleGenerator, "random_state", "X y", "fit_resample", n_samples=SOME,
        estimators=(generation.default_estimators(), optional(nothing))),
    fit(generation.PrivateTreeGenerator, "epsilon delta random_state classes", "X y",
        "fit_resample", n_values=(SAME_FOR_ALL[0], optional(SAME_FOR_ALL[1])), n_samples=SOME,
        X=EITHER),
    fit(generation.PrivateTreeGenerator, "categories", "X y", "fit_resample",
        n_values=LABELS["n_values"], X=(TEXTS, texts(6))),
    method(lambda: generation.GaussianSampleGenerator().fit(X, Y), "sample",
           n_samples=(5, optional(SOME[1]))),
    call(generation.default_estimators),
]  # fmt: skip
