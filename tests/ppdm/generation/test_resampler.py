"""What both generators do alike, seeds, sizes, frames, refusals; and one Gaussian a class."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from ppdm.datasets import load_pima
from ppdm.generation import GaussianSampleGenerator, SampleGenerator

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
BOTH = (SampleGenerator, GaussianSampleGenerator)


@pytest.mark.parametrize("cls", BOTH)
def test_seeds_and_generators(cls):
    X, y = load_pima(return_X_y=True)
    seeded = cls(random_state=5)
    first, again = seeded.fit_resample(X, y), seeded.sample()
    np.testing.assert_array_equal(first[0], again[0])
    shared = cls(random_state=np.random.default_rng(5))
    first, other = shared.fit_resample(X, y), shared.sample()
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("cls", BOTH)
def test_how_many(cls):
    X, y = load_pima(return_X_y=True)
    assert len(cls(random_state=0).fit_resample(X, y)[0]) == 768
    generator = cls(n_samples=17, random_state=0).fit(X, y)
    assert [len(part) for part in generator.sample()] == [17, 17]
    assert len(generator.sample(800)[0]) == 800


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


@pytest.mark.parametrize("cls", BOTH)
def test_numbered_columns_and_named_classes(cls):
    frame = pd.DataFrame(IRIS_X, columns=[10, 11, 12, 13])
    species = pd.Series(load_iris().target_names[IRIS_Y], name="species")
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
