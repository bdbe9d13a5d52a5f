"""A survey of three questions, and a miner of it, that the tests of the protocol share."""

import copy

import numpy as np

from ppdm.guidance import one_hot
from ppdm.protocol import DataMiner

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
