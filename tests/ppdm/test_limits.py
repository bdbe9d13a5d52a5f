"""The table of constraints: each limit of a number from both sides, and what no row takes."""

import numpy as np
import pytest

from ppdm import _validation as check
from ppdm import protocol
from ppdm import randomized_response as rr
from ppdm.compare import choose_scheme, respondents_needed
from ppdm.tree import CountTreeClassifier

NUMBERS = {check.number, check.integer}


#: Of the package's own table: arguments, values that are allowed, values that are not.
OF_THE_TABLE = [
    ("theta proportion prevalence false_positive_rate", [0, 1], [-0.001, 1.001]),
    ("confidence power mu delta", [1e-9, 0.999], [0, 1]),
    ("respondents_needed.error respondents_needed.margin", [1e-9, 0.999], [0, 1]),
    ("sparsity slack audit_epsilon.delta Budget.delta delta_r.epsilon", [0, 0.999], [-0.001, 1]),
    ("epsilon HadamardResponse.epsilon", [1e-9, 20], [0, -1, 20.001]),
    ("UnaryEncoding.epsilon PrivateTreeGenerator.epsilon privacy scale", [1e-9, 900], [0, -1]),
    ("Budget.epsilon MixedResponse.epsilon", [1e-9, 900], [0, -1]),
    ("tol smoothing choose_scheme.epsilon choose_scheme.margin", [1e-9, 900, None], [0, -1]),
    ("prior_sd", [0.01, 100, None], [0.009, 100.01]),
    ("respondents_needed.difference", [0.999, -0.999], [1, -1]),
    ("gaussian_delta.epsilon min_samples_leaf min_impurity_decrease", [0, 900], [-0.001]),
    ("choose_scheme.proportion", [1e-9, 0.999, None], [0, 1]),
    ("smaller", [1e-9, 1, None], [0, 1.001]),
    ("feature epoch max_cells", [0], [-1]),
    ("max_depth", [0, None], [-1]),
    ("yes_no", [0, 2**14], [-1, 2**14 + 1]),
    ("label", [0, 1], [-1, 2]),
    ("k max_level n_volunteers max_size node asked max_iter batch_size", [1, 10**12], [0]),
    ("n_cells min_node_records min_class_records", [1, 10**12], [0]),
    ("svd.n_components choose_scheme.n", [1, 10**12], [0]),
    ("n_samples n_draws repeats m0 draw_levels.n", [1, 10**9], [0, 10**9 + 1]),
    ("n_bits n_components choose_scheme.times", [1, 2**14], [0, 2**14 + 1]),
    ("n_starts n_passes MixtureTreeClassifier.n_draws", [1, 2**20], [0, 2**20 + 1]),
    ("top check_guidance.n_bits", [1, None], [0]),
    ("CountTreeClassifier.n_intervals", [1, 2**20, None], [0, 2**20 + 1]),
    ("n_intervals", [2, 2**20, None], [1, 2**20 + 1]),
    ("respondents_needed.n_values", [2, 2**20], [1, 2**20 + 1]),
    ("cv privacy.n_samples", [2, 10**9], [1, 10**9 + 1]),
    ("leave_one_out.n_draws", [2, 10**9, None], [1, 10**9 + 1]),
    ("answers_read.n_draws", [1, 10**6, None], [0, 10**6 + 1]),
    ("draw_levels.n_bits", [6], [5]),
    ("make_agrawal.function", [1, 5], [0, 6]),
]


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [(name, *values) for names, *values in OF_THE_TABLE for name in names.split()],
)
def test_a_limit_of_the_table_is_where_it_is_said_to_be(name, allowed, refused):
    assert [check.given(name, value) for value in allowed] == allowed
    for value in refused if None in allowed else [*refused, None]:
        with pytest.raises((ValueError, TypeError), match=rf"{name.rpartition('.')[2]} must be"):
            check.given(name, value)


def test_every_number_of_the_table_has_its_limits_here():
    named = {name for names, *_ in OF_THE_TABLE for name in names.split()}
    assert named == {name for name, row in check.TABLE.items() if row.check in NUMBERS}


#: By the check of a row, what is of another type, beside what no row takes.
OF_ANOTHER_TYPE = {
    check.number: ["abc", True, np.inf, 1j], check.integer: ["abc", True, 2.0],
    check.attribute: [True, 2.0, -1], check.flag: ["True", 0, 1],
    check.random_state: ["abc", -1, 1.0, True], check.option: ["abc", True, 0],
}  # fmt: skip


@pytest.mark.parametrize("name", check.TABLE)
def test_a_row_takes_its_type_and_refuses_another_by_name(name):
    row, last = check.TABLE[name], name.rpartition(".")[2]
    options = row.limits.get("options", ())
    for value in [*options, *[None] * row.none]:
        assert check.given(name, value) == value
    bad = [[0.5], np.nan, object(), *OF_ANOTHER_TYPE.get(row.check, ["abc"])]
    bad += [f"{options[0]}".upper() + "x"] if options else []
    bad += [] if row.none or None in (options or [None]) else [None]
    for value in bad:
        with pytest.raises((TypeError, ValueError), match=rf"^{last} must ") as refused:
            check.given(name, value)
        assert repr(value) in str(refused.value)


def test_a_subclass_has_the_constraints_of_its_base():
    class Mine(CountTreeClassifier):
        pass

    assert Mine(n_intervals=1).fit([[0.0], [1.0]], [0, 1]).tree_.n_nodes == 1
    with pytest.raises(ValueError, match="n_intervals must be a whole number >= 1, got 0"):
        Mine(n_intervals=0).fit([[0.0], [1.0]], [0, 1])


def chosen(**change):
    return choose_scheme(**{"n": 100, "yes_no": 2, "epsilon": 1.0} | change)


def announced(k):
    provider = protocol.DataProvider([1, 0, 1, 0], label=0, max_level=4, sender="anna")
    return provider.accepts(protocol.Announcement(0, k))


#: What depends on the other arguments: ``tests/bad`` has the ends of whole numbers.
LIMITS = [
    # argument, a call, what it takes, what it refuses
    ("margin", lambda v: respondents_needed(0.8, margin=v), [0.1], [0, 1e-10]),
    ("difference", lambda v: respondents_needed(0.8, difference=v), [0.5, -0.5], [1, -1, 0]),
    ("epsilon", lambda v: respondents_needed(error=0.1, epsilon=v), [0.1, 20], [0, 20.1]),
    ("one_of", lambda v: chosen(one_of=v), [2], [1]),
    ("margin", lambda v: chosen(margin=v), [0.1, None], [0, 1e-10]),
    ("numbers", lambda v: chosen(numbers=[(0, v)], want="mean"), [1], [1e300, 1e-300]),
    ("top", lambda v: chosen(one_of=10, want="top", top=v), [1, 9], [0, 10]),
    ("n_values", lambda v: rr.UnaryEncoding(v, 1.0).channel_matrix(), [2, 16], [1, 17]),
    ("k", announced, [1, 9], [0]),
]


@pytest.mark.parametrize(("name", "call", "allowed", "refused"), LIMITS)
def test_a_limit_is_where_it_is_said_to_be(name, call, allowed, refused):
    for value in allowed:
        call(value)
    for value in refused:
        with pytest.raises(ValueError, match=rf"\b{name}\b.* must be|{name} must be"):
            call(value)
