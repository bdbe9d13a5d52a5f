"""What nobody may change: results, whose arrays are not compared either, and constants."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

import ppdm

#: What the package hands from room to room; a result has too many fields to go by their order.
BY_ORDER = {
    "Claim", "Constraint", "Grid", "StandardNoise", "Tree",
}  # fmt: skip

MODULES = [
    importlib.import_module(info.name)
    for info in pkgutil.walk_packages(ppdm.__path__, "ppdm.")
    if not info.name.startswith(("ppdm_survey", "ppdm_book.experiments"))
]
DATACLASSES = {
    its
    for module in MODULES
    for its in vars(module).values()
    if inspect.isclass(its) and its.__module__ == module.__name__ and dataclasses.is_dataclass(its)
}
#: Fields of an estimator are its parameters.
ESTIMATORS = {its for its in DATACLASSES if hasattr(its, "get_params")}
RESULTS = DATACLASSES - ESTIMATORS


def test_nobody_changes_the_arrays_that_are_public():
    public = {name: getattr(m, name) for m in MODULES for name in getattr(m, "__all__", ())}
    arrays = {name: its for name, its in public.items() if isinstance(its, np.ndarray)}
    assert arrays
    assert not [name for name, its in arrays.items() if its.flags.writeable]


@pytest.mark.parametrize("result", sorted(RESULTS, key=repr), ids=lambda its: its.__qualname__)
def test_a_result_is_frozen_and_equal_only_where_that_means_something(result):
    rule, fields = result.__dataclass_params__, dataclasses.fields(result)
    assert rule.frozen
    # == of two results with arrays would be neither true nor false
    array = r"(tuple\[)?(\w*Array|numpy\.ndarray)"
    arrays = any(re.match(array, str(field.type)) for field in fields)
    assert rule.eq != arrays
    assert all(field.kw_only for field in fields) == (result.__name__ not in BY_ORDER)


@pytest.mark.parametrize("estimator", sorted(ESTIMATORS, key=repr), ids=repr)
def test_an_estimator_is_shown_and_compared_as_scikit_learn_does(estimator):
    rule = estimator.__dataclass_params__
    assert (rule.eq, rule.repr, rule.frozen) == (False, False, False)
    fields = {field.name for field in dataclasses.fields(estimator) if field.init}
    assert fields == set(estimator._get_param_names())
