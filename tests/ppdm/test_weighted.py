"""Weights, clusters, strata, and groups that are a part of a sample."""

import datetime
from itertools import product

import numpy as np
import pandas as pd
import pytest
from literal import designed as literal
from refusals import refusals
from scipy.stats import t as student

from ppdm._weighted import read_sample
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.regression import (
    DisguisedLinearRegression,
    DisguisedLogisticRegression,
    estimate_difference,
)

#: Four strata of three, four, three and two clusters of four people, who weigh unlike. The group
#: has a single cluster in the third, and nobody in the last.
CLUSTERS, STRATA = np.arange(48) // 4, np.repeat([0, 1, 2, 3], [12, 16, 12, 8])
WEIGHTS = np.random.default_rng(0).choice([0.5, 1.0, 2.0, 6.0], 48)
GROUP = np.isin(CLUSTERS, [0, 2, 3, 4, 6, 9]) & (np.arange(48) % 4 < 3)
DESIGNS = {
    "clusters in strata": (CLUSTERS, STRATA, 3), "clusters": (CLUSTERS, None, 5),
    "people in strata": (None, STRATA, np.inf), "people": (None, None, np.inf),
}  # fmt: skip
THETA = 0.8
designs = pytest.mark.parametrize(("clusters", "strata", "degrees"), DESIGNS.values(), ids=DESIGNS)


def by_loops(clusters, strata):
    """Who was drawn with whom and where, person by person, for the second implementation."""
    return range(48) if clusters is None else clusters, [0] * 48 if strata is None else strata


@designs
def test_the_spread_is_the_one_with_loops(clusters, strata, degrees):
    """Who is not looked at adds zero to her cluster; the group's own units give the factor."""
    scores, weights = np.random.default_rng(1).normal(size=(48, 3)), WEIGHTS * GROUP
    moved = scores * weights[:, np.newaxis]
    expected, _ = literal.spread(moved, weights, *by_loops(clusters, strata))
    for sample, rows in (
        (read_sample(48, weights, clusters, strata), slice(None)),
        (read_sample(48, WEIGHTS, clusters, strata).of(GROUP), GROUP),
    ):
        np.testing.assert_allclose(sample.spread(moved[rows]), expected)
        assert sample.degrees == degrees


@designs
def test_the_share_of_a_group_is_the_one_with_loops(clusters, strata, degrees):
    """By a label, by zero weights, and by who answered: one law."""
    reports, drawn = np.random.default_rng(2).integers(0, 2, 48), by_loops(clusters, strata)
    weights = WEIGHTS * GROUP
    (share,) = literal.share(reports, weights, THETA)
    errors = literal.share_errors(reports, weights, THETA, *drawn)
    design = {"clusters": clusters, "strata": strata}
    gaps, coin = np.where(GROUP, reports, np.nan), CategoricalRandomizedResponse(2, THETA)
    options = [
        (reports, {"sample_weight": weights, **design}),
        (reports, {"sample_weight": WEIGHTS, "by": GROUP, **design}),
        (gaps, {"sample_weight": WEIGHTS, "missing": "drop", **design}),
    ]
    for told, option in options:
        one = estimate_proportion(told, THETA, **option)
        several = estimate_frequencies(told, coin, **option)
        if "by" in option:
            one, several = one[True], several[True]
        assert one.proportion == pytest.approx(share)
        assert (one.standard_error, one.disguise_error, one.effective_n) == pytest.approx(errors)
        assert one.degrees == several.degrees == degrees
        assert several.frequencies[1] == pytest.approx(share)
        np.testing.assert_allclose(several.standard_errors, errors[0])
        np.testing.assert_allclose(several.effective_n, errors[2])
        np.testing.assert_allclose(several.interval()[1], one.interval())
        yes = one.interval() * THETA + (1 - one.interval()) * (1 - THETA)  # Wilson's, by its law
        z = (one.interval() - share) * (2 * THETA - 1) / np.sqrt(yes * (1 - yes) / one.effective_n)
        assert np.abs(z) == pytest.approx(student.ppf(0.975, degrees))


@designs
def test_the_regressions_of_a_group_are_those_with_loops(clusters, strata, degrees):
    """What is not known of who weighs nothing does not matter, such as a covariate."""
    rng, weights, drawn = np.random.default_rng(3), WEIGHTS * GROUP, by_loops(clusters, strata)
    x = rng.normal(size=48)
    told, y = rng.integers(0, 2, 48), 1 + x + rng.normal(size=48)
    yes = (rng.random(48) < np.where(rng.random(48) < 0.5, 0.3, 1 / (1 + np.exp(-x)))).astype(int)
    matrix = np.array([[0.95, 0.05], [0.05, 0.95]])
    table = np.where(GROUP[:, np.newaxis], np.column_stack([x, told]), np.nan)
    X = pd.DataFrame(table, columns=["x", "told"]).astype({"told": "Int64"})
    model = DisguisedLinearRegression({"x": 0.05, "told": matrix})
    model.fit(X, y, sample_weight=weights, clusters=clusters, strata=strata)
    columns = [("noise", x, 0.05), ("coin", told, np.linalg.inv(matrix))]
    np.testing.assert_allclose(
        model.covariance_, literal.linear_covariance(columns, y, weights, *drawn), rtol=1e-5)
    logistic = DisguisedLogisticRegression(matrix)
    logistic.fit(table[:, :1], yes, sample_weight=weights, clusters=clusters, strata=strata)
    coefficients = np.column_stack([logistic.intercept_, logistic.coef_])
    expected = literal.logistic_covariance(
        x[:, np.newaxis], matrix[yes], coefficients, weights, *drawn)
    np.testing.assert_allclose(logistic.covariance_, expected, rtol=1e-4)
    assert model.degrees_ == logistic.degrees_ == degrees
    assert model.n_reports_ == logistic.n_reports_ == GROUP.sum()


def unknown(one):
    """Whether error and interval are NaN, of a share or of frequencies."""
    error = getattr(one, "standard_errors", getattr(one, "standard_error", 0))
    return bool(np.isnan(error).all() and np.isnan(one.interval()).all())


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_a_group_too_small_for_an_error_stops_no_other():
    """One person, one cluster, one cluster in each stratum; nobody answered, nobody weighs."""
    reports = np.random.default_rng(4).integers(0, 2, 48).astype(float)
    weights, by = WEIGHTS.copy(), np.full(48, "others", dtype=object)
    for name, rows in {
        "one": [0], "cluster": range(4, 8), "left": [9, 10, 13, 14],
        "silent": [17, 18], "weightless": [21, 22],
    }.items():  # fmt: skip
        by[list(rows)] = name
    reports[by == "silent"], weights[by == "weightless"] = np.nan, 0
    coin = CategoricalRandomizedResponse(2, THETA)
    options = {"by": by, "missing": "drop", "sample_weight": weights, "clusters": CLUSTERS}
    strata = np.where(CLUSTERS < 3, 0, STRATA + 1)  # the third cluster and the fourth lie apart
    shares = estimate_proportion(reports, THETA, strata=strata, **options)
    several = estimate_frequencies(reports, coin, strata=strata, method="raw", **options)
    for name, one in shares.items():
        shown = several[name]
        assert one.n == shown.n
        assert unknown(one) == unknown(shown) == (name not in ("all", "others"))
        gone = name in ("silent", "weightless")
        assert np.isnan(one.proportion) == np.isnan(shown.frequencies).all() == gone
        assert (one.n == 0) == gone == np.isnan(one.disguise_error)
        for a, b in ((shares["all"], one), (several["all"], shown)):
            apart = estimate_difference(a, b)
            assert np.isnan(apart.standard_error).all() == np.isnan(apart.interval()).all() == (
                unknown(one))  # fmt: skip
    plain = estimate_proportion(reports, THETA, by=by, missing="drop")
    assert [name for name, one in plain.items() if unknown(one)] == ["one", "silent"]
    shown = estimate_frequencies(reports, coin, by=by, missing="drop")
    assert [name for name, one in shown.items() if unknown(one)] == ["one", "silent"]
    assert np.isnan(shown["silent"].frequencies).all()
    assert shown["silent"].counts.tolist() == [0, 0]


def test_of_one_cluster_a_regression_has_no_error():
    X, weights = np.random.default_rng(5).normal(size=(48, 1)), np.where(CLUSTERS == 2, 2.0, 0.0)
    for model, y in ((DisguisedLinearRegression(), X[:, 0]), (
        DisguisedLogisticRegression(prior_sd=2.5), np.arange(48) % 2)):  # fmt: skip
        model.fit(X, y, sample_weight=weights, clusters=CLUSTERS)
        assert np.isfinite(model.coef_).all()
        assert np.isnan(model.standard_errors_).all()
        assert np.isnan(model.interval()).all()


RNG, N = np.random.default_rng(11), 400
BITS, CODES = RNG.integers(0, 2, (N, 2)), RNG.integers(0, 3, (N, 2))
WARD, SHIFT = RNG.choice(["north", "south"], N), RNG.integers(0, 2, N)
CLASS = np.where(np.arange(N) == 5, 1, RNG.integers(0, 2, N))  # who is a group alone has a one
AGE = RNG.normal(size=(N, 1)) + SHIFT[:, np.newaxis]
COINS = RandomizedResponse(THETA, groups=[[0], [1]]).fit(BITS)
LEAN = np.array([[0.9, 0.3, 0.1], [0.1, 0.6, 0.2], [0.0, 0.1, 0.7]])


def share(expression):
    """Return what estimates a share of some people, with their classes where these are meant."""

    def estimate(rows, reports=BITS, **options):
        y = CLASS[rows] if "class" in expression else None
        return estimate_proportion(reports[rows], COINS, expression, y=y, **options)

    return estimate


def frequencies(channel):
    return lambda rows, reports=CODES, **options: estimate_frequencies(
        reports[rows], channel, feature=0, **options
    )


def logistic(rows, reports=BITS, missing="refuse", **options):
    model = DisguisedLogisticRegression(COINS, feature=0, missing=missing)
    return model.fit(AGE[rows], reports[rows], **options)


#: What takes weights: a new one is tested by being in its list.
ESTIMATES = {
    "a share": share({0: 1}),
    "of two literals": share({0: 1, 1: 0}),
    "with a class": share({0: 1, "class": 1}),
    "frequencies": frequencies(CategoricalRandomizedResponse(3, THETA)),
    "of a matrix": frequencies([LEAN, np.eye(3)]),
}
REGRESSIONS = {
    "logistic": logistic,
    "linear": lambda rows, **options: DisguisedLinearRegression({0: 0.1}).fit(
        AGE[rows], SHIFT[rows] + AGE[rows, 0] ** 2, **options
    ),
}
negative = pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")


def same(one, other, *, but=()):
    """All that two estimates or regressions say is the same, but for some of it."""
    said = {*vars(one), "interval", "standard_errors_"} - {"method", "categories", "weights", *but}
    for name in said:
        mine, others = (getattr(each, name, None) for each in (one, other))
        mine, others = (each() if callable(each) else each for each in (mine, others))
        if np.asarray(mine).dtype.kind in "biuf":
            np.testing.assert_allclose(mine, others, rtol=1e-6, atol=1e-9, err_msg=name)


@negative
@pytest.mark.parametrize("name", ESTIMATES)
def test_a_group_is_its_people_alone(name):
    """By one column or by two, one of which lacks a label; and a single person is a group."""
    estimate, everybody = ESTIMATES[name], np.arange(N)
    pairs = np.column_stack([WARD.astype(object), SHIFT.astype(object)])
    pairs[:30, 0] = None
    one = np.where(everybody == 5, "one", WARD)
    wards = [(ward, one == ward) for ward in ("north", "one", "south")]
    labels = product((None, "north", "south"), (0, 1))
    shifts = [((w, v), (pairs[:, 0] == w) & (v == SHIFT)) for w, v in labels]
    for by, groups in ((one, wards), (pairs, shifts)):
        estimates = estimate(everybody, by=by)
        assert list(estimates) == ["all", *(label for label, _ in groups)]
        same(estimates["all"], estimate(everybody))
        for label, rows in groups:
            same(estimates[label], estimate(everybody[rows]))
        even = estimate(everybody, by=by, sample_weight=np.full(N, 7.0))
        for label, its in even.items():
            same(its, estimates[label])


@pytest.mark.parametrize("name", REGRESSIONS)
def test_even_weights_change_nothing(name):
    plain, even = (REGRESSIONS[name](np.arange(N), sample_weight=w) for w in (None, np.full(N, 7)))
    # the information of clear weights is no sandwich
    but = ("covariance_", "standard_errors_", "interval", "n_iter_") * (name == "logistic")
    same(even, plain, but=but)


@negative
@pytest.mark.parametrize("name", ESTIMATES | REGRESSIONS)
def test_whole_weights_are_repeated_people_who_share_a_cluster(name):
    estimate, weight = (ESTIMATES | REGRESSIONS)[name], RNG.integers(0, 4, N)
    again = np.repeat(np.arange(N), weight)
    weighted = estimate(np.arange(N), sample_weight=weight)
    repeated = estimate(again, clusters=again)
    counts = "n n_reports_ counts degrees degrees_ interval effective_n disguise_error"
    same(weighted, repeated, but=[*counts.split(), "n_iter_", "log_likelihood_"])
    same(estimate(np.arange(N), sample_weight=10.0 * weight), weighted)
    n, degrees = ("n_reports_", "degrees_") if name in REGRESSIONS else ("n", "degrees")
    assert getattr(weighted, n) == np.count_nonzero(weight) == getattr(repeated, degrees) + 1


@negative
@pytest.mark.parametrize(
    "name", ["a share", "of two literals", "frequencies", "of a matrix", "logistic"]
)
def test_who_left_out_a_question_is_left_out_and_counts_for_the_others(name):
    estimate = (ESTIMATES | REGRESSIONS)[name]
    reports = CODES if name in ("frequencies", "of a matrix") else BITS
    gaps = reports.astype(float)
    gaps[::3, 0], gaps[1::3, 1] = np.nan, np.nan
    asked = gaps[:, : 2 if name == "of two literals" else 1]
    there = np.flatnonzero(~np.isnan(asked).any(axis=1))
    options = {"sample_weight": RNG.uniform(1, 2, N)}, {"clusters": np.arange(N) // 2}, {}
    for drawn in options:
        dropped = estimate(np.arange(N), reports=gaps, missing="drop", **drawn)
        kept = {key: values[there] for key, values in drawn.items()}
        same(dropped, estimate(there, **kept), but=("n_missing_",))
    with pytest.raises(ValueError, match="has 134 missing"):
        estimate(np.arange(N), reports=gaps)


def test_who_was_not_asked_has_no_weight():
    asked = RandomizedResponse(THETA, asked=1, random_state=0).fit(BITS)
    reports = asked.transform(BITS)
    there = ~np.isnan(reports[:, 0])
    one = estimate_proportion(reports, asked, {0: 1}, sample_weight=1.0 + SHIFT)
    own = {"sample_weight": 1.0 + SHIFT[there]}
    same(one, estimate_proportion(reports[there, 0].astype(int), THETA, **own))


@negative
def test_a_stratum_is_what_it_is_alone_and_may_be_small_where_nobody_weighs():
    reports = np.random.default_rng(6).integers(0, 2, 48)
    strata = np.where(np.arange(48) == 47, 4, STRATA)
    weights = np.where(np.arange(48) == 47, 0.0, 1.0)
    without = estimate_proportion(reports[:47], THETA, strata=STRATA[:47]).standard_error
    weighted = estimate_proportion(reports, THETA, strata=strata, sample_weight=weights)
    assert weighted.standard_error == pytest.approx(without)
    whole = estimate_proportion(reports, THETA, by=STRATA, strata=STRATA, clusters=CLUSTERS)
    for stratum in range(4):
        rows = stratum == STRATA
        alone = estimate_proportion(reports[rows], THETA, clusters=CLUSTERS[rows])
        assert whole[stratum].standard_error == pytest.approx(alone.standard_error)
        assert whole[stratum].degrees == alone.degrees


LARGE = 2**53
DAYS = pd.to_datetime(pd.Series(["2024-02-01", None, "2024-01-01", "2024-02-01"]))
CUT = pd.cut(pd.Series([1, 9, 2, 1]), [0, 5, 10])
LABELS = {
    "texts and a number with a gap": (
        pd.DataFrame({"ward": ["n", "s", "n", "s"], "age": [1, 2, 1, np.nan]}),
        {("n", 1): 2, ("s", None): 1, ("s", 2): 1},
    ),
    "a column with a gap": (pd.Series([2, np.nan, 1, 2]), {None: 1, 1: 1, 2: 2}),
    "a list of rows": ([["n", 1.0], ["n", 1.0], ["s", np.nan], ["s", 2.0]],
                       {("n", 1): 2, ("s", None): 1, ("s", 2): 1}),
    "nullable": (pd.Series([LARGE, LARGE + 1, None, LARGE], dtype="Int64"),
                 {None: 1, LARGE: 2, LARGE + 1: 1}),
    "two kinds of whole numbers": (
        pd.DataFrame({"a": np.array([LARGE, LARGE + 1, 1, 1], np.uint64), "b": [1, 1, -1, -1]}),
        {(1, -1): 2, (LARGE, 1): 1, (LARGE + 1, 1): 1},
    ),
    "intervals": (CUT, {CUT[0]: 3, CUT[1]: 1}),
    "days": (DAYS, {None: 1, DAYS[2]: 1, DAYS[0]: 2}),
    "days of NumPy": (DAYS.to_numpy(), {None: 1, DAYS[2]: 1, DAYS[0]: 2}),
    "dates": ([datetime.date(2024, 1, day) for day in (2, 1, 1, 1)],
              {datetime.date(2024, 1, 1): 3, datetime.date(2024, 1, 2): 1}),
    "yes or no": (np.array([True, False, True, True]), {False: 1, True: 3}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("name", LABELS)
def test_labels_are_taken_as_they_are_read(name):
    by, expected = LABELS[name]
    shares = estimate_proportion([1, 0, 1, 1], THETA, by=by)
    assert next(iter(shares)) == "all"
    assert {label: one.n for label, one in shares.items() if label != "all"} == expected


NONE = {"sample_weight": None, "clusters": None, "strata": None}
ALIKE = {"clusters": ["a", "a"]}
test_what_is_no_sample_is_named = refusals(
    ({"sample_weight": [0.0, 0.0]}, "sample_weight must hold a weight above zero"),
    (ALIKE, "clusters and strata must leave two .* got 1"),
    (ALIKE | {"strata": [0, 1]}, "clusters must each lie in one"),
    ({"clusters": [0.5, 1]}, "clusters must hold classes, whole"),
    ({"strata": [0, 1]}, r"leave two .* \(join a stratum that has one to another .* got 1"),
    by=lambda design: read_sample(2, **NONE | design),
)
EVERYBODY = np.arange(N)
test_what_is_wrong_is_named = refusals(
    (lambda: ESTIMATES["frequencies"](EVERYBODY, method="em", sample_weight=np.ones(N)),
     "method must be 'raw', 'clip' or 'simplex' with"),
    (lambda: ESTIMATES["a share"](EVERYBODY, by=WARD[:9]),
     r"by must have shape \(400,\), labels for each"),
    (lambda: estimate_proportion([1, 0], THETA, by=[1, 2.5]),
     r"by must hold classes, whole where they are numbers, got 2\.5"),
    (lambda: estimate_proportion([1, 0], THETA, by=np.array([1, "a"], dtype=object)),
     "by must hold classes.* type int and str", TypeError),
    (lambda: estimate_proportion([1, 0], THETA, by=np.array([{}, {}], dtype=object)),
     "by must be labels that have an order", TypeError),
)  # fmt: skip
