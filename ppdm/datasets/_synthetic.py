"""What AS00 draws: nine attributes of people with five ways to group them, and two shapes.

The shapes are the distributions whose reconstruction the paper shows (section 3, figure 2).
"""

from __future__ import annotations

import numpy as np

from ppdm import _validation as check
from ppdm.typing import BoolArray, FloatArray, IntArray, RandomState

#: The attributes, in the order of the columns.
AGRAWAL_FEATURES = (
    "salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan",
)

#: The public bounds (low, high) of each attribute.
AGRAWAL_DOMAIN = np.array([
    (20_000.0, 150_000.0), (0.0, 75_000.0), (20.0, 80.0),
    (0.0, 4.0), (1.0, 20.0), (0.0, 8.0),
    (50_000.0, 1_350_000.0), (1.0, 30.0), (0.0, 500_000.0),
])
AGRAWAL_DOMAIN.flags.writeable = False

#: Whether an attribute holds whole numbers.
AGRAWAL_INTEGER = np.array([name in ("elevel", "car", "zipcode") for name in AGRAWAL_FEATURES])
AGRAWAL_INTEGER.flags.writeable = False

#: Records drawn between two looks at how many of each class there are still to find.
_BATCH = 1 << 16


def make_agrawal(
    n_samples: int = 1000,
    function: int = 1,
    *,
    balanced: bool = True,
    random_state: RandomState = None,
) -> tuple[FloatArray, IntArray]:
    r"""Draw people and their groups from the generator of AS00 (section 5.1, Tables 2 and 3).

    ==========  ============================================================================
    attribute   distribution
    ==========  ============================================================================
    salary      uniform from 20,000 to 150,000
    commission  0 if salary >= 75,000, else uniform from 10,000 to 75,000
    age         uniform from 20 to 80
    elevel      education level: 0, ..., 4, equally likely
    car         make of car: 1, ..., 20, equally likely
    zipcode     0, ..., 8, equally likely
    hvalue      value of the house: uniform from 50,000 k to 150,000 k with k = 9 - zipcode
    hyears      years the house has been owned: uniform from 1 to 30
    loan        uniform from 0 to 500,000
    ==========  ============================================================================

    In Group A, with salaries in thousands ("25-75" includes both ends), are

    1. those of age < 40 or age >= 60;
    2. salary 50-100 below the age of 40, 75-125 from 40 to below 60, 25-75 from 60 on;
    3. salary and education together. Below 40: elevel 0-1 and 25-75, or 2-3 and 50-100.
       From 40 to below 60: elevel 1-3 and 50-100, or 4 and 75-125. From 60 on: elevel 2-4
       and 50-100, or 1 and 25-75;
    4. ``0.67 * (salary + commission) - 0.2 * loan > 20_000``;
    5. ``0.67 * (salary + commission) - 0.2 * loan + 0.2 * equity > 10_000``, where
       ``equity = 0.1 * hvalue * max(hyears - 20, 0)``.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of records, at least 1.
    function : {1, 2, 3, 4, 5}, default=1
        Which of these rules says who is in Group A. Published readings of the paper differ in
        the constants of functions 4 and 5.
    balanced : bool, default=True
        Draw until each group has half of the records, as the paper's sets do (for an odd
        number Group B has one more). False leaves the groups as large as they come.
    random_state : None, int or numpy.random.Generator, default=None
        An int gives the same records at every call.

    Returns
    -------
    X : ndarray of float, shape (n_samples, 9)
        The columns are ``AGRAWAL_FEATURES``, their public bounds
        ``AGRAWAL_DOMAIN``. Stored column by column.
    y : ndarray of int, shape (n_samples,)
        1 for Group A, 0 for Group B.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> X, y = make_agrawal(1000, function=2, random_state=0)
    >>> X.shape, int(y.sum())
    ((1000, 9), 500)
    """
    n = check.given("n_samples", n_samples)
    check.arguments("make_agrawal", function=function, balanced=balanced)
    rng = check.random_state(random_state)
    if not balanced:
        X = _draw(n, rng)
        return X, _in_group_a(X, function).astype(np.intp)
    y = np.zeros(n, dtype=np.intp)
    y[rng.permutation(n)[: n // 2]] = 1
    return _draw_given(y, function, rng), y


def _in_group_a(X: FloatArray, function: int) -> BoolArray:
    """Say which records are in Group A (AS00, Table 3)."""
    columns: list[FloatArray] = list(X.T)
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = columns
    if function >= 4:
        left = 0.67 * (salary + commission) - 0.2 * loan - (20_000 if function == 4 else 10_000)
        if function == 5:
            left += 0.2 * (0.1 * hvalue * np.maximum(hyears - 20, 0))
        return np.greater(left, 0)
    young, old = age < 40, age >= 60
    if function == 1:
        return young | old
    lower = _within(salary, 25_000, 75_000)
    upper = _within(salary, 50_000, 100_000)
    top = _within(salary, 75_000, 125_000)
    if function == 2:
        return (young & upper) | (~young & ~old & top) | (old & lower)
    return (
        (young & ((_within(elevel, 0, 1) & lower) | (_within(elevel, 2, 3) & upper)))
        | (~young & ~old & ((_within(elevel, 1, 3) & upper) | (np.equal(elevel, 4) & top)))
        | (old & ((_within(elevel, 2, 4) & upper) | (np.equal(elevel, 1) & lower)))
    )


def _draw(n: int, rng: np.random.Generator) -> FloatArray:
    """Draw n records, each attribute from its distribution."""
    columns = np.empty((len(AGRAWAL_FEATURES), n))
    salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan = columns
    for column, low, high in (
        (salary, 20_000, 150_000),
        (commission, 10_000, 75_000),
        (age, 20, 80),
        (hvalue, 50_000, 150_000),
        (hyears, 1, 30),
        (loan, 0, 500_000),
    ):
        rng.random(out=column)
        column *= high - low
        column += low
    elevel[:] = rng.integers(0, 5, n, dtype=np.uint8)
    car[:] = rng.integers(1, 21, n, dtype=np.uint8)
    zipcode[:] = rng.integers(0, 9, n, dtype=np.uint8)
    commission[salary >= 75_000] = 0.0
    hvalue *= 9 - zipcode
    return columns.T


def _draw_given(y: IntArray, function: int, rng: np.random.Generator) -> FloatArray:
    """Draw a record for each label from the records of its group, by rejection."""
    X = np.empty((len(AGRAWAL_FEATURES), y.size)).T
    places = [np.flatnonzero(y == 0), np.flatnonzero(y == 1)]
    while any(to_fill.size for to_fill in places):
        batch = _draw(_BATCH, rng)
        group_a = _in_group_a(batch, function)
        for group, members in enumerate((~group_a, group_a)):
            rows = np.flatnonzero(members)[: places[group].size]
            X[places[group][: rows.size]] = batch[rows]
            places[group] = places[group][rows.size :]
    return X


def _within(values: FloatArray, low: float, high: float) -> BoolArray:
    return np.greater_equal(values, low) & np.less_equal(values, high)


def make_plateau(n_samples: int = 100_000, *, random_state: RandomState = None) -> FloatArray:
    """Draw from the plateau: uniform on [0.25, 0.75], inside the domain [0, 1].

    Parameters
    ----------
    n_samples : int >= 1
        Number of values.
    random_state : None, int or numpy.random.Generator
        Source of the draws; an int gives the same values at every call.

    Returns
    -------
    ndarray of shape (n_samples, 1)
        One attribute, as a transformer wants it.

    Raises
    ------
    ValueError
        If ``n_samples`` is below 1.

    Examples
    --------
    >>> make_plateau(3, random_state=0).round(3)
    array([[0.568],
           [0.385],
           [0.27 ]])
    """
    n_samples = check.given("n_samples", n_samples)
    return check.random_state(random_state).uniform(0.25, 0.75, (n_samples, 1))


def make_triangles(n_samples: int = 100_000, *, random_state: RandomState = None) -> FloatArray:
    """Draw from two equal triangles, on [0, 0.5] and [0.5, 1], with peaks in their middles.

    Parameters
    ----------
    n_samples, random_state
        As in :func:`make_plateau`, and so are the errors.

    Returns
    -------
    ndarray of shape (n_samples, 1)

    Examples
    --------
    >>> make_triangles(3, random_state=0).round(3)
    array([[0.287],
           [0.184],
           [0.072]])
    """
    n_samples = check.given("n_samples", n_samples)
    rng = check.random_state(random_state)
    triangle = rng.triangular(0.0, 0.25, 0.5, (n_samples, 1))
    return triangle + 0.5 * rng.integers(0, 2, (n_samples, 1))
