"""Adult: the raw records of UCI, found in a folder or downloaded, and those cut to bits.

The bits are shipped as counts of patterns: the records that the papers use.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ppdm import _validation as check
from ppdm.datasets._base import (
    check_sha256,
    make_result,
    parse,
    read_shipped,
)
from ppdm.typing import Cut, FloatArray, Subset

if TYPE_CHECKING:
    from ppdm.datasets._base import Dataset

Home = str | os.PathLike[str] | None

URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
# Of the unpacked files. The first is UCI's own; some copies of adult.test lack UCI's first
# line, which is not a record, and are the same otherwise.
ADULT_SHA256 = {
    "adult.data": ("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",),
    "adult.test": (
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        "72567b94f5c1a6f8501377dd80f93892c3848ff071cf91ba47e00b0785a28074",
    ),
}
_FILES = {"midrange": "adult-binary-10000.csv", "median": "adult-median-10000.csv"}
ADULT_CLASSES = ("<=50K", ">50K")
# The attributes in file order; a nominal one with its values in the order of adult.names.
_VALUES = {
    "age": "",
    "workclass": (
        "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay "
        "Never-worked"
    ),
    "fnlwgt": "",
    "education": (
        "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th "
        "Masters 1st-4th 10th Doctorate 5th-6th Preschool"
    ),
    "education_num": "",
    "marital_status": (
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent "
        "Married-AF-spouse"
    ),
    "occupation": (
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
        "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving "
        "Priv-house-serv Protective-serv Armed-Forces"
    ),
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Female Male",
    "capital_gain": "",
    "capital_loss": "",
    "hours_per_week": "",
    "native_country": (
        "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) "
        "India Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica "
        "Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti "
        "Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador "
        "Trinadad&Tobago Peru Hong Holand-Netherlands"
    ),
}
ADULT_FEATURES = {name: tuple(values.split()) for name, values in _VALUES.items()}


@overload
def fetch_adult(
    *, subset: Subset = ..., data_home: Home = ..., download_if_missing: bool = ...,
    return_X_y: Literal[False] = ..., as_frame: bool = ...,
) -> Dataset: ...
@overload
def fetch_adult(
    *, subset: Subset = ..., data_home: Home = ..., download_if_missing: bool = ...,
    return_X_y: Literal[True], as_frame: bool = ...,
) -> tuple[Any, Any]: ...
def fetch_adult(
    *,
    subset: Subset = "train",
    data_home: Home = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Fetch the Adult (Census Income) records of UCI: 48,842 records of 14 attributes.

    The files are looked for, plain or ending in ``.gz``, in ``data_home`` if given, else
    in the folder named by the environment variable ``PPDM_DATA`` if set, else in the
    user's cache. If they are not there, they are downloaded once from UCI into
    ``data_home`` or the cache; nothing is written to ``PPDM_DATA``. The SHA-256 is checked
    at every reading.

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        The 32,561 records of ``adult.data``, the 16,281 of ``adult.test``, or the first
        followed by the second.
    data_home : str or path, default=None
        The folder to look in and to download to.
    download_if_missing : bool, default=True
        Whether to download a file that is not there.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays: the nominal attributes as Categorical, the
        others as int64.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, 14), float64: a nominal value is its place, from 0, in
        ``categories[name]``, a missing one (``?`` in the file) is NaN; ``target`` (n,), 1
        for an income over 50,000 dollars a year; ``categories``, a dict from the eight
        nominal attributes to their values in the order of UCI's ``adult.names``;
        ``feature_names``, ``target_names``, ``DESCR``; ``frame``, a DataFrame or None.

    Raises
    ------
    ValueError
        ``subset`` or a switch is not one of its options; the file found or downloaded is not UCI's.
    TypeError
        ``data_home`` is not a path.
    OSError
        The file is not there and was not to be downloaded, or could not be.
    ImportError
        pooch (to download, or to find the cache) or pandas is not installed.

    Examples
    --------
    >>> from ppdm.datasets import fetch_adult
    >>> adult = fetch_adult()  # doctest: +SKIP
    >>> adult.data.shape, int(adult.target.sum())  # doctest: +SKIP
    ((32561, 14), 7841)
    >>> adult.categories["sex"]  # doctest: +SKIP
    ['Female', 'Male']
    """
    check.arguments(subset=subset, download_if_missing=download_if_missing)
    check.arguments(return_X_y=return_X_y, as_frame=as_frame)
    if not isinstance(data_home, str | os.PathLike | None):
        raise TypeError(f"data_home must be None, a str or a path, got {data_home!r}")
    names = {"train": ["adult.data"], "test": ["adult.test"], "all": list(ADULT_SHA256)}[subset]
    paths = [_find(name, data_home, download_if_missing) for name in names]
    parts = [_encode(_read(path, name)) for path, name in zip(paths, names, strict=True)]
    data, target = (np.concatenate(part) for part in zip(*parts, strict=True))
    return make_result(
        data,
        target,
        "adult.data",
        ADULT_FEATURES,
        ADULT_CLASSES,
        return_X_y,
        as_frame,
        levels=ADULT_FEATURES,
        categories={name: list(values) for name, values in ADULT_FEATURES.items() if values},
    )


def _find(name: str, data_home: Home, download: bool) -> Path:
    """Return where the file lies, plain or packed, downloading it if need be and allowed."""
    shared = data_home is None and os.environ.get("PPDM_DATA")
    home = shared or data_home
    if home is None:
        home = check.import_optional("pooch", "fetch_adult").os_cache("ppdm")
    folder = Path(home).expanduser()
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    if shared or not download:
        why = "PPDM_DATA names" if shared else "download_if_missing is False for"
        raise FileNotFoundError(f"{why} {folder}, but neither {name} nor {name}.gz is there")
    return _download(name, folder)


def _download(name: str, folder: Path) -> Path:
    pooch = check.import_optional("pooch", "downloading Adult")
    url, known = URL + name, f"sha256:{ADULT_SHA256[name][0]}"
    try:
        return Path(pooch.retrieve(url, known, fname=name, path=folder))
    except OSError as error:
        raise OSError(
            f"{url} could not be downloaded: {error}. Get the file by other means and name "
            "its folder as data_home or in PPDM_DATA"
        ) from error
    except ValueError as error:  # what pooch raises for a wrong checksum
        raise ValueError(f"{url}: {error}") from error


def _read(path: Path, name: str) -> str:
    """Return the text of a plain or packed file whose checksum holds."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(
                f"{path} cannot be unpacked ({error}): SHA-256 of the unpacked file expected "
                f"{' or '.join(ADULT_SHA256[name])}, got none"
            ) from error
    check_sha256(content, path, ADULT_SHA256[name])
    return content.decode("ascii")


def _encode(text: str) -> tuple[FloatArray, NDArray[np.int64]]:
    """Turn the lines of a file into codes and classes."""
    # adult.test opens with a line that is no record, "|1x3 Cross validator"
    table = parse(text.partition("\n")[2] if text.startswith("|") else text)
    columns = [
        _codes(column, levels) if levels else column.astype(np.float64)
        for column, levels in zip(table[:, :-1].T, ADULT_FEATURES.values(), strict=True)
    ]
    labels = np.strings.rstrip(table[:, -1], ".")  # adult.test ends each label with a dot
    return np.column_stack(columns), _codes(labels, ADULT_CLASSES).astype(np.int64)


def _codes(column: NDArray[np.str_], levels: Sequence[str]) -> FloatArray:
    """Return each value's place in ``levels``, NaN for ``?``."""
    place = {level: float(i) for i, level in enumerate(levels)} | {"?": np.nan}
    values, which = np.unique(column, return_inverse=True)
    return np.array([place[str(value)] for value in values])[which]


@overload
def load_adult_binary(
    subset: Subset = ..., *, cut: Cut = ..., return_X_y: Literal[False] = ..., as_frame: bool = ...
) -> Dataset: ...
@overload
def load_adult_binary(
    subset: Subset = ..., *, cut: Cut = ..., return_X_y: Literal[True], as_frame: bool = ...
) -> tuple[Any, Any]: ...
def load_adult_binary(
    subset: Subset = "train",
    *,
    cut: Cut = "midrange",
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
        ``subset``, ``cut`` or a switch is not one of its options; the shipped file was changed.
    ImportError
        ``as_frame=True`` without pandas.

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
    check.arguments(subset=subset, cut=cut)
    name = _FILES[cut]
    table = read_shipped(name).astype(np.int64)
    train, test = table[:, -2], table[:, -1]
    counts = {"train": train, "test": test, "all": train + test}[subset]
    records = np.repeat(table[:, :-2], counts, axis=0)
    data, target = records[:, :-1].astype(np.int8), records[:, -1]
    return make_result(data, target, name, ADULT_FEATURES, ADULT_CLASSES, return_X_y, as_frame)
