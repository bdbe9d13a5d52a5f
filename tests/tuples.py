"""Tuples and directions that the tests of guided perturbation share."""

import numpy as np

from ppdm.datasets import load_voting
from ppdm.guidance import one_hot

VOTES = [2] * 16


def votes():
    """Return the voting records as bits, and the parties."""
    house = load_voting(random_state=0)
    return one_hot(house.data, VOTES), np.asarray(house.target)


def random_tuples(seed, n=40, n_values=(2, 3, 4)):
    """Return random tuples as bits, and random classes."""
    rng = np.random.default_rng(seed)
    return one_hot(rng.integers(0, n_values, (n, len(n_values))), n_values), rng.integers(0, 2, n)


def orthonormal(seed, n_bits, k):
    """Return k random directions."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n_bits, k)))[0]
