"""One valid call of every attack, and of what the results offer."""

# ruff: noqa: I001

import numpy as np
from bad.kinds import (
    absent, array, bits, columns, distribution, edges, either, integer, labels, matrix, nothing,
    optional, plain, sizes,
)  # fmt: skip
from bad.words import BITS, CHANNEL, TUPLES, X, Y, by_coins, call, coin, method

from ppdm import attacks

POOL = np.array([[0, 2], [1, 1], [0, 0], [2, 2]])
SAID = np.array([[0, 2], [1, 1], [0, 1], [2, 2], [0, 0]])
#: How likely each of four candidates is to have released each of five, by a function.
LOGS = np.log(np.full((5, 4), 0.25))
BAYES = {
    "channel": (CHANNEL, matrix((3, None))),
    "disguised": (SAID, array((2, 3), None, 0, 2, whole=True)),
    "pool": (POOL, array(2, (None, 2), 0, 2, whole=True)),
    "prior": (np.array([0.4, 0.3, 0.2, 0.1]), optional(distribution(4, 1))),
    "known": (None, optional(nothing)),
}
PEOPLE = array(2, (None, 3))


def facts(n):
    """What is known of n people: numbers or texts."""
    return either(array((1, 2), (n, None)), labels(n))


def knowing(function, **more):
    """The same where something is known of targets and candidates."""
    n, m = [0, 1, 0, 1, 1], [0, 1, 0, 1]

    def attack(of_targets=n, of_pool=m):
        return function(CHANNEL, SAID, pool=POOL, known=(of_targets, of_pool), **more)

    return call(attack, title=f"{function.__name__} knowing something",
                of_targets=(np.array(n), facts(5)), of_pool=(np.array(m), facts(4)),
                also={"of_targets": "known", "of_pool": "known"})  # fmt: skip


def missing_or_shares(v):
    """Distributions over three values; NaN where nothing was released."""
    found = plain(v)
    if found is None or not found.ndim or found.dtype.kind != "f":
        return distribution(3, (1, 2, 3))(v)
    return bool(np.isnan(found).any()) or distribution(3, (1, 2, 3))(v)


def of_classes(of_released, of_members):
    return attacks.membership_inference(X, X + 0.1, X[::-1], y=(of_released, of_members, Y))


def by_a_function(channel):
    return attacks.bayes_guess(channel, SAID, POOL)


def by_logs(logs):
    return attacks.bayes_guess(lambda *_: logs, SAID, POOL)


def by_results(result):
    return attacks.leave_one_out(lambda *_: result, X)


def published(A, rng):
    return A.mean(axis=0)


def inference():
    return attacks.membership_inference(X, X + 0.1, X[::-1])


CALLS = [
    call(attacks.bayes_guess, **BAYES),
    call(attacks.recover_attributes, **BAYES, true=(SAID, array(2, (5, 2))),
         attributes=([0, 1], optional(columns(2)))),
    call(attacks.reidentify, **BAYES,
         targets=(np.array([0, 1, 0, 3, 2]), array(1, (5,), 0, 3, whole=True))),
    knowing(attacks.bayes_guess),
    knowing(attacks.recover_attributes, true=SAID),
    knowing(attacks.reidentify, targets=[0, 1, 0, 3, 2]),
    call(by_a_function, channel=(lambda released, records: LOGS, nothing)),
    call(by_logs, logs=(LOGS, array(2, (5, 4), -np.inf, 1e300)), also={"logs": "channel"}),
    call(attacks.bayes_posterior, "channel", feature=(0, optional(integer(0, 0))),
         prior=(np.array([0.5, 0.3, 0.2]), distribution(3))),
    call(attacks.credible_interval, "confidence", edges=(np.arange(4.0), edges(1)),
         probabilities=(np.array([0.5, 0.3, 0.2]), missing_or_shares)),
    call(by_coins(attacks.complement_decoding), "theta groups", reports=(BITS, bits())),
    call(attacks.greedy_bits, T=(TUPLES, bits()), k=(2, integer(1, 5))),
    call(attacks.identity_guidance, bits=([0, 2], sizes(0, 4)), n_bits=(5, integer(3, 10**5))),
    call(attacks.spectral_filter, "noise_std", disguised=(X, array(2))),
    call(attacks.wiener_estimate, "noise_std", disguised=(X, array(2))),
    call(attacks.average_releases, "noise_std", releases=(np.stack([X, X + 1]), array(3))),
    call(attacks.attribute_box, released=(X, array(2))),
    method(lambda: attacks.wiener_estimate(X, 1.0), "against", true=(X, array(2, (6, 3)))),
    method(lambda: attacks.complement_decoding(BITS, coin()), "against",
           true=(BITS, bits(2, (6, 3)))),
    call(attacks.leave_one_out, "random_state", mechanism=(published, nothing), records=(X, PEOPLE),
         targets=(np.array([0, 2]), optional(array(1, None, 0, 5, whole=True))), n_draws=2,
         candidates=(X + 1, optional(PEOPLE))),
    call(by_results, result=(np.ones((2, 2)), array((0, 1, 2, 3))), also={"result": "mechanism"}),
    call(attacks.membership_inference, "project", scale=True, y=(None, absent),
         released=(X, PEOPLE), members=(X + 0.1, PEOPLE), non_members=(X[::-1] * 2, PEOPLE)),
    call(of_classes, of_released=(Y, labels(6)), of_members=(Y, labels(6)),
         also={"of_released": "y", "of_members": "y"}),
    method(inference, "true_positive_rate", "false_positive_rate"),
]  # fmt: skip
