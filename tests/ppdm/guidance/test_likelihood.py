"""The likelihood of R(t), bit by bit, and where it is zero."""

import numpy as np
import pytest

from ppdm.guidance import bit_probabilities, log_likelihood


def test_likelihood_is_the_product_over_bits():
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(6, 2)))[0]
    R, T = rng.integers(0, 2, (5, 6)), rng.integers(0, 2, (4, 6))
    P = bit_probabilities(T, V)
    table = log_likelihood(R, T, V)
    for i in range(5):
        for j in range(4):
            chance = 1.0
            for said, p in zip(R[i], P[j], strict=True):
                chance *= p if said else 1 - p
            # each of six shares is rounded to twelve digits: half a unit off at most
            assert np.exp(table[i, j]) == pytest.approx(chance, abs=3.1e-12)


def test_what_is_certain_but_for_rounding_is_certain():
    """Identity guidance in turned columns: each bit but for rounding 0 or 1."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    R = np.array([[1, 0, 1], [0, 0, 1]])
    table = log_likelihood(R, R, turn)
    np.testing.assert_allclose(table, [[0, -np.inf], [-np.inf, 0]], atol=1e-9)
