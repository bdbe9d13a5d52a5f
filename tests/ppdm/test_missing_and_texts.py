"""What is missing, masked, or a text of digits: the error names the argument and the remedy."""

import numpy as np
import pandas as pd
import pytest
from refusals import refusals

from ppdm.attacks import bayes_guess, recover_attributes
from ppdm.classifiers import RandomizedResponseNB
from ppdm.generation import PrivateTreeGenerator
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    RandomizedResponse,
    UnaryEncoding,
)
from ppdm.reconstruction import estimate_frequencies
from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression

BITS = np.array([[0, 1], [1, 1], [0, 0]])
LOST = np.array([[0, 1], [np.nan, 1], [0, 0]])
COIN = RandomizedResponse(0.7).fit(BITS)
CODES = CategoricalRandomizedResponse(n_values=3, theta=0.7).fit(BITS)
NOISE = AdditiveNoise(scale=1.0)
ON = NOISE.on([0, 1, 2])
MASKED = np.ma.masked_array(np.zeros((2000, 2)), np.arange(4000).reshape(2000, 2) == 5)
NULLABLE = pd.DataFrame({"a": pd.array([True, pd.NA, False], dtype="boolean"), "b": True})
NUMPY_TEXT = np.dtypes.StringDType()

DROP = r"drop them first, and never fill them: what is filled in is no report, and biases"
#: Reports with an answer that is missing: no advice to fill it.
test_missing_reports_are_dropped_and_never_filled = refusals(
    (lambda: RandomizedResponseNB(COIN).fit(LOST, [0, 1, 1]), DROP),
    (lambda: CODES.count(LOST), DROP),
    (lambda: ON.count([0.5, np.nan]), "released has 1 missing .* in row 1: " + DROP),
    (lambda: SquareWave(1.0, [[0, 1]]).log_likelihood([[np.nan]], [[0.5]]), DROP),
    (lambda: estimate_frequencies(LOST, COIN, feature=0), DROP),
    (lambda: Guidance(2).update(LOST, [0, 1, 1]), DROP),
)
test_missing_records_may_be_filled = refusals(
    (lambda: RandomizedResponse(0.7).fit(LOST), "row 1, column 0: fill or drop them first, only 0"),
    (lambda: CODES.fit(LOST), "fill or drop them first, or give them a code of their own"),
    (lambda: RandomizedResponse(0.7).fit(NULLABLE), "X has 1 missing .* row 1, column 0: fill"),
    (lambda: RandomizedResponse(0.7).fit(np.array([[True], [pd.NA]], object)),
     r"X has 1 missing value\(s\) \(None or NaN\), the first in row 1, column 0: fill"),
    (lambda: ON.fit([[0.5], [np.nan]]), r"X must hold finite numbers only, got nan at \(1, 0\)"),
    (lambda: NOISE.on([0, pd.NA, 2]), r"edges must hold finite numbers only, got nan at \(1,\)"),
)  # fmt: skip

AGES = pd.DataFrame({"age": [31.0, np.nan, 52.0], "sex": [0, 1, 1]})
OUT = r"value\(s\) \(None or NaN\), the first in row {}: take these people out, or in"
test_missing_covariates_are_named = refusals(*[
    (lambda model=model, X=X: model.fit(X, [0, 1, 1]), f"X has {n} missing {OUT.format(at)}")
    for model in (DisguisedLogisticRegression(), DisguisedLinearRegression())
    for X, n, at in [
        (AGES, 1, "1, column 0"), (AGES.astype({"age": "Int64"}), 1, "1, column 0"),
        (AGES.to_numpy(), 1, "1, column 0"),
        ([[1, None], [np.nan, 2], [3, None]], 3, "0, column 1"),
    ]
])  # fmt: skip

PEOPLE = pd.DataFrame({"way": ["car", "bike", "car"], "smokes": ["no", "no", "yes"]})
WORDS = CategoricalRandomizedResponse(
    epsilon=1, categories=[["bike", "car"], ["no", "yes"]], random_state=0)  # fmt: skip
REPORTS = WORDS.disguise(PEOPLE)[0]
#: A label that is missing, or that nobody can have, in row 2, and the words that say so.
WRONG = [
    *((lost, r"has 1 missing value\(s\) in attribute 'way' .*, the first in row 2: fill or drop")
      for lost in (None, np.nan, pd.NA)),
    ("tram", r"never seen: 'tram' in attribute 'way', .* \(row 2\)"),
]  # fmt: skip
DOORS = {
    "X": lambda bad: WORDS.disguise(bad),
    "pool": lambda bad: bayes_guess(WORDS, REPORTS, bad),
    "true": lambda bad: recover_attributes(WORDS, REPORTS, bad, bad),
    "bits": lambda bad: UnaryEncoding(epsilon=1, categories=WORDS.categories).fit(bad),
    "a learner": lambda bad: CountNB(categories=WORDS.categories).fit(bad, [0, 1, 1]),
    "predict": lambda bad: CountNB().fit(PEOPLE, [0, 1, 1]).predict(bad),
}
test_a_label_that_is_missing_or_wrong_is_named_with_its_row = refusals(*[
    (lambda door=DOORS[name], wrong=wrong: door(PEOPLE.assign(way=["car", "bike", wrong])),
     words)
    for name in DOORS for wrong, words in WRONG
])  # fmt: skip

CLASS = r"y has 1 missing value\(s\) .*, the first in row 1: drop them with their records, or"


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([0, pd.NA, 1], dtype="object"), pd.Series([0, pd.NA, 1], dtype="Int64"),
        pd.Series(["a", pd.NA, "b"], dtype="string"), pd.Series(["a", None, "b"]),
        pd.Series([True, pd.NA, False], dtype="boolean"), ["a", None, "b"], [0, None, 1],
        [0.0, np.nan, 1.0], pd.Series(pd.Categorical(["a", None, "b"])),
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("learner", [CountNB(), PrivateTreeGenerator(2)], ids=repr)
def test_a_class_that_is_missing_is_named(learner, y):
    with pytest.raises(ValueError, match=CLASS):
        learner.fit(BITS, y)


def test_nullable_types_without_a_missing_value_are_read():
    y = pd.Series([True, False, True], dtype="boolean")
    assert CountNB().fit(BITS, y).classes_.tolist() == [False, True]
    full = NULLABLE.fillna({"a": False})
    np.testing.assert_array_equal(
        RandomizedResponse(0.7, random_state=0).fit_transform(full),
        RandomizedResponse(0.7, random_state=0).fit_transform(full.astype(int)))
    assert CountNB().fit(BITS, pd.Series(["a", "b", "a"], dtype="string")).classes_.size == 2


NUMBER = r"must hold .*numbers \(use astype\(float\) where a text is one\), got '01234'"
test_texts_are_no_numbers = refusals(*[(*row, TypeError) for row in (
    (lambda: NOISE.fit([["01234"], ["2"]]), "X must hold numbers, got values of type <U5"),
    (lambda: NOISE.fit(np.array([["01234"], ["2"]], object)), "X " + NUMBER),
    (lambda: NOISE.transform(pd.DataFrame({"zip": ["01234", 2]}, dtype=object)), "X " + NUMBER),
    (lambda: ON.count(["01234", "2"]), "released " + NUMBER),
    (lambda: CODES.count(np.array([["01234", "1"], ["1", "1"]], object)),
     r"released must hold codes 0, 1, ... \(use astype\(float\) where a text is one\), got '0"),
    (lambda: CODES.fit([["01234"], ["1"]]), "got texts in attribute 0: give the public categories"),
)])  # fmt: skip

STRING = r"must not be of NumPy's string type \(use astype\(str\)\), got 'StringDType"
test_numpy_s_own_string_type_is_named = refusals(*[(*row, TypeError) for row in (
    (lambda: NOISE.fit(np.array([["1"], ["2"]], NUMPY_TEXT)), "X " + STRING),
    (lambda: CountNB().fit(BITS, np.array(["a", "b", "a"], NUMPY_TEXT)), "y " + STRING),
    (lambda: CODES.fit(np.array([["a"], ["b"]], NUMPY_TEXT)), "X " + STRING),
)])  # fmt: skip


@pytest.mark.parametrize("call", [
    lambda: RandomizedResponse(0.7).fit(MASKED), lambda: NOISE.on(MASKED),
    lambda: CountNB().fit(BITS, MASKED[:, 0]), lambda: CountNB().fit(BITS, MASKED[:, 1]),
    lambda: RandomizedResponse(0.7, groups=MASKED[:, 1]).fit(BITS),
    lambda: RandomizedResponse(0.7).fit(list(MASKED)),
])  # fmt: skip
def test_a_masked_array_is_not_printed_whole(call):
    with pytest.raises((ValueError, TypeError), match=r"masked v|one class for") as refused:
        call()
    said = str(refused.value)
    assert len(said) < 120
    assert "--" not in said
