"""Tables of what is refused, which are tests: ``test_bad_input_is_named = refusals(...)``."""

import re

import pytest


def refusals(*rows, by=lambda call: call(), exactly=False):
    """Return a test that ``by`` refuses what each row gives, with the words that end the row.

    The words are a pattern, or as they are where ``exactly``; the error is a ValueError where a row
    names no other class after them.
    """

    @pytest.mark.parametrize("row", rows)
    def test(row):
        *given, message, error = row if isinstance(row[-1], type) else (*row, ValueError)
        with pytest.raises(error, match=re.escape(message) if exactly else message):
            by(*given)

    return test
