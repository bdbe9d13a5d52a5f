"""Each warning points at the line of the caller, not into the package."""

import warnings

import numpy as np
import pytest

from ppdm.generation import GaussianSampleGenerator
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import estimate_proportion
from ppdm.reconstruction import em, invert, reconstruct_distribution
from ppdm.regression import DisguisedLogisticRegression
from ppdm.tree import CountTreeClassifier

COINS = [[0.8, 0.2], [0.2, 0.8]]
FAR_OUT = np.r_[np.linspace(0, 1, 99), 1e6][:, None], np.arange(100) % 2
NOISE, EDGES = AdditiveNoise("uniform", scale=0.25), [0, 0.5, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: em(COINS, [400, 600], max_iter=1),
        lambda: reconstruct_distribution([0.1, 0.2, 0.9], NOISE, EDGES, max_iter=1),
        lambda: reconstruct_distribution(None, NOISE.on(EDGES, cells=[-9, -8, 0, 1, 2]),
                                         counts=[1, 0, 5, 5]),
        lambda: NOISE.on(EDGES).count([9.0]),
        lambda: NOISE.on(np.linspace(0, 1, 4_002)),
        lambda: invert(COINS, [1, 99]),
        lambda: estimate_proportion([0] * 99 + [1], 0.8),
        lambda: DisguisedLogisticRegression(COINS).fit(None, [1] * 9),
        lambda: DisguisedLogisticRegression(COINS).fit([[1.0]] * 9, [1, 0, 1] * 3),
        lambda: GaussianSampleGenerator(1, random_state=0)
        .fit_resample([[1], [2], [8], [9]], [0, 0, 1, 1]),  # which calls its own sample()
        lambda: CountTreeClassifier().fit(*FAR_OUT),
    ],
)  # fmt: skip
def test_a_warning_points_at_its_caller(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (warning,) = caught
    # the caller's caller is in this file, too: the line tells them apart
    assert warning.filename == __file__
    assert warning.lineno in {line for *_, line in call.__code__.co_lines()}


def test_what_is_exactly_on_the_border_is_no_warning():
    assert np.all(invert(COINS, [20, 80]).counts >= -1e-12)
    assert estimate_proportion([0] * 8 + [1] * 2, 0.8).proportion == pytest.approx(0)
