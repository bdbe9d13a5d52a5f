"""Checks of arrays: of bits, codes and numbers, of channels and counts, and of what is no array."""

from typing import Any

import numpy as np

from ppdm._validation import _values as check
from ppdm.typing import AnyArray, ArrayLike, Bits, BoolArray, Codes, FloatArray, IntArray

#: What is filled in is no report: it would bias whatever is estimated.
_REPORTS = {"released", "reports", "disguised", "R"}
#: How many dimensions an array may have; None is any number.
Dimensions = int | tuple[int, ...] | None

#: What to do where somebody was not asked: bits have a lot where their scheme has one.
NOT_ASKED = "only 0 and 1 are allowed (NaN for not asked needs a scheme with asked=)"


def plain(values: Any, name: str) -> AnyArray:
    """Return an array of anything; refuse masked and sparse values and lists that are ragged."""
    rows = values if isinstance(values, list | tuple) else [values]
    n = sum(np.ma.getmaskarray(row).sum() for row in rows if isinstance(row, np.ma.MaskedArray))
    # NumPy's functions would read what lies under the mask
    shape = getattr(values, "shape", len(rows))  # all values would fill screens
    check.demand(not n, f"{name} has {n} masked value(s): {remedy(name)}", shape)
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} must be dense, got a sparse array: use toarray()")
    pair = " (disguise returns two things, records and class)" if isinstance(values, tuple) else ""
    with check.naming(name, f"an array, its rows of one length{pair}"):
        array = np.asarray(values)
    rule = f"{name} must not be of NumPy's string type (use astype(str))"
    check.demand(array.dtype.kind != "T", rule, str(array.dtype), TypeError)
    return array


def remedy(name: str, advice: str = "", *, reports: bool = False) -> str:
    """Say what to do with values that are missing."""
    if reports or name in _REPORTS:
        why = "drop them first, and never fill them: what is filled in is no report, and biases"
        return f"{why}; {advice}" if advice == NOT_ASKED else why
    return f"fill or drop them first{advice and ', ' + advice}"


def missing_values(array: AnyArray) -> BoolArray:
    """Return where a value is missing: NaN, or of Python's objects None and pandas' own, too."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=np.bool_)
    lost = [
        each is None or type(each).__name__ in ("NAType", "NaTType") or each != each
        for each in array.ravel().tolist()
    ]
    return np.array(lost, dtype=np.bool_).reshape(array.shape)


def _array(values: ArrayLike, name: str, what: str, ndim: Dimensions) -> AnyArray:
    """Return a non-empty array of any type of numbers."""
    array = _filled(plain(values, name), name, ndim)
    if array.dtype.kind == "O":  # Python's own numbers, as a mixed table has
        with check.naming(name, f"an array of {what}"):
            lost = missing_values(array)
            array = np.where(lost, np.nan, array) if lost.any() else array
            of_one_type = np.array(array.tolist())
            array.astype(np.float64)  # what is no number is named
        array = of_one_type if of_one_type.shape == array.shape else array
    refuse_texts(array, name, what)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold {what}, got values of type {array.dtype}")
    return array


def _filled(array: AnyArray, name: str, ndim: Dimensions) -> AnyArray:
    """Return an array as it is, of one of the ``ndim`` allowed and not empty."""
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and array.ndim not in allowed:
        wanted = " or ".join(str(d) for d in allowed)
        raise ValueError(f"{name} must have {wanted} dimension(s), got shape {array.shape}")
    check.demand(array.size, f"{name} must not be empty", array.shape)
    return array


def labelled(values: Any, name: str, *, ndim: Dimensions = None) -> AnyArray:
    """Return a non-empty array of labels and numbers; of a list NumPy makes texts of NaN, too."""
    array = plain(values, name)
    array = np.array(values, dtype=object) if array.dtype.kind in "US" else array
    return _filled(array, name, ndim)


def refuse_texts(
    array: AnyArray, name: str, what: str = "numbers",
    advice: str = "use astype(float) where a text is one",
) -> None:
    """Refuse texts, of digits too: a postcode 01234 is no 1234; ``advice`` may name the text."""
    if array.dtype.kind in "OUS":
        each = array.ravel().tolist()
        text = next((one for one in each if isinstance(one, str | bytes)), None)
        rule = f"{name} must hold {what} ({advice.format(check.printed(text))})"
        check.demand(text is None, rule, text, TypeError)


def refuse(wrong: BoolArray, array: AnyArray, rule: str) -> None:
    """Refuse an array in which anything is wrong, and name the first that is."""
    if wrong.any():
        at = where(wrong)
        raise ValueError(f"{rule}, got {array[at].item():.12g} at {at}")


def refuse_attribute(wrong: BoolArray, array: AnyArray, rule: str) -> None:
    """Raise a ValueError with the first attribute that is wrong, and its row of the array."""
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(f"{rule}, got {np.atleast_2d(array)[j].tolist()} for attribute {j}")


def answered(block: AnyArray) -> BoolArray:
    """Return who answered an attribute, by its columns (n, w): any that is not NaN, (n,)."""
    return np.asarray(~missing_values(block).reshape(len(block), -1).all(axis=1))


def wide_enough(dtype: np.dtype[Any], n_values: int) -> np.dtype[Any]:
    """Return an integer type as it is if it holds codes of so many values, else one that does."""
    if n_values - 1 <= np.iinfo(dtype).max:
        return dtype
    return np.result_type(dtype, np.min_scalar_type(n_values - 1))


def where(mask: BoolArray) -> tuple[int, ...]:
    """Return where a mask is first true."""
    return tuple(int(i) for i in np.argwhere(mask)[0])


def of_shape(array: AnyArray, name: str, shape: tuple[int | None, ...], what: str = "") -> None:
    """Refuse an array of another shape; None stands for any length, and ``what`` explains."""
    pairs = zip(shape, array.shape, strict=False)
    if len(shape) != array.ndim or not all(n in (None, m) for n, m in pairs):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        wanted += "," * (len(shape) == 1)
        rule = f"{name} must have shape ({wanted}){what and ', '}{what}"
        raise ValueError(f"{rule}, got shape {array.shape}")


def array(values: ArrayLike, name: str, *, ndim: Dimensions = None) -> FloatArray:
    """Return a non-empty array of numbers as float64, of one of the ``ndim`` allowed."""
    given = plain(values, name)
    nothing = given.dtype.kind == "O" and any(each is None for each in given.ravel().tolist())
    rule = f"{name} must hold numbers (NaN where there is none)"
    check.demand(not nothing, rule, None, TypeError)
    return _array(given, name, "numbers", ndim).astype(np.float64, copy=False)


def finite(values: ArrayLike, name: str, *, ndim: Dimensions = None) -> AnyArray:
    """Return a non-empty array of finite numbers, of their own type."""
    array = _array(values, name, "numbers", ndim)
    if name in _REPORTS:
        refuse_missing(array, name)
    refuse(~np.isfinite(array), array, f"{name} must hold finite numbers only")
    return array


def numbers(
    values: ArrayLike, name: str, *, ndim: Dimensions = None,
    low: float = -np.inf, high: float = np.inf,
) -> FloatArray:
    """Return a non-empty array of finite numbers in [low, high] as float64."""
    array = finite(values, name, ndim=ndim)
    rule = "not be negative" if (low, high) == (0, np.inf) else f"be in [{low:g}, {high:g}]"
    if (low, high) != (-np.inf, np.inf):  # a pass over a million values is felt
        refuse((array < low) | (array > high), array, f"{name} must {rule}")
    return array.astype(np.float64, copy=False)


def bits(
    values: ArrayLike, name: str, *, ndim: Dimensions = None,
    advice: str = "only 0 and 1 are allowed", reports: bool = False,
) -> Bits:
    """Return a non-empty array of zeros and ones as int8.

    Booleans, integers and floats are taken where every value is 0 or 1; a missing
    value is named, not guessed, with some ``advice``; of ``reports`` none may be filled.
    """
    given = plain(values, name)
    of_words = f"say which answer is 1, as {name} == {{}} does, or disguise labels by "
    what, of_words = "zeros and ones", f"{of_words}CategoricalRandomizedResponse"
    refuse_texts(given, name, what, of_words)
    array = _array(given, name, what, ndim)
    refuse_missing(array, name, remedy(name, advice, reports=reports))
    # read as unsigned, a negative number is a large one: one fast pass over whole numbers
    if array.dtype.kind == "f" or array.view(f"u{array.itemsize}").max() > 1:
        refuse(array < 0, array, f"{name} must hold only 0 and 1: Negative values in data are none")
        refuse((array != 0) & (array != 1), array, f"{name} must hold only 0 and 1")
    return array.astype(np.int8, copy=False)


def codes(
    values: ArrayLike, name: str, n_values: ArrayLike | None = None, *, first: int = 0
) -> Codes:
    """Return a non-empty matrix of codes 0, 1, ... as integers.

    Floats are taken where every value is whole; a missing value is named, not guessed.
    ``n_values`` holds how many codes each column has; None allows any. They are the columns of
    the attributes from the ``first`` on.
    """
    array = _array(values, name, "codes 0, 1, ...", 2)
    # read as unsigned, a negative number is a large one: one fast pass over whole numbers
    whole = n_values is not None and array.dtype.kind in "iu"
    if whole and array.view(f"u{array.itemsize}").max() < np.min(np.asarray(n_values)):
        return array
    refuse_missing(array, name, remedy(name, "or give them a code of their own"))
    if array.dtype.kind == "f":
        fraction = (np.abs(array) > 2.0**53) | (np.floor(array) != array)
        refuse(fraction, array, f"{name} must hold whole codes 0, 1, ...")
        array = array.astype(np.int64)
    elif array.dtype.kind == "b":
        array = array.astype(np.int8)
    if array.min() < 0:
        rule = f"{name} must hold codes 0, 1, ...: Negative values in data are none"
        refuse(array < 0, array, rule)
    if n_values is not None and array.max() >= np.min(n_values):
        unseen = array >= np.asarray(n_values)
        if unseen.any():
            row, column = where(unseen)
            known = np.broadcast_to(n_values, array.shape[1])[column]
            raise ValueError(
                f"{name} holds a category never seen: code {array[row, column]} at "
                f"({row}, {column}), where attribute {column + first} has {known} value(s)"
            )
    return array


def refuse_missing(
    array: AnyArray, name: str, advice: str | None = None, *, called: str = ""
) -> None:
    """Refuse values of which some are missing, in the one attribute that is ``called`` so."""
    if not array.ndim or array.dtype.kind not in "fO":  # a pass over a million bits is felt
        return
    lost = missing_values(array)
    if lost.any():
        many = f"{int(lost.sum())} missing value(s){called and ' in '}{called} (None or NaN)"
        place = ", column ".join(map(str, where(lost)))
        advice = advice or remedy(name, called and "or give them a category of their own")
        raise ValueError(f"{name} has {many}, the first in row {place}: {advice}")


def are_places(array: AnyArray, n: int) -> bool:
    """Return whether an array (m,) holds whole numbers from 0 to n - 1, one or more."""
    whole = array.ndim == 1 and array.size > 0 and array.dtype.kind in "iu"
    return bool(whole and array.min() >= 0 and array.max() < n)


def rows(values: ArrayLike, name: str, n: int) -> IntArray:
    """Return the numbers of some of ``n`` rows, (m,), from 0 on."""
    array = plain(values, name)
    check.demand(are_places(array, n), f"{name} must be rows from 0 to {n - 1}, (m,)", values)
    return array.astype(np.intp)


def labels(labels: ArrayLike | None, n_labels: int | None, n: int) -> tuple[IntArray, int]:
    """Return a code 0, 1, ... for each of ``n`` records, and how many there are: one for None."""
    if labels is None:
        check.goes_with(n_labels, "n_labels", "labels")
        return np.zeros(n, dtype=np.intp), 1
    array = plain(labels, "labels")
    rule = f"labels must hold one integer code for each of the {n} records"
    legal = array.shape == (n,) and array.size and array.dtype.kind in "biu"
    check.demand(legal, rule, (str(array.dtype), array.shape))
    low, high = int(array.min()), int(array.max())
    wanted = high + 1
    if n_labels is not None:
        wanted = check.integer(n_labels, "n_labels", low=1, most=check.MOST_DRAWS)
    if low < 0 or high >= wanted:
        raise ValueError(f"labels must hold codes from 0 to {wanted - 1}, got {low} to {high}")
    return array.astype(np.intp, copy=False), wanted


def weights(sample_weight: ArrayLike, n: int) -> FloatArray:
    """Return a signed weight for each of ``n`` records."""
    array = numbers(sample_weight, "sample_weight")
    of_shape(array, "sample_weight", (n,))
    return array


def repetitions(sample_weight: ArrayLike, n: int) -> None:
    """Refuse what is not how often each of ``n`` records came."""
    times = weights(sample_weight, n)
    rule = "sample_weight must hold whole numbers from 0, how often each record came"
    refuse((times < 0) | (times != np.rint(times)), times, rule)


def broadcast(**arrays: FloatArray) -> list[FloatArray]:
    """Return arrays of one shape, by their names."""
    with check.naming(" and ".join(arrays), "of shapes that broadcast"):
        return list(np.broadcast_arrays(*arrays.values()))


def domain(domain: ArrayLike, n_features: int | None = None) -> FloatArray:
    """Return the bounds of the attributes, (n_features, 2), the lower one first."""
    bounds = numbers(domain, "domain")
    of_shape(bounds, "domain", (n_features, 2), "bounds for each attribute, such as [[0, 99]]")
    wrong = bounds[:, 0] >= bounds[:, 1]
    refuse_attribute(wrong, bounds, "domain must have low < high for every attribute")
    return bounds


def edges(
    edges: ArrayLike, name: str = "edges", *, ndim: Dimensions = (1, 2), least: int = 2
) -> FloatArray:
    """Return the edges of at least ``least`` intervals, strictly increasing on the last axis."""
    array = numbers(edges, name, ndim=ndim)
    n = array.shape[-1] - 1
    check.demand(n >= least, f"{name} must hold at least {least + 1} edges", n + 1)
    falls = np.diff(array, axis=-1) <= 0
    if falls.any():
        *row, j = where(falls)
        a, b = array[tuple(row)][j : j + 2]
        raise ValueError(f"{name} must increase strictly, got {a:g} followed by {b:g}")
    return array


def cuts(cuts: ArrayLike, name: str, size: int) -> FloatArray:
    """Return the inner edges of ``size`` intervals, finite and ascending; some may be equal."""
    points = numbers(cuts, name, ndim=1)
    of_shape(points, name, (size - 1,), f"inner edges for {size} values")
    check.demand((np.diff(points) >= 0).all(), f"{name} must not descend", points.tolist())
    return points


def tuples(R: ArrayLike, y: ArrayLike, n_bits: int, name: str = "R") -> tuple[Bits, Bits]:
    """Return rows of ``n_bits`` bits and as many labels, from one tuple or several."""
    check.in_step(**{name: R, "y": y})
    array, labels = bits(R, name), bits(y, "y")
    of_shape(array, name, (*[None] * (array.ndim == 2), n_bits), "a row a tuple")
    of_shape(labels, "y", array.shape[:-1], "a label for each tuple")
    return np.atleast_2d(array), np.atleast_1d(labels)


def bit_probabilities(
    T: ArrayLike, probabilities: ArrayLike, y: ArrayLike | None, n_bits: int | None = None
) -> tuple[Bits, FloatArray, Bits]:
    """Return clear tuples, P(released bit is 1 | tuple) and classes 0 or 1, all zero for None.

    As many bits go in as come out, ``n_bits``; for None any number of either.
    """
    check.in_step(T=T, probabilities=probabilities, y=y)
    clear = bits(T, "T", ndim=2)
    of_shape(clear, "T", (None, n_bits), "a row a tuple")
    P = numbers(probabilities, "probabilities", ndim=2, low=0, high=1)
    shape = len(clear), P.shape[1] if n_bits is None else n_bits
    of_shape(P, "probabilities", shape, "a row a tuple")
    if y is None:
        return clear, P, np.zeros(len(clear), dtype=np.int8)
    classes = bits(y, "y", ndim=1)
    of_shape(classes, "y", shape[:1], "a label for each tuple")
    return clear, P, classes


def counts(counts: ArrayLike, n_cells: int, name: str = "counts") -> FloatArray:
    """Return counts (..., n_cells), none negative and not all zero; zeros beyond are left out."""
    array = numbers(counts, name, low=0)
    if array.ndim and not array[..., n_cells:].any():
        array = array[..., :n_cells]
    of_shape(array, name, (*array.shape[:-1], n_cells), "the last axis along the cells")
    check.demand(array.any(), f"{name} must hold at least one record", 0)
    return array


def probabilities(values: ArrayLike, name: str, n_values: int) -> FloatArray:
    """Return distributions (..., n_values): not negative, each summing to one."""
    array = numbers(values, name, low=0)
    of_shape(array, name, (*array.shape[:-1], n_values), "a distribution a row")
    _refuse_sums(array.sum(axis=-1), f"{name} must sum to one")
    return array


def _refuse_sums(sums: FloatArray, rule: str) -> None:
    """Refuse sums that are not one, but for rounding."""
    if not np.allclose(sums, 1.0, rtol=0, atol=1e-6):
        worst = np.unravel_index(np.abs(sums - 1.0).argmax(), sums.shape)
        where = f" in column {int(worst[-1])}" if worst else ""
        raise ValueError(f"{rule}, got {sums[worst]:g}{where}")


def matrix(values: ArrayLike, name: str = "channel") -> FloatArray:
    """Return a matrix P[released | true] (n_released, n_true): columns sum to one."""
    array = numbers(values, name, ndim=2, low=0)
    check.demand(array.shape[1] > 1, f"{name} must have two or more true values", array.shape)
    rule = f"{name} must have columns that sum to one (a column is P[released | one true value])"
    _refuse_sums(array.sum(axis=0), rule)
    return array


def invert_matrix(matrix: FloatArray) -> FloatArray:
    """Return what undoes a channel (S, m) whose columns are independent, (m, S).

    Where more is released than is true, the pseudo-inverse with what it leaves out of each report
    spread evenly: unbiased as well, with the same errors, and the counts keep their sum.
    """
    n_released, m = matrix.shape
    rank = int(np.linalg.matrix_rank(matrix))
    rule = f"channel must have {m} linearly independent columns for an inverse (em needs none)"
    check.demand(rank == m, rule, rank)
    inverse = np.asarray(np.linalg.pinv(matrix))
    return inverse + (1 - inverse.sum(axis=0)) / m if n_released > m else inverse
