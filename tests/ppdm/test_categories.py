"""Labels instead of codes: the same results, labels out, and what is no label refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer

from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MixedResponse,
    UnaryEncoding,
)
from ppdm.reconstruction import invert

COLOURS, SIZES = ["red", "green", "blue"], [36, 38, 44, 50]
CATEGORIES = [COLOURS, SIZES]
rng = np.random.default_rng(0)
CODES = np.column_stack([rng.integers(0, 3, 300), rng.integers(0, 4, 300)])
CLASS = np.where(CODES[:, 0] == 2, "yes", "no")
LABELS = np.empty(CODES.shape, dtype=object)
LABELS[:, 0] = np.array(COLOURS)[CODES[:, 0]]
LABELS[:, 1] = np.array(SIZES)[CODES[:, 1]].tolist()
TEXTS = LABELS.astype(str)
FRAME = pd.DataFrame(
    {
        "colour": pd.Categorical.from_codes(CODES[:, 0], COLOURS),
        "size": pd.Categorical.from_codes(CODES[:, 1], SIZES),
    }
)
GIVEN = {"categories": CATEGORIES}
SCHEMES = [
    CategoricalRandomizedResponse(theta=0.7, random_state=0),
    CategoricalRandomizedResponse([3, 4], theta=0.7, random_state=0),
    CategoricalRandomizedResponse(channel=[np.eye(3), np.full((4, 4), 0.25)], random_state=0),
    UnaryEncoding(None, 1.0, random_state=0),
    HadamardResponse(None, 1.0, random_state=0),
]


def labelled(codes):
    return np.array(COLOURS)[codes[:, 0]].tolist(), np.array(SIZES)[codes[:, 1]].tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_labels_are_disguised_as_their_codes_are(scheme):
    on_codes = clone(scheme)
    if on_codes.get_params().get("channel") is None:
        on_codes.set_params(n_values=[3, 4])
    wanted = on_codes.fit(CODES).transform(CODES)
    for X, given in ((LABELS, GIVEN), (FRAME, {}), (FRAME, GIVEN), (LABELS.tolist(), GIVEN)):
        found = clone(scheme).set_params(**given).fit(X)
        released = found.transform(X)
        if not isinstance(scheme, CategoricalRandomizedResponse):
            np.testing.assert_array_equal(released, wanted)
        else:
            assert (released[:, 0].tolist(), released[:, 1].tolist()) == labelled(wanted)
            np.testing.assert_array_equal(found.codes(released), wanted)
            for j in (0, 1):
                np.testing.assert_array_equal(found.channel_matrix(j), on_codes.channel_matrix(j))


def test_labels_are_objects_so_that_numbers_beside_them_stay_numbers():
    texts = CategoricalRandomizedResponse(theta=0.7, categories=[COLOURS, COLOURS])
    assert texts.fit_transform(LABELS[:, [0, 0]]).dtype.kind == "O"
    parts = [
        ("label", CategoricalRandomizedResponse(theta=0.7, categories=[COLOURS]), ["colour"]),
        ("number", AdditiveNoise(scale=1.0, random_state=0), ["weight"]),
    ]
    X = FRAME.assign(weight=np.arange(len(FRAME)) / 7)
    both = ColumnTransformer(parts).fit_transform(X)
    assert {type(value) for value in both[:, 1]} == {float}
    whole = CategoricalRandomizedResponse(theta=0.7, categories=[SIZES, SIZES])
    assert whole.fit_transform(LABELS[:, [1, 1]].astype(int)).dtype.kind == "i"


def test_an_attribute_of_codes_beside_one_of_labels():
    X = FRAME.assign(size=CODES[:, 1])
    scheme = CategoricalRandomizedResponse([3, 4], theta=0.7, random_state=0).fit(X)
    assert scheme.categories_[1] is None
    found = scheme.set_output(transform="pandas").transform(X)
    assert set(found["colour"]) == set(COLOURS)
    assert set(found["size"]) == {0, 1, 2, 3}
    with pytest.raises(TypeError, match="n_values must be an integer, got None"):
        CategoricalRandomizedResponse(theta=0.7).fit(X)


def test_the_bits_of_a_label_are_called_by_it():
    unary = UnaryEncoding(None, 1.0, random_state=0)
    bits = unary.set_output(transform="pandas").fit_transform(FRAME)
    assert bits.columns.tolist() == [
        *(f"colour_{c}" for c in COLOURS),
        *(f"size_{s}" for s in SIZES),
    ]
    nameless = UnaryEncoding([2, 2], 1.0).fit([[0, 1]])
    assert nameless.get_feature_names_out().tolist() == ["x0_0", "x0_1", "x1_0", "x1_1"]
    assert nameless.get_feature_names_out(["a", "b"]).tolist() == ["a_0", "a_1", "b_0", "b_1"]
    with pytest.raises(ValueError, match="input_features"):
        nameless.get_feature_names_out(["a"])


def test_counts_of_labels_are_undone():
    scheme = CategoricalRandomizedResponse(theta=0.7, categories=[COLOURS], random_state=0)
    reports = scheme.fit_transform(LABELS[:, [0]])
    on_codes = CategoricalRandomizedResponse(3, theta=0.7, random_state=0)
    wanted = on_codes.fit(CODES[:, [0]]).count(on_codes.transform(CODES[:, [0]]))
    unfitted = CategoricalRandomizedResponse(theta=0.7, categories=[COLOURS])
    for channel in (scheme, unfitted):  # the miner has the parameters only
        for given in (reports, reports.ravel()):
            np.testing.assert_array_equal(channel.count(given).ravel(), wanted.ravel())
    np.testing.assert_allclose(
        invert(unfitted, unfitted.count(reports[:, 0])).counts, invert(on_codes, wanted[0]).counts
    )


@pytest.mark.parametrize("scheme", [SCHEMES[0], *SCHEMES[3:]])
def test_naive_bayes_reads_the_labels_of_its_channel(scheme):
    on_codes = clone(scheme).set_params(n_values=[3, 4]).fit(CODES)
    wanted = RandomizedResponseNB(on_codes).fit(on_codes.transform(CODES), CLASS)
    channel = clone(scheme).set_params(**GIVEN)
    reports = channel.fit(FRAME).transform(FRAME)
    for known in (channel, clone(channel)):  # a clone is not fitted
        nb = RandomizedResponseNB(known).fit(reports, CLASS)
        np.testing.assert_array_equal(nb.pair_count_, wanted.pair_count_)
        np.testing.assert_array_equal(nb.predict(LABELS), wanted.predict(CODES))


def test_count_nb_learns_labels():
    wanted = CountNB([3, 4]).fit(CODES, CLASS)
    for X, given in ((LABELS, GIVEN), (FRAME, {})):
        nb = CountNB(**given).fit(X, CLASS)
        np.testing.assert_array_equal(nb.pair_count_, wanted.pair_count_)
        np.testing.assert_array_equal(nb.predict_proba(X), wanted.predict_proba(CODES))
    learnt = CountNB().fit(TEXTS, CLASS)  # in the order of the alphabet
    assert [c.tolist() for c in learnt.categories_] == [sorted(COLOURS), sorted(map(str, SIZES))]
    np.testing.assert_allclose(learnt.predict_proba(TEXTS), wanted.predict_proba(CODES))
    halves = CountNB().partial_fit(TEXTS[:150], CLASS[:150]).partial_fit(TEXTS[150:], CLASS[150:])
    np.testing.assert_array_equal(halves.pair_count_, learnt.pair_count_)


def test_a_declared_category_need_not_occur():
    few = FRAME[CODES[:, 0] < 2]
    nb = CountNB().fit(few, CLASS[CODES[:, 0] < 2] + few["size"].astype(str))
    assert nb.n_values_.tolist() == [3, 4]


@pytest.mark.parametrize("unknown", [np.False_, np.float64(8.3), np.int64(7), np.str_("pink")])
def test_a_numpy_scalar_is_printed_as_a_value(unknown):
    scheme = CategoricalRandomizedResponse(theta=0.7, categories=[["a", "b"]])
    with pytest.raises(ValueError, match=f"never seen: {unknown.item()!r} in attribute 0"):
        scheme.fit(np.array([[unknown]]))
    for theta in (np.float64(8.3), np.False_):
        with pytest.raises((ValueError, TypeError), match=f"got {theta.item()}"):
            CategoricalRandomizedResponse(2, theta).fit([[0]])


def test_categories_that_are_none():
    for bad in ([["a", "a"], SIZES], [["a", 1], SIZES]):
        with pytest.raises((ValueError, TypeError), match="categories"):
            CategoricalRandomizedResponse(theta=0.7, categories=bad).fit(LABELS)
    with pytest.raises(ValueError, match=r"n_values must be 3 for attribute 0.*got 5"):
        CategoricalRandomizedResponse([5, 4], theta=0.7, **GIVEN).fit(LABELS)
    with pytest.raises(ValueError, match="channel must be of as many values"):
        CategoricalRandomizedResponse(channel=np.eye(4), **GIVEN).fit(LABELS)


#: Every type that a column of zeros and ones, or of two labels, may have.
COLUMNS = {
    **{
        kind: pd.Series([0, 1, 1, 0]).astype(kind)
        for kind in ("bool", "boolean", "int64", "Int64", "float64", "Float64")
    },
    **{kind: pd.Series(list("abba"), dtype=kind) for kind in ("str", "object", "string")},
    "Categorical": pd.Series(pd.Categorical(list("abba"))),
    "Categorical of numbers": pd.Series(pd.Categorical([3, 5, 5, 3])),
    "Categorical of truths": pd.Series(pd.Categorical([False, True, True, False])),
}


@pytest.mark.parametrize("kinds", [*itertools.permutations(COLUMNS, 2)], ids=" beside ".join)
def test_columns_of_any_two_types(kinds):
    X = pd.DataFrame({kind: COLUMNS[kind] for kind in kinds})
    channels = {
        kind: None if kind in ("str", "object", "string") else CategoricalRandomizedResponse(2, 1.0)
        for kind in kinds
    }
    scheme = MixedResponse(channels, random_state=0)
    y = np.array([0, 1, 1, 0])
    reports, _ = scheme.disguise(X, y)  # theta is 1: all say what is true
    for name, column in X.items():
        assert reports[name].tolist() == column.tolist()
    learner = RandomizedResponseNB(scheme).fit(X, y)
    assert learner.predict(X).tolist() == y.tolist()
    assert DisguisedClassifier(scheme).fit(X, y).predict(X).shape == (4,)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("flat", [["no", "yes"], ["red"], "red"])
def test_one_list_of_labels_is_no_list_of_lists(scheme, flat):
    """With the form that is wanted: it is the list for one attribute that is forgotten."""
    wanted = r"^categories must .*, such as \[\['no', 'yes'\]\]"
    with pytest.raises((TypeError, ValueError), match=wanted):
        clone(scheme).set_params(categories=flat).fit(LABELS[:, :1])
