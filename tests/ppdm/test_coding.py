"""From values to codes: each way against the rule, a search for the edge at or below a value."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm._coding import Grid, between, count_pairs, given_grid, learn_grid, locate, set_bits


def rule(values, edges):
    """The last edge that is not above the value; what lies outside is in the outer interval."""
    return np.clip([np.sum(edges <= v) - 1 for v in values], 0, len(edges) - 2)


@given(
    m=st.integers(1, 9),
    low=st.floats(-1e3, 1e3),
    width=st.floats(1e-3, 1e3),
    bend=st.sampled_from([0, 1e-12, 0.3, 0.49, 0.51, 2]),
    seed=st.integers(0, 99),
)
def test_locate_finds_the_edge_at_or_below(m, low, width, bend, seed):
    rng = np.random.default_rng(seed)
    edges = np.sort(low + width * (np.arange(m + 1) + bend * rng.uniform(-1, 1, m + 1)))
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    values = np.concatenate([near, rng.uniform(low - width, low + (m + 1) * width, 20)])
    values = np.concatenate([values, [-1e300, 1e300]])
    found = locate(values, edges)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, rule(values, edges))


def test_a_tolerance_lifts_values_just_below_an_edge():
    edges = np.arange(5.0)
    values = np.array([1 - 1e-10, 1 - 1e-8, 4 - 1e-10, -1e-10, 2, 9])
    assert locate(values, edges, 1e-9).tolist() == [1, 0, 3, 0, 2, 3]
    uneven = np.array([0.0, 1.1, 2, 3, 4])
    assert locate(np.array([1.1 - 1e-3, 1.1, 1.05]), uneven, 1e-9).tolist() == [0, 1, 0]


def test_cuts_lie_midway_or_on_the_larger_of_neighbours():
    assert between(np.array([3, 1, 1, 2]), 0, 5).tolist() == [0, 1.5, 2.5, 5]
    one = np.nextafter(1.0, 2)
    assert between(np.array([1.0, one]), 1, one).tolist() == [1, one, one]
    assert between(np.array([7.0]), 7, 7).tolist() == [7, 7]
    # a value on a cut moved up belongs below it, the next float above it
    assert locate(np.array([1.0, one]), np.array([0.0, one, 3.0])).tolist() == [0, 1]


def test_counts_of_labels_and_attributes_add_up():
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, 3, (50, 2)), rng.integers(0, 4, 50)
    counts = count_pairs(codes, labels, None, 6, 5)
    assert counts.shape == (2, 6, 5)
    for label in range(6):
        for j in range(2):
            its = codes[labels == label, j]
            assert counts[j, label].tolist() == [np.sum(its == v) for v in range(5)]


def test_set_bits_sets_one_bit_an_attribute():
    bits = set_bits(np.array([[0, 2], [1, 0]]), [2, 3])
    assert bits.tolist() == [[1, 0, 0, 0, 1], [0, 1, 1, 0, 0]]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float64])
def test_the_outer_intervals_of_an_open_grid_have_no_end(dtype):
    grid = learn_grid(np.array([[3, 10], [5, 12]]), None, closed=False)
    assert grid.whole
    assert not grid.closed
    assert grid.n_values.tolist() == [3, 3]
    X = np.array([[0, 11], [4, 12], [200, 9]], dtype=dtype)
    codes = grid.encode(X)
    assert codes.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert codes.dtype == np.int32
    assert grid.encode(X.astype(float)).tolist() == codes.tolist()


def test_a_closed_grid_refuses_what_it_has_not_seen():
    grid = learn_grid(np.array([[3], [5]]), None, closed=True)
    for bad in ([[2]], [[6]], [[3.5]]):
        with pytest.raises(ValueError, match=rf"X .* to .*, got {bad[0][0]} at \(0, 0\)"):
            grid.encode(np.array(bad))
    assert grid.encode(np.array([[3], [5.0]])).tolist() == [[0, 2]]
    assert not learn_grid(np.array([[3.0], [5]]), 4, closed=True).closed  # a number, no category


def test_whole_numbers_far_apart_are_cut_midway_and_those_too_large_are_refused():
    for whole in ([[0], [1 << 20]], [[False], [True]]):
        assert learn_grid(np.array(whole), None, closed=False).whole
    wider = learn_grid(np.array([[0], [(1 << 20) + 1]]), None, closed=False)
    assert not wider.whole
    assert wider.edges[0].tolist() == [0, 2**19 + 0.5, 2**20 + 1]
    for ends in ([0, 2**52], [-(2**52), 0]):
        assert learn_grid(np.array(ends)[:, None], None, closed=False).edges[0].size == 3
    for ends in ([0, 2**52 + 1], [-(2**52) - 1, 0], [-1.7e308, 1.7e308]):
        with pytest.raises(ValueError, match="X must have a range that double precision can cut"):
            learn_grid(np.array(ends)[:, None], None, closed=False)


def test_equal_widths_where_there_is_room_for_them():
    constant = learn_grid(np.array([[2.0], [2.0]]), 5, closed=False)
    assert constant.edges[0].tolist() == [2, 2]
    ends = [1.0, np.nextafter(1.0, 2)]
    narrow = learn_grid(np.array(ends)[:, None], 5, closed=False)
    assert narrow.edges[0].tolist() == ends


def test_given_edges_are_one_interval_at_least():
    grid = given_grid([[0, 1], [0, 1, 5]], 2)
    assert grid.n_values.tolist() == [1, 2]
    assert not grid.whole
    assert not grid.closed
    assert isinstance(grid, Grid)
    with pytest.raises(ValueError, match=r"edges must hold 3 arrays .* got 2"):
        given_grid([[0, 1], [0, 1]], 3)
    with pytest.raises(ValueError, match=r"edges\[1\] must hold at least 2 edges, got 1"):
        given_grid([[0, 1], [0]], 2)
