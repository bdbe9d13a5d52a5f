"""One valid call of every attack that has a result, and of what the results offer."""

import numpy as np
from bad.given import BITS, CHANNEL, RANDOM, Call, X, distribution, matrix
from bad.kinds import array, bits, either, flag, integer, labels, nothing, optional, plain

from ppdm import attacks

POOL = np.array([[0, 2], [1, 1], [0, 0], [2, 2]])
SAID = np.array([[0, 2], [1, 1], [0, 1], [2, 2], [0, 0]])
#: How likely each of four candidates is to have released each of five, by a function.
LOGS = np.log(np.full((5, 4), 0.25))
STD = array((0, 1), None, 0)


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


def facts(n):
    """What is known of n people: numbers or texts."""
    return either(array((1, 2), (n, None)), labels(n))


def published(A, rng):
    return A.mean(axis=0)


BAYES = {
    "channel": (CHANNEL, matrix((3, None))),
    "disguised": (SAID, array((2, 3), None, 0, 2, whole=True)),
    "pool": (POOL, array(2, (None, 2), 0, 2, whole=True)),
    "prior": (np.array([0.4, 0.3, 0.2, 0.1]), optional(distribution(4, 1))),
    "known": (None, optional(nothing)),
}
RECOVER = {"true": (SAID, array(2, (5, 2))), "attributes": ([0, 1], optional(columns(2)))}
TARGETS = {"targets": (np.array([0, 1, 0, 3, 2]), array(1, (5,), 0, 3, whole=True))}


def knowing(function, **more):
    """The same where something is known of targets and candidates."""
    n, m = [0, 1, 0, 1, 1], [0, 1, 0, 1]

    def call(of_targets=n, of_pool=m):
        return function(CHANNEL, SAID, pool=POOL, known=(of_targets, of_pool), **more)

    return Call(
        f"{function.__name__} knowing something",
        call,
        {"of_targets": (np.array(n), facts(5)), "of_pool": (np.array(m), facts(4))},
        also={"of_targets": "known", "of_pool": "known"},
    )


CALLS = [
    Call("bayes_guess", attacks.bayes_guess, BAYES),
    Call("recover_attributes", attacks.recover_attributes, BAYES | RECOVER),
    Call("reidentify", attacks.reidentify, BAYES | TARGETS),
    knowing(attacks.bayes_guess),
    knowing(attacks.recover_attributes, true=SAID),
    knowing(attacks.reidentify, targets=[0, 1, 0, 3, 2]),
    Call(
        "bayes_guess by a function",
        lambda channel: attacks.bayes_guess(channel, SAID, POOL),
        {"channel": (lambda released, records: LOGS, nothing)},
    ),
    Call(
        "bayes_guess by what a function returns",
        lambda logs: attacks.bayes_guess(lambda *_: logs, SAID, POOL),
        {"logs": (LOGS, array(2, (5, 4), -np.inf, 1e300))},
        also={"logs": "channel"},
    ),
    Call(
        "spectral_filter",
        attacks.spectral_filter,
        {"disguised": (X, array(2)), "noise_std": (np.ones(3), STD)},
    ),
    Call(
        "wiener_estimate",
        attacks.wiener_estimate,
        {
            "disguised": (X, array(2)),
            "noise_std": (np.ones(3), STD),
            "multivariate": (True, flag),
        },
    ),
    Call(
        "average_releases",
        attacks.average_releases,
        {"releases": (np.stack([X, X + 1]), array(3)), "noise_std": (np.ones(3), STD)},
    ),
    Call(
        "EstimatedValues.against",
        lambda **kw: attacks.wiener_estimate(X, 1.0).against(**kw),
        {"true": (X, array(2, (6, 3)))},
    ),
    Call(
        "DecodedRecords.against",
        lambda **kw: attacks.complement_decoding(BITS, 0.8).against(**kw),
        {"true": (BITS, bits(2, (6, 3)))},
    ),
    Call(
        "leave_one_out",
        attacks.leave_one_out,
        {
            "mechanism": (published, nothing),
            "records": (X, array(2, (None, 3))),
            "targets": (np.array([0, 2]), optional(array(1, None, 0, 5, whole=True))),
            "candidates": (X + 1, optional(array(2, (None, 3)))),
            "n_draws": (2, optional(integer(2, 10**9))),
            **RANDOM,
        },
    ),
    Call(
        "leave_one_out of what a mechanism returns",
        lambda result: attacks.leave_one_out(lambda *_: result, X),
        {"result": (np.ones((2, 2)), array((0, 1, 2, 3)))},
        also={"result": "mechanism"},
    ),
]
