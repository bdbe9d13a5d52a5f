"""theta or epsilon: one is given, both are shown, and they are what the channel promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from sklearn.base import clone

from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.compare import respondents_needed
from ppdm.noise import AdditiveNoise
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    estimate_proportion,
    signed_records,
    unrelated_question,
)
from ppdm.utility import disguised_accuracy

BITS = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 0]])
Y = np.array([0, 1, 0, 1, 1, 0])
OWN = [[0], [1], [2]]
#: Where 1 - theta keeps 13 digits; the last one, 20, keeps 7.
EPSILONS = st.floats(1e-6, 5)


#: Schemes of an epsilon, and how many answers of a record spend it.
SPENT = {
    "one coin": (lambda e: RandomizedResponse(epsilon=e).fit(BITS[:, :1]), 1),
    "a coin each": (lambda e: RandomizedResponse(epsilon=e, groups=OWN).fit(BITS), 3),
    "the class, too": (
        lambda e: RandomizedResponse(epsilon=e, groups=OWN, class_group="own").fit(BITS), 4),
    "one is asked": (lambda e: RandomizedResponse(epsilon=e, asked=1).fit(BITS), 1),
    "two are asked": (lambda e: RandomizedResponse(epsilon=e, asked=2).fit(BITS), 2),
    "codes": (lambda e: CategoricalRandomizedResponse([2, 5, 300], epsilon=e).fit([[1, 4, 8]]), 3),
    "another question": (lambda e: unrelated_question(prevalence=0.03, epsilon=e).fit([[0]]), 1),
    "of three": (lambda e: unrelated_question(prevalence=[0.2, 0.7, 0.1], epsilon=e).fit([[0]]), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SPENT)
@settings(deadline=None, max_examples=30)
@given(epsilon=EPSILONS)
def test_a_record_spends_the_epsilon_of_each_answer(name, epsilon):
    make, n = SPENT[name]
    scheme = make(epsilon)
    assert local_epsilon(*scheme.record_channels()) == pytest.approx(n * epsilon, abs=1e-11)
    assert scheme.record_epsilon() == pytest.approx(n * epsilon, abs=1e-11)
    assert local_epsilon(scheme, changes="attribute") == pytest.approx(epsilon, abs=1e-11)
    assert np.max(scheme.epsilon_) == pytest.approx(epsilon, abs=1e-12)
    assert np.min(scheme.epsilon_) == pytest.approx(epsilon, abs=1e-12)
    if hasattr(scheme, "theta_"):
        shown = clone(scheme).set_params(theta=np.max(scheme.theta_), epsilon=None)
        if isinstance(scheme, RandomizedResponse):
            assert shown.fit(BITS[:, : scheme.n_features_in_]).epsilon_ == pytest.approx(epsilon)


def test_the_rarest_of_many_unrelated_answers_betrays_most():
    known = unrelated_question(prevalence=[0.2, 0.7, 0.1], epsilon=1.5).channel_matrix()
    theta = known[0, 0] - known[0, 1]  # the part of the sensitive question
    np.testing.assert_allclose(unrelated_question(theta, [0.2, 0.7, 0.1]).epsilon_, 1.5)


@pytest.mark.parametrize(
    ("theta", "epsilon"),
    [(0.7, 0.8472978603872034), (0.3, 0.8472978603872034), (0.5, 0), (0, np.inf), (1, np.inf)],
)
def test_each_theta_has_an_epsilon_below_a_half_too(theta, epsilon):
    coin = RandomizedResponse(theta).fit(BITS[:, :1])
    assert coin.epsilon_ == pytest.approx(epsilon, abs=1e-12)
    assert local_epsilon(coin) == coin.epsilon_


@pytest.mark.parametrize("theta", [0.5, 0.7])
@pytest.mark.parametrize(
    "shared", [{}, {"groups": [[0, 2], [1]]}, {"groups": OWN, "class_group": 1}]
)
def test_a_shared_coin_is_infinite_and_no_epsilon_can_be_asked_of_it(theta, shared):
    coin = RandomizedResponse(theta, **shared).fit(BITS)
    assert coin.epsilon_ == np.inf
    assert local_epsilon(*coin.record_channels()) == np.inf
    asked = RandomizedResponse(**shared, epsilon=1.0)
    for call in (
        lambda: asked.fit(BITS),
        lambda: signed_records(BITS, asked, y=Y),
        lambda: estimate_proportion(BITS, asked, {0: 1}, y=Y),
        lambda: disguised_accuracy(lambda X: X[:, 0], BITS, Y, asked),
        lambda: RandomizedResponseNB(asked).fit(BITS, Y),
        lambda: RandomizedResponseTreeClassifier(asked).fit(BITS, Y),
    ):
        with pytest.raises(ValueError, match=r"groups must be .* share a coin .* infinite"):
            call()


def test_without_groups_the_number_of_attributes_decides():
    coin = RandomizedResponse(0.7)
    assert coin.theta_ == 0.7
    assert not hasattr(coin, "epsilon_")  # not fitted


def own(**given):
    return RandomizedResponse(**given, groups=OWN)


EACH = {
    "RandomizedResponse": lambda **k: RandomizedResponse(**k, groups=OWN, random_state=3)
    .fit_transform(BITS),
    "CategoricalRandomizedResponse": lambda **k: CategoricalRandomizedResponse(
        2, **k, random_state=3
    ).fit_transform(BITS),
    "signed_records": lambda **k: signed_records(BITS, own(**k)).weight,
    "estimate_proportion": lambda **k: estimate_proportion(BITS, own(**k), {0: 1}).proportion,
    "disguised_accuracy": lambda **k: disguised_accuracy(
        lambda X: X[:, 0], BITS, Y, own(**k)
    ).proportion,
    "respondents_needed": lambda **k: respondents_needed(error=0.01, **k),
    "RandomizedResponseNB": lambda **k: RandomizedResponseNB(own(**k, class_group="own"))
    .fit(BITS, Y)
    .pair_count_,
    "RandomizedResponseNB, asked": lambda **k: RandomizedResponseNB(own(**k, asked=1))
    .fit(np.where(np.eye(3)[[0, 1, 2, 0, 1, 2]] > 0, BITS, np.nan), Y)
    .pair_count_,
    "RandomizedResponseTreeClassifier": lambda **k: RandomizedResponseTreeClassifier(own(**k))
    .fit(BITS, Y)
    .predict_proba(BITS),
}


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
@pytest.mark.parametrize("name", EACH)
def test_epsilon_is_another_name_of_theta(name):
    by_theta, by_epsilon = (EACH[name](**k) for k in ({"theta": 0.7}, {"epsilon": np.log(7 / 3)}))
    np.testing.assert_allclose(by_epsilon, by_theta, rtol=1e-12)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"theta": 0.7, "epsilon": 1.0}, r"theta or .*epsilon, got .*1\.0.*theta.: 0\.7"),
        ({"epsilon": 1e-20}, "epsilon must be large enough"),
    ],
)
def test_what_is_no_epsilon_is_refused(name, given, message):
    with pytest.raises(ValueError, match=message):
        EACH[name](**given)


test_the_unrelated_question_refuses_too = refusals(
    ({"epsilon": 1.0, "prevalence": 1.0}, "epsilon needs every prevalence above zero"),
    by=lambda given: unrelated_question(**{"prevalence": 0.3} | given),
)  # fmt: skip


def test_channel_and_epsilon_are_one_too_many():
    with pytest.raises(ValueError, match="either theta or channel or epsilon"):
        CategoricalRandomizedResponse(channel=np.eye(2), epsilon=1.0).fit([[0]])
    given = CategoricalRandomizedResponse(channel=[[0.8, 0.4], [0.2, 0.6]])
    assert given.epsilon_ == pytest.approx([np.log(3)])
    with pytest.raises(AttributeError, match="theta_ goes with n_values"):
        _ = given.theta_


@pytest.mark.parametrize(
    "scheme",
    [
        RandomizedResponse(groups=OWN, epsilon=1.0),
        CategoricalRandomizedResponse(2, epsilon=1.0),
        AdditiveNoise("laplace", domain=[[0, 1]] * 3, epsilon=1.0),
    ],
)
def test_what_is_shown_follows_the_parameters_and_is_none(scheme):
    again = clone(scheme.fit(BITS, Y))
    assert again.get_params()["epsilon"] == 1.0
    assert again.get_params()["theta" if hasattr(again, "theta") else "scale"] is None
    assert not [name for name in again.get_params() if name.endswith("_")]
    np.testing.assert_allclose(again.set_params(epsilon=2.0).epsilon_, 2.0)
    for name in {"theta_", "epsilon_"} & set(dir(again)):
        with pytest.raises(AttributeError):
            setattr(again, name, 0.5)
