"""Reconstruction against the paper's own, slow formulas (AS00, section 3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from scipy import stats

from ppdm.datasets import make_triangles
from ppdm.exceptions import ConvergenceWarning, NegativeEstimateWarning, UnexplainedValueWarning
from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.reconstruction import em, invert, project, reconstruct_distribution
from ppdm.reconstruction._em import iterate

HAND_EDGES = [0, 0.25, 0.5, 0.75, 1]
HAND_COUNTS = [10, 20, 30, 20, 15, 5]
HAND_NOISE = AdditiveNoise("uniform", scale=0.25)
TWENTY = np.linspace(0, 1, 21)
LAWS = {
    "uniform": lambda scale: stats.uniform(-scale, 2 * scale),
    "gaussian": lambda scale: stats.norm(0, scale),
    "laplace": lambda scale: stats.laplace(0, scale),
}


def total_variation(p, q):
    return 0.5 * np.abs(np.asarray(p) - q).sum(axis=-1)


def disguise(X, distribution, scale, seed):
    return AdditiveNoise(distribution, scale=scale, random_state=seed).transform(X)


def of_hand(**run):
    """Reconstruct the example that is worked by hand."""
    run = {"counts": HAND_COUNTS, **run}
    return reconstruct_distribution(None, HAND_NOISE, HAND_EDGES, **run)


# The iteration


def test_by_hand():
    long = of_hand(kernel="midpoint", stop=None, max_iter=10)
    assert long.history[0].tolist() == [0.25] * 4
    assert long.history[1] == pytest.approx([0.3, 0.266667, 0.241667, 0.191667], abs=1e-6)
    assert long.probabilities == pytest.approx([0.327688, 0.252956, 0.272264, 0.147092], abs=1e-6)
    stopped = of_hand(kernel="midpoint")
    assert (stopped.n_iter, stopped.converged, stopped.n) == (3, True, 100)
    assert np.array_equal(stopped.probabilities, long.history[3])


@pytest.mark.parametrize("distribution", LAWS)
@pytest.mark.parametrize("kernel", ["cell", "midpoint"])
def test_noise_far_below_a_cell_gives_the_histogram(distribution, kernel):
    x = np.random.default_rng(0).integers(0, 20, 500) / 20 + 0.025
    noise = AdditiveNoise(distribution, scale=1e-10, random_state=0)
    w = noise.fit_transform(x[:, None])
    result = reconstruct_distribution(w, noise, TWENTY, kernel=kernel, stop="tol")
    # a value spread over its cell is carried over an edge with probability scale / width or less
    bound = 2 * 1e-10 / 0.05
    assert result.probabilities == pytest.approx(np.histogram(x, TWENTY)[0] / 500, abs=bound)


# Cells outside the domain


def test_values_outside_the_domain_keep_their_cells():
    w = [-0.2, -0.1, 0.3, 1.2]
    assert HAND_NOISE.on(HAND_EDGES).count(w).tolist() == [2, 0, 1, 0, 0, 1]
    result = reconstruct_distribution(w, HAND_NOISE, HAND_EDGES, stop=None, max_iter=1)
    # -0.25..0 is certain to come from the first interval and 1..1.25 from the last; 0.25..0.5
    # comes from the first three with likelihoods 1, 2 and 1
    assert result.probabilities == pytest.approx([0.5 + 1 / 16, 2 / 16, 1 / 16, 0.25])


def test_what_no_interval_explains_goes_to_the_nearest():
    # half-width 0.3 and cells of 0.25: the outermost middles are 0.5 from the nearest
    noise = AdditiveNoise("uniform", scale=0.3)
    likelihood = noise.on(HAND_EDGES).midpoint_likelihood()
    assert (likelihood.sum(axis=1) == 0).tolist() == [True] + [False] * 6 + [True]
    counts = [8, 0, 0, 0, 0, 0, 0, 24]
    run = {"counts": counts, "kernel": "midpoint", "stop": "tol"}
    result = reconstruct_distribution(None, noise, HAND_EDGES, **run)
    assert result.probabilities == pytest.approx([0.25, 0, 0, 0.75])
    assert np.isfinite(result.log_likelihood).all()


@pytest.mark.parametrize("shift", [-1000, 0.3, 1000])
def test_where_the_attribute_begins_does_not_matter(shift):
    # the nearest interval is found from middles: near 0 a wrong one may be right by chance
    noise, counts = AdditiveNoise("uniform", scale=0.3), [8, 1, 2, 3, 4, 5, 6, 24]
    here, there = (
        reconstruct_distribution(None, noise, edges, counts=counts, kernel="midpoint")
        for edges in (np.array(HAND_EDGES), np.array(HAND_EDGES) + shift)
    )
    assert there.probabilities == pytest.approx(here.probabilities, abs=1e-9)


def test_impossible_values_are_reported_and_go_to_the_nearest():
    # up to a cell beyond the reach may be rounding: no warning (which would be an error here)
    assert HAND_NOISE.on(HAND_EDGES).count([-0.4, 1.4]).tolist() == [1, 0, 0, 0, 0, 1]
    with pytest.warns(UnexplainedValueWarning, match=r"2 disguised value\(s\) lie where"):
        counts = HAND_NOISE.on(HAND_EDGES).count([-0.6, 0.1, 99.0])
    assert counts.tolist() == [1, 1, 0, 0, 0, 1]
    # cells of one's own may end anywhere: what counts is where edges and noise end, and a cell
    for cells in ([0.4, 0.5, 0.6], [-2, 0.5, 3]):
        width = (cells[-1] - cells[0]) / 2
        low, high = min(-0.25, cells[0]) - width, max(1.25, cells[-1]) + width
        channel = HAND_NOISE.on(HAND_EDGES, cells=cells)
        assert channel.count([low, high - 1e-9]).tolist() == [1, 1]
        for beyond in (low - 1e-9, high):
            for door in (channel.count, channel.codes_of):  # shares and learners come by the other
                with pytest.warns(UnexplainedValueWarning, match="1 disguised"):
                    door([beyond])
    # any value is possible under Gaussian noise
    assert AdditiveNoise(scale=0.25).on(HAND_EDGES).count([99.0])[-1] == 1


@pytest.mark.parametrize("kernel", ["cell", "midpoint"])
def test_one_distant_value_is_no_trouble(kernel):
    noise = AdditiveNoise(scale=0.01)
    result = reconstruct_distribution([1e6, 0.4, 0.5], noise, TWENTY, kernel=kernel)
    assert np.isfinite(result.probabilities).all()
    assert result.probabilities[-1] == pytest.approx(1 / 3, abs=1e-6)


# Counting


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 400),
    m=st.integers(2, 12),
    regular=st.booleans(),
    grid=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_counts_are_a_histogram(seed, n, m, regular, grid):
    rng = np.random.default_rng(seed)
    edges = np.linspace(-3, 5, m + 1) if regular else np.sort(rng.uniform(-3, 5, m + 1))
    noise = AdditiveNoise("uniform", scale=2.0)
    cells = noise.on(edges).cells
    # on the edges themselves too, where rounding shows
    w = rng.choice(cells, n) if grid else rng.uniform(cells[0], cells[-1], n)
    assert np.array_equal(noise.on(edges).count(w), np.histogram(w, cells)[0])


def test_a_value_written_as_the_edge_counts_above_it():
    edges = np.linspace(0, 1, 21)  # 0.15 / 0.05 is 2.9999999999999996
    noise = AdditiveNoise("uniform", scale=0.05)
    for j, value in enumerate([0.05, 0.1, 0.15, 0.3, 0.35, 0.6, 0.7]):
        counts = noise.on(edges).count([value])
        assert counts.argmax() == round(value / 0.05) + 1, j


def test_chunks_merge_and_labels_split():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 20_000)
    w = rng.normal(y / 2, 1.0)
    noise = AdditiveNoise(scale=1.0)
    whole = noise.on(TWENTY).count(w, labels=y)
    parts = [
        noise.on(TWENTY).count(part, labels=codes, n_labels=3)
        for part, codes in zip(np.array_split(w, 7), np.array_split(y, 7), strict=True)
    ]
    assert np.array_equal(sum(parts), whole)
    for k in range(3):
        assert np.array_equal(whole[k], noise.on(TWENTY).count(w[y == k]))
    from_values = reconstruct_distribution(w, noise, TWENTY, labels=y)
    from_counts = reconstruct_distribution(None, noise, TWENTY, counts=sum(parts))
    assert np.array_equal(from_values.probabilities, from_counts.probabilities)
    assert from_values.n.tolist() == np.bincount(y).tolist()
    channel = noise.on(TWENTY)  # knows its edges, and em takes it as it is
    bound = reconstruct_distribution(w, channel, labels=y)
    assert np.array_equal(bound.probabilities, from_values.probabilities)
    assert bound.edges.tolist() == TWENTY.tolist()
    assert em(channel, whole).probabilities == pytest.approx(bound.probabilities)


# Stop rules


@pytest.mark.parametrize("n", [200, 20_000])
def test_paper_s_stop_rule(n):
    w = disguise(make_triangles(n, random_state=0), "gaussian", 0.25, 1)
    result = reconstruct_distribution(w, AdditiveNoise(scale=0.25), TWENTY)
    before, after = result.history[:-1], result.history[1:]
    change = n * ((after - before) ** 2 / before).sum(axis=1)
    limit = 0.01 * stats.chi2(19).ppf(0.95)
    assert (change[:-1] >= limit).all()
    assert change[-1] < limit
    assert result.n_iter == len(change)
    # the same at many other thresholds, so that none but the right quantile fits
    for tol in np.geomspace(0.01, 1, 40):
        looser = reconstruct_distribution(w, AdditiveNoise(scale=0.25), TWENTY, tol=tol)
        assert looser.n_iter == np.argmax(change < 100 * tol * limit) + 1


def test_tolerance_and_what_is_kept():
    run = {"stop": "tol", "tol": 1e-6}
    kept, bare = (of_hand(**run, keep_history=keep) for keep in (True, False))
    change = total_variation(kept.history[1:], kept.history[:-1])
    assert (change[:-1] >= 1e-6).all()
    assert change[-1] < 1e-6
    assert kept.n_iter > 100  # several looks at the rule
    assert bare.history is None
    assert np.array_equal(bare.probabilities, kept.probabilities)
    assert np.array_equal(bare.log_likelihood, kept.log_likelihood)


def test_without_convergence():
    with pytest.warns(ConvergenceWarning, match="'chi2' within max_iter=2 steps for 1 of 1"):
        result = of_hand(kernel="midpoint", max_iter=2)
    assert (result.converged, result.n_iter) == (False, 2)
    asked = em(np.eye(2), [1, 2], stop=None, max_iter=7)  # no rule, so no warning
    assert (asked.n_iter, asked.converged) == (7, False)


def test_start():
    start = np.array([0.7, 0.1, 0.2, 0.0])
    channel = HAND_NOISE.on(HAND_EDGES).channel_matrix()
    result = iterate(channel, np.array([10, 20, 30, 20, 0, 0]), start, stop="tol")
    assert result.history[0].tolist() == start.tolist()
    assert result.probabilities[3] == 0
    with pytest.raises(ValueError, match=r"counts must be zero where .* got 5 at \(5,\)"):
        iterate(channel, np.array(HAND_COUNTS), np.array([0.5, 0.3, 0.2, 0]))


# What the result can do


def test_summaries_of_one_result_and_of_a_batch():
    result, other = (
        reconstruct_distribution(
            None, AdditiveNoise("uniform", scale=1e-6), [0, 1, 3, 7], counts=counts
        )
        for counts in ([0, 20, 30, 50, 0], [[[0, 1, 2, 1, 0], [0, 20, 30, 50, 0]]])
    )
    assert result.history[0] == pytest.approx(np.array([1, 2, 4]) / 7)  # uniform over the domain
    assert other.mean().shape == (1, 2)
    assert other.mean()[0, 1] == pytest.approx(result.mean())
    assert other.counts().sum(axis=-1) == pytest.approx(np.array([[4, 100]]))
    assert result.probabilities == pytest.approx([0.2, 0.3, 0.5], abs=1e-6)
    # the same from many values spread evenly
    thirds = [(0, 1, 20_001), (1, 3, 30_001), (3, 7, 50_001)]
    x = np.concatenate([np.linspace(*third) for third in thirds])
    assert result.mean() == pytest.approx(x.mean(), abs=1e-3)
    assert result.counts() == pytest.approx([20, 30, 50], abs=1e-3)
    assert result.counts(10) == pytest.approx([2, 3, 5], abs=1e-4)


# Whole numbers


@pytest.mark.parametrize("distribution", LAWS)
def test_channel_of_whole_numbers_is_the_distribution_function(distribution):
    scale = 0.3
    channel = AdditiveNoise(distribution, scale=scale).on(np.arange(3.0, 9.0) - 0.5, whole=True)
    ends = np.concatenate([[-np.inf], channel.cells[1:-1], [np.inf]])
    cdf = LAWS[distribution](scale).cdf(ends[:, None] - np.arange(3.0, 8.0))
    # 1e-4 / scale times the largest density, 1/2, is the most that the width 2e-4 smears
    np.testing.assert_allclose(channel.channel_matrix(), np.diff(cdf, axis=0), atol=2e-4)
    np.testing.assert_allclose(channel.channel_matrix().sum(axis=0), 1)
    shares = [0.4, 0.05, 0.25, 0.1, 0.2]  # what is expected of each interval leads back to them
    counts, run = 1e6 * channel.channel_matrix() @ shares, {"stop": "tol", "tol": 1e-12}
    again = reconstruct_distribution(None, channel, counts=counts, max_iter=10_000, **run)
    assert again.probabilities == pytest.approx(shares, abs=1e-6)


def test_values_no_whole_number_reaches_are_named_and_go_to_the_nearest():
    channel = AdditiveNoise("uniform", scale=0.2).on(np.arange(4) - 0.5, whole=True)
    Z = [0.1, 0.3, 1.9, 2.1]  # 0.3 is 0.3 from 0 and 0.7 from 1
    with pytest.warns(UnexplainedValueWarning, match=r"1 disguised value\(s\) lie where no value"):
        found = reconstruct_distribution(Z, channel)
    np.testing.assert_allclose(found.probabilities, [0.5, 0, 0.5])


# Other channels, inversion and projection


@pytest.mark.parametrize(("n_released", "m"), [(4, 4), (7, 3)])
def test_invert_and_em_find_what_was_mixed(n_released, m):
    rng = np.random.default_rng(1)
    channel = np.eye(n_released, m) + rng.dirichlet(np.ones(n_released), m).T
    channel /= channel.sum(axis=0)
    truth = rng.dirichlet(np.full(m, 5.0), (3, 2))
    counts = np.array([[1000], [20]])[:, np.newaxis] * (truth[:2] @ channel.T)
    result = invert(channel, counts)
    assert result.proportions == pytest.approx(truth[:2])
    assert result.counts.sum(axis=-1) == pytest.approx(result.n)
    limit = em(channel, counts, stop="tol", tol=1e-13)
    assert limit.probabilities == pytest.approx(truth[:2], abs=1e-9)


@pytest.mark.parametrize("scale", [0.01, 0.1, 1, 30, 1e12])
def test_counts_need_not_be_whole_nor_many(scale):
    channel, counts = [[0.8, 0.2], [0.2, 0.8]], np.array([4.0, 6.0])
    one, other = invert(channel, counts), invert(channel, scale * counts)
    assert other.counts == pytest.approx(scale * one.counts)
    assert other.proportions == pytest.approx(one.proportions)
    assert np.isnan(other.standard_errors).all() == (10 * scale <= 1)
    p, q = (em(channel, c, stop="tol").probabilities for c in (counts, scale * counts))
    assert p == pytest.approx(q, abs=1e-14)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_estimates_and_squared_errors_are_unbiased():
    """Summed over all that three of people may report, each with its probability."""
    channel = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.2], [0.1, 0.1, 0.7]])
    released, inverse = channel @ [0.5, 0.3, 0.2], np.linalg.inv(channel)
    counts = np.array([each for each in np.ndindex(4, 4, 4) if sum(each) == 3])
    chance, result = stats.multinomial(3, released).pmf(counts), invert(channel, counts)
    covariance = 3 * inverse @ (np.diag(released) - np.outer(released, released)) @ inverse.T
    assert chance @ result.counts == pytest.approx([1.5, 0.9, 0.6])
    assert chance @ result.standard_errors**2 == pytest.approx(np.diag(covariance))


def test_invert_warns_and_keeps_negative_estimates():
    channel = [[0.8, 0.2], [0.2, 0.8]]
    with pytest.warns(NegativeEstimateWarning, match="1 of 2 estimated counts fell below zero"):
        result = invert(channel, [10, 90])
    assert result.counts == pytest.approx([-100 / 6, 700 / 6])
    assert np.isnan(invert(np.eye(2), [1, 0]).standard_errors).all()
    empty = invert(np.eye(2), [[3, 1], [0, 0]])
    assert empty.counts[1].tolist() == empty.proportions[1].tolist() == [0, 0]


def test_invert_refuses_a_channel_without_inverse():
    smooth = AdditiveNoise(scale=1.0).on(np.linspace(0, 1, 101)).channel_matrix()
    with pytest.raises(ValueError, match=r"100 linearly independent columns"):
        invert(smooth, np.ones(len(smooth)))


@given(
    values=st.lists(st.floats(-10, 10), min_size=1, max_size=8),
    total=st.floats(0.1, 20),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=80)
def test_projections(values, total, seed):
    nearest = project(values, method="simplex", total=total)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(total)
    # no other legal point is nearer
    others = total * np.random.default_rng(seed).dirichlet(np.ones(len(values)), 50)
    distance = np.linalg.norm(nearest - values)
    assert (np.linalg.norm(others - values, axis=1) >= distance - 1e-9).all()
    assert project(nearest, method="simplex", total=total) == pytest.approx(nearest, abs=1e-9)
    values[0] = 1.0
    positive = np.maximum(values, 0)
    clipped = project(values, total=total)
    assert clipped == pytest.approx(total * positive / positive.sum())
    for method in ("clip", "simplex"):  # a row with another total at once
        rows = project([values, values[::-1]], method=method, total=[total, 1])
        both = [project(values, method=method, total=total),
                project(values[::-1], method=method, total=1)]  # fmt: skip
        assert rows == pytest.approx(np.array(both))
    assert project([1.0, 3.0]).tolist() == [1, 3]  # a legal one stays


# Bad input


def test_a_missing_value_far_down_is_found():
    w = np.zeros(20_000)
    w[15_000] = np.nan
    for edges in (HAND_EDGES, [0, 0.1, 1]):
        with pytest.raises(ValueError, match=r"released .*, the first in row 15000"):
            HAND_NOISE.on(edges).count(w)


def test_value_classes_are_reconstructed_too():
    x = np.random.default_rng(0).beta(2, 5, (4000, 2))
    classes = ValueClassMembership(5, domain=[[0, 1], [0, 1]])
    codes, edges = classes.fit_transform(x), np.linspace(0, 1, 11)
    for j in range(2):
        alone = reconstruct_distribution(codes[:, j], classes, edges, feature=j)
        share = np.bincount(codes[:, j], minlength=5) / 4000
        # a class of two intervals says nothing about which; their halves stay alike
        assert alone.probabilities == pytest.approx(np.repeat(share / 2, 2))


GIVEN = {"disguised": [0.1, 0.2, 0.3], "noise": HAND_NOISE, "edges": HAND_EDGES}
test_bad_options = refusals(
    ({"edges": [0, 0.2, 1], "smooth": True}, "smooth must be False where edges"),
    ({"counts": HAND_COUNTS}, "give either disguised or counts"),
    ({"noise": ValueClassMembership(4, domain=[[0, 1]]), "kernel": "midpoint"},
     "kernel must be 'cell' for"),
    by=lambda changes: reconstruct_distribution(**GIVEN | changes),
)  # fmt: skip
