"""Bad values: some for every argument, some made from the value that would have been right."""

import numpy as np
import pandas as pd
from scipy import sparse

ALWAYS = {
    "None": lambda: None,
    "nan": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "-1": lambda: -1,
    "0": lambda: 0,
    "0.5": lambda: 0.5,
    "1.5": lambda: 1.5,
    "1e300": lambda: 1e300,
    "1e12 as a float": lambda: 1e12,
    "10**12": lambda: 10**12,
    "2**70": lambda: 2**70,
    "True": lambda: True,
    "numpy True": lambda: np.True_,
    "text": lambda: "abc",
    "no text": lambda: "",
    "digits as text": lambda: "1",
    "bytes": lambda: b"abc",
    "complex": lambda: 1j,
    "a date": lambda: np.datetime64("2020-01-01"),
    "an object": object,
    "a class": lambda: int,
    "a function": lambda: lambda *_: None,
    "a dict": lambda: {"a": 1},
    "a set": lambda: {0, 1},
    "an empty list": lambda: [],
    "a list of an empty list": lambda: [[]],
    "[None]": lambda: [None],
    "[nan]": lambda: [np.nan],
    "a ragged list": lambda: [[0], [0, 1]],
    "a list of texts": lambda: ["a", "b"],
    "a generator": lambda: (x for x in (0, 1)),
    "0-d array": lambda: np.array(1),
    "0-d array of nan": lambda: np.array(np.nan),
    "0-d object": lambda: np.array(None, dtype=object),
    "masked": lambda: np.ma.masked,
    "three dimensions": lambda: np.zeros((2, 2, 2)),
    "a long list": lambda: list(range(3000)),
    "a long text": lambda: "abc " * 300,
    "a large array": lambda: np.arange(-250, 250) / 7,
    "a slice": lambda: slice(2),
}


def made_from(valid):
    """Return the name and the maker of what is wrong with an array that was right."""
    try:
        good = np.asarray(valid)
    except ValueError:  # lists of different lengths
        good = np.array(None)
    if good.ndim == 0 or good.dtype == object:
        return {}

    def flat(values):
        return values.reshape(len(values), -1) if values.ndim > 2 else np.atleast_2d(values)

    table = flat(good)
    number = good.astype(float) if good.dtype.kind in "biuf" else np.zeros(good.shape)

    def with_first(value, dtype=float):
        changed = number.astype(dtype)
        changed.flat[0] = value
        return changed

    return {
        "one row fewer": lambda: good[:-1],
        "one row more": lambda: np.concatenate([good, good[:1]]),
        "the first only": lambda: good[:1],
        "no rows": lambda: good[:0],
        "no columns": lambda: good[..., :0],
        "one column fewer": lambda: good[..., :-1],
        "one column more": lambda: np.concatenate([good, good[..., :1]], axis=-1),
        "turned": lambda: good.T[:, ::-1] if good.ndim == 2 else good[:, None],
        "one dimension more": lambda: good[None],
        "one dimension fewer": lambda: good[0],
        "its first value": lambda: good.flat[0],
        "a nan in it": lambda: with_first(np.nan),
        "inf in it": lambda: with_first(np.inf),
        "-1 in it": lambda: with_first(-1),
        "0.5 in it": lambda: with_first(0.5),
        "99 in it": lambda: with_first(99),
        "10**12 in it": lambda: with_first(10**12, np.int64),
        "1e300 in it": lambda: with_first(1e300),
        "None in it": lambda: with_first(None, object),
        "text in it": lambda: with_first("abc", object),
        "a list in it": lambda: with_first((0, 1), object) if good.ndim == 1 else [[[0, 1]], [0]],
        "masked in one place": lambda: np.ma.masked_array(
            good, np.arange(good.size).reshape(good.shape) == 0
        ),
        "masked everywhere": lambda: np.ma.masked_all(good.shape),
        "as text": lambda: good.astype(str),
        "as complex": lambda: number + 1j,
        "as dates": lambda: number.astype("M8[D]"),
        "sparse": lambda: sparse.csr_array(
            np.atleast_2d(table) if table.dtype.kind in "biuf" else np.eye(2)
        ),
        "a frame of texts": lambda: pd.DataFrame(table).map(lambda value: f"<{value}>"),
        "a frame with a missing value": lambda: pd.DataFrame(flat(with_first(np.nan))),
        "its rows from a generator": lambda: (row for row in good.tolist()),
        "a ragged copy": lambda: [*good.tolist(), [[0]]],
        "as a set": lambda: set(map(str, good.ravel().tolist())),
    }


#: A shape may be wrong for two arguments that do not fit: the error may name either.
SHAPES = {
    "one row fewer", "one row more", "the first only", "no rows", "no columns", "one column fewer",
    "one column more", "turned", "one dimension more", "one dimension fewer", "its first value",
}  # fmt: skip


def bad_values(valid):
    return ALWAYS | made_from(valid)
