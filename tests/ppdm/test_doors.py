"""Every public door at which two things about the same people, or reports and a scheme, meet.

People are matched by the index that pandas gives them, columns by name. What has no index or no
names is matched by place. ``fit``, ``partial_fit`` and ``score`` of an estimator match rows by
place and columns by name, as scikit-learn's do; they are ``BY_PLACE`` here.
"""

import inspect
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from many_schemes import COINS, FEW, NAMES, SCHEMES, disguised, people
from public_doors import DOORS
from sklearn.base import clone
from sklearn.utils import get_tags

from ppdm import attacks, noise, privacy, protocol, svd
from ppdm import dask as far
from ppdm import randomized_response as rr
from ppdm.chunks import ReleasedCounts
from ppdm.classifiers import (
    DisguisedClassifier,
    MixtureTreeClassifier,
    RandomizedResponseNB,
    RandomizedResponseTreeClassifier,
    ReconstructedTreeClassifier,
)
from ppdm.generation import GaussianSampleGenerator, PrivateTreeGenerator, SampleGenerator
from ppdm.guidance import Guidance
from ppdm.naive_bayes import CountNB
from ppdm.reconstruction import estimate_frequencies, reconstruct_distribution
from ppdm.regression import DisguisedLinearRegression, DisguisedLogisticRegression
from ppdm.simulation import simulate_schemes
from ppdm.utility import degree_of_error, disguised_accuracy

pytestmark = pytest.mark.filterwarnings(
    "ignore::ppdm.exceptions.NegativeEstimateWarning", "ignore::ppdm.exceptions.PPDMWarning"
)
N, RNG = 400, np.random.default_rng(0)
BITS, CLASS = people(N)
NUMBERS = pd.DataFrame({"age": RNG.random(N)}, BITS.index)
NUMBERS["height"] = 2 * NUMBERS["age"] + 0.1
CLEAR = BITS[["a", "b"]].assign(age=NUMBERS["age"])
TUPLES = pd.DataFrame({"yes": BITS["a"], "no": 1 - BITS["a"], "for": BITS["b"],
                       "against": 1 - BITS["b"]})  # fmt: skip
EDGES, DOMAIN = np.linspace(0, 1, 6), [[0, 1], [0, 3]]
OF_NUMBERS = {
    "AdditiveNoise": noise.AdditiveNoise("gaussian", scale=[0.1, 0.2], random_state=0),
    "SquareWave": noise.SquareWave(2.0, DOMAIN, random_state=0),
    "Piecewise": noise.Piecewise(2.0, DOMAIN, random_state=0),
    "ValueClassMembership": noise.ValueClassMembership(4, domain=DOMAIN),
    "TruncatedSVDPerturbation": svd.TruncatedSVDPerturbation(1),
    "SparsifiedSVDPerturbation": svd.SparsifiedSVDPerturbation(1),
}
MEMO = rr.MemoizedResponse(2, permanent=2.0, random_state=0)
KEPT = pd.DataFrame(MEMO.report(BITS), BITS.index, NAMES)
#: Each scheme, what it takes and what it releases of records and classes.
DISGUISED = {name: disguised(name) for name in SCHEMES} | {
    name: (scheme.fit(NUMBERS), NUMBERS, *scheme.disguise(NUMBERS, CLASS))
    for name, scheme in OF_NUMBERS.items()
}
COIN = rr.RandomizedResponse(0.8, groups=[[0], [1], [2]], random_state=0).fit(BITS)
REPORTS, _ = COIN.disguise(BITS)
NOISE, _, NOISY, _ = DISGUISED["AdditiveNoise"]
MIXED = rr.MixedResponse(
    {"a": rr.RandomizedResponse(0.8), "b": rr.RandomizedResponse(0.7),
     "age": noise.AdditiveNoise("gaussian", scale=0.1).on(EDGES)}, random_state=0
).fit(CLEAR)  # fmt: skip
MANY, _ = MIXED.disguise(CLEAR)
WEIGHT = pd.Series(RNG.uniform(0.5, 2, N), index=CLEAR.index)
GROUP = pd.Series(RNG.integers(0, 20, N), index=CLEAR.index)
STRATUM = GROUP % 2
BOTH = np.where(TUPLES, 0.8, 0.2)


DESIGN = {"sample_weight": WEIGHT, "clusters": GROUP, "strata": STRATUM}
OUTCOME = CLASS + CLEAR["age"]


def guided(T, y):
    disguise = protocol.GuidedPerturbation([2, 2], 2, random_state=0)
    return np.column_stack(disguise.disguise(T, y))


def mined(door):
    """Return the training set of a miner that gets tuples in one way or another."""
    def of(T, y):
        miner = protocol.DataMiner([2, 2], batch_size=1000)
        if door == "bootstrap":
            miner.bootstrap(T, y)
        elif door == "collect":
            miner.bootstrap(np.asarray(TUPLES)[:50], np.asarray(CLASS)[:50])
            protocol.collect(miner, T, y, 2, random_state=0)
        else:
            miner.bootstrap_random(10, random_state=0)
            miner.receive(T, y)
        return np.column_stack(miner.training_set())

    return of


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


def linear(X, y=None, **options):
    y = OUTCOME.to_numpy() if y is None else y
    return DisguisedLinearRegression({"a": COIN}).fit(X, y, **options).standard_errors_


def logistic(X, y=REPORTS, **options):
    return DisguisedLogisticRegression(COIN, feature="a").fit(X, y, **options)


def frequencies(R, **options):
    estimate = estimate_frequencies(R, COIN, feature=0, **options)
    each = estimate.values() if "by" in options else [estimate]
    return [one.standard_errors for one in each]


#: Each estimator, as the errors that follow from who was drawn with whom, and its first argument.
ERRORS = {
    "estimate_proportion": (lambda R, **options: rr.estimate_proportion(
        R, COIN, {"a": 1}, **options).standard_error, REPORTS),
    "estimate_frequencies": (frequencies, REPORTS),
    "DisguisedLinearRegression.fit": (linear, REPORTS),
    "DisguisedLogisticRegression.fit": (
        lambda X, **options: logistic(X, **options).standard_errors_, NUMBERS),
}  # fmt: skip
MEASURES = {name: getattr(privacy, name) for name in (
    "value_difference", "rank_position", "rank_kept", "attribute_rank_change",
    "attribute_rank_kept")}  # fmt: skip
#: What meets two things about the same people, by what the first of them is.
OF_REPORTS_AND_CLASSES = {
    "ReleasedCounts.of": lambda R, y: ReleasedCounts.of(COIN, R, labels=y, n_labels=2).counts,
    "estimate_frequencies by": lambda R, by: frequencies(R, by=by),
    "estimate_proportion y": lambda R, y: rr.estimate_proportion(
        R, COIN, {"a": 1, "class": 1}, y=y).proportion,
    "estimate_proportion by": lambda R, by: rr.estimate_proportion(
        R, COIN, {"a": 1}, by=by)[1].proportion,
    "signed_records": lambda R, y: rr.signed_records(R, COIN, y=y).y,
    "disguised_accuracy": lambda R, y: disguised_accuracy(
        lambda X: np.asarray(X)[:, 0], R, y, COIN).proportion,
    "dask.count": in_blocks(lambda R, z: far.count(COIN, R, labels=z, n_labels=2).counts),
}  # fmt: skip
OF_TUPLES = {
    "degree_of_error": lambda T, y: degree_of_error(T, BOTH, y, [2, 2], max_size=1),
    "degree_of_disclosure": lambda T, y: privacy.degree_of_disclosure(T, BOTH, y=y).degree,
    "attribute_disclosure": lambda T, y: privacy.attribute_disclosure(
        T, BOTH, [2, 2], y=y)[0].degree,
    "Guidance.update": lambda T, y: Guidance(4).update(T, y).A,
    "DataMiner.bootstrap": mined("bootstrap"),
    "DataMiner.receive": mined("receive"),
    "collect": mined("collect"),
    "GuidedPerturbation.disguise": guided,
}  # fmt: skip
OF_BITS = {
    "record_information": lambda X, y: privacy.record_information(COIN, X, y=y).degree,
    "simulate_schemes": lambda X, y: simulate_schemes(
        X, y, schemes={"coin": clone(COIN)}, repeats=2, cv=2, attack=False, random_state=0,
    ).rows[0].accuracy,
    "dask.fit": in_blocks(
        lambda X, y: far.fit(CountNB(n_values=2), X, y, classes=[0, 1]).pair_count_),
    "dask.disguise": in_blocks(lambda X, y: far.disguise(
        DISGUISED["own class"][0], X, y, random_state=0)[1].compute()),
}  # fmt: skip
#: A call of both, the first and the second of them.
PEOPLE = {
    **{f"{name} {option}": (
        lambda first, second, door=door, option=option: door(first, **{option: second}), table, its)
       for name, (door, table) in ERRORS.items() for option, its in DESIGN.items()},
    **{name: (door, table, CLASS) for doors, table in (
        (OF_REPORTS_AND_CLASSES, REPORTS), (OF_TUPLES, TUPLES), (OF_BITS, BITS))
       for name, door in doors.items()},
    "reconstruct_distribution": (
        lambda W, z: reconstruct_distribution(W, NOISE, EDGES, feature="age", labels=z).mean(),
        NOISY, CLASS),
    "recover_attributes": (
        lambda R, true: attacks.recover_attributes(COIN, R, true, pool=BITS).success,
        REPORTS, BITS),
    **{f"{type(one).__name__}.{door}": (
        lambda X, y, one=one, door=door: getattr(one, door)(X, y)[1], table, CLASS)
       for one, table in (
           (SampleGenerator(random_state=0), NUMBERS),
           (GaussianSampleGenerator(random_state=0), NUMBERS),
           (PrivateTreeGenerator(epsilon=1.0, random_state=0), BITS))
       for door in ("disguise", "fit_resample")},
    **{name: (measure, NUMBERS, NOISY) for name, measure in MEASURES.items()},
    "DisguisedLinearRegression.fit y": (linear, REPORTS, OUTCOME),
    "DisguisedLogisticRegression.fit y": (
        lambda X, y: logistic(X, y).standard_errors_, NUMBERS, REPORTS["a"]),
    "DisguisedLogisticRegression.predict_proba": (
        lambda X, R: logistic(NUMBERS).predict_proba(X, reports=R), NUMBERS, REPORTS["a"]),
    "DisguisedLogisticRegression.score": (
        lambda X, R: logistic(NUMBERS).score(X, R), NUMBERS, REPORTS["a"]),
    **{f"{name}.disguise": (
        lambda X, y, scheme=scheme: np.column_stack(scheme.disguise(X, y)), clear, CLASS)
       for name, (scheme, clear, *_) in DISGUISED.items()},
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


#: Where an answer is a column for each value, if not everywhere.
WIDE = {"unary": NAMES, "unary, one asked": NAMES, "symmetric unary": NAMES, "mixed": ["a"],
        "mixed, one asked": ["b"]}  # fmt: skip


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # of an array
@pytest.mark.parametrize("name", DISGUISED)
def test_a_frame_comes_out_of_a_frame(name):
    """Where it is asked for, and by disguise always, whatever the order of the columns."""
    scheme, X, released, classes = DISGUISED[name]
    plain = clone(scheme).fit(X).transform(X)
    framed = clone(scheme).set_output(transform="pandas").fit(X).transform(X)
    assert isinstance(plain, np.ndarray)
    np.testing.assert_array_equal(framed.to_numpy(), plain)
    names, wide = X.columns.tolist(), WIDE.get(name, [])
    called = [told for one in names
              for told in ([f"{one}_0", f"{one}_1"] if one in wide else [one])]  # fmt: skip
    assert framed.columns.tolist() == released.columns.tolist() == called
    assert framed.index.equals(X.index)
    assert released.index.equals(X.index)
    told, labels = scheme.disguise(X.to_numpy(), CLASS.to_numpy())
    assert isinstance(told, np.ndarray)
    np.testing.assert_array_equal(released.to_numpy(), told)
    pd.testing.assert_series_equal(classes, pd.Series(labels, X.index, name="class"))
    y = CLASS if getattr(scheme, "class_group", None) is not None else None
    again, none = scheme.disguise(X[names[::-1]], y)
    pd.testing.assert_frame_equal(again, released)
    assert (none is None) == (y is None)
    with pytest.raises(ValueError, match=rf"X must have .* \(lost: \['{names[0]}'\]\)"):
        scheme.disguise(X.drop(columns=names[0]), y)
    with pytest.raises(ValueError, match=r"X must have .* and no other, got \['more'\]"):
        scheme.disguise(X.assign(more=1), y)


def test_disguise_keeps_each_as_it_came():
    scheme = rr.RandomizedResponse(0.7, random_state=0)
    framed, y = scheme.disguise(BITS, CLASS.tolist())
    assert isinstance(framed, pd.DataFrame)
    assert isinstance(y, np.ndarray)
    public = CLASS.map({0: "no", 1: "yes"}).astype("category")
    plain, y = clone(scheme).disguise(BITS.to_numpy(), public)
    assert isinstance(plain, np.ndarray)
    pd.testing.assert_series_equal(y, public)


@pytest.mark.parametrize("name", SCHEMES)
def test_schemes_of_codes_are_random_and_say_so(name):
    tags = get_tags(SCHEMES[name]())
    assert tags.input_tags.categorical
    assert tags.non_deterministic
    assert tags.transformer_tags.preserves_dtype == []


@pytest.mark.parametrize("domain", [None, [[0, 1]]])
def test_nothing_is_to_be_learned_where_the_domain_is_given(domain):
    for scheme in (noise.AdditiveNoise(), noise.ValueClassMembership(2)):
        assert get_tags(scheme.set_params(domain=domain)).requires_fit == (domain is None)
    assert not get_tags(noise.AdditiveNoise(scale=1.0)).requires_fit


#: What takes reports, as an array of numbers that must not depend on how the columns came.
OF_REPORTS = {
    "estimate_frequencies": lambda R, y, scheme: np.array([
        one.frequencies for one in estimate_frequencies(R, scheme, feature="all").values()]),
    "estimate_frequencies of one": lambda R, y, scheme: estimate_frequencies(
        R, scheme, feature="b").frequencies,
    "codes": lambda R, y, scheme: scheme.codes(R),
    "count": lambda R, y, scheme: scheme.count(R),
    "ReleasedCounts.of": lambda R, y, scheme: ReleasedCounts.of(scheme, R).counts,
    "log_likelihood": lambda R, y, scheme: scheme.log_likelihood(R, FEW),
    "RandomizedResponseNB": lambda R, y, scheme: RandomizedResponseNB(scheme).fit(R, y).pair_count_,
    "recover_attributes": lambda R, y, scheme: attacks.recover_attributes(
        scheme, R, BITS.to_numpy(), FEW).credits,
}  # fmt: skip
#: And what takes the reports of coins.
OF_COINS = {
    "estimate_proportion": lambda R, y, scheme: rr.estimate_proportion(
        R, scheme, {"a": 0, "b": 1}, y=y if scheme.class_group is not None else None).proportion,
    "tree": lambda R, y, scheme: RandomizedResponseTreeClassifier(scheme).fit(
        R, y).predict_proba(FEW if hasattr(R, "columns") else FEW.to_numpy()),
    "signed_records": lambda R, y, scheme: rr.signed_records(R, scheme, y=y).weight,
    "complement_decoding": lambda R, y, scheme: attacks.complement_decoding(R, scheme).confidence,
    "disguised_accuracy": lambda R, y, scheme: disguised_accuracy(
        lambda bits: np.asarray(bits)[:, 1], R, y, scheme).proportion,
}  # fmt: skip
#: Attributes of unlike numbers of released values are not counted together.
APART = {("mixed, one asked", "count"), ("mixed, one asked", "ReleasedCounts.of")}
CASES = [(name, door) for name in SCHEMES for door in OF_REPORTS if (name, door) not in APART] + [
    (name, door) for name in COINS if SCHEMES[name]().asked is None for door in OF_COINS
]
#: What gives a number for each record.
OF_RECORDS = ("codes", "log_likelihood", "recover_attributes", "complement_decoding")


def ask(name, door, R, y=None):
    of = (OF_REPORTS | OF_COINS)[door]
    return np.asarray(of(R, np.asarray(DISGUISED[name][3] if y is None else y), DISGUISED[name][0]))


@pytest.mark.parametrize(("name", "door"), [case for case in CASES if case[1] not in OF_RECORDS])
def test_the_order_of_records_moves_nothing(name, door):
    _, _, R, y = DISGUISED[name]
    order = np.random.default_rng(0).permutation(len(R))
    there = ask(name, door, R.iloc[order], y.iloc[order])
    np.testing.assert_allclose(there, ask(name, door, R), rtol=1e-12)


#: Candidates are read by a scheme that is fitted; others learn the names from the reports.
UNFITTED = [door for door in OF_REPORTS | OF_COINS if door[:3] not in ("log", "rec")]


@pytest.mark.parametrize("door", UNFITTED)
def test_groups_are_told_by_name_or_by_number(door):
    _, _, R, y = DISGUISED["coins"]
    answers = [
        (OF_REPORTS | OF_COINS)[door](R, y.to_numpy(), rr.RandomizedResponse(0.8, groups))
        for groups in ([["a"], ["b", "c"]], [[0], [1, 2]], [["a"], pd.Index(["b", "c"])])
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def learnt(X):
    """Return what a classifier learnt from names predicts."""
    disguise = protocol.GuidedPerturbation([2, 2], 2, random_state=0)
    return DisguisedClassifier(disguise).fit(TUPLES, CLASS).predict_proba(X)


def memoized(X):
    memo = rr.MemoizedResponse(2, permanent=2.0, random_state=0)
    memo.report(BITS)
    return memo.report(X).sum()


HEIGHT = {name: DISGUISED[name][0].on(3 * EDGES, feature="height")
          for name in ("AdditiveNoise", "SquareWave", "Piecewise")}  # fmt: skip
#: What meets a table and a scheme that was fitted to its named columns: a call, and the table.
NAMED = {
    **{f"{door} of {name}": (
        lambda R, name=name, door=door: ask(name, door, R), DISGUISED[name][2])
       for name, door in CASES},
    "estimate_frequencies mixed": (
        lambda R: estimate_frequencies(R, MIXED, feature=1).frequencies, MANY),
    "reconstruct_distribution": (
        lambda W: reconstruct_distribution(W, NOISE.on(EDGES, feature=1)).mean(), NOISY),
    "reconstruct_distribution mixed": (
        lambda R: reconstruct_distribution(R, MIXED, feature=2).mean(), MANY),
    **{f"{door} of one of {name}": (getattr(bound, door), DISGUISED[name][place])
       for name, bound in HEIGHT.items() for door, place in (("count", 2), ("record_codes", 1))},
    "tree of noise": (
        lambda W: ReconstructedTreeClassifier(DISGUISED["SquareWave"][0], min_node_records=50).fit(
            W, np.asarray(CLASS)).predict(NUMBERS.to_numpy()[:99]), DISGUISED["SquareWave"][2]),
    "bayes_guess": (lambda R: attacks.bayes_guess(COIN, R, pool=BITS).records, REPORTS),
    "bayes_guess pool": (
        lambda X: attacks.bayes_guess(COIN, REPORTS, pool=X).probabilities.sum(), BITS),
    "recover_attributes": (
        lambda X: attacks.recover_attributes(COIN, REPORTS, X, pool=BITS).success, BITS),
    "reidentify": (
        lambda R: attacks.reidentify(COIN, R, np.arange(N), BITS).success, REPORTS),
    "record_information": (lambda X: privacy.record_information(COIN, X).degree, BITS),
    "membership_inference": (
        lambda X: attacks.membership_inference(NUMBERS, X, NUMBERS).member_scores, NUMBERS),
    **{name: (lambda X, measure=measure: measure(NUMBERS, X), NUMBERS)
       for name, measure in MEASURES.items()},
    "DisguisedClassifier.predict": (learnt, TUPLES),
    "MemoizedResponse.report": (memoized, BITS),
    "DisguisedLogisticRegression.fit": (
        lambda R: DisguisedLogisticRegression(COIN, feature=0).fit(
            np.asarray(NUMBERS), R).coef_, REPORTS),
    "DisguisedLinearRegression.fit": (
        lambda X: np.sort(DisguisedLinearRegression({"age": NOISE, "height": NOISE}).fit(
            X, np.asarray(OUTCOME)).standard_errors_), NOISY),
    "dask.count": (
        lambda R: in_blocks(lambda R, _: far.count(COIN, R).counts)(R, np.asarray(CLASS)), REPORTS),
    **{f"MemoizedResponse.{door}": (lambda R, door=door: getattr(MEMO, door)(R), KEPT)
       for door in ("codes", "count")},
    **{f"{name}.record_codes": (
        lambda X, scheme=scheme: scheme.record_codes(X), clear)
       for name, (scheme, clear, *_) in DISGUISED.items() if hasattr(scheme, "record_codes")},
    **{f"{name}.log_likelihood": (
        lambda X, scheme=DISGUISED[name][0]: scheme.log_likelihood(X, NUMBERS[:5]),
        DISGUISED[name][2])
       for name, scheme in OF_NUMBERS.items() if hasattr(scheme, "log_likelihood")},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # of an array
@pytest.mark.parametrize("name", NAMED)
def test_columns_are_found_by_their_names(name):
    """Once a's numbers stood under b's name, where names were lost before they were compared."""
    door, table = NAMED[name]
    expected = np.asarray(door(table), dtype=float)
    names, place = list(table.columns), np.asarray(table)
    others = {
        "in another order": table[names[::-1]],
        "one too many": table.assign(more=np.nan, last="text")[["more", *names, "last"]],
        "the first is lost": table[names[1:]],
        "the last is lost": table[names[:-1]],
        "the last is lost under another name": table.rename(columns={names[-1]: "z"}),
        "an array": place.astype(object) if table.dtypes.nunique() > 1 else place,
    }
    if not name.startswith("dask"):
        others["of polars"] = pl.DataFrame({each: table[each].to_numpy() for each in names})
    if name == "DisguisedLinearRegression.fit":
        del others["one too many"]  # one more covariate
    of_reports = " of " in name
    for what, other in others.items():
        said = None
        try:
            result = np.asarray(door(other), dtype=float)
        except (ValueError, TypeError) as error:
            said = str(error)
        if said is None:
            np.testing.assert_allclose(result, expected, err_msg=what)
            # what is not asked for may be lost
            assert "lost" not in what or not of_reports or " of one of " in name, what
        else:
            assert "lost" in what or (not of_reports and what != "in another order") or (
                what == "an array" and "of one of" in name), said  # fmt: skip
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


#: What a door calls what is about people, or what they released.
OF_PEOPLE = {
    "X", "y", "reports", "disguised", "released", "records", "labels", "by", "sample_weight",
    "clusters", "strata", "scheme_of", "R", "T", "true", "original", "pool", "targets",
}


def test_every_door_is_in_the_table():
    known = {row.partition(" ")[0] for row in (*PEOPLE, *NAMED)} | ALONE
    known |= {f"{type(scheme).__name__}.{door}" for scheme, *_ in DISGUISED.values()
              for door in (*OF_REPORTS, "disguise", "record_codes")}  # fmt: skip
    called = {door if door.startswith("dask.") else door.partition(".")[2]: its
              for door, its in DOORS.items() if not inspect.isclass(its)}
    assert [
        door for door, its in called.items()
        if OF_PEOPLE & set(inspect.signature(its).parameters) and door not in known
        and door.rpartition(".")[2] not in BY_PLACE | ALONE
    ] == []


def test_a_column_called_class_is_the_class_only_where_there_is_one():
    R = BITS.rename(columns={"c": "class"})
    coin = rr.RandomizedResponse(0.9)
    of_column = rr.estimate_proportion(R, coin, {2: 1})
    assert rr.estimate_proportion(R, coin, {"class": 1}) == of_column
    y = 1 - R["class"]
    assert rr.estimate_proportion(R, coin, {"class": 1}, y=y).proportion == pytest.approx(y.mean())


def test_attributes_that_are_attacked_by_name():
    read = [attacks.recover_attributes(COIN, REPORTS, BITS, FEW, attributes=which).success
            for which in (["b"], [1], [False, True, False])]  # fmt: skip
    assert read[0] == read[1] == read[2]


@pytest.mark.parametrize("learner", [ReconstructedTreeClassifier, MixtureTreeClassifier])
def test_whole_numbers_by_name(learner):
    X = pd.DataFrame(np.random.default_rng(0).uniform(0, 9, (40, 3)), columns=NAMES)
    X["b"] = np.rint(X["b"])
    drawn = noise.AdditiveNoise("uniform", 0.2, domain=[[0, 9]] * 3, random_state=0).fit(X)
    Z = drawn.set_output(transform="pandas").transform(X)
    seed = {"random_state": 0} if learner is MixtureTreeClassifier else {}
    ways, y = (["b"], [1], [False, True, False]), CLASS.to_numpy()[:40]
    edges = [
        learner(drawn, integer_features=which, n_intervals=3, **seed).fit(Z, y).edges_
        for which in ways
    ]
    assert len(edges[0][1]) == 11  # its values are its intervals
    for other in edges[1:]:
        for one, two in zip(edges[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


FLIES = rr.RandomizedResponse(0.8, [["flies"]])
WIDER = noise.AdditiveNoise(scale=1.0, domain=[[0, 9]] * 3)
OF_FLIES = ReconstructedTreeClassifier(WIDER, integer_features=["flies"])
UNKNOWN = [
    (lambda X: rr.RandomizedResponse(0.8, [["a"], ["b", "flies"]]).fit(X), "groups"),
    (lambda X: rr.RandomizedResponse(0.8, [["flies"]], asked=1).fit(X), "groups"),
    (lambda X: RandomizedResponseNB(FLIES).fit(X, CLASS), "groups"),
    (lambda X: rr.signed_records(X, FLIES), "groups"),
    (lambda X: rr.estimate_proportion(X, rr.RandomizedResponse(0.8), {"flies": 1}), "expression"),
    (lambda X: OF_FLIES.fit(X, CLASS), "integer_features"),
]


@pytest.mark.parametrize(("call", "argument"), UNKNOWN)
def test_a_name_that_is_not_there(call, argument):
    there = r".*\['a', 'b', 'c'\], got 'flies'"
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
        rr.estimate_proportion(BITS, rr.RandomizedResponse(0.8), {0: 1, "a": 0})
