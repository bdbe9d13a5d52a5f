"""A scheme is told once: to no door how it disguised, and by each it is read in the same way."""

from __future__ import annotations

import inspect
import pickle
from math import comb

import numpy as np
import pandas as pd
import pytest
from many_schemes import ASKED, SCHEMES, disguised, people
from public_doors import DOORS
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ppdm.channel import Channel, Scheme
from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.privacy import Budget, local_epsilon
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
)
from ppdm.reconstruction import estimate_frequencies

pytestmark = pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")


def of_b(R, scheme):
    return estimate_frequencies(R, scheme, feature="b").frequencies


@pytest.mark.parametrize("name", SCHEMES)
def test_one_attribute_is_found_in_whatever_holds_it(name):
    scheme, _, R, _ = disguised(name)
    right, place = of_b(R, scheme), scheme.columns_of(1)
    own = R.iloc[:, place]
    elsewhere = R.astype(float)
    elsewhere.iloc[:, 0] = np.nan  # a's first column: not asked for
    held = [own, own[own.columns[::-1]], own.to_numpy(), elsewhere]
    held += [own.iloc[:, 0]] if own.shape[1] == 1 else []
    for each in held:
        np.testing.assert_array_equal(of_b(each, scheme), right)
    with pytest.raises(ValueError, match="reports must"):
        estimate_frequencies(own if own.shape[1] > 1 else own.iloc[:, 0], scheme, feature="a")


INTEGERS = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64]
WIDE = {
    "k-ary": lambda k: CategoricalRandomizedResponse(k, epsilon=3.0),
    "matrix": lambda k: CategoricalRandomizedResponse(channel=np.eye(k)[::-1]),
    "k-ary, asked": lambda k: CategoricalRandomizedResponse(k, epsilon=3.0, asked=1),
    "unary": lambda k: UnaryEncoding(k, 3.0),
    "Hadamard": lambda k: HadamardResponse(k, 3.0),
    "mixed": lambda k: MixedResponse([CategoricalRandomizedResponse(channel=np.eye(k)[::-1])]),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", WIDE)
def test_what_is_released_fits_whatever_type_the_records_had(name, dtype):
    # Catches: 299 released as 43, because a byte holds no more.
    codes = np.arange(120)[:, np.newaxis]
    for k in (200, 300):
        released = [WIDE[name](k).set_params(random_state=1).fit_transform(codes.astype(each))
                    for each in (dtype, np.int64)]  # fmt: skip
        np.testing.assert_array_equal(*released)
        if released[0].dtype.kind in "iu" and k - 1 <= np.iinfo(dtype).max and name == "k-ary":
            assert released[0].dtype == dtype


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ASKED)
def test_what_nobody_of_a_class_was_asked_is_even(name, weighted):
    # Catches: an empty block refused with "released must not be empty", or counted as something.
    scheme, _, R, y = disguised(name)
    for j in range(3):
        told = R.iloc[:, scheme.columns_of(j)].notna().any(axis=1) & (y == 1)
        weight = np.ones(np.count_nonzero(~told)) if weighted else None
        nb = RandomizedResponseNB(scheme).fit(R[~told], y[~told], sample_weight=weight)
        assert nb.class_count_[1] > 0
        np.testing.assert_allclose(nb.pair_count_[j, 1], nb.class_count_[1] / 2)
        # the class of which somebody was asked is as it was
        whole = RandomizedResponseNB(scheme).fit(R, y)
        np.testing.assert_allclose(nb.pair_count_[j, 0], whole.pair_count_[j, 0])


def test_disguise_never_fits_again_what_is_fitted():
    # Catches: a noise whose width is told anew, and differently, by the records that come next.
    noise = AdditiveNoise("uniform", privacy=0.5, random_state=0)
    noise.disguise([[0.0], [10.0]])
    width = noise.scale_.copy()
    noise.disguise([[4.0], [6.0]])
    assert noise.scale_ == width
    assert AdditiveNoise("uniform", privacy=0.5).fit([[4.0], [6.0]]).scale_ < width


@pytest.mark.parametrize("name", SCHEMES)
def test_a_change_after_fit_moves_no_prediction(name):
    scheme, _, R, y = disguised(name)
    nb = RandomizedResponseNB(scheme).fit(R, y)
    before = nb.pair_count_.copy()
    own = {"theta", "epsilon"} & set(scheme.get_params(deep=False))
    changed = {each: 0.6 for each in own if getattr(scheme, each) is not None}
    changed = changed or {"random_state": 7}
    scheme.set_params(**changed)
    again = pickle.loads(pickle.dumps(nb))
    again._undone = None
    np.testing.assert_array_equal(again.pair_count_, before)
    if set(changed) & own:
        with pytest.raises(ValueError, match="scheme must be the same"):
            nb.partial_fit(R, y)


def test_no_signature_tells_a_scheme_again():
    """Where a door takes a scheme, nothing else of its says how the records were disguised."""
    told = {"theta", "groups", "class_group", "asked", "epsilon", "noise", "channel"}
    planning = {"compare.respondents_needed", "compare.choose_scheme"}
    of_a_scheme = {name: parameters for name, door in DOORS.items()
                   if "scheme" in (parameters := inspect.signature(door).parameters)}  # fmt: skip
    assert len(of_a_scheme) >= 8
    for name, parameters in of_a_scheme.items():
        assert not told & set(parameters), name
    for name, door in DOORS.items():
        parameters = inspect.signature(door).parameters
        if "channel" in parameters and inspect.isfunction(door) and name not in planning:
            assert not (told - {"channel"}) & set(parameters), name


def test_a_mixed_frame_is_told_once():
    rng = np.random.default_rng(0)
    n = 4000
    X = pd.DataFrame({
        "age": rng.uniform(20, 70, n), "ward": rng.choice(["A", "B"], n),
        "smokes": (rng.random(n) < 0.3).astype(int), "party": rng.integers(0, 20, n),
    })  # fmt: skip
    age = AdditiveNoise("laplace", epsilon=1.5, domain=[[20, 70]]).on(np.linspace(20, 70, 6))
    kinds = {"party": HadamardResponse(20, 1.5), "ward": None, "age": age,
             "smokes": RandomizedResponse(epsilon=1.0)}  # fmt: skip
    mixed = MixedResponse(kinds, random_state=0)
    R, _ = mixed.disguise(X)
    assert R["ward"].tolist() == X["ward"].tolist()
    assert mixed.record_epsilon() == pytest.approx(4.0)
    everything = estimate_frequencies(R, mixed, feature="all")
    assert set(everything) == {"age", "ward", "smokes", "party"}
    cells = X.assign(age=X["age"] // 10)  # five even intervals; 4 standard errors of each share
    for name, its in everything.items():
        true = cells[name].value_counts(normalize=True).sort_index()
        assert (abs(its.frequencies - true) <= 4 * its.standard_errors).all()
        alone = estimate_frequencies(R[[*{name, "party"}]], mixed, feature=name)
        np.testing.assert_array_equal(alone.frequencies, its.frequencies)
    with pytest.raises(ValueError, match="every column"):
        MixedResponse({"age": age}).fit(X)


def test_a_mixed_frame_shares_its_epsilon_and_is_learnt_from():
    rng = np.random.default_rng(0)
    n = 4000
    X = pd.DataFrame({"age": rng.uniform(20, 70, n), "ward": rng.choice(["A", "B"], n),
                      "smokes": (rng.random(n) < 0.3).astype(int), "height": rng.normal(size=n)})
    y = np.where(rng.random(n) < 0.9, X["ward"] == "A", X["smokes"] == 1)
    for noise in (AdditiveNoise("laplace", scale=7.0, domain=[[20, 70]]),
                  SquareWave(9.0, domain=[[20, 70]])):  # fmt: skip
        kinds = {"age": noise.on(np.linspace(20, 70, 6)), "ward": None,
                 "smokes": RandomizedResponse()}  # fmt: skip
        table = X.drop(columns="height")
        mixed = MixedResponse(kinds, epsilon=4.0, random_state=0)
        # by EM: the inverse of so much noise in a number would drown the ward
        learner = RandomizedResponseNB(method="em", smoothing=1.0)
        model = DisguisedClassifier(mixed, learner).fit(table, y)
        assert model.disguise_.record_epsilon() == pytest.approx(4.0)
        assert [one.noise.record_epsilon() for one in model.disguise_.channels_[:1]] == [2.0]
        assert model.score(table[["smokes", "age", "ward"]], y) > 0.85  # the ward is learnt from
    # an open column of numbers has no channel: estimates leave it out, and a learner says so
    mixed = MixedResponse({**kinds, "height": None}, random_state=0)
    R, _ = mixed.set_params(epsilon=4.0).disguise(X)
    assert R["height"].dtype.kind == "f"
    assert "height" not in estimate_frequencies(R, mixed, feature="all", method="simplex")
    with pytest.raises(ValueError, match="cut numbers into labels"):
        RandomizedResponseNB(mixed).fit(R, y)


def test_who_puts_schemes_side_by_side_otherwise_is_told_how():
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline

    X, y = people(30)
    coin = RandomizedResponse(0.8)
    for other in (ColumnTransformer([("coin", coin, ["a"])]), make_pipeline(coin)):
        with pytest.raises(TypeError, match="MixedResponse"):
            DisguisedClassifier(other).fit(X, y)
        with pytest.raises(TypeError, match="MixedResponse"):
            RandomizedResponseNB(other).fit(X, y)
        with pytest.raises(TypeError, match="MixedResponse"):
            estimate_frequencies(X, other)


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_is_one(name):
    scheme = SCHEMES[name]()
    assert isinstance(scheme, Scheme)
    assert isinstance(scheme, Channel)
    X, y = people(60)
    scheme.disguise(X, y)
    spent = scheme.record_epsilon()
    parts = [np.log(part.max(axis=1) / part.min(axis=1)).max()
             if (part[part.max(axis=1) > 0] > 0).all() else np.inf
             for part in scheme.record_channels()]  # fmt: skip
    assert spent == pytest.approx(sum(parts))


#: Channels of more released than true values, of which no closed form is known.
WIDER = {
    "five cards": np.array(
        [[comb(5, r) * p**r * (1 - p) ** (5 - r) for p in (0.2, 0.8)] for r in range(6)]
    ),
    "noise": AdditiveNoise("gaussian", scale=0.3).on(np.linspace(0, 1, 6)).channel_matrix(),
    "any": np.random.default_rng(0).dirichlet(np.ones(7), 3).T,
}


@pytest.mark.parametrize("name", WIDER)
def test_estimated_frequencies_add_up(name):
    # Catches: the bare pseudo-inverse, by which they add up to .975 to 1.019
    matrix = WIDER[name]
    codes = np.arange(len(matrix))
    counts = np.random.default_rng(1).integers(1, 50, len(matrix))
    found = estimate_frequencies(np.repeat(codes, counts), matrix)
    many = np.rint(1e6 * matrix[:, 0]).astype(int)
    exact = estimate_frequencies(np.repeat(codes, many), matrix)
    assert found.frequencies.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(exact.frequencies, np.eye(matrix.shape[1])[0], atol=1e-3)


@pytest.mark.parametrize("class_group", [0, 1, "own"])
def test_the_class_is_undone_alike_by_name_and_by_number(class_group):
    # Catches: a name that is not found in the class's group, so that its pair is undone apart.
    X, y = people()
    undone = []
    for groups in ([["a", "c"], ["b"]], [[0, 2], [1]]):
        coin = RandomizedResponse(0.8, groups=groups, class_group=class_group, random_state=0)
        nb = RandomizedResponseNB(coin).fit(*coin.disguise(X, y))
        undone.append([nb.pair_count_, [coin.class_inverse(j) for j in range(3)]])
        shared = {0: [0, 2], 1: [1], "own": []}[class_group]
        for j in range(3):  # Eq. 2 of ZCM04 has no mixed terms, Eq. 4 has
            assert (np.count_nonzero(undone[-1][1][j]) == 8) == (j in shared)
    np.testing.assert_array_equal(undone[0][0], undone[1][0])


def test_who_shares_a_coin_is_laid_out_as_often_for_many_attributes_as_for_few(monkeypatch):
    # Catches: once an attribute, which takes 70 times as long at 500 attributes.
    layout, seen = RandomizedResponse._layout, []
    monkeypatch.setattr(
        RandomizedResponse, "_layout", lambda self: seen.append(self) or layout(self)
    )
    often = []
    for d in (3, 40):
        coin = RandomizedResponse(
            0.8, groups=[[j] for j in range(d)], class_group="own", random_state=0
        )
        released = coin.disguise(np.ones((60, d), dtype=int), np.arange(60) % 2)
        seen.clear()
        assert RandomizedResponseNB(coin).fit(*released).pair_count_.shape == (d, 2, 2)
        often.append(len(seen))
    assert often[0] == often[1]


def a_ward_and_a_coin():
    """Return clear people, a scheme that leaves one column open, and what they reported."""
    rng, n = np.random.default_rng(0), 300
    wards, areas = rng.choice(["a", "b", "c"], n), rng.choice(["x", "y"], n)
    answers = {"ward": wards, "area": areas, "smokes": rng.integers(0, 2, n)}
    people = pd.DataFrame(answers, index=np.arange(n) + 5)
    ward = CategoricalRandomizedResponse(epsilon=1.0, categories=[["a", "b", "c"]])
    kinds = {"ward": ward, "area": None, "smokes": RandomizedResponse(0.7)}
    scheme = MixedResponse(kinds, random_state=0)
    return people, scheme, scheme.disguise(people)[0]


@pytest.mark.parametrize("columns", ["ward", ["ward"], ["area", "ward"], "smokes"])
def test_a_disguised_column_is_no_group(columns):
    """Smokers of those who report a ward: 27% where 18% of the ward smoke, without a word."""
    _, scheme, reports = a_ward_and_a_coin()
    with pytest.raises(ValueError, match="by must be public, and not a disguised column"):
        estimate_frequencies(reports, scheme, feature="smokes", by=reports[columns])


def test_an_open_column_and_another_one_are_groups():
    people, scheme, reports = a_ward_and_a_coin()
    for by in (reports["area"], people["ward"], people["ward"].to_numpy()):
        found = estimate_frequencies(reports, scheme, feature="smokes", by=by)
        assert list(found)[1:] == sorted(set(by))


@pytest.mark.parametrize("door", [
    lambda reports, scheme, by: estimate_frequencies(reports, scheme, feature="smokes", by=by),
    lambda reports, scheme, by: estimate_proportion(reports["smokes"], 0.7, by=by),
])  # fmt: skip
def test_no_group_takes_the_place_of_the_total(door):
    """A ward called "all" would be told as everybody; and a column's name is no column."""
    people, scheme, reports = a_ward_and_a_coin()
    ward = people["ward"].replace("a", "all")
    with pytest.raises(ValueError, match=r"^by must not have a group called 'all'"):
        door(reports, scheme, by=ward)
    pairs = door(reports, scheme, by=pd.DataFrame({"ward": ward, "area": people["area"]}))
    assert len(pairs) == 7
    assert ("all", "x") in pairs
    with pytest.raises(TypeError, match=r"^by must be the labels .* df\['ward'\]"):
        door(reports, scheme, by="ward")


def test_a_range_is_the_same_index_as_its_numbers():
    reports, by = pd.Series([0, 1] * 20), pd.Series(["a"] * 20 + ["b"] * 20, index=[*range(40)])
    assert list(estimate_proportion(reports, 0.7, by=by)) == ["all", "a", "b"]


@pytest.mark.parametrize("ask", [
    local_epsilon, lambda scheme: scheme.record_channels(), lambda scheme: Budget(9).charge(scheme)
])  # fmt: skip
def test_a_mixed_scheme_that_is_not_fitted_says_so(ask):
    with pytest.raises(NotFittedError):
        ask(MixedResponse({"a": RandomizedResponse(0.7)}))


def test_who_gets_reports_fits_the_scheme_to_them():
    """Only columns are learnt: by reports a scheme knows what it knew by the people."""
    people, scheme, reports = a_ward_and_a_coin()
    theirs = clone(scheme)
    with pytest.raises(NotFittedError, match="the reports will do where each answer is one column"):
        estimate_frequencies(reports, theirs, feature="smokes")
    kinds = [estimate_frequencies(reports, one, feature="all")
             for one in (scheme.fit(people), theirs.fit(reports))]  # fmt: skip
    for name, found in kinds[0].items():
        np.testing.assert_array_equal(found.frequencies, kinds[1][name].frequencies)
