"""A learner that owns its disguise: by hand it is the same, and no test record is disguised."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer

from ppdm.classifiers import (
    DisguisedClassifier,
    GuidedNB,
    MixtureTreeClassifier,
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.datasets import load_pima, load_voting
from ppdm.generation import GaussianSampleGenerator, PrivateTreeGenerator
from ppdm.guidance import one_hot
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.protocol import GuidedPerturbation
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

X, y = load_voting(random_state=0, return_X_y=True)
EACH = [[j] for j in range(16)]
VALUES, DIABETES = load_pima(return_X_y=True)
RANGES = np.stack([VALUES.min(axis=0), VALUES.max(axis=0) + 1], axis=1)


def coins(*args, **options):
    return RandomizedResponse(*args, random_state=3, **options)


@pytest.mark.parametrize(
    ("scheme", "learner"),
    [
        (coins(0.7, EACH), RandomizedResponseNB),
        (coins(epsilon=2.0, asked=2), RandomizedResponseNB),
        (coins(0.9, class_group=0), RandomizedResponseTreeClassifier),
        (CategoricalRandomizedResponse(2, epsilon=1.0, random_state=3), RandomizedResponseNB),
        (UnaryEncoding(2, epsilon=1.0, random_state=3), RandomizedResponseNB),
        (HadamardResponse(2, epsilon=1.0, random_state=3), RandomizedResponseNB),
    ],
)
def test_reports_are_undone_as_by_hand(scheme, learner):
    model = DisguisedClassifier(scheme, None if learner is RandomizedResponseNB else learner())
    own = clone(scheme)
    by_hand = learner(own).fit(*own.disguise(X, y))
    found = model.fit(X, y)
    np.testing.assert_array_equal(found.predict_proba(X), by_hand.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X), by_hand.predict(X))
    assert found.n_features_in_ == 16


def test_guided_tuples_go_to_naive_bayes_and_who_is_not_served_is_left_out():
    T, sizes = one_hot(X, [2] * 16), [2] * 16
    # in each of 400 draws k* was 6 or less, and with mu = .02 in each of 300 above 1
    guided = GuidedPerturbation(sizes, 6, n_volunteers=30, random_state=3)
    R, classes = clone(guided).disguise(T, y)
    by_hand = GuidedNB(sizes).fit(R, classes)
    found = DisguisedClassifier(guided).fit(T, y)
    np.testing.assert_array_equal(found.predict_proba(T), by_hand.predict_proba(T))
    assert found.n_features_in_ == 32
    # the volunteers' tuples are clear and come first, of the others hardly one is a tuple
    whole = (R.reshape(len(R), 16, 2).sum(axis=2) == 1).all(axis=1)
    assert whole[:30].all()
    assert len(R) == len(X)
    assert whole[30:].mean() < 0.1
    nobody = GuidedPerturbation(sizes, 1, n_volunteers=30, mu=0.02, random_state=3)
    assert len(nobody.disguise(T, y)[0]) == 30
    with pytest.raises(ValueError, match="n_volunteers must be below the number of tuples, got"):
        GuidedPerturbation(sizes, 3, n_volunteers=435).disguise(T, y)


@pytest.mark.parametrize("learner", [None, MixtureTreeClassifier(n_components=2, random_state=0)])
@pytest.mark.parametrize(
    "noise", [AdditiveNoise("laplace", 0.25, domain=RANGES, random_state=3),
              SquareWave(3.0, domain=RANGES, random_state=3)],
)  # fmt: skip
def test_noise_goes_to_a_tree(noise, learner):
    fitted = clone(noise).fit(VALUES)
    tree = ReconstructedTreeClassifier() if learner is None else clone(learner)
    by_hand = tree.set_params(scheme=fitted).fit(fitted.transform(VALUES), DIABETES)
    found = DisguisedClassifier(noise, learner).fit(VALUES, DIABETES)
    np.testing.assert_array_equal(found.predict(VALUES), by_hand.predict(VALUES))


GLUCOSE, WIDE = np.linspace(0, 200, 11), [[0, 200]]
ON_EDGES = [
    AdditiveNoise("laplace", epsilon=1, domain=WIDE).on(GLUCOSE),
    AdditiveNoise("gaussian", scale=20, domain=WIDE).on(GLUCOSE),
    SquareWave(1, domain=WIDE).on(GLUCOSE),
]


@pytest.mark.parametrize(
    ("number", "others"),
    [
        *((noise, None) for noise in ON_EDGES),
        *((noise, RandomizedResponse(0.8)) for noise in ON_EDGES),
        (UnaryEncoding(200, epsilon=1), RandomizedResponse(0.8)),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_a_number_under_noise_is_undone_by_em(number, others, named):
    table = pd.DataFrame({"n": VALUES[:, 1].round(), "old": (VALUES[:, 7] > 30).astype(int)})
    table = table if others else table[["n"]]
    by_name = {"n": number, "old": others} if others else {"n": number}
    in_order = [number, others] if others else number
    scheme = MixedResponse(by_name if named else in_order, random_state=3)
    own = clone(scheme)
    by_hand = RandomizedResponseNB(own, method="em" if number in ON_EDGES else "raw")
    by_hand.fit(*own.disguise(table, DIABETES))
    found = DisguisedClassifier(scheme).fit(table, DIABETES)
    np.testing.assert_array_equal(found.predict_proba(table), by_hand.predict_proba(table))


@pytest.mark.parametrize(
    "scheme", [GaussianSampleGenerator(random_state=3), PrivateTreeGenerator(2, 5, random_state=3)]
)
def test_any_classifier_learns_from_a_curators_release(scheme):
    by_hand = LogisticRegression().fit(*clone(scheme).fit_resample(X, y))
    found = DisguisedClassifier(scheme, LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(found.predict_proba(X), by_hand.predict_proba(X))


def test_somebody_elses_epsilon_is_another_one():
    laplace = AdditiveNoise("laplace", epsilon=3.0, domain=RANGES)
    model = DisguisedClassifier(laplace, SGDClassifier(epsilon=0.25)).fit(VALUES, DIABETES)
    assert model.classifier_.epsilon == 0.25


def test_only_training_records_are_disguised():
    """A pipeline disguises the test records, too: three in ten bits of each are then lies."""
    scheme = RandomizedResponse(0.7, EACH)
    naive = make_pipeline(scheme, RandomizedResponseNB(scheme))
    own = DisguisedClassifier(scheme)
    # 435 test records: a standard error of .014 and .021; the difference is .13 or more
    assert cross_val_score(own, X, y).mean() > cross_val_score(naive, X, y).mean() + 0.08


def test_a_search_sets_both_sides_at_once_and_starts_from_public_cuts():
    flow = make_pipeline(Binarizer(threshold=0.5), DisguisedClassifier(coins(0.7, EACH)))
    search = GridSearchCV(flow, {"disguisedclassifier__disguise__theta": [0.51, 0.99]}, cv=3)
    best = search.fit(X, y).best_estimator_[-1]
    assert best.disguise.theta == best.classifier_.scheme_.theta == 0.99


def test_a_generator_tosses_anew_and_an_int_does_not():
    for seed, again in ((3, True), (np.random.default_rng(3), False)):
        model = DisguisedClassifier(RandomizedResponse(0.6, EACH, random_state=seed))
        counts = [model.fit(X, y).classifier_.pair_count_ for _ in range(2)]
        assert np.array_equal(*counts) == again


@pytest.mark.parametrize("scheme", [coins(0.7, EACH), UnaryEncoding(2, 3.0, random_state=3)])
def test_a_frame_keeps_its_names(scheme):
    frame = pd.DataFrame(X, columns=[f"vote {j}" for j in range(16)])
    model = DisguisedClassifier(scheme).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame)
    np.testing.assert_array_equal(
        model.predict(frame), DisguisedClassifier(scheme).fit(X, y).predict(X)
    )


@pytest.mark.parametrize(
    ("scheme", "learner", "message"),
    [
        (0.7, None, "disguise must be a scheme, .* got 0.7"),
        (RandomizedResponseNB(coins(0.7)), None, r"disguise must be a scheme, .*MixedResponse"),
        (GaussianSampleGenerator(), None, "classifier must be given where what is released"),
        (coins(0.7), RandomizedResponseNB, "classifier must have fit, predict"),
    ],
)
def test_what_is_no_scheme_or_no_learner_is_refused(scheme, learner, message):
    with pytest.raises((TypeError, ValueError), match=message):
        DisguisedClassifier(scheme, learner).fit(X, y)
