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


def undone(learner, **how):
    """Learn by hand from a scheme's reports, the scheme being told."""
    return lambda scheme, X, y: learner(scheme, **how).fit(*scheme.disguise(X, y))


def grown(tree):
    """Grow a tree by hand on what a noise releases."""

    def learn(noise, X, y):
        return clone(tree).set_params(scheme=noise.fit(X)).fit(noise.transform(X), y)

    return learn


def regressed(scheme, X, y):
    """Learn by hand from a curator's release, as any classifier does."""
    return LogisticRegression().fit(*scheme.fit_resample(X, y))


def numbers():
    """Yield records of a number under noise, alone and beside a bit, by name and in order."""
    table = pd.DataFrame({"n": VALUES[:, 1].round(), "old": (VALUES[:, 7] > 30).astype(int)})
    edges, wide, coin = np.linspace(0, 200, 11), [[0, 200]], RandomizedResponse(0.8)
    noises = [
        AdditiveNoise("laplace", epsilon=1, domain=wide).on(edges),
        AdditiveNoise("gaussian", scale=20, domain=wide).on(edges),
        SquareWave(1, domain=wide).on(edges),
    ]
    for number in (*noises, UnaryEncoding(200, epsilon=1)):
        learnt = undone(RandomizedResponseNB, method="em" if number in noises else "raw")
        for kinds, names in (
            ({"n": number}, ["n"]), (number, ["n"]),
            ({"n": number, "old": coin}, ["n", "old"]), ([number, coin], ["n", "old"]),
        ):  # fmt: skip
            yield MixedResponse(kinds, random_state=3), None, learnt, (table[names], DIABETES)


BITS, NB, TREE = (X, y), RandomizedResponseNB, RandomizedResponseTreeClassifier
RECONSTRUCTED = ReconstructedTreeClassifier()
MIXTURE = MixtureTreeClassifier(n_components=2, random_state=0)
#: A scheme, a learner (None: the scheme's own), the same by hand, and people.
BY_HAND = [
    *((scheme, None, undone(NB), BITS) for scheme in (
        coins(0.7, EACH), coins(epsilon=2.0, asked=2),
        CategoricalRandomizedResponse(2, epsilon=1.0, random_state=3),
        UnaryEncoding(2, epsilon=1.0, random_state=3),
        HadamardResponse(2, epsilon=1.0, random_state=3))),
    (coins(0.9, class_group=0), TREE(), undone(TREE), BITS),
    *((noise, learner, grown(learner or RECONSTRUCTED), (VALUES, DIABETES))
      for noise in (AdditiveNoise("laplace", 0.25, domain=RANGES, random_state=3),
                    SquareWave(3.0, domain=RANGES, random_state=3))
      for learner in (None, MIXTURE)),
    *((scheme, LogisticRegression(), regressed, BITS) for scheme in (
        GaussianSampleGenerator(random_state=3), PrivateTreeGenerator(2, 5, random_state=3))),
    *numbers(),
]  # fmt: skip


@pytest.mark.parametrize(("scheme", "learner", "learn", "people"), BY_HAND)
def test_what_is_released_is_learnt_from_as_by_hand(scheme, learner, learn, people):
    by_hand = learn(clone(scheme), *people)
    found = DisguisedClassifier(scheme, learner).fit(*people)
    np.testing.assert_array_equal(found.predict_proba(people[0]), by_hand.predict_proba(people[0]))
    np.testing.assert_array_equal(found.predict(people[0]), by_hand.predict(people[0]))
    assert found.n_features_in_ == people[0].shape[1]


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
