"""One valid call of every function of responses, accuracies and distributions."""

# ruff: noqa: I001

import numpy as np
from bad.kinds import (
    absent, anything, array, bits, distribution, edges, either, integer, labels, matrix, number,
    optional, plain, some_bits,
)  # fmt: skip
from bad.words import (
    ANY_SHAPE, APART, BITS, CHANNEL, CODES, COIN, COUNTS, EDGES, NOISE, STOPS, TUPLES, Y, by_coins,
    call, method,
)  # fmt: skip

from ppdm import compare, reconstruction, utility
from ppdm import randomized_response as rr
from ppdm.chunks import ReleasedCounts


def three_released(v):
    """One matrix of three rows, or a list of one such."""
    found = np.asarray(v, float)
    return matrix((3, None))(found[0] if found.ndim == 3 and len(found) == 1 else found)


def second(v):
    """One column of codes, or more of which the second is asked for."""
    found = plain(v)
    asked = found is not None and found.ndim == 2 and found.shape[1] > 1
    return array(1, None, 0, 2, whole=True)(found[:, 1].tolist() if asked else v)


def first_bit(bits):
    return bits[:, 0]


RELEASED = {"channel": (CHANNEL, three_released)}
CLASS = {"y": (Y, optional(bits(1, (6,))))}
GIVEN_CLASS = {"y": (Y, bits(1, (6,)))}
ERROR = either(number(0), array(ANY_SHAPE, None, 0))
GUESS = {"predict": (first_bit, callable), "X": (BITS, bits(2, (6, 3)))}
ONE_CLASS = Y, lambda v: labels(6)(v) and np.ndim(v) == 1 and np.asarray(v).dtype.kind in "biuf"
SHARES_OF_ALL = lambda v: array(1, None, 0, 1)(v) and distribution(np.size(v), 1)(v)  # noqa: E731
PREVALENCE = either(number(0, 1), array(0, None, 0, 1), SHARES_OF_ALL)
#: Of one matrix.
OF_ONE = {"feature": (0, optional(integer(0, 0)))}
#: Of six people: how much each counts, and who was drawn with whom.
UNEVEN = {
    "by": (Y, optional(anything)),
    "sample_weight": (np.ones(6), optional(array(1, (6,), 0))),
    "clusters": (np.arange(6), optional(labels(6))),
    "strata": (np.zeros(6, int), optional(labels(6))),
}
CODES_OF_ONE = either(array(1, (6,), 0, 2, whole=True), array(2, (6, 1), 0, 2, whole=True))


CALLS = [
    call(ReleasedCounts.of, "labels n_labels", owner=ReleasedCounts, **RELEASED,
         released=(Y, array((1, 2), None, 0, 2, whole=True))),
    call(ReleasedCounts.from_chunks, owner=ReleasedCounts, **RELEASED, chunks=([Y, Y], anything),
         also={"chunks": "released"}),
    *[call(by_coins(function), *told, **own, also={"reports": "groups"})
      for function, names in ((rr.signed_records, "reports"),
                              (rr.estimate_proportion, "reports expression"))
      for *told, own in ((f"{names} {COIN}", CLASS),
                         (f"{names} epsilon", "by epsilon", GIVEN_CLASS | APART))],
    call(rr.signed_records, "scheme", "by a scheme", reports=(BITS, bits((1, 2)))),
    call(rr.estimate_proportion, title="of people drawn unevenly",
         reports=(BITS[:, 0], some_bits((6,), (6, 1))), scheme=(0.8, number(0, 1)),
         missing="drop", **UNEVEN, also={"scheme": "theta", "reports": "sample_weight|scheme"}),
    call(reconstruction.estimate_frequencies, title="of people drawn unevenly", method="raw",
         reports=(CODES[:, 1], CODES_OF_ONE), missing="refuse", **UNEVEN, **RELEASED,
         also={"reports": "sample_weight|feature"}),
    call(rr.estimate_proportion, title="of one bit", reports=(BITS[:, 0], bits((1, 2), (None,))),
         scheme=(0.8, number(0, 1)), also={"scheme": "theta", "reports": "scheme"}),
    call(compare.respondents_needed, title="by epsilon", error=(0.1, ERROR),
         epsilon=([1.0, 2.0], array(ANY_SHAPE, None, 0, 20))),
    call(compare.respondents_needed, "proportion", error=([0.1, 0.2], ERROR),
         theta=([0.7, 0.8], array(ANY_SHAPE, None, 0, 1))),
    call(rr.unrelated_question, "epsilon", "by epsilon", prevalence=(0.3, number(0, 1))),
    call(rr.unrelated_question, "theta random_state", prevalence=([0.3, 0.7], PREVALENCE)),
    call(rr.ProportionEstimate.from_scores, owner=rr.ProportionEstimate,
         scores=(np.array([0.5, 1.0, 0.2]), array(1))),
    method(lambda: rr.estimate_proportion([0, 1, 1], 0.8), "interval", "confidence"),
    call(by_coins(utility.disguised_accuracy), COIN, **GUESS, **GIVEN_CLASS, also={"X": "y"}),
    call(by_coins(utility.disguised_accuracy), "epsilon", "by epsilon", **GUESS, **GIVEN_CLASS,
         **APART, also={"X": "y"}),
    call(utility.disguised_accuracy, "scheme", "of public classes", y=ONE_CLASS,
         predict=GUESS["predict"], X=(BITS, bits(2)), also={"X": "y"}),
    call(utility.degree_of_error, "probabilities n_values", T=(TUPLES, bits(2, (6, None))),
         max_size=(2, integer(1, 2)), **GIVEN_CLASS),
    call(utility.delta_r, "released_accuracy original_accuracy", epsilon=0.02),
    call(reconstruction.em, f"channel counts {STOPS}", **OF_ONE),
    call(reconstruction.invert, "channel counts", **OF_ONE),
    call(reconstruction.estimate_frequencies, "channel", method="raw",
         feature=(1, integer(0, 1)), also={"reports": "feature"},
         reports=(CODES, second)),
    call(reconstruction.project, estimates=([-1.0, 2.0, 3.0], array(ANY_SHAPE)), method="simplex",
         total=(4.0, optional(array(ANY_SHAPE, None, 0)))),
    call(reconstruction.reconstruct_distribution, f"noise kernel {STOPS}",
         feature=(0, optional(integer(0))),
         disguised=(np.array([0.5, 1.2, 2.5, 0.1]), array()), edges=(EDGES, optional(edges())),
         labels=(np.array([0, 1, 0, 1]), optional(array(1, (4,), 0, 1, whole=True))),
         n_labels=(2, optional(integer(2, 10**9)))),
    call(reconstruction.reconstruct_distribution, title="from counts", disguised=(None, absent),
         noise=NOISE.on(EDGES, cells=EDGES), counts=(COUNTS, array((1, 2), None, 0)),
         labels=(None, absent), n_labels=(None, absent), **OF_ONE),
]  # fmt: skip
