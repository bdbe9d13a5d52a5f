"""Which attribute is meant: the only one, or the one that is named; never silently the first."""

import inspect

import numpy as np
import pytest
from public_doors import DOORS

from ppdm.attacks import bayes_posterior
from ppdm.channel import Channel
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership
from ppdm.privacy import mutual_information, posterior_odds
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
)
from ppdm.reconstruction import em, estimate_frequencies, invert, reconstruct_distribution
from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
CODES = pd.DataFrame({"ward": RNG.integers(0, 2, 400), "vote": RNG.integers(0, 3, 400)})
NUMBERS = pd.DataFrame({"age": RNG.random(400), "pay": 5 * RNG.random(400)})
KRR = CategoricalRandomizedResponse([2, 3], epsilon=3.0, random_state=0)
REPORTS, OF_TWO = KRR.disguise(CODES)[0], [0.5, 0.5]
X = RNG.normal(size=(400, 1))
WAYS = {"keep_history": False}


def wave(scheme, **options):
    return scheme(random_state=0, **options).fit(NUMBERS)


def on(noise):
    return lambda **which: noise.on([0, 0.5, 1], **which).channel_matrix()


#: Each door that answers for one attribute, of two that differ, the first called as here.
LISTED = {
    "reconstruction.estimate_frequencies": ("ward", lambda **which: estimate_frequencies(
        REPORTS, KRR, **which).frequencies),
    "reconstruction.em": ("ward", lambda **which: em(
        KRR, [300, 100], **WAYS, **which).probabilities),
    "reconstruction.invert": ("ward", lambda **which: invert(KRR, [300, 100], **which).counts),
    "reconstruction.reconstruct_distribution": ("age", lambda **which: reconstruct_distribution(
        None, wave(AdditiveNoise, privacy=0.5), [0, 0.5, 1], counts=[1, 6, 7, 2, 1, 0],
        **WAYS, **which).probabilities),
    "regression.DisguisedLogisticRegression": ("ward", lambda **which: DisguisedLogisticRegression(
        KRR, **which).fit(X, REPORTS).coef_),
    "attacks.bayes_posterior": ("ward", lambda **which: bayes_posterior(KRR, OF_TWO, **which)),
    "privacy.mutual_information": ("ward", lambda **which: mutual_information(
        KRR, OF_TWO, **which)),
    "privacy.posterior_odds": ("ward", lambda **which: posterior_odds(
        KRR, OF_TWO, 1, **which).after),
    "noise.AdditiveNoise.on": ("age", on(wave(AdditiveNoise, privacy=0.5))),
    "noise.SquareWave.on": ("age", on(wave(SquareWave, epsilon=1, domain=[[0, 1], [0, 5]]))),
    "noise.Piecewise.on": ("age", on(wave(Piecewise, epsilon=1, domain=[[0, 1], [0, 5]]))),
    "noise.ValueClassMembership.on": ("age", on(
        ValueClassMembership(2, domain=[[0, 1], [0, 5]]).fit(NUMBERS))),
}  # fmt: skip


@pytest.mark.parametrize("door", LISTED)
def test_of_several_attributes_one_is_said(door):
    name, call = LISTED[door]
    names = r"\['ward', 'vote'\]" if name == "ward" else r"\['age', 'pay'\]"
    with pytest.raises(ValueError, match=f"feature must say which of the attributes {names} is"):
        call()
    np.testing.assert_array_equal(call(feature=name), call(feature=0))


def test_every_door_that_asks_for_an_attribute_is_listed():
    asking = {name for name, door in DOORS.items() if name.count(".") == 1
              and "feature" in (own := inspect.signature(door).parameters)
              and own["feature"].default is not inspect.Parameter.empty}  # fmt: skip
    asking |= {f"{name}.on" for name, door in DOORS.items() if hasattr(door, "on")}
    assert asking == set(LISTED)


class TestANumberOfSeveralQuestions:
    """Its distribution is asked of the whole scheme, by its name."""

    people = NUMBERS.assign(vote=CODES["vote"])[["pay", "vote", "age"]]

    def scheme(self, **options):
        waves = {name: SquareWave(1.0, [[0, most]]).on(np.linspace(0, most, 9))
                 for name, most in (("age", 1), ("pay", 5))}  # fmt: skip
        vote = CategoricalRandomizedResponse(3, epsilon=1.0)
        return MixedResponse({**waves, "vote": vote}, random_state=0, **options).fit(self.people)

    @pytest.mark.parametrize("name", ["pay", "age"])
    def test_is_estimated_by_its_own_channel(self, name):
        scheme = self.scheme()
        reports, _ = scheme.disguise(self.people)
        place = list(self.people).index(name)
        own = reconstruct_distribution(reports[name], scheme.channels_[place])
        for given in (reports, reports[name], reports[["vote", "age", "pay"]]):
            for which in (name, place):
                found = reconstruct_distribution(given, scheme, feature=which)
                np.testing.assert_array_equal(found.probabilities, own.probabilities)

    def test_of_those_who_were_asked(self):
        scheme = self.scheme(asked=1)
        reports, _ = scheme.disguise(self.people)
        said, ward = reports["age"].notna(), CODES["ward"].to_numpy()
        found = reconstruct_distribution(reports, scheme, feature="age", labels=ward)
        own = reconstruct_distribution(
            reports["age"][said], scheme.channels_[2], labels=ward[said.to_numpy()])  # fmt: skip
        np.testing.assert_array_equal(found.probabilities, own.probabilities)
        assert found.n.sum() == said.sum() < 400

    @pytest.mark.parametrize(("given", "error", "words"), [
        ({"feature": None}, ValueError, r"which of the attributes \['pay', 'vote', 'age'\] is"),
        ({"feature": 3}, ValueError, r"feature must be a whole number in \[0, 2\], got 3"),
        ({"feature": "vote"}, TypeError, "noise must be a bound channel .*estimate_frequencies"),
        ({"edges": [0, 1, 2]}, ValueError, "edges must be None: each channel of noise has its"),
        ({"labels": [0, 1]}, ValueError, "labels must hold one integer code for each of the 400"),
    ])  # fmt: skip
    def test_what_does_not_fit_is_named(self, given, error, words):
        scheme = self.scheme()
        reports, _ = scheme.disguise(self.people)
        with pytest.raises(error, match=words):
            reconstruct_distribution(reports, scheme, **{"feature": "age"} | given)
        with pytest.raises(ValueError, match=r"disguised must be the column \['age'\]"):
            reconstruct_distribution(reports["pay"], scheme, feature="age")


OF_A_MATRIX = ["reconstruction.em", "reconstruction.invert", "attacks.bayes_posterior",
               "privacy.mutual_information", "privacy.posterior_odds"]  # fmt: skip


@pytest.mark.parametrize("door", OF_A_MATRIX)
def test_of_attributes_with_one_matrix_any_will_do(door, monkeypatch):
    alike = RandomizedResponse(0.8).fit(np.eye(4, dtype=int))
    monkeypatch.setitem(globals(), "KRR", alike)
    call = LISTED[door][1]
    np.testing.assert_array_equal(call(), call(feature=3))


class TestACovariate:
    """It has a scheme of its own, or one that knows it by its name."""

    def test_is_read_by_its_own_channel(self):
        outcome = CODES["vote"] + RNG.normal(size=400)
        together = DisguisedLinearRegression({"vote": KRR}).fit(REPORTS, outcome)
        alone = CategoricalRandomizedResponse(3, epsilon=3.0).fit(CODES[["vote"]])
        apart = DisguisedLinearRegression({"vote": alone}).fit(REPORTS, outcome)
        np.testing.assert_array_equal(together.coef_, apart.coef_)
        truth = pd.DataFrame({"ward": [0, 1], "vote": [2, 0]})
        np.testing.assert_array_equal(together.predict(truth), apart.predict(truth))

    @pytest.mark.parametrize("name", ["disguised", "y_scheme"])
    def test_without_a_name_it_needs_a_scheme_of_its_own(self, name):
        given = {"disguised": {1: KRR}} if name == "disguised" else {"y_scheme": KRR}
        rule = rf"{name} must be of one attribute for \w+, .*\['ward', 'vote'\]"
        with pytest.raises(ValueError, match=rule):
            DisguisedLinearRegression(**given).fit(REPORTS.to_numpy(), REPORTS["ward"].to_numpy())


class TwoDice(Channel):
    """A scheme of somebody else's, of two attributes."""

    n_features_in_ = 2

    def channel_matrix(self, feature=0):
        return np.eye(3) * (0.7 + 0.1 * feature) + (0.1 - feature / 30) * np.ones((3, 3))


def test_a_scheme_without_names_has_numbers():
    with pytest.raises(ValueError, match=r"which of the attributes \[0, 1\] is meant"):
        invert(TwoDice(), [1, 2, 3])


@pytest.mark.parametrize("ask", ["channel_matrix", "inverse_matrix", "columns_of"])
def test_a_channel_counts_its_attributes(ask):
    mixed = MixedResponse([RandomizedResponse(0.7)] * 2).fit(np.array([[0, 1], [1, 0]]))
    with pytest.raises(TypeError, match="feature must be a whole number here, and no name"):
        getattr(mixed, ask)("ward")
