"""The arrays and options that the package speaks of, each named once, for annotations."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

__all__ = ["AnyArray", "Bits", "FloatArray", "IntArray", "RandomState"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
#: Zeros and ones.
Bits = NDArray[np.int8]
#: Codes 0, 1, ... of any integer type.
Codes = NDArray[np.integer[Any]]
#: Classes, names or values of any type.
AnyArray = NDArray[Any]

RandomState = int | np.random.Generator | None

#: The attributes that share a coin: lists of columns, by number or by a frame's names; None is
#: one group of all.
Groups = Sequence[Sequence[int] | Sequence[str]] | None
#: The class is public (None), shares the coin of a group (its index) or has its own.
ClassGroup = int | Literal["own"] | None
#: The categories of each attribute; None for one that holds codes 0, 1, ...
Categories = list[AnyArray | None]
GivenCategories = Sequence[ArrayLike | None] | None

# Options, each said once: a type checker refuses what the check at the door would refuse.
Noise = Literal["gaussian", "uniform", "laplace"]
Hiding = Literal["discretization", Noise]
Criterion = Literal["gini", "entropy"]
Split = Literal["threshold", "multiway"]
Pruning = Literal["sliq", "stochastic", None]
Strategy = Literal["none", "randomized", "global", "byclass", "local"]
#: When an iteration stops; ``AutoStop`` where a function may choose by itself.
Stop = Literal["chi2", "tol", None]
AutoStop = Literal["auto", Stop]
Kernel = Literal["cell", "midpoint"]
#: How estimated shares are made legal.
Repair = Literal["clip", "simplex"]
Undoing = Literal["raw", "em"]
FrequencyMethod = Literal[Undoing, Repair]
Order = Literal["magnitude", "signed"]
Changes = Literal["record", "group", "attribute", "bit"]
Prior = Literal["pool", "product"]
#: What a survey is for, and whom its people trust with their answers.
Want = Literal["proportion", "top", "mean", "distribution", "classifier", "table"]
Trust = Literal["nobody", "curator"]
#: The part of a data set, how its missing values are filled, where numbers are cut in two.
Subset = Literal["train", "test", "all"]
Mode = Literal["mode", None]
Fill = Literal["random", Mode]
Cut = Literal["midrange", "median"]
#: What becomes of people without a report.
Missing = Literal["refuse", "drop"]
#: How many records a release has: as many as there were.
ReleaseSize = Literal["same"] | int
