"""The synthetic benchmark of AS00, and the two shapes of its figure 2."""

import numpy as np
import pytest
from scipy import stats

from ppdm.datasets import (
    AGRAWAL_DOMAIN,
    AGRAWAL_INTEGER,
    make_agrawal,
    make_plateau,
    make_triangles,
)
from ppdm.datasets._synthetic import _draw, _in_group_a


def test_the_public_bounds_are_those_of_table_2():
    assert AGRAWAL_DOMAIN.tolist() == [
        [20e3, 150e3], [0, 75e3], [20, 80], [0, 4], [1, 20], [0, 8],
        [0.5 * 100e3, 1.5 * 9 * 100e3], [1, 30], [0, 500e3],
    ]  # fmt: skip
    assert AGRAWAL_INTEGER.tolist() == [False] * 3 + [True] * 3 + [False] * 3


class Ends:
    """Stands for a Generator; uniform numbers are what it is told, whole ones the least or most."""

    def __init__(self, *ends):
        self.ends = iter(ends)

    def random(self, out):
        out[:] = next(self.ends)

    def integers(self, low, high, n, dtype=None):
        return np.full(n, high - 1 if next(self.ends) else low)


@pytest.mark.parametrize(
    ("ends", "person"),
    [
        ([0] * 9, [20e3, 10e3, 20, 0, 1, 0, 9 * 50e3, 1, 0]),
        ([0] + [1] * 8, [20e3, 75e3, 80, 4, 20, 8, 150e3, 30, 500e3]),
        ([1] + [0] * 8, [150e3, 0, 20, 0, 1, 0, 9 * 50e3, 1, 0]),
        # a number of its own for each attribute that is uniform
        ([0.25, 0.5, 0.75, 0.1, 0.2, 0.3, 0, 1, 0],
         [52.5e3, 42.5e3, 65, 0, 20, 0, 9 * 60e3, 6.8, 150e3]),
        ([55 / 130] + [0] * 8, [75e3, 0, 20, 0, 1, 0, 9 * 50e3, 1, 0]),
    ],
)  # fmt: skip
def test_each_attribute_has_its_own_distribution(ends, person):
    assert _draw(1, Ends(*ends))[0].tolist() == pytest.approx(person)


def literal_group(person, function):
    """Say, one person at a time and with if and else, who is in Group A."""
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = person
    if function == 1:
        return age < 40 or age >= 60
    if function == 2:
        if age < 40:
            return 50e3 <= salary <= 100e3
        if age < 60:
            return 75e3 <= salary <= 125e3
        return 25e3 <= salary <= 75e3
    if function == 3:
        if age < 40:
            return (elevel in (0, 1) and 25e3 <= salary <= 75e3) or (
                elevel in (2, 3) and 50e3 <= salary <= 100e3
            )
        if age < 60:
            return (elevel in (1, 2, 3) and 50e3 <= salary <= 100e3) or (
                elevel == 4 and 75e3 <= salary <= 125e3
            )
        return (elevel in (2, 3, 4) and 50e3 <= salary <= 100e3) or (
            elevel == 1 and 25e3 <= salary <= 75e3
        )
    disposable = 0.67 * (salary + commission) - 0.2 * loan
    if function == 4:
        return disposable - 20e3 > 0
    return disposable + 0.2 * 0.1 * hvalue * max(hyears - 20, 0) - 10e3 > 0


@pytest.mark.parametrize("function", [1, 2, 3, 4, 5])
def test_labels_follow_the_rules(function):
    X, y = make_agrawal(4000, function, random_state=3)
    # also people who stand on every boundary
    corners = np.array(
        [
            [salary, 0, age, level, 1, 0, 600e3, 20, 3.35 * salary - 100e3]
            for bound in (25e3, 50e3, 75e3, 100e3, 125e3)
            for salary in (bound - 0.5, bound, bound + 0.5)
            for age in (39.99, 40, 59.99, 60)
            for level in range(5)
        ]
    )
    people = np.vstack([X, corners])
    expected = [literal_group(person, function) for person in people]
    labels = _in_group_a(people, function)
    assert labels.tolist() == expected
    assert labels[:4000].tolist() == y.tolist()


def test_balanced_sets_are_balanced_and_otherwise_alike():
    for n in (1, 2, 7, 1000):
        _, y = make_agrawal(n, 3, random_state=5)
        assert y.sum() == n // 2
    # within a class, a balanced set has the distribution of an unbalanced one: compare the
    # share of salaries below 60,000 in Group A of function 2, 200,000 : ~77,000 records
    X, y = make_agrawal(400_000, 2, random_state=6)
    Z, z = make_agrawal(200_000, 2, balanced=False, random_state=7)
    for group in (0, 1):
        p, q = (X[y == group, 0] < 60e3).mean(), (Z[z == group, 0] < 60e3).mean()
        error = np.sqrt(q * (1 - q) * (1 / (y == group).sum() + 1 / (z == group).sum()))
        assert abs(p - q) < 4 * error
    # and the order says nothing: the share of class 1 in the first half is a coin's
    half = y[:200_000].mean()
    assert half == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(400_000))


def triangles_cdf(x):
    x = np.asarray(x)
    one = stats.triang(0.5, 0, 0.5)
    return (one.cdf(x) + one.cdf(x - 0.5)) / 2


@pytest.mark.parametrize(
    ("make", "cdf"), [(make_plateau, stats.uniform(0.25, 0.5).cdf), (make_triangles, triangles_cdf)]
)
def test_shape(make, cdf):
    n = 50_000
    X = make(n, random_state=0)
    assert X.shape == (n, 1)
    assert X.min() >= 0
    assert X.max() <= 1
    # Dvoretzky, Kiefer, Wolfowitz: P[D > t] <= 2 exp(-2 n t^2), here one in 10^6
    bound = np.sqrt(np.log(2e6) / (2 * n))
    assert stats.kstest(X[:, 0], cdf).statistic < bound
    # and the bound tells the two apart
    other = triangles_cdf if make is make_plateau else stats.uniform(0.25, 0.5).cdf
    assert stats.kstest(X[:, 0], other).statistic > 5 * bound


def people(n, random_state):
    return np.column_stack(make_agrawal(n, random_state=random_state))


@pytest.mark.parametrize("make", [make_plateau, make_triangles, people])
def test_random_state(make):
    assert np.array_equal(make(5, random_state=1), make(5, random_state=1))
    rng = np.random.default_rng(1)
    first = make(5, random_state=rng)
    assert np.array_equal(first, make(5, random_state=1))
    assert not np.array_equal(first, make(5, random_state=rng))
