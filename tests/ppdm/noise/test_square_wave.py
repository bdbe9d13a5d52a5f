"""Square Wave and Piecewise against their papers' formulas, and what epsilon they really have."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from literal import square_wave as literal
from refusals import refusals
from scipy import integrate, stats

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.noise import Piecewise, SquareWave
from ppdm.privacy import audit_epsilon, local_epsilon
from ppdm.reconstruction import reconstruct_distribution

SCHEMES = [SquareWave, Piecewise]
UNIT = {SquareWave: (0.0, 1.0), Piecewise: (-1.0, 1.0)}  # the domain of each paper
WINDOWS = {SquareWave: literal.square_wave_windows, Piecewise: literal.piecewise_windows}
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
    n = 100_000
    noise = Piecewise(1.0, domain=[[-1, 1]], random_state=np.random.default_rng(5))
    reports = noise.transform(np.full((n, 1), t))
    # reports are at most C = 4.1 from zero: five standard errors of mean and variance
    assert abs(reports.mean() - t) < 5 * np.sqrt(variance / n)
    assert abs(reports.var() - variance) < 5 * 5.1**2 / np.sqrt(n)


# the release


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_reports_have_the_paper_s_distribution(scheme, epsilon, share):
    n = 20_000
    low, high = UNIT[scheme]
    t = low + share * (high - low)
    # on another attribute's scale, to see that it follows the domain
    noise = scheme(epsilon, domain=[[10, 30]], random_state=np.random.default_rng(8))
    reports = noise.transform(np.full((n, 1), 10 + 20 * share))[:, 0]
    windows = WINDOWS[scheme](epsilon, t)

    def cdf(x):
        return sum(d * np.clip(x - s, 0, e - s) for s, e, d in windows)

    ours = low + (reports - 10) / 20 * (high - low)
    # Dvoretzky, Kiefer, Wolfowitz: P[D > t] <= 2 exp(-2 n t^2), here one in 10^6
    assert stats.kstest(ours, cdf).statistic < np.sqrt(np.log(2e6) / (2 * n))


def test_attributes_and_records_have_noise_of_their_own():
    n = 20_000
    noise = SquareWave(1.0, domain=[[0, 1], [0, 10]], random_state=np.random.default_rng(1))
    reports = noise.transform(np.tile([[0.2, 2.0]], (n, 1)))
    # a correlation has standard error 1 / sqrt(n); five of them
    assert abs(np.corrcoef(reports.T)[0, 1]) < 5 / np.sqrt(n)
    assert abs(np.corrcoef(reports[1:, 0], reports[:-1, 0])[0, 1]) < 5 / np.sqrt(n)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_density_adds_up_and_is_the_paper_s(scheme):
    low, high = UNIT[scheme]
    noise = scheme(1.5, domain=[[low, high], [0, 8]])
    t = low + 0.3 * (high - low)
    windows = WINDOWS[scheme](1.5, t)
    one = scheme(1.5, domain=[[low, high]])
    for start, end, density in windows:
        for x in np.linspace(start, end, 7)[1:-1]:
            assert one.log_likelihood([[x]], [[t]])[0, 0] == pytest.approx(np.log(density))
    beyond = [[windows[0][0] - 0.01], [windows[-1][1] + 0.01]]
    assert (one.log_likelihood(beyond, [[t]]) == -np.inf).all()
    other = scheme(1.5, domain=[[0, 8]])
    x, y = windows[1][0] + 0.01, 3.0
    pair = noise.log_likelihood([[x, y]], [[t, 2.0], [t, 7.9]])
    parts = one.log_likelihood([[x]], [[t]]) + other.log_likelihood([[y]], [[2.0], [7.9]])
    assert pair == pytest.approx(parts)
    total = integrate.quad(
        lambda z: np.exp(other.log_likelihood([[z]], [[2.0]])[0, 0]), -60, 70, limit=2000
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


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("edges", [[0, 0.25, 0.5, 0.75, 1], [0, 0.2, 0.3, 1]])
def test_channel_is_the_average_over_each_interval(scheme, edges):
    low, high = UNIT[scheme]
    edges = low + (high - low) * np.array(edges)
    channel = scheme(1.0, domain=[[low, high]]).on(edges)
    # Piecewise reports are brought back before they are counted
    stretch = 1 / (1 - np.exp(-0.5)) if scheme is Piecewise else 1.0
    slow = literal.channel(lambda t: WINDOWS[scheme](1.0, t), edges, stretch * channel.cells)
    # the literal average has an error of at most one point's share
    assert np.abs(channel.channel_matrix() - slow).max() < 1 / 500


@pytest.mark.parametrize("scheme", SCHEMES)
def test_reports_fall_into_cells_as_the_channel_says(scheme):
    noise, channel = on_unit(scheme, 2.0, 10, random_state=np.random.default_rng(0))
    low, high = UNIT[scheme]
    n = 50_000
    values = low + (high - low) * 0.1 * (3 + np.random.default_rng(1).random((n, 1)))
    expected = n * channel.channel_matrix()[:, 3]
    found = channel.count(noise.transform(values))
    # five standard deviations of a Poisson count and one more for small ones
    assert (np.abs(found - expected) < 5 * np.sqrt(expected) + 5).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_units_and_many_attributes(scheme):
    edges = np.array([0.0, 1, 2, 3, 4])
    own = scheme(1.0, domain=[[0, 4]]).on(edges)
    second = scheme(1.0, domain=[[0, 4], [-10, 2]]).on(3 * edges - 10, feature=1)
    assert local_epsilon(second) == pytest.approx(1.0)
    assert second.channel_matrix() == pytest.approx(own.channel_matrix(), abs=1e-12)
    assert 3 * second.midpoint_likelihood() == pytest.approx(own.midpoint_likelihood())
    w = np.random.default_rng(0).uniform(-1, 5, (50, 1))
    assert second.count(3 * w - 10).tolist() == own.count(w).tolist()


def test_midpoint_likelihood_is_the_density_between_middles():
    wave, channel = on_unit(SquareWave, 1.0, 20)
    middles = (channel.edges[1:] + channel.edges[:-1]) / 2
    said = (channel.cells[1:] + channel.cells[:-1]) / 2
    inside = abs(said - 0.5) < 0.5 + wave.fit([[0]]).scale_[0]
    density = np.exp(wave.log_likelihood(said[inside, None], middles[:, None]))
    assert channel.midpoint_likelihood()[inside] == pytest.approx(density)


def test_edges_of_whole_numbers_may_reach_out_by_half():
    wave = SquareWave(1.0, domain=[[0, 4]])
    halves = np.arange(6) - 0.5
    channel = wave.on(halves).channel_matrix()
    # the first interval holds [0, 0.5] only, so it is that of edges that start at 0
    cells = wave.on(halves).cells
    slow = literal.channel(
        lambda t: [(4 * a, 4 * b, d / 4) for a, b, d in literal.square_wave_windows(1.0, t / 4)],
        np.clip(halves, 0, 4), cells)  # fmt: skip
    assert np.abs(channel - slow).max() < 1 / 500
    whole = wave.on(halves, whole=True)
    assert local_epsilon(whole) == pytest.approx(1.0)
    assert len(whole.cells) > len(cells)


def test_a_small_epsilon_says_nothing_and_a_large_one_all():
    for scheme in SCHEMES:
        faint, plain = (on_unit(scheme, e, 4)[1].channel_matrix() for e in (1e-6, 20))
        assert faint == pytest.approx(np.broadcast_to(faint[:, :1], faint.shape), rel=1e-5)
        assert plain[1:-1] == pytest.approx(0.95 * np.eye(4) + 0.0125, abs=0.05)


# what follows from the interface


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_audit_bounds_epsilon_from_below_and_comes_near(scheme):
    low, high = UNIT[scheme]
    edges = np.linspace(low, high, 101)

    def client(record, n, rng):
        noise = scheme(1.0, domain=[[low, high]], random_state=rng)
        return noise.on(edges).codes(noise.transform(np.tile(record, (n, 1))))

    asked = {"n_draws": 40_000, "batch": True, "confidence": 1 - 1e-6, "random_state": 0}
    found = audit_epsilon(client, [low], [high], **asked)
    # guesses of which e/(1 + e) are right: the bound is 4.75 standard errors below the estimate
    error = ((found.right + found.wrong) * np.e / (1 + np.e) ** 2) ** -0.5
    assert error < 0.03
    assert 1 - (4.75 + 4.5) * error < found.lower_bound < 1


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


def test_a_tree_grows_on_its_reports():
    rng = np.random.default_rng(5)
    X = rng.uniform(0, 10, (4000, 2))
    y = (X[:, 0] > 5).astype(int)
    wave = SquareWave(3.0, domain=[[0, 10]] * 2, random_state=rng)
    tree = ReconstructedTreeClassifier(wave).fit(wave.transform(X), y)
    assert tree.score(X, y) > 0.9


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
