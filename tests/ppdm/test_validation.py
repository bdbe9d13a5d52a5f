"""The checks at the door: what they let in, and what they say when they do not."""

from types import SimpleNamespace

import numpy as np
import pytest
from refusals import refusals

from ppdm import _validation as v
from ppdm.channel._opening import as_channel, matrix_of, one_attribute


def test_random_state_is_always_a_generator_and_a_generator_passes():
    rng = np.random.default_rng(0)
    assert v.random_state(rng) is rng
    assert v.random_state(3).integers(100) == np.random.default_rng(3).integers(100)
    assert isinstance(v.random_state(None), np.random.Generator)
    assert isinstance(v.random_state(np.int64(3)), np.random.Generator)


test_messages_name_argument_value_and_what_is_allowed = refusals(
    (lambda: v.number(np.inf, "x"), "x must be a finite number, got inf"),
    (lambda: v.number(np.nan, "x", low=0), "finite number >= 0, got nan"),
    (lambda: v.number(2, "x", high=1), "finite number <= 1, got 2"),
    (lambda: v.number(1, "x", low=0, high=1, inclusive="low"), r"number in \[0, 1\), got 1"),
    (lambda: v.number(0, "x", low=0, high=1, inclusive="high"), r"number in \(0, 1\], got 0"),
    (lambda: v.integer(0, "k", low=1), "a whole number >= 1, got 0"),
    (lambda: v.integer(9, "k", low=1, high=5), r"in \[1, 5\], got 9"),
    (lambda: v.option("x", "kind", ("a", None)), "one of 'a', None, got 'x'"),
    (lambda: v.bits([0.5], "b"), "only 0 and 1, got 0.5 at \\(0,\\)"),
    (lambda: v.bits([[0, np.nan], [np.nan, 1]], "b"),
     "b has 2 missing value\\(s\\) \\(None or NaN\\), the first in row 0, column 1"),
)  # fmt: skip


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, float])
def test_bits_of_any_type_become_int8(dtype):
    bits = v.bits(np.array([[0, 1], [1, 0]], dtype=dtype), "b")
    assert bits.dtype == np.int8
    np.testing.assert_array_equal(bits, [[0, 1], [1, 0]])


EYE = np.eye(2)
test_messages_count_from_the_right_place = refusals(
    (lambda: v.domain([[0, 1], [2, 2]], 2), "low < high for every attribute, got [2.0, 2.0] for"),
    (lambda: v.edges([1], "e", least=1), "e must hold at least 2 edges, got 1"),
    (lambda: v.edges([[0, 1, 2], [3, 5, 5]]), "strictly, got 5 followed by 5"),
    (lambda: v.edges([0, 4, 2, 1]), "strictly, got 4 followed by 2"),
    (lambda: v.cuts([2, 1], "c", 3), "c must not descend, got [2.0, 1.0]"),
    (lambda: v.matrix([[1], [0]]), "must have two or more true values, got (2, 1)"),
    (lambda: v.matrix([[1.5, 0], [-0.5, 1]]), "must not be negative, got -0.5 at (1, 0)"),
    (lambda: v.matrix([[1, 0.25], [0.125, 0.25]]), "got 0.5 in column 1"),
    (lambda: v.matrix([[1, 0.75], [0.75, 0.25]]), "got 1.75 in column 0"),
    (lambda: v.counts([[0, 0]], 2), "counts must hold at least one record, got 0"),
    (lambda: v.probabilities([[0.5, 0.5], [1, 0.5]], "p", 2), "p must sum to one, got 1.5"),
    (lambda: v.probabilities([[0.75, 0.5], [0, 0.25]], "p", 2), "must sum to one, got 0.25"),
    (lambda: as_channel([EYE] * 2, 3), "one for each of 3 attributes, got 2"),
    (lambda: v.invert_matrix(np.ones((3, 2)) / 3), "2 linearly independent columns for an inverse"),
    (lambda: v.n_values([2, 1]), "n_values must be a whole number >= 2, got 1"),
    (lambda: v.n_values([2**13, 2**13, 2]), "n_values must add up to at most 16384, got 16386"),
    (lambda: v.bit_probabilities(EYE, EYE * 1.5, None), "must be in [0, 1], got 1.5 at (0, 0)"),
    (lambda: v.bit_probabilities(EYE, EYE - 0.5, None), "be in [0, 1], got -0.5 at (0, 1)"),
    (lambda: v.learn_domain(None, np.array([[1.0, 4, 5], [2, 4, 5]])), "[4.0, 4.0] for attribute"),
    (lambda: v.learn_domain(None, np.array([[4.0, 5], [4, 5]])), "in n_samples=2 where domain is"),
    (lambda: v.inside(EYE + 1, np.array([[1, 2], [1, 1.5]])), "1.5 for attribute 1, got 2 in"),
    (lambda: v.groups([[0, 2], [2]], 3), "0, ..., 2 once, got [[0, 2], [2]]"),
    (lambda: v.groups([[0, 2], [2, 1]], 3), "0, ..., 2 once, got [[0, 2], [2, 1]]"),
    (lambda: v.groups([[0, 3]], 3), "attributes 0, ..., 2, got [0, 3]"),
    (lambda: v.class_group(2, 2), "of the 2 group(s), 0, ..., 1, got 2"),
    (lambda: v.two_classes(np.arange(3), "own"), "where it is disguised, got [0, 1, 2]"),
    (lambda: v.columns([2], "f", 2), "mask of shape (2,) or columns from 0 to 1, got [2]"),
    (lambda: v.labels([0, 2], 2, 2), "labels must hold codes from 0 to 1, got 0 to 2"),
    (lambda: v.labels([-1, 0], None, 2), "labels must hold codes from 0 to 0, got -1 to 0"),
    (lambda: v.codes([[0, 3]], "X", [2, 3]), "3 at (0, 1), where attribute 1 has 3 value(s)"),
    (lambda: v.codes([[0, -1]], "X"), "values in data are none, got -1 at (0, 1)"),
    (lambda: v.codes([[0, 0.5]], "X"), "X must hold whole codes 0, 1, ..., got 0.5 at (0, 1)"),
    exactly=True,
)  # fmt: skip


def test_what_stands_on_a_limit_passes():
    assert v.domain([[0, 1.5], [2, 3]]).tolist() == [[0, 1.5], [2, 3]]
    assert v.edges([0, 1], least=1).tolist() == [0, 1]
    assert v.edges([0, 1, 2]).tolist() == [0, 1, 2]
    assert v.cuts([1, 1], "c", 3).tolist() == [1, 1]
    off = np.array([[0, 0], [0, 9e-7]])  # rounding, up to a millionth
    assert v.matrix(EYE + off) is not None
    assert v.probabilities([0.5, 0.5 + 9e-7], "p", 2) is not None
    for bad in (lambda: v.matrix(EYE + 2 * off), lambda: v.probabilities([0, 1 + 2e-6], "p", 2)):
        with pytest.raises(ValueError, match="sum to one"):
            bad()
    assert v.n_values((2, 3)) == [2, 3]
    assert v.class_group(0, 1) == 0
    assert v.groups([[1], [0]], 2)[0].tolist() == [1]
    assert v.of_feature(["a"], 9, None) == "a"
    assert v.of_feature(["a", "b"], 1, None) == "b"
    assert v.n_values(3, 2, low=3) == [3, 3]
    assert v.n_values(3, low=3) == [3]
    assert v.n_values([2**13, 2**13]) == [2**13, 2**13]
    assert [codes.tolist() for codes in v.labels([0, 2], None, 2)[:1]] == [[0, 2]]
    assert v.labels([0, 2], None, 2)[1] == 3
    assert v.labels([0, 2], 4, 2)[1] == 4
    assert v.codes([[1.0, 2.0]], "X", [2, 3]).tolist() == [[1, 2]]
    for dtype in (np.int8, np.uint16, np.int64):
        assert v.codes(np.array([[1, 2]], dtype=dtype), "X").dtype == dtype
    assert v.codes([[True]], "X").dtype == np.int8
    assert v.codes([[1.0]], "X").dtype == np.int64
    first, second = 0.5 * EYE + 0.25, EYE[::-1]
    each = SimpleNamespace(channel_matrix=lambda feature: [first, second][feature])
    np.testing.assert_array_equal(matrix_of(each), first)
    np.testing.assert_array_equal(as_channel(each, 2).channel_matrix(1), second)
    np.testing.assert_allclose(one_attribute(each).inverse_matrix() @ first, EYE, atol=1e-12)
    assert v.columns([], "f", 2).tolist() == [False, False]
    assert v.columns([1], "f", 2).tolist() == [False, True]
    assert v.columns([True, False], "f", 2).tolist() == [True, False]
    one = v.tuples([1, 0], 1, 2)
    assert [array.shape for array in one] == [(1, 2), (1,)]
    of_three = as_channel(EYE, 3), as_channel([EYE] * 3)
    assert [scheme.n_features_in_ for scheme in (*of_three, as_channel(EYE))] == [3, 3, 1]


@pytest.mark.parametrize("span", [1022, 1023, 1024])
@pytest.mark.parametrize("dtype", [np.int64, np.int8, float, str])
def test_classes_are_counted_or_sorted_alike(span, dtype):
    y = np.array([5, 5 + (span % 100 if dtype == np.int8 else span), 5, 7]).astype(dtype)
    found, code = v.encode_classes(y)
    expected = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(found, expected[0])
    np.testing.assert_array_equal(code, expected[1])
    assert found.dtype == y.dtype
