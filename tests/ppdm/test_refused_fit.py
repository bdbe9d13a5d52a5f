"""A table that is refused leaves no half of a fit behind: the mended table is then taken."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ppdm.noise import AdditiveNoise, Piecewise, SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.svd import TruncatedSVDPerturbation

RANGES = [[0, 1], [0, 1]]
COIN, CODES = RandomizedResponse(0.8), CategoricalRandomizedResponse(2, epsilon=1)
SCHEMES = [
    RandomizedResponse(0.7, groups=[[0], [1]], random_state=0),
    CategoricalRandomizedResponse(2, epsilon=1, random_state=0),
    UnaryEncoding(2, epsilon=1, random_state=0),
    HadamardResponse(2, epsilon=1, random_state=0),
    MixedResponse({"a": COIN, "b": CODES}, random_state=0),
    MixedResponse({"a": COIN, "b": UnaryEncoding(2)}, epsilon=1, asked=1, random_state=0),
    AdditiveNoise("laplace", epsilon=1, domain=RANGES, random_state=0),
    AdditiveNoise("gaussian", privacy=0.5, random_state=0),
    SquareWave(1, domain=RANGES, random_state=0),
    Piecewise(1, domain=RANGES, random_state=0),
    TruncatedSVDPerturbation(1),
]
GOOD = pd.DataFrame({"a": [0, 1, 1, 0, 1], "b": [1, 0, 0, 1, 1]})
BAD = {
    "a missing value": GOOD.replace(1, np.nan),
    "a text": GOOD.replace({0: "no", 1: "yes"}).astype(object),
    "another name": GOOD.rename(columns={"a": "z"}),
    "another width": GOOD[["a"]],
    "other values": GOOD - 5,
    "no people": GOOD[:0],
}


def of(scheme):
    """What a scheme releases, or that it refuses."""
    return lambda table: pd.DataFrame(scheme.disguise(table)[0]).to_numpy(float)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("first", ["disguise", "fit"])
def test_a_table_that_is_refused_leaves_nothing_behind(scheme, bad, first):
    fresh, tried = clone(scheme), clone(scheme)
    try:
        getattr(tried, first)(bad)
    except (ValueError, TypeError):
        np.testing.assert_array_equal(of(tried)(GOOD), of(fresh)(GOOD))
    else:
        assert hasattr(tried, "n_features_in_")


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_a_second_fit_that_is_refused_keeps_the_first(scheme):
    twice = clone(scheme).fit(GOOD)
    with pytest.raises((ValueError, TypeError)):
        twice.fit(BAD["no people"])
    np.testing.assert_array_equal(of(twice)(GOOD), of(clone(scheme).fit(GOOD))(GOOD))
