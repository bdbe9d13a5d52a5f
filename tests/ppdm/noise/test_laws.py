"""The laws of every noise: what is released, its channel, its density, against definitions."""

from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from literal import square_wave as literal
from refusals import refusals
from scipy import stats
from sklearn.base import clone

from ppdm.noise import AdditiveNoise, Piecewise, SquareWave
from ppdm.privacy import local_epsilon

LAWS = {
    "uniform": lambda scale: stats.uniform(-scale, 2 * scale),
    "gaussian": lambda scale: stats.norm(0, scale),
    "laplace": lambda scale: stats.laplace(0, scale),
}


def additive(name, share):
    """Noise whose scale is a share of each attribute's range, its CDF and its density."""
    def make(domain, **options):
        scale = share * np.ptp(domain, axis=1)
        return AdditiveNoise(name, scale=scale, domain=domain, **options)

    return SimpleNamespace(
        make=make, stretch=1, tail=9,
        cdf=lambda x, t, low, high: LAWS[name](share * (high - low)).cdf(x - t),
        density=lambda x, t, low, high: LAWS[name](share * (high - low)).pdf(x - t),
    )  # fmt: skip


def replaced(scheme, epsilon, windows, start, stretch=1):
    """Windows of a paper, whose domain is [start, 1], and how far their reports are stretched."""
    def brought(x, t, low, high):
        unit = (1 - start) / (high - low)
        t = start + (np.asarray(t) - low) * unit
        return unit, start + (np.asarray(x) - low) * unit, windows(epsilon, t)

    def cdf(x, t, low, high):
        _, x, parts = brought(x, t, low, high)
        return sum(d * np.clip(x - a, 0, b - a) for a, b, d in parts)

    def density(x, t, low, high):
        unit, x, parts = brought(x, t, low, high)
        return unit * sum(d * ((a <= x) & (x < b)) for a, b, d in parts)

    return SimpleNamespace(make=lambda domain, **options: scheme(epsilon, domain, **options),
                           cdf=cdf, density=density, stretch=stretch, tail=1)  # fmt: skip


NOISES = {
    **{f"{name} {share}": additive(name, share)
       for name in LAWS for share in (1e-9, 0.05, 0.3, 2.0, 10.0)},
    **{f"Square Wave {epsilon}": replaced(SquareWave, epsilon, literal.square_wave_windows, 0)
       for epsilon in (0.1, 0.5, 1.0, 3.0, 20.0)},
    **{f"Piecewise {epsilon}": replaced(Piecewise, epsilon, literal.piecewise_windows, -1,
                                        1 / (1 - np.exp(-epsilon / 2)))
       for epsilon in (0.1, 0.5, 1.0, 3.0, 20.0)},
}  # fmt: skip
#: One of each law.
EACH = ["uniform 0.3", "gaussian 0.3", "laplace 0.3", "Square Wave 1.0", "Piecewise 1.0"]
DOMAIN = np.array([[10.0, 30.0], [-3.0, 1.0]])
each_noise = pytest.mark.parametrize("name", EACH)


@pytest.mark.parametrize("name", [*EACH, "Square Wave 0.5", "Square Wave 3.0",
                                  "Piecewise 0.5", "Piecewise 3.0"])  # fmt: skip
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_reports_have_the_law_and_each_a_noise_of_its_own(name, share):
    n, noise = 20_000, NOISES[name]
    t = DOMAIN[:, 0] + share * np.ptp(DOMAIN, axis=1)
    scheme = noise.make(DOMAIN, random_state=np.random.default_rng(8))
    reports = scheme.fit_transform(np.tile(t, (n, 1)))
    for column, own, domain in zip(reports.T, t, DOMAIN, strict=True):
        # Dvoretzky, Kiefer, Wolfowitz: P[D > t] <= 2 exp(-2 n t^2), here one in 10^6
        law = partial(noise.cdf, t=own, low=domain[0], high=domain[1])
        assert stats.kstest(column, law).statistic < np.sqrt(np.log(2e6) / (2 * n))
    # a correlation has standard error 1 / sqrt(n); five of them
    assert abs(np.corrcoef(reports.T)[0, 1]) < 5 / np.sqrt(n)
    assert abs(np.corrcoef(reports[1:, 0], reports[:-1, 0])[0, 1]) < 5 / np.sqrt(n)


def average(cdf, edges, cells, points=4000):
    """Average of each cell's probability over points spread evenly; end cells are open."""
    outer = np.array([-np.inf, *cells[1:-1], np.inf])[:, np.newaxis]
    even = (np.arange(points) + 0.5) / points
    columns = [np.diff(cdf(outer, low + (high - low) * even), axis=0).mean(axis=1)
               for low, high in pairwise(edges)]  # fmt: skip
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize(
    "edges", [np.linspace(0, 1, 6), np.array([-3.0, 0.5, 0.75, 4.0]), np.array([1e3, 2e3, 5e3])]
)
def test_channel_is_the_average_over_each_interval(name, edges):
    noise, (low, high) = NOISES[name], edges[[0, -1]]
    bound = noise.make(np.array([[low, high]])).on
    own = low + (high - low) * np.array([-0.6, 0.1, 0.3, 0.35, 1.4])
    for channel in (bound(edges), bound(edges, cells=edges), bound(edges, cells=own)):
        # Piecewise reports are brought back about the middle before they are counted
        middle = (low + high) / 2
        cells = middle + noise.stretch * (channel.cells - middle)
        slow = average(lambda x, t: noise.cdf(x, t, low, high), edges, cells)
        matrix = channel.channel_matrix()
        # the literal average has an error of at most one point's share
        assert np.abs(matrix - slow).max() < 1 / 4000
        assert matrix.sum(axis=0) == pytest.approx(np.ones(len(edges) - 1), abs=1e-12)
        assert matrix.min() >= 0


@each_noise
def test_reports_fall_into_cells_as_the_channel_says(name):
    n = 50_000
    noise = NOISES[name].make(DOMAIN, random_state=np.random.default_rng(0))
    channel = noise.on(np.linspace(-3, 1, 11), feature=1)
    values = -3 + 0.4 * (3 + np.random.default_rng(1).random((n, 1)))
    expected = n * channel.channel_matrix()[:, 3]
    counts = channel.count(noise.fit(DOMAIN.T).transform(np.insert(values, 0, 20, axis=1))[:, 1])
    # five standard deviations of a Poisson count and one more for small ones
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 5).all()


@pytest.mark.parametrize("name", NOISES)
def test_likelihood_of_a_record_is_the_product_of_the_densities(name):
    noise = NOISES[name]
    scheme = noise.make(DOMAIN, random_state=np.random.default_rng(1))
    true = np.random.default_rng(0).uniform(*DOMAIN.T, (4, 2))
    said = np.vstack([scheme.fit(true).transform(true), true.mean(axis=0), DOMAIN[:, 1] + 1e3])
    by_hand = np.prod([noise.density(said[:, [j]], true[:, j], *DOMAIN[j]) for j in (0, 1)], axis=0)
    np.testing.assert_allclose(np.exp(scheme.log_likelihood(said, true)), by_hand, rtol=1e-9)
    # far away the logarithm stays finite where the law has a tail
    far = scheme.log_likelihood(DOMAIN[:, 1] + 1e3 * np.ptp(DOMAIN, axis=1)[np.newaxis], true)
    assert np.isfinite(far).all() == name.startswith(("gaussian", "laplace"))


@each_noise
@pytest.mark.parametrize("edges", [np.linspace(0, 1, 6), np.array([0.0, 0.2, 0.3, 1.0])])
def test_midpoint_likelihood_is_the_density_between_middles(name, edges):
    noise = NOISES[name]
    scheme = noise.make(np.array([[0.0, 1.0]]))
    channel = scheme.on(edges)
    middles, said = ((ends[1:] + ends[:-1]) / 2 for ends in (edges, channel.cells))
    # beyond is what nobody reports, but for noise with a tail
    seen = np.abs(said - 0.5) < 0.5 + noise.tail * scheme.fit([[0.0], [1.0]]).scale_[0]
    reports = 0.5 + noise.stretch * (said[seen, np.newaxis] - 0.5)
    density = noise.stretch * noise.density(reports, middles, 0.0, 1.0)
    assert channel.midpoint_likelihood()[seen] == pytest.approx(density, rel=1e-12)


@each_noise
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("edges", [np.arange(-2.0, 4), np.array([-2.0, -1, 0.5, 3])])
def test_units_zero_and_place_are_anybody_s_choice(name, whole, edges):
    """A channel is the same in metres and in feet, from here and there, of the second attribute."""
    make, domain = NOISES[name].make, np.array([[-2.0, 3.0]])
    own = make(domain).on(edges, whole=whole)
    w = np.random.default_rng(0).uniform(-2.5, 3.5, 50)
    for unit, zero in ((3.0, 0), (1, 200.0), (0.25, -17)):
        both = make(np.vstack([[[0.0, 77.0]], unit * domain + zero]))
        other = both.on(unit * edges + zero, feature=1, whole=whole)
        assert other.n_features_in_ == 1
        assert other.cells == pytest.approx(unit * own.cells + zero)
        assert other.channel_matrix() == pytest.approx(own.channel_matrix(), abs=1e-9)
        density = unit * other.midpoint_likelihood()
        assert density == pytest.approx(own.midpoint_likelihood(), abs=1e-9)
        assert other.count(unit * w + zero).tolist() == own.count(w).tolist()


RECORDS = np.array([[20, 1.5], [40, 2.5], [80, 3.5]])


@pytest.mark.parametrize("scheme", [AdditiveNoise(), SquareWave(1.0), Piecewise(1.0)])
def test_seeds_and_a_domain_that_is_learned_or_given(scheme):
    def with_seed(seed, domain=None):
        return clone(scheme).set_params(random_state=seed, domain=domain)

    seeded, domain = with_seed(5), [[20, 80], [1.5, 3.5]]
    said = seeded.fit_transform(RECORDS.astype(np.float32))
    assert said.dtype == np.float64
    assert np.array_equal(said, seeded.transform(RECORDS))
    assert seeded.domain_.tolist() == domain
    assert np.array_equal(said, with_seed(5, domain).transform(RECORDS))  # nothing to learn
    for seed in (None, np.random.default_rng(5)):
        moving = with_seed(seed).fit(RECORDS)
        first = moving.transform(RECORDS)
        assert not np.any(first == moving.transform(RECORDS))
        assert not np.any(first == said)  # an int is a stream of the scheme's own
    again = with_seed(np.random.default_rng(5)).fit_transform(RECORDS)
    assert np.array_equal(first, again)


SCHEMES = [SquareWave, Piecewise]
# what the papers say


def test_half_width_where_nothing_may_be_said():
    wave = SquareWave(1e-9, domain=[[0, 1]]).fit([[0.5]])
    assert (wave.scale_[0], wave.replaced_) == (pytest.approx(0.5), pytest.approx(1))


# the channel


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_epsilon_of_the_channel_is_epsilon(scheme, epsilon):
    channel = scheme(epsilon, domain=[[0, 1]]).on(np.linspace(0, 1, 101))
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


# refusals


test_intervals_refuse = refusals(
    ([0.1, 0.5, 1], r"edges must cover the domain, \[0.0, 1.0\], .*got \[0.1,"),
    ([-2, 0.5, 1], "edges must cover .* the middles of all intervals inside it"),
    ([0, 0.5, 3], "edges must cover"),
    by=lambda edges: SquareWave(1.0, domain=[[0, 1], [0, 3]]).on(edges, feature=0),
)  # fmt: skip


LAPLACE = AdditiveNoise("laplace", epsilon=1.0)


@pytest.mark.parametrize("scheme", [SquareWave(1.0), Piecewise(1.0), LAPLACE], ids=repr)
def test_values_outside_a_learned_domain_are_refused(scheme):
    fitted = scheme.fit([[0.0, 0], [1, 2]])
    with pytest.raises(ValueError, match="X must lie inside domain, from 0 to 2 for attribute 1"):
        fitted.transform([[0.5, 2.5]])  # epsilon would not hold
