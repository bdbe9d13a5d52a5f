"""Epsilon of a channel: the largest ratio of two truths, and which these are; theta or epsilon."""

from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals
from sklearn.base import clone

from ppdm._support import epsilon_of
from ppdm.channel import Channel
from ppdm.channel._opening import as_channel
from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.compare import respondents_needed
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
    signed_records,
    unrelated_question,
)
from ppdm.typing import Changes
from ppdm.utility import disguised_accuracy

# ------------------------------------------------------- every epsilon, from the whole channel


def all_rows(sizes):
    return np.array(list(product(*map(range, sizes))))


def coins(groups, theta=0.7):
    return RandomizedResponse(theta, groups).fit([[0, 1, 1]])


SCHEMES = {
    "one coin for three": (coins(None), [2] * 3, [2] * 3),
    "a coin for two, one for one": (coins([[0, 2], [1]]), [2] * 3, [2] * 3),
    "a coin each": (coins([[0], [1], [2]]), [2] * 3, [2] * 3),
    "a coin that says nothing": (coins([[0], [1], [2]], 0.5), [2] * 3, [2] * 3),
    "codes": (CategoricalRandomizedResponse([2, 3], 0.6).fit([[1, 2]]), [2, 3], [2, 3]),
    "unrelated question": (unrelated_question(0.6, [0.2, 0.3, 0.5]).fit([[0, 2]]), [3, 3], [3, 3]),
    "unary": (UnaryEncoding([2, 3], 1.1).fit([[1, 2]]), [2, 3], [2] * 5),
    "a matrix that can be zero": ([[0.5, 0.2], [0.5, 0.3], [0, 0.5]], [2, 2], [3, 3]),
    "matrices": ([np.eye(2) * 0.6 + 0.2, np.full((2, 3), 0.5)], [2, 3], [2, 2]),
}


@pytest.mark.parametrize(("scheme", "true", "said"), SCHEMES.values(), ids=SCHEMES)
def test_every_epsilon_is_the_largest_ratio_over_the_whole_channel(scheme, true, said):
    """P[release | record] of all releases under all records; pairs that differ in what may."""
    records = all_rows(true)
    channel = as_channel(scheme, len(true))
    whole = np.exp(channel.log_likelihood(all_rows(said), records))  # (releases, records)
    np.testing.assert_allclose(whole.sum(axis=0), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nanmax(np.log(whole[:, :, None] / whole[:, None, :]), axis=0)
    differ = records[:, None] != records[None]  # (records, records, attributes)
    groups = getattr(scheme, "groups", None) or [[j] for j in range(len(true))]
    if isinstance(scheme, RandomizedResponse) and scheme.groups is None:
        groups = [range(3)]
    in_one_group = [
        ~np.delete(differ, list(group), axis=2).any(axis=2) for group in map(list, groups)
    ]
    literal = {
        "record": ratio.max(),
        "attribute": ratio[differ.sum(axis=2) <= 1].max(),
        "group": max(ratio[pairs].max() for pairs in in_one_group),
    }
    for changes, expected in literal.items():
        assert local_epsilon(channel, changes=changes) == pytest.approx(expected, abs=1e-9), changes
    assert local_epsilon(channel) == local_epsilon(channel, changes="record")


#: Noise on numbers from 20 to 80, and its largest log ratio; a member is a line.
NUMBERS = {
    "gaussian": (AdditiveNoise("gaussian", scale=30.0), np.inf),
    "uniform": (AdditiveNoise("uniform", domain=[[20, 80]]), np.inf),
    "laplace, from edge to edge": (AdditiveNoise("laplace", scale=15.0), 4),
    "laplace in a domain": (AdditiveNoise("laplace", domain=[[20, 80]]), 2 * np.log(20)),
    "laplace of an epsilon": (AdditiveNoise("laplace", domain=[[20, 80]], epsilon=1.5), 1.5),
    "laplace, a learnt domain": (AdditiveNoise("laplace", epsilon=1.5).fit([[20], [80]]), 1.5),
    "square wave": (SquareWave(1.2, domain=[[20, 80]]), 1.2),
    "piecewise": (Piecewise(1.2, domain=[[20, 80]]), 1.2),
    "classes": (ValueClassMembership(2, domain=[[20, 80]]), np.inf),
}


@pytest.mark.parametrize(("noise", "epsilon"), NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("m", [2, 10])
def test_noise_on_intervals_promises_what_it_does_on_numbers(noise, epsilon, m):
    """An interval averages its truths, so its matrix tells less than the number's owner risks."""
    channel = noise.on(np.linspace(20, 80, m + 1))
    said = [local_epsilon(channel, changes=changes) for changes in get_args(Changes)]
    said += [channel.record_epsilon()]
    if hasattr(channel, "fit"):  # classes are no channel of a mixed record
        mixed = MixedResponse([channel, channel], asked=1).fit([[20.0, 80.0]] * 2)
        said += [mixed.record_epsilon(), local_epsilon(mixed, changes="attribute")]
    assert said == pytest.approx([epsilon] * len(said), abs=1e-12)
    of_matrix = local_epsilon(channel.channel_matrix())
    assert of_matrix <= epsilon + 1e-9
    if hasattr(noise, "log_likelihood"):
        law = noise.log_likelihood(np.linspace(-200, 300, 501)[:, None], np.arange(20, 81)[:, None])
        with np.errstate(invalid="ignore"):
            ratio = np.nanmax(law.max(axis=1) - law.min(axis=1))
        assert min(said) >= ratio - 1e-12
        assert ratio >= of_matrix - 1e-9


@pytest.mark.parametrize("edges", [[40, 50, 60], [0, 50, 100]])
@pytest.mark.parametrize(
    "name", [name for name in NUMBERS if "laplace" in name and "edge" not in name]
)
def test_a_domain_and_not_the_intervals_says_how_far_numbers_differ(name, edges):
    """Of a domain that was learnt, too: of narrower intervals the promise would be too small."""
    noise, epsilon = NUMBERS[name]
    assert local_epsilon(noise.on(edges)) == pytest.approx(epsilon)


@pytest.mark.parametrize("n_groups", [1, 2, 4, 16])
def test_own_bit_stays_while_the_record_goes_from_infinite_to_sixteen_bits(n_groups):
    groups = [part.tolist() for part in np.array_split(np.arange(16), n_groups)]
    scheme = RandomizedResponse(0.7, groups).fit(np.zeros((1, 16)))
    assert local_epsilon(scheme, changes="bit") == pytest.approx(0.847298, abs=5e-7)
    record = 16 * np.log(7 / 3) if n_groups == 16 else np.inf
    assert local_epsilon(scheme) == pytest.approx(record)
    assert local_epsilon(scheme, changes="attribute") == pytest.approx(record / 16)


def test_one_released_bit_of_a_unary_encoding_says_less_than_its_vector():
    """At epsilon 1 a bit is 1 with probability 1/2 or q; the vector's ratio is (1 - q) / q."""
    unary = UnaryEncoding(5, 1.0).fit([[0, 1]])
    q = 1 / (np.e + 1)
    assert local_epsilon(unary, changes="bit") == pytest.approx(np.log(0.5 / q))
    assert local_epsilon(unary, changes="attribute") == pytest.approx(1)
    assert local_epsilon(unary) == pytest.approx(2)


# ------------------------------------------------------------------------------- properties


class Duck:
    """One that only knows its matrix."""

    def channel_matrix(self, feature=0):
        return [[0.7, 0.3], [0.3, 0.7]]


@pytest.mark.parametrize(
    ("channels", "epsilon"),
    [
        ([Duck()], np.log(7 / 3)),
        ([Duck(), Duck()], 2 * np.log(7 / 3)),
        ([RandomizedResponse(0.5).channel_matrix()], 0),
        ([np.full((3, 3), 1 / 3)], 0),
        ([np.eye(2)], np.inf),
        # the unrelated question at 1/2 is not at zero privacy loss: yes is .542 against .042
        ([unrelated_question(0.5, 1 / 12).channel_matrix()], np.log(13)),
        ([[[0.6, 0.4], [0.4, 0.6], [0, 0]]], np.log(1.5)),  # what nobody releases says nothing
    ],
)
def test_known_values(channels, epsilon):
    assert local_epsilon(*channels) == pytest.approx(epsilon)


# ------------------------ theta or epsilon: one is given, both are shown, as the channel promises


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
    coin = RandomizedResponse(theta)
    assert coin.theta_ == theta
    assert not hasattr(coin, "epsilon_")  # the number of attributes decides
    coin.fit(BITS[:, :1])
    assert coin.epsilon_ == pytest.approx(epsilon, abs=1e-12)
    assert local_epsilon(coin) == coin.epsilon_


#: What asks a coin what it says.
READERS = {
    "RandomizedResponse": lambda coin: coin.set_params(random_state=3).fit_transform(BITS),
    "signed_records": lambda coin: signed_records(BITS, coin, y=Y).weight,
    "estimate_proportion": lambda coin: estimate_proportion(BITS, coin, {0: 1}, y=Y).proportion,
    "disguised_accuracy": lambda coin: (
        disguised_accuracy(lambda X: X[:, 0], BITS, Y, coin).proportion),
    "RandomizedResponseNB": lambda coin: RandomizedResponseNB(coin).fit(BITS, Y).pair_count_,
    "RandomizedResponseTreeClassifier": lambda coin: (
        RandomizedResponseTreeClassifier(coin).fit(BITS, Y).predict_proba(BITS)),
}  # fmt: skip


@pytest.mark.parametrize("theta", [0.5, 0.7])
@pytest.mark.parametrize(
    "shared", [{}, {"groups": [[0, 2], [1]]}, {"groups": OWN, "class_group": 1}]
)
def test_a_shared_coin_is_infinite_and_no_epsilon_can_be_asked_of_it(theta, shared):
    coin = RandomizedResponse(theta, **shared).fit(BITS)
    assert coin.epsilon_ == np.inf
    assert local_epsilon(*coin.record_channels()) == np.inf
    asked = RandomizedResponse(**shared, epsilon=1.0)
    for read in READERS.values():
        with pytest.raises(ValueError, match=r"groups must be .* share a coin .* infinite"):
            read(asked)


def own(**given):
    return RandomizedResponse(**given, groups=OWN)


EACH = {
    **{name: lambda read=read, **k: read(own(**k)) for name, read in READERS.items()},
    "CategoricalRandomizedResponse": lambda **k: CategoricalRandomizedResponse(
        2, **k, random_state=3).fit_transform(BITS),
    "respondents_needed": lambda **k: respondents_needed(error=0.01, **k),
    "RandomizedResponseNB, asked": lambda **k: (
        RandomizedResponseNB(own(**k, asked=1))
        .fit(np.where(np.eye(3)[[0, 1, 2, 0, 1, 2]] > 0, BITS, np.nan), Y)
        .pair_count_
    ),
}  # fmt: skip


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


def test_channel_and_epsilon_are_one_too_many_and_no_channel_is_none():
    with pytest.raises(ValueError, match="at least one channel"):
        local_epsilon()
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


class ToldTwice(Channel):
    """A code of three that is told twice, in two independent parts, from two columns."""

    def fit(self, X, y=None):
        self.n_features_in_ = 1
        return self

    def transform(self, X):
        return np.hstack([X, X])  # what is drawn is of no matter here

    def channel_matrix(self, feature=0):
        return np.kron(*[HALF.channel_matrix()] * 2)[:, [0, 4, 8]]

    def record_channels(self):
        return [HALF.channel_matrix()] * 2

    def columns_of(self, feature=0):
        return slice(2 * feature, 2 * feature + 2)


HALF = CategoricalRandomizedResponse(3, epsilon=1.0)


@pytest.mark.parametrize(("asked", "epsilon"), [(None, 3.5), (1, 2.0)])
def test_parts_of_one_attribute_are_spent_together(asked, epsilon):
    """The dearest answer is the one of two parts, not the dearest part."""
    kinds = [ToldTwice(), CategoricalRandomizedResponse(3, epsilon=1.5)]
    mixed = MixedResponse(kinds, asked=asked).fit([[0, 1]])
    assert local_epsilon(mixed) == pytest.approx(epsilon)
    assert sum(map(epsilon_of, mixed.record_channels())) == pytest.approx(epsilon)
