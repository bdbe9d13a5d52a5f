"""Every public door at which two things about the same people, or reports and a scheme, meet.

People are matched by the index that pandas gives them, columns by name. What has no index or no
names is matched by place. ``fit``, ``partial_fit`` and ``score`` of an estimator match rows by
place and columns by name, as scikit-learn's do; they are ``BY_PLACE`` here.
"""

import inspect
import pkgutil
import re
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

import ppdm
from ppdm import dask as far
from ppdm.attacks import (
    bayes_guess,
    complement_decoding,
    membership_inference,
    recover_attributes,
    reidentify,
)
from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
from ppdm.generation import (
    GaussianSampleGenerator,
    PrivateTreeGenerator,
    SampleGenerator,
)
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave, ValueClassMembership
from ppdm.privacy import (
    attribute_disclosure,
    attribute_rank_change,
    attribute_rank_kept,
    degree_of_disclosure,
    rank_kept,
    rank_position,
    record_information,
    value_difference,
)
from ppdm.protocol import DataMiner, GuidedPerturbation, collect
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MemoizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
    signed_records,
)
from ppdm.reconstruction import estimate_frequencies, reconstruct_distribution
from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression
from ppdm.simulation import simulate_schemes
from ppdm.svd import SparsifiedSVDPerturbation, TruncatedSVDPerturbation
from ppdm.utility import degree_of_error, disguised_accuracy

pytestmark = pytest.mark.filterwarnings(
    "ignore::ppdm.exceptions.NegativeEstimateWarning", "ignore::ppdm.exceptions.PPDMWarning"
)
N, RNG = 400, np.random.default_rng(0)
#: A yes or no, one of three values, and a number.
CLEAR = pd.DataFrame(
    {"smokes": RNG.integers(0, 2, N), "votes": RNG.integers(0, 2, N), "age": RNG.random(N)},
    index=np.arange(N)[::-1] + 1000,
)
BITS = CLEAR[["smokes", "votes"]]
CLASS = pd.Series(np.where(RNG.random(N) < 0.8, CLEAR["smokes"], 0), index=CLEAR.index)
CODES, NUMBERS = BITS, CLEAR[["age"]].assign(height=2 * CLEAR["age"] + 0.1)
TUPLES = pd.DataFrame(
    {"yes": BITS["smokes"], "no": 1 - BITS["smokes"], "for": BITS["votes"],
     "against": 1 - BITS["votes"]}
)  # fmt: skip
EDGES = np.linspace(0, 1, 6)


def coins(**options):
    return RandomizedResponse(0.8, groups=[[0], [1]], random_state=0, **options)


#: Each scheme with clear records that it takes.
SCHEMES = {
    "RandomizedResponse": (coins(class_group="own"), BITS),
    "CategoricalRandomizedResponse": (CategoricalRandomizedResponse(2, 0.8, random_state=0), CODES),
    "RandomizedResponse asked": (RandomizedResponse(0.8, asked=1, random_state=0), BITS),
    "CategoricalRandomizedResponse asked": (
        CategoricalRandomizedResponse(2, 0.8, asked=1, random_state=0), CODES),
    "UnaryEncoding": (UnaryEncoding(2, epsilon=2.0, random_state=0), CODES),
    "UnaryEncoding asked": (UnaryEncoding(2, epsilon=2.0, asked=1, random_state=0), CODES),
    "HadamardResponse": (HadamardResponse(2, epsilon=2.0, random_state=0), CODES),
    "MixedResponse": (MixedResponse(RandomizedResponse(0.8), random_state=0), BITS),
    "AdditiveNoise": (AdditiveNoise("gaussian", scale=[0.1, 0.2], random_state=0), NUMBERS),
    "SquareWave": (SquareWave(2.0, domain=[[0, 1], [0, 3]], random_state=0), NUMBERS),
    "Piecewise": (Piecewise(2.0, domain=[[0, 1], [0, 3]], random_state=0), NUMBERS),
    "ValueClassMembership": (ValueClassMembership(4, domain=[[0, 1], [0, 3]]), NUMBERS),
    "TruncatedSVDPerturbation": (TruncatedSVDPerturbation(1), NUMBERS),
    "SparsifiedSVDPerturbation": (SparsifiedSVDPerturbation(1), NUMBERS),
    "MemoizedResponse": (MemoizedResponse(2, permanent=2.0, random_state=0), CODES),
}
FITTED, RELEASED = {}, {}
for name, (scheme, clear) in SCHEMES.items():
    if name == "MemoizedResponse":
        RELEASED[name] = pd.DataFrame(scheme.report(clear), columns=clear.columns)
        FITTED[name] = scheme
    else:
        FITTED[name] = scheme.fit(clear)
        RELEASED[name] = FITTED[name].disguise(clear, CLASS)[0]
COIN = RandomizedResponse(0.8, groups=[[0], [1]], random_state=0).fit(BITS)
REPORTS, _ = COIN.disguise(BITS)
NOISE = AdditiveNoise("gaussian", scale=[0.1, 0.2], random_state=0).fit(NUMBERS)
NOISY, _ = NOISE.disguise(NUMBERS)
MIXED = MixedResponse(
    {"smokes": RandomizedResponse(0.8), "votes": RandomizedResponse(0.7),
     "age": AdditiveNoise("gaussian", scale=0.1).on(EDGES)}, random_state=0
).fit(CLEAR)  # fmt: skip
MANY, _ = MIXED.disguise(CLEAR)
WEIGHT = pd.Series(RNG.uniform(0.5, 2, N), index=CLEAR.index)
GROUP = pd.Series(RNG.integers(0, 20, N), index=CLEAR.index)
STRATUM = GROUP % 2
BOTH = np.where(TUPLES, 0.8, 0.2)


def share(**options):
    return lambda reports, second: vars(
        estimate_proportion(reports, COIN, {"smokes": 1}, **{
            name: second if given is None else given for name, given in options.items()})
    )["standard_error"]  # fmt: skip


def frequencies(name, **others):
    def of(reports, second):
        estimate = estimate_frequencies(reports, COIN, feature=0, **{name: second}, **others)
        each = estimate.values() if name == "by" else [estimate]
        return [one.standard_errors for one in each]

    return of


def guided(T, y):
    disguise = GuidedPerturbation([2, 2], 2, random_state=0)
    return np.column_stack(disguise.disguise(T, y))


def mined(door):
    def of(T, y):
        miner = DataMiner([2, 2], batch_size=1000)
        if door == "collect":
            miner.bootstrap(np.asarray(TUPLES)[:50], np.asarray(CLASS)[:50])
            collect(miner, T, y, 2, random_state=0)
        else:
            miner.bootstrap_random(10, random_state=0)
            miner.receive(T, y)
        return np.column_stack(miner.training_set())

    def of_clear(T, y):
        miner = DataMiner([2, 2])
        miner.bootstrap(T, y)
        return np.column_stack(miner.training_set())

    return of_clear if door == "bootstrap" else of


def in_blocks(door):
    """Return what a door of Dask's makes of two pandas objects, or arrays, in three blocks."""
    def of(first, second):
        dd, da = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
        parts = [
            dd.concat([dd.from_pandas(one.iloc[i : i + 150], sort=False, npartitions=1)
                       for i in (0, 150, 300)])
            if hasattr(one, "iloc") else da.from_array(one, chunks=(150, *one.shape[1:]))
            for one in (first, second)
        ]  # fmt: skip
        return door(*parts)

    return of


def disclosed(of):
    return lambda T, y: of(T, np.asarray(BOTH), y, [2, 2]).degree


def linear(**options):
    return lambda X, second: DisguisedLinearRegression({"smokes": COIN}).fit(X, **{
        name: second if given is None else given for name, given in options.items()
    }).standard_errors_  # fmt: skip


def logistic(door, **options):
    def of(first, second):
        model = DisguisedLogisticRegression(COIN, feature="smokes")
        given = {name: second if value is None else value for name, value in options.items()}
        if door == "fit":
            return model.fit(first, **given).standard_errors_
        model.fit(NUMBERS, REPORTS)
        return getattr(model, door)(first, **given)

    return of


OUTCOME = CLASS + CLEAR["age"]
#: What meets two things about the same people: a call of both, the first and the second of them.
PEOPLE = {
    "ReleasedCounts.of": (
        lambda R, z: ReleasedCounts.of(COIN, R, labels=z, n_labels=2).counts, REPORTS, CLASS),
    "reconstruct_distribution": (
        lambda W, z: reconstruct_distribution(W, NOISE, EDGES, feature="age", labels=z).mean(),
        NOISY, CLASS),
    "estimate_frequencies by": (frequencies("by"), REPORTS, CLASS),
    "estimate_frequencies sample_weight": (frequencies("sample_weight"), REPORTS, WEIGHT),
    "estimate_frequencies clusters": (frequencies("clusters"), REPORTS, GROUP),
    "estimate_frequencies strata": (frequencies("strata"), REPORTS, STRATUM),
    "estimate_proportion sample_weight": (share(sample_weight=None), REPORTS, WEIGHT),
    "estimate_proportion clusters": (share(clusters=None), REPORTS, GROUP),
    "estimate_proportion strata": (share(strata=None), REPORTS, STRATUM),
    "estimate_proportion y": (
        lambda R, y: estimate_proportion(R, COIN, {"smokes": 1, "class": 1}, y=y).proportion,
        REPORTS, CLASS),
    "estimate_proportion by": (
        lambda R, y: estimate_proportion(R, COIN, {"smokes": 1}, by=y)[1].proportion,
        REPORTS, CLASS),
    "signed_records": (lambda R, y: signed_records(R, COIN, y=y).y, REPORTS, CLASS),
    "disguised_accuracy": (
        lambda R, y: disguised_accuracy(
            lambda X: np.asarray(X)[:, 0], R, y, COIN).proportion, REPORTS, CLASS),
    "degree_of_error": (
        lambda T, y: degree_of_error(T, BOTH, y, [2, 2], max_size=1), TUPLES, CLASS),
    "degree_of_disclosure": (
        lambda T, y: degree_of_disclosure(T, BOTH, y=y).degree, TUPLES, CLASS),
    "attribute_disclosure": (
        lambda T, y: attribute_disclosure(T, BOTH, [2, 2], y=y)[0].degree, TUPLES, CLASS),
    "record_information": (
        lambda X, y: record_information(COIN, X, y=y).degree, BITS, CLASS),
    "recover_attributes": (
        lambda R, true: recover_attributes(COIN, R, true, pool=BITS).success, REPORTS, BITS),
    "Guidance.update": (lambda T, y: Guidance(4).update(T, y).A, TUPLES, CLASS),
    "DataMiner.bootstrap": (mined("bootstrap"), TUPLES, CLASS),
    "DataMiner.receive": (mined("receive"), TUPLES, CLASS),
    "collect": (mined("collect"), TUPLES, CLASS),
    "GuidedPerturbation.disguise": (guided, TUPLES, CLASS),
    **{f"{type(one).__name__}.{door}": (
        lambda X, y, one=one, door=door: getattr(one, door)(X, y)[1], table, CLASS)
       for one, table in (
           (SampleGenerator(random_state=0), NUMBERS),
           (GaussianSampleGenerator(random_state=0), NUMBERS),
           (PrivateTreeGenerator(epsilon=1.0, random_state=0), BITS))
       for door in ("disguise", "fit_resample")},
    "simulate_schemes": (
        lambda X, y: simulate_schemes(X, y, schemes={"coin": coins()}, repeats=2, cv=2,
                                      attack=False, random_state=0).rows[0].accuracy, BITS, CLASS),
    "dask.count": (
        in_blocks(lambda R, z: far.count(COIN, R, labels=z, n_labels=2).counts), REPORTS, CLASS),
    "dask.fit": (
        in_blocks(lambda X, y: far.fit(CountNB(n_values=2), X, y, classes=[0, 1]).pair_count_),
        BITS, CLASS),
    "dask.disguise": (
        in_blocks(lambda X, y: far.disguise(FITTED["RandomizedResponse"], X, y,
                                            random_state=0)[1].compute()), BITS, CLASS),
    **{f"{measure.__name__}": (measure, NUMBERS, NOISY) for measure in (
        value_difference, rank_position, rank_kept, attribute_rank_change, attribute_rank_kept)},
    "DisguisedLinearRegression.fit y": (linear(y=None), REPORTS, OUTCOME),
    "DisguisedLogisticRegression.fit y": (logistic("fit", y=None), NUMBERS, REPORTS["smokes"]),
    **{f"{regression} {name}": (door, first, second)
       for name, second in (("sample_weight", WEIGHT), ("clusters", GROUP), ("strata", STRATUM))
       for regression, door, first in (
           ("DisguisedLinearRegression.fit",
            linear(y=np.asarray(OUTCOME), **{name: None}), REPORTS),
           ("DisguisedLogisticRegression.fit", logistic("fit", y=REPORTS, **{name: None}), NUMBERS),
       )},
    "DisguisedLogisticRegression.predict_proba": (
        logistic("predict_proba", reports=None), NUMBERS, REPORTS["smokes"]),
    "DisguisedLogisticRegression.score": (
        logistic("score", y=None), NUMBERS, REPORTS["smokes"]),
    **{f"{name}.disguise": (
        lambda X, y, scheme=scheme: np.column_stack(scheme.disguise(X, y)), clear, CLASS)
       for name, (scheme, clear) in SCHEMES.items() if hasattr(scheme, "disguise")},
}  # fmt: skip


@pytest.mark.parametrize("name", PEOPLE)
def test_people_are_matched_by_their_index(name):
    door, first, second = PEOPLE[name]
    expected = np.asarray(door(first, second), dtype=float)
    if not name.startswith("dask"):  # blocks of Dask's are all arrays or all frames
        by_place = np.asarray(door(first, np.asarray(second)), dtype=float)
        np.testing.assert_allclose(by_place, expected)
    shuffled = second.sample(frac=1, random_state=0)
    elsewhere = second.set_axis(np.arange(N) + 5000)
    longer = pd.concat([second, second.iloc[:1].set_axis([-1])])
    for other in (shuffled, elsewhere, longer):
        with pytest.raises(ValueError, match=r"must have the index of \w+ \(use \w+\.loc\["):
            np.asarray(door(first, other))


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "MemoizedResponse"])
def test_a_frame_comes_out_of_a_frame(name):
    """Where it is asked for, and by disguise always, whatever the order of the columns."""
    scheme, X = SCHEMES[name]
    plain = clone(scheme).fit(X).transform(X)
    framed = clone(scheme).set_output(transform="pandas").fit(X).transform(X)
    assert isinstance(plain, np.ndarray)
    np.testing.assert_array_equal(framed.to_numpy(), plain)
    names, bits = X.columns.tolist(), [f"{one}_{value}" for one in X.columns for value in (0, 1)]
    assert framed.columns.tolist() == (names if plain.shape[1] == len(names) else bits)
    scheme = clone(scheme).fit(X)
    y = CLASS if getattr(scheme, "class_group", None) else None
    released, classes = scheme.disguise(X[names[::-1]], y)
    assert (classes is None) == (y is None)
    pd.testing.assert_frame_equal(released, scheme.disguise(X, y)[0])
    assert framed.index.equals(X.index)
    assert released.index.equals(X.index)
    with pytest.raises(ValueError, match=rf"X must have .* \(lost: \['{names[0]}'\]\)"):
        scheme.disguise(X.drop(columns=names[0]), y)
    with pytest.raises(ValueError, match=r"X must have .* and no other, got \['more'\]"):
        scheme.disguise(X.assign(more=1), y)


@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES[name][1] is BITS])
def test_schemes_of_codes_are_random_and_say_so(name):
    if name != "MemoizedResponse":  # which is no estimator
        tags = get_tags(SCHEMES[name][0])
        assert tags.input_tags.categorical
        assert tags.non_deterministic
        assert tags.transformer_tags.preserves_dtype == []


@pytest.mark.parametrize("domain", [None, [[0, 1]]])
def test_nothing_is_to_be_learned_where_the_domain_is_given(domain):
    for scheme in (AdditiveNoise(domain=domain), ValueClassMembership(2, domain=domain)):
        assert get_tags(scheme).requires_fit == (domain is None)
    assert not get_tags(AdditiveNoise(scale=1.0)).requires_fit


def learnt(door):
    """Return what a classifier learnt from names predicts, or learns."""
    def of(X):
        if door == "DisguisedClassifier":
            disguise = GuidedPerturbation([2, 2], 2, random_state=0)
            return DisguisedClassifier(disguise).fit(TUPLES, CLASS).predict_proba(X)
        scheme = FITTED["RandomizedResponse"]
        model = RandomizedResponseNB(scheme)
        return model.fit(X, np.asarray(CLASS)).class_count_

    return of


def memoized(X):
    memo = MemoizedResponse(2, permanent=2.0, random_state=0)
    memo.report(BITS)
    return memo.report(X).sum()


#: What meets a table and a scheme that was fitted to its named columns: a call, and the table.
NAMED = {
    "estimate_proportion": (
        lambda R: estimate_proportion(R, COIN, {0: 1}).proportion, REPORTS),
    "estimate_frequencies": (
        lambda R: estimate_frequencies(R, COIN, feature=0).frequencies, REPORTS),
    "estimate_frequencies mixed": (
        lambda R: estimate_frequencies(R, MIXED, feature=1).frequencies, MANY),
    "reconstruct_distribution": (
        lambda W: reconstruct_distribution(W, NOISE.on(EDGES, feature=1)).mean(), NOISY),
    "reconstruct_distribution mixed": (
        lambda R: reconstruct_distribution(R, MIXED, feature=2).mean(), MANY),
    "ReleasedCounts.of": (lambda R: ReleasedCounts.of(COIN, R).counts, REPORTS),
    "signed_records": (lambda R: signed_records(R, COIN).X, REPORTS),
    "disguised_accuracy": (
        lambda R: disguised_accuracy(
            lambda X: np.asarray(X)[:, 0], R, np.asarray(CLASS), COIN).proportion, REPORTS),
    "complement_decoding": (
        lambda R: complement_decoding(R, COIN).records, REPORTS),
    "bayes_guess": (lambda R: bayes_guess(COIN, R, pool=BITS).records, REPORTS),
    "bayes_guess pool": (lambda X: bayes_guess(COIN, REPORTS, pool=X).probabilities.sum(), BITS),
    "recover_attributes": (
        lambda X: recover_attributes(COIN, REPORTS, X, pool=BITS).success, BITS),
    "reidentify": (
        lambda R: reidentify(COIN, R, np.arange(N), BITS).success, REPORTS),
    "record_information": (lambda X: record_information(COIN, X).degree, BITS),
    "membership_inference": (
        lambda X: membership_inference(NUMBERS, X, NUMBERS).member_scores, NUMBERS),
    "value_difference": (lambda X: value_difference(NUMBERS, X), NUMBERS),
    "rank_position": (lambda X: rank_position(NUMBERS, X), NUMBERS),
    "rank_kept": (lambda X: rank_kept(NUMBERS, X), NUMBERS),
    "attribute_rank_change": (lambda X: attribute_rank_change(NUMBERS, X), NUMBERS),
    "attribute_rank_kept": (lambda X: attribute_rank_kept(NUMBERS, X), NUMBERS),
    "DisguisedClassifier.predict": (learnt("DisguisedClassifier"), TUPLES),
    "RandomizedResponseNB": (learnt("RandomizedResponseNB"), REPORTS),
    "MemoizedResponse.report": (memoized, BITS),
    "DisguisedLogisticRegression.fit": (
        lambda R: DisguisedLogisticRegression(COIN, feature=0).fit(
            np.asarray(NUMBERS), R).coef_, REPORTS),
    "DisguisedLinearRegression.fit": (
        lambda X: np.sort(DisguisedLinearRegression({"age": NOISE, "height": NOISE}).fit(
            X, np.asarray(OUTCOME)).standard_errors_), NOISY),
    "dask.count": (in_blocks(lambda R, _: far.count(COIN, R).counts), REPORTS),
    **{f"{name}.{door}": (
        lambda X, scheme=FITTED[name], door=door: np.asarray(getattr(scheme, door)(X)),
        clear if door == "record_codes" else RELEASED[name])
       for name, (scheme, clear) in SCHEMES.items()
       for door in ("codes", "count", "record_codes") if hasattr(scheme, door)},
    **{f"{name}.log_likelihood": (
        lambda X, scheme=FITTED[name], clear=clear: scheme.log_likelihood(X, clear[:5]),
        RELEASED[name])
       for name, (scheme, clear) in SCHEMES.items() if hasattr(scheme, "log_likelihood")},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # of an array
@pytest.mark.parametrize("name", NAMED)
def test_columns_are_found_by_their_names(name):
    door, table = NAMED[name]
    if name.startswith("dask"):
        door = lambda X, blocks=door: blocks(X, np.asarray(CLASS))  # noqa: E731
    expected = np.asarray(door(table), dtype=float)
    names = list(table.columns)
    others = {
        "in another order": table[names[::-1]],
        "one too many": table.assign(more=np.arange(N) % 2)[["more", *names]],
        "one too few": table[names[1:]],
        "one renamed": table.rename(columns={names[0]: "else"}),
        "an array": np.asarray(table),
    }
    if not name.startswith("dask"):
        others["of polars"] = pl.DataFrame({each: table[each].to_numpy() for each in names})
    if name == "DisguisedLinearRegression.fit":
        del others["one too many"]  # one more covariate
    for what, other in others.items():
        said = None
        try:
            result = np.asarray(door(other), dtype=float)
        except ValueError as error:
            said = str(error)
        if said is None:
            np.testing.assert_allclose(result, expected, err_msg=what)
        else:
            assert what != "in another order", said
            assert re.search("column|feature|attribute|shape|squares", said)


#: Methods that match rows by place and columns by name, as those of scikit-learn's estimators do.
BY_PLACE = {
    "fit", "partial_fit", "fit_codes", "fit_transform", "transform", "score", "predict", "apply",
    "predict_proba", "predict_log_proba", "predict_joint_log_proba",
}
#: What takes one table, or two things of which no row is about a row of the other.
ALONE = {
    "attribute_box", "bayes_posterior", "bit_probabilities", "disclosure_bound", "greedy_bits",
    "leave_one_out", "log_likelihood", "mutual_information", "one_hot", "perturb", "posterior_odds",
    "record_parts", "spectral_filter", "wiener_estimate", "against", "Budget.report",
    # of the bases, whose classes are rows
    "Channel.codes", "Channel.count", "Channel.record_codes", "Scheme.disguise",
}


def doors():
    """Yield every public callable that takes records or reports, and what else it takes."""
    of_people = {
        "X", "y", "reports", "disguised", "released", "records", "labels", "by", "sample_weight",
        "clusters", "strata", "scheme_of", "R", "T", "true", "original", "pool", "targets",
    }
    for module in pkgutil.iter_modules(ppdm.__path__):
        if module.name.startswith("_"):
            continue
        room = import_module(f"ppdm.{module.name}")
        for name in room.__all__:
            thing = getattr(room, name)
            called = f"{module.name}.{name}" if module.name == "dask" else name
            callables = {called: thing}
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                callables = {
                    f"{name}.{method}": function
                    for method, function in inspect.getmembers(thing, callable)
                    if not method.startswith(("_", "set_"))
                }
            for own, function in callables.items():
                if inspect.isfunction(function) or inspect.ismethod(function):
                    given = set(inspect.signature(function).parameters)
                    if given & of_people:
                        yield own


def test_every_door_is_in_the_table():
    known = {row.partition(" ")[0] for row in (*PEOPLE, *NAMED)} | ALONE
    found = [
        own for own in doors()
        if own not in known and own.rpartition(".")[2] not in BY_PLACE | ALONE
    ]  # fmt: skip
    assert found == []
