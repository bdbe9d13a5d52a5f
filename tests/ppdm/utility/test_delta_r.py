"""Delta R of LX14: the equation, arrays of trials, each error message."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.utility import delta_r

shares = st.floats(0, 1)


@given(shares, shares, st.floats(0, 1, exclude_max=True))
def test_the_equation(released, original, epsilon):
    got = delta_r(released, original, epsilon=epsilon)
    assert isinstance(got, float)
    assert got == pytest.approx(released - (1 - epsilon) * original)
    assert -1 <= got <= 1


def test_the_default_lets_two_percent_of_the_accuracy_go():
    assert delta_r(0.735, 0.75) == pytest.approx(0)
    assert delta_r(0.8, 0.8) == pytest.approx(0.02 * 0.8)
    assert delta_r(0.7, 0.8, epsilon=0) == pytest.approx(-0.1)


def test_trials_are_broadcast():
    released = np.array([[0.7, 0.8], [0.6, 0.9], [0.5, 1.0]])
    original = np.array([0.75, 0.9])
    got = delta_r(released, original)
    assert got.shape == (3, 2)
    assert got[1, 1] == delta_r(0.9, 0.9)
