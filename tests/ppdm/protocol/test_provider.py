"""The data provider of Algorithm 1: nothing but R(t) leaves it, whatever the miner says."""

import numpy as np
import pytest
from small_survey import GOOD

from ppdm.exceptions import EpochOverError
from ppdm.guidance import perturb
from ppdm.protocol import Announcement, DataProvider, GuidanceMessage


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
