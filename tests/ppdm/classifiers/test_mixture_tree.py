"""Mixtures of products of histograms: EM, the draws from what it found, and the trees on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal.mixture import literal_fit, literal_posterior
from literal.reconstructed import agrawal

from ppdm.classifiers import MixtureTreeClassifier
from ppdm.classifiers._mixture_tree import (
    _draw,
    draw_intervals,
    fit_mixture,
    merge_cells,
    random_start,
)
from ppdm.datasets import AGRAWAL_INTEGER
from ppdm.exceptions import UnexplainedValueWarning
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.reconstruction import reconstruct_distribution


def filled(matrices):
    """Stack channels of several sizes, filled up with zeros."""
    both = np.zeros((len(matrices), *np.max([m.shape for m in matrices], axis=0)))
    for out, matrix in zip(both, matrices, strict=True):
        out[: len(matrix), : matrix.shape[1]] = matrix
    return both


def example(seed, n=40, n_components=3):
    """Channels, released codes, and a start: as arrays, and word by word."""
    rng = np.random.default_rng(seed)
    # 5 cells of 3 intervals, 4 of 4, 2 of 2: every array has something to fill up
    channels = [rng.dirichlet(np.ones(s), m).T for s, m in ((5, 3), (4, 4), (2, 2))]
    codes = np.stack([rng.integers(0, len(c), n) for c in channels], axis=1)
    start = random_start(np.array([3, 4, 2]), n_components, rng)
    start *= rng.dirichlet(np.ones(n_components)) * n_components  # unequal weights
    weights = start[0].sum(axis=0)
    histograms = [
        [start[j, :m, k] / weights[k] for j, m in enumerate((3, 4, 2))]
        for k in range(n_components)
    ]  # fmt: skip
    return channels, codes, start, weights, histograms


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize("batch_size", [7, 40, 100])
def test_fit_is_the_literal_one(online, batch_size):
    channels, codes, start, weights, histograms = example(0)
    rule = {"n_passes": 3, "batch_size": batch_size, "online": online}
    found = fit_mixture(codes, filled(channels), start, **rule)
    weights, histograms, heights = literal_fit(
        codes.tolist(), channels, weights, histograms, **rule
    )
    np.testing.assert_allclose(found.log_likelihood, heights, rtol=0, atol=1e-10)
    # no step of the plain form lowers it, but for one rounding of a sum of 40 logarithms
    assert online or np.diff(found.log_likelihood).min() > -1e-12
    for k, weight in enumerate(weights):
        for j, m in enumerate((3, 4, 2)):
            theirs = weight * histograms[k][j]
            np.testing.assert_allclose(found.joint[j, :m, k], theirs, rtol=0, atol=1e-10)
            assert not found.joint[j, m:, k].any()
    assert (found.joint >= 0).all()
    np.testing.assert_allclose(found.joint.sum(axis=(1, 2)), 1, rtol=1e-12)
    of_each = found.joint.sum(axis=1)  # the weights, the same for each attribute
    np.testing.assert_allclose(of_each, np.tile(of_each[0], (3, 1)), rtol=1e-12)


def test_a_start_has_equal_weights_and_full_smooth_histograms():
    sizes = np.array([30, 5, 9])
    start = random_start(sizes, 16, np.random.default_rng(0))
    np.testing.assert_allclose(start.sum(axis=1), 1 / 16)
    for histograms, m in zip(start, sizes, strict=True):
        assert (histograms[:m] > 0).all()
        assert not histograms[m:].any()
    # no two neighbours of 30 differ by more than the bump's steepest part, e^-.5 / .3 / 30 of
    # its height; an interval that stands alone would
    tops = start[0].max(axis=0)
    assert (np.abs(np.diff(start[0], axis=0)).max(axis=0) < tops * np.exp(-0.5) / 0.3 / 30).all()


# --- draws ---


def test_draws_have_the_posterior_of_all_attributes_together():
    """Not only each attribute's: the component binds them, and is drawn once a record."""
    channels, _, start, weights, histograms = example(4)
    record, n = [4, 0, 1], 60_000
    drawn = draw_intervals(
        np.tile(record, (n, 1)), filled(channels), start, np.random.default_rng(0)
    )
    table = literal_posterior(record, channels, weights, histograms)
    counts = np.bincount(np.ravel_multi_index(drawn.T, table.shape), minlength=table.size)
    p = table.ravel()
    # 24 cells, each binomial: 5 standard errors, and one count
    assert (np.abs(counts - n * p) < 5 * np.sqrt(n * p * (1 - p)) + 1).all()


def test_each_record_is_drawn_by_its_own_report():
    """Through a clear channel every draw is the truth, whatever the mixture."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, m, 500) for m in (3, 4, 2)], axis=1)
    start = random_start(np.array([3, 4, 2]), 5, rng)
    clear = filled([np.eye(3), np.eye(4), np.eye(2)])
    np.testing.assert_array_equal(draw_intervals(codes, clear, start, rng), codes)


class Says:
    """A generator whose draws are all one number."""

    def __init__(self, number):
        self.number = number

    def random(self, n, dtype):
        return np.full(n, self.number, dtype)


def test_what_has_no_mass_is_never_drawn():
    """Neither at the ends of the draws' range, nor in the last of many rows."""
    mass = np.tile([0.0, 0.3, 0.0, 0.1, 0.0], (1 << 14, 1))
    rows = np.array([0, 1, 5000, len(mass) - 1])
    assert _draw(mass, rows, Says(0.0)).tolist() == [1] * 4
    assert _draw(mass, rows, Says(1 - 2.0**-24)).tolist() == [3] * 4
    assert _draw(mass, rows, Says(0.75)).tolist() == [3] * 4
    assert _draw(mass, rows, Says(0.7499)).tolist() == [1] * 4


QUICK = {"n_components": 3, "n_passes": 2, "n_intervals": 10, "random_state": 0}


def crossed(n, noise=None, seed=0):
    """Two attributes of which none alone tells the class: high and low, or low and high."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (n, 2))
    if noise is None:
        noise = AdditiveNoise("uniform", 1.0, domain=[[0, 1]] * 2, random_state=rng)
    return X, noise.fit_transform(X), (X[:, 0] > 0.5) != (X[:, 1] > 0.5), noise


def mixture_tree(noise, **options):
    return MixtureTreeClassifier(noise, **QUICK | options)


# --- what it is for ---


@pytest.mark.parametrize("wave", [False, True])
def test_what_binds_attributes_within_a_class_is_kept(wave):
    """Each attribute has the same distribution in both classes, so a histogram each knows nothing.

    Accuracies of 20,000 records have a standard error of .0035 at most; the rest is for the trees.
    """
    noise = SquareWave(2.07, domain=[[0, 1]] * 2, random_state=1) if wave else None
    X, Z, y, noise = crossed(20_000, noise)
    mixed = MixtureTreeClassifier(noise, random_state=0).fit(Z, y).score(X, y)
    alone = MixtureTreeClassifier(noise, n_components=1, random_state=0).fit(Z, y).score(X, y)
    assert mixed > alone + 0.1


def test_more_trees_vote_with_the_mean_of_their_shares():
    X, Z, y, noise = crossed(4000)
    model = mixture_tree(noise, n_starts=2, n_draws=3).fit(Z, y)
    assert len(model.estimators_) == 6
    assert [len(of_start) for of_start in model.mixtures_] == [2, 2]
    shares = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), shares)
    np.testing.assert_array_equal(model.predict(X), shares[:, 1] > shares[:, 0])
    # starts, draws and classes differ; a draw from the same mixture gives another tree
    joints = [m.joint for of_start in model.mixtures_ for m in of_start]
    assert len({joint.tobytes() for joint in joints}) == 4
    assert len({tree.export_text() for tree in model.estimators_}) == 6


def test_every_record_is_drawn_once_in_its_class():
    """The counts at a root are the classes' sizes: no record is lost, doubled or moved."""
    _, Z, y, noise = agrawal(1500, 2, "gaussian", 0.5)
    y[:200] = 2
    model = mixture_tree(noise, integer_features=AGRAWAL_INTEGER, n_draws=2).fit(Z, y)
    for tree in model.estimators_:
        assert tree.tree_.counts[0].tolist() == np.bincount(y).tolist()


def test_one_component_draws_what_byclass_reconstructs():
    """From another start: after 300 steps the rest of it is what the noise lets nothing say of."""
    _, Z, y, noise = agrawal(4000, 1, "gaussian", 0.5)
    rule = {"n_components": 1, "online": False, "n_passes": 300, "n_cells": 10_000}
    model = MixtureTreeClassifier(noise, n_intervals=20, random_state=0, **rule).fit(Z, y)
    for j, edges in enumerate(model.edges_):
        options = {"feature": j, "labels": y, "stop": None, "max_iter": 300}
        theirs = reconstruct_distribution(Z[:, j], noise, edges, **options)
        for c in (0, 1):
            miss = np.abs(model.mixtures_[0][c].joint[j, :, 0] - theirs.probabilities[c])
            assert miss.sum() / 2 < 0.05


# --- as an estimator ---


def test_a_seed_repeats_and_none_or_a_generator_does_not():
    X, Z, y, noise = crossed(2000)
    once, again = (mixture_tree(noise).fit(Z, y) for _ in range(2))
    np.testing.assert_array_equal(once.predict_proba(X), again.predict_proba(X))
    moving = mixture_tree(noise, random_state=np.random.default_rng(0))
    trees = [moving.fit(Z, y).estimators_[0].export_text() for _ in range(2)]
    trees += [mixture_tree(noise, random_state=s).fit(Z, y).estimators_[0].export_text()
              for s in (None, None, 1)]  # fmt: skip
    assert len(set(trees)) == 5


def test_whole_numbers_are_their_own_intervals():
    X, Z, y, noise = agrawal(3000, 3, "uniform", 0.5)
    model = mixture_tree(noise, integer_features=AGRAWAL_INTEGER).fit(Z, y)
    sizes = [len(edges) - 1 for edges in model.edges_]
    assert sizes == [10, 10, 10, 5, 20, 9, 10, 10, 10]
    joint = model.mixtures_[0][0].joint
    assert joint.shape == (9, 20, 3)
    assert [int((of > 0).any(axis=1).sum()) for of in joint] == sizes
    assert model.score(X, y) > 0.5


# --- cells ---


@given(
    counts=st.lists(st.integers(0, 50), min_size=1, max_size=80).filter(any),
    n_cells=st.integers(1, 90),
)
def test_merged_cells_are_neighbours_and_hold_about_an_equal_part(counts, n_cells):
    merged = merge_cells(np.array(counts), n_cells)
    if len(counts) <= n_cells:
        assert merged.tolist() == list(range(len(counts)))
        return
    assert len(merged) == len(counts)
    assert merged[0] == 0
    assert set(np.diff(merged)) <= {0, 1}
    counted = np.array(counts) > 0
    assert merged[counted].max() < n_cells
    assert merged[-1] <= n_cells  # empty cells behind the last record
    held = np.bincount(merged, counts)
    alone = np.bincount(merged) == 1
    # a new cell's records have their middles within one part: half a cell reaches out each side
    part = sum(counts) / n_cells
    assert (held[~alone] <= part + max(counts) + 1e-9).all()


def test_merging_is_that_of_the_records():
    assert merge_cells(np.array([1, 1, 2, 4, 0, 0, 8]), 4).tolist() == [0, 0, 0, 1, 2, 2, 3]


def test_a_report_that_nothing_explains_tells_nothing():
    """It is counted, drawn like the others of its class, and a warning names how many."""
    _, Z, y, noise = crossed(3000)
    far = Z.copy()
    far[:7, 0] = 2.9

    class Gap:
        domain = np.array([[0.0, 1.0]] * 2)

        def on(self, edges, *, feature=0):
            cells = np.linspace(-2, 3, 51)
            return noise.on(edges, feature=feature, cells=cells)

    with pytest.warns(UnexplainedValueWarning, match=r"7 disguised value\(s\) lie where no value"):
        model = mixture_tree(Gap()).fit(far, y)
    assert model.estimators_[0].tree_.counts[0].sum() == 3000
    assert np.isfinite(model.mixtures_[0][0].log_likelihood).all()
