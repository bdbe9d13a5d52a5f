"""The inverse on counts: signed records, scores and expressions against the literal equations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal.response import groups_with_class, table, true_share

from ppdm.randomized_response import RandomizedResponse, estimate_proportion, signed_records
from ppdm.randomized_response import _signed as internals
from ppdm.randomized_response._channel import read_reports
from ppdm.randomized_response._signed import record_scores

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
LAYOUTS = [
    {"groups": groups, "class_group": class_group}
    for groups in (None, [[3, 1], [0, 2]], [[0], [1], [2], [3]])
    for class_group in (None, 0, "own")
]
# hundredths away from 1/2, where the weights grow and rounding with them
thetas = st.integers(0, 100).filter(lambda k: abs(k - 50) > 4).map(lambda k: k / 100)


def some_records(seed, n=60, n_bits=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, n_bits)), rng.integers(0, 2, n)


def scores_of(function, X, scheme, y=None):
    return record_scores(function, *read_reports(X, scheme, y))


def satisfies(records, expression):
    hits = np.ones(len(records.X), dtype=bool)
    for key, value in expression.items():
        hits &= (records.y if key == "class" else records.X[:, key]) == value
    return hits


@settings(deadline=None, max_examples=60)
@given(
    theta=thetas,
    layout=st.sampled_from(LAYOUTS),
    seed=st.integers(0, 99),
    expression=st.dictionaries(
        st.sampled_from([0, 1, 2, 3, "class"]), st.integers(0, 1), min_size=1
    ),
)
def test_every_expression_solves_the_papers_equations(theta, layout, seed, expression):
    # catches NOT E for the opposite, a public class reversed, a wrong order of the system
    X, y = some_records(seed)
    literal = true_share(table(X, y), groups_with_class(4, **layout), expression, theta)
    scheme = RandomizedResponse(theta, **layout)
    estimate = estimate_proportion(X, scheme, expression, y=y)
    # literal solves systems whose solutions are up to |2 theta - 1|^-5 = 1e5 records
    assert estimate.proportion == pytest.approx(literal, rel=1e-10, abs=1e-9)
    records = signed_records(X, scheme, y=y)
    weight = records.weight[satisfies(records, expression)].sum()
    assert weight / len(X) == pytest.approx(literal, rel=1e-10, abs=1e-9)
    assert records.weight.sum() == pytest.approx(len(X), abs=1e-6)
    patterns = np.column_stack([records.X, records.y]).tolist()
    assert patterns == sorted(patterns)
    assert len({tuple(pattern) for pattern in patterns}) == len(patterns)


@pytest.mark.parametrize("n_groups", [7, 14])
def test_one_expression_over_many_groups(n_groups):
    """A report counts by each group that agrees with it, or says the opposite throughout."""
    rng = np.random.default_rng(n_groups)
    X = rng.integers(0, 2, (3000, 14))
    groups = np.array_split(rng.permutation(14), n_groups)
    expression = {j: int(v) for j, v in enumerate(rng.integers(0, 2, 14))}
    wanted = np.array(list(expression.values()))
    scores = np.ones(len(X))
    for group in groups:
        hits = X[:, group] == wanted[group]
        scores *= np.where(hits.all(axis=1), 4 / 3, np.where(hits.any(axis=1), 0, -1 / 3))
    scheme = RandomizedResponse(0.8, groups)
    estimate = estimate_proportion(X, scheme, expression)
    assert estimate.proportion == pytest.approx(scores.mean(), abs=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_at_the_ends_the_signed_records_are_the_true_ones(theta, layout):
    X, y = some_records(5, n=500)
    scheme = RandomizedResponse(theta, **layout)
    R, z = scheme.disguise(X, y)
    records = signed_records(R, scheme, y=z)
    patterns, counts = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    np.testing.assert_array_equal(np.column_stack([records.X, records.y]), patterns)
    np.testing.assert_array_equal(records.weight, counts)  # exactly, no rounding


@pytest.mark.parametrize("label", ["low", "mid", "high"])
def test_public_classes_may_be_any_labels(label):
    X, y = some_records(0)[0], np.array(["low", "mid", "high"])[np.arange(60) % 3]
    records = signed_records(X, RandomizedResponse(0.9), y=y)
    weight = records.weight[(records.y == label) & (records.X[:, 2] == 1)].sum()
    assert weight == pytest.approx(1.25 * X[y == label, 2].sum() - 0.125 * (y == label).sum())


def test_one_class_alone_is_a_label_too():
    records = signed_records([[0, 1], [1, 1]], RandomizedResponse(1.0), y=["a", "a"])
    assert records.y.tolist() == ["a", "a"]
    assert signed_records([[0, 1], [1, 1]], RandomizedResponse(1.0)).y is None


def test_wide_data_with_many_groups_are_counted_per_expression(monkeypatch):
    X, _ = some_records(1, n=20, n_bits=40)
    single = [[j] for j in range(40)]
    assert internals.MAX_RECORDS == 4 * 1024**2  # of 100 bytes or so: some hundred megabytes
    monkeypatch.setattr(internals, "MAX_RECORDS", 5000)
    with pytest.raises(ValueError, match=r"at most 5000 signed records.*estimate_proportion"):
        signed_records(X, RandomizedResponse(0.8, single))
    estimate = estimate_proportion(X, RandomizedResponse(0.8, single), {0: 1, 39: 0})
    a, b = 4 / 3, -1 / 3
    scores = np.where(X[:, 0] == 1, a, b) * np.where(X[:, 39] == 0, a, b)
    assert estimate.proportion == pytest.approx(scores.mean())
    # at theta = 1 nothing is reversed, and forty groups are no matter
    assert signed_records(X, RandomizedResponse(1.0, single)).weight.sum() == 20


@settings(deadline=None, max_examples=40)
@given(theta=thetas, layout=st.sampled_from(LAYOUTS), seed=st.integers(0, 99))
def test_scores_and_signed_records_are_one_inverse(theta, layout, seed):
    """The sum of scores of a function is its sum over signed records: the inverse, transposed."""
    X, y = some_records(seed)
    values = np.random.default_rng(seed).normal(size=32)

    def function(bits, label):
        return values[np.column_stack([bits, label]) @ (1 << np.arange(5))]

    scheme = RandomizedResponse(theta, **layout)
    scores, records = scores_of(function, X, scheme, y), signed_records(X, scheme, y=y)
    assert scores.sum() == pytest.approx(records.weight @ function(records.X, records.y), abs=1e-6)


@pytest.mark.parametrize("times", [8, 9, 16, 17])
def test_records_of_more_than_one_word_are_those_of_few_bits(times):
    """Each bit stands several times over, in one word of 64 bits, in two and in three."""
    rng = np.random.default_rng(0)
    bits, y = rng.integers(0, 2, (40, 8)), np.array(["low", "mid", "high"])[rng.integers(0, 3, 40)]
    groups = [[0, 6], [1, 2, 3, 4], [5, 7]]
    wide = [[times * j + i for j in group for i in range(times)] for group in groups]
    few = signed_records(bits, RandomizedResponse(0.8, groups), y=y)
    many = signed_records(np.repeat(bits, times, axis=1), RandomizedResponse(0.8, wide), y=y)
    np.testing.assert_array_equal(many.X, np.repeat(few.X, times, axis=1))
    np.testing.assert_array_equal(many.y, few.y)
    np.testing.assert_allclose(many.weight, few.weight)


# The most groups with 3 g epsilon / |2 theta - 1|^g <= 1e-4: 6e-5, 7e-5, 6e-5 and 6e-5 there.
@pytest.mark.parametrize(("theta", "most"), [(0.51, 6), (0.55, 10), (0.6, 14), (0.4, 14)])
def test_weights_that_lose_their_digits_are_refused_by_name(theta, most):
    X = np.random.default_rng(0).integers(0, 2, (2000, most + 1))
    each = [[j] for j in range(most + 1)]
    # as many groups as are let in: every sum is right to the share that is promised
    records = signed_records(X[:, :most], RandomizedResponse(theta, each[:most]))
    assert records.weight.sum() == pytest.approx(2000, abs=2000 * 1e-4)
    a, b = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
    ones = X[:, 0].sum()
    found = records.weight[records.X[:, 0] == 1].sum()
    assert found == pytest.approx(a * ones + b * (2000 - ones), abs=2000 * 1e-4)
    # one more is refused whatever the records are, also where it is the class that has the coin
    message = rf"theta = {theta:g} .* {most + 1} groups: .*1e1\d records each .* 16 digits"
    with pytest.raises(ValueError, match=message):
        signed_records(X, RandomizedResponse(theta, each))
    with pytest.raises(ValueError, match=message):
        signed_records(X[:, :most], RandomizedResponse(theta, each[:most], "own"), y=X[:, most])
    with pytest.raises(ValueError, match=message):
        scores_of(lambda X, y: X[:, 0], X, RandomizedResponse(theta, each))
