"""ReconstructedTreeClassifier against a slow literal version, at its limits, and the paper."""

from itertools import pairwise

import numpy as np
import pytest
from literal.reconstructed import agrawal, literal_codes, literal_local, tree_of
from sklearn.tree import DecisionTreeClassifier

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
    for n_intervals in (None, 40):
        how = {"n_intervals": n_intervals, "pruning": "stochastic"}
        model = ReconstructedTreeClassifier(noise, "none", **how).fit(X, y)
        plain = CountTreeClassifier(domain=AGRAWAL_DOMAIN, **how)
        assert model.estimator_.export_text() == plain.fit(X, y).export_text()


@pytest.mark.parametrize("function", [1, 2, 3])
def test_none_makes_the_splits_of_an_exact_tree(function):
    X, _, y, noise = agrawal(3000, function, "uniform", 1.0)
    model = tree_of(noise, "none", max_depth=4, pruning=None).fit(X, y)
    ours, leaf = model.estimator_.tree_, model.estimator_.apply(X)
    inside = {}
    for node in range(ours.n_nodes - 1, -1, -1):
        below = [inside[child] for child in ours.children(node).tolist()]
        inside[node] = np.concatenate(below) if below else np.flatnonzero(leaf == node)
        # Two splits of a small node may be equally good, so the splits themselves may differ, and
        # all below: each is as good as the best of scikit-learn's on the records of its node.
        here = inside[node]
        best = DecisionTreeClassifier(max_depth=1).fit(X[here], y[here]).tree_
        impurity = best.impurity * best.n_node_samples / here.size
        if below:
            assert ours.gain[node] == pytest.approx(impurity[0] - impurity[1:].sum(), abs=1e-9)
        else:
            assert best.node_count == 1 or ours.depth[node] == 4
    assert ours.n_nodes >= 5


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
    X, Z, y, noise = agrawal(5000, 3, distribution, 1e-5)
    X_test, y_test = make_agrawal(2000, 3, random_state=1)
    clear = tree_of(noise, "none", n_intervals=50).fit(X, y).score(X_test, y_test)
    # a record in 100,000 crosses an edge; randomized cuts the whole numbers elsewhere
    assert tree_of(noise, strategy).fit(Z, y).score(X_test, y_test) > clear - 0.02


def test_intervals_follow_the_number_of_records():
    for n, m in ((500, 10), (3300, 33), (20_000, 100)):
        X, Z, y, noise = agrawal(n, 1, "uniform", 1.0)
        model = tree_of(noise, "byclass").fit(Z, y)
        sizes = [len(e) - 1 for e in model.edges_]
        assert sizes == [m, m, m, 5, 20, 9, m, m, m]
    assert model.edges_[4].tolist() == (np.arange(1, 22) - 0.5).tolist()
    seven = ReconstructedTreeClassifier(noise, "none", n_intervals=7, integer_features=[3])
    model = seven.fit(X, y)
    assert [len(e) - 1 for e in model.edges_] == [7, 7, 7, 5, 7, 7, 7, 7, 7]
    model = ReconstructedTreeClassifier(noise, integer_features=[0]).fit(Z, y)
    assert len(model.edges_[0]) - 1 == 100  # 130,001 whole numbers are cut like any other


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
    same = [{"min_node_records": 3001}, {"min_class_records": 1501}]
    for sizes in same:
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


@pytest.fixture(scope="module")
def at_100_percent():
    found = {}
    for function, distribution, strategies in (
        (1, "uniform", ("global", "byclass")),
        (1, "gaussian", ("byclass",)),
        (2, "uniform", ("byclass", "local")),
    ):
        _, Z, y, noise = agrawal(100_000, function, distribution, 1.0, seed=function)
        X_test, y_test = make_agrawal(5000, function, random_state=99)
        for strategy in strategies:
            model = tree_of(noise, strategy).fit(Z, y)
            found[function, distribution, strategy] = 100 * model.score(X_test, y_test)
    return found


# Middles are means of twelve runs of the same with seeds 100, ..., 111 (training) and other test
# sets, in which the standard deviation of one run was what a comment says; windows are five of it.
# The stored table as00_accuracy has three more seeds of each, drawn in another order.


def test_function_1_byclass(at_100_percent):
    assert at_100_percent[1, "uniform", "byclass"] == pytest.approx(98.3, abs=1.1)  # .22
    assert at_100_percent[1, "gaussian", "byclass"] == pytest.approx(94.4, abs=2.5)  # .50


def test_function_1_global_is_far_behind_with_sliq_pruning(at_100_percent):
    ahead = at_100_percent[1, "uniform", "byclass"] - at_100_percent[1, "uniform", "global"]
    assert ahead == pytest.approx(42.7, abs=4.7)  # .94


def test_function_2_local_is_ahead(at_100_percent):
    ahead = at_100_percent[2, "uniform", "local"] - at_100_percent[2, "uniform", "byclass"]
    assert ahead == pytest.approx(8.9, abs=5.2)  # 1.04


def test_reconstructing_again_below_a_split_wrecks_the_tree():
    _, Z, y, noise = agrawal(100_000, 1, "gaussian", 0.25)
    X_test, y_test = make_agrawal(5000, 1, random_state=1)
    kept = tree_of(noise, "local").fit(Z, y).score(X_test, y_test)
    again = tree_of(noise, "local", keep_split=False).fit(Z, y).score(X_test, y_test)
    assert kept == pytest.approx(0.983, abs=0.010)  # .0020
    assert again == pytest.approx(0.775, abs=0.098)  # .0196: mostly between training sets


