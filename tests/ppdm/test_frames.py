"""Columns by their names, wherever they may be named."""

import numpy as np
import pandas as pd
import pytest

from ppdm import classifiers as learn
from ppdm import randomized_response as rr
from ppdm.attacks import recover_attributes
from ppdm.noise import AdditiveNoise

NAMES = ["smokes", "drinks", "drives"]
INDEX = [f"person {i}" for i in range(40)]
rng = np.random.default_rng(0)
BITS = pd.DataFrame(rng.integers(0, 2, (40, 3)), index=INDEX, columns=NAMES)
REAL = pd.DataFrame(rng.uniform(0, 9, (40, 3)), index=INDEX, columns=NAMES)
CLASS = pd.Series(rng.integers(0, 2, 40), index=INDEX, name="insured")


def test_a_column_called_class_is_the_class_only_where_there_is_one():
    R = BITS.rename(columns={"drives": "class"})
    coin = rr.RandomizedResponse(0.9)
    of_column = rr.estimate_proportion(R, coin, {2: 1})
    assert rr.estimate_proportion(R, coin, {"class": 1}) == of_column
    y = 1 - R["class"]
    assert rr.estimate_proportion(R, coin, {"class": 1}, y=y).proportion == pytest.approx(y.mean())


def test_attributes_that_are_attacked_by_name():
    coin, X = rr.RandomizedResponse(0.9, [[0, 2], [1]], random_state=1).fit(BITS), BITS.to_numpy()
    ways = (["drinks"], [1], [False, True, False])
    read = [recover_attributes(coin, coin.transform(BITS), BITS, X, attributes=which).success
            for which in ways]  # fmt: skip
    assert read[0] == read[1] == read[2]


@pytest.mark.parametrize(
    "learner", [learn.ReconstructedTreeClassifier, learn.MixtureTreeClassifier]
)
def test_whole_numbers_by_name(learner):
    X = REAL.assign(drinks=np.rint(REAL["drinks"]))
    noise = AdditiveNoise("uniform", 0.2, domain=[[0, 9]] * 3, random_state=0).fit(X)
    Z = noise.set_output(transform="pandas").transform(X)
    seed = {"random_state": 0} if learner is learn.MixtureTreeClassifier else {}
    edges = [
        learner(noise, integer_features=which, n_intervals=3, **seed).fit(Z, CLASS).edges_
        for which in (["drinks"], [1], [False, True, False])
    ]
    assert len(edges[0][1]) == 11  # its values are its intervals
    for other in edges[1:]:
        for one, two in zip(edges[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


NOISE = AdditiveNoise(scale=1.0, domain=[[0, 9]] * 3)
FLIES = rr.RandomizedResponse(0.8, [["flies"]])
OF_FLIES = learn.ReconstructedTreeClassifier(NOISE, integer_features=["flies"])
UNKNOWN = [
    (lambda X: rr.RandomizedResponse(0.8, [["smokes"], ["drinks", "flies"]]).fit(X), "groups"),
    (lambda X: rr.RandomizedResponse(0.8, [["flies"]], asked=1).fit(X), "groups"),
    (lambda X: learn.RandomizedResponseNB(FLIES).fit(X, CLASS), "groups"),
    (lambda X: rr.signed_records(X, FLIES), "groups"),
    (lambda X: rr.estimate_proportion(X, rr.RandomizedResponse(0.8), {"flies": 1}), "expression"),
    (lambda X: OF_FLIES.fit(X, CLASS), "integer_features"),
]


@pytest.mark.parametrize(("call", "argument"), UNKNOWN)
def test_a_name_that_is_not_there(call, argument):
    there = r".*\['smokes', 'drinks', 'drives'\], got 'flies'"
    with pytest.raises(ValueError, match=rf"^{argument} must name one of the columns {there}"):
        call(BITS)
    with pytest.raises(ValueError, match=rf"^{argument} may name "):
        call(BITS.to_numpy())


def test_a_name_that_stands_there_twice():
    X = BITS.set_axis(["a", "b", "a"], axis=1)
    with pytest.raises(ValueError, match=r"each once .*, got \['a', 'b', 'a'\]"):
        rr.signed_records(X, rr.RandomizedResponse(0.8, [["a"], ["b"]]))


def test_an_attribute_named_twice_in_an_expression():
    with pytest.raises(ValueError, match="expression must name each attribute once"):
        rr.estimate_proportion(BITS, rr.RandomizedResponse(0.8), {0: 1, "smokes": 0})
