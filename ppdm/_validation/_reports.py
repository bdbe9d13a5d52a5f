"""Where reports meet the scheme they came through: columns are compared here, and nowhere else.

A frame is read by the names of its columns, in any order, where the scheme knows names; an array,
or where either side has none, by place. A missing value matters only in columns that are asked for.
"""

from copy import copy
from typing import Any

import numpy as np

from ppdm._validation import _arrays as arrays
from ppdm._validation import _records as records
from ppdm._validation import _values as single
from ppdm.typing import AnyArray, FloatArray


def released_names(scheme: Any) -> AnyArray | None:
    """Return what the columns of a release are called; None where the scheme saw no names."""
    names = getattr(scheme, "feature_names_in_", None)
    if names is None or not hasattr(scheme, "get_feature_names_out"):
        return names
    return np.asarray(scheme.get_feature_names_out(), dtype=object)


def chosen(scheme: Any, reports: Any, name: str, place: slice | None = None) -> Any:
    """Return a frame with the scheme's columns (at ``place``) in its order; others are left out.

    What has no names, or meets a scheme without names, is returned as it is. A Series has to be
    the one column that is wanted.
    """
    own = released_names(scheme)
    if own is None or _is_alone(scheme, own, reports):
        return reports
    return _selected(own if place is None else own[place], reports, name)


def of_names(scheme: Any, clear: Any, name: str) -> Any:
    """Do the same of clear records, which have the names of the attributes."""
    own = getattr(scheme, "feature_names_in_", None)
    return clear if own is None or _is_alone(scheme, own, clear) else _selected(own, clear, name)


def alike_columns(values: Any, of: Any, name: str) -> Any:
    """Return a frame with its columns in the order that they have in another one."""
    own = records.names_of(of)
    return values if own is None else _selected(own, values, name)


def _is_alone(scheme: Any, own: AnyArray, table: Any) -> bool:
    """Return whether one column meets a scheme of one, which it is, whatever it is called.

    Noise that was bound for one of several attributes is no scheme of one.
    """
    every = getattr(getattr(scheme, "noise", scheme), "feature_names_in_", own)
    return own.size == every.size == 1 and getattr(table, "shape", (0, 0))[1:] in ((), (1,))


def _selected(own: AnyArray, reports: Any, name: str) -> Any:
    given, called = records.names_of(reports), getattr(reports, "name", None)
    if given is None and not isinstance(called, str):
        return reports
    wanted = own.tolist()
    if given is None:
        rule = f"{name} must be the column {wanted} of the scheme, or an array"
        single.demand([called] == wanted, rule, called)
        return reports
    lost = [each for each in wanted if np.count_nonzero(given == each) != 1]
    rule = f"{name} must have the scheme's columns {single.listed(np.array(wanted))}, each once"
    rule += f" and in any order (lost: {single.printed(lost)})"
    single.demand(not lost, rule, given.tolist())
    return reports if wanted == given.tolist() else reports[wanted]


def as_released(scheme: Any, reports: Any, name: str) -> AnyArray:
    """Return whole records as the scheme released them, (n, n_columns)."""
    table = _table(chosen(scheme, reports, name), name)
    n_columns = scheme.columns_of(scheme.n_features_in_ - 1).stop
    arrays.of_shape(table, name, (None, n_columns), f"of {scheme.n_features_in_} attribute(s)")
    return table


def released_and_records(noise: Any, released: Any, records: Any) -> tuple[FloatArray, FloatArray]:
    """Return what a noise released and clear records, (n, n_features) and (m, n_features)."""
    said = arrays.numbers(chosen(noise, released, "released"), "released", ndim=2)
    true = arrays.numbers(of_names(noise, clear=records, name="records"), "records", ndim=2)
    arrays.of_shape(said, "released", (None, true.shape[1]), "the columns of records")
    return said, true


def released_of(scheme: Any, reports: Any, feature: int, name: str) -> AnyArray:
    """Return what was released of one attribute, (n, w), out of whole records or by itself."""
    place = scheme.columns_of(feature)
    table = _table(chosen(scheme, reports, name, place), name)
    width = place.stop - place.start
    if table.ndim == 2 and table.shape[1] == width:
        return table
    n_columns = scheme.columns_of(scheme.n_features_in_ - 1).stop
    arrays.of_shape(table, name, (None, n_columns), f"or the {width} of attribute {feature} alone")
    return table[:, place]


def not_reported(scheme: Any, by: Any, reports: Any) -> None:
    """Refuse groups that are a disguised column: many report another group than theirs."""
    own, names = released_names(scheme), records.names_of(reports)
    if by is None or own is None or names is None:
        return
    public = {each for j in getattr(scheme, "public_", ()) for each in own[scheme.columns_of(j)]}
    table = arrays.plain(by, "by")
    groups = table.T if table.ndim == 2 else [table]
    told = {name: reports[name].to_numpy() for name in names if name in {*own} - public}
    lost = [name for name, said in told.items() for group in groups if np.array_equal(said, group)]
    rule = "by must be public, and not a disguised column, since many report another group than "
    rule += "theirs (DisguisedLinearRegression takes a disguised covariate with its channel)"
    single.demand(not lost, rule, lost)


def _table(reports: Any, name: str) -> AnyArray:
    table = arrays.labelled(reports, name)
    return table[:, np.newaxis] if table.ndim == 1 else table


def snapshot(scheme: Any) -> Any:
    """Return a copy of a scheme as it is now, without what it draws from."""
    twin = copy(scheme)
    if hasattr(twin, "random_state"):
        twin.random_state = None
    return twin


def framed(values: Any, given: Any, scheme: Any) -> Any:
    """Return what a scheme released as a frame with its index, where it was ``given`` a frame."""
    if not single.is_table(given) or hasattr(values, "columns"):
        return values
    names = released_names(scheme)
    if names is None:
        alike = np.shape(values)[1] == given.shape[1]
        names = given.columns if alike else scheme.get_feature_names_out()
    frame = type(given)(values, index=given.index, columns=names)
    return frame.infer_objects() if values.dtype == object else frame  # numbers beside texts
