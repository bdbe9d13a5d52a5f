"""Valid calls of the learners."""

from functools import partial

import numpy as np
from bad.fitting import (
    ANSWERS,
    BINARY,
    DOMAIN,
    GUIDED,
    LABELLED,
    NB_AFTER,
    REAL,
    TARGET,
    TREE,
    TUPLE_BITS,
    WEIGHT,
    after,
    answers,
    call,
    one_table,
)
from bad.given import (
    APART,
    ASKED,
    BITS,
    CATEGORIES,
    CHANNEL,
    CODES,
    COIN,
    TEXTS,
    TUPLES,
    Call,
    X,
    Y,
    matrix,
    sizes,
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
    seed,
    texts,
)

from ppdm import (
    classifiers,
)
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.tree import CountTreeClassifier

LAID_OUT = {
    "integer_features": (
        None,
        optional(
            either(
                lambda v: np.shape(v) == (3,) and np.asarray(v).dtype.kind == "b",
                lambda v: np.size(v) == 0 and np.ndim(v) == 1,
                array(1, None, 0, 2, whole=True),
            )
        ),
    ),
    "n_intervals": (5, optional(integer(2, 10**9))),
    "classes": (
        np.array([0, 1]),
        optional(
            lambda v: (
                array(1, None, whole=True)(v) and {0, 1} <= set(np.asarray(v).tolist())
            )
        ),
    ),
}

OF_LABELS = {"X": (TEXTS, texts(6))}
PUBLIC = {
    "classes": (
        np.array([0, 1]),
        optional(
            lambda v: array(1, None, whole=True)(v) and {0, 1} <= set(np.asarray(v).tolist())
        ),
    )
}


def in_one_chunk(tree, X, y, **options):
    return tree.fit_chunks([(X, y)], **options)


CALLS = [
    call(
        CountNB,
        {
            "n_values": (
                3,
                optional(either(integer(1), lambda v: not np.isscalar(v) and sizes(1, n=2)(v))),
            )
        },
        "fit",
        LABELLED | TARGET | WEIGHT,
    ),
    call(
        CountNB,
        {},
        "partial_fit",
        LABELLED
        | TARGET
        | WEIGHT
        | {"classes": (np.array([0, 1]), optional(array(1, None, whole=True)))},
    ),
    *after(
        CountNB, (CODES, Y), **one_table(array(2, (None, 2), 0, 2, whole=True), CODES, *NB_AFTER)
    ),
    call(
        CountTreeClassifier,
        {
            "split": ("threshold", option("threshold", "multiway")),
            "n_intervals": (5, optional(integer(1, 10**9))),
            **DOMAIN,
            **TREE,
        },
        "fit",
        REAL | TARGET | WEIGHT,
    ),
    call(CountTreeClassifier, {"categories": (CATEGORIES, nothing)}, "fit", OF_LABELS | TARGET),
    call(
        CountTreeClassifier,
        {"split": ("multiway", option("multiway")), "categories": (None, optional(nothing))},
        "fit",
        {"X": (TEXTS, either(REAL["X"][1], texts(6))), **TARGET},
    ),
    *after(
        partial(CountTreeClassifier, split="multiway"),
        (TEXTS, Y),
        **one_table(lambda v: np.shape(v)[1:] == (2,) and texts()(v), TEXTS, "predict", "apply"),
    ),
    Call(
        "CountTreeClassifier.fit_chunks of labels",
        partial(in_one_chunk, CountTreeClassifier(categories=CATEGORIES)),
        {**OF_LABELS, **TARGET, **PUBLIC},
        also={"X": "categories"},  # the tree's own
    ),
    *(
        Call(
            f"{type(tree).__name__}.fit_chunks",
            partial(in_one_chunk, tree),
            {**records, **TARGET, **classes},
        )
        for tree, records, classes in (
            (CountTreeClassifier(), REAL, PUBLIC),
            (classifiers.RandomizedResponseTreeClassifier(0.7), BINARY, PUBLIC),
            (classifiers.GuidedTreeClassifier([2, 3]), TUPLE_BITS, PUBLIC),
            (
                classifiers.ReconstructedTreeClassifier(AdditiveNoise(scale=1.0), n_intervals=3),
                REAL,
                {},
            ),
        )
    ),
    Call(
        "CountTreeClassifier.fit_codes",
        CountTreeClassifier(split="multiway").fit_codes,
        {
            "codes": (CODES, array(2, (6, 2), 0, 10**9, whole=True)),
            "y": (Y, labels(6)),
            "edges": ([np.arange(3.0), np.arange(4.0)], nothing),
            **WEIGHT,
        },
    ),
    *after(
        CountTreeClassifier,
        (X, Y),
        **one_table(array(2, (None, 3), objects=True), X, "predict", "predict_proba", "apply"),
        branch_text={"node": (1, integer(1)), "feature_names": (["a", "b", "c"], anything)},
        export_text={
            "feature_names": (["a", "b", "c"], anything),
            "class_names": (["no", "yes"], anything),
            "max_depth": (2, optional(integer(0))),
        },
    ),
    call(classifiers.RandomizedResponseNB, COIN, "fit", BINARY | TARGET | WEIGHT),
    call(classifiers.RandomizedResponseNB, APART, "fit", {"X": (BITS, bits(2, (6, 3)))} | TARGET),
    call(
        classifiers.RandomizedResponseTreeClassifier,
        APART,
        "fit",
        {"X": (BITS, bits(2, (6, 3)))} | TARGET,
    ),
    call(
        classifiers.RandomizedResponseNB,
        ASKED,
        "fit",
        {"X": (ANSWERS, answers)} | TARGET | WEIGHT,
    ),
    *after(
        lambda: classifiers.RandomizedResponseNB(0.8),
        (BITS, Y),
        **one_table(bits(2, (None, 3)), BITS, *NB_AFTER),
    ),
    call(
        classifiers.CategoricalRandomizedResponseNB,
        {"channel": (CHANNEL, matrix((3, None)))},
        "fit",
        {"X": (CODES, array(2, (6, None), 0, 2, whole=True))} | TARGET | WEIGHT,
    ),
    *after(
        lambda: classifiers.CategoricalRandomizedResponseNB(CHANNEL),
        (CODES, Y),
        **one_table(array(2, (None, 2), 0, 2, whole=True), CODES, *NB_AFTER),
    ),
    call(
        classifiers.RandomizedResponseTreeClassifier,
        COIN | {"max_depth": (2, optional(integer(0)))},
        "fit",
        BINARY | TARGET,
    ),
    *after(
        lambda: classifiers.RandomizedResponseTreeClassifier(0.8),
        (BITS, Y),
        **one_table(bits(2, (None, 3)), BITS, "predict", "predict_proba"),
    ),
    call(classifiers.GuidedNB, GUIDED, "fit", TUPLE_BITS | TARGET | WEIGHT),
    *after(
        lambda: classifiers.GuidedNB([2, 3]),
        (TUPLES, Y),
        **one_table(bits(2, (None, 5)), TUPLES, *NB_AFTER),
    ),
    call(classifiers.GuidedTreeClassifier, GUIDED | TREE, "fit", TUPLE_BITS | TARGET),
    *after(
        lambda: classifiers.GuidedTreeClassifier([2, 3]),
        (TUPLES, Y),
        **one_table(bits(2, (None, 5)), TUPLES, "predict", "predict_proba"),
    ),
    call(
        classifiers.ReconstructedTreeClassifier,
        {
            "noise": (AdditiveNoise(scale=1.0), nothing),
            "strategy": ("byclass", option("none", "randomized", "global", "byclass", "local")),
            **LAID_OUT,
            **TREE,
            "min_node_records": (5, integer(1)),
            "min_class_records": (2, integer(1)),
            "keep_split": (True, flag),
            "stop": ("chi2", option("chi2", "tol", None)),
            "tol": (0.1, optional(number(0))),
            "max_iter": (20, integer(1)),
        },
        "fit",
        REAL | TARGET,
    ),
    *after(
        lambda: classifiers.ReconstructedTreeClassifier(
            AdditiveNoise(scale=1.0), max_iter=5, stop=None
        ),
        (X, Y),
        **one_table(array(2, (None, 3), objects=True), X, "predict", "predict_proba"),
    ),
    call(
        classifiers.MixtureTreeClassifier,
        {
            "noise": (AdditiveNoise(scale=1.0), nothing),
            "n_components": (2, integer(1, 10**9)),
            "n_starts": (1, integer(1, 10**9)),
            "n_draws": (1, integer(1, 10**9)),
            "online": (True, flag),
            "n_passes": (1, integer(1, 10**9)),
            "batch_size": (4, integer(1)),
            "n_cells": (9, integer(1)),
            **LAID_OUT,
            **TREE,
            "random_state": (0, seed),
        },
        "fit",
        REAL | TARGET,
    ),
    *after(
        lambda: classifiers.MixtureTreeClassifier(AdditiveNoise(scale=1.0), n_passes=1),
        (X, Y),
        **one_table(array(2, (None, 3), objects=True), X, "predict", "predict_proba"),
    ),
]
