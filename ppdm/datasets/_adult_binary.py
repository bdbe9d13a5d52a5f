"""Adult cut to bits, as the papers have it; shipped as counts of patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ppdm import _validation as check
from ppdm.datasets._adult import ADULT_CLASSES, ADULT_FEATURES
from ppdm.datasets._base import make_result, read_shipped

if TYPE_CHECKING:
    from ppdm.datasets._base import Dataset

_FILES = {"midrange": "adult-binary-10000.csv", "median": "adult-median-10000.csv"}


@overload
def load_adult_binary(
    subset: Literal["train", "test", "all"] = "train",
    *,
    cut: Literal["midrange", "median"] = "midrange",
    return_X_y: Literal[False] = False,
    as_frame: bool = False,
) -> Dataset: ...
@overload
def load_adult_binary(
    subset: Literal["train", "test", "all"] = "train",
    *,
    cut: Literal["midrange", "median"] = "midrange",
    return_X_y: Literal[True],
    as_frame: bool = False,
) -> tuple[Any, Any]: ...
def load_adult_binary(
    subset: Literal["train", "test", "all"] = "train",
    *,
    cut: Literal["midrange", "median"] = "midrange",
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load the first 10,000 Adult records cut to 14 bits.

    A bit is 1 where the value is above the cut of its attribute. DZ03 (section 5.1) and
    ZCM04 (section 4.2) cut at the middle of the range; most bits are then rare ones, and
    hardly any tells the class. ``DESCR`` gives the whole rule. Class 1 is an income over
    50,000 dollars a year (2,379 of the 10,000 records).

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        The 8,000 records to learn from, the 2,000 to test on, or both.
    cut : {"midrange", "median"}, default="midrange"
        Where an attribute is cut: at the middle of its range, or at its median, which
        itself gives 0. More men than women were asked, so ``sex`` is then 0 throughout.
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
        ``subset``, ``cut`` or a switch is not one of its options.
    ImportError
        ``as_frame=True`` without pandas.
    ppdm.exceptions.ChecksumError
        The shipped file was changed.

    Notes
    -----
    A file counts how often each pattern of bits and class occurs: 694 of them, or 1,930
    where the cuts are medians. The rows are made from the counts and therefore come
    grouped by pattern: shuffle them before you split them or send them one by one.

    Examples
    --------
    >>> from ppdm.datasets import load_adult_binary
    >>> adult = load_adult_binary(subset="test")
    >>> adult.data.shape, int(adult.target.sum())
    ((2000, 14), 490)
    >>> load_adult_binary(subset="all").data.sum(axis=0).tolist()
    [1468, 1048, 43, 1409, 8722, 430, 2852, 3938, 1036, 6703, 47, 64, 1149, 398]
    >>> load_adult_binary(subset="all", cut="median").data.sum(axis=0).tolist()
    [4828, 2468, 5000, 2470, 3185, 4062, 3245, 3938, 1444, 0, 826, 473, 2983, 889]
    """
    check.option(subset, "subset", ("train", "test", "all"))
    check.option(cut, "cut", tuple(_FILES))
    name = _FILES[cut]
    table = read_shipped(name).astype(np.int64)
    train, test = table[:, -2], table[:, -1]
    counts = {"train": train, "test": test, "all": train + test}[subset]
    records = np.repeat(table[:, :-2], counts, axis=0)
    data, target = records[:, :-1].astype(np.int8), records[:, -1]
    return make_result(data, target, name, ADULT_FEATURES, ADULT_CLASSES, return_X_y, as_frame)
