"""Each release with an epsilon has the law that the epsilon is derived from.

An audit bounds epsilon from below, and cannot see that half of the noise is left out. So the law is
tested: how often each release comes, through ``fit``, against chances that are written down here by
hand from the papers. Each noise of the private generator is tested by itself.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from literal import square_wave as literal
from literal.asked import kary, of_bits
from public_doors import DOORS
from scipy import stats
from scipy.special import softmax

from ppdm import noise
from ppdm import randomized_response as rr
from ppdm.generation import PrivateTreeGenerator
from ppdm.generation._private_tree import _noisy, _pair, rho_of

N = 100_000
EPSILON = 1.3
E = np.exp(EPSILON)
CUTS = np.linspace(-2, 3, 41)  # for noise on [0, 1]


def codes(scheme):
    """Return the released codes of records that all have the value 1, (N,)."""
    def draw(rng):
        said = scheme(rng).fit_transform(np.ones((N, 1), dtype=int))
        return said @ 2 ** np.arange(said.shape[1])[::-1]

    return draw


def cells(scheme, low, high, value):
    """Return the cells of released numbers, the range brought to [0, 1]."""
    def draw(rng):
        said = scheme(rng).fit_transform(np.full((N, 1), value))
        return np.digitize((said[:, 0] - low) / (high - low), CUTS)

    return draw


def memoized(rng):
    memo = rr.MemoizedResponse(3, EPSILON, 0.7, random_state=rng)
    return memo.report(np.ones((N, 1), dtype=int))[:, 0]


def windows(of_paper, low, high, t):
    """Return P[cell] of a paper's windows, its domain brought to [0, 1]."""
    parts = of_paper(EPSILON, t)

    def below(x):
        at = low + x * (high - low)
        return sum(d * np.clip(at - start, 0, end - start) for start, end, d in parts)

    return np.diff([0, *map(below, CUTS), 1])


#: Every release of a record with an epsilon: how it is drawn, and its law by hand.
RELEASES = {
    "AdditiveNoise": (
        cells(lambda rng: noise.AdditiveNoise(
            "laplace", domain=[[10, 30]], epsilon=EPSILON, random_state=rng), 10, 30, 15.0),
        np.diff([0, *stats.laplace(0.25, 1 / EPSILON).cdf(CUTS), 1])),
    "SquareWave": (
        cells(lambda rng: noise.SquareWave(EPSILON, [[10, 30]], rng), 10, 30, 15.0),
        windows(literal.square_wave_windows, 0, 1, 0.25)),
    "Piecewise": (
        cells(lambda rng: noise.Piecewise(EPSILON, [[10, 30]], rng), 10, 30, 15.0),
        windows(literal.piecewise_windows, -1, 1, -0.5)),
    "RandomizedResponse": (
        codes(lambda rng: rr.RandomizedResponse(epsilon=EPSILON, groups=[[0]], random_state=rng)),
        kary(2, EPSILON)[:, 1]),
    "CategoricalRandomizedResponse": (
        codes(lambda rng: rr.CategoricalRandomizedResponse(4, epsilon=EPSILON, random_state=rng)),
        kary(4, EPSILON)[:, 1]),
    "UnaryEncoding": (
        codes(lambda rng: rr.UnaryEncoding(3, epsilon=EPSILON, random_state=rng)),
        of_bits(3, 0.5, 1 / (E + 1))[:, 1]),
    "HadamardResponse": (  # columns whose sign in row 2 is positive: bit 1 is not set
        codes(lambda rng: rr.HadamardResponse(3, EPSILON, random_state=rng)),
        np.array([E, E, 1, 1]) / (2 * (E + 1))),
    "MixedResponse": (
        codes(lambda rng: rr.MixedResponse(
            [rr.CategoricalRandomizedResponse(3)], epsilon=EPSILON, random_state=rng)),
        kary(3, EPSILON)[:, 1]),
    "MemoizedResponse": (memoized, kary(3, 0.7) @ kary(3, EPSILON)[:, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", RELEASES)
def test_each_release_comes_as_often_as_its_law_says(name):
    """Half the epsilon, or twice, moves a chance of 1/2 or so by a fifth: 60 standard errors."""
    draw, exact = RELEASES[name]
    assert exact.sum() == pytest.approx(1)
    found = np.bincount(draw(np.random.default_rng(0)), minlength=len(exact))
    # five standard deviations, and one more count for chances below a few in a hundred thousand
    assert (np.abs(found - N * exact) < 5 * np.sqrt(N * exact * (1 - exact)) + 1).all()


def test_no_release_with_an_epsilon_is_forgotten():
    rooms = ("noise", "randomized_response", "generation", "svd", "protocol", "guidance")
    told = {name.partition(".")[2] for name, door in DOORS.items()
            if name.startswith(rooms) and inspect.isclass(door)
            and {"epsilon", "permanent"} & set(inspect.signature(door).parameters)}  # fmt: skip
    assert told - {"PrivateTreeGenerator"} == set(RELEASES)


# the private generator


N_FITS = 400


def fits(X, y, sizes, epsilon, n_fits=N_FITS):
    rng = np.random.default_rng(0)
    for _ in range(n_fits):
        yield PrivateTreeGenerator(sizes, epsilon, random_state=rng).fit(X, y)


def spread_of_shares(counts, scale):
    """Return the standard deviation of shares of noisy counts, to the first order.

    share = (count + s z) / (n + s sum z): the error of a share p of k is s / n times that of
    z - p sum z, whose variance is 1 - 2 p + k p^2.
    """
    p = counts / counts.sum()
    return scale / counts.sum() * np.sqrt(1 - 2 * p + len(p) * p**2)


def test_single_counts_and_counts_of_pairs_have_each_their_noise():
    """One attribute, so one pair: a third of rho is 2 (d + 1) / (2 s^2), or 2 d / (2 s^2), d = 1.

    Without one of the two noises its spread is 0, and with half of it half; each is compared with
    the spread by hand to 5 standard errors, 18%, of a standard deviation of 400 draws. What was
    left out of the first order is (s / n)^2, a hundredth.
    """
    table = np.array([[1500, 900, 600], [400, 600, 1000]])
    y = np.repeat([0, 1], table.sum(axis=1))
    X = np.concatenate([np.repeat([0, 1, 2], row) for row in table])
    single, pairs = [], []
    for generator in fits(X[:, np.newaxis], y, [3], epsilon := 1.0):
        single.append(np.concatenate(generator._shares))
        pairs.append(generator._given[0])
    third = rho_of(epsilon, 1e-5) / 3
    s_single, s_pairs = np.sqrt(2 / third), np.sqrt(1 / third)
    exact = np.concatenate([spread_of_shares(table.sum(axis=k), s_single) for k in (1, 0)])
    error = 5 / np.sqrt(2 * N_FITS)
    assert (np.abs(np.std(single, axis=0, ddof=1) / exact - 1) < error).all()
    exact = np.array([spread_of_shares(row, s_pairs) for row in table])
    assert (np.abs(np.std(pairs, axis=0, ddof=1) / exact - 1) < error).all()
    # and noises are independent of each other: a correlation has an error of 1 / sqrt(400)
    joined = np.column_stack([np.array(single)[:, [0, 2, 3]], np.array(pairs)[:, :, 0]])
    between = np.corrcoef(joined.T) - np.eye(5)
    between[1, 2] = between[2, 1] = 0  # two shares of one attribute
    assert np.abs(between).max() < 5 / np.sqrt(N_FITS)


def test_the_first_pair_is_chosen_by_the_exponential_mechanism():
    """Two attributes: given the noisy shares a choice at epsilon has odds e^(epsilon score / 4).

    The chances of a fit follow from its noisy shares, which it keeps. The choices that were made
    are compared with their sum, five standard deviations; without Gumbel noise all go one way, and
    with half of it, or with twice the epsilon, the odds are squared.
    """
    y = np.repeat([0, 1], 200)
    a, b = (np.repeat([0, 1, 0, 1], [100 + t, 100 - t, 100 - t, 100 + t]) for t in (16, 10))
    chosen, chances = [], []
    epsilon = np.sqrt(8 * rho_of(1.0, 1e-5) / 3 / 2)  # a third of rho for d = 2 choices
    for generator in fits(np.column_stack([a, b]), y, [2, 2], 1.0, 1000):
        score = []
        for j, column in enumerate((a, b)):
            table = np.histogram2d(y, column, bins=2)[0]
            apart = 400 * np.outer(generator._shares[0], generator._shares[j + 1])
            score.append(np.abs(table - apart).sum())
        assert generator.pairs_[0][0] == -1
        chosen.append(generator.pairs_[0][1] == 0)
        chances.append(softmax(epsilon / 4 * np.array(score))[0])
    p = np.array(chances)
    # in the fits where one is likelier, too, which a noise that is too small gives it more often
    for some in (slice(None), p > 0.5, p > 0.7):
        error = np.sqrt((p[some] * (1 - p[some])).sum())
        assert abs(np.sum(np.array(chosen)[some]) - p[some].sum()) < 5 * error
    # there the odds squared would be seen
    squared = p**2 / (p**2 + (1 - p) ** 2)
    assert (squared - p)[p > 0.5].sum() > 7 * np.sqrt((p * (1 - p))[p > 0.5].sum())


# the set of classes


RARE = np.array(["no", "yes"] * 50 + ["rare"])
BITS = np.random.default_rng(9).integers(0, 2, (101, 3))


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.MissingClassWarning")
def test_public_classes_do_not_tell_that_one_person_has_one():
    """Once a rare class came in half of the releases where a record had it, and else never."""
    public = ["no", "rare", "yes"]
    y = {True: RARE, False: np.where(RARE == "rare", "no", RARE)}
    for given in ("parameter", "Categorical"):
        rng, times = np.random.default_rng(10), {}
        for there, labels in y.items():
            declared = pd.Series(pd.Categorical(labels, categories=public))
            told, labels = (public, labels) if given == "parameter" else (None, declared)
            scheme = PrivateTreeGenerator(2, 1.0, classes=told, random_state=rng)
            seen = [(scheme.fit_resample(BITS, labels)[1] == "rare").any() for _ in range(200)]
            assert scheme.classes_.tolist() == public
            times[there] = np.mean(seen)
        # noise lifts one record and none alike; each share has an error of .035 at most, and one
        # record moves a count by a twelfth of its noise, which moves the share by .033
        assert times[False] > 0.3
        assert abs(times[True] - times[False]) < 5 * 0.05 + 0.033


def test_classes_are_checked_and_without_them_taken_from_the_data():
    assert PrivateTreeGenerator(2).fit(BITS, RARE).classes_.tolist() == ["no", "rare", "yes"]
    one = PrivateTreeGenerator(2, classes=["yes", "no"]).fit(BITS[:4], ["yes"] * 4)
    assert one.classes_.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match=r"among classes \['no', 'yes'\], got \['rare'\]"):
        PrivateTreeGenerator(2, classes=["yes", "no"]).fit(BITS, RARE)
    with pytest.raises(ValueError, match=r"y must hold two classes or more, .*got \['yes'\]"):
        PrivateTreeGenerator(2, classes=["yes"]).fit(BITS[:4], ["yes"] * 4)


def test_a_pair_that_nobody_has_is_as_noisy_as_any():
    # Catches: noise where the true count is above zero alone, so that one record shows
    n, X, y = 300, np.zeros((200, 1), dtype=int), np.arange(200) % 2
    above = [made._given[0][0, 1] > 0 for made in fits(X, y, 2, 1.0, n)]
    assert abs(np.mean(above) - 0.5) < 5 * np.sqrt(0.25 / n)


def test_a_row_that_noise_left_empty_takes_the_noisy_shares():
    # Catches: the exact shares in their place. Both cells of an absent class fall below zero in a
    # quarter of all fits.
    n, X, y = 300, np.arange(200)[:, np.newaxis] % 2, np.arange(200) % 2
    rng = np.random.default_rng(0)
    made = (PrivateTreeGenerator(2, 1.0, classes=[0, 1, 2], random_state=rng).fit(X, y)
            for _ in range(n))
    empty = [np.allclose(one._given[0][2], one._shares[1], atol=1e-12) for one in made]
    assert abs(np.mean(empty) - 0.25) < 5 * np.sqrt(0.25 * 0.75 / n)


def test_a_score_is_against_the_noisy_shares():
    # Catches: the exact ones, by which a record moves a score by more than two
    class Still:
        def gumbel(self, size):
            return np.zeros(size)

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([y ^ (rng.random(400) < 0.2), rng.random(400) < 0.5]).astype(int)
    made = PrivateTreeGenerator(2, 1.0, random_state=0).fit(X, y)
    table, sizes = np.column_stack([y, X]), [2, 2, 2]

    def first(shares):
        gaps = [np.abs(_pair(table, sizes, 0, b) - 400 * np.outer(shares[0], shares[b])).sum()
                for b in (1, 2)]
        return 1 + int(np.argmax(gaps))

    exact = [np.bincount(column, minlength=2) / 400 for column in table.T]
    made._shares = [exact[0], exact[1], np.array([0.9, 0.1])]
    assert first(exact) == 1
    assert first(made._shares) == 2
    assert made._tree(table, sizes, 1.0, Still())[0] == (0, 2)


def test_counts_one_apart_lie_in_the_same_cells_at_every_scale():
    # Catches: cells wider than one, in which a count shows by its remainder
    found = _noisy(np.zeros(4000, dtype=int), 1e4, np.random.default_rng(0))
    assert np.unique(found % 8).size == 8
