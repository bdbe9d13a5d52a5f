"""Guided perturbation mended: the miner who keeps each report's V, where the answer is known."""

import numpy as np

from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, one_hot
from ppdm_book.experiments import mended


def house(n):
    votes = load_voting(random_state=0)
    return one_hot(votes.data[:n], [2] * 16), votes.target[:n]


def test_told_everything_the_likelihood_gives_the_clear_shares():
    """V = I reads each bit: the reports are the tuples, and EM must find their very shares."""
    T, y = house(60)
    miner = mended._Likelihood(T[:20], y[:20])
    miner.receive(T[20:], y[20:], np.eye(32))
    for c in (0, 1):
        clear = (T[y == c, 1::2].sum(axis=0) + 1) / ((y == c).sum() + 2)
        np.testing.assert_allclose(miner.shares[c], clear, atol=1e-6)
    signs = 1.0 - 2 * y
    np.testing.assert_allclose(miner.A(), (T.T * signs) @ T, atol=1e-3)


def test_told_nothing_the_shares_stay_those_of_the_volunteers():
    """The sum of a vote's two bits is the same for all: reports along it must not move a share.

    EM then expects of each report the shares it has, one record of smoothing included: they stay.
    """
    T, y = house(60)
    V = np.sqrt(0.5) * np.eye(16)[:, :1].repeat(2, axis=0)
    miner = mended._Likelihood(T[:20], y[:20])
    before = miner.shares
    R = np.zeros((40, 32), dtype=int)
    R[:, :2] = np.random.default_rng(0).random((40, 2)) < 0.25
    miner.receive(R, y[20:], V)
    np.testing.assert_allclose(miner.shares, before, atol=1e-5)


def test_directions_are_those_of_the_guidance():
    T, y = house(200)
    clear = Guidance(32).update(T, y)
    found = mended._directions(clear.A)
    expected = clear.vectors(clear.disclosure_level(mended.MU))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)
