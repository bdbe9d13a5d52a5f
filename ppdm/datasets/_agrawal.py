"""The synthetic benchmark of AS00: nine attributes of people, five ways to group them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

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

#: Whether an attribute holds whole numbers (age may, by choice).
AGRAWAL_INTEGER = np.array([name in ("elevel", "car", "zipcode") for name in AGRAWAL_FEATURES])
AGRAWAL_INTEGER.flags.writeable = False

Rule = Callable[[FloatArray], BoolArray]

#: Records drawn between two looks at how many of each class there are still to find.
_BATCH = 1 << 16
#: Give up on a class that no record of this many falls in.
_PATIENCE = 1 << 20


def make_agrawal(
    n_samples: int = 1000,
    function: int = 1,
    *,
    balanced: bool = True,
    integer_age: bool = False,
    income_share: float = 0.67,
    loan_share: float = 0.2,
    equity_share: float = 0.2,
    offset: float | None = None,
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

    Parameters
    ----------
    n_samples : int, default=1000
        Number of records, at least 1.
    function : {1, 2, 3, 4, 5}, default=1
        Which function of :func:`agrawal_group` says who is in Group A.
    balanced : bool, default=True
        Draw until each group has half of the records, as the paper's sets do (for an odd
        number Group B has one more). False leaves the groups as large as they come.
    integer_age : bool, default=False
        Draw the age from the whole numbers 20, ..., 80.
    income_share, loan_share, equity_share, offset
        The constants of functions 4 and 5, see :func:`agrawal_group`.
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
        If an argument is out of its range, or ``balanced`` asks for a group that the
        constants leave empty.

    Examples
    --------
    >>> X, y = make_agrawal(1000, function=2, random_state=0)
    >>> X.shape, int(y.sum())
    ((1000, 9), 500)
    """
    n = check.integer(n_samples, "n_samples", low=1, most=check.MOST_DRAWS)
    balanced, integer_age = check.flag(balanced, "balanced"), check.flag(integer_age, "integer_age")
    in_group_a = _rule(function, income_share, loan_share, equity_share, offset)
    rng = check.random_state(random_state)
    if not balanced:
        X = _draw(n, integer_age, rng)
        return X, in_group_a(X).astype(np.intp)
    y = np.zeros(n, dtype=np.intp)
    y[rng.permutation(n)[: n // 2]] = 1
    return _draw_given(y, integer_age, in_group_a, rng), y


def agrawal_group(
    X: ArrayLike,
    function: int = 1,
    *,
    income_share: float = 0.67,
    loan_share: float = 0.2,
    equity_share: float = 0.2,
    offset: float | None = None,
) -> IntArray:
    r"""Say which records are in Group A (AS00, Table 3).

    The rules, with salaries in thousands ("25-75" includes both ends):

    1. age < 40 or age >= 60.
    2. Salary 50-100 below the age of 40, 75-125 from 40 to below 60, 25-75 from 60 on.
    3. Salary and education together. Below 40: elevel 0-1 and 25-75, or 2-3 and 50-100.
       From 40 to below 60: elevel 1-3 and 50-100, or 4 and 75-125. From 60 on: elevel 2-4
       and 50-100, or 1 and 25-75.
    4. ``income_share * (salary + commission) - loan_share * loan - offset > 0``.
    5. ``income_share * (salary + commission) - loan_share * loan
       + equity_share * equity - offset > 0``, where
       ``equity = 0.1 * hvalue * max(hyears - 20, 0)``.

    Parameters
    ----------
    X : array-like of shape (n_samples, 9)
        Records as :func:`make_agrawal` draws them.
    function : {1, 2, 3, 4, 5}, default=1
    income_share, loan_share, equity_share : float, default=0.67, 0.2, 0.2
        Constants of functions 4 and 5; published readings of the paper differ in them.
    offset : float, optional
        By default 20,000 in function 4 and 10,000 in function 5. The others have none.

    Returns
    -------
    ndarray of int, shape (n_samples,)
        1 for Group A, 0 for Group B.

    Raises
    ------
    ValueError
        If an argument is out of its range or a value is missing.

    Examples
    --------
    >>> person = [60_000, 20_000, 35, 2, 7, 3, 600_000, 12, 100_000]
    >>> [int(agrawal_group([person], f)[0]) for f in (1, 2, 3, 4, 5)]
    [1, 1, 1, 1, 1]
    """
    in_group_a = _rule(function, income_share, loan_share, equity_share, offset)
    table = check.array(X, "X", ndim=2)
    if table.shape[1] != len(AGRAWAL_FEATURES):
        raise ValueError(f"X must have shape (n_samples, 9), got {table.shape}")
    if not np.isfinite(table).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(table))[0])
        raise ValueError(f"X must be finite, got {table[i, j]} in row {i}, {AGRAWAL_FEATURES[j]}")
    return in_group_a(table).astype(np.intp)


def _rule(
    function: int, income_share: float, loan_share: float, equity_share: float, offset: float | None
) -> Rule:
    """Check the constants and return the rule that says which records are in Group A."""
    check.integer(function, "function", low=1, high=5)
    if offset is None:
        offset = 20_000.0 if function == 4 else 10_000.0
    elif function < 4:
        raise ValueError(f"offset must be None for function {function}, got {offset!r}")
    of_income, of_loan, of_equity, constant = (
        check.number(income_share, "income_share"),
        check.number(loan_share, "loan_share"),
        check.number(equity_share, "equity_share"),
        check.number(offset, "offset"),
    )

    def in_group_a(X: FloatArray) -> BoolArray:
        columns: list[FloatArray] = list(X.T)
        salary, commission, age, elevel, _, _, hvalue, hyears, loan = columns
        if function >= 4:
            left = of_income * (salary + commission) - of_loan * loan - constant
            if function == 5:
                left += of_equity * (0.1 * hvalue * np.maximum(hyears - 20, 0))
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

    return in_group_a


def _draw(n: int, integer_age: bool, rng: np.random.Generator) -> FloatArray:
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
    if integer_age:
        age[:] = rng.integers(20, 81, n)
    elevel[:] = rng.integers(0, 5, n, dtype=np.uint8)
    car[:] = rng.integers(1, 21, n, dtype=np.uint8)
    zipcode[:] = rng.integers(0, 9, n, dtype=np.uint8)
    commission[salary >= 75_000] = 0.0
    hvalue *= 9 - zipcode
    return columns.T


def _draw_given(
    y: IntArray, integer_age: bool, in_group_a: Rule, rng: np.random.Generator
) -> FloatArray:
    """Draw a record for each label from the records of its group, by rejection."""
    X = np.empty((len(AGRAWAL_FEATURES), y.size)).T
    places = [np.flatnonzero(y == 0), np.flatnonzero(y == 1)]
    found, drawn = [0, 0], 0
    while any(f < p.size for f, p in zip(found, places, strict=True)):
        batch = _draw(_BATCH, integer_age, rng)
        group_a = in_group_a(batch)
        drawn += _BATCH
        for group, members in enumerate((~group_a, group_a)):
            rows = np.flatnonzero(members)[: places[group].size - found[group]]
            X[places[group][found[group] : found[group] + rows.size]] = batch[rows]
            found[group] += rows.size
            if drawn >= _PATIENCE and places[group].size and not found[group]:
                raise ValueError(
                    f"balanced must be False: none of {drawn} records is in Group "
                    f"{'BA'[group]} of this function with these constants"
                )
    return X


def _within(values: FloatArray, low: float, high: float) -> BoolArray:
    return np.greater_equal(values, low) & np.less_equal(values, high)
