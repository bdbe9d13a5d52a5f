"""Some answers a person: the draw, the channel, the inverse, and who reads it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from literal import asked as literal

from ppdm.attacks import bayes_guess
from ppdm.classifiers import RandomizedResponseNB, RandomizedResponseTreeClassifier
from ppdm.naive_bayes import CountNB
from ppdm.privacy import audit_epsilon, local_epsilon, record_information
from ppdm.randomized_response import RandomizedResponse, estimate_proportion
from ppdm.randomized_response import _asked as internals
from ppdm.reconstruction import em, invert

RECORDS = np.array(list(product([0, 1], repeat=3)))
CASES = [(theta, asked) for theta in (0.75, 0.25, 1.0) for asked in (1, 2, 3)]


def scheme(theta=0.75, asked=1, n_bits=3, seed=0, **how):
    found = RandomizedResponse(theta, asked=asked, random_state=seed, **how)
    return found.fit(np.zeros((1, n_bits), dtype=int))


def as_floats(said):
    return [np.nan if answer is None else float(answer) for answer in said]


def some_records(seed, n=300, d=4):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < 0.3).astype(int)
    return X, (X[:, 0] ^ (rng.random(n) < 0.2)).astype(int)


# ---------------------------------------------------------------- the draw


@pytest.mark.parametrize("seed", [1, "generator"])
def test_each_answers_so_many_and_the_lies_know_nothing_of_the_lot(seed):
    """A seed as an int must not draw the lot and the lies from the same numbers.

    20,000 records, two of three asked: each of the three choices a third, sd .0033; of the
    26,667 answers to ones 75% true, sd of a share of some 13,333 answers .0037. Five of them.
    """
    X = np.ones((20_000, 3), dtype=int)
    seed = np.random.default_rng(5) if seed == "generator" else seed
    R = scheme(0.75, 2, seed=seed).transform(X)
    told = ~np.isnan(R)
    assert R.dtype == np.float64
    assert (told.sum(axis=1) == 2).all()
    for j in range(3):
        assert abs((~told[:, j]).mean() - 1 / 3) < 5 * 0.0033
        assert abs(R[told[:, j], j].mean() - 0.75) < 5 * 0.0038


def test_a_class_with_its_own_coin_is_always_told():
    X, y = some_records(2, n=4_000)
    R, z = scheme(0.8, 1, 4, class_group="own").disguise(X, y)
    assert (np.isnan(R).sum(axis=1) == 3).all()
    assert z.dtype == y.dtype
    assert set(z.tolist()) == {0, 1}
    assert abs((z == y).mean() - 0.8) < 5 * 0.0064  # sd of a share of 4,000
    assert scheme(0.8, 1, 4).disguise(X, y)[1].tolist() == y.tolist()


# ---------------------------------------------------------------- the channel


@pytest.mark.parametrize(("theta", "asked"), CASES)
def test_the_likelihood_is_that_of_every_choice_and_toss(theta, asked):
    coin = scheme(theta, asked)
    channels = [literal.coin(Fraction(theta))] * 3
    tables = [literal.releases(tuple(r), channels, asked) for r in RECORDS.tolist()]
    said = sorted({s for table in tables for s in table}, key=str)
    expected = np.array([[float(t.get(s, 0)) for t in tables] for s in said])
    found = np.exp(coin.log_likelihood([as_floats(s) for s in said], RECORDS))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    (part,) = coin.record_parts(RECORDS)
    matrix = part.matrix.toarray()[:, part.values]
    np.testing.assert_allclose(matrix.sum(axis=0), 1)
    ours = sorted(tuple(row.round(12)) for row in matrix if row.any())
    assert ours == sorted(tuple(row.round(12)) for row in expected if row.any())
    assert part.columns.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("theta", "asked"), CASES)
def test_epsilon_is_that_of_so_many_answers(theta, asked):
    coin = scheme(theta, asked)
    exact = literal.epsilon(RECORDS.tolist(), [literal.coin(Fraction(theta))] * 3, asked)
    assert local_epsilon(coin) == pytest.approx(exact)
    alone = abs(np.log(theta / (1 - theta))) if theta < 1 else np.inf
    assert local_epsilon(coin) == pytest.approx(asked * alone)
    for changes in ("group", "attribute", "bit"):
        assert local_epsilon(coin, changes=changes) == pytest.approx(alone)
    own = scheme(theta, asked, class_group="own")
    assert local_epsilon(own) == pytest.approx((asked + 1) * alone)


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_what_an_attribute_tells_beside_the_others_is_its_own_channel(asked):
    """Of 000 and 100, that differ in one attribute, the releases tell as much as (3, 2) does."""
    coin = scheme(0.75, asked)
    (part,) = coin.record_parts([[0, 0, 0], [1, 0, 0]])
    both = part.matrix.toarray()[:, part.values]
    own = coin.attribute_channels()[0]
    ratios = [np.unique((m[:, 0] / m[:, 1]).round(9)) for m in (both[both.any(1)], own[own.any(1)])]
    np.testing.assert_allclose(*ratios)
    assert np.abs(np.diff(both)).sum() == pytest.approx(np.abs(np.diff(own)).sum())


def test_all_asked_is_a_coin_for_each():
    X, _ = some_records(3, n=60)
    every, each = scheme(0.7, 4, 4), RandomizedResponse(0.7, [[j] for j in range(4)]).fit(X)
    R = every.transform(X)
    np.testing.assert_allclose(every.log_likelihood(R, X), each.log_likelihood(R, X))
    np.testing.assert_allclose(every.channel_matrix()[:2], each.channel_matrix())
    told = [record_information(coin, X).degree for coin in (every, each)]
    assert told[0] == pytest.approx(told[1])


def test_an_answer_of_one_tells_a_part_of_one_bit():
    """One of four independent fair bits is told: I is that of one coin, H four bits."""
    every = np.array(list(product([0, 1], repeat=4)))
    found = record_information(scheme(0.75, 1, 4), every)
    entropy = -0.75 * np.log2(0.75) - 0.25 * np.log2(0.25)
    assert found.information == pytest.approx(1 - entropy)
    assert found.entropy == pytest.approx(4)


def test_an_audit_comes_near_and_not_above():
    coin = scheme(0.75, 2)

    def client(record, n, rng):
        return coin.set_params(random_state=rng).transform(np.tile(record, (n, 1)))

    asked = {"n_draws": 20_000, "batch": True, "channel": coin, "confidence": 1 - 1e-6}
    found = audit_epsilon(client, [0, 0, 0], [1, 1, 1], random_state=0, **asked)
    assert found.exact == pytest.approx(2 * np.log(3))
    # nine of ten guesses are right: the bound is 4.75 standard errors below the estimate
    error = ((found.right + found.wrong) * 0.9 * 0.1) ** -0.5
    assert error < 0.05
    assert found.exact - (4.75 + 4.5) * error < found.lower_bound < found.exact


# ---------------------------------------------------------------- the inverse


@pytest.mark.parametrize(("theta", "asked"), [(0.75, 1), (0.1, 2), (0.9, 4)])
def test_expected_counts_are_undone(theta, asked):
    coin, truth = scheme(theta, asked, 4), np.array([70.0, 30.0])
    expected = coin.channel_matrix() @ truth
    np.testing.assert_allclose(invert(coin, expected).counts, truth)
    found = em(coin, expected, stop="tol", tol=1e-9, max_iter=100_000)
    np.testing.assert_allclose(found.probabilities, [0.7, 0.3], atol=1e-4)
    np.testing.assert_allclose(coin.inverse_matrix().sum(axis=0), 1)  # the total is kept


def test_counts_of_reports():
    R = [[1, np.nan, np.nan], [np.nan, 0, np.nan], [0, np.nan, np.nan]]
    coin = scheme()
    assert coin.codes(R).tolist() == [[1, 2, 2], [2, 0, 2], [0, 2, 2]]
    assert coin.count(R).tolist() == [[1, 1, 1], [1, 0, 2], [0, 0, 3]]
    assert coin.count(np.array(R)[:, 0]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("class_group", [None, "own"])
def test_naive_bayes_counts_those_who_were_asked(class_group):
    X, y = some_records(4)
    theta, asked = 0.8, 2
    coin = scheme(theta, asked, 4, class_group=class_group)
    R, z = coin.disguise(X, y)
    nb = RandomizedResponseNB(coin).fit(R, z)
    if class_group is None:
        reports = [[None if np.isnan(v) else int(v) for v in row] for row in R]
        undo = np.array([[theta, theta - 1], [theta - 1, theta]]) / (2 * theta - 1)
        for j, label, value in product(range(4), (0, 1), (0, 1)):
            expected = literal.pair_count(reports, z.tolist(), label, j, value, undo)
            assert nb.pair_count_[j, label, value] == pytest.approx(expected)
    np.testing.assert_allclose(nb.pair_count_.sum(axis=(1, 2)), len(X))
    parts = RandomizedResponseNB(coin)
    for rows in np.array_split(np.arange(len(X)), 3):
        parts.partial_fit(R[rows], z[rows], classes=[0, 1])
    np.testing.assert_allclose(parts.pair_count_, nb.pair_count_)


@pytest.mark.parametrize("class_group", [None, "own"])
def test_naive_bayes_of_all_asked_is_that_of_own_coins(class_group):
    X, y = some_records(5)
    every = scheme(0.8, 4, 4, class_group=class_group)
    R, z = every.disguise(X, y)
    each = RandomizedResponse(0.8, [[j] for j in range(4)], class_group)
    ours = RandomizedResponseNB(every).fit(R, z)
    theirs = RandomizedResponseNB(each).fit(R.astype(int), z)
    np.testing.assert_allclose(ours.pair_count_, theirs.pair_count_)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_told_the_truth_the_counts_are_those_of_who_was_asked():
    """At theta 1 and nobody asked but the first attribute, the others are even."""
    R = np.array([[1, np.nan], [1, np.nan], [0, np.nan], [1, np.nan]])
    nb = RandomizedResponseNB(RandomizedResponse(1.0, asked=1)).fit(R, [0, 0, 0, 1])
    np.testing.assert_allclose(nb.pair_count_[0], [[1, 2], [0, 1]])
    np.testing.assert_allclose(nb.pair_count_[1], [[1.5, 1.5], [0.5, 0.5]])


# ---------------------------------------------------------------- who reads it


def test_the_adversary_takes_every_choice_into_account():
    coin = scheme(0.75, 2)
    released = scheme(0.75, 2, seed=3).transform(RECORDS)
    prior = np.arange(1, 9) / 36
    found = bayes_guess(coin, released, RECORDS, prior=prior)
    for row, said in enumerate(released):
        key = tuple(None if np.isnan(v) else int(v) for v in said)
        joint = np.array([
            p * float(literal.releases(tuple(r), [literal.coin(Fraction(3, 4))] * 3, 2).get(key, 0))
            for p, r in zip(prior, RECORDS.tolist(), strict=True)
        ])  # fmt: skip
        assert found.candidates[row] == joint.argmax()
        assert found.candidate_probabilities[row] == pytest.approx(joint.max() / joint.sum())


def test_who_was_not_told_refuses_the_reports():
    X, y = some_records(8, n=20)
    R = scheme(0.8, 1, 4).transform(X)
    unasked = RandomizedResponse(0.8)
    for learner in (RandomizedResponseNB(unasked), RandomizedResponseTreeClassifier(unasked)):
        with pytest.raises(ValueError, match=r"X .*has 60 missing value\(s\).*asked="):
            learner.fit(R, y)
    for refuses in (
        lambda: CountNB(2).fit(R, y),
        lambda: estimate_proportion(R, unasked, {0: 1}),
        lambda: RandomizedResponse(0.8).fit(X).codes(R),
        lambda: RandomizedResponse(0.8).fit(X).log_likelihood(R, X),
    ):
        with pytest.raises(ValueError, match="missing"):
            refuses()
    nb = RandomizedResponseNB(scheme(0.8, 1, 4)).fit(R, y)
    with pytest.raises(ValueError, match="missing"):
        nb.predict(R)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"asked": 5}, "asked must be"),
        ({"asked": 1, "groups": [[0, 1], [2], [3]]}, "groups must be None or a coin for each"),
        ({"asked": 1, "class_group": 0}, "class_group must be None or 'own'"),
    ],
)
def test_what_cannot_be_asked(how, message):
    X, y = some_records(9, n=10)
    with pytest.raises(ValueError, match=message):
        RandomizedResponse(0.8, **how).fit(X)
    with pytest.raises(ValueError, match=message):
        RandomizedResponseNB(RandomizedResponse(0.8, **how)).fit(scheme(0.8, 1, 4).transform(X), y)


@pytest.mark.parametrize(
    ("released", "message"),
    [
        ([[0, 1, np.nan]], r"released must have 1 answer.* got 2 at \(0,\)"),
        ([[0, np.nan, np.nan], [np.nan] * 3], r"got 0 at \(1,\)"),
        ([[2, np.nan, np.nan]], "released must hold only 0 and 1, got 2"),
        ([[0, np.nan]], r"released must have shape \(any, 3\), of 3 attribute"),
    ],
)
def test_what_was_never_released(released, message):
    with pytest.raises(ValueError, match=message):
        scheme().codes(released)
    nb = RandomizedResponseNB(scheme()).fit([[0, np.nan, np.nan]], [0])
    with pytest.raises(ValueError, match="X"):
        nb.partial_fit(released, [0] * len(released))


def test_a_table_of_too_many_releases_is_refused(monkeypatch):
    """16 records, 24 releases: so many entries are allowed, one less are not."""
    every = np.array(list(product([0, 1], repeat=4)))
    coin = scheme(0.8, 2, 4)  # 6 choices of two, 4 pairs of answers
    monkeypatch.setattr(internals, "_MOST_ENTRIES", 16 * 24)
    assert coin.record_parts(every)[0].matrix.shape == (24, 16)
    monkeypatch.setattr(internals, "_MOST_ENTRIES", 16 * 24 - 1)
    with pytest.raises(ValueError, match=r"records must have at most 383 .* got \(16, 24\)"):
        coin.record_parts(every)
