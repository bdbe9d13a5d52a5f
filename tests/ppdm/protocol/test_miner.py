"""The data miner of Algorithm 1: what it takes, what it refuses, and when it begins anew."""

import numpy as np
import pytest
from small_survey import GOOD, N_VALUES, assert_same, new_miner, state, tuples

from ppdm.exceptions import EpochOverError
from ppdm.guidance import Guidance
from ppdm.protocol import Announcement, DataMiner, Submission


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
