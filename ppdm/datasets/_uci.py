"""The UCI data sets that are shipped: votes, breast cancer, diabetes, and Adult cut to bits.

Each loader reads a file whose checksum holds, and gives a Bunch with its description.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mode

from ppdm import _validation as check
from ppdm.typing import AnyArray, BoolArray, Cut, Fill, FloatArray, Mode, RandomState, Subset

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


def read_shipped(
    name: str, folder: Traversable | Path = DATA
) -> tuple[list[str], NDArray[np.str_]]:
    """Return the columns' names and the records of a shipped file, after the checksum.

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
    header, *lines = content.decode("ascii").splitlines()
    table = np.loadtxt(lines, dtype=str, delimiter=",", comments=None, ndmin=2)
    return header.split(","), np.strings.strip(table)


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


VOTING_FEATURES = (
    "handicapped_infants", "water_project_cost_sharing", "adoption_of_the_budget_resolution",
    "physician_fee_freeze", "el_salvador_aid", "religious_groups_in_schools",
    "anti_satellite_test_ban", "aid_to_nicaraguan_contras", "mx_missile", "immigration",
    "synfuels_corporation_cutback", "education_spending", "superfund_right_to_sue", "crime",
    "duty_free_exports", "export_administration_act_south_africa",
)
WISCONSIN_FEATURES = (
    "clump_thickness", "uniformity_of_cell_size", "uniformity_of_cell_shape", "marginal_adhesion",
    "single_epithelial_cell_size", "bare_nuclei", "bland_chromatin", "normal_nucleoli", "mitoses",
)
#: Counts of patterns of bits: the records that the papers use.
_ADULT_FILES = {"midrange": "adult-binary-10000.csv", "median": "adult-median-10000.csv"}


@overload
def load_voting(
    *, fill: Fill = ..., random_state: RandomState = ..., return_X_y: Literal[False] = ...,
    as_frame: bool = ...,
) -> Dataset: ...
@overload
def load_voting(
    *, fill: Fill = ..., random_state: RandomState = ..., return_X_y: Literal[True],
    as_frame: bool = ...,
) -> tuple[Any, Any]: ...
def load_voting(
    *,
    fill: Fill = "random",
    random_state: RandomState = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load the Congressional Voting Records of 1984: 435 records of 16 votes.

    Yea is 1 and nay is 0. Class 0 is democrat (267), class 1 republican (168). Of the
    6,960 votes 392 are missing; ZWZ05, section 6, replaces each by a fair coin.

    Parameters
    ----------
    fill : {"random", "mode", None}, default="random"
        What a missing vote becomes: a fair coin, the commoner of the known votes on the
        same issue, or NaN (None).
    random_state : None, int or numpy.random.Generator, default=None
        Where the coins come from, if there are any. None draws new coins at each call, so
        that 392 votes differ from one call to the next; an int repeats them.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=False
        Return pandas objects instead of arrays.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (435, 16), int8, or float64 where ``fill=None``; ``target`` (435,);
        ``missing`` (435, 16), True where the file has no vote; ``feature_names``,
        ``target_names``, ``DESCR``; ``frame``, a DataFrame or None.

    Raises
    ------
    ValueError
        ``fill`` or a switch is not one of its options, or ``random_state`` is negative; the
        shipped file was changed.
    TypeError
        ``random_state`` is of another type.
    ImportError
        ``as_frame=True`` without pandas.

    Examples
    --------
    >>> from ppdm.datasets import load_voting
    >>> votes = load_voting(random_state=0)
    >>> votes.data.shape, votes.data.dtype.name, int(votes.missing.sum())
    ((435, 16), 'int8', 392)
    >>> load_voting(fill="mode").data.sum(axis=0)[:3].tolist()
    [187, 243, 264]
    >>> [str(votes.target_names[c]) for c in votes.target[:3]]
    ['republican', 'republican', 'democrat']
    """
    check.given("fill", fill)
    rng = check.random_state(random_state)
    name = "house-votes-84.csv"
    _, table = read_shipped(name)
    missing = table[:, 1:] == ""
    votes: Any = np.where(missing, np.nan, table[:, 1:] == "y")
    if fill == "random":
        votes[missing] = rng.integers(0, 2, size=missing.sum())
    elif fill == "mode":
        votes = fill_with_mode(votes)
    if fill is not None:
        votes = votes.astype(np.int8)
    target = (table[:, 0] == "republican").astype(np.int64)
    classes = ("democrat", "republican")
    return make_result(
        votes, target, name, VOTING_FEATURES, classes, return_X_y, as_frame, missing=missing
    )


def load_breast_cancer_wisconsin(
    *, fill: Mode = None, binary: bool = False, return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """Load Breast Cancer Wisconsin (Original): 699 records of 9 scores from 1 to 10.

    Class 0 is benign (458), class 1 malignant (241). The file's first column, a sample
    number, is an identifier and is left out. ``bare_nuclei`` is missing in 16
    records. ZCM04, section 4.2, cuts each attribute at the middle of its range.

    Parameters
    ----------
    fill : {"mode", None}, default=None
        What a missing score becomes: the column's most frequent value, which is 1, or
        NaN (None).
    binary : bool, default=False
        Return bits: 1 where the score is above 5.5, the middle of 1..10. A bit has no
        room for NaN, so the 16 missing scores then take the column's mode whatever
        ``fill`` says, and their bits are 0.
    return_X_y, as_frame : bool, default=False
        As in :func:`load_voting`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (699, 9): float64 with NaN, int64 where ``fill="mode"``, int8 where
        ``binary=True``; ``target`` (699,); ``missing`` (699, 9), True where the file has
        no score; ``feature_names``, ``target_names``, ``DESCR``; ``frame``, a DataFrame
        or None.

    Raises
    ------
    ValueError
        ``fill`` or a switch is not one of its options; the shipped file was changed.
    ImportError
        ``as_frame=True`` without pandas.

    Examples
    --------
    >>> from ppdm.datasets import load_breast_cancer_wisconsin
    >>> cells = load_breast_cancer_wisconsin(fill="mode")
    >>> cells.data[0].tolist(), str(cells.target_names[cells.target[0]])
    ([5, 1, 1, 1, 2, 1, 3, 1, 1], 'benign')
    >>> load_breast_cancer_wisconsin(binary=True).data.sum(axis=0).tolist()
    [186, 148, 153, 120, 107, 174, 142, 139, 34]
    """
    check.arguments("load_breast_cancer_wisconsin", fill=fill, binary=binary)
    name = "breast-cancer-wisconsin.csv"
    _, table = read_shipped(name)
    scores: Any = to_float(table[:, 1:-1])
    missing = np.isnan(scores)
    if binary:
        scores = (fill_with_mode(scores) > 5.5).astype(np.int8)
    elif fill == "mode":
        scores = fill_with_mode(scores).astype(np.int64)
    target = (table[:, -1] == "malignant").astype(np.int64)
    classes = ("benign", "malignant")
    return make_result(
        scores, target, name, WISCONSIN_FEATURES, classes, return_X_y, as_frame, missing=missing
    )


def load_pima(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load Pima Indians Diabetes: 768 records of 8 measurements.

    Class 0 is negative (500), class 1 positive for diabetes (268). The values are the
    file's. A zero in ``glucose`` (5 records), ``pressure`` (35), ``triceps`` (227),
    ``insulin`` (374) or ``mass`` (11) cannot be a measurement: it stands for a missing
    one. LX14 (section 3.3) uses these data and does not mention the zeros.

    Parameters
    ----------
    return_X_y, as_frame : bool, default=False
        As in :func:`load_voting`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (768, 8), float64; ``target`` (768,); ``feature_names``,
        ``target_names``, ``DESCR``; ``frame``, a DataFrame or None.

    Raises
    ------
    ValueError
        A switch is neither True nor False; the shipped file was changed.
    ImportError
        ``as_frame=True`` without pandas.

    Examples
    --------
    >>> from ppdm.datasets import load_pima
    >>> pima = load_pima()
    >>> pima.data.shape, int(pima.target.sum())
    ((768, 8), 268)
    >>> (pima.data == 0).sum(axis=0).tolist()
    [111, 5, 35, 227, 374, 11, 0, 0]
    """
    name = "pima-indians-diabetes.csv"
    columns, table = read_shipped(name)
    target = (table[:, -1] == "pos").astype(np.int64)
    data, classes = to_float(table[:, :-1]), ("negative", "positive")
    return make_result(data, target, name, columns[:-1], classes, return_X_y, as_frame)


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
    name = _ADULT_FILES[cut]
    columns, texts = read_shipped(name)
    table = texts.astype(np.int64)
    train, test = table[:, -2], table[:, -1]
    counts = {"train": train, "test": test, "all": train + test}[subset]
    records = np.repeat(table[:, :-2], counts, axis=0)
    data, target = records[:, :-1].astype(np.int8), records[:, -1]
    classes = ("<=50K", ">50K")
    return make_result(data, target, name, columns[:-3], classes, return_X_y, as_frame)
