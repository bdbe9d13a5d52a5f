"""Some attributes asked by lot, of any scheme, and a record of mixed kinds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from literal import asked as literal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ppdm.attacks import bayes_guess
from ppdm.channel import Channel
from ppdm.classifiers import DisguisedClassifier, RandomizedResponseNB
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

SIZES = [2, 3, 2]
RECORDS = np.array(list(product(*map(range, SIZES))))
LEAN = np.array([[0.6, 0.1, 0.3], [0.2, 0.7, 0.2], [0.2, 0.2, 0.5]])
MATRICES = [LEAN[:2, :2] / LEAN[:2, :2].sum(axis=0), LEAN, np.array([[0.9, 0.3], [0.1, 0.7]])]
KINDS = [RandomizedResponse(0.8), CategoricalRandomizedResponse(3, epsilon=1.5),
         UnaryEncoding(2, 1.0)]  # fmt: skip
SCHEMES = {
    "k-ary": CategoricalRandomizedResponse(SIZES, theta=0.6),
    "matrices": CategoricalRandomizedResponse(channel=MATRICES),
    "unary": UnaryEncoding(SIZES, 1.2),
    "mixed": MixedResponse(KINDS),
    "mixed, one epsilon": MixedResponse(KINDS, epsilon=2.0),
}
CASES = [(name, asked) for name in SCHEMES for asked in (1, 2, 3)]


def scheme(name, asked, seed=0):
    return clone(SCHEMES[name]).set_params(asked=asked, random_state=seed).fit(RECORDS)


def channels_of(name, asked):
    """The channel of each attribute, by hand."""
    if name == "k-ary":
        return [np.where(np.eye(k) == 1, 0.6, 0.4 / (k - 1)) for k in SIZES]
    if name == "matrices":
        return MATRICES
    if name == "unary":
        return [of_bits(k, 1.2) for k in SIZES]
    each = (np.log(4), 1.5, 1.0) if name == "mixed" else (2 / asked,) * 3
    odds = np.exp(each)
    return [
        np.where(np.eye(2) == 1, odds[0], 1) / (odds[0] + 1),
        np.where(np.eye(3) == 1, odds[1], 1) / (odds[1] + 2),
        of_bits(2, each[2]),
    ]


def of_bits(k, epsilon):
    q = 1 / (np.exp(epsilon) + 1)
    chances = np.where(np.eye(k) == 1, 0.5, q)
    return np.array([
        np.prod([p if bit else 1 - p for p, bit in zip(chances, bits, strict=True)], axis=0)
        for bits in product([0, 1], repeat=k)
    ])  # fmt: skip


def as_released(name, said):
    """Write answers, codes or None, as the scheme releases them."""
    row = []
    for j, answer in enumerate(said):
        bits = SIZES[j] if name == "unary" or (name.startswith("mixed") and j == 2) else 0
        told = [answer] if not bits else [None] * bits
        if bits and answer is not None:
            told = [int(bit) for bit in f"{answer:0{bits}b}"]
        row += [np.nan if each is None else float(each) for each in told]
    return row


# ---------------------------------------------------------------- the channel


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_the_likelihood_is_that_of_every_choice_and_answer(name, asked):
    found, channels = scheme(name, asked), channels_of(name, asked)
    tables = [literal.releases(tuple(r), channels, asked) for r in RECORDS.tolist()]
    said = sorted({s for table in tables for s in table}, key=str)
    expected = np.array([[table.get(s, 0) for table in tables] for s in said])
    np.testing.assert_allclose(expected.sum(axis=0), 1)
    released = np.array([as_released(name, s) for s in said])
    logs = found.log_likelihood(released, RECORDS)
    np.testing.assert_allclose(np.exp(logs), expected, atol=1e-12)
    (part,) = found.record_parts(RECORDS)
    matrix = part.matrix.toarray()[:, part.values]
    np.testing.assert_allclose(
        sorted(tuple(row.round(12)) for row in matrix),
        sorted(tuple(row.round(12)) for row in expected), atol=1e-11,
    )  # fmt: skip
    codes = [[len(channels[j]) if a is None else a for j, a in enumerate(s)] for s in said]
    np.testing.assert_array_equal(found.codes(released), codes)


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_epsilon_is_that_of_the_dearest_answers(name, asked):
    found, channels = scheme(name, asked), channels_of(name, asked)
    exact = literal.epsilon(RECORDS.tolist(), channels, asked)
    assert local_epsilon(found) == pytest.approx(exact)
    pairs = zip(SIZES, channels, strict=True)
    alone = [literal.epsilon([[v] for v in range(k)], [channel], 1) for k, channel in pairs]
    assert local_epsilon(found, changes="attribute") == pytest.approx(max(alone))
    assert exact == pytest.approx(sum(sorted(alone)[-asked:]))
    if name == "mixed, one epsilon":
        assert exact == pytest.approx(2)


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_the_inverse_undoes_the_channel(name, asked):
    """Of who answered a share errs less than by it: (1 - c) / c (share - 1 / k)^2, c asked."""
    found, c = scheme(name, asked), asked / 3
    told = found.when_asked()
    for j, k in enumerate(SIZES):
        matrix, inverse = found.channel_matrix(j), found.inverse_matrix(j)
        np.testing.assert_allclose(matrix.sum(axis=0), 1)
        np.testing.assert_allclose(matrix[-1], 1 - asked / 3)
        np.testing.assert_allclose(inverse @ matrix, np.eye(k), atol=1e-12)
        np.testing.assert_array_equal(inverse[:, -1], 1 / k)
        shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
        variances = [
            undo**2 @ (through @ shares) - shares**2
            for undo, through in (
                (inverse, matrix), (told.inverse_matrix(j), told.channel_matrix(j)),
            )
        ]  # fmt: skip
        more = (1 - c) / c * (shares - 1 / k) ** 2
        np.testing.assert_allclose(variances[0], variances[1] / c + more)


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_the_lot_leaves_the_answers_as_they_are(name, asked):
    """Of one seed the same answers come, whoever is asked; all asked is the scheme itself."""
    X = np.tile(RECORDS, (20, 1))
    some, every = scheme(name, asked, 5), scheme(name, None if asked < 3 else 3, 5)
    if name == "mixed, one epsilon":
        every.channels_ = some.channels_  # a third of the epsilon would be another coin
    R, all_of_it = some.transform(X), every.transform(X)
    told = ~np.isnan(R)
    np.testing.assert_array_equal(R[told], all_of_it[told])
    silent = some.codes(R) == [len(channel) for channel in channels_of(name, asked)]
    assert ((~silent).sum(axis=1) == asked).all()


def test_who_is_asked_what_is_even():
    """9,000 records, two of three: each attribute 6,000 times, sd sqrt(9000 * 2/9) = 45."""
    R = scheme("mixed", 2).transform(np.tile(RECORDS, (750, 1)))
    np.testing.assert_array_equal(np.isnan(R[:, 2]), np.isnan(R[:, 3]))
    assert (np.abs((~np.isnan(R)).sum(axis=0) - 6_000) < 5 * 45).all()


# ---------------------------------------------------------------- shares


@pytest.mark.parametrize("name", ["coin", *SCHEMES])
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_shares_among_who_was_asked_are_unbiased_and_err_as_said(name):
    """400 surveys of 300 people, drawn at random, one of three asked, of a share of .1.

    The mean of 400 has their sd / 20: five of it. An sd of 400 has a relative error of
    1 / sqrt(2 * 400) = .035, the mean of stated errors less: five of it.
    """
    rng = np.random.default_rng(7)
    made = RandomizedResponse(0.8) if name == "coin" else clone(SCHEMES[name])
    made = made.set_params(asked=1, random_state=rng).fit(RECORDS % 2)
    shares, errors = [], []
    for _ in range(400):
        reports = made.transform((rng.random((300, 3)) < 0.1).astype(int))
        found = estimate_frequencies(reports, made, feature=2)
        shares.append(found.frequencies[1])
        errors.append(found.standard_errors[1])
    assert found.n == (made.codes(reports)[:, 2] < len(made.channel_matrix(2)) - 1).sum() < 300
    assert abs(np.mean(shares) - 0.1) < 5 * np.std(shares) / 20
    assert np.std(shares) == pytest.approx(np.mean(errors), rel=5 * 0.035)


@pytest.mark.parametrize("name", ["k-ary", "matrices", "unary"])
@pytest.mark.parametrize("method", ["raw", "em"])
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_they_are_those_of_the_answers_alone(name, method):
    found, one = scheme(name, 2, 3), clone(SCHEMES[name]).fit(RECORDS)
    R = found.transform(np.tile(RECORDS, (30, 1)))
    every = estimate_frequencies(R, found, feature="all", method=method)
    ends = np.cumsum([0, *SIZES]) if name == "unary" else np.arange(4)
    for j in range(len(SIZES)):
        block = R[:, ends[j] : ends[j + 1]]
        alone = block[~np.isnan(block[:, 0])]
        want = estimate_frequencies(alone, one, feature=j, method=method)
        np.testing.assert_allclose(every[j].frequencies, want.frequencies, atol=1e-9)
        assert every[j].n == len(alone)


@pytest.mark.parametrize("name", ["coin", *SCHEMES])
def test_nobody_was_asked(name):
    made = RandomizedResponse(0.8) if name == "coin" else clone(SCHEMES[name])
    made = made.set_params(asked=1, random_state=0).fit(RECORDS % 2)
    R = made.transform(RECORDS % 2)
    others = R[np.isnan(R[:, 2 if name == "unary" else 1])]
    with pytest.raises(ValueError, match="answers of somebody to attribute 1"):
        estimate_frequencies(others, made, feature=1)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_many_questions_by_the_same_kary_coin():
    """Nine questions of four values, some asked by lot, a share of one half in a class of .3.

    People for a standard error of .05: the class has .3 of them, s ninths are asked each question,
    and an answer has the variance r (1 - r) / (p - q)^2, r = (p + q) / 2. One question is best at
    odds of 3 and 10, two are at 100 and 1,000. At the last 300 surveys: an sd of 300 has a relative
    error of 1 / sqrt(600) = .041, and that chance decides how many answer adds (7/9) / 127 / 2
    = .003. Five of the first and the second.
    """
    people = {}
    for odds in (3, 10, 100, 1000):
        each = odds ** (1 / np.arange(1, 10))
        p, q = each / (each + 3), 1 / (each + 3)
        r = (p + q) / 2
        n = 9 / np.arange(1, 10) / 0.3 * r * (1 - r) / ((p - q) * 0.05) ** 2
        people[odds] = n.argmin() + 1, round(n.min())
    assert people == {3: (1, 24_000), 10: (1, 6_111), 100: (2, 3_056), 1000: (2, 1_911)}
    rng, size = np.random.default_rng(2), (round(0.3 * 1_911), 9)
    krr = CategoricalRandomizedResponse(4, epsilon=np.log(1000) / 2, asked=2, random_state=rng)
    assert local_epsilon(krr.fit(np.zeros(size))) == pytest.approx(np.log(1000))
    found = [
        estimate_frequencies(krr.transform(3 * rng.integers(0, 2, size)), krr, feature=4)
        .frequencies[3] for _ in range(300)
    ]  # fmt: skip
    assert np.std(found) == pytest.approx(0.05, rel=5 * 0.041 + 0.003)


# ---------------------------------------------------------------- who learns from it


@pytest.mark.parametrize("name", SCHEMES)
def test_naive_bayes_lets_who_was_asked_stand_for_all(name):
    rng = np.random.default_rng(4)
    X = RECORDS[rng.integers(0, len(RECORDS), 400)]
    y = (X[:, 1] == 2) ^ (rng.random(400) < 0.2)
    found = scheme(name, 2, 6)
    R = found.transform(X)
    nb = RandomizedResponseNB(found).fit(R, y)
    last = [len(found.channel_matrix(j)) - 1 for j in range(3)]
    rows = [[None if c == e else c for c, e in zip(row, last, strict=True)]
            for row in found.codes(R).tolist()]  # fmt: skip
    every = found.when_asked()
    for j, label in product(range(3), (0, 1)):
        undo = every.inverse_matrix(j)
        for value in range(SIZES[j]):
            expected = literal.pair_count(rows, y.tolist(), label, j, value, undo)
            assert nb.pair_count_[j, label, value] == pytest.approx(expected, abs=1e-9)
    parts = RandomizedResponseNB(found)
    for chunk in np.array_split(np.arange(400), 3):
        parts.partial_fit(R[chunk], y[chunk], classes=[False, True])
    np.testing.assert_allclose(parts.pair_count_, nb.pair_count_)


def test_of_a_class_that_nobody_answered_each_value_has_an_even_part():
    krr = CategoricalRandomizedResponse([2, 3], theta=1.0, asked=1).fit([[0, 0]])
    R = np.array([[1, np.nan], [1, np.nan], [0, np.nan], [np.nan, 2]])
    nb = RandomizedResponseNB(krr).fit(R, [0, 0, 0, 1])
    np.testing.assert_allclose(nb.pair_count_[0, :, :2], [[1, 2], [0.5, 0.5]])
    np.testing.assert_allclose(nb.pair_count_[1], [[1, 1, 1], [0, 0, 1]])


@pytest.mark.parametrize("name", SCHEMES)
def test_a_learner_that_owns_it_beats_a_guess(name):
    """Of 6,000 records a third are in the class that attribute 1 tells, nine times in ten."""
    rng = np.random.default_rng(5)
    X = RECORDS[rng.integers(0, len(RECORDS), 6_000)]
    y = (X[:, 1] == 2) ^ (rng.random(6_000) < 0.1)
    owner = DisguisedClassifier(scheme(name, 1, rng)).fit(X, y)
    assert owner.score(X, y) > 0.85


def test_the_adversary_takes_every_choice_into_account():
    found, channels = scheme("mixed", 2), channels_of("mixed", 2)
    released = found.transform(RECORDS)
    guess = bayes_guess(found, released, RECORDS)
    for row, codes in enumerate(found.codes(released).tolist()):
        said = tuple(None if c == len(channels[j]) else c for j, c in enumerate(codes))
        joint = [literal.releases(tuple(r), channels, 2).get(said, 0) for r in RECORDS.tolist()]
        assert guess.candidate_probabilities[row] == pytest.approx(max(joint) / sum(joint))


# ---------------------------------------------------------------- labels, frames, errors

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


@pytest.mark.parametrize(
    ("kinds", "how", "message"),
    [
        (KINDS[:2], {}, "channels must hold 3 channels"),
        ([*KINDS[:2], NextDigit()], {}, r"channels\[2\] must have fit, transform"),
        *(([*KINDS[:2], noise], {}, r"channels\[2\] must have channel_matrix \(a number needs "
           rf"intervals: noise\.on\(edges\)\), got {type(noise).__name__}\(")
          for noise in (SquareWave(1.0), Piecewise(1.0), AdditiveNoise(scale=1.0))),
        ([*KINDS[:2], UnaryEncoding(2)], {}, r"channels\[2\] must be .* epsilon must be a number"),
        ([*KINDS[:2], unrelated_question(0.5, 0.5)], {"epsilon": 1.0}, r"channels\[2\] .* give ei"),
        ([KINDS[0], *KINDS[:2]], {}, r"channels\[1\] must be a channel that takes attribute 1:"),
        (KINDS, {"asked": 4}, "asked must be"),
        (KINDS, {"epsilon": 0}, "epsilon must be"),
    ],
)  # fmt: skip
def test_what_is_no_record_of_mixed_kinds(kinds, how, message):
    with pytest.raises((ValueError, TypeError), match=message):
        MixedResponse(kinds, **how).fit(RECORDS)


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
    with pytest.raises(ValueError, match=rf"^X has 1 missing .* '{name}' .* row 1: fill or drop"):
        learner.predict(wrong)


def test_a_column_without_a_channel_is_named():
    scheme, people = asked_of_people()
    with pytest.raises(ValueError, match=r"and no other \(lost: .*unknown: .*\): leave what has"):
        scheme.fit(people.assign(ward="a"))


@pytest.mark.parametrize("names", [None, ["party", "age", "vote"]])
@pytest.mark.parametrize("j", range(3))
def test_a_missing_value_is_told_by_its_attribute_in_the_whole_record(names, j):
    # catches the part that speaks of its own one column, attribute 0
    lacking = pd.DataFrame(RECORDS, columns=names).astype(object)
    known = MixedResponse(KINDS, random_state=0).fit(pd.DataFrame(RECORDS, columns=names))
    lacking.iloc[1, j] = None
    called = j if names is None else f"'{names[j]}'"
    for step in (known.fit, known.transform):
        with pytest.raises(ValueError, match=rf"X has 1 missing value\(s\) in attribute {called} "):
            step(lacking)


def test_a_public_column_may_lack_a_value():
    # catches a look at the whole record that refuses what no channel disguises
    people = pd.DataFrame({"vote": [0, 1, 1], "income": [20.0, np.nan, 40.0]})
    scheme = MixedResponse([RandomizedResponse(0.8), None], random_state=0)
    reports, _ = scheme.disguise(people)
    np.testing.assert_array_equal(reports["income"], people["income"])


@pytest.mark.parametrize(
    ("released", "message"),
    [
        ([[0, 1, np.nan, np.nan]], r"released must have 1 answer.* got 2 at \(0,\)"),
        ([[np.nan, np.nan, 1, np.nan]], "missing"),
        ([[np.nan, 3, np.nan, np.nan]], "never seen: code 3"),
        ([[0, np.nan]], r"released must have shape \(any, 4\), of 3 attribute"),
        ([0, 1, np.nan], r"released must have shape \(any, 4\), .* shape \(3, 1\)"),
    ],
)
def test_what_was_never_released(released, message):
    with pytest.raises(ValueError, match=message):
        scheme("mixed", 1).codes(released)


def test_nothing_is_known_before_it_is_fitted():
    for name in SCHEMES:
        unfitted = clone(SCHEMES[name]).set_params(asked=1)
        for then in (unfitted.record_channels, unfitted.attribute_channels,
                     unfitted.channel_matrix, lambda u=unfitted: u.codes([[0, 1, 1]])):  # fmt: skip
            with pytest.raises(NotFittedError):
                then()


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
