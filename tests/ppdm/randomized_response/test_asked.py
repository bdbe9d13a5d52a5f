"""Some answers a person, of any scheme: a new one is tested by a line in SCHEMES and its channels.

Each law is compared with every choice of questions and every answer to each, written out.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from literal import asked as literal
from refusals import refusals
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ppdm.attacks import bayes_guess
from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.naive_bayes import CountNB
from ppdm.privacy import local_epsilon, record_information
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
    estimate_proportion,
)
from ppdm.randomized_response import _asked as internals
from ppdm.reconstruction import estimate_frequencies

SIZES = [2, 3, 2]
LEAN = np.array([[0.6, 0.1, 0.3], [0.2, 0.7, 0.2], [0.2, 0.2, 0.5]])
MATRICES = [LEAN[:2, :2] / LEAN[:2, :2].sum(axis=0), LEAN, np.array([[0.9, 0.3], [0.1, 0.7]])]
KINDS = [RandomizedResponse(0.8), CategoricalRandomizedResponse(3, epsilon=1.5),
         UnaryEncoding(2, 1.0)]  # fmt: skip
SCHEMES = {
    "coin": RandomizedResponse(0.75),
    "coin that lies": RandomizedResponse(0.25),
    "coin that never lies": RandomizedResponse(1.0),
    "coin, own class": RandomizedResponse(0.75, class_group="own"),
    "k-ary": CategoricalRandomizedResponse(SIZES, theta=0.6),
    "matrices": CategoricalRandomizedResponse(channel=MATRICES),
    "unary": UnaryEncoding(SIZES, 1.2),
    "mixed": MixedResponse(KINDS),
    "mixed, one epsilon": MixedResponse(KINDS, epsilon=2.0),
}
COINS = [name for name in SCHEMES if name.startswith("coin")]
every_scheme = pytest.mark.parametrize("name", SCHEMES)
each_case = pytest.mark.parametrize(
    ("name", "asked"), [(name, asked) for name in SCHEMES for asked in (1, 2, 3)]
)


def sizes_of(name):
    return [2, 2, 2] if name in COINS else SIZES


def records_of(name):
    return np.array(list(product(*map(range, sizes_of(name)))))


def scheme(name, asked, seed=0):
    return clone(SCHEMES[name]).set_params(asked=asked, random_state=seed).fit(records_of(name))


def channels_of(name, asked):
    """The channel of each attribute, by hand."""
    if name in COINS:
        return [literal.coin(Fraction(SCHEMES[name].theta))] * 3
    if name == "k-ary":
        return [literal.kary(k, np.log(1.5 * (k - 1))) for k in SIZES]
    if name == "matrices":
        return MATRICES
    if name == "unary":
        return [literal.of_bits(k, 0.5, 1 / (np.exp(1.2) + 1)) for k in SIZES]
    epsilons = (np.log(4), 1.5, 1.0) if name == "mixed" else (2 / asked,) * 3
    return [
        literal.kary(2, epsilons[0]),
        literal.kary(3, epsilons[1]),
        literal.of_bits(2, 0.5, 1 / (np.exp(epsilons[2]) + 1)),
    ]


def as_released(name, said):
    """Write answers, codes or None, as the scheme releases them."""
    row = []
    for j, answer in enumerate(said):
        bits = SIZES[j] if name == "unary" or (name.startswith("mixed") and j == 2) else 0
        told = [answer] if not bits else [None] * bits
        if bits and answer is not None:
            told = [int(bit) for bit in f"{answer:0{bits}b}"]
        row += [np.nan if one is None else float(one) for one in told]
    return row


def as_answers(codes, channels):
    """Return rows of codes as the literal releases have them, with None where nobody asked."""
    silent = list(map(len, channels))
    return [
        tuple(None if c == none else c for c, none in zip(row, silent, strict=True))
        for row in codes.tolist()
    ]


def some_records(name, n=400, seed=4):
    """Return records, and classes that go with the second attribute."""
    rng = np.random.default_rng(seed)
    X = records_of(name)[rng.integers(0, len(records_of(name)), n)]
    return X, (X[:, 1] == X[:, 1].max()) ^ (rng.random(n) < 0.2)


# ---------------------------------------------------------------- the channel


@each_case
def test_the_likelihood_is_that_of_every_choice_and_answer(name, asked):
    coin, channels, records = scheme(name, asked), channels_of(name, asked), records_of(name)
    tables = [literal.releases(tuple(r), channels, asked) for r in records.tolist()]
    said = sorted({s for table in tables for s in table}, key=str)
    expected = np.array([[float(table.get(s, 0)) for table in tables] for s in said])
    released = np.array([as_released(name, s) for s in said])
    likelihood = np.exp(coin.log_likelihood(released, records))
    np.testing.assert_allclose(likelihood, expected, atol=1e-12)
    (part,) = coin.record_parts(records)
    matrix = part.matrix.toarray()[:, part.values]
    ours, theirs = (sorted(tuple(row.round(12)) for row in rows if row.any())
                    for rows in (matrix, expected))  # fmt: skip
    np.testing.assert_allclose(ours, theirs, atol=1e-11)
    assert part.columns.tolist() == [0, 1, 2]
    assert as_answers(coin.codes(released), channels) == said


@each_case
def test_epsilon_is_that_of_the_dearest_answers(name, asked):
    coin, channels = scheme(name, asked), channels_of(name, asked)
    exact = literal.epsilon(records_of(name).tolist(), channels, asked)
    pairs = zip(sizes_of(name), channels, strict=True)
    alone = [literal.epsilon([[v] for v in range(k)], [channel], 1) for k, channel in pairs]
    assert local_epsilon(coin, changes="attribute") == pytest.approx(max(alone))
    assert exact == pytest.approx(sum(sorted(alone)[-asked:]))
    of_class = alone[0] if name == "coin, own class" else 0
    assert local_epsilon(coin) == pytest.approx(exact + of_class)
    if name in COINS:
        for changes in ("group", "bit"):
            assert local_epsilon(coin, changes=changes) == pytest.approx(alone[0])
    if name == "mixed, one epsilon":
        assert exact == pytest.approx(2)


@each_case
def test_the_inverse_undoes_the_channel(name, asked):
    """Of who answered a share errs less than by it: (1 - c) / c (share - 1 / k)^2, c asked."""
    coin, c = scheme(name, asked), asked / 3
    told = coin.when_asked()
    for j, k in enumerate(sizes_of(name)):
        matrix, inverse = coin.channel_matrix(j), coin.inverse_matrix(j)
        np.testing.assert_allclose(matrix.sum(axis=0), 1)
        np.testing.assert_allclose(matrix[-1], 1 - c)
        np.testing.assert_allclose(coin.attribute_channels()[j][-1], 1 - c)
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


@each_case
def test_the_lot_leaves_the_answers_as_they_are(name, asked):
    """Of one seed the same answers come, whoever is asked; all asked is the scheme itself."""
    coin, X = scheme(name, asked, 5), np.tile(records_of(name), (20, 1))
    R, all_of_it = coin.transform(X), coin.when_asked().transform(X)
    told = ~np.isnan(R)
    np.testing.assert_array_equal(R[told], all_of_it[told])
    silent = np.array(as_answers(coin.codes(R), channels_of(name, asked))) == None  # noqa: E711
    assert ((~silent).sum(axis=1) == asked).all()


@pytest.mark.parametrize("seed", [1, "generator"])
def test_who_is_asked_what_is_even_and_the_lies_know_nothing_of_the_lot(seed):
    """A seed as an int must not draw the lot and the lies from the same numbers.

    20,000 records, two of three asked: each of the three choices a third, sd .0033; of the
    26,667 answers to ones 75% true, sd of a share of some 13,333 answers .0037. Five of them.
    """
    seed = np.random.default_rng(5) if seed == "generator" else seed
    R = scheme("coin", 2, seed).transform(np.ones((20_000, 3), dtype=int))
    told = ~np.isnan(R)
    for j in range(3):
        assert abs((~told[:, j]).mean() - 1 / 3) < 5 * 0.0033
        assert abs(R[told[:, j], j].mean() - 0.75) < 5 * 0.0038


def test_a_class_with_its_own_coin_is_always_told():
    X, y = some_records("coin", 4_000)
    R, z = scheme("coin, own class", 1).disguise(X, y.astype(int))
    assert (np.isnan(R).sum(axis=1) == 2).all()
    assert set(z.tolist()) == {0, 1}
    assert abs((z == y).mean() - 0.75) < 5 * 0.0069  # sd of a share of 4,000
    assert scheme("coin", 1).disguise(X, y)[1].tolist() == y.tolist()


def test_an_answer_of_one_tells_a_part_of_one_bit():
    """One of three independent fair bits is told: I is that of one coin, H three bits."""
    told = record_information(scheme("coin", 1), records_of("coin"))
    entropy = -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25)
    assert (told.information, told.entropy) == pytest.approx((1 - entropy, 3))


# ---------------------------------------------------------------- counts and shares


def test_counts_of_reports():
    R = [[1, np.nan, np.nan], [np.nan, 0, np.nan], [0, np.nan, np.nan]]
    coin = scheme("coin", 1)
    assert coin.count(R).tolist() == [[1, 1, 1], [1, 0, 2], [0, 0, 3]]
    assert coin.count(np.array(R)[:, 0]).tolist() == [1, 1, 1]


@every_scheme
@pytest.mark.parametrize("method", ["raw", "em"])
@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_shares_are_those_of_the_answers_alone(name, method):
    coin = scheme(name, 2, 3)
    R = coin.transform(np.tile(records_of(name), (30, 1)))
    shares = estimate_frequencies(R, coin, feature="all", method=method)
    for j in range(3):
        block = R[:, coin.columns_of(j)]
        alone = block[~np.isnan(block[:, 0])]
        want = estimate_frequencies(alone, coin.when_asked(), feature=j, method=method)
        np.testing.assert_allclose(shares[j].frequencies, want.frequencies, atol=1e-9)
        np.testing.assert_allclose(shares[j].standard_errors, want.standard_errors)
        assert shares[j].n == len(alone) < len(R)


@every_scheme
def test_nobody_was_asked(name):
    coin = scheme(name, 1)
    R = coin.transform(records_of(name))
    others = R[np.isnan(R[:, 2 if name == "unary" else 1])]
    with pytest.raises(ValueError, match="answers of somebody to attribute 1"):
        estimate_frequencies(others, coin, feature=1)


# ---------------------------------------------------------------- who learns from it


@every_scheme
def test_naive_bayes_lets_who_was_asked_stand_for_all(name):
    X, y = some_records(name)
    coin, channels = scheme(name, 2, 6), channels_of(name, 2)
    R, z = coin.disguise(X, y.astype(int))
    nb = RandomizedResponseNB(coin).fit(R, z)
    rows = as_answers(coin.codes(R), channels)
    for j, label in product(range(3), (0, 1) if name != "coin, own class" else ()):
        channel = np.array(channels[j], dtype=float)
        square = channel.shape[0] == channel.shape[1]
        undo = np.linalg.inv(channel) if square else coin.when_asked().inverse_matrix(j)
        for value in range(sizes_of(name)[j]):
            expected = literal.pair_count(rows, z.tolist(), label, j, value, undo)
            assert nb.pair_count_[j, label, value] == pytest.approx(expected, abs=1e-9)
    if name in COINS:
        np.testing.assert_allclose(nb.pair_count_.sum(axis=(1, 2)), len(X))
    parts = RandomizedResponseNB(coin)
    for chunk in np.array_split(np.arange(len(X)), 3):
        parts.partial_fit(R[chunk], z[chunk], classes=[0, 1])
    np.testing.assert_allclose(parts.pair_count_, nb.pair_count_)


@pytest.mark.parametrize("class_group", [None, "own"])
def test_naive_bayes_of_all_asked_is_that_of_own_coins(class_group):
    X, y = some_records("coin")
    every = RandomizedResponse(0.8, asked=3, class_group=class_group, random_state=0)
    R, z = every.disguise(X, y.astype(int))
    own = RandomizedResponse(0.8, [[j] for j in range(3)], class_group)
    ours = RandomizedResponseNB(every).fit(R, z)
    theirs = RandomizedResponseNB(own).fit(R.astype(int), z)
    np.testing.assert_allclose(ours.pair_count_, theirs.pair_count_)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("name", ["coin", "mixed"])
def test_the_adversary_takes_every_choice_into_account(name):
    coin, channels, records = scheme(name, 2), channels_of(name, 2), records_of(name)
    released = scheme(name, 2, 3).transform(records)
    prior = np.arange(1, len(records) + 1) / np.arange(1, len(records) + 1).sum()
    guess = bayes_guess(coin, released, records, prior=prior)
    tables = [literal.releases(tuple(r), channels, 2) for r in records.tolist()]
    for row, said in enumerate(as_answers(coin.codes(released), channels)):
        chances = np.array([float(table.get(said, 0)) for table in tables])
        joint = prior * chances
        assert guess.candidates[row] == joint.argmax()
        assert guess.candidate_probabilities[row] == pytest.approx(joint.max() / joint.sum())


# ---------------------------------------------------------------- what is refused

ONE_OF_FOUR = RandomizedResponse(0.8, asked=1, random_state=0).fit(np.eye(4, dtype=int))
BITS = np.eye(4, dtype=int)[[0, 1, 2, 3, 0]]
REPORTS, CLASS, UNASKED = ONE_OF_FOUR.transform(BITS), [0, 1, 0, 1, 0], RandomizedResponse(0.8)
test_who_was_not_told_refuses_the_reports = refusals(
    *((lambda learner=learner: learner(UNASKED).fit(REPORTS, CLASS),
       r"X .*has 15 missing value\(s\).*asked=")
      for learner in (RandomizedResponseNB, RandomizedResponseTreeClassifier)),
    (lambda: CountNB(2).fit(REPORTS, CLASS), "missing"),
    (lambda: estimate_proportion(REPORTS, UNASKED, {0: 1}), "missing"),
    (lambda: clone(UNASKED).fit(BITS).codes(REPORTS), "missing"),
    (lambda: RandomizedResponseNB(ONE_OF_FOUR).fit(REPORTS, CLASS).predict(REPORTS), "missing"),
)  # fmt: skip
test_what_cannot_be_asked = refusals(
    ({"asked": 1, "groups": [[0, 1], [2], [3]]}, "groups must be None or a coin for each"),
    ({"asked": 1, "class_group": 0}, "class_group must be None or 'own'"),
    by=lambda how: RandomizedResponse(0.8, **how).fit(BITS),
)
NONE = np.nan
test_what_was_never_released = refusals(
    ("coin", [[0, 1, NONE]], r"released must have 1 answer.* got 2 at \(0,\)"),
    ("coin", [[0, NONE, NONE], [NONE] * 3], r"got 0 at \(1,\)"),
    ("mixed", [[0, 1, NONE, NONE]], r"released must have 1 answer.* got 2 at \(0,\)"),
    ("mixed", [[NONE, NONE, 1, NONE]], "missing"),
    ("mixed", [[NONE, 3, NONE, NONE]], "never seen: code 3"),
    by=lambda name, released: scheme(name, 1).codes(released),
)


def test_a_table_of_too_many_releases_is_refused(monkeypatch):
    """16 records, 24 releases: so many entries are allowed, one less are not."""
    records = np.array(list(product([0, 1], repeat=4)))
    coin = RandomizedResponse(0.8, asked=2).fit(records)  # 6 choices of two, 4 pairs of answers
    monkeypatch.setattr(internals, "_MOST_ENTRIES", 16 * 24)
    assert coin.record_parts(records)[0].matrix.shape == (24, 16)
    monkeypatch.setattr(internals, "_MOST_ENTRIES", 16 * 24 - 1)
    with pytest.raises(ValueError, match=r"records must have at most 383 .* got \(16, 24\)"):
        coin.record_parts(records)


def test_nothing_is_known_before_it_is_fitted():
    for name in SCHEMES.keys() - COINS:
        unfitted = clone(SCHEMES[name]).set_params(asked=1)
        for then in (unfitted.record_channels, unfitted.attribute_channels,
                     unfitted.channel_matrix, lambda u=unfitted: u.codes([[0, 1, 1]])):  # fmt: skip
            with pytest.raises(NotFittedError):
                then()
