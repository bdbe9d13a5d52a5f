"""The two shapes of AS00's figure 2."""

import numpy as np
import pytest
from scipy import stats

from ppdm.datasets import make_plateau, make_triangles


def triangles_cdf(x):
    x = np.asarray(x)
    one = stats.triang(0.5, 0, 0.5)
    return (one.cdf(x) + one.cdf(x - 0.5)) / 2


@pytest.mark.parametrize(
    ("make", "cdf"), [(make_plateau, stats.uniform(0.25, 0.5).cdf), (make_triangles, triangles_cdf)]
)
def test_shape(make, cdf):
    n = 50_000
    X = make(n, random_state=0)
    assert X.shape == (n, 1)
    assert X.min() >= 0
    assert X.max() <= 1
    # Dvoretzky, Kiefer, Wolfowitz: P[D > t] <= 2 exp(-2 n t^2), here one in 10^6
    bound = np.sqrt(np.log(2e6) / (2 * n))
    assert stats.kstest(X[:, 0], cdf).statistic < bound
    # and the bound tells the two apart
    other = triangles_cdf if make is make_plateau else stats.uniform(0.25, 0.5).cdf
    assert stats.kstest(X[:, 0], other).statistic > 5 * bound


@pytest.mark.parametrize("make", [make_plateau, make_triangles])
def test_random_state(make):
    assert np.array_equal(make(5, random_state=1), make(5, random_state=1))
    rng = np.random.default_rng(1)
    first = make(5, random_state=rng)
    assert np.array_equal(first, make(5, random_state=1))
    assert not np.any(first == make(5, random_state=rng))
