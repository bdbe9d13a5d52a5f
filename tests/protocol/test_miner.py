"""Algorithm 1: what is said, what is refused, and that nothing but R(t) leaves a provider."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.attacks import identity_guidance, learn_level
from ppdm.datasets import load_voting
from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance, one_hot, perturb
from ppdm.protocol import (
    Announcement,
    DataMiner,
    DataProvider,
    GuidanceMessage,
    Submission,
    collect,
    draw_levels,
)

N_VALUES = [2, 3, 2]
VOTES = [2] * 16


@pytest.fixture(scope="module")
def votes():
    data = load_voting(random_state=0)
    order = np.random.default_rng(0).permutation(435)
    return one_hot(data.data[order], VOTES), np.asarray(data.target)[order]


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


# --- the miner --------------------------------------------------------------------------


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


GOOD = tuples(6, 1)[0][0]


@pytest.mark.parametrize(
    ("message", "error", "reason"),
    [
        (Submission("anna", 0, 0, GOOD), ValueError, "sender 'anna' has submitted before"),
        (Submission("bert", 0, 2, GOOD), ValueError, r"label must be a whole number in \[0, 1\]"),
        (Submission("bert", 0, -1, GOOD), ValueError, r"label must be .* got -1"),
        (Submission("bert", 0, None, GOOD), TypeError, "label must be an integer, got None"),
        (Submission("bert", 0, [0, 1], GOOD), TypeError, r"label must be an integer, got \[0, 1\]"),
        (Submission("bert", 0, 0, GOOD * 2), ValueError, "R must hold only 0 and 1, got 2"),
        (Submission("bert", 0, 0, GOOD * 0.5), ValueError, r"R must hold only 0 and 1, got 0\.5"),
        (Submission("bert", 0, 0, GOOD[:6]), ValueError, "R must have 7 bits a tuple"),
        (Submission("bert", 0, 0, GOOD[None]), ValueError, r"R must have 1 dimension\(s\)"),
        (Submission("bert", 0, 0, "1010101"), ValueError, r"R must have 1 dimension\(s\)"),
        (Submission("bert", 0, 0, np.full(7, np.nan)), ValueError, "R has 7 missing value"),
        (Submission("bert", 1, 0, GOOD), ValueError, r"epoch must be a whole number in \[0, 0\]"),
        (Submission("bert", -1, 0, GOOD), ValueError, "epoch must be"),
        (Submission("bert", 0.0, 0, GOOD), TypeError, "epoch must be an integer"),
        (Submission([], 0, 0, GOOD), TypeError, r"sender must be hashable, got \[\]"),
        (("bert", 0, 0, GOOD), TypeError, "message must be a Submission, got tuple"),
    ],
)
def test_a_bad_submission_is_refused_and_changes_nothing(message, error, reason):
    miner = new_miner()
    miner.submit(Submission("anna", 0, 1, GOOD))
    before = state(miner)
    with pytest.raises(error, match=reason):
        miner.submit(message)
    assert_same(state(miner), before)
    miner.submit(Submission("bert", 0, 0, GOOD))  # and bert may still come


@pytest.mark.parametrize(
    ("R", "y", "reason"),
    [
        (*tuples(7, 6), "R must have at most 5 tuples, got 6"),
        (np.zeros((2, 7)), [0], "y must have one label for each tuple"),
        (np.zeros((2, 7)), [0, 3], "y must hold only 0 and 1, got 3"),
        (np.zeros((2, 6)), [0, 1], "R must have 7 bits a tuple"),
    ],
)
def test_receive_refuses_and_changes_nothing(R, y, reason):
    miner = new_miner()
    before = state(miner)
    with pytest.raises(ValueError, match=reason):
        miner.receive(R, y)
    assert_same(state(miner), before)


def test_a_bootstrap_comes_before_the_first_inquiry():
    miner = new_miner()
    for late in (lambda: miner.bootstrap(*tuples(8, 3)), lambda: miner.bootstrap_random(3)):
        with pytest.raises(ValueError, match="before the first inquiry"):
            late()
    fresh = DataMiner(N_VALUES)
    with pytest.raises(ValueError, match="R must have 7 bits"):
        fresh.bootstrap(np.zeros((3, 6)), [0, 1, 0])
    with pytest.raises(ValueError, match="m0 must be a whole number >= 1, got 0"):
        fresh.bootstrap_random(0)
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


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({"mu": 0}, ValueError, r"mu must be a finite number in \(0, 1\), got 0"),
        ({"mu": 1.0}, ValueError, "mu must be"),
        ({"order": "size"}, ValueError, "order must be one of"),
        ({"batch_size": 0}, ValueError, "batch_size must be a whole number >= 1, got 0"),
        ({"keep": "yes"}, ValueError, "keep must be one of True, False"),
        ({"n_values": [2, 1]}, ValueError, r"n_values\[1\] must be a whole number >= 2"),
        ({"n_values": 3}, TypeError, "n_values must be a sequence"),
    ],
)
def test_the_miner_refuses_arguments(arguments, error, reason):
    with pytest.raises(error, match=reason):
        DataMiner(**{"n_values": N_VALUES, **arguments})


# --- the provider -----------------------------------------------------------------------


class Fixed:
    """A miner that announces and hands out what it is told to, and records what it gets."""

    def __init__(self, k, V, epoch=0, answered=None, k_answered=None):
        self.announcement = Announcement(epoch, k)
        self.message = GuidanceMessage(
            epoch if answered is None else answered, k if k_answered is None else k_answered, V
        )
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
    np.testing.assert_array_equal(message.R, perturb(GOOD, V, 3))


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
    assert anna._t is None  # the tuple is forgotten
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
        (Fixed(2, np.eye(7)[:, :3]), "V must have the announced k = 2 columns, got 3"),
        (Fixed(1, np.eye(7)[:, :2], k_answered=2), "V must have the announced k = 1 columns"),
        (Fixed(2, np.eye(6)[:, :2]), "V must have 7 rows"),
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


@pytest.mark.parametrize(
    ("t", "label", "level", "error", "reason"),
    [
        ([0, 2], 0, 1, ValueError, "t must hold only 0 and 1, got 2"),
        ([[0, 1]], 0, 1, ValueError, r"t must have 1 dimension\(s\)"),
        ([0, 1], 2, 1, ValueError, r"label must be a whole number in \[0, 1\], got 2"),
        ([0, 1], 0, 0, ValueError, r"max_level must be a whole number in \[1, 2\], got 0"),
        ([0, 1], 0, 3, ValueError, "max_level must be"),
        ([0, 1], 0, 1.5, TypeError, "max_level must be an integer"),
    ],
)
def test_the_provider_refuses_arguments(t, label, level, error, reason):
    with pytest.raises(error, match=reason):
        DataProvider(t, label, level, sender="anna")


# --- many providers ---------------------------------------------------------------------


def one_by_one(miner, T, y, levels, rng):
    """``collect``, literally: a provider each, in rounds."""
    everyone = [
        DataProvider(t, int(c), int(level), sender=i, random_state=rng)
        for i, (t, c, level) in enumerate(zip(T, y, levels, strict=True))
    ]
    epochs, waiting, moved = np.full(len(T), -1), everyone, True
    while waiting and moved:
        done = [p for p in waiting if p.attempt(miner)]
        for p in done:
            epochs[p.sender] = p.submission.epoch
        moved, waiting = bool(done), [p for p in waiting if p not in done]
    return epochs, np.array([p.n_inquiries for p in everyone])


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
        outcome = run(miner, T, y, levels, np.random.default_rng(seed))
        outcomes.append((*outcome, *state(miner)[:-1]))
    # the senders, last in the state, are not asked for by collect
    assert_same(*outcomes)


def test_nobody_gets_in_above_their_level():
    T, y = tuples(11, 300)
    levels = np.random.default_rng(12).integers(1, 8, 300)
    miner = new_miner()
    result = collect(miner, T, y, levels, 0)
    ks = np.array([refresh.k for refresh in miner.history])
    served = result.epoch >= 0
    assert (ks[result.epoch[served]] <= levels[served]).all()
    assert served.sum() == miner.n_received
    assert (levels[~served] < ks[-1]).all()  # who is left out could not come in at the end


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ([1, 2], "max_levels must be one number or 3, got 2"),
        (0, "max_levels must be whole numbers >= 1, got 0"),
        ([1, 2, 2.5], r"max_levels must be whole numbers >= 1, got 2\.5"),
        ([1, 2, np.nan], "max_levels must hold finite numbers"),
    ],
)
def test_collect_refuses_levels(levels, reason):
    with pytest.raises(ValueError, match=reason):
        collect(new_miner(), *tuples(13, 3), levels)


def test_levels_have_the_survey_s_shares():
    # n = 20,000: the sd of a share is at most sqrt(.25 / 20000) = .0035; five of them
    levels = draw_levels(20_000, n_bits=32, random_state=0)
    values, counts = np.unique(levels, return_counts=True)
    assert values.tolist() == [1, 2, 3, 4, 5, 6, 32]
    expected = [0.085, 0.085, 0.14, 0.14, 0.14, 0.14, 0.27]
    np.testing.assert_allclose(counts / 20_000, expected, atol=5 * 0.0035)
    with pytest.raises(ValueError, match="n_bits must be a whole number >= 6, got 5"):
        draw_levels(10, n_bits=5)


# --- what the paper says of it, and what a malicious miner makes of it ------------------


def final_miner(votes, rng, *, clear, passes=1, **options):
    """A miner after all votes came in, 32 tuples before them clear or random."""
    T, y = votes
    order = rng.permutation(len(T))
    miner = DataMiner(VOTES, **{"batch_size": 10, **options})
    if clear:
        miner.bootstrap(T[order[:32]], y[order[:32]])
    else:
        miner.bootstrap_random(32, rng)
    rest = np.tile(order[32:], passes)
    collect(miner, T[rest], y[rest], 32, rng)
    return miner


def test_k_falls_to_2_within_50_votes(votes):
    # the paper's figure at mu = 15%, in magnitude order: so it was in 58 starts of 60, .967;
    # fewer than 16 of 20 would be an event of probability .0004
    miners = [final_miner(votes, np.random.default_rng(s), clear=True) for s in range(20)]
    assert all(miner.history[5].n_received == 50 for miner in miners)
    assert sum(miner.history[5].k == 2 for miner in miners) >= 16


def test_who_accepts_one_direction_only_never_gets_to_submit(votes):
    # |sigma_2 / sigma_1| is .62 on the votes, far above mu = .15: k* stays at 2
    T, y = votes
    miner = DataMiner(VOTES, batch_size=10)
    miner.bootstrap(T[:32], y[:32])
    levels = draw_levels(403, 32, random_state=1)
    result = collect(miner, T[32:], y[32:], levels, 2)
    assert (levels == 1).any()
    assert (result.epoch[levels == 1] == -1).all()
    assert (result.epoch[levels > 2] >= 0).all()


def test_identity_columns_pass_the_check_and_are_read(votes):
    T, y = votes
    chosen = [0, 9, 14]
    R = np.array(
        [
            DataProvider(t, int(c), 3, sender=0)
            .respond(Announcement(0, 3), GuidanceMessage(0, 3, identity_guidance(chosen, 32)))
            .R
            for t, c in zip(T[:50], y[:50], strict=True)
        ]
    )
    np.testing.assert_array_equal(R[:, chosen], T[:50, chosen])


@pytest.mark.parametrize("level", [1, 4, 7])
def test_falling_levels_find_out_what_a_provider_accepts(level):
    anna = provider(level=level)
    assert learn_level(lambda k: anna.accepts(Announcement(0, k)), 7) == level


def test_a_random_start_stays(votes):
    # R(t) holds little but the directions that were asked for: fed back, they confirm
    # themselves. cos^2 between the last V_2 and that of the clear tuples, 12 starts. In 20
    # others: clear .82 (sd .05), random .43 (sd .09), after 20 times as many tuples .34
    # (sd .12). The means' sd is at most .12 / sqrt(12) = .035; the bounds are 3 away or more
    true = Guidance(32).update(*votes).vectors(2)

    def overlap(clear, **options):
        miners = [
            final_miner(votes, np.random.default_rng(s), clear=clear, **options) for s in range(12)
        ]
        return np.mean([np.linalg.norm(true.T @ m.guidance.vectors(2)) ** 2 / 2 for m in miners])

    assert overlap(True) > 0.72
    assert overlap(False) < 0.54
    assert overlap(False, passes=20, batch_size=100) < 0.5


def test_adopted_guidance_is_handed_out_and_counts():
    miner = new_miner()
    V = np.eye(7)[:, [2, 5, 6]]
    miner.adopt(V)
    assert miner.inquire() == Announcement(0, 3)
    np.testing.assert_array_equal(miner.ready(0).V, V)
    np.testing.assert_array_equal(miner.guides[0], V)
    assert len(miner.history) == len(miner.guides) == 1
    for wrong in (np.ones((7, 1)), np.eye(6), np.eye(7)[0]):
        with pytest.raises(ValueError, match="V must"):
            miner.adopt(wrong)
    assert miner.inquire() == Announcement(0, 3)
