"""Square Wave and Piecewise against their papers' formulas, and what epsilon they really have."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from literal import square_wave as literal
from refusals import refusals
from scipy import integrate

from ppdm.noise import Piecewise, SquareWave
from ppdm.privacy import local_epsilon
from ppdm.reconstruction import reconstruct_distribution

SCHEMES = [SquareWave, Piecewise]
UNIT = {SquareWave: (0.0, 1.0), Piecewise: (-1.0, 1.0)}  # the domain of each paper
def on_unit(scheme, epsilon, m, **options):
    low, high = UNIT[scheme]
    noise = scheme(epsilon, domain=[[low, high]], **options)
    return noise, noise.on(np.linspace(low, high, m + 1))


# what the papers say


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 4, 10, 20])
def test_half_width_is_the_paper_s(epsilon):
    # the paper's formula loses digits for small epsilon: 2e-16 / epsilon of them
    wave = SquareWave(epsilon, domain=[[0, 1]]).fit([[0.5]])
    b, p, q = literal.square_wave(epsilon)
    assert wave.scale_[0] == pytest.approx(b, rel=1e-12)
    assert wave.replaced_ == pytest.approx(q * (1 + 2 * b), rel=1e-12)
    assert p / q == pytest.approx(np.exp(epsilon))


def test_half_width_where_nothing_may_be_said():
    wave = SquareWave(1e-9, domain=[[0, 1]]).fit([[0.5]])
    assert (wave.scale_[0], wave.replaced_) == (pytest.approx(0.5), pytest.approx(1))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_square_wave_s_half_width_says_most(epsilon):
    # of all b with this epsilon none lets a report of a uniform value tell more: the paper bounds
    # that by the entropy of a uniform report less the entropy of the noise
    def bound(b):
        q = 1 / (2 * b * np.exp(epsilon) + 1)
        p = q * np.exp(epsilon)
        return np.log(1 + 2 * b) + 2 * b * p * np.log(p) + q * np.log(q)

    b = SquareWave(epsilon, domain=[[0, 1]]).fit([[0.5]]).scale_[0]
    assert bound(b) > max(bound(b * 0.99), bound(b * 1.01))


@pytest.mark.parametrize(("t", "variance"), [(0.0, 3.6821), (1.0, 5.2236)])
def test_piecewise_variance(t, variance):
    windows = literal.piecewise_windows(1.0, t)
    mean, square = (
        sum(d * (e ** (k + 1) - s ** (k + 1)) / (k + 1) for s, e, d in windows) for k in (1, 2)
    )
    assert (mean, square - mean**2) == (pytest.approx(t), pytest.approx(variance, abs=5e-5))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_density_adds_up(scheme):
    noise = scheme(1.5, domain=[[0, 8]])
    total = integrate.quad(
        lambda z: np.exp(noise.log_likelihood([[z]], [[2.0]])[0, 0]), -60, 70, limit=2000
    )[0]
    assert total == pytest.approx(1, abs=1e-3)


# the channel


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_epsilon_of_the_channel_is_epsilon(scheme, epsilon):
    _, channel = on_unit(scheme, epsilon, 100)
    assert local_epsilon(channel) == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(
    epsilon=st.floats(0.05, 8),
    m=st.integers(2, 30),
    low=st.floats(-50, 50),
    width=st.floats(0.1, 100),
    whole=st.booleans(),
)
# once a cell that only values outside the domain could reach had a share of 6e-6
@example(epsilon=5.0516, m=16, low=0.0, width=1.0, whole=True)
def test_no_intervals_have_more_than_epsilon(scheme, epsilon, m, low, width, whole):
    noise = scheme(epsilon, domain=[[low, low + width]])
    # edges may lie outside by up to half an interval, as those of whole numbers do
    step = width / (m - 1)
    grids = np.linspace(low, low + width, m + 1), low + step * (np.arange(m + 1) - 0.5)
    for edges in grids:
        matrix = noise.on(edges, whole=whole).channel_matrix()
        assert matrix.sum(axis=0) == pytest.approx(np.ones(m), abs=1e-12)
        seen = matrix.max(axis=1) > 1e-9  # an end cell may hold a sliver, and rounding
        ratio = np.log(matrix[seen].max(axis=1) / matrix[seen].min(axis=1)).max()
        assert ratio <= epsilon * (1 + 1e-6) + 1e-6


def test_edges_of_whole_numbers_may_reach_out_by_half():
    wave = SquareWave(1.0, domain=[[0, 4]])
    halves = np.arange(6) - 0.5
    channel = wave.on(halves).channel_matrix()
    # the first interval holds [0, 0.5] only, so it is that of edges that start at 0
    cells = wave.on(halves).cells
    inside = wave.on(np.clip(halves, 0, 4), cells=cells).channel_matrix()
    np.testing.assert_allclose(channel, inside, atol=1e-12)
    whole = wave.on(halves, whole=True)
    assert local_epsilon(whole) == pytest.approx(1.0)
    assert len(whole.cells) > len(cells)


# what follows from the interface


def test_a_distribution_comes_back():
    rng = np.random.default_rng(4)
    ages = rng.beta(5, 2, (100_000, 1))
    wave = SquareWave(2.0, domain=[[0, 1]], random_state=rng)
    edges = np.linspace(0, 1, 101)
    found = reconstruct_distribution(wave.transform(ages), wave, edges, smooth=True)
    truth = np.histogram(ages, edges)[0] / len(ages)
    w1 = np.abs(np.cumsum(found.probabilities - truth)).mean()
    # eight other seeds gave 0.0024 with a spread of 0.0008; equal shares are 0.21 away
    assert w1 < 0.0024 + 5 * 0.0008


# refusals


test_intervals_refuse = refusals(
    ([0.1, 0.5, 1], r"edges must cover the domain, \[0.0, 1.0\], .*got \[0.1,"),
    ([0, 0.5, 0.9], "edges must cover the domain"),
    ([-2, 0.5, 1], "edges must cover .* the middles of all intervals inside it"),
    ([0, 0.5, 3], "edges must cover"),
    ([[0, 1, 3]] * 2, "edges must have 1 dimension"),
    by=lambda edges: SquareWave(1.0, domain=[[0, 1], [0, 3]]).on(edges, feature=0),
)  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_outside_a_learned_domain_are_refused(scheme):
    fitted = scheme(1.0).fit([[0.0, 0], [1, 2]])
    with pytest.raises(ValueError, match="X must lie inside domain, from 0 to 2 for attribute 1"):
        fitted.transform([[0.5, 2.5]])  # epsilon would not hold
