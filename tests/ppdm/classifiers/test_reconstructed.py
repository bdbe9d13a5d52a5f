"""ReconstructedTreeClassifier against a slow literal version, at its limits, and the paper;
what learners that reconstruct take and refuse.
"""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from literal.reconstructed import agrawal, literal_codes, literal_local, tree_of
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ppdm.classifiers import MixtureTreeClassifier, ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.exceptions import ConvergenceWarning, UnexplainedValueWarning
from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.reconstruction import reconstruct_distribution
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


# --- as an estimator ---


def learners(**options):
    """Return each learner that reconstructs; the mixture is small."""
    small = {"n_intervals": 10, "n_components": 3, "n_passes": 2, "random_state": 0}
    return [
        *(partial(ReconstructedTreeClassifier, strategy=strategy, **options)
          for strategy in ("global", "byclass", "local")),
        partial(MixtureTreeClassifier, **small | options),
    ]  # fmt: skip


@pytest.mark.parametrize("learner", learners(classes=["top", "low", "middle"]))
def test_several_classes_with_names_and_columns(learner):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0, 9, (6000, 2)), columns=["age", "loan"])
    y = np.array(["low", "middle", "top"])[(frame["age"] // 3).astype(int)]
    noise = AdditiveNoise("gaussian", 0.3, domain=[[0, 9], [0, 9]], random_state=rng).fit(frame)
    Z = pd.DataFrame(noise.transform(frame), columns=frame.columns)
    model = learner(clone(noise)).fit(Z, y)
    assert model.classes_.tolist() == ["low", "middle", "top"]
    assert model.feature_names_in_.tolist() == ["age", "loan"]
    proba = model.predict_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(frame)).all()
    assert model.score(frame, y) > 0.9
    # read by place, a loan would be taken for an age, and two of three classes be wrong
    turned = learner(noise).fit(Z[["loan", "age"]], y)
    assert turned.feature_names_in_.tolist() == ["age", "loan"]
    assert turned.score(frame, y) > 0.9
    with pytest.raises(ValueError, match=r"X must have the scheme's columns .*lost: \['age'\]"):
        learner(noise).fit(Z[["loan"]], y)


def test_noise_may_be_unfitted_and_is_left_as_it_is():
    _, Z, y, noise = agrawal(2000, 1, "uniform", 0.5)
    fresh = clone(noise)
    model = tree_of(fresh, "byclass").fit(Z, y)
    assert not hasattr(fresh, "scale_")
    same = tree_of(noise, "byclass").fit(Z, y)
    assert model.estimator_.export_text() == same.estimator_.export_text()
    assert cross_val_score(tree_of(noise, "byclass"), Z, y, cv=2).min() > 0.5


def test_with_a_scale_and_no_domain_the_intervals_span_the_values():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (4000, 2))
    noise = AdditiveNoise("gaussian", scale=[0.1, 0.2], random_state=rng)
    Z = noise.fit_transform(X)
    unfitted = AdditiveNoise("gaussian", scale=[0.1, 0.2])
    model = ReconstructedTreeClassifier(unfitted).fit(Z, X[:, 0] > 0.5)
    np.testing.assert_allclose([e[0] for e in model.edges_], Z.min(axis=0))
    np.testing.assert_allclose([e[-1] for e in model.edges_], Z.max(axis=0))
    assert model.score(X, X[:, 0] > 0.5) > 0.95


class HouseNoise:
    """A scheme that no one has heard of; it tells value classes."""

    domain = np.array([[0.0, 9.0], [0.0, 9.0]])

    def __init__(self):
        self.classes = ValueClassMembership(9, domain=self.domain)

    def on(self, edges, *, feature=0):
        return self.classes.on(edges, feature=feature)


@pytest.mark.parametrize("learner", learners(n_intervals=9))
def test_another_noise_needs_on_and_its_domain(learner):
    X = np.random.default_rng(0).uniform(0, 9, (4000, 2))
    y = X[:, 0] > 3
    noise = HouseNoise()
    model = learner(noise).fit(noise.classes.fit_transform(X), y)
    # an edge of the classes is the class boundary: nothing is lost
    assert model.score(X, y) == 1.0
    assert model.edges_[1].tolist() == list(range(10))


def test_a_reconstruction_cut_short_is_named():
    _, Z, y, noise = agrawal(2000, 1, "gaussian", 1.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        tree_of(noise, "byclass", max_iter=2).fit(Z, y)
    # without a rule every step is made, and nothing has failed
    assert tree_of(noise, "byclass", stop=None, max_iter=2).fit(Z, y).n_iter_.tolist() == [2] * 9


def test_steps_are_those_of_the_slowest_class():
    _, Z, y, noise = agrawal(3000, 1, "gaussian", 0.5)
    model = ReconstructedTreeClassifier(noise).fit(Z, y)
    alone = [reconstruct_distribution(Z[:, j], noise, edges, feature=j, labels=y).n_iter.max()
             for j, edges in enumerate(model.edges_)]  # fmt: skip
    assert model.n_iter_.tolist() == alone
    assert tree_of(noise, "randomized").fit(Z, y).n_iter_.tolist() == [0] * 9


# --- bad input ---


@pytest.fixture(scope="module")
def small():
    _, Z, y, noise = agrawal(400, 1, "uniform", 0.5)
    return Z, y, noise


@pytest.mark.parametrize("learner", [ReconstructedTreeClassifier, MixtureTreeClassifier])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": AdditiveNoise()}, "AdditiveNoise instance is not fitted yet"),
        ({"scheme": AdditiveNoise(domain=[[0, 1]])}, r"for the 9 attribute\(s\) of X, got 1"),
        ({"scheme": AdditiveNoise(scale=[1.0, 2.0])}, r"for the 9 attribute\(s\) of X, got 2"),
        (
            {"scheme": AdditiveNoise(scale=1.0).fit(np.zeros((2, 9)))},
            r"scheme must be for attributes that vary, got \[0.0, 0.0\] for attribute 0",
        ),
        (
            {"integer_features": [0], "scheme": AdditiveNoise(domain=AGRAWAL_DOMAIN - 0.25)},
            r"whole numbers as the domain .*, got \[19999.75, 149999.75\] for attribute 0",
        ),
        ({"classes": [0, 1, 2]}, r"classes \[0, 1, 2\], .* got \[0, 1\]"),
    ],
)
def test_bad_parameters_are_named(small, learner, options, message):
    Z, y, noise = small
    with pytest.raises((ValueError, TypeError), match=message):
        learner(**{"scheme": noise} | options).fit(Z, y)


def test_bad_records_are_named(small):
    Z, y, noise = small
    constant = Z.copy()
    constant[:, 4] = 7.5
    message = r"constant attribute in n_samples=400, got \[7.5, 7.5\] for attribute 4"
    for strategy in ("randomized", "global", "byclass", "local"):
        with pytest.raises(ValueError, match=message):
            tree_of(noise, strategy).fit(constant, y)
    with pytest.raises(ValueError, match="X must lie inside domain"):
        tree_of(noise, "none").fit(Z, y)


def test_a_clear_attribute_may_be_constant_within_known_bounds():
    X, _, y, noise = agrawal(400, 1, "uniform", 0.5)
    X[:, 4] = 7
    assert tree_of(noise, "none").fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match=r"constant .*, got \[7.0, 7.0\] for attribute 4"):
        ReconstructedTreeClassifier(AdditiveNoise(scale=1.0), "none").fit(X, y)


def test_uniform_noise_that_cannot_explain_the_values_is_named(small):
    Z, y, _ = small
    narrow = AdditiveNoise("uniform", 0.05, domain=AGRAWAL_DOMAIN)
    with pytest.warns(UnexplainedValueWarning, match="no value inside edges"):
        ReconstructedTreeClassifier(narrow).fit(Z, y)
