"""Algorithm 1: what the miner takes and refuses, what a provider gives, many of them at once."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import VOTES, votes

from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance, one_hot, perturb
from ppdm.protocol import (
    Announcement,
    Collection,
    DataMiner,
    DataProvider,
    GuidanceMessage,
    Submission,
    collect,
    draw_levels,
)

N_VALUES = [2, 3, 2]


def tuples(seed, n):
    rng = np.random.default_rng(seed)
    return one_hot(rng.integers(0, N_VALUES, (n, 3)), N_VALUES), rng.integers(0, 2, n)


def new_miner(seed=0, **options):
    miner = DataMiner(N_VALUES, **{"batch_size": 5, **options})
    miner.bootstrap(*tuples(seed, 12))
    miner.inquire()
    return miner


def state(miner):
    """All that a message could change."""
    return copy.deepcopy(
        (miner.guidance.A0, miner.guidance.A1, miner.guidance.n_tuples, miner.n_received,
         miner.history, miner.guides, miner.training_set(), miner._senders)
    )


def assert_same(one, other):
    np.testing.assert_equal(one, other)


GOOD = tuples(6, 1)[0][0]


def test_a_is_fed_with_what_was_submitted_and_with_the_bootstrap():
    T, y = tuples(1, 12)
    R, labels = tuples(2, 7)
    miner = DataMiner(N_VALUES, batch_size=5)
    miner.bootstrap(T, y)
    for i, (bits, label) in enumerate(zip(R, labels, strict=True)):
        miner.submit(Submission(i, miner.inquire().epoch, int(label), bits))
    everything = Guidance(7).update(T, y).update(R, labels)
    assert_same(miner.guidance.A, everything.A)
    assert_same(miner.training_set(), (np.vstack([T, R]), np.concatenate([y, labels])))


def test_random_bootstrap_enters_a_and_not_the_training_set():
    miner = DataMiner(N_VALUES)
    miner.bootstrap_random(30, random_state=0)
    assert miner.guidance.n_tuples.sum() == 30
    assert (miner.guidance.n_tuples > 0).all()
    # each random tuple has one bit of each attribute: the traces count them
    assert np.trace(miner.guidance.A0) + np.trace(miner.guidance.A1) == 30 * 3
    with pytest.raises(ValueError, match="no training set: none have come in"):
        miner.training_set()


def test_guidance_is_frozen_within_an_epoch_and_refreshed_after_it():
    miner = new_miner()
    R, y = tuples(3, 10)
    for i in range(10):
        before = Guidance(7).merge(miner.guidance)
        announced = miner.inquire()
        assert announced.epoch == i // 5
        if i % 5 == 0:  # an epoch's guidance is that of the A* at its beginning
            frozen = miner.ready(announced.epoch).V
            assert announced.k == before.disclosure_level(0.15)
            np.testing.assert_array_equal(frozen, before.vectors(announced.k))
        np.testing.assert_array_equal(miner.ready(announced.epoch).V, frozen)
        miner.submit(Submission(i, announced.epoch, int(y[i]), R[i]))
    assert [(r.epoch, r.n_received) for r in miner.history] == [(0, 0), (1, 5), (2, 10)]
    assert len(miner.guides) == 3


def test_a_provider_cannot_change_the_miner_s_guidance():
    miner = new_miner()
    miner.ready(0).V[:] = 0
    assert np.abs(miner.ready(0).V).max() > 0.1


def test_a_submission_of_an_earlier_epoch_is_legal_and_a_guidance_of_one_is_not():
    miner = new_miner()
    miner.receive(*tuples(4, 5))
    assert miner.inquire().epoch == 1
    miner.submit(Submission("late", 0, 1, tuples(5, 1)[0][0]))
    assert miner.n_received == 6
    with pytest.raises(EpochOverError, match="epoch 0 is over, the current one is 1"):
        miner.ready(0)


def sent(*message):
    return lambda miner: miner.submit(Submission(*message))


def handed_over(*people):
    return lambda miner: miner.receive(*people)


@pytest.mark.parametrize(
    ("call", "error", "reason"),
    [
        (sent("anna", 0, 0, GOOD), ValueError, "sender must not have submitted .*'anna'"),
        (sent("bert", 0, 2, GOOD), ValueError, r"label must be a whole number in \[0, 1\]"),
        (sent("bert", 0, 0, GOOD * 2), ValueError, "R must hold only 0 and 1, got 2"),
        (sent("bert", 0, 0, GOOD[:6]), ValueError, r"R must have shape \(7,\)"),
        (sent("bert", 0, 0, GOOD[None]), ValueError, r"y must have shape \(1,\)"),
        (sent("bert", 1, 0, GOOD), ValueError, r"epoch must be a whole number in \[0, 0\]"),
        (sent([], 0, 0, GOOD), TypeError, "sender must be hashable"),
        (lambda miner: miner.submit(("bert", 0, 0, GOOD)), AttributeError, "attribute 'epoch'"),
        (handed_over(*tuples(7, 6)), ValueError, "R must have at most 4 tuples, got 6"),
        (handed_over(np.zeros((2, 7)), [0]), ValueError, r"y must have shape \(2,\), a label"),
        (handed_over(np.zeros((2, 7)), [0, 3]), ValueError, "y must hold only 0 and 1, got 3"),
        (handed_over(np.zeros((2, 6)), [0, 1]), ValueError, r"R must have shape \(any, 7\)"),
        (lambda miner: miner.bootstrap(*tuples(8, 3)), ValueError, "before the first inquiry"),
        (lambda miner: miner.bootstrap_random(3), ValueError, "before the first inquiry"),
        *((lambda miner, V=V: miner.adopt(V), ValueError, "^V must")
          for V in (np.ones((7, 1)), np.eye(6), np.eye(7)[0], 1.0, np.eye(7)[:, :0])),
    ],
)  # fmt: skip
def test_what_is_bad_is_refused_and_changes_nothing(call, error, reason):
    miner = new_miner()
    miner.submit(Submission("anna", 0, 1, GOOD))
    before, announced = state(miner), miner.inquire()
    with pytest.raises(error, match=reason):
        call(miner)
    assert_same(state(miner), before)
    assert miner.inquire() == announced
    miner.submit(Submission("bert", 0, 0, GOOD))  # and bert may still come


def test_a_bootstrap_that_is_refused_leaves_no_tuple():
    fresh = DataMiner(N_VALUES)
    with pytest.raises(ValueError, match=r"T must have shape \(any, 7\)"):
        fresh.bootstrap(np.zeros((3, 6)), [0, 1, 0])
    assert fresh.guidance.n_tuples.sum() == 0


def test_without_keeping_memory_does_not_grow():
    kept, lean = new_miner(), new_miner(keep=False)
    for _ in range(4):
        for miner in (kept, lean):
            miner.receive(*tuples(9, 5))
    assert_same(lean.guidance.A, kept.guidance.A)
    assert lean.history == kept.history
    assert not lean.guides
    assert not lean._tuples
    with pytest.raises(ValueError, match="no training set: keep is False"):
        lean.training_set()


def test_adopted_guidance_is_handed_out_and_counts():
    miner = new_miner()
    V = np.eye(7)[:, [2, 5, 6]]
    miner.adopt(V)
    assert miner.inquire() == Announcement(0, 3)
    np.testing.assert_array_equal(miner.ready(0).V, V)
    np.testing.assert_array_equal(miner.guides[0], V)
    assert len(miner.history) == len(miner.guides) == 1


@pytest.mark.parametrize("keep", [True, False])
def test_a_miner_restarted_in_its_second_epoch_stays_in_it(keep):
    miner = new_miner(keep=keep)
    miner.receive(*tuples(4, 5))
    first, guides, V = miner.history[0], list(miner.guides), np.eye(7)[:, [2, 5]]
    miner.adopt(V)
    assert miner.inquire() == Announcement(1, 2)
    np.testing.assert_array_equal(miner.ready(1).V, V)
    assert miner.history == [first, (1, 5, 2)]
    assert_same(miner.guides, [guides[0], V] if keep else [])
    miner.receive(*tuples(5, 5))
    assert miner.inquire().epoch == 2


# The provider: nothing but R(t) leaves it, whatever the miner says


class Fixed:
    """A miner that announces and hands out what it is told to, and records what it gets."""

    def __init__(self, k, V, epoch=0, answered=None, k_answered=None):
        self.announcement = Announcement(epoch, k)
        answered = epoch if answered is None else answered
        self.message = GuidanceMessage(answered, k if k_answered is None else k_answered, V)
        self.asked, self.got = [], []

    def inquire(self):
        self.asked.append(())
        return self.announcement

    def ready(self, epoch):
        self.asked.append((epoch,))
        return self.message

    def submit(self, message):
        self.got.append(message)


def provider(level=7, seed=0, **options):
    return DataProvider(GOOD, 1, level, **{"sender": "anna", "random_state": seed, **options})


def test_one_pass_sends_r_of_t_and_no_more():
    V = np.linalg.qr(np.random.default_rng(0).normal(size=(7, 2)))[0]
    miner, anna = Fixed(2, V), provider(seed=3)
    assert anna.attempt(miner)
    assert miner.asked == [(), (0,)]  # the inquiry carries nothing, ready the epoch
    (message,) = miner.got
    assert (message.sender, message.epoch, message.label) == ("anna", 0, 1)
    np.testing.assert_array_equal(message.R, perturb(GOOD, V, random_state=3))


def test_a_level_above_the_provider_s_gets_no_more_than_another_inquiry():
    miner, anna = Fixed(3, np.eye(7)[:, :3]), provider(level=2)
    for _ in range(4):
        assert not anna.attempt(miner)
    assert miner.asked == [()] * 4
    assert not miner.got
    assert anna.n_inquiries == 4


def test_r_is_drawn_once_whatever_comes_later():
    V = np.linalg.qr(np.random.default_rng(1).normal(size=(7, 3)))[0]
    anna = provider()
    first = anna.respond(Announcement(0, 3), GuidanceMessage(0, 3, V))
    assert not hasattr(anna, "_t")  # the tuple is forgotten
    again = anna.respond(Announcement(1, 7), GuidanceMessage(1, 7, np.eye(7)))
    assert again is first
    miner = Fixed(7, np.eye(7))
    assert anna.attempt(miner)
    assert miner.got == [first]
    assert miner.asked == []


def test_what_the_network_lost_is_sent_again_as_it_was():
    class Deaf(Fixed):
        def submit(self, message):
            super().submit(message)
            if len(self.got) == 1:
                raise ConnectionError

    miner, anna = Deaf(7, np.eye(7)), provider()
    with pytest.raises(ConnectionError):
        anna.attempt(miner)
    assert anna.attempt(miner)
    assert miner.got[0] is miner.got[1]


def test_an_epoch_that_ends_in_between_is_tried_again():
    class Slow(Fixed):
        def ready(self, epoch):
            if len(self.asked) < 3:
                self.asked.append((epoch,))
                raise EpochOverError("over")
            return super().ready(epoch)

    miner, anna = Slow(7, np.eye(7)), provider()
    assert [anna.attempt(miner), anna.attempt(miner)] == [False, True]
    assert anna.n_inquiries == 2


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (Fixed(2, np.eye(7)[:, :3]), r"V must have shape \(7, 2\), .* got shape \(7, 3\)"),
        (Fixed(1, np.eye(7)[:, :2], k_answered=2), r"V must have shape \(7, 1\), .* announced k"),
        (Fixed(2, np.eye(6)[:, :2]), r"V must have shape \(7, 2\), a row a bit"),
        (Fixed(2, np.ones((7, 2))), "V must have orthonormal columns"),
        (Fixed(2, np.full((7, 2), np.nan)), "V must hold finite"),
        (Fixed(0, np.eye(7)[:, :0]), "k must be a whole number >= 1, got 0"),
        (Fixed(2, np.eye(7)[:, :2], answered=1), "epoch must be the announced 0, got 1"),
    ],
)
def test_a_lying_miner_gets_nothing(lie, reason):
    anna = provider()
    with pytest.raises(ValueError, match=reason):
        anna.attempt(lie)
    assert not lie.got
    assert anna.submission is None
    assert anna.attempt(Fixed(7, np.eye(7)))  # and anna may still answer an honest one


# Many providers at once, and what the paper says of them


TUPLES, PARTY = (each[np.random.default_rng(0).permutation(435)] for each in votes())


def one_by_one(miner, T, y, levels, random_state):
    """``collect``, literally: a provider each, in rounds."""
    everyone = [
        DataProvider(t, int(c), int(level), sender=i, random_state=random_state)
        for i, (t, c, level) in enumerate(zip(T, y, levels, strict=True))
    ]
    epochs, waiting, moved = np.full(len(T), -1), everyone, True
    while waiting and moved:
        done = [p for p in waiting if p.attempt(miner)]
        for p in done:
            epochs[p.sender] = p.submission.epoch
        moved, waiting = bool(done), [p for p in waiting if p not in done]
    return Collection(epoch=epochs, n_inquiries=np.array([p.n_inquiries for p in everyone]))


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 9), st.sampled_from([0.02, 0.15, 0.5])
)
def test_collect_is_a_provider_each_bit_for_bit(seed, n, batch_size, mu):
    T, y = tuples(seed, n)
    levels = np.random.default_rng(seed).integers(1, 8, n)
    outcomes = []
    for run in (one_by_one, collect):
        miner = new_miner(seed + 1, batch_size=batch_size, mu=mu)
        outcome = run(miner, T, y, levels, random_state=np.random.default_rng(seed))
        outcomes.append((outcome.epoch, outcome.n_inquiries, *state(miner)[:-1]))
    # the senders, last in the state, are not asked for by collect
    assert_same(*outcomes)


def test_levels_have_the_survey_s_shares():
    # n = 20,000: the sd of a share is at most sqrt(.25 / 20000) = .0035; five of them
    levels = draw_levels(20_000, n_bits=32, random_state=0)
    values, counts = np.unique(levels, return_counts=True)
    assert values.tolist() == [1, 2, 3, 4, 5, 6, 32]
    expected = [0.085, 0.085, 0.14, 0.14, 0.14, 0.14, 0.27]
    np.testing.assert_allclose(counts / 20_000, expected, atol=5 * 0.0035)


def test_who_accepts_one_direction_only_never_gets_to_submit():
    # |sigma_2 / sigma_1| is .62 on the votes, far above mu = .15: k* stays at 2 where the first
    # 32 have the parties' shares, in each of 600 orders; with half the Republicans in .59
    T, y = TUPLES, PARTY
    first = np.r_[np.flatnonzero(y == 1)[:12], np.flatnonzero(y == 0)[:20]]
    rest = np.setdiff1d(np.arange(len(T)), first)
    miner = DataMiner(VOTES, batch_size=10)
    miner.bootstrap(T[first], y[first])
    levels = draw_levels(403, 32, random_state=1)
    result = collect(miner, T[rest], y[rest], levels, random_state=2)
    assert (levels == 1).any()
    assert (result.epoch[levels == 1] == -1).all()
    assert (result.epoch[levels > 2] >= 0).all()
