"""The checks at the door: what they let in, and what they say when they do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm import _validation as v


def test_random_state_is_always_a_generator_and_a_generator_passes():
    rng = np.random.default_rng(0)
    assert v.random_state(rng) is rng
    assert v.random_state(3).integers(100) == np.random.default_rng(3).integers(100)
    assert isinstance(v.random_state(None), np.random.Generator)
    assert isinstance(v.random_state(np.int64(3)), np.random.Generator)


@pytest.mark.parametrize(
    ("domain", "whole", "message"),
    [
        ([[0, 1], [2, 2]], False, "low < high for every attribute, got low 2 and high 2"),
        ([[0, 1], [3, 2]], True, "whole numbers, low <= high, .* got low 3 and high 2 for attr"),
        ([[0, 1], [0, 1.5]], True, "whole numbers, .* got low 0 and high 1.5 for attribute 1"),
        ([[0, 1]], False, r"domain must have shape \(2, 2\), one pair .*, got shape \(1, 2\)"),
        ([[0, 1, 2]] * 2, True, r"domain must have shape \(2, 2\), one pair .* got shape \(2, 3\)"),
        ([[0, np.inf], [0, 1]], True, r"domain must hold finite numbers only, got inf at \(0, 1\)"),
    ],
)
def test_domains_that_are_refused(domain, whole, message):
    with pytest.raises(ValueError, match=message):
        v.domain(domain, 2, whole=whole)


def test_domains_that_pass():
    np.testing.assert_array_equal(v.domain([[0, 1.5], [2, 3]]), [[0, 1.5], [2, 3]])
    np.testing.assert_array_equal(v.domain([[1, 1]], 1, whole=True), [[1, 1]])


@pytest.mark.parametrize("bad", [1.5, "a", True, [1, 2]])
def test_random_state_of_another_type(bad):
    with pytest.raises(TypeError, match="random_state must be None, an int or a numpy"):
        v.random_state(bad)


def test_negative_seed():
    with pytest.raises(ValueError, match="random_state must not be negative, got -1"):
        v.random_state(-1)


@given(st.floats(0, 1))
def test_number_passes_as_it_is(x):
    assert v.number(x, "x", low=0, high=1) == x


@pytest.mark.parametrize(
    ("inclusive", "allowed", "words"),
    [
        ("both", {0, 1}, r"\[0, 1\]"),
        ("low", {0}, r"\[0, 1\)"),
        ("high", {1}, r"\(0, 1\]"),
        ("neither", set(), r"\(0, 1\)"),
    ],
)
def test_number_ends(inclusive, allowed, words):
    for end in (0, 1):
        if end in allowed:
            assert v.number(end, "x", low=0, high=1, inclusive=inclusive) == end
        else:
            with pytest.raises(ValueError, match=f"x must be .* number in {words}, got {end}"):
                v.number(end, "x", low=0, high=1, inclusive=inclusive)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: v.number(np.inf, "x"), ValueError, "x must be a finite number, got inf"),
        (lambda: v.number(np.nan, "x", low=0), ValueError, "finite number >= 0, got nan"),
        (lambda: v.number(2, "x", high=1), ValueError, "finite number <= 1, got 2"),
        (lambda: v.number(True, "x"), TypeError, "x must be a number, got True"),
        (lambda: v.number("1", "x"), TypeError, "x must be a number, got '1' of type str"),
        (lambda: v.integer(1.0, "k"), TypeError, "k must be an integer, got 1.0"),
        (lambda: v.integer(True, "k"), TypeError, "k must be an integer, got True"),
        (lambda: v.integer(0, "k", low=1), ValueError, "a whole number >= 1, got 0"),
        (lambda: v.integer(9, "k", low=1, high=5), ValueError, r"in \[1, 5\], got 9"),
        (lambda: v.option("x", "kind", ("a", None)), ValueError, "one of 'a', None, got 'x'"),
        (lambda: v.bits([[0, 1]], "b", ndim=1), ValueError, "1 dimension.*shape \\(1, 2\\)"),
        (lambda: v.bits([], "b"), ValueError, "b must not be empty"),
        (lambda: v.bits(["0"], "b"), TypeError, "b must hold zeros and ones"),
        (lambda: v.bits([0.5], "b"), ValueError, "only 0 and 1, got 0.5 at \\(0,\\)"),
        (
            lambda: v.bits([[0, np.nan], [np.nan, 1]], "b"),
            ValueError,
            "b has 2 missing value\\(s\\) \\(NaN\\), the first at \\(0, 1\\)",
        ),
    ],
)
def test_messages_name_argument_value_and_what_is_allowed(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_integer_and_option_pass_through():
    assert v.integer(np.int8(3), "k", low=1) == 3
    assert v.option(None, "kind", ("a", None)) is None
    assert v.option("a", "kind", ("a", None)) == "a"


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, float])
def test_bits_of_any_type_become_int8(dtype):
    bits = v.bits(np.array([[0, 1], [1, 0]], dtype=dtype), "b")
    assert bits.dtype == np.int8
    np.testing.assert_array_equal(bits, [[0, 1], [1, 0]])
