"""A record of mixed kinds: labels, frames, and whose value, report or column an error is about."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from refusals import refusals
from sklearn.base import clone

from ppdm.channel import Channel
from ppdm.classifiers import RandomizedResponseNB
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave
from ppdm.privacy import local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    unrelated_question,
)
from ppdm.reconstruction import estimate_frequencies

RECORDS = np.array(list(product([0, 1], [0, 1, 2], [0, 1])))
KINDS = [RandomizedResponse(0.8), CategoricalRandomizedResponse(3, epsilon=1.5),
         UnaryEncoding(2, 1.0)]  # fmt: skip

PEOPLE = pd.DataFrame({
    "smokes": [0, 1, 1, 0] * 50,
    "party": pd.Categorical(["red", "blue", "red", "green"] * 50, ["blue", "green", "red"]),
    "site": np.arange(200) % 40,
})  # fmt: skip


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_a_frame_of_mixed_kinds():
    kinds = [RandomizedResponse(), CategoricalRandomizedResponse(), UnaryEncoding(1000)]
    mixed = MixedResponse(kinds, epsilon=3.0, asked=2, random_state=0).set_output(
        transform="pandas"
    )
    R = mixed.fit_transform(PEOPLE)
    assert R.columns[:3].tolist() == ["smokes", "party", "site_0"]
    assert R.shape == (200, 1002)
    assert set(R["party"].dropna()) <= {"red", "green", "blue"}
    assert local_epsilon(mixed) == pytest.approx(3)
    assert [None if each is None else each.tolist() for each in mixed.categories_] == [
        None, ["blue", "green", "red"], None]  # fmt: skip
    every = estimate_frequencies(R, mixed, feature="all")
    assert list(every) == ["smokes", "party", "site"]
    for name, size in (("smokes", 2), ("party", 3), ("site", 1000)):
        one = estimate_frequencies(R, mixed, feature=name)
        np.testing.assert_array_equal(one.frequencies, every[name].frequencies)
        assert one.frequencies.size == size
        assert one.n == R.filter(like=name).iloc[:, 0].notna().sum() < 200
    assert every["party"].categories.tolist() == ["blue", "green", "red"]


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_labels_of_kary_response_and_missing_ones():
    krr = CategoricalRandomizedResponse(
        theta=0.9, categories=[["no", "yes"], ["a", "b", "c"], None], n_values=[2, 3, 2], asked=2,
        random_state=0,
    )  # fmt: skip
    X = np.array([["no", "a", 1], ["yes", "c", 0]] * 20, dtype=object)
    R = krr.fit_transform(X)
    assert R.dtype == object
    told = np.array([[each == each for each in row] for row in R.tolist()])
    assert (told.sum(axis=1) == 2).all()
    codes = krr.codes(R)
    assert (codes[~told] == np.array([2, 3, 2])[np.nonzero(~told)[1]]).all()
    np.testing.assert_array_equal(krr.codes(R.tolist()), codes)
    np.testing.assert_array_equal(krr.codes(np.where(told, R, None)), codes)
    one = estimate_frequencies(R[:, [1]], krr, feature=1)
    np.testing.assert_array_equal(
        one.frequencies, estimate_frequencies(R, krr, feature=1).frequencies
    )
    assert one.n == told[:, 1].sum()


def test_labels_that_are_numbers():
    krr = CategoricalRandomizedResponse(theta=1.0, categories=[[10, 20], [5, 7]], asked=1)
    R = krr.fit_transform([[20, 7], [10, 5]] * 5)
    assert R.dtype == float
    assert np.isnan(R).sum() == 10
    assert krr.codes(R).max() == 2
    assert estimate_frequencies(R, krr, feature=0).categories.tolist() == [10, 20]


class NextDigit(Channel):
    """No estimator, so no part of a mixed record."""

    def channel_matrix(self, feature=0):
        return np.eye(3)


test_what_is_no_record_of_mixed_kinds = refusals(
    (KINDS[:2], "channels must hold 3 channels"),
    ([*KINDS[:2], NextDigit()], r"channels\[2\] must have fit, transform", TypeError),
    *(([*KINDS[:2], noise], r"channels\[2\] must have channel_matrix \(a number needs "
       rf"intervals: noise\.on\(edges\)\), got {type(noise).__name__}\(", TypeError)
      for noise in (SquareWave(1.0), Piecewise(1.0), AdditiveNoise(scale=1.0))),
    ([*KINDS[:2], UnaryEncoding(2)], r"channels\[2\] must be .* epsilon must be a number",
     TypeError),
    ([*KINDS[:2], unrelated_question(0.5, 0.5)], r"channels\[2\] .* give ei"),
    ([KINDS[0], *KINDS[:2]], r"channels\[1\] must be a channel that takes attribute 1:"),
    by=lambda kinds: MixedResponse(
        kinds, epsilon=1.0 if hasattr(kinds[-1], "channel") else None).fit(RECORDS),
)  # fmt: skip


def asked_of_people():
    """Return a fitted scheme of a coin, labels and a number, and two people."""
    people = pd.DataFrame({"vote": [0, 1], "party": ["red", "blue"], "age": [31.0, 58.0]})
    age = AdditiveNoise("laplace", epsilon=1.0, domain=[[20, 70]]).on([20, 45, 70])
    party = CategoricalRandomizedResponse(epsilon=1.0, categories=[["red", "blue"]])
    kinds = {"vote": RandomizedResponse(0.8), "party": party, "age": age}
    return MixedResponse(kinds, random_state=0).fit(people), people


@pytest.mark.parametrize(("name", "value", "said"), [
    ("vote", 2, "must hold only 0 and 1"),
    ("party", "green", "holds a category never seen: 'green' in attribute 'party'"),
    ("age", 99.0, "must lie inside domain, from 20 to 70 for attribute 'age', got 99"),
])  # fmt: skip
def test_a_wrong_value_is_told_by_its_column(name, value, said):
    # catches the part that speaks of its own one column, attribute 0
    scheme, people = asked_of_people()
    wrong = people.assign(**{name: value})
    what = f"^X must be what the channel of attribute '{name}' takes: X {said}"
    with pytest.raises(ValueError, match=what):
        scheme.transform(wrong)
    if name != "age":  # noise releases any number, and any number has its interval
        with pytest.raises(ValueError, match=f"of attribute '{name}' releases: released {said}"):
            scheme.codes(wrong)
        with pytest.raises(ValueError, match=f"records must be true values of attribute '{name}'"):
            scheme.record_codes(wrong)


@pytest.mark.parametrize("name", ["vote", "party", "age"])
def test_a_missing_answer_is_told_by_its_column_and_is_never_to_be_filled(name):
    scheme, people = asked_of_people()
    reports, _ = scheme.disguise(people)
    learner = RandomizedResponseNB(scheme).fit(reports, [0, 1])
    lacking, wrong = reports.astype(object), people.astype(object)
    lacking.loc[1, name] = wrong.loc[1, name] = None
    told = f"attribute '{name}'.*: drop them first, and never fill them"
    with pytest.raises(ValueError, match=told):
        estimate_frequencies(lacking, scheme, feature=name)
    with pytest.raises(ValueError, match=told):
        RandomizedResponseNB(scheme).fit(lacking, [0, 1])
    for step in (learner.predict, scheme.transform):
        with pytest.raises(ValueError, match=rf"^X has 1 missing .* '{name}' .* row 1.*: fill or"):
            step(wrong)


def test_a_column_without_a_channel_is_named():
    scheme, people = asked_of_people()
    with pytest.raises(ValueError, match=r"and no other \(lost: .*unknown: .*\): leave what has"):
        scheme.fit(people.assign(ward="a"))


def test_a_missing_value_is_told_by_its_number_where_there_are_no_names():
    # catches the part that speaks of its own one column, attribute 0
    lacking = RECORDS.astype(object)
    lacking[1, 2] = None
    for step in (MixedResponse(KINDS).fit, MixedResponse(KINDS).fit(RECORDS).transform):
        with pytest.raises(ValueError, match=r"X has 1 missing value\(s\) in attribute 2 "):
            step(lacking)


def test_a_public_column_may_lack_a_value():
    # catches a look at the whole record that refuses what no channel disguises
    people = pd.DataFrame({"vote": [0, 1, 1], "income": [20.0, np.nan, 40.0]})
    scheme = MixedResponse([RandomizedResponse(0.8), None], random_state=0)
    reports, _ = scheme.disguise(people)
    np.testing.assert_array_equal(reports["income"], people["income"])


def test_the_channels_themselves_are_left_alone():
    kinds = [RandomizedResponse(0.8), CategoricalRandomizedResponse(3, 0.6), UnaryEncoding(2, 9.0)]
    mixed = MixedResponse(kinds, epsilon=3.0).fit(RECORDS)
    assert [kind.epsilon for kind in kinds] == [None, None, 9.0]
    assert [own.epsilon for own in mixed.channels_] == [1.0, 1.0, 1.0]
    assert [own.get_params().get("theta") for own in mixed.channels_] == [None] * 3
    again = clone(mixed)
    assert again.channels[0] is not kinds[0]
    np.testing.assert_array_equal(
        again.set_params(random_state=3).fit_transform(RECORDS),
        mixed.set_params(random_state=3).transform(RECORDS),
    )
