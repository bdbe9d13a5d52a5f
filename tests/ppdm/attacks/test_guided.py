"""What a malicious miner of guided perturbation gets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.attacks import greedy_bits, identity_guidance
from ppdm.guidance import bit_probabilities, check_guidance, one_hot
from ppdm.privacy import degree_of_disclosure


@given(st.lists(st.integers(0, 7), min_size=1, unique=True))
def test_identity_guidance_is_valid_and_reads_the_bits(bits):
    V = check_guidance(identity_guidance(bits, 8), len(bits), len(bits), n_bits=8)
    T = np.random.default_rng(0).integers(0, 2, (20, 8))
    P = bit_probabilities(T, V)
    np.testing.assert_array_equal(P[:, bits], T[:, bits])
    np.testing.assert_array_equal(np.delete(P, bits, axis=1), 0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_greedy_bits_are_the_best_next_ones(seed):
    rng = np.random.default_rng(seed)
    n_values = (2, 3, 2)
    T = one_hot(rng.integers(0, n_values, (25, 3)), n_values)
    bits, degrees = greedy_bits(T, 3)
    for i, degree in enumerate(degrees):
        others = [
            degree_of_disclosure(T, bit_probabilities(T, identity_guidance([*bits[:i], b], 7)))
            for b in set(range(7)) - set(bits[:i].tolist())
        ]
        assert degree == pytest.approx(max(o.degree for o in others), abs=1e-9)


def test_greedy_is_not_always_best():
    # The docstring's caveat. The third attribute alone tells most, three from three, and the first
    # after it 3, 2 and 1 apart, which is 1.459 bits. The first two tell 2, 2 and 2 apart, 1.585
    # bits; and there are H(2, 1, 1, 2 of 6) = 1.918.
    X = [[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 1], [0, 1, 1]]
    T = one_hot(X, (2, 2, 2))
    best = max(
        degree_of_disclosure(T, T * np.isin(np.arange(6), pair)).degree
        for pair in itertools.combinations(range(6), 2)
    )
    assert (greedy_bits(T, 2)[1][-1], best) == pytest.approx((0.761, 0.826), abs=0.0005)


test_refusals = refusals(
    (lambda: identity_guidance([4], 4), r"bits must be a whole number in \[0, 3\], got 4"),
    (lambda: identity_guidance([1, 1], 4), r"bits must be one or more different bits"),
    (lambda: greedy_bits([[1, 0], [1, 0]], 1), "T must hold tuples that differ"),
)  # fmt: skip
