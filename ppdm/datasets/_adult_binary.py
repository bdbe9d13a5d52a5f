"""Adult cut to bits: the shipped table of counts, and the rule that made it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm._types import FloatArray
from ppdm.datasets._adult import ADULT_CLASSES, ADULT_FEATURES
from ppdm.datasets._base import (
    fill_with_mode,
    make_result,
    read_shipped,
)


def load_adult_binary(
    subset: Literal["train", "test", "all"] = "train",
    *,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load the first 10,000 Adult records cut to 14 bits, as DZ03 and ZCM04 use them.

    A bit is 1 where the value is above the middle of its attribute's range (DZ03,
    section 5.1, and ZCM04, section 4.2); ``DESCR`` gives the whole rule. Class 1 is an
    income over 50,000 dollars a year (2,379 of the 10,000 records).

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        The 8,000 records to learn from, the 2,000 to test on, or both.
    return_X_y, as_frame : bool, default=False
        As in :func:`load_voting`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, 14), int8; ``target`` (n,); ``feature_names``, ``target_names``,
        ``DESCR``; ``frame``, a DataFrame or None.

    Raises
    ------
    ValueError
        ``subset`` or a switch is not one of its options.
    ImportError
        ``as_frame=True`` without pandas.
    ppdm.exceptions.ChecksumError
        The shipped file was changed.

    Notes
    -----
    The file counts how often each of 694 patterns of bits and class occurs. The rows are
    made from the counts and therefore come grouped by pattern: shuffle them before you
    split them or send them one by one.

    Examples
    --------
    >>> from ppdm.datasets import load_adult_binary
    >>> adult = load_adult_binary(subset="test")
    >>> adult.data.shape, int(adult.target.sum())
    ((2000, 14), 490)
    >>> load_adult_binary(subset="all").data.sum(axis=0).tolist()
    [1468, 1048, 43, 1409, 8722, 430, 2852, 3938, 1036, 6703, 47, 64, 1149, 398]
    """
    check.option(subset, "subset", ("train", "test", "all"))
    name = "adult-binary-10000.csv"
    table = read_shipped(name).astype(np.int64)
    train, test = table[:, -2], table[:, -1]
    counts = {"train": train, "test": test, "all": train + test}[subset]
    records = np.repeat(table[:, :-2], counts, axis=0)
    return make_result(
        records[:, :-1].astype(np.int8),
        records[:, -1],
        feature_names=tuple(ADULT_FEATURES),
        target_names=ADULT_CLASSES,
        source=name,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def count_patterns(
    data: FloatArray, target: NDArray[np.int64], n_records: int = 10_000
) -> NDArray[np.int64]:
    """Compute the shipped table from the records of ``fetch_adult(subset="train")``.

    Of the first ``n_records`` records, a missing value takes its column's most frequent
    value, a bit is 1 where the value is above (min + max)/2 of its column, and record i
    (counted from 0) is a test record where i mod 5 = 4.

    Parameters
    ----------
    data : (n, d) array of floats
        Records in file order, nominal values as codes, missing ones as NaN.
    target : (n,) array of 0 and 1
        Their classes.
    n_records : int, default=10_000
        How many records to take from the front.

    Returns
    -------
    (m, d + 3) array of int64
        One row for each pattern that occurs, in lexicographic order: d bits, the class,
        and its counts among train and test records.

    Examples
    --------
    >>> import numpy as np
    >>> count_patterns(np.array([[1.0], [9.0], [np.nan], [1.0], [7.0]]), np.array([0, 1, 0, 0, 1]))
    array([[0, 0, 3, 0],
           [1, 1, 1, 1]])
    """
    values = fill_with_mode(data[:n_records])
    bits = values > (values.min(axis=0) + values.max(axis=0)) / 2
    records = np.column_stack([bits, target[:n_records]]).astype(np.int64)
    patterns, which = np.unique(records, axis=0, return_inverse=True)
    is_test = np.arange(len(records)) % 5 == 4
    train, test = (
        np.bincount(which[rows], minlength=len(patterns)) for rows in (~is_test, is_test)
    )
    return np.column_stack([patterns, train, test])
