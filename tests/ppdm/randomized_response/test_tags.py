"""What the schemes tell scikit-learn of themselves."""

import pytest
from sklearn.utils import get_tags

from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)


@pytest.mark.parametrize(
    "scheme",
    [RandomizedResponse(0.7), CategoricalRandomizedResponse(3, 0.7), UnaryEncoding(3, 1.0)],
    ids=lambda scheme: type(scheme).__name__,
)
def test_coins_take_codes_and_are_random(scheme):
    tags = get_tags(scheme)
    assert tags.input_tags.categorical
    assert tags.non_deterministic
    assert tags.transformer_tags.preserves_dtype == []


@pytest.mark.parametrize("known", [True, False])
def test_nothing_is_to_be_learned_where_the_domain_is_given(known):
    domain = [[0, 1]] if known else None
    for scheme in (AdditiveNoise(domain=domain), ValueClassMembership(2, domain=domain)):
        assert get_tags(scheme).requires_fit != known
    assert not get_tags(AdditiveNoise(scale=1.0)).requires_fit
