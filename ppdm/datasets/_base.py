"""What every loader shares: a file whose checksum holds, a description, a Bunch."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mode

from ppdm import _validation as check
from ppdm.typing import AnyArray, BoolArray, FloatArray

if TYPE_CHECKING:

    class Dataset(dict[str, Any]):
        """A loader's Bunch, with the types of its attributes. At run time it is scikit-learn's."""

        data: Any
        target: Any
        frame: Any
        feature_names: list[str]
        target_names: NDArray[np.str_]
        DESCR: str
        missing: BoolArray  #: of the votes and the cells


DATA: Traversable = files("ppdm.datasets").joinpath("data")

SHA256 = {
    "adult-binary-10000.csv": "cfbf87c30a97bba4b3a9f33623e1269bc9c5ccfbc5a1ca31dd969aa222a44f3b",
    "adult-median-10000.csv": "73cabe25a076a578b0a9f20bc0b97328a867ea0e2784be03a4bd68b9292cc7f1",
    "breast-cancer-wisconsin.csv": (
        "a05e3cf1c519523a56a9661923939206f430fda9f7321f05463556c9399cd142"
    ),
    "house-votes-84.csv": "d7dd42845cb337d535ad8af924856fcbece99424286b4078521535ab4f6b7974",
    "pima-indians-diabetes.csv": (
        "9a2dcc210fe94ecfd34fed6491882e0bf8fabd6f249cb96172fa1fa4d6e548d3"
    ),
}


def read_shipped(name: str, folder: Traversable | Path = DATA) -> NDArray[np.str_]:
    """Return the records of a shipped file, its header line left out, after the checksum.

    An empty field is ``""``.
    """
    path = folder.joinpath(name)
    content = path.read_bytes()
    got = hashlib.sha256(content).hexdigest()
    if got != SHA256[name]:
        raise ValueError(
            f"{path} is not the file ppdm was written for: "
            f"SHA-256 expected {SHA256[name]}, got {got}"
        )
    lines = content.decode("ascii").splitlines()[1:]
    return np.strings.strip(np.loadtxt(lines, dtype=str, delimiter=",", comments=None, ndmin=2))


def to_float(table: NDArray[np.str_]) -> FloatArray:
    """Turn a table of strings into numbers, an empty field into NaN."""
    return np.where(table == "", "nan", table).astype(np.float64)


def fill_with_mode(table: FloatArray) -> FloatArray:
    """Replace each column's NaN by its most frequent value (the smallest one in a tie)."""
    return np.where(np.isnan(table), mode(table, nan_policy="omit").mode, table)


def describe(name: str) -> str:
    """Return the section of ``data/README.md`` whose heading starts with ``name``."""
    readme = DATA.joinpath("README.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", readme, flags=re.MULTILINE)[1:]
    return next(section for section in sections if section.startswith(name)).strip() + "\n"


def make_result(
    data: AnyArray,
    target: NDArray[np.int64],
    source: str,
    feature_names: Iterable[str],
    target_names: Sequence[str],
    return_X_y: bool,
    as_frame: bool,
    **extra: Any,
) -> Any:
    """Put a loader's result into the form asked for: a Bunch or a pair, arrays or pandas.

    ``source`` is a file that ``data/README.md`` describes. ``extra`` goes into the Bunch.
    """
    check.arguments(return_X_y=return_X_y, as_frame=as_frame)
    # scikit-learn may import pandas by itself: `import ppdm.datasets` stays free of both
    from sklearn.utils import Bunch

    names, frame = list(feature_names), None
    result: tuple[Any, Any] = (data, target)
    if as_frame:
        pandas = check.import_optional("pandas", "as_frame=True")
        frame = pandas.DataFrame(data, columns=names)
        frame["target"] = target
        result = (frame[names], frame["target"])
    if return_X_y:
        return result
    return Bunch(
        data=result[0],
        target=result[1],
        frame=frame,
        feature_names=names,
        target_names=np.array(target_names),
        DESCR=describe(source),
        **extra,
    )
