"""The Bayes-optimal adversary: by enumeration, at its limits, on data, with bad input."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import adversary as literal
from refusals import refusals

from ppdm.attacks import bayes_guess, recover_attributes, reidentify
from ppdm.attacks._leave_one_out import judge_hits, judge_shares
from ppdm.channel import Channel
from ppdm.guidance import log_likelihood
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

EVERY = np.array(literal.every_record(4))
GROUPS = [[[0, 1, 2, 3]], [[0, 2], [1, 3]], [[0], [1, 2, 3]], [[0], [1], [2], [3]]]


def coins(theta, groups, n_bits=4):
    return RandomizedResponse(theta, groups, random_state=0).fit(np.zeros((1, n_bits), int))


def some_prior(seed):
    """A prior over the 16 records in which some are impossible."""
    prior = np.random.default_rng(seed).dirichlet(np.full(16, 0.4))
    prior[prior < 0.01] = 0.0
    return prior / prior.sum()


def exact(channel, prior, *, known=None, what=recover_attributes):
    """The expected success: each target and each release, weighted by its probability."""
    chances = np.exp(channel.log_likelihood(EVERY, EVERY))
    pairs = np.array(list(product(range(16), repeat=2)))  # what was released, what was true
    weight = chances[tuple(pairs.T)] * prior[pairs[:, 1]]
    said, true = pairs[weight > 0].T
    aside = None if known is None else (EVERY[np.ix_(true, known)], EVERY[:, known])
    target = EVERY[true] if what is recover_attributes else true
    result = what(channel, EVERY[said], target, EVERY, prior=prior, known=aside)
    return float(weight[weight > 0] @ result.credits)


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("seed", range(4))
def test_beliefs_are_the_enumerated_ones(groups, seed):
    prior, theta = some_prior(seed), [0.7, 0.3, 0.95, 1.0][seed]
    scheme, table = coins(theta, groups), dict(zip(map(tuple, EVERY), prior, strict=True))
    for released in EVERY:
        belief = literal.believe(
            [released], table, lambda said, record: literal.chance(said, record, theta, groups)
        )
        if belief is None:
            with pytest.raises(ValueError, match=r"what targets \[0\] did, got \'none\'"):
                bayes_guess(scheme, [released], EVERY, prior=prior)
            continue
        guess = bayes_guess(scheme, [released], EVERY, prior=prior)
        assert guess.candidate_probabilities[0] == pytest.approx(max(belief.values()), abs=1e-12)
        for j in range(4):
            ones = literal.share_of(belief, j, 1)
            assert guess.probabilities[0, j] == pytest.approx(max(ones, 1 - ones), abs=1e-12)
            if abs(ones - 0.5) > 1e-9:
                assert guess.records[0, j] == (ones > 0.5)


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("known", [None, [1], [0, 3], [3, 1, 0], [0, 1, 2, 3]])
def test_success_is_the_enumerated_one(groups, known):
    prior = some_prior(11)
    scheme, table = coins(0.7, groups), dict(zip(map(tuple, EVERY), prior, strict=True))
    arguments = (
        table,
        lambda said, record: literal.chance(said, record, 0.7, groups),
        [(released,) for released in literal.every_record(4)],
    )
    kind = (lambda record: 0) if known is None else (lambda r: tuple(r[j] for j in known))
    bits = literal.expected_success(
        *arguments,
        lambda belief, true: np.mean([literal.credit_of_bit(belief, j, true[j]) for j in range(4)]),
        kind,
    )
    whole = literal.expected_success(*arguments, literal.credit_of_record, kind)
    assert exact(scheme, prior, known=known) == pytest.approx(bits, abs=1e-12)
    assert exact(scheme, prior, known=known, what=reidentify) == pytest.approx(whole, abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from(GROUPS), st.floats(0, 1))
@settings(deadline=None, max_examples=10)
def test_another_release_never_helps_less(seed, groups, theta):
    """Two releases, enumerated in one go: 256 pairs, each once with its probability."""
    prior, scheme = some_prior(seed), coins(theta, groups)
    chances = np.exp(scheme.log_likelihood(EVERY, EVERY))
    once, twice = chances @ prior, np.einsum("at,bt,t->ab", chances, chances, prior).ravel()
    seen = twice > 1e-300
    pairs = np.array([EVERY[list(pair)] for pair in product(range(16), repeat=2)])
    first = bayes_guess(scheme, EVERY[once > 0], EVERY, prior=prior)
    second = bayes_guess(scheme, pairs[seen].transpose(1, 0, 2), EVERY, prior=prior)
    for name in ("candidate_probabilities", "probabilities"):
        a, b = (getattr(guess, name).reshape(len(w), -1).mean(axis=1) @ w
                for guess, w in ((first, once[once > 0]), (second, twice[seen])))
        assert b >= a - 1e-9
    # the order in which releases arrive says nothing
    swapped = bayes_guess(scheme, pairs[seen].transpose(1, 0, 2)[::-1], EVERY, prior=prior)
    np.testing.assert_allclose(swapped.probabilities, second.probabilities, atol=1e-12)


def test_limits_of_theta():
    people = np.random.default_rng(0).integers(0, 2, (40, 4))
    own = [[j] for j in range(4)]
    read = recover_attributes(coins(1.0, own), people, people, people)
    assert read.success == 1.0
    assert read.interval == pytest.approx((0.025 ** (1 / 40), 1.0))  # 40 hits of 40
    silent = coins(0.5, own)
    said = silent.transform(people)
    read = recover_attributes(silent, said, people, people)
    assert read.success == pytest.approx(read.baseline, abs=1e-12)
    for n, which in ((1, [2]), (3, [True, False, True, True])):
        few = recover_attributes(silent, said, people, people, attributes=which)
        ones = people[:, which if n == 1 else [0, 2, 3]].mean(axis=0)
        assert few.baseline == pytest.approx(np.maximum(ones, 1 - ones).mean())
    person = reidentify(silent, said, range(40), people)
    assert (person.baseline, person.success) == pytest.approx((1 / 40, 1 / 40))
    patterns, rows, counts = np.unique(people, axis=0, return_inverse=True, return_counts=True)
    record = reidentify(silent, said, rows.reshape(-1), patterns, prior=counts / 40)
    assert record.success == pytest.approx(counts.max() / 40)
    # people with equal records share the hit
    everybody = reidentify(coins(1.0, own), people, range(40), people)
    assert everybody.success == pytest.approx(len(patterns) / 40)
    assert everybody.baseline == 1 / 40
    # a coin for all tells the pairs of complements apart even where it is fair
    one = coins(0.5, None)
    # bits that are 1 in .2: by the pair alone .896 are right, by the share .8; the difference of
    # 4,000 guesses has an error below .01
    rare = (np.random.default_rng(1).random((1000, 4)) < 0.2).astype(int)
    together = recover_attributes(one, one.transform(rare), rare, rare)
    assert together.success - together.baseline == pytest.approx(0.096, abs=0.05)
    # and the intervals are those of shares and of hits
    whose = reidentify(one, one.transform(rare), range(1000), rare)
    assert together.interval == judge_shares(together.credits, np.zeros(1000)).interval
    assert whose.interval == judge_hits(whose.credits, np.zeros(1000)).interval


@pytest.mark.parametrize("channel", [
    CategoricalRandomizedResponse(3, theta=0.6), UnaryEncoding(3, epsilon=1.5),
    *(AdditiveNoise(law, scale=1.2) for law in ("gaussian", "laplace", "uniform")),
], ids=str)  # fmt: skip
def test_every_scheme_is_attacked_by_its_likelihood(channel):
    pool, rng = np.array(list(product(range(3), repeat=2))), np.random.default_rng(2)
    prior = rng.dirichlet(np.ones(9))
    released = channel.set_params(random_state=rng).fit_transform(pool.astype(float))
    after = np.exp(channel.log_likelihood(released, pool)) * prior
    after /= after.sum(axis=1, keepdims=True)
    guess = bayes_guess(channel, released, pool, prior=prior)
    assert guess.candidates.tolist() == after.argmax(axis=1).tolist()
    np.testing.assert_allclose(guess.candidate_probabilities, after.max(axis=1))
    shares = after @ (pool.T[..., np.newaxis] == [0, 1, 2])  # (attributes, targets, values)
    np.testing.assert_allclose(guess.probabilities, shares.max(axis=2).T)
    assert guess.records.tolist() == shares.argmax(axis=2).T.tolist()


def test_matrices_and_a_channel_of_ones_own():
    class NextDigit(Channel):
        def channel_matrix(self, feature=0):
            return 0.75 * np.eye(3) + 0.25 * np.roll(np.eye(3), 1, axis=0)

    pool, matrix = [[0, 1], [2, 2], [1, 0]], NextDigit().channel_matrix()
    guesses = [
        bayes_guess(channel, [[0, 2]], pool).candidate_probabilities
        for channel in (NextDigit(), matrix, [matrix, matrix])
    ]
    # (0, 1) -> (0, 2): .75 x .25; (2, 2) -> (0, 2): .25 x .75; (1, 0): never
    np.testing.assert_allclose(guesses, 0.5, atol=1e-12)


def test_guided_bits_are_attacked_through_their_probabilities():
    """Each tuple and each R(t), weighted with its probability."""
    V = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 2)))[0]
    T = np.eye(2, dtype=int)[EVERY[:8, 1:]].reshape(8, 6)
    R = np.array(list(product((0, 1), repeat=6)))

    def likelihood(said, pool):
        return log_likelihood(said, pool, V)

    chances = np.exp(likelihood(R, T)) / 8
    said, true = np.nonzero(chances > 0)
    read = recover_attributes(likelihood, R[said], T[true], T)
    best = [sum(max(p[t == b].sum() for b in (0, 1)) for p in chances) for t in T.T]
    assert chances[said, true] @ read.credits == pytest.approx(np.mean(best))


def test_targets_in_many_chunks_are_the_same(monkeypatch):
    people = np.random.default_rng(0).integers(0, 2, (30, 4))
    scheme = coins(0.7, GROUPS[3])
    said, known = scheme.transform(people), (people[:, :1], people[:, :1])

    def found():
        who = reidentify(scheme, said, range(30), people, known=known)
        what = recover_attributes(scheme, said, people, people, known=known)
        return who.success, who.baseline, what.success, what.baseline

    whole = found()
    monkeypatch.setattr("ppdm.attacks._bayes_guess._CHUNK", 100)
    assert found() == whole


GOOD = {"channel": [[0.7, 0.3], [0.3, 0.7]], "disguised": [[0, 1]], "pool": [[0, 1], [1, 1]]}


test_what_leaves_no_candidate_or_names_none_is_refused = refusals(
    ({"known": ([5], [0, 1])}, r"known and prior must leave .* targets \[0\], got"),
    ({"channel": np.eye(2), "prior": [0, 1]}, "pool and prior must leave a candidate"),
    by=lambda how: bayes_guess(**GOOD | how),
)  # fmt: skip


# ---------------------------------------------------------------- labels

#: Of three attributes, in another order than the alphabet's.
LABELS = {"vote": ["yes", "no"], "party": ["red", "green", "blue"], "ward": ["south", "north"]}
EDGES = np.array([20, 30, 45, 70])


def mixed(labels, asked=None):
    vote, party, ward = [None] * 3 if labels is None else [[each] for each in labels]
    kinds = [
        CategoricalRandomizedResponse(2, epsilon=1.0, categories=vote),
        UnaryEncoding(3, epsilon=1.0, categories=party),
        CategoricalRandomizedResponse(2, epsilon=1.0, categories=ward),
    ]
    return MixedResponse(kinds, asked=asked, random_state=0)


OF_ALL = {"n_values": [2, 3, 2], "epsilon": 1.0, "random_state": 0}
MAKERS = {
    "k-ary": lambda labels: CategoricalRandomizedResponse(**OF_ALL, categories=labels),
    "two asked": lambda labels: CategoricalRandomizedResponse(
        **OF_ALL, categories=labels, asked=2),
    "unary": lambda labels: UnaryEncoding(**OF_ALL, categories=labels),
    "mixed": mixed,
    "two asked of mixed": lambda labels: mixed(labels, asked=2),
}  # fmt: skip


def people_and_labels():
    """Return records of codes, and the same people as a frame of labels."""
    codes = np.array(list(product(range(2), range(3), range(2))))
    pairs = zip(LABELS.items(), codes.T, strict=True)
    return codes, pd.DataFrame({name: np.array(known)[code] for (name, known), code in pairs})


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("form", [
    lambda people: people, lambda people: people[["ward", "vote", "party"]],
    lambda people: people.to_numpy().tolist(), lambda people: people.astype("category"),
])  # fmt: skip
def test_labels_are_guessed_as_their_codes_are(make, form):
    """Renaming tells nothing; neither does the order of a frame's columns, or the alphabet's."""
    codes, people = people_and_labels()
    prior = np.random.default_rng(1).dirichlet(np.ones(len(codes)))  # no two alike: nothing ties
    bare, named = make(None), make([*LABELS.values()])
    said, reports = bare.fit_transform(codes), named.disguise(people)[0]
    np.testing.assert_array_equal(named.codes(reports), bare.codes(said))
    by_codes = bayes_guess(bare, said, codes, prior=prior)
    by_labels = bayes_guess(named, reports, form(people), prior=prior)
    assert by_labels.candidates.tolist() == by_codes.candidates.tolist()
    np.testing.assert_allclose(by_labels.probabilities, by_codes.probabilities)
    places = [known.index for known in LABELS.values()]
    guessed = [[at(x) for at, x in zip(places, row, strict=True)] for row in by_labels.records]
    assert guessed == by_codes.records.tolist()
    read = recover_attributes(bare, said, codes, codes, prior=prior, attributes=[1])
    told = recover_attributes(
        named, reports, form(people), people, prior=prior,
        attributes=["party"] if hasattr(form(people), "columns") else [1],
    )  # fmt: skip
    np.testing.assert_allclose(told.credits, read.credits)
    assert told.baseline == pytest.approx(read.baseline)
    rows = range(len(codes))
    found = reidentify(named, reports, rows, form(people), prior=prior)
    np.testing.assert_allclose(
        found.credits, reidentify(bare, said, rows, codes, prior=prior).credits
    )


def test_a_number_of_a_mixed_record_is_guessed_as_it_is():
    """The pool holds ages; each is as likely to have been reported as all of its interval."""
    people = pd.DataFrame({"vote": ["yes", "no", "no"], "age": [21.0, 40.0, 69.0]})
    age = SquareWave(epsilon=2.0, domain=[[20, 70]]).on(EDGES)
    vote = CategoricalRandomizedResponse(epsilon=1.0, categories=[["yes", "no"]])
    scheme = MixedResponse({"vote": vote, "age": age}, random_state=0)
    reports, _ = scheme.disguise(people)
    guess = bayes_guess(scheme, reports, people)
    cells = scheme.codes(reports)
    each = [scheme.channel_matrix(j)[cells[:, j]] for j in range(2)]
    joint = each[0][:, [0, 1, 1]] * each[1][:, [0, 1, 2]]
    after = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(guess.candidate_probabilities, after.max(axis=1))
    best = people["age"].to_numpy()[after.argmax(axis=1)]
    assert guess.records[:, 1].tolist() == best.tolist()


@pytest.mark.parametrize(("changed", "message"), [
    ({"pool": lambda people: people.replace("red", "pink")},
     "records must be true values of attribute 'party': .* never seen: 'pink'"),
    ({"disguised": lambda reports: reports.replace("red", "pink")}, "never seen: 'pink'"),
    ({"true": lambda people: people.assign(party=1)}, "true must hold numbers of .* or texts of"),
    ({"pool": lambda people: people["party"]}, "pool must be the column"),
    ({"pool": lambda people: people.to_numpy()[0]}, "pool must have 2 dimension"),
    ({"disguised": lambda reports: reports.to_numpy()[0]}, "disguised must have 2 or 3 dim"),
])  # fmt: skip
def test_labels_that_nobody_has_are_named(changed, message):
    people = people_and_labels()[1]
    scheme = MAKERS["k-ary"]([*LABELS.values()])
    given = {"disguised": scheme.disguise(people)[0], "pool": people, "true": people}
    given |= {name: change(given[name]) for name, change in changed.items()}
    with pytest.raises((ValueError, TypeError), match=message):
        recover_attributes(scheme, **given)
