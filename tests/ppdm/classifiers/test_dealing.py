"""Dealing records to intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

from ppdm.classifiers._intervals import check_public_classes, check_spread, lay_edges
from ppdm.classifiers._reconstructed import deal, largest_remainder
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import reconstruct_distribution
from ppdm.tree._records import Records

DISTRIBUTIONS = ("uniform", "gaussian", "laplace")


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda p: sum(p) > 1e-3),
    st.integers(0, 10_000),
)
def test_largest_remainder_adds_up_and_is_nearest(weights, total):
    shares = np.array(weights) / sum(weights)
    counts = largest_remainder(np.stack([shares, shares[::-1]]), np.array([total, total]))
    assert (counts.sum(axis=1) == total).all()
    lost = shares * total - counts[0]
    assert (np.abs(lost) < 1 + 1e-6).all()
    # nobody rounded up had lost less than somebody rounded down
    up, down = lost < -1e-6, lost > 1e-6
    if up.any() and down.any():
        assert lost[up].min() + 1 >= lost[down].max() - 1e-6


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from(DISTRIBUTIONS))
def test_dealt_codes_ascend_with_the_values_in_every_group(seed, n_labels, distribution):
    rng = np.random.default_rng(seed)
    noise = AdditiveNoise(distribution, scale=[0.4, 0.7])
    X = rng.normal(1, 1, (200, 2))
    if distribution == "uniform":
        X = np.clip(X, -0.3, 2.3)  # within the reach of the noise
    X[:50] = X[50:100]  # ties
    labels = rng.integers(0, n_labels, 200)
    channels = [noise.on(np.linspace(0, 2, 11), feature=j) for j in range(2)]
    codes = np.full((2, 200), -1, dtype=np.int32)
    wanted = np.ones((n_labels, 2), dtype=bool)
    wanted[0, 1] = False
    records = Records(codes, labels)
    deal(records, X.T, channels, {}, np.arange(n_labels)[np.newaxis], wanted)
    codes = records.codes.T
    for g in range(n_labels):
        for j in range(2):
            mine = labels == g
            if not wanted[g, j]:
                assert (codes[mine, j] == -1).all()
                continue
            order = np.lexsort((codes[mine, j], X[mine, j]))
            assert (np.diff(codes[mine, j][order]) >= 0).all()
            if mine.any():
                shares = reconstruct_distribution(X[mine, j], channels[j]).probabilities
                expected = largest_remainder(shares, np.array(mine.sum()))
                assert np.bincount(codes[mine, j], minlength=10).tolist() == expected.tolist()


FLAT = np.array([[0.0, 4, 5], [1, 4, 5]])


test_of_several_that_are_wrong_the_first_is_named = refusals(
    (lambda: check_public_classes(np.array([1, 7, 8]), [1, 2]), r"classes \[1, 2\], got \[7\]"),
    (lambda: check_public_classes(np.array([3]), [5, 3, 4]), r"classes \[3, 4, 5\], .* got \[3\]"),
    (lambda: check_spread(FLAT, None, False, False), "n_samples=2, got .* for attribute 1"),
    (lambda: check_spread(np.eye(3), FLAT.T, False, False), "that vary, got .* for attribute 1"),
    (lambda: check_spread(np.eye(3), FLAT.T, True, True), r"got \[4.0, 4.0\] for attribute 1"),
)


def test_bounds_that_are_public_hold_for_clear_records_only():
    X, bounds = np.array([[0.0, 1], [2, 5]]), np.array([[0.0, 2], [0, 5]])
    np.testing.assert_array_equal(check_spread(X, None, False, False), [[0, 2], [1, 5]])
    for clear in (True, False):
        for inside in (True, False):
            assert check_spread(X, bounds, clear, inside) is bounds
            if clear and inside:
                with pytest.raises(ValueError, match="X must lie inside domain"):
                    check_spread(X + 1, bounds, clear, inside)
            else:
                assert check_spread(X + 1, bounds, clear, inside) is bounds


@pytest.mark.parametrize(
    ("n", "m"), [(10, 10), (1099, 10), (1100, 11), (9999, 99), (10_000, 100), (20_000, 100)]
)
def test_an_interval_for_a_hundred_records_between_ten_and_a_hundred(n, m):
    X, bounds = np.linspace(0, 4, n)[:, None], np.array([[0.0, 4]])
    (edges,), whole = lay_edges(X, bounds, np.array([False]), None, clear=False)
    assert edges == pytest.approx(np.linspace(0, 4, m + 1))
    assert not whole.any()


def test_whole_numbers_have_an_interval_each_up_to_a_hundred_of_them():
    bounds = np.array([[3.0, 5], [0, 99], [0, 100], [0, 1]])
    integer = np.array([True, True, True, False])
    edges, whole = lay_edges(np.ones((5, 4)), bounds, integer, 2, clear=False)
    assert whole.tolist() == [True, True, False, False]
    assert edges[0].tolist() == [2.5, 3.5, 4.5, 5.5]
    assert edges[1].tolist() == (np.arange(101) - 0.5).tolist()
    assert [e.tolist() for e in edges[2:]] == [[0, 50, 100], [0, 0.5, 1]]
    broken = np.array([[3.0, 5], [0.5, 99], [0, 100.5], [0, 1]])
    with pytest.raises(ValueError, match=r"integer_features, got \[0.5, 99.0\] for attribute 1"):
        lay_edges(np.ones((5, 4)), broken, integer, 2, clear=False)


def test_clear_values_are_cut_midway_and_the_largest_has_room():
    one = np.nextafter(1.0, 2)
    X, no = np.array([[0, 1.0], [2, one], [2, 1]]), np.array([False, False])
    edges, _ = lay_edges(X, np.array([[-1.0, 3], [1, one]]), no, None, clear=True)
    assert edges[0].tolist() == [-1, 1, 3]
    assert edges[1].tolist() == [1, one, np.nextafter(one, 2)]
    edges, _ = lay_edges(X, np.array([[-1.0, 3], [1, 2]]), no, 2, clear=True)
    assert [e.tolist() for e in edges] == [[-1, 1, 3], [1, 1.5, 2]]
