"""What a report says in bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppdm.privacy import mutual_information
from ppdm.randomized_response import CategoricalRandomizedResponse

channels = st.integers(0, 999).map(
    lambda seed: np.random.default_rng(seed).dirichlet(np.ones(4), 3).T
)


@settings(deadline=None)
@given(channel=channels, seed=st.integers(0, 99))
def test_mutual_information_is_the_definition(channel, seed):
    prior = np.random.default_rng(seed).dirichlet(np.ones(3))
    joint = channel * prior
    independent = np.outer(joint.sum(axis=1), prior)
    literal = sum(j * np.log2(j / i) for j, i in zip(joint.flat, independent.flat, strict=True))
    assert mutual_information(channel, prior) == pytest.approx(literal, abs=1e-12)


def test_mutual_information_at_its_limits():
    prior = np.array([0.5, 0.25, 0.25, 0.0])
    assert mutual_information(np.eye(4), prior) == 1.5  # everything
    assert mutual_information(np.full((3, 4), 1 / 3), prior) == 0  # nothing
    assert mutual_information(np.eye(4), [1, 0, 0, 0]) == 0  # nothing to tell
    # what is certain is told even where other reports are impossible
    assert mutual_information([[1, 1, 0], [0, 0, 1]], [0.25, 0.25, 0.5]) == 1


def test_mutual_information_of_an_attribute_of_a_channel():
    scheme = CategoricalRandomizedResponse([2, 4], 0.6).fit([[0, 0]])
    flat = np.full(4, 0.25)
    expected = mutual_information(scheme.channel_matrix(1), flat)
    assert mutual_information(scheme, flat, feature=1) == expected > 0
