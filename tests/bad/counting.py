"""One valid call of every function of responses, accuracies and distributions."""

import numpy as np
from bad.given import (
    APART,
    BITS,
    CHANNEL,
    CODES,
    COUNTS,
    EDGES,
    MATRIX,
    PRIOR,
    RANDOM,
    REPORTS,
    STOPS,
    Call,
    Y,
    distribution,
    edges,
    expression,
    guided,
    matrix,
    sizes,
)
from bad.kinds import (
    anything,
    array,
    bits,
    either,
    integer,
    labels,
    nothing,
    number,
    option,
    optional,
)

from ppdm import (
    noise,
    reconstruction,
    utility,
)
from ppdm import randomized_response as rr
from ppdm.chunks import ReleasedCounts
from ppdm.naive_bayes import CountNB


def three_released(v):
    """One matrix of three rows, or a list of one such."""
    found = np.asarray(v, float)
    return matrix((3, None))(found[0] if found.ndim == 3 and len(found) == 1 else found)


CALLS = [
    Call(
        "ReleasedCounts.of",
        ReleasedCounts.of,
        {
            "channel": (CHANNEL, three_released),
            "released": (Y, array((1, 2), None, 0, 2, whole=True)),
            "labels": (Y, optional(array(1, (6,), 0, 1, whole=True))),
            "n_labels": (2, integer(2, 10**6)),
        },
    ),
    Call(
        "ReleasedCounts.from_chunks",
        ReleasedCounts.from_chunks,
        {"channel": (CHANNEL, three_released), "chunks": ([Y, Y], anything)},
        also={"chunks": "released"},
    ),
    Call("signed_records", rr.signed_records, {"disguised": (BITS, bits(2, (6, 3))), **REPORTS}),
    Call(
        "signed_records by epsilon",
        rr.signed_records,
        {"disguised": (BITS, bits(2, (6, 3))), "y": (Y, bits(1, (6,))), **APART},
    ),
    Call(
        "estimate_proportion",
        rr.estimate_proportion,
        {
            "disguised": (BITS, bits(2, (6, 3))),
            "expression": ({0: 1, "class": 0}, expression),
            **REPORTS,
        },
    ),
    Call(
        "estimate_proportion of one bit",
        rr.estimate_proportion,
        {"disguised": (BITS[:, 0], bits((1, 2))), "theta": (0.8, number(0, 1))},
    ),
    Call(
        "estimate_proportion by epsilon",
        rr.estimate_proportion,
        {
            "disguised": (BITS, bits(2, (6, 3))),
            "expression": ({0: 1, "class": 0}, expression),
            "y": (Y, bits(1, (6,))),
            **APART,
        },
    ),
    Call(
        "respondents_needed by epsilon",
        rr.respondents_needed,
        {
            "error": (0.1, either(number(0), array((0, 1, 2, 3), None, 0))),
            "epsilon": ([1.0, 2.0], array((0, 1, 2, 3), None, 0, 20)),
        },
    ),
    Call(
        "unrelated_question by epsilon",
        rr.unrelated_question,
        {"prevalence": (0.3, number(0, 1)), "epsilon": (1.0, number(0, 20))},
    ),
    Call(
        "respondents_needed",
        rr.respondents_needed,
        {
            "theta": ([0.7, 0.8], array((0, 1, 2, 3), None, 0, 1)),
            "error": ([0.1, 0.2], either(number(0), array((0, 1, 2, 3), None, 0))),
            "proportion": (0.3, number(0, 1)),
        },
    ),
    Call(
        "unrelated_question",
        rr.unrelated_question,
        {
            "theta": (0.8, number(0, 1)),
            "prevalence": (
                [0.3, 0.7],
                either(
                    number(0, 1),
                    array(0, None, 0, 1),
                    lambda v: array(1, None, 0, 1)(v) and distribution(np.size(v), 1)(v),
                ),
            ),
            **RANDOM,
        },
    ),
    Call(
        "ProportionEstimate.from_scores",
        rr.ProportionEstimate.from_scores,
        {"scores": (np.array([0.5, 1.0, 0.2]), array(1))},
    ),
    Call(
        "disguised_accuracy",
        utility.disguised_accuracy,
        {
            "predict": (lambda bits: bits[:, 0], callable),
            "X": (BITS, bits(2, (6, 3))),
            **REPORTS,
            "y": (Y, bits(1, (6,))),
        },
    ),
    Call(
        "disguised_accuracy by epsilon",
        utility.disguised_accuracy,
        {
            "predict": (lambda bits: bits[:, 0], callable),
            "X": (BITS, bits(2, (6, 3))),
            "y": (Y, bits(1, (6,))),
            **APART,
        },
    ),
    Call(
        "disguised_accuracy of public classes",
        utility.disguised_accuracy,
        {
            "predict": (lambda bits: bits[:, 0], callable),
            "X": (BITS, bits(2)),
            "y": (
                Y,
                lambda v: labels(6)(v) and np.ndim(v) == 1 and np.asarray(v).dtype.kind in "biuf",
            ),
            "theta": (0.8, number(0, 1)),
        },
    ),
    Call(
        "accuracy_over_disguises",
        utility.accuracy_over_disguises,
        {
            "model": (CountNB(2), nothing),
            "disguise": (lambda X, y: (X, y), callable),
            "train": ((BITS, Y), nothing),
            "test": ((BITS, Y), nothing),
            "repeats": (2, integer(1, 10**9)),
        },
        also={"train": "X|y", "test": "X|y"},
    ),
    Call(
        "degree_of_error",
        utility.degree_of_error,
        {
            **PRIOR,
            "y": (Y, bits(1, (6,))),
            "n_values": ([2, 3], sizes()),
            "max_size": (2, integer(1, 2)),
        },
    ),
    Call(
        "error_bound",
        utility.error_bound,
        {"guidance": (guided(), nothing), "mu": (0.15, number(0, 1))},
    ),
    Call(
        "delta_r",
        utility.delta_r,
        {
            "released_accuracy": ([0.7, 0.8], array((0, 1, 2, 3), None, 0, 1)),
            "original_accuracy": ([0.7, 0.8], array((0, 1, 2, 3), None, 0, 1)),
            "epsilon": (0.02, number(0, 1)),
        },
    ),
    Call(
        "em",
        reconstruction.em,
        {
            **MATRIX,
            "counts": (COUNTS, array((1, 2, 3), None, 0)),
            **STOPS,
        },
    ),
    Call(
        "invert", reconstruction.invert, {**MATRIX, "counts": (COUNTS, array((1, 2, 3), None, 0))}
    ),
    Call(
        "estimate_frequencies",
        reconstruction.estimate_frequencies,
        {
            "reports": (CODES, array((1, 2), None, 0, 2, whole=True)),
            "channel": (CHANNEL, matrix((3, None))),
            "feature": (1, integer(0, 1)),
            "method": ("raw", option("raw", "clip", "simplex", "em")),
        },
    ),
    Call(
        "estimate_frequencies from counts",
        reconstruction.estimate_frequencies,
        {
            "reports": (None, lambda v: v is None),
            "channel": (CHANNEL, matrix((3, None))),
            "counts": (np.array([COUNTS, COUNTS]), array((1, 2), None, 0, whole=True)),
            "feature": (1, integer(0, 1)),
        },
    ),
    Call(
        "project",
        reconstruction.project,
        {
            "estimates": ([-1.0, 2.0, 3.0], array((0, 1, 2, 3))),
            "method": ("simplex", option("clip", "simplex")),
            "total": (4.0, optional(array((0, 1, 2, 3), None, 0))),
        },
    ),
    Call(
        "reconstruct_distribution",
        reconstruction.reconstruct_distribution,
        {
            "disguised": (np.array([0.5, 1.2, 2.5, 0.1]), array()),
            "noise": (noise.AdditiveNoise(scale=1.0), nothing),
            "edges": (EDGES, optional(edges())),
            "labels": (np.array([0, 1, 0, 1]), optional(array(1, (4,), 0, 1, whole=True))),
            "n_labels": (2, optional(integer(2, 10**9))),
            "kernel": ("cell", option("cell", "midpoint")),
            "feature": (0, integer(0)),
            **STOPS,
        },
    ),
    Call(
        "reconstruct_distribution from counts",
        reconstruction.reconstruct_distribution,
        {
            "disguised": (None, lambda v: v is None),
            "noise": (noise.AdditiveNoise(scale=1.0).on(EDGES, cells=EDGES), nothing),
            "counts": (COUNTS, array((1, 2), None, 0)),
            "labels": (None, lambda v: v is None),
            "n_labels": (None, lambda v: v is None),
            "feature": (0, integer(0, 0)),
        },
    ),
]
