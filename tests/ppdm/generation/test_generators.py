"""Both generators of samples, seeds, sizes, frames, refusals; the loop of the paper; Gaussians."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ppdm.datasets import load_pima
from ppdm.exceptions import MissingClassWarning
from ppdm.generation import GaussianSampleGenerator, SampleGenerator, default_estimators
from ppdm.generation import _generators as generation

IRIS_X, IRIS_Y = load_iris(return_X_y=True)


def constant(label):
    return DummyClassifier(strategy="constant", constant=label)


def two_classes(n=200, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] > 0).astype(int)


def loop_of_the_paper(classifiers, low, high, n, rng):
    """LX14, Fig. 1, one candidate at a time."""
    MA, Mc, drawn = [], [], 0
    while len(MA) < n:
        drawn += 1
        Y = [low[j] + rng.random() * (high[j] - low[j]) for j in range(len(low))]
        votes = [classifier.predict([Y])[0] for classifier in classifiers]
        if all(vote == votes[0] for vote in votes):
            MA.append(Y)
            Mc.append(votes[0])
    return MA, Mc, drawn


@pytest.mark.parametrize(
    "estimators", [None, [GaussianNB()], [*default_estimators(), GaussianNB()]]
)
def test_batches_give_what_the_loop_gives(estimators):
    X, y = IRIS_X[::2], IRIS_Y[::2]
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    generator = SampleGenerator(estimators, 90, random_state=np.random.default_rng(3))
    X_released, y_released = generator.fit_resample(X, names)
    records, classes, drawn = loop_of_the_paper(
        generator.estimators_, X.min(axis=0), X.max(axis=0), 90, np.random.default_rng(3)
    )
    np.testing.assert_array_equal(X_released, records)
    assert y_released.tolist() == classes
    assert generator.n_drawn_ == drawn
    assert generator.acceptance_rate_ == 90 / drawn
    shares = [classes.count(name) / 90 for name in generator.classes_]
    assert generator.class_shares_.tolist() == shares


def test_the_release_does_not_depend_on_the_size_of_a_batch(monkeypatch):
    # after the 55th record come rejected candidates, which some sizes draw and must not count
    generator = SampleGenerator(n_samples=55, random_state=0).fit(IRIS_X, IRIS_Y)
    expected = generator.sample()
    drawn = generator.n_drawn_
    for size in [1, *range(2, 40, 3), 100]:
        monkeypatch.setattr(generation, "_LARGEST_BATCH", size)
        got = generator.sample()
        np.testing.assert_array_equal(got[0], expected[0])
        np.testing.assert_array_equal(got[1], expected[1])
        assert generator.n_drawn_ == drawn


def test_a_class_that_is_not_released_is_warned_of():
    generator = SampleGenerator([constant(1)], 20_000, random_state=0)
    with pytest.warns(MissingClassWarning, match="release of 20000 records holds none of class 0"):
        generator.fit_resample(*two_classes())
    assert generator.n_drawn_ == 20_000
    assert generator.class_shares_.tolist() == [0, 1]


def test_estimators_are_cloned_and_trained_on_the_original_records():
    X, y = two_classes()
    mine = DecisionTreeClassifier(random_state=0)
    generator = SampleGenerator([mine], random_state=0).fit(X, y)
    assert not hasattr(mine, "tree_")
    assert generator.estimators_[0].score(X, y) == 1
    importances = generator.estimators_[0].feature_importances_
    np.testing.assert_array_equal(importances > 0, [True, False, False])


def test_classifiers_may_ask_for_columns_by_name():
    frame, target = load_pima(return_X_y=True, as_frame=True)
    by_name = make_pipeline(
        ColumnTransformer([("some", StandardScaler(), ["glucose", "mass"])]), GaussianNB()
    )
    generator = SampleGenerator([by_name, DecisionTreeClassifier(random_state=0)], random_state=0)
    X_released, y_released = generator.fit_resample(frame, target)
    np.testing.assert_array_equal(generator.estimators_[0].predict(X_released), y_released)


def test_the_default_tree_is_pruned_and_the_neighbour_scaled():
    X, y = load_pima(return_X_y=True)
    tree, neighbour = default_estimators()
    assert tree.fit(X, y).get_n_leaves() == 13
    full = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    assert full.fit(X, y).get_n_leaves() == 120
    stretch, test = np.array([1, 1, 1, 1, 1000, 1, 1, 1]), X[:100] + 0.5
    expected = neighbour.fit(X, y).predict(test)
    np.testing.assert_array_equal(neighbour.fit(X * stretch, y).predict(test * stretch), expected)


def test_classifiers_that_never_agree():
    X, y = two_classes()
    for n, limit in ((10, 100_000), (150, 150_000)):
        generator = SampleGenerator([constant(0), constant(1)], n).fit(X, y)
        reason = f"estimators must agree more often: on {n} of {limit} candidates, got 0"
        with pytest.raises(ValueError, match=reason):
            generator.sample()


def test_what_is_no_classifier_is_refused():
    with pytest.raises(TypeError, match=r"scikit-learn classifiers, got LinearRegression\(\)"):
        SampleGenerator([LinearRegression()]).fit(IRIS_X, IRIS_Y)


BOTH = (SampleGenerator, GaussianSampleGenerator)


@pytest.mark.parametrize("cls", BOTH)
def test_seeds_generators_and_how_many(cls):
    X, y = load_pima(return_X_y=True)
    seeded = cls(random_state=5)
    first, again = seeded.fit_resample(X, y), seeded.sample()
    np.testing.assert_array_equal(first[0], again[0])
    assert [len(part) for part in (*first, *seeded.sample(800))] == [768, 768, 800, 800]
    assert len(cls(n_samples=17, random_state=0).fit_resample(X, y)[0]) == 17
    shared = cls(random_state=np.random.default_rng(5))
    first, other = shared.fit_resample(X, y), shared.sample()
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("cls", BOTH)
def test_frames_are_answered_in_frames(cls):
    frame, target = load_pima(return_X_y=True, as_frame=True)
    X_released, y_released = cls(random_state=0).fit_resample(frame, target)
    assert isinstance(X_released, pd.DataFrame)
    assert X_released.columns.tolist() == frame.columns.tolist()
    assert isinstance(y_released, pd.Series)
    assert y_released.name == target.name
    plain, _ = cls(random_state=0).fit_resample(frame.to_numpy(), target.to_numpy())
    np.testing.assert_array_equal(X_released.to_numpy(), plain)
    frame = pd.DataFrame(IRIS_X, columns=[10, 11, 12, 13])  # numbered columns, named classes
    species = pd.Series(load_iris().target_names[IRIS_Y])
    X_released, y_released = cls(random_state=0).fit_resample(frame, species)
    assert X_released.columns.tolist() == [10, 11, 12, 13]
    assert set(y_released) == {"setosa", "versicolor", "virginica"}
    with pytest.raises(ValueError, match=r"not one class, got \['setosa'\]"):
        cls().fit(frame[:50], species[:50])


def test_a_constant_column_stays_constant_and_the_others_are_continuous():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(200, 7.5), rng.integers(-2, 3, 200), rng.normal(size=200)])
    y = X[:, 1] > 0
    for cls in BOTH:
        X_released, _ = cls(n_samples=500, random_state=0).fit_resample(X, y)
        np.testing.assert_allclose(X_released[:, 0], 7.5)
        assert all(np.unique(column).size == 500 for column in X_released[:, 1:].T)


@pytest.mark.parametrize("cls", BOTH)
def test_sampling_before_fitting(cls):
    with pytest.raises(NotFittedError):
        cls().sample()


def test_gaussian_moments():
    n = 40_000
    generator = GaussianSampleGenerator(n, random_state=0)
    X_released, y_released = generator.fit_resample(IRIS_X, IRIS_Y)
    for c in range(3):
        group, original = X_released[y_released == c], IRIS_X[np.equal(IRIS_Y, c)]
        # a count is binomial
        assert abs(len(group) - n / 3) < 5 * np.sqrt(n * 2 / 9)
        covariance = np.cov(original, rowvar=False)
        error = np.sqrt(np.diag(covariance) / len(group))
        assert (np.abs(group.mean(axis=0) - original.mean(axis=0)) < 5 * error).all()
        # Var s_ij = (s_ii s_jj + s_ij^2)/(n - 1) for Gaussian data
        scale = np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2
        gap = np.abs(np.cov(group, rowvar=False) - covariance)
        assert (gap < 5 * np.sqrt(scale / (len(group) - 1))).all()
    np.testing.assert_allclose(generator.covariances_[2], covariance)
    assert generator.class_prior_.tolist() == pytest.approx([1 / 3] * 3)


def test_gaussian_with_one_column_and_with_more_columns_than_records():
    one = GaussianSampleGenerator(random_state=0).fit_resample(IRIS_X[:, :1], IRIS_Y)[0]
    assert one.shape == (150, 1)
    X = np.random.default_rng(0).normal(size=(6, 20))
    wide, labels = GaussianSampleGenerator(500, random_state=0).fit_resample(X, [0, 0, 0, 1, 1, 1])
    # Three records span a plane, and nothing is released outside it: a computed eigenvalue that
    # should be 0 is at most some 20 epsilon of the largest, a spread of sqrt(20 epsilon) = 7e-8
    # of the widest. The plane itself is far from a line: two spreads of like size.
    assert np.linalg.matrix_rank(wide[labels == 0] - X[:3].mean(axis=0), rtol=1e-6) == 2


def test_a_class_of_two_records_is_a_line_and_one_of_one_record_is_refused():
    pairs = GaussianSampleGenerator().fit([[1.0], [2.0], [3.0], [7.0]], ["a", "a", "b", "b"])
    assert pairs.covariances_.ravel().tolist() == [0.5, 8.0]
    with pytest.raises(ValueError, match=r"y must have 2 or more records .* 'b'\], got \[2, 1\]"):
        GaussianSampleGenerator().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
