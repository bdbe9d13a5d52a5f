"""Logistic regression of disguised answers."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from literal import regression as literal
from refusals import refusals
from scipy.optimize import minimize
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import OneHotEncoder

from ppdm.exceptions import UnidentifiedWarning
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MemoizedResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression, _logistic
from ppdm.regression._logistic import Problem

YES_NO = np.array([[0.75, 0.25], [0.25, 0.75]])
THREE = CategoricalRandomizedResponse(3, 0.8).channel_matrix()


def survey(n=2000, seed=0, k=2, slope=0.8, intercept=-1.0):
    """Covariates (x normal, g 0 or 1) and true codes; value k > 0 has k times the slope."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.random(n) < 0.5]).astype(float)
    lines = [intercept + j * (slope * X[:, 0] + 0.5 * X[:, 1]) for j in range(1, k)]
    odds = np.exp(np.column_stack([np.zeros(n), *lines]))
    below = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    return X, (rng.random(n)[:, np.newaxis] > below).sum(axis=1), rng


def released(matrix, truth, rng):
    below = np.cumsum(np.asarray(matrix), axis=0)[:, truth]
    return (rng.random(len(truth)) > below).sum(axis=0)


def fitted(*args, scheme=YES_NO, **kwargs):
    options = {k: kwargs.pop(k) for k in ("prior_sd", "missing", "feature") if k in kwargs}
    return DisguisedLogisticRegression(scheme, **options).fit(*args, **kwargs)


def coefficients(model):
    return np.column_stack([model.intercept_, model.coef_])


X, TRUTH, RNG = survey()
X_3, TRUTH_3, _ = survey(k=3)
REPORTS, REPORTS_3 = released(YES_NO, TRUTH, RNG), released(THREE, TRUTH_3, RNG)
CHANNELS = {
    "coin": (YES_NO, 2),
    "a coin that mostly lies": (YES_NO[::-1], 2),
    "three values": (THREE, 3),
    "more reports than values": (np.array([[0.6, 0.1], [0.3, 0.3], [0.1, 0.6]]), 2),
    "no two columns alike": (np.array([[0.8, 0.1, 0.1], [0.15, 0.8, 0.05], [0.05, 0.1, 0.85]]), 3),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_it_is_the_maximum_of_the_likelihood_person_by_person(name):
    matrix, k = CHANNELS[name]
    X, truth, rng = survey(600, k=k)  # few of 150 have, one in some twenty, no finite maximum
    reports = released(matrix, truth, rng)
    weights = rng.uniform(0.5, 2, len(X))
    weights /= weights.mean()
    model = fitted(X, reports, scheme=matrix)
    given = np.asarray(matrix)[reports]
    np.testing.assert_allclose(coefficients(model), literal.maximum(X, given), atol=2e-4)
    np.testing.assert_allclose(
        model.log_likelihood_, literal.log_likelihood(X, given, coefficients(model)))  # fmt: skip
    np.testing.assert_allclose(
        coefficients(fitted(X, reports, scheme=matrix, sample_weight=weights)),
        literal.maximum(X, given, weights), atol=2e-4)  # fmt: skip


@pytest.mark.parametrize("name", ["coin", "no two columns alike"])
def test_score_and_information_are_the_derivatives(name):
    matrix, k = CHANNELS[name]
    X, truth, rng = survey(60, k=k)
    reports = released(matrix, truth, rng)
    given = np.asarray(matrix)[reports]
    at = rng.normal(size=(k - 1) * 3)
    Z = np.column_stack([np.ones(60), X])
    problem = Problem(Z=Z, weights=np.ones(60), table=np.asarray(matrix).T, rows=reports,
                      precision=np.zeros(at.size))  # fmt: skip
    value, score, information = problem.sums(at)
    first, second = literal.derivatives(
        lambda b: literal.log_likelihood(X, given, b.reshape(k - 1, 3)), at)  # fmt: skip
    np.testing.assert_allclose(value, literal.log_likelihood(X, given, at.reshape(k - 1, 3)))
    np.testing.assert_allclose(score, first, atol=1e-5)
    np.testing.assert_allclose(information, -second, atol=1e-5)
    np.testing.assert_allclose(problem.scores(at).sum(axis=0), score, atol=1e-12)
    clear = problem.sums(at, clear=True).information
    assert np.linalg.eigvalsh(clear)[0] > 0
    assert np.linalg.eigvalsh(clear - information)[0] > -1e-9  # a disguise only takes


CLEAR = (2, None), (2, np.eye(2)), (2, RandomizedResponse(1.0)), (3, None)


@pytest.mark.parametrize(("k", "scheme"), CLEAR)
def test_with_clear_answers_it_is_scikit_learn_but_for_the_reference(k, scheme):
    X, truth, _ = survey(k=k)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, truth)
    model = fitted(X, truth, scheme=scheme)
    slopes = peer.coef_ if k == 2 else peer.coef_[1:] - peer.coef_[0]
    np.testing.assert_allclose(model.coef_, slopes, atol=1e-6 if k == 2 else 1e-5)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)


def test_of_clear_answers_and_numbers_it_is_statsmodels():
    """Logit and WLS of statsmodels 0.15.0, with errors by model, HC0 and cluster sums.

    Its sandwiches without corrections, times the m / (m - 1) of n people or ten clusters.
    """
    i = np.arange(60)
    X = np.column_stack([i * 7 % 60 / 20 - 1.5, i % 2])
    y, weight, tens = (i * 11 % 17 + 4 * X[:, 0] > 9).astype(int), 1.0 + i % 3, i // 6
    model, close = fitted(X, y, scheme=None), {"rtol": 1e-9, "atol": 0}
    logit = [[-0.259121726967, 0.785988260521, -0.347667289618]]
    np.testing.assert_allclose(coefficients(model), logit, **close)
    errors = [[0.388438922302, 0.337094177093, 0.557795996049]]
    np.testing.assert_allclose(model.standard_errors_, errors, **close)
    errors = [[0.236749476836, 0.112189471613, 0.306446748910]]
    found = fitted(X, y, scheme=None, clusters=tens).standard_errors_
    np.testing.assert_allclose(found, errors, **close)
    linear, y = DisguisedLinearRegression(), np.cos(i) + X[:, 0]
    linear.fit(X, y, sample_weight=weight)
    wls = [0.081565363004, 0.972587750695, -0.166491190071]
    np.testing.assert_allclose([linear.intercept_, *linear.coef_], wls, **close)
    errors = [0.138968778762, 0.112063963169, 0.197881538570]
    np.testing.assert_allclose(linear.standard_errors_, errors, **close)
    errors = [0.070041679050, 0.151438594768, 0.115892148840]
    found = linear.fit(X, y, sample_weight=weight, clusters=tens).standard_errors_
    np.testing.assert_allclose(found, errors, **close)


def test_without_covariates_it_is_the_estimate_of_the_share():
    share, model = estimate_proportion(REPORTS, 0.75), fitted(None, REPORTS)
    p = float(model.predict_proba(None)[0, 1])
    assert p == pytest.approx(share.proportion, abs=1e-8)  # the last step, as below
    n = len(REPORTS)  # the delta method; the share's error has n - 1 for n
    error = float(model.standard_errors_[0, 0]) * p * (1 - p)
    assert error == pytest.approx(share.standard_error * np.sqrt((n - 1) / n), rel=1e-6)


def test_of_groups_it_is_the_estimate_of_each():
    model = fitted(X_3[:, [1]], REPORTS_3, scheme=THREE)
    for value in (0, 1):
        alone = estimate_frequencies(REPORTS_3[X_3[:, 1] == value], THREE).frequencies
        # the last step promises 1e-14 of a likelihood with a curvature of 1e2 or more: 1e-8 of it
        np.testing.assert_allclose(model.predict_proba([[value]])[0], alone, atol=1e-8)


GONE, CARDS, SPLIT = RNG.random((3, len(X))) < [[0.3], [0.5], [0.5]]
GAPS, CLEAR_GAPS = (np.where(GONE, np.nan, each) for each in (REPORTS, TRUTH))
BY = {"cards": RandomizedResponse(0.9), "dice": np.array([[0.6, 0.3], [0.4, 0.7]])}
HERS = np.where(CARDS, "cards", "dice")
TOLD = np.where(CARDS, released([[0.9, 0.1], [0.1, 0.9]], TRUTH, RNG),
                released(BY["dice"], TRUTH, RNG))  # fmt: skip
ORDER = RNG.permutation(len(X))
ASKED = RandomizedResponse(0.75, asked=2, random_state=3)
ASKED_REPORTS = ASKED.fit_transform(np.column_stack([1 - TRUTH, TRUTH, TRUTH]))
SAID = ~np.isnan(ASKED_REPORTS[:, 1])
ANSWERS = pd.DataFrame({"first": 1 - TRUTH, "second": TRUTH})
OF_TWO = RandomizedResponse(0.75, random_state=3).fit(ANSWERS)
TWO = OF_TWO.disguise(ANSWERS)[0]
MEMO = MemoizedResponse(3, 2.0)
KARY = CategoricalRandomizedResponse(3, MEMO.support()[1])
KEPT = released(KARY.channel_matrix(), TRUTH_3, RNG)
#: Two ways to say the same.
EQUAL = {
    "a coin that always lies is read backwards": lambda: (
        fitted(X, 1 - TRUTH, scheme=RandomizedResponse(0.0)), fitted(X, TRUTH, scheme=None)),
    "people have no order": lambda: (
        fitted(X_3[ORDER], REPORTS_3[ORDER], scheme=THREE), fitted(X_3, REPORTS_3, scheme=THREE)),
    "two reports that say the same of each truth are one": lambda: (
        fitted(X_3, np.where(REPORTS_3 == 0, SPLIT, REPORTS_3 + 1),
               scheme=np.vstack([THREE[:1] * 0.3, THREE[:1] * 0.7, THREE[1:]])),
        fitted(X_3, REPORTS_3, scheme=THREE)),
    "each has her own channel": lambda: (
        fitted(X, TOLD, scheme=BY, scheme_of=HERS),
        fitted(X, TOLD + 2 * ~CARDS, scheme=np.vstack([BY["cards"].channel_matrix(),
                                                       BY["dice"]]) / 2)),
    "two names of one channel": lambda: (
        fitted(X, REPORTS, scheme={"cards": YES_NO, "dice": RandomizedResponse(0.75)},
               scheme_of=HERS), fitted(X, REPORTS)),
    "who has no report is left out": lambda: (
        fitted(X, GAPS, missing="drop"), fitted(X[~GONE], REPORTS[~GONE])),
    "so is who has no clear answer": lambda: (
        fitted(X, CLEAR_GAPS, scheme=None, missing="drop"),
        fitted(X[~GONE], TRUTH[~GONE], scheme=None)),
    "who was not asked tells nothing": lambda: (
        fitted(X, ASKED_REPORTS, scheme=ASKED, feature=1),
        fitted(X[SAID], ASKED_REPORTS[SAID, 1].astype(int))),
    "her answers may come alone": lambda: (
        fitted(X, ASKED_REPORTS, scheme=ASKED, feature=1),
        fitted(X, ASKED_REPORTS[:, 1], scheme=RandomizedResponse(0.75), missing="drop")),
    "an answer is named like the attribute": lambda: (
        fitted(X, TWO, scheme=OF_TWO, feature=1), fitted(X, TWO, scheme=OF_TWO, feature="second")),
    "and may come alone": lambda: (
        fitted(X, TWO, scheme=OF_TWO, feature=1),
        fitted(X, TWO["second"], scheme=OF_TWO, feature="second")),
    "of one time a kept report is of k-ary response": lambda: (
        fitted(X_3, KEPT, scheme=MEMO), fitted(X_3, KEPT, scheme=KARY)),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
def test_two_ways_to_say_the_same_are_one(name):
    one, other = EQUAL[name]()
    np.testing.assert_allclose(coefficients(one), coefficients(other), atol=1e-7)
    np.testing.assert_allclose(one.covariance_, other.covariance_, atol=1e-7)


def test_the_reference_may_be_another_value():
    turn = [1, 2, 0]
    model, turned = (fitted(X_3, REPORTS_3, scheme=each) for each in (THREE, THREE[:, turn]))
    np.testing.assert_allclose(
        turned.predict_proba(X_3), model.predict_proba(X_3)[:, turn], atol=1e-8)  # fmt: skip


def test_of_who_has_no_report_the_chance_is_that_before():
    for y, truth, scheme in ((GAPS, REPORTS, YES_NO), (CLEAR_GAPS, TRUTH, None)):
        model = fitted(X, y, scheme=scheme, missing="drop")
        assert (model.n_reports_, model.n_missing_) == ((~GONE).sum(), GONE.sum())
        before, after = model.predict_proba(X), model.predict_proba(X, y)
        np.testing.assert_allclose(after[GONE], before[GONE])
        assert model.score(X, y) == pytest.approx(model.score(X[~GONE], truth[~GONE]))
    model = fitted(X, TOLD, scheme=BY, scheme_of=HERS)
    np.testing.assert_allclose(model.predict_proba(X[:1], TOLD[:1], scheme_of=HERS[:1]),
                               model.predict_proba(X, TOLD, scheme_of=HERS)[:1])  # fmt: skip


def test_coefficients_follow_the_scale_of_covariates():
    M = np.array([[2e3, 1.0], [0.0, 0.5]])
    model, other = fitted(X, REPORTS), fitted(X @ M + 5, REPORTS)
    np.testing.assert_allclose(M @ other.coef_[0], model.coef_[0], atol=1e-7)
    inner = M @ other.covariance_[1:, 1:] @ M.T
    np.testing.assert_allclose(inner, model.covariance_[1:, 1:], rtol=1e-6)
    np.testing.assert_allclose(other.predict_proba(X @ M + 5), model.predict_proba(X), atol=1e-8)


def test_other_schemes_lead_to_the_same_slope():
    X, truth, _ = survey(20_000, k=3)
    for scheme in (UnaryEncoding(3, 3.0, random_state=1), CategoricalRandomizedResponse(
            3, 0.8, categories=[["a", "b", "c"]], random_state=1)):  # fmt: skip
        given = truth if scheme.categories is None else np.array(["a", "b", "c"])[truth]
        model = fitted(X, scheme.fit_transform(given[:, np.newaxis]), scheme=scheme)
        off = (coefficients(model) - [[-1, 0.8, 0.5], [-1, 1.6, 1.0]]) / model.standard_errors_
        assert np.abs(off).max() < 4, scheme  # of six normal numbers: once in 2,600
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_the_mean_of_what_she_says_is_the_same_before_and_after_her_report():
    X, reports = X_3, REPORTS_3
    model = fitted(X, reports, scheme=THREE)
    before, after = model.predict_proba(X), model.predict_proba(X, reports)
    np.testing.assert_allclose(before.mean(axis=0), after.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(after.sum(axis=1), 1)
    assert np.abs(after - before).max() > 0.05
    given = THREE[reports] * before
    np.testing.assert_allclose(after, given / given.sum(axis=1, keepdims=True))
    assert model.score(X, reports) == pytest.approx(model.log_likelihood_ / len(X))


@pytest.mark.parametrize("clusters", [None, np.arange(2000) // 500])
def test_the_table_has_names_and_odds_by_students_law(clusters):
    frame, reports = pd.DataFrame(X, columns=["age", "north"]), REPORTS
    models = DisguisedLogisticRegression(YES_NO), DisguisedLinearRegression(y_scheme=YES_NO)
    for model in models:
        table = model.fit(frame, reports, clusters=clusters).to_frame(0.9)
        law = student(np.inf if clusters is None else 3)
        off = law.ppf(0.95) * table["standard_error"]
        assert table["term"].tolist() == ["intercept", "age", "north"]
        np.testing.assert_allclose(table["low"], table["coefficient"] - off)
        np.testing.assert_allclose(table["high"], table["coefficient"] + off)
        t = table["coefficient"] / table["standard_error"]
        np.testing.assert_allclose(table["p_value"], 2 * law.sf(np.abs(t)))
        intervals = model.interval(0.9).reshape(-1, 2)
        np.testing.assert_allclose(table[["low", "high"]], intervals)
        assert model.fit(X, reports).to_frame()["term"][2] == "x1"
    table = models[0].to_frame()
    assert (table["value"] == 1).all()
    np.testing.assert_allclose(table["coefficient"], coefficients(models[0])[0])
    np.testing.assert_allclose(np.log(table["odds_low"]), table["low"])
    np.testing.assert_allclose(np.log(table["odds_ratio"]), table["coefficient"])


def runaway(n=200):
    """All of one group say yes, which no share of true answers makes of a coin of theta .75."""
    g = np.repeat([0.0, 1.0], n // 2)
    reports = np.where(g == 1, 1, np.arange(n) % 2)
    return pd.DataFrame({"group": g}), reports


def test_a_rare_value_that_runs_away_is_named():
    """15 of 3,000 people, all of whom say no; an income of a long tail has a slope, and stays."""
    rng = np.random.default_rng(0)
    rare = np.arange(3000) < 15
    income = rng.lognormal(0, 1.5, 3000)
    truth = rng.random(3000) < 1 / (1 + np.exp(1 - 0.9 * income))
    reports = released(YES_NO, truth.astype(int), rng).reshape(-1)
    reports[rare] = 0
    X = pd.DataFrame({"income": income, "rare": rare.astype(float)})
    assert np.ptp(income) * 0.5 > 10
    with pytest.warns(UnidentifiedWarning, match="see 'rare': 3000 reports"):
        model = fitted(X, reports)
    assert model.standard_errors_[0, 2] > 1000 > model.coef_[0, 0] * 1000 / 1.5


def test_a_maximum_that_is_not_finite_is_told():
    X, reports = runaway()
    with pytest.warns(UnidentifiedWarning, match=r"see 'group': 200 reports.*factor of 3 at most"):
        fitted(X, reports)
    with pytest.warns(UnidentifiedWarning, match="see the intercept"):
        fitted(None, np.ones(50, dtype=int))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(X, reports, prior_sd=2.5)
    assert abs(model.coef_[0, 0]) < 10
    with pytest.warns(UnidentifiedWarning, match="no finite coefficients"):
        fitted(X, X["group"].astype(int), scheme=None)  # separation, of clear answers
    near = np.array([[0.501, 0.499], [0.499, 0.501]])
    with pytest.warns(UnidentifiedWarning, match="no finite coefficients"):
        fitted(X, reports, scheme=near)


def test_covariates_that_depend_on_each_other_are_named():
    reports = REPORTS
    frame = pd.DataFrame({"x": X[:, 0], "north": X[:, 1], "south": 1 - X[:, 1], "one": 1.0})
    with pytest.warns(UnidentifiedWarning, match="covariates 'north', 'south', 'one' depend"):
        model = fitted(frame, reports)
    np.testing.assert_allclose(model.predict_proba(frame), fitted(X, reports).predict_proba(X),
                               atol=1e-8)  # fmt: skip
    assert np.isnan(model.standard_errors_[0]).tolist() == [True, False, True, True, True]
    assert model.coef_[0, 1] == pytest.approx(-model.coef_[0, 2])
    assert model.coef_[0, 3] == 0


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("name", ["coin", "three values"])
def test_a_prior_pulls_to_zero_and_is_the_penalty(name, uneven):
    """It weighs as so many people as there are, in standard deviations of those they stand for."""
    matrix, k = CHANNELS[name]
    X, truth, rng = survey(200, k=k)
    reports, weights = released(matrix, truth, rng), np.exp(X[:, 0]) if uneven else np.ones(200)
    model = fitted(X, reports, scheme=matrix, prior_sd=0.5, sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    sd = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    Z, given, weights = (X - mean) / sd, matrix[reports], weights / weights.mean()

    def told(b):
        return literal.log_likelihood(Z, given, b.reshape(k - 1, 3), weights)

    def loss(b):
        prior = (b[::3] ** 2).sum() / 2 + (np.delete(b, np.s_[::3]) ** 2).sum() * 2
        return prior - told(b)

    best = minimize(loss, np.zeros(3 * (k - 1)), options={"gtol": 1e-7}).x
    found = np.column_stack([model.intercept_ + model.coef_ @ mean, model.coef_ * sd])
    np.testing.assert_allclose(found.ravel(), best, atol=2e-4)
    assert model.log_likelihood_ == pytest.approx(told(best), abs=1e-4)  # and not the penalty


def test_many_people_start_from_few(monkeypatch):
    saved = 0  # a step is, in 11 surveys of 12
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200_000, 2))
        reports = (rng.random(len(X)) < 0.4 + 0.05 * np.tanh(X[:, 0])).astype(int)
        slow, fast = (
            monkeypatch.setattr(_logistic, "_MANY", many) or fitted(X, reports)
            for many in (len(X), len(X) - 1)
        )
        np.testing.assert_allclose(coefficients(fast), coefficients(slow), atol=1e-7)
        saved += slow.n_iter_ - fast.n_iter_
    assert saved > 0


NO_SAYERS = {
    "a": np.column_stack([[[0.8, 0.2], [0.2, 0.8]], [1, 0]]),
    "b": np.column_stack([[[0.2, 0.8], [0.8, 0.2]], [1, 0]]),
}


def test_who_always_says_no_is_one_more_value():
    X, truth, rng = survey(40_000)
    truth[rng.random(len(X)) < 0.2] = 2
    half = np.where(rng.random(len(X)) < 0.5, "a", "b")
    reports = np.where(half == "a", released(NO_SAYERS["a"], truth, rng),
                       released(NO_SAYERS["b"], truth, rng))  # fmt: skip
    model = fitted(X, reports, scheme=NO_SAYERS, scheme_of=half)
    # the share of no-sayers by the prototype's formula has an error of .005 here; four of them
    assert model.predict_proba(X).mean(axis=0)[2] == pytest.approx(0.2, abs=0.02)
    assert abs(model.coef_[0, 0] - 0.8) < 4 * model.standard_errors_[0, 1]
    with pytest.raises(ValueError, match="scheme must tell 3 true values apart"):
        fitted(X, reports, scheme=NO_SAYERS["a"])


def test_it_is_cross_validated_by_its_likelihood_with_each_channel():
    by = {"cards": YES_NO, "dice": RandomizedResponse(0.75, random_state=0).fit([[0], [0]])}
    with sklearn.config_context(enable_metadata_routing=True):
        model = DisguisedLogisticRegression(by)
        model.set_fit_request(scheme_of=True).set_score_request(scheme_of=True)
        scores = cross_val_score(model, X, REPORTS, params={"scheme_of": HERS})
    plain = cross_val_score(DisguisedLogisticRegression(YES_NO), X, REPORTS)
    np.testing.assert_allclose(scores, plain)
    assert (plain < 0).all()
    assert clone(model).scheme["dice"].n_features_in_ == 1  # still fitted


def test_zeros_and_ones_of_labels_are_covariates():
    wards = OneHotEncoder(drop="first", sparse_output=False).fit_transform(WARDS[["ward"]])
    fitted(wards, np.repeat([0, 1, 1, 0], 15))  # half of each ward: always a maximum


FEW, SAY = X[:60], REPORTS[:60]
WARDS = pd.DataFrame({"age": FEW[:, 0], "ward": ["a", "b"] * 30})
BOTH = {"scheme": {"a": YES_NO, "b": THREE}, "scheme_of": ["a", "b"] * 30}
test_what_is_wrong_is_named = refusals(
    (WARDS, SAY, {}, r"X must hold numbers .*OneHotEncoder\(drop='first'\)", TypeError),
    (FEW, SAY, {"scheme": np.full((2, 2), 0.5)}, "scheme must tell 2 true values .* got 1"),
    (FEW, SAY * 0 + 2, {"scheme": np.vstack([YES_NO, [0, 0]])},
     "y must be such as their channel releases, got '60 other"),
    (FEW, SAY, {"scheme": {"a": YES_NO}},
     "scheme_of must say of each of the 60 reports in y which"),
    (FEW, SAY, {"scheme_of": ["a"] * 60}, "scheme_of goes with a dict of schemes"),
    (FEW, SAY, BOTH, "scheme must have channels of the same true values"),
    (FEW, SAY * 0, {"scheme": None}, "of reports the scheme must be given"),
    (X, GAPS, {}, r"y has .* missing value.* never fill them"),
    (X, OF_TWO.disguise(ANSWERS), {"scheme": OF_TWO}, r"y must be an array.*\(disguise returns"),
    (X, TWO["second"], {"scheme": OF_TWO, "feature": 0}, r"y must be the column \['first'\] of"),
    (X, TWO, {"scheme": OF_TWO, "feature": "third"},
     r"feature must name one of the columns .*, got 'third'"),
    (X, TWO["second"].to_numpy(), {"feature": "second"},
     "feature may name columns where records are a frame"),
    by=lambda X, y, how: fitted(X, y, **how),
)  # fmt: skip


def test_an_answer_that_is_no_class_is_named():
    with pytest.raises(ValueError, match="y must hold only labels among classes"):
        fitted(FEW, np.repeat(["no", "yes"], 30), scheme=None).score(FEW, ["no", "maybe"] * 30)


@pytest.mark.parametrize("model", [DisguisedLogisticRegression(), DisguisedLinearRegression()])
@pytest.mark.parametrize("ask", ["to_frame", "interval"])
def test_before_fit_there_are_no_coefficients(model, ask):
    with pytest.raises(NotFittedError):
        getattr(model, ask)()
