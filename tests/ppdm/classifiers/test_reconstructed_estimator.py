"""The trees from reconstructions as estimators, and what they refuse."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from literal.reconstructed import agrawal, tree_of
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ppdm.classifiers import MixtureTreeClassifier, ReconstructedTreeClassifier
from ppdm.datasets import AGRAWAL_DOMAIN
from ppdm.exceptions import ConvergenceWarning, UnexplainedValueWarning
from ppdm.noise import AdditiveNoise, ValueClassMembership
from ppdm.reconstruction import reconstruct_distribution

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
