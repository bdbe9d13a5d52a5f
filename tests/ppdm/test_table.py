"""The table of constraints: bad values drawn from each row are refused by name.

That a row says the right thing is written by hand in ``test_limits.py`` and ``tests/bad``.
"""

import re

import numpy as np
import pytest

from ppdm import _validation as check
from ppdm.tree import CountTreeClassifier


def bad_values(constraint):
    """Return values that a constraint refuses: of other types, and just outside its limits."""
    limits, bad = constraint.limits, ["abc", [0.5], np.nan, object()]
    if constraint.check is check.number:
        bad += [True, np.inf, 1j]
        for end, side in (("low", -np.inf), ("high", np.inf)):
            if end in limits:
                closed = limits.get("inclusive", "both") in ("both", end)
                bad.append(np.nextafter(float(limits[end]), side) if closed else limits[end])
    elif constraint.check is check.integer:
        bad += [True, 2.0]
        bad += [limits["low"] - 1] if "low" in limits else []
        bad += [limits[end] + 1 for end in ("high", "most") if end in limits]
    elif constraint.check is check.attribute:
        bad = [*bad[1:], True, 2.0, -1]  # any text may be a name
    elif constraint.check is check.flag:
        bad += [0, 1, "True"]
    elif constraint.check is check.random_state:
        bad += [-1, 1.0, True]
    elif constraint.check is check.option:
        bad += [True, 0, str(limits["options"][0]).upper() + "x"]
    return bad if constraint.none or None in limits.get("options", (None,)) else [*bad, None]


@pytest.mark.parametrize("name", check.TABLE)
def test_what_a_row_does_not_allow_is_refused_by_name(name):
    for value in bad_values(check.TABLE[name]):
        with pytest.raises((TypeError, ValueError)) as refused:
            check.given(name, value)
        assert re.search(rf"^{name.rpartition('.')[2]} must ", str(refused.value)), value
        plain = value.item() if isinstance(value, np.generic) else value
        assert repr(plain) in str(refused.value)


@pytest.mark.parametrize("name", check.TABLE)
def test_what_a_row_allows_is_returned(name):
    constraint = check.TABLE[name]
    limits = constraint.limits
    allowed = [limits[end] for end in ("low", "high", "most") if end in limits]
    if limits.get("inclusive") in ("neither", "low", "high"):
        allowed = [np.mean(allowed) if len(allowed) == 2 else allowed[0] + 0.5]
    for value in [*allowed, *limits.get("options", ()), *[None] * constraint.none]:
        assert check.given(name, value) == value


def test_a_subclass_has_the_constraints_of_its_base():
    class Mine(CountTreeClassifier):
        pass

    assert Mine(n_intervals=1).fit([[0.0], [1.0]], [0, 1]).tree_.n_nodes == 1
    with pytest.raises(ValueError, match="n_intervals must be a whole number >= 1, got 0"):
        Mine(n_intervals=0).fit([[0.0], [1.0]], [0, 1])
