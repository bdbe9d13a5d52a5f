"""One Gaussian for each class."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ppdm.generation import GaussianSampleGenerator, SampleGenerator

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
BOTH = (SampleGenerator, GaussianSampleGenerator)


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
    # three records span a plane: nothing is released outside it
    assert np.linalg.matrix_rank(wide[labels == 0] - X[:3].mean(axis=0), tol=1e-6) == 2


def test_a_class_of_one_record_is_refused_by_the_gaussians():
    with pytest.raises(ValueError, match="at least 2 records, got 1 of class 'b'"):
        GaussianSampleGenerator().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
