"""ReconstructedTreeClassifier against a slow literal version, at its limits, and the paper."""

from itertools import pairwise

import numpy as np
import pytest
from literal.reconstructed import agrawal, literal_codes, literal_local, tree_of

from ppdm.classifiers import ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.noise import AdditiveNoise
from ppdm.tree import CountTreeClassifier

DISTRIBUTIONS = ("uniform", "gaussian", "laplace")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("strategy", ["global", "byclass"])
def test_root_strategies_are_the_literal_ones(distribution, strategy):
    _, Z, y, noise = agrawal(3000, 3, distribution, 0.5)
    model = tree_of(noise, strategy, max_depth=5).fit(Z, y)
    groups = y if strategy == "byclass" else np.zeros_like(y)
    empty = np.zeros(Z.shape, dtype=int)
    codes = literal_codes(Z, groups, noise, model.edges_, empty, range(9))
    literal = CountTreeClassifier(max_depth=5, pruning="sliq").fit_codes(codes, y, model.edges_)
    assert model.estimator_.export_text() == literal.export_text()
    assert model.estimator_.get_n_leaves() > 2


def test_local_is_the_literal_recursion():
    _, Z, y, noise = agrawal(9000, 2, "uniform", 0.5)
    model = tree_of(noise, "local", max_depth=4, pruning=None).fit(Z, y)
    edges = model.edges_
    codes = literal_codes(Z, y, noise, edges, np.zeros(Z.shape, dtype=int), range(9))
    literal = literal_local(Z, y, noise, edges, codes, set(), 0, 4)
    tree = model.estimator_.tree_
    columns = (tree.depth, tree.feature, tree.threshold, tree.counts.sum(axis=1).astype(int))
    ours = [tuple(node) for node in np.stack(columns, axis=1)[~tree.is_leaf].tolist()]
    assert sorted(ours) == sorted(literal)
    assert len(ours) > 8
    # it would pass if nothing were reconstructed below the root: see that it was
    byclass = tree_of(noise, "byclass", max_depth=4, pruning=None).fit(Z, y)
    assert byclass.estimator_.export_text() != model.estimator_.export_text()


# --- what a strategy stands for ---


def test_none_is_the_tree_on_clear_records_cut_between_their_values():
    X, _, y, noise = agrawal(4000, 2, "uniform", 1.0)
    for n_intervals, whole in ((None, None), (None, AGRAWAL_INTEGER), (40, None)):
        how = {"n_intervals": n_intervals, "pruning": "stochastic"}
        model = ReconstructedTreeClassifier(noise, "none", integer_features=whole, **how).fit(X, y)
        plain = CountTreeClassifier(**how).fit(X, y)
        if n_intervals:  # cut the domain, not what occurs of it
            edges = np.linspace(*AGRAWAL_DOMAIN.T, n_intervals + 1, axis=1)
            codes = [np.searchsorted(e[1:-1], x, "right") for e, x in zip(edges, X.T, strict=True)]
            plain.fit_codes(np.transpose(codes), y, edges)
        assert model.estimator_.export_text() == plain.export_text()


def test_none_cuts_at_each_midpoint_and_at_no_other_place():
    X, _, y, noise = agrawal(300, 1, "uniform", 1.0)
    model = tree_of(noise, "none").fit(X, y)
    for j in np.flatnonzero(~AGRAWAL_INTEGER):
        values = sorted(set(X[:, j].tolist()))
        midway = [(a + b) / 2 for a, b in pairwise(values)]
        low, high = AGRAWAL_DOMAIN[j]
        np.testing.assert_allclose(model.edges_[j], [low, *midway, high], rtol=1e-15)


def test_none_tells_neighbouring_floats_apart():
    X = np.repeat([[1.0], [np.nextafter(1.0, 2.0)]], 5, axis=0)
    y = np.repeat([0, 1], 5)
    noise = AdditiveNoise("gaussian", scale=1.0)
    model = ReconstructedTreeClassifier(noise, "none", pruning=None).fit(X, y)
    assert (model.predict(X) == y).all()


def test_randomized_is_the_tree_on_disguised_records_over_their_range():
    _, Z, y, noise = agrawal(4000, 2, "gaussian", 1.0)
    model = tree_of(noise, "randomized").fit(Z, y)
    plain = CountTreeClassifier(n_intervals=40, pruning="sliq").fit(Z, y)
    assert model.estimator_.export_text() == plain.export_text()
    np.testing.assert_allclose([e[0] for e in model.edges_], Z.min(axis=0))
    np.testing.assert_allclose([e[-1] for e in model.edges_], Z.max(axis=0))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("strategy", ["randomized", "global", "byclass", "local"])
def test_with_hardly_any_noise_every_strategy_sees_the_clear_records(distribution, strategy):
    X, Z, y, noise = agrawal(5000, 3, distribution, 1e-9)
    fresh, _ = make_agrawal(2000, 3, random_state=1)
    clear = tree_of(noise, "none", n_intervals=50).fit(X, y).predict(fresh)
    differ = (tree_of(noise, strategy).fit(Z, y).predict(fresh) != clear).mean()
    # one of 50 * 45,000 / 1e9 values crosses an edge. Randomized cuts the range of 5,000 values,
    # not the domain: an end lies an exponential step of 1/5,000 inside, beyond nine of them once
    # in 8,000, and none of three cuts moves further; and four errors of 2,000 records
    most = 3 * 9 / 5000
    assert differ <= (most + 4 * (most / 2000) ** 0.5 if strategy == "randomized" else 0)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_root_split_of_local_is_that_of_byclass(distribution):
    _, Z, y, noise = agrawal(10_000, 2, distribution, 1.0)
    trees = [tree_of(noise, s).fit(Z, y).estimator_.tree_ for s in ("byclass", "local")]
    assert trees[0].feature[0] == trees[1].feature[0]
    assert trees[0].threshold[0] == trees[1].threshold[0]
    np.testing.assert_array_equal(trees[0].counts[1:3], trees[1].counts[1:3])


def test_local_is_byclass_where_no_node_is_large_enough():
    _, Z, y, noise = agrawal(3000, 2, "uniform", 0.5)
    byclass = tree_of(noise, "byclass").fit(Z, y).estimator_.export_text()
    for sizes in ({"min_node_records": 3001}, {"min_class_records": 1501}):
        assert tree_of(noise, "local", **sizes).fit(Z, y).estimator_.export_text() == byclass
    # a node of the first level is large enough where it just is
    grown = tree_of(noise, "byclass").fit(Z, y).estimator_.tree_
    level = grown.counts[grown.depth == 1]
    for name, most in (
        ("min_node_records", level.sum(axis=1).max()),
        ("min_class_records", level.min(axis=1).max()),
    ):
        for least, differs in ((int(most), True), (int(most) + 1, False)):
            sizes = {"min_node_records": 1, "min_class_records": 1, name: least}
            local = tree_of(noise, "local", **sizes).fit(Z, y).estimator_.export_text()
            assert (local != byclass) == differs


# --- the paper: 100,000 records, all attributes with noise, tested on clear records ---


# Errors among 5,000 in 40 runs with seeds 200 to 239: of function 1 none or one, .05 on average,
# of function 3 up to 6, 1.3 on average; 4 and 10 are beyond one Poisson draw in a million. Of
# function 2 the root's gain is small, and where its cut falls amiss a hundred leaves follow: most
# runs have two errors or fewer, the worst of 42 had 32. Three times that is let pass.
@pytest.mark.parametrize(("function", "least"), [(1, 0.9992), (2, 0.98), (3, 0.998)])
def test_original_of_the_paper_has_hardly_an_error(function, least):
    X, _, y, noise = agrawal(100_000, function, "uniform", 1.0)
    X_test, y_test = make_agrawal(5000, function, random_state=99)
    assert tree_of(noise, "none").fit(X, y).score(X_test, y_test) >= least


# Middles are means of twelve runs of the same with seeds 100, ..., 111 (training) and other test
# sets, in which the standard deviation of one run was what a comment says; windows are five of it.
# The stored table as00_accuracy has three more seeds of each, drawn in another order.


def percents(function, distribution, *strategies):
    """Return the accuracies of strategies on the same records."""
    _, Z, y, noise = agrawal(100_000, function, distribution, 1.0, seed=function)
    X_test, y_test = make_agrawal(5000, function, random_state=99)
    return [100 * tree_of(noise, each).fit(Z, y).score(X_test, y_test) for each in strategies]


def test_function_1_byclass_and_global_far_behind_with_sliq_pruning():
    behind, byclass = percents(1, "uniform", "global", "byclass")
    assert byclass == pytest.approx(98.3, abs=1.1)  # .22
    assert byclass - behind == pytest.approx(42.7, abs=4.7)  # .94
    assert percents(1, "gaussian", "byclass") == pytest.approx([94.4], abs=2.5)  # .50


def test_function_2_local_is_ahead():
    byclass, local = percents(2, "uniform", "byclass", "local")
    assert local - byclass == pytest.approx(8.9, abs=5.2)  # 1.04


def test_reconstructing_again_below_a_split_wrecks_the_tree():
    _, Z, y, noise = agrawal(100_000, 1, "gaussian", 0.25)
    X_test, y_test = make_agrawal(5000, 1, random_state=1)
    kept = tree_of(noise, "local").fit(Z, y).score(X_test, y_test)
    again = tree_of(noise, "local", keep_split=False).fit(Z, y).score(X_test, y_test)
    assert kept == pytest.approx(0.983, abs=0.010)  # .0020
    assert again == pytest.approx(0.775, abs=0.098)  # .0196: mostly between training sets


