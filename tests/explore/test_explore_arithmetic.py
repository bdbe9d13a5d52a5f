"""The explorables' arithmetic against the package's, at every stop of every slider."""

import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from by_path import load
from headless import MARKS, running
from scipy.special import chdtri, ndtr

import ppdm_survey
from ppdm.attacks import bayes_guess, bayes_posterior
from ppdm.datasets import load_voting
from ppdm.exceptions import NegativeEstimateWarning
from ppdm.guidance import Guidance, bit_probabilities, log_likelihood, one_hot
from ppdm.noise import AdditiveNoise
from ppdm.privacy import (
    attribute_rank_change,
    attribute_rank_kept,
    local_epsilon,
    rank_kept,
    rank_position,
    value_difference,
)
from ppdm.randomized_response import RandomizedResponse, estimate_proportion
from ppdm.reconstruction import em

pytestmark = MARKS

EXPLORE = Path(__file__).parent.parent.parent / "book" / "_static" / "explore"
SCRIPTS = [
    Path(ppdm_survey.__file__).parent / "static" / "ppdm.js",
    *(EXPLORE / name for name in ("explore.js", "house.js", "explore_house.js")),
]
TIGHT = {"rtol": 1e-12, "atol": 1e-12}

COIN = """({ cases, draws }) => cases.map(([theta, n, share]) => {
  const { coin } = explore;
  const played = coin.play(share, theta, draws.slice(0, 2 * n));
  const ones = played.reports.reduce((a, b) => a + b, 0), found = coin.estimate(ones, n, theta);
  return [ones, found.share, found.error, coin.epsilon(theta), coin.belief(share, theta, 0),
    coin.belief(share, theta, 1), coin.times(share, theta)];
})"""
RECONSTRUCTION = """({ cases, kind, smooth, draws }) => cases.map(([shape, privacy, n]) => {
  const R = explore.reconstruction, channel = R.channel(kind, privacy), truth = R.truth(shape);
  const counts = R.counts(shape, kind, privacy, draws.slice(0, 4 * n)), kept = [];
  let p = R.start(), stop = 0;
  for (let step = 0; step <= R.steps.at(-1); step++) {
    if (R.steps.includes(step)) {
      kept.push([[...p], R.logLikelihood(channel, counts, p), R.distance(p, truth)]);
    }
    const next = R.step(channel, counts, p, smooth);
    if (!stop && R.moved(p, next, n) < R.limit) stop = step + 1;
    p = next;
  }
  return { channel: channel.map((row) => [...row]), counts: [...counts], truth, kept, stop };
})"""


@pytest.fixture(scope="module")
def run(chromium, tmp_path_factory):
    with running(chromium, tmp_path_factory.mktemp("page"), *SCRIPTS) as evaluate:
        yield evaluate


def stops(run, part, *names):
    return itertools.product(*run(f"() => {json.dumps(names)}.map((n) => explore.{part}[n])"))


def test_the_source_of_chance_is_mulberry32(run):
    def mulberry32(state, n):
        for _ in range(n):
            state = (state + 0x6D2B79F5) & 0xFFFFFFFF
            t = (state ^ (state >> 15)) * (state | 1) & 0xFFFFFFFF
            t ^= (t + ((t ^ (t >> 7)) * (t | 61) & 0xFFFFFFFF)) & 0xFFFFFFFF
            yield (t ^ (t >> 14)) / 2**32

    for seed in (0, 1, 2**32 - 1):
        assert run("(seed) => [...explore.uniforms(50, seed)]", seed) == list(mulberry32(seed, 50))


def test_the_coin(run):
    draws = np.random.default_rng(0).random((5000, 2))
    cases = list(stops(run, "coin", "thetas", "people", "shares"))
    got = run(COIN, {"cases": cases, "draws": draws.ravel().tolist()})
    for (theta, n, share), found in zip(cases, got, strict=True):
        bits = (draws[:n, 0] < share).astype(int)
        reports = np.where(draws[:n, 1] < theta, bits, 1 - bits)
        channel = [[theta, 1 - theta], [1 - theta, theta]]
        with warnings.catch_warnings():
            # an estimate below zero is shown as it is
            warnings.simplefilter("ignore", NegativeEstimateWarning)
            estimate = estimate_proportion(reports, theta)
        belief = np.asarray(bayes_posterior(channel, [1 - share, share]))
        # of n people: the variance of a share with the coin over that without
        r = share * theta + (1 - share) * (1 - theta)
        times = r * (1 - r) / (2 * theta - 1) ** 2 / (share * (1 - share))
        expected = [reports.sum(), estimate.proportion, estimate.standard_error,
                    local_epsilon(channel), belief[0, 1], belief[1, 1], times]
        np.testing.assert_allclose(found, expected, **TIGHT)


def test_the_normal_tail(run):
    t = np.concatenate([np.linspace(0, 8, 400), [2.5 * 2**0.5, 12.0]])
    got = run("(t) => t.map((x) => explore.upperTail(x))", t.tolist())
    np.testing.assert_allclose(got, ndtr(-t), rtol=1e-12, atol=1e-16)


def true_shares(shape):
    x = np.linspace(0, 1, 21)
    if shape == "plateau":
        return np.diff(np.clip(2 * x - 0.5, 0, 1))

    def triangle(v):  # the distribution function of the one on [0, .5]
        return np.where(v < 0.25, 8 * v**2, 1 - 8 * (0.5 - v) ** 2)

    return np.diff(np.where(x < 0.5, triangle(x), 1 + triangle(x - 0.5)) / 2)


def literal_values(shape, u, v):
    if shape == "plateau":
        return 0.25 + u / 2
    # the inverse of a triangle's distribution function on [0, .5]
    low = np.where(u < 0.5, np.sqrt(u / 2) / 2, 0.5 - np.sqrt((1 - u) / 2) / 2)
    return low + np.where(v < 0.5, 0.0, 0.5)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_the_reconstruction_at_every_step(run, kind, smooth):
    edges, n_most = np.linspace(0, 1, 21), 50_000
    draws = np.random.default_rng(1).random((n_most, 4))
    steps = run("() => explore.reconstruction.steps")
    cases = [(shape, privacy, n) for shape, privacy, n in
             stops(run, "reconstruction", "shapes", "privacies", "people")]
    assert max(n for *_, n in cases) == n_most
    got = run(
        RECONSTRUCTION,
        {"cases": cases, "kind": kind, "smooth": smooth, "draws": draws.ravel().tolist()},
    )
    for (shape, privacy, n), found in zip(cases, got, strict=True):
        bound = AdditiveNoise(kind, privacy=privacy, domain=[[0, 1]]).on(edges)
        matrix = bound.channel_matrix()
        np.testing.assert_allclose(found["channel"], matrix, **TIGHT)
        x = literal_values(shape, draws[:n, 0], draws[:n, 1])
        scale = privacy / 1.9 if kind == "uniform" else privacy / (2 * 1.959963984540054)
        u, v = draws[:n, 2], draws[:n, 3]
        y = 2 * u - 1 if kind == "uniform" else np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v)
        counts = np.asarray(bound.count((x + scale * y)[:, None])).ravel()
        assert found["counts"] == counts.tolist()
        result = em(matrix, counts, stop=None, max_iter=steps[-1], smooth=smooth)
        truth = true_shares(shape)
        np.testing.assert_allclose(found["truth"], truth, **TIGHT)
        for step, (p, fit, far) in zip(steps, found["kept"], strict=True):
            # each step carries the rounding of the last one on
            near = 1e-12 * max(1, step / 100)
            np.testing.assert_allclose(p, result.history[step], rtol=1e-9, atol=near)
            np.testing.assert_allclose(fit, result.log_likelihood[step], rtol=1e-12)
            np.testing.assert_allclose(far, abs(p - truth).sum() / 2, **TIGHT)
        assert found["stop"] == em(matrix, counts, stop="chi2", smooth=smooth).n_iter


def test_the_papers_limit_and_the_truth_of_the_draws(run):
    limit = run("() => explore.reconstruction.limit")
    assert abs(limit - 0.01 * chdtri(19, 0.05)) < 1e-12
    grid = (np.arange(200_000) + 0.5) / 200_000
    for shape in ("plateau", "triangles"):
        for v in (0.25, 0.75):  # either half of the values
            values = literal_values(shape, grid, np.full(grid.size, v))
            # equal steps of u: a share of each interval is off by at most two of them
            shares = np.histogram(values, np.linspace(0, 1, 21))[0] / grid.size
            truth = true_shares(shape)
            if shape == "triangles":
                truth = np.where(np.arange(20) // 10 == int(v > 0.5), 2 * truth, 0)
            assert abs(shares - truth).max() <= 2 / grid.size + 1e-12


def test_groups_of_votes(run):
    rng = np.random.default_rng(2)
    for theta in run("() => explore.groups.thetas"):
        own, apart, shared, alone = run(
            "(theta) => { const { groups: G } = explore; return [G.own(theta),"
            " G.record(Array(16).fill(1), theta), String(G.record([8, 8], theta)),"
            " G.record([1, 1, 1, 1], theta)]; }", theta)
        coin = RandomizedResponse(theta, [[j] for j in range(16)]).fit(np.zeros((1, 16), int))
        halves = RandomizedResponse(theta, [list(range(8)), list(range(8, 16))])
        np.testing.assert_allclose(own, local_epsilon(coin, changes="attribute"), **TIGHT)
        np.testing.assert_allclose(apart, local_epsilon(coin), **TIGHT)
        np.testing.assert_allclose(alone, apart / 4, **TIGHT)
        assert shared == "Infinity"
        assert local_epsilon(halves.fit(np.zeros((1, 16), int))) == np.inf
        for size in range(1, 9):
            yes, released = rng.uniform(0.02, 0.98, size), rng.integers(0, 2, size)
            told = run("([released, yes, theta]) => explore.groups.told(released, yes, theta)",
                       [released.tolist(), yes.tolist(), theta])
            pool = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
            prior = np.where(pool, yes, 1 - yes).prod(axis=1)
            one = RandomizedResponse(theta, [list(range(size))]).fit(pool)
            guess = bayes_guess(one, released[None, :], pool, prior=prior / prior.sum())
            likeliest = guess.candidate_probabilities[0]
            np.testing.assert_allclose(max(told, 1 - told), likeliest, **TIGHT)
            kept = (pool[guess.candidates[0]] == released).all()
            assert kept == (told > 0.5) or abs(told - 0.5) < 1e-9


DEALING = """({ reports, ages, group, counts }) => {
  const { dealing: D } = explore, truth = D.at(ages);
  const ways = [D.at(reports), D.dealParts(reports, reports.map(() => 0), truth),
    D.dealParts(reports, group, truth), D.deal(reports, counts)];
  return { truth, ways, gains: ways.map((at) => [1, 2].map((cut) => D.gain(at, group, cut))) };
}"""


def gini(classes):
    return 1 - ((np.bincount(classes, minlength=2) / max(len(classes), 1)) ** 2).sum()


def literal_deal(values, counts):
    at, left = {}, [interval for interval, count in enumerate(counts) for _ in range(count)]
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        at[i] = left.pop(0)
    return [at[i] for i in range(len(values))]


@pytest.mark.parametrize("seed", range(20))
def test_dealing(run, seed):
    rng = np.random.default_rng(seed)
    ages = rng.integers(20, 81, 12)  # cuts themselves, and equal values
    group = rng.permutation([0, 1] * 6)
    reports = ages + rng.integers(-32, 33, 12)
    counts = rng.multinomial(12, [1 / 3] * 3).tolist()
    given = {"reports": reports, "ages": ages, "group": group}
    got = run(DEALING, {**{k: v.tolist() for k, v in given.items()}, "counts": counts})
    truth, word = (np.digitize(values, [40, 60]) for values in (ages, reports))
    assert got["truth"] == truth.tolist()
    by_class = np.empty(12, dtype=int)
    for c in (0, 1):
        found = np.bincount(truth[group == c], minlength=3)
        by_class[group == c] = literal_deal(reports[group == c], found)
    ways = [word, literal_deal(reports, np.bincount(truth, minlength=3)), by_class,
            literal_deal(reports, counts)]
    assert got["ways"] == [list(map(int, way)) for way in ways]
    for way, gains in zip(map(np.array, ways), got["gains"], strict=True):
        for cut, gain in zip((1, 2), gains, strict=True):
            left, right = group[way < cut], group[way >= cut]
            both = (len(left) * gini(left) + len(right) * gini(right)) / 12
            assert abs(gain - (gini(group) - both)) < 1e-12


MEASURES = """({ table, draws }) => explore.measures.releases.map((name) => {
  const { measures: M } = explore, published = M.release(name, table, draws);
  const of = M.of(table, published);
  return { name, published, of, hidden: M.private(of), itself: M.of(table, table) };
})"""


@pytest.mark.parametrize("seed", range(5))
def test_the_five_measures_of_what_is_published(run, seed):
    made = load("book/_make/explore_data.py").women()
    table, rng = np.array(made["rows"]), np.random.default_rng(seed)
    draws = rng.random(table.size)
    five = [value_difference, rank_position, rank_kept, attribute_rank_change, attribute_rank_kept]
    expected = {"flipped": 1000 - table, "doubled": 2 * table,
                "shuffled": table[draws[:len(table)].argsort()],
                "nowhere": draws.reshape(table.shape)}
    got = run(MEASURES, {"table": table.tolist(), "draws": draws.tolist()})
    assert {each["name"] for each in got} == set(expected)
    for each in got:
        published = np.array(each["published"])
        assert published.tolist() == expected[each["name"]].tolist()
        np.testing.assert_allclose(each["of"], [f(table, published) for f in five], **TIGHT)
        assert each["itself"] == [f(table, table) for f in five]
        signs = np.sign(np.subtract(each["of"], each["itself"])) * [1, 1, -1, 1, -1]
        assert each["hidden"] == (signs > 0).tolist()


@pytest.fixture(scope="module")
def house():
    """Votes, parties, the votes as bits, and the guidance of all of them."""
    votes = load_voting(fill="mode")
    records, party = votes.data.astype(int), np.asarray(votes.target)
    bits = one_hot(records, [2] * 16)
    return records, party, bits, Guidance(32).update(bits, party)


def test_the_house_and_its_guidance(run, house):
    records, party, _, guidance = house
    assert run("() => exploreMembers.votes") == records.tolist()
    assert run("() => exploreMembers.party") == party.tolist()
    shares = [records[party == side].mean(axis=0) for side in (0, 1)]
    np.testing.assert_allclose(run("() => exploreMembers.shares"), shares, **TIGHT)
    A, values, W = run(
        "() => { const A = explore.guidance.difference(exploreMembers.votes, exploreMembers.party);"
        " const { finish, guidance } = explore, { values } = finish(guidance.eigen(A));"
        " return [A.map((row) => [...row]), values, finish(guidance.directions(A, 17))]; }")
    assert guidance.A.tolist() == A
    np.testing.assert_allclose(values[:17], guidance.eigenvalues[:17], rtol=1e-12)
    W = np.array(W)
    for k in range(1, 18):  # the sign of a column is free: compare the projectors
        V = guidance.vectors(k)
        # an eigenvector turns by the error of the matrix over the gap to the next eigenvalue,
        # 32 eps 300 / gap; the smallest gap of these 17 is above 0.1
        assert abs(W[:, :k] @ W[:, :k].T - V @ V.T).max() < 1e-11


@pytest.mark.parametrize("k", range(1, 18))
def test_what_two_adversaries_believe(run, house, k):
    *_, bits, guidance = house
    V, t = guidance.vectors(k), bits[[7 * k]]
    R = (np.random.default_rng(k).random(32) < bit_probabilities(t, V)[0]).astype(int)
    chances, apart, posterior = run(
        "([R, V, t, other]) => [ppdm.bitProbabilities(t, V), explore.guidance.apart(V, other),"
        " explore.finish(explore.guidance.posterior(R, exploreMembers.votes, V))]",
        [R.tolist(), V.tolist(), t[0].tolist(), V[::-1].tolist()])
    np.testing.assert_allclose(chances, bit_probabilities(t, V)[0], **TIGHT)
    logs = log_likelihood(R[None, :], bits, V)[0]
    weights = np.exp(logs - logs.max())
    np.testing.assert_allclose(posterior, weights / weights.sum(), **TIGHT)
    np.testing.assert_allclose(apart, abs(V @ V.T - V[::-1] @ V[::-1].T).max(), **TIGHT)


@pytest.mark.parametrize(("k", "draws"), [(1, 1), (4, 1), (4, 3)])
def test_what_one_believes_who_knew_nothing(run, house, k, draws):
    V = house[-1].vectors(k)
    R = (np.random.default_rng(3).random((draws, 32)) < 0.5).astype(int)
    found, got = run("([R, V]) => { const found = explore.finish(explore.guidance.blind(R, V));"
                     " return [[...found], [...explore.guidance.yes(found, 16)]]; }",
                     [R.tolist(), V.tolist()])
    everybody = (np.arange(2**16)[:, None] >> np.arange(16)) & 1
    weights = np.zeros(2**16)
    for part in np.array_split(np.arange(2**16), 8):
        bits = one_hot(everybody[part], [2] * 16)
        weights[part] = log_likelihood(R, bits, V).sum(axis=0)
    weights = np.exp(weights - weights.max())
    # 65,536 steps from one record to the next add up their rounding
    np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-9)
    np.testing.assert_allclose(got, weights @ everybody / weights.sum(), atol=1e-9)
