"""ReconstructedTreeClassifier against a slow literal version, at its limits, and the paper;
what learners that reconstruct take and refuse.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.reconstructed import agrawal, literal_codes, literal_local, tree_of
from refusals import refusals
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ppdm.classifiers import MixtureTreeClassifier, ReconstructedTreeClassifier
from ppdm.classifiers._intervals import check_public_classes, check_spread, lay_edges
from ppdm.classifiers._reconstructed import deal, largest_remainder
from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_INTEGER, make_agrawal
from ppdm.exceptions import ConvergenceWarning, UnexplainedValueWarning
from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.reconstruction import reconstruct_distribution
from ppdm.tree import CountTreeClassifier
from ppdm.tree._records import Records

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


# Dealing records to intervals


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda p: sum(p) > 1e-3),
    st.integers(0, 10_000),
)
def test_largest_remainder_adds_up_and_is_nearest(weights, total):
    shares = np.array(weights) / sum(weights)
    counts = largest_remainder(np.stack([shares, shares[::-1]]), np.array([total, total]))
    assert (counts.sum(axis=1) == total).all()
    lost = shares * total - counts[0]
    assert (np.abs(lost) < 1 + 1e-6).all()
    # nobody rounded up had lost less than somebody rounded down
    up, down = lost < -1e-6, lost > 1e-6
    if up.any() and down.any():
        assert lost[up].min() + 1 >= lost[down].max() - 1e-6


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from(DISTRIBUTIONS))
def test_dealt_codes_ascend_with_the_values_in_every_group(seed, n_labels, distribution):
    rng = np.random.default_rng(seed)
    noise = AdditiveNoise(distribution, scale=[0.4, 0.7])
    X = rng.normal(1, 1, (200, 2))
    if distribution == "uniform":
        X = np.clip(X, -0.3, 2.3)  # within the reach of the noise
    X[:50] = X[50:100]  # ties
    labels = rng.integers(0, n_labels, 200)
    channels = [noise.on(np.linspace(0, 2, 11), feature=j) for j in range(2)]
    codes = np.full((2, 200), -1, dtype=np.int32)
    wanted = np.ones((n_labels, 2), dtype=bool)
    wanted[0, 1] = False
    records = Records(codes, labels)
    deal(records, X.T, channels, {}, np.arange(n_labels)[np.newaxis], wanted)
    codes = records.codes.T
    for g in range(n_labels):
        for j in range(2):
            mine = labels == g
            if not wanted[g, j]:
                assert (codes[mine, j] == -1).all()
                continue
            order = np.lexsort((codes[mine, j], X[mine, j]))
            assert (np.diff(codes[mine, j][order]) >= 0).all()
            if mine.any():
                shares = reconstruct_distribution(X[mine, j], channels[j]).probabilities
                expected = largest_remainder(shares, np.array(mine.sum()))
                assert np.bincount(codes[mine, j], minlength=10).tolist() == expected.tolist()


FLAT = np.array([[0.0, 4, 5], [1, 4, 5]])


test_of_several_that_are_wrong_the_first_is_named = refusals(
    (lambda: check_public_classes(np.array([1, 7, 8]), [1, 2]), r"classes \[1, 2\], got \[7\]"),
    (lambda: check_public_classes(np.array([3]), [5, 3, 4]), r"classes \[3, 4, 5\], .* got \[3\]"),
    (lambda: check_spread(FLAT, None, False, False), "n_samples=2, got .* for attribute 1"),
    (lambda: check_spread(np.eye(3), FLAT.T, False, False), "that vary, got .* for attribute 1"),
    (lambda: check_spread(np.eye(3), FLAT.T, True, True), r"got \[4.0, 4.0\] for attribute 1"),
)


def test_bounds_that_are_public_hold_for_clear_records_only():
    X, bounds = np.array([[0.0, 1], [2, 5]]), np.array([[0.0, 2], [0, 5]])
    np.testing.assert_array_equal(check_spread(X, None, False, False), [[0, 2], [1, 5]])
    for clear in (True, False):
        for inside in (True, False):
            assert check_spread(X, bounds, clear, inside) is bounds
            if clear and inside:
                with pytest.raises(ValueError, match="X must lie inside domain"):
                    check_spread(X + 1, bounds, clear, inside)
            else:
                assert check_spread(X + 1, bounds, clear, inside) is bounds


@pytest.mark.parametrize(
    ("n", "m"), [(10, 10), (1099, 10), (1100, 11), (9999, 99), (10_000, 100), (20_000, 100)]
)
def test_an_interval_for_a_hundred_records_between_ten_and_a_hundred(n, m):
    X, bounds = np.linspace(0, 4, n)[:, None], np.array([[0.0, 4]])
    (edges,), whole = lay_edges(X, bounds, np.array([False]), None, clear=False)
    assert edges == pytest.approx(np.linspace(0, 4, m + 1))
    assert not whole.any()


def test_whole_numbers_have_an_interval_each_up_to_a_hundred_of_them():
    bounds = np.array([[3.0, 5], [0, 99], [0, 100], [0, 1]])
    integer = np.array([True, True, True, False])
    edges, whole = lay_edges(np.ones((5, 4)), bounds, integer, 2, clear=False)
    assert whole.tolist() == [True, True, False, False]
    assert edges[0].tolist() == [2.5, 3.5, 4.5, 5.5]
    assert edges[1].tolist() == (np.arange(101) - 0.5).tolist()
    assert [e.tolist() for e in edges[2:]] == [[0, 50, 100], [0, 0.5, 1]]
    broken = np.array([[3.0, 5], [0.5, 99], [0, 100.5], [0, 1]])
    with pytest.raises(ValueError, match=r"integer_features, got \[0.5, 99.0\] for attribute 1"):
        lay_edges(np.ones((5, 4)), broken, integer, 2, clear=False)


def test_clear_values_are_cut_midway_and_the_largest_has_room():
    one = np.nextafter(1.0, 2)
    X, no = np.array([[0, 1.0], [2, one], [2, 1]]), np.array([False, False])
    edges, _ = lay_edges(X, np.array([[-1.0, 3], [1, one]]), no, None, clear=True)
    assert edges[0].tolist() == [-1, 1, 3]
    assert edges[1].tolist() == [1, one, np.nextafter(one, 2)]
    edges, _ = lay_edges(X, np.array([[-1.0, 3], [1, 2]]), no, 2, clear=True)
    assert [e.tolist() for e in edges] == [[-1, 1, 3], [1, 1.5, 2]]
