"""Groups of bits that share a coin: the channel, and expressions over several groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals

from ppdm.classifiers import RandomizedResponseNB
from ppdm.randomized_response import RandomizedResponse, estimate_proportion
from ppdm.randomized_response._coins import coin_inverse, coin_matrix


def flips_of(scheme, X, y):
    """Which bits came out reversed, the class last."""
    R, z = scheme.disguise(X, y)
    return np.column_stack([R != X, z != y])


@pytest.mark.parametrize(
    ("groups", "class_group", "coins"),
    [
        (None, None, [[0, 1, 2, 3]]),
        (None, 0, [[0, 1, 2, 3, 4]]),
        (None, "own", [[0, 1, 2, 3], [4]]),
        ([[2, 0], [3, 1]], None, [[0, 2], [1, 3]]),
        ([[2, 0], [3, 1]], 1, [[0, 2], [1, 3, 4]]),
        ([[0], [1], [2], [3]], "own", [[0], [1], [2], [3], [4]]),
    ],
)
def test_who_shares_a_coin(groups, class_group, coins):
    """Bits of a group flip together, each group with probability .3, groups independently.

    20,000 records: a share of .3 has sd .0032, a share of .09 (two groups at once) .002; five
    of them. A class that is public never flips.
    """
    rng = np.random.default_rng(8)
    X, y = rng.integers(0, 2, (20_000, 4)), rng.integers(0, 2, 20_000)
    flips = flips_of(RandomizedResponse(0.7, groups, class_group, random_state=rng), X, y)
    firsts = [group[0] for group in coins]
    for group in coins:
        assert (flips[:, group] == flips[:, group[:1]]).all()
        assert abs(flips[:, group[0]].mean() - 0.3) < 5 * 0.0033
    for i, one in enumerate(firsts):
        for other in firsts[i + 1 :]:
            assert abs((flips[:, one] & flips[:, other]).mean() - 0.09) < 5 * 0.0021
    if class_group is None:
        assert not flips[:, 4].any()


def test_transform_tosses_the_attributes_coins_of_disguise():
    X, y = np.zeros((100, 3), dtype=int), np.zeros(100, dtype=int)
    scheme = RandomizedResponse(0.6, [[0, 1], [2]], 1, random_state=3).fit(X)
    np.testing.assert_array_equal(scheme.transform(X), scheme.disguise(X, y)[0])


def test_a_public_class_may_be_anything_and_comes_back_as_it_is():
    y = np.array(["no", "yes", "maybe"])
    _, released = RandomizedResponse(0.3).disguise([[0], [1], [1]], y)
    assert released.tolist() == y.tolist()


def test_disguise_keeps_the_kind_of_a_disguised_class():
    _, released = RandomizedResponse(0.0, class_group="own").disguise([[0], [1]], [True, False])
    assert released.dtype == bool
    assert released.tolist() == [False, True]


def test_disguise_leaves_its_input_alone():
    X, y = np.ones((50, 2), dtype=np.int8), np.ones(50, dtype=np.int8)
    RandomizedResponse(0.0, class_group=0).disguise(X, y)
    assert X.all()
    assert y.all()


@pytest.mark.parametrize("n_bits", [1, 2, 3])
def test_channel_of_several_bits_keeps_a_record_or_its_complement(n_bits):
    channel = coin_matrix(0.7, n_bits)
    patterns = np.array(list(np.ndindex(*(2,) * n_bits)))
    for j, true in enumerate(patterns):
        for i, released in enumerate(patterns):
            same, opposite = (released == true).all(), (released != true).all()
            assert channel[i, j] == pytest.approx(0.7 * same + 0.3 * opposite)


@given(theta=st.floats(0, 1), n_bits=st.integers(1, 4))
def test_the_inverse_of_one_coin_is_a_closed_form(theta, n_bits):
    if abs(theta - 0.5) < 1e-3:
        return
    product = coin_inverse(theta, n_bits) @ coin_matrix(theta, n_bits)
    np.testing.assert_allclose(product, np.eye(2**n_bits), atol=1e-9)


@pytest.mark.parametrize("class_group", [0, 1, "own"])
def test_pairs_of_class_and_bit_are_undone_as_disguise_does_them(class_group):
    """Of 20,000 reports, each weighed at most 3.1: an error of .022 a share; five of them."""
    rng = np.random.default_rng(11)
    scheme = RandomizedResponse(0.7, [[0], [1]], class_group, random_state=rng).fit([[0, 0]])
    nb = RandomizedResponseNB(scheme).fit([[0, 1], [1, 0]], [0, 1])
    for true in range(4):
        X, y = np.full((20_000, 2), true % 2), np.full(20_000, true // 2)
        R, z = scheme.disguise(X, y)
        pairs = [np.bincount(2 * z + bits, minlength=4).reshape(2, 2) for bits in R.T]
        classes, undone = nb._undo(np.bincount(z, minlength=2) / 20_000, np.array(pairs) / 20_000)
        np.testing.assert_allclose(classes, np.eye(2)[true // 2], atol=5 * 0.022)
        wanted = np.eye(4)[true].reshape(2, 2)
        np.testing.assert_allclose(undone, [wanted, wanted], atol=5 * 0.022)


def test_every_attribute_has_the_same_channel_and_a_known_one():
    unbound, bound = RandomizedResponse(0.7), RandomizedResponse(0.7, [[0], [1]]).fit([[0, 1]])
    np.testing.assert_array_equal(unbound.channel_matrix(9), bound.channel_matrix(1))
    product = bound.inverse_matrix(1) @ bound.channel_matrix(1)
    np.testing.assert_allclose(product, np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match=r"theta = 0\.5 cannot be inverted"):
        RandomizedResponse(0.5).inverse_matrix()


def test_record_channels_follow_the_groups_and_the_class():
    def shapes(groups, class_group):
        scheme = RandomizedResponse(0.7, groups, class_group).fit([[0, 1, 1]])
        return [len(channel) for channel in scheme.record_channels()]

    assert shapes(None, None) == [4]
    assert shapes([[0], [1, 2]], None) == [2, 4]  # a public class is no part of it
    assert shapes([[0], [1, 2]], 0) == [4, 4]
    assert shapes([[0], [1, 2]], "own") == [2, 4, 2]


# ---------------------------------------------------------------- expressions and their errors


def literal(*bits):
    return dict(enumerate(bits))


def test_variance_of_a_count_in_one_group():
    """theta (1 - theta) / (2 theta - 1)^2 (N(E) + N(opposite)), only the coins redrawn.

    A variance of 6,000 near-normal values has relative sd sqrt(2 / 5999) = .018; the bound 7%
    is 3.8 of them. The formula holds for the coins, so the mean must agree too.
    """
    rng = np.random.default_rng(22)
    X = np.repeat([[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 0]], [120, 60, 150, 70], axis=0)
    scheme = RandomizedResponse(0.7, random_state=rng).fit(X)
    results = [estimate_proportion(scheme.transform(X), scheme, literal(1, 1, 0))
               for _ in range(6000)]  # fmt: skip
    counts = 400 * np.array([result.proportion for result in results])
    variance = 0.7 * 0.3 / 0.4**2 * (120 + 60)
    assert counts.var(ddof=1) / variance == pytest.approx(1, abs=0.07)
    assert abs(counts.mean() - 120) < 5 * np.sqrt(variance / 6000)
    # known exactly from any one set of reports
    for result in results[:20]:
        assert 400 * result.disguise_error == pytest.approx(np.sqrt(variance))


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("class_group", [None, 0, 1, "own"])
def test_errors_of_an_expression_over_groups(class_group):
    """Both promised variances against 2,000 simulated surveys, two groups and a class.

    Relative sd of a variance of 2,000 near-normal estimates: sqrt(2 / 1999) = .032; five of them.
    """
    rng = np.random.default_rng(23)
    n, expression = 300, {0: 1, 1: 1, 2: 0, "class": 1}
    population = np.array([[1, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 1]])
    scheme = RandomizedResponse(0.75, [[0, 2], [1]], class_group, random_state=rng)
    scheme.fit([[0, 0, 0]])
    fixed = population[rng.integers(0, 4, n)]
    for redraw in (False, True):
        estimates, promised = np.empty(2000), np.empty(2000)
        for i in range(2000):
            people = population[rng.integers(0, 4, n)] if redraw else fixed
            R, z = scheme.disguise(people[:, :3], people[:, 3])
            result = estimate_proportion(R, scheme, expression, y=z)
            estimates[i] = result.proportion
            promised[i] = result.standard_error if redraw else result.disguise_error
        assert estimates.var(ddof=1) / np.mean(promised**2) == pytest.approx(1, abs=5 * 0.032)


def test_an_impossible_variance_is_missing_not_clipped():
    # one report against all literals of both groups, theta = .9: scores .0156, coins' variance < 0
    each = RandomizedResponse(0.9, [[0], [1]])
    result = estimate_proportion([[0, 0]], each, literal(1, 1))
    assert np.isnan(result.disguise_error)


test_a_bad_expression_is_named = refusals(
    ({"expression": {2: 1}}, "attributes 0, ..., 1 and, where y is given, 'class', got 2"),
    ({"expression": {"class": 1}}, "where y is given, 'class', got 'class'"),
    ({"expression": {"clas": 1}, "y": [0, 1]}, "got 'clas'"),
    ({"expression": {True: 1}}, "got True"),
    ({"expression": {0: 2}}, "must set 0 to 0 or 1, got 2"),
    ({"expression": {"class": 2}, "y": [0, 1], "class_group": 0}, "to 0 or 1, got 2"),
    ({"expression": {}}, "at least one literal"),
    ({"expression": [(0, 1)]}, "must be a dict"),
    ({"expression": {0: 1}, "class_group": 0}, "y must be given"),
    ({}, r"reports must have one column .*need an expression\), got 2"),
    by=lambda how: estimate_proportion(
        [[0, 1], [1, 1]], RandomizedResponse(0.7, None, how.pop("class_group", None)), **how
    ),
)  # fmt: skip


@pytest.mark.parametrize("X", [[["yes"], ["no"]], np.array([["yes"], ["no"]], dtype=object)])
def test_texts_are_refused_with_the_remedy(X):
    said = r"X must hold zeros and ones .say which .* X == 'yes' .*Categorical.* got 'yes'"
    with pytest.raises(TypeError, match=said):
        RandomizedResponse(0.7).fit(X)
