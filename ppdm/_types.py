"""The arrays that the package speaks of, each named once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
