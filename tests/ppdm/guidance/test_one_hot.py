"""Records as bits: the coding, its ties, and what it refuses."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tuples import VOTES

from ppdm.datasets import AGRAWAL_FEATURES, load_voting, make_agrawal
from ppdm.guidance import one_hot, perturb
from ppdm.guidance._perturbation import bit_groups


@settings(deadline=None, max_examples=50)
@given(st.data(), st.lists(st.integers(2, 5), min_size=1, max_size=4))
def test_one_hot_is_the_literal_definition(data, n_values):
    X = data.draw(
        st.lists(st.tuples(*[st.integers(0, s - 1) for s in n_values]), min_size=1, max_size=6)
    )
    literal = [
        [int(value == h) for value, s in zip(row, n_values, strict=True) for h in range(s)]
        for row in X
    ]
    np.testing.assert_array_equal(one_hot(X, n_values), literal)


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e9, 1e9), min_size=1, max_size=5),
    st.lists(st.integers(-3, 3) | st.floats(-1e9, 1e9), min_size=1, max_size=5),
)
def test_both_rules_of_the_tie(values, cuts):
    cuts, column = np.sort(np.array(cuts, dtype=float)), np.array(values, dtype=float)
    # every cut, and the floats beside it, are among the values
    column = np.concatenate([column, cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)])
    for given_cuts, side in ((cuts, "right"), (np.nextafter(cuts, np.inf), "left")):
        bits = one_hot(column[:, np.newaxis], [len(cuts) + 1], cuts=[given_cuts])
        place = np.searchsorted(cuts, column, side=side)
        np.testing.assert_array_equal(bits.argmax(axis=1), place)


def test_sums_of_bits_do_not_overflow():
    T = one_hot(np.zeros((300, 1)), [2])
    assert (T.T @ T).tolist() == [[300, 0], [0, 0]]
    T = one_hot(load_voting(random_state=0).data, VOTES)
    assert np.trace(T.T @ T) == 435 * 16 == 6_960
    R = perturb(T, np.eye(32)[:, [0, 1]], random_state=0)
    assert np.trace(R.T @ R) == 435


def test_an_empty_bin_keeps_its_bit():
    # commission is 0 for more than half of the people: its first two quartiles are equal
    X, _ = make_agrawal(4_000, 1, random_state=0)
    nominal = {AGRAWAL_FEATURES.index(name) for name in ("elevel", "zipcode")}
    cuts = [None if j in nominal else np.quantile(X[:, j], [0.25, 0.5, 0.75]) for j in range(9)]
    below = [None if cut is None else np.nextafter(cut, np.inf) for cut in cuts]
    sizes = [4, 4, 4, 5, 4, 9, 4, 4, 4]
    # zero lies on both cuts: above them it leaves two intervals empty, below them one
    for each, empty in ((cuts, [0, 1]), (below, [1])):
        T = one_hot(X, sizes, cuts=each)
        assert T.shape == (4_000, 42)
        commission = T[:, bit_groups(sizes)[1]]
        assert np.flatnonzero(~commission.any(axis=0)).tolist() == empty
        assert T.any(axis=0).sum() == 42 - len(empty)
