"""Simulated schemes: each number against a loop by hand, a closed form, or what must hold."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier

from ppdm.attacks import AttackResult
from ppdm.classifiers import DisguisedClassifier
from ppdm.datasets import AGRAWAL_DOMAIN, load_voting, make_agrawal
from ppdm.generation import PrivateTreeGenerator, SampleGenerator
from ppdm.guidance import one_hot
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, SquareWave, ValueClassMembership
from ppdm.privacy import local_epsilon
from ppdm.protocol import GuidedPerturbation
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.simulation import simulate_schemes
from ppdm.simulation._run import People, on_intervals
from ppdm.svd import TruncatedSVDPerturbation

VOTES, PARTY = load_voting(fill="mode", return_X_y=True)
EDGES = np.linspace(AGRAWAL_DOMAIN[:, 0], AGRAWAL_DOMAIN[:, 1], 5, axis=1)
SALARIES, GROUP = make_agrawal(600, 2, random_state=1)


def simulated(*table, **how):
    table = table or (VOTES, PARTY)
    return simulate_schemes(*table, **{"repeats": 1, "random_state": 0} | how)


def draws(row):
    return [row.accuracy, row.share_error, row.attack_gain, row.attack_baseline]


def each(theta):
    return RandomizedResponse(theta, groups=[[j] for j in range(16)])


# --- a row is a function of its name, epsilon and seed ------------------------------------------


def test_a_row_does_not_change_where_others_come_in():
    one = simulated(schemes=["coin"], epsilons=[2.0], repeats=2, random_state=5)
    many = simulated(schemes=["unary", "coin"], epsilons=[1.0, 2.0], repeats=3, random_state=5)
    again = next(row for row in many.rows if row.scheme == "coin" and row.epsilon == 2.0)
    for ours, theirs in zip(draws(one["coin"]), draws(again), strict=True):
        assert np.array_equal(ours, theirs[:2])
    assert not np.array_equal(one["coin"].share_error, many["coin"].share_error[:2])  # at 1.0
    for line in ("larger class", "volunteers", "clear"):
        assert np.array_equal(one[line].accuracy, many[line].accuracy[:2])


def test_other_seeds_and_names_draw_otherwise():
    run = {"schemes": {"a": each(0.7), "b": each(0.7)}, "repeats": 2, "attack": False}
    first, other = (simulated(VOTES, **run, random_state=s) for s in (0, 1))
    assert len({*first["a"].share_error, *first["b"].share_error, *other["a"].share_error}) == 6


# --- accuracy -----------------------------------------------------------------------------------


def test_accuracy_is_that_of_a_loop_by_hand():
    # theta 1: nothing is drawn, so that the loop meets the same reports
    fold = np.arange(435) % 5
    found = simulated(
        schemes={"told": each(1.0)}, cv=PredefinedSplit(fold), learner=CountNB(smoothing=2.0),
        attack=False)  # fmt: skip
    hits = 0
    for k in range(5):
        X, y = VOTES[fold != k], PARTY[fold != k]
        for record, label in zip(VOTES[fold == k], PARTY[fold == k], strict=True):
            scores = []
            for c in (0, 1):
                mine = X[y == c]
                same = (mine == record).sum(axis=0)
                scores.append(math.log(len(mine)) + np.log((same + 2) / (len(mine) + 4)).sum())
            hits += int(np.argmax(scores) == label)
    assert found["told"].accuracy.tolist() == found["clear"].accuracy.tolist() == [hits / 435]


def test_accuracy_of_noisy_coins_is_that_of_the_meta_estimator():
    repeats = 40
    found = simulated(schemes={"coin": each(0.6)}, repeats=repeats, attack=False, random_state=1)
    rng = np.random.default_rng(2)
    theirs = []
    for _ in range(repeats):
        order = rng.permutation(435)
        hits = 0
        for train, test in KFold(5).split(order):
            coins = each(0.6).set_params(random_state=rng)
            model = DisguisedClassifier(coins).fit(VOTES[order[train]], PARTY[order[train]])
            hits += (model.predict(VOTES[order[test]]) == PARTY[order[test]]).sum()
        theirs.append(hits / 435)
    ours = found["coin"].accuracy
    error = math.hypot(ours.std(ddof=1), np.std(theirs, ddof=1)) / math.sqrt(repeats)
    assert abs(ours.mean() - np.mean(theirs)) < 4.5 * error


def test_lines_are_what_they_say():
    found = simulated(schemes=["coin"], repeats=30)
    assert np.all(found["larger class"].accuracy == 267 / 435)
    by_lot = np.random.default_rng(0).permutation(435) % 2  # only who was told is named rightly
    memory = simulated(
        np.arange(435)[:, None], by_lot, schemes={}, attack=False,
        learner=KNeighborsClassifier(1))  # fmt: skip
    assert memory["clear"].accuracy < 0.65  # .5, and six standard errors
    assert found["larger class"].epsilon_record == 0
    assert np.all(found["larger class"].attack_gain == 0)
    # 50 members by lot reach .88 to .91 on the average of runs whose spread is .02
    assert 0.87 < found["volunteers"].accuracy.mean() < found["clear"].accuracy.mean() + 0.02
    whole = found["clear"].attack_gain + found["clear"].attack_baseline
    assert whole == pytest.approx(1)
    assert found["volunteers"].attack_gain == pytest.approx(found["clear"].attack_gain * 50 / 435)
    assert found["clear"].epsilon_record == math.inf


def test_volunteers_need_more_people_than_volunteer():
    X, y = VOTES[:40], PARTY[:40]
    found = simulated(X, y, schemes=["coin"])
    assert math.isnan(found["volunteers"].accuracy[0])


@pytest.mark.parametrize("learner", [LogisticRegression(), CountNB(smoothing=1.0)])
def test_one_learner_learns_from_every_scheme(learner):
    schemes = {
        "coin": each(0.9), "groups": RandomizedResponse(0.9), "told": each(1.0),
        "unary": UnaryEncoding(2, 4.0), "svd": TruncatedSVDPerturbation(4),
        "invented": SampleGenerator(), "private": PrivateTreeGenerator(2, 8.0),
    }  # fmt: skip
    if isinstance(learner, LogisticRegression):
        del schemes["unary"]  # it releases two columns an attribute
    found = simulated(schemes=schemes, repeats=2, learner=learner)
    for row in found.rows:
        assert row.accuracy.mean() > (0.8 if row.scheme != "larger class" else 0.6), row.scheme
    assert found["told"].accuracy.mean() == pytest.approx(found["clear"].accuracy.mean(), abs=0.02)


def test_a_classifier_may_own_its_disguise():
    own = DisguisedClassifier(each(0.8), LogisticRegression())
    found = simulated(schemes={"own": own, "another": LogisticRegression()}, repeats=2)
    assert found["own"].epsilon_record == pytest.approx(16 * math.log(4))
    assert found["own"].attack == "reading"
    assert found["own"].attack_gain.mean() > 0.05
    assert found["another"].attack == "none"
    assert math.isnan(found["another"].epsilon_record)
    assert found["another"].accuracy.mean() > 0.9


# --- shares -------------------------------------------------------------------------------------


def test_error_of_shares_of_a_table_is_that_of_the_disguise_alone():
    told = simulated(VOTES, schemes={"told": each(1.0)}, repeats=2)
    assert told["told"].share_error.tolist() == [0, 0]
    n, repeats = 435, 300
    found = simulated(VOTES, schemes={"coin": each(0.75)}, repeats=repeats, attack=False)
    # given the truth a report varies by theta (1 - theta); 16 attributes are averaged
    squares = found["coin"].share_error ** 2
    variance = 0.75 * 0.25 / n / 0.5**2
    assert squares.mean() == pytest.approx(variance, rel=5 * math.sqrt(2 / 16 / repeats))


def test_shares_of_a_release_are_counted():
    rounded = simulated(schemes={"whole": TruncatedSVDPerturbation(16)})
    assert rounded["whole"].share_error == pytest.approx(0)


# --- attacks ------------------------------------------------------------------------------------


def test_a_fair_coin_tells_nothing_and_a_clear_report_all():
    schemes = {"fair": each(0.5), "told": each(1.0)}
    found = simulated(VOTES, schemes=schemes, repeats=2)
    assert found["fair"].attack_gain == pytest.approx(0, abs=1e-12)
    yes = VOTES.mean(axis=0)  # who is told nothing says what most of them would
    assert found["fair"].attack_baseline == pytest.approx(np.maximum(yes, 1 - yes).mean())
    assert np.isnan(found["fair"].share_error).all()
    assert found["told"].attack_gain == pytest.approx(1 - found["told"].attack_baseline)
    assert (found["fair"].epsilon_record, found["told"].epsilon_record) == (0, math.inf)


def test_the_attack_is_the_one_that_applies():
    schemes = {
        "coin": each(0.7), "svd": TruncatedSVDPerturbation(2), "invented": SampleGenerator(),
    }  # fmt: skip
    run = {"schemes": schemes}
    found = simulated(**run)
    assert [row.attack for row in found.rows[:3]] == ["reading", "leave one out", "membership"]
    assert found["svd"].attack_gain == pytest.approx(0.5)  # nothing in it is random
    none = simulated(attack=False, **run)
    assert {row.attack for row in none.rows} == {"none"}
    assert np.isnan(none["clear"].attack_gain).all()


def test_an_attack_may_be_a_function():
    def oracle(scheme, X, y, rng):
        assert np.array_equal(X, VOTES)
        assert isinstance(rng, np.random.Generator)
        return AttackResult(success=1.0, baseline=scheme.theta, interval=(1.0, 1.0), n=len(y))

    found = simulated(schemes={"coin": each(0.7)}, attack=oracle)
    assert found["coin"].attack == "oracle"
    assert found["coin"].attack_gain == pytest.approx(0.3)


def test_guided_tuples_are_read_bit_by_bit():
    guided = {"guided": GuidedPerturbation([2] * 16, 32)}
    found = simulated(one_hot(VOTES, [2] * 16), PARTY, schemes=guided, repeats=2)
    row = found["guided"]
    assert row.attack == "reading"
    assert (row.attack_gain > 0.02).all()
    assert np.isnan(row.share_error).all()


# --- numbers, labels ----------------------------------------------------------------------------


def test_noise_on_numbers_between_intervals_and_without_them():
    schemes = {
        "noise": AdditiveNoise("laplace", epsilon=2.0, domain=AGRAWAL_DOMAIN),
        "wave": SquareWave(2.0, domain=AGRAWAL_DOMAIN),
    }
    run = {"schemes": schemes, "epsilons": [2.0, 8.0]}
    bound = simulated(SALARIES, GROUP, edges=EDGES, learner=CountNB(smoothing=1.0), **run)
    assert [row.epsilon_record for row in bound.rows[:4]] == pytest.approx([18, 72] * 2)
    assert bound.rows[0].share_error > bound.rows[1].share_error
    for low, high in (bound.rows[:2], bound.rows[2:4]):
        assert low.attack_gain < high.attack_gain
    numbers = simulated(SALARIES, GROUP, **run)
    assert np.isnan(numbers["noise"].share_error).all()
    assert numbers["noise"].attack == "reading"
    # a tree: no naive Bayes of single salaries; of 60 seeds the mean is .93 and the deviation .018
    assert numbers["clear"].accuracy > 0.84


def test_schemes_for_codes_take_the_intervals_of_numbers():
    run = {"schemes": ["k-ary"], "epsilons": [3.0]}
    ours = simulated(SALARIES, GROUP, edges=EDGES, **run)
    codes = People.read(SALARIES, None, EDGES).codes()
    theirs = simulated(codes, GROUP, **run)
    assert ours["k-ary"].accuracy == pytest.approx(theirs["k-ary"].accuracy, abs=0.05)
    assert codes.min() == 0
    assert codes.max() == 3


def test_a_curators_table_of_numbers_with_edges_is_of_their_intervals():
    # Catches: salaries rounded to the codes of intervals, so that all lie in the last one
    whole = {"whole": TruncatedSVDPerturbation(9)}
    found = simulated(SALARIES, GROUP, edges=EDGES, schemes=whole)
    assert found["whole"].share_error == pytest.approx(0)
    assert found["whole"].accuracy > found["larger class"].accuracy


@pytest.mark.parametrize(
    "noise",
    [SquareWave(2.0, domain=AGRAWAL_DOMAIN), AdditiveNoise("gaussian"),
     ValueClassMembership(6, domain=AGRAWAL_DOMAIN)],
)
def test_noise_on_intervals_releases_what_numbers_spread_over_them_do(noise):
    scheme = on_intervals(noise, SALARIES, EDGES).set_params(random_state=5).fit(SALARIES)
    matrix = scheme.channel_matrix(2)
    assert matrix.sum(axis=0) == pytest.approx(np.ones(4))
    low, high = EDGES[2, 1:3]
    people = np.tile(SALARIES[0], (20_000, 1))
    people[:, 2] = np.random.default_rng(6).uniform(low, high, 20_000)
    seen = np.bincount(scheme.codes(scheme.transform(people))[:, 2], minlength=len(matrix)) / 20_000
    # a share of 20,000 has a standard error of at most sqrt(p / 20,000)
    assert (np.abs(seen - matrix[:, 1]) <= 5 * np.sqrt(matrix[:, 1] / 20_000)).all()


def test_labels_in_a_frame():
    rng = np.random.default_rng(4)
    kinds = [list("xyz"), list("no")]
    frame = pd.DataFrame({"a": rng.choice(kinds[0], 300), "b": rng.choice(kinds[1], 300)})
    y = (frame.a == "x").to_numpy()
    schemes = {
        "k-ary": CategoricalRandomizedResponse(epsilon=4.0, categories=kinds),
        "private": PrivateTreeGenerator(epsilon=8.0, categories=kinds),
    }
    found = simulated(frame, y, schemes=schemes, repeats=2)
    for row in found.rows[:2]:
        assert row.accuracy.mean() > 0.9
    assert (found["k-ary"].share_error < 0.1).all()
    assert found["private"].attack == "none"
    assert (found["clear"].accuracy == 1).all()


def test_another_name_for_each_value_changes_no_attack():
    rng = np.random.default_rng(8)
    codes, y = rng.integers(0, 3, (400, 2)), rng.integers(0, 2, 400)
    gains = []
    for values in ([0, 1, 2], [10, 20, 30]):
        scheme = CategoricalRandomizedResponse(epsilon=3.0, categories=[values] * 2)
        table = np.take(values, codes)
        found = simulated(table, y, schemes={"k-ary": scheme})
        gains.append(found["k-ary"].attack_gain[0])
    assert gains[0] == gains[1] > 0.1


@pytest.mark.parametrize("noise", [AdditiveNoise("uniform", 0.5), SquareWave(5.0)])
def test_another_unit_changes_no_attack_on_numbers(noise):
    gains = []
    for unit in (1.0, 1024.0):  # a power of two changes no digit
        scheme = noise.set_params(domain=unit * EDGES[:, [0, -1]])
        found = simulated(unit * SALARIES, GROUP, schemes={"noise": scheme}, edges=unit * EDGES)
        gains.append(found["noise"].attack_gain[0])
    assert gains[0] == gains[1] > 0.02


# --- epsilon, tables and pictures ---------------------------------------------------------------


def test_epsilons_stand_for_the_schemes_own():
    schemes = {"coin": each(None).set_params(epsilon=9.0), "theta": each(0.7),
               "own": DisguisedClassifier(UnaryEncoding(2, 1.0))}  # fmt: skip
    found = simulated(schemes=schemes, epsilons=[1, 2], attack=False)
    asked = [(row.scheme, row.epsilon) for row in found.rows[:5]]
    assert asked[:2] == [("coin", 1), ("coin", 2)]
    assert asked[3:] == [("own", 1), ("own", 2)]
    assert math.isnan(found["theta"].epsilon)
    spent = [row.epsilon_record for row in found.rows[:5]]
    assert spent == pytest.approx([16, 32, local_epsilon(each(0.7).fit(VOTES)), 16, 32])


def test_table_is_whole_and_shown():
    found = simulated(schemes=["coin", "one asked"], epsilons=[1, 2], repeats=2)
    frame = pd.DataFrame(found.rows)
    assert len(frame) == len(found.rows) == len(repr(found).splitlines()) - 2 == 7
    accuracy = frame.accuracy[1]
    assert accuracy.tolist() == found.rows[1].accuracy.tolist()
    assert f"{accuracy.mean():.3f} ({accuracy.std(ddof=1):.3f})" in repr(found)
    assert "..." not in repr(found)
    with pytest.raises(ValueError, match="scheme must be one of coin"):
        found["unary"]



def test_a_class_that_is_disguised_counts_and_a_delta_is_printed():
    # 16 bits and the class, a coin each; one coin for a bit and the class bounds nothing
    each = [[j] for j in range(16)]
    own, shared = (RandomizedResponse(0.7, each, class_group=where) for where in ("own", 0))
    private = PrivateTreeGenerator(epsilon=2.0, classes=[0, 1])
    schemes = {"own": own, "shared": shared, "private": private}
    found = simulated(schemes=schemes, attack=False)
    assert found["own"].epsilon_record == pytest.approx(17 * np.log(7 / 3))
    assert found["shared"].epsilon_record == np.inf
    assert [row.delta for row in found.rows] == [0, 0, private.delta, 0, 0, 0]
    assert f"2, {private.delta:.0e}" in repr(found)
