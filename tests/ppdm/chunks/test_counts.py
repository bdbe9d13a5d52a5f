"""Counts of chunks: what adds up is what one piece gives, bit for bit, or nothing is counted."""

import functools
import operator
import pickle
from copy import deepcopy
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm import _validation as check
from ppdm import dask as far
from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import GuidedNB, RandomizedResponseNB
from ppdm.guidance import Guidance, one_hot
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.reconstruction import em, invert, reconstruct_distribution

N = 60
RNG = np.random.default_rng(20)
Y = np.r_[0, 1, RNG.integers(0, 2, N - 2)]
CODES = RNG.integers(0, 3, (N, 2))
BITS = RNG.integers(0, 2, (N, 5)).astype(np.int8)
KRR = CategoricalRandomizedResponse(3, 0.7).fit(CODES)
GROUPS = [[0, 1, 2], [3, 4]]
COIN = RandomizedResponse(0.7)
SOME = RandomizedResponse(0.8, asked=2, random_state=1).fit_transform(BITS)

LEARNERS = {
    "CountNB": (CountNB(3), CODES),
    "coins": (RandomizedResponseNB(COIN), BITS),
    "a class in a group": (RandomizedResponseNB(RandomizedResponse(0.7, GROUPS, 1)), BITS),
    "a class of its own": (RandomizedResponseNB(RandomizedResponse(0.7, GROUPS, "own")), BITS),
    "some asked": (RandomizedResponseNB(RandomizedResponse(0.8, asked=2)), SOME),
    "codes": (RandomizedResponseNB(KRR), CODES),
    "guided": (GuidedNB([3, 3]), one_hot(CODES, [3, 3])),
}
CUTS = st.lists(st.integers(1, N - 1), max_size=5)


def split(cuts, order):
    """Cut the records into chunks, and put the chunks into another order."""
    parts = np.split(np.arange(N), sorted(set(cuts)))
    return [parts[k] for k in np.random.default_rng(order).permutation(len(parts))]


def state(learner):
    return deepcopy(vars(learner))


def same(mine, others):
    """Compare two states, arrays and channels by their values."""
    check.alike(mine, others, "state")


@pytest.mark.parametrize("name", LEARNERS)
@settings(deadline=None, max_examples=8)
@given(cuts=CUTS, order=st.integers(0, 99))
def test_a_learner_of_chunks_is_that_of_one_piece(name, cuts, order):
    # catches counts that are undone before they are added, or added as floats that round
    blank, X = LEARNERS[name]
    whole, streamed, parts = deepcopy(blank).fit(X, Y), deepcopy(blank), []
    for rows in split(cuts, order):
        streamed.partial_fit(X[rows], Y[rows], classes=[0, 1])
        parts.append(deepcopy(blank).partial_fit(X[rows], Y[rows], classes=[0, 1]))
    summed = functools.reduce(operator.add, parts)
    asked = np.eye(6, dtype=int)[[0, 1, 2]] if name == "guided" else np.clip(X, 0, 1)
    asked = np.nan_to_num(asked).astype(int)
    for learner in (streamed, summed, pickle.loads(pickle.dumps(summed))):
        assert np.array_equal(learner.class_count_, whole.class_count_)
        assert np.array_equal(learner.pair_count_, whole.pair_count_)
        assert np.array_equal(
            learner.predict_joint_log_proba(asked), whole.predict_joint_log_proba(asked)
        )


@pytest.mark.parametrize("size", [7, 60])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_of_dask_s_blocks_is_that_of_one_piece(name, size):
    da = pytest.importorskip("dask.array", reason="the extra ppdm[dask]")
    (learner, X), y = LEARNERS[name], np.sort(Y)  # the first blocks lack a class
    before = vars(learner).copy()
    # blocks of columns, too, and a y that is cut elsewhere
    far_X, far_y = da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=25)
    counted = far.fit(learner, far_X, far_y, classes=[0, 1])
    whole = deepcopy(learner).fit(X, y)
    assert np.array_equal(counted.class_count_, whole.class_count_)
    assert np.array_equal(counted.pair_count_, whole.pair_count_)
    assert vars(learner) == before


@pytest.mark.parametrize("name", LEARNERS)
def test_a_sum_leaves_both_as_they_were_and_counts_on(name):
    blank, X = LEARNERS[name]
    a, b = (deepcopy(blank).partial_fit(X[r], Y[r], classes=[0, 1]) for r in split([25], 0))
    before = state(a), state(b)
    both = a + b
    both.partial_fit(X, Y)
    same(vars(a), before[0])
    same(vars(b), before[1])
    # every record twice: each count of reports is doubled, in integers
    for total, half in zip(both._totals, deepcopy(blank).fit(X, Y)._totals, strict=True):
        assert total.dtype.kind == "i"
        assert np.array_equal(total, 2 * half)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_bad_chunk_changes_nothing(name):
    # catches a state that is half that of the chunk: its classes, its width, some columns
    blank, X = LEARNERS[name]
    far = X.copy()
    far[-1, -1] = 7  # of no attribute: neither a code nor a bit
    wide = np.c_[X, X[:, :1]]
    for learner, seen in ((deepcopy(blank), False), (deepcopy(blank), True)):
        if seen:
            learner.partial_fit(X, Y, classes=[0, 1])
        before = state(learner)
        for chunk, y in ((far, Y), (X, Y[1:]), (X, np.where(Y == 1, 5, Y)), (wide, Y)):
            if not seen and (chunk is wide or y is not Y):
                continue  # as a first chunk these are legal, or there is nothing to compare with
            with pytest.raises(ValueError, match=r"X|y|n_values|one for each"):
                learner.partial_fit(chunk, y)
            same(vars(learner), before)


def learnt(scheme, X=BITS, y=Y):
    return RandomizedResponseNB(scheme).fit(X, y)


def test_one_channel_from_two_processes_is_one_channel():
    a, b = (learnt(deepcopy(KRR).set_params(random_state=s), CODES)
            for s in (np.random.default_rng(1), 2))  # fmt: skip
    assert np.array_equal((a + b).pair_count_, 2 * a.pair_count_)


@settings(deadline=None, max_examples=15)
@given(cuts=CUTS, order=st.integers(0, 99))
def test_guidances_add_up(cuts, order):
    T = one_hot(CODES, [3, 3])
    whole = Guidance(6).update(T, Y)
    parts = [Guidance(6).update(T[rows], Y[rows]) for rows in split(cuts, order)]
    before = [part.to_bytes() for part in parts]
    summed = functools.reduce(operator.add, parts)
    assert summed.to_bytes() == whole.to_bytes()
    assert np.array_equal(summed.vectors(2), whole.vectors(2))
    assert [part.to_bytes() for part in parts] == before


VALUES = RNG.normal(0.5, 0.3, (N, 2))
EDGES = np.linspace(0, 1, 6)
REPORTED = {
    "a matrix": ([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], CODES[:, 0]),
    "codes": (KRR, CODES),
    "bits": (RandomizedResponse(0.7, GROUPS).fit(BITS), BITS),
    "some asked": (RandomizedResponse(0.8, asked=2).fit(BITS), SOME),
    "unary": (UnaryEncoding(3, 1.0).fit(CODES), UnaryEncoding(3, 1.0).fit_transform(CODES)),
    "normal": (AdditiveNoise("gaussian", scale=0.3).on(EDGES), VALUES[:, 0]),
    "Laplace": (AdditiveNoise("laplace", scale=0.3).on(EDGES), VALUES[:, 0]),
    "square wave": (SquareWave(1.0, domain=[[0, 1]]).on(EDGES), np.clip(VALUES[:, 0], 0, 1)),
    "piecewise": (Piecewise(1.0, domain=[[0, 1]]).on(EDGES), np.clip(VALUES[:, 0], 0, 1)),
}


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("name", REPORTED)
@settings(deadline=None, max_examples=10)
@given(cuts=CUTS, order=st.integers(0, 99))
def test_counts_of_chunks_are_those_of_one_piece(name, labelled, cuts, order):
    channel, reports = REPORTED[name]
    labels, n_labels = (Y, 2) if labelled else (None, None)
    whole = ReleasedCounts.of(channel, reports, labels=labels, n_labels=n_labels)
    chunks = [(reports[r], labels[r] if labelled else None) for r in split(cuts, order)]
    streamed = ReleasedCounts.from_chunks(channel, iter(chunks), n_labels=n_labels)
    # each from a process of its own
    parts = [
        pickle.loads(pickle.dumps(ReleasedCounts.of(channel, r, labels=y, n_labels=n_labels)))
        for r, y in chunks
    ]
    totals = [streamed, functools.reduce(operator.add, parts)]
    if find_spec("dask"):
        import dask.array as da

        theirs = {"labels": da.from_array(labels, chunks=25), "n_labels": 2} if labelled else {}
        totals.append(far.count(channel, da.from_array(reports, chunks=20 + order), **theirs))
    for total in totals:
        assert total.counts.dtype == np.int64
        assert np.array_equal(total.counts, whole.counts)
        assert total.n == whole.n == N


def test_counts_are_taken_wherever_counts_are():
    channel, reports = REPORTED["codes"][0], CODES[:, 0]
    counts = ReleasedCounts.of(channel, reports)
    plain = channel.count(reports)
    assert np.array_equal(em(channel, counts).probabilities, em(channel, plain).probabilities)
    assert np.array_equal(invert(channel, counts).counts, invert(channel, plain).counts)
    bound, values = REPORTED["normal"]
    found = reconstruct_distribution(None, bound, counts=ReleasedCounts.of(bound, values))
    assert np.array_equal(
        found.probabilities, reconstruct_distribution(values, bound).probabilities
    )


test_bad_chunks_are_named = refusals(
    ([], "chunks must hold at least one"),
    (CODES, "chunks .*not one of them", TypeError),
    ([CODES, CODES[:, 0]], "shape of the counts of all chunks must be the same"),
    ([(CODES, Y, Y)], "too many values to unpack"),
    ([(CODES, Y), (CODES, 0 * Y)], "shape of the counts of all chunks must be the same"),
    by=lambda chunks: ReleasedCounts.from_chunks(KRR, chunks),
)  # fmt: skip


def counted(channel):
    return ReleasedCounts.of(channel, [0, 1])


def added(one, other):
    before = deepcopy(one)
    try:
        return one + other
    finally:
        check.alike(one, before, "one")


NARROW, WIDER = (AdditiveNoise(scale=scale).on(EDGES) for scale in (0.3, 0.4))
OTHER = CategoricalRandomizedResponse(3, 0.6).fit(CODES)
test_what_differs_is_not_added = refusals(
    (learnt(COIN), learnt(RandomizedResponse(0.8)), "scheme.* must be the same"),
    (learnt(COIN), learnt(RandomizedResponse(0.7, GROUPS)), "scheme.* must be the same"),
    (learnt(KRR, CODES), learnt(OTHER, CODES), "scheme.* must be the same"),
    (learnt(COIN), learnt(COIN, y=2 * Y), "classes_ must be the same"),
    (learnt(COIN), learnt(COIN, BITS[:, :4]), "must be the same"),
    (learnt(COIN), RandomizedResponseNB(COIN), "not fitted"),
    (learnt(COIN), CountNB(2).fit(BITS, Y), "unsupported operand", TypeError),
    (learnt(COIN), 3, "unsupported operand", TypeError),
    (Guidance(6), Guidance(6, "signed"), "order must be the same"),
    (Guidance(6), Guidance(5), "n_bits must be the same"),
    (Guidance(6), np.eye(6), "unsupported operand", TypeError),
    (counted(NARROW), counted(WIDER), "channel must be the same"),
    (counted(KRR), counted([[0.8, 0.2], [0.2, 0.8]]), "channel must be the same"),
    (counted(NARROW), 1, "unsupported operand", TypeError),
    by=added,
)
