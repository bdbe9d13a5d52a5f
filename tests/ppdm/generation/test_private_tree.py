"""The private generator: what it measures, what that costs, and what it draws."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_ndtr

from ppdm.generation import PrivateTreeGenerator
from ppdm.generation._private_tree import _pair, log_delta, rho_of
from ppdm.naive_bayes import CountNB

#: Hardly any noise: what is left is the tree itself.
CLEAR = {"epsilon": 1e7, "delta": 1e-5}


def chain(n, rng):
    """y -> a -> b -> c, each a copy that errs now and then; d and e are alike and apart."""
    y = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.9, y, 1 - y)
    b = np.where(rng.random(n) < 0.85, a, 1 - a)
    c = np.where(rng.random(n) < 0.8, b, 1 - b)
    d = rng.integers(0, 3, n)
    e = np.where(rng.random(n) < 0.7, d, rng.integers(0, 3, n))
    return np.column_stack([a, b, c, d, e]), y


def fitted(n=4000, seed=0, **options):
    X, y = chain(n, np.random.default_rng(seed))
    generator = PrivateTreeGenerator([2, 2, 2, 3, 3], random_state=seed, **{**CLEAR, **options})
    return generator.fit(X, y), X, y


def test_without_noise_the_tree_is_that_of_the_chain_and_draws_its_pairs():
    generator, X, y = fitted()
    pairs = {frozenset(pair) for pair in generator.pairs_}
    # the three links and the pair that is apart are found; what joins the two is chance
    assert {frozenset(p) for p in [(-1, 0), (0, 1), (1, 2), (3, 4)]} <= pairs
    assert len(generator.pairs_) == 5
    seen = {-1}
    for parent, child in generator.pairs_:  # from the class outwards, each attribute once
        assert parent in seen
        assert child not in seen
        seen.add(child)
    n = 200_000
    X_new, y_new = generator.sample(n)
    old, new = np.column_stack([y, X]), np.column_stack([y_new, X_new]).astype(int)
    sizes = [2, 2, 2, 2, 3, 3]
    for parent, child in generator.pairs_:
        shares = [_pair(t, sizes, parent + 1, child + 1) / len(t) for t in (old, new)]
        # a share of n draws has a standard error of at most 1/2 n^-1/2: 45 cells, 5 errors
        assert abs(shares[0] - shares[1]).max() < 5 * 0.5 / n**0.5
    # and c, two links away from the class, still hangs together with it as in the data
    far = [np.corrcoef(t[:, 0], t[:, 3])[0, 1] for t in (old, new)]
    # the data's own correlation has an error of 4000^-1/2 about the chain's
    assert abs(far[0] - far[1]) < 5 * 4000**-0.5


def test_the_stated_scales_spend_a_third_of_rho_each():
    # rho / 3 = 2 m / (2 s^2), with m = 6 tables of one attribute and 5 of pairs; that the noises
    # have these scales is a promise of test_promises.py
    X, y = chain(500, np.random.default_rng(1))
    single, double = PrivateTreeGenerator([2, 2, 2, 3, 3], 50.0, random_state=2).fit(X, y).scales_
    rho = rho_of(50.0, 1e-5)
    assert single == pytest.approx(np.sqrt(3 * 6 / rho))
    assert double == pytest.approx(np.sqrt(3 * 5 / rho))


def test_a_score_moves_by_two_at_most():
    # the sensitivity on which the choice of pairs relies, over all changes of one record
    rng = np.random.default_rng(3)
    table, sizes = rng.integers(0, 3, (6, 2)), [3, 3]
    expected = 6 * np.outer(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3)))
    score = np.abs(_pair(table, sizes, 0, 1) - expected).sum()
    moves = []
    for row, (a, b) in itertools.product(range(6), itertools.product(range(3), repeat=2)):
        other = table.copy()
        other[row] = a, b
        moves.append(abs(np.abs(_pair(other, sizes, 0, 1) - expected).sum() - score))
    assert 0.5 < max(moves) <= 2 + 1e-12


def test_nothing_of_the_data_is_kept_but_the_noisy_counts():
    generator, _, _ = fitted(epsilon=1.0)
    assert generator.box_.tolist() == [[0, 1]] * 3 + [[0, 2]] * 2
    kept = {name for name in vars(generator) if name.endswith("_") or name.startswith("_")}
    assert kept == {"box_", "classes_", "n_features_in_", "pairs_", "rho_", "scales_", "_shares",
                    "_given", "_n_original", "_frame", "_series", "categories_", "_kinds"}
    assert generator.categories_ is None
    assert generator._kinds == {}
    X, y = chain(30, np.random.default_rng(5))
    noisy = PrivateTreeGenerator([2, 2, 2, 3, 3], 0.01, random_state=np.random.default_rng(6))
    for each in (generator, *(noisy.fit(X, y) for _ in range(30))):  # legal under much noise, too
        for shares in (*each._shares, *each._given):
            np.testing.assert_allclose(shares.sum(axis=-1), 1)
            assert (shares >= 0).all()


def test_the_seed_of_the_noise_is_not_that_of_the_draws():
    own = np.random.SeedSequence(0, spawn_key=tuple(b"PrivateTreeGenerator"))
    generator, _, _ = fitted(epsilon=1.0)
    first, again = generator.sample(50), generator.sample(50)
    np.testing.assert_array_equal(first[0], again[0])
    uniforms = np.random.default_rng(own).random(50)  # what sample() begins with
    below = generator._shares[0][0]
    assert (first[1] == (uniforms >= below)).all()
    noise = np.random.default_rng(own).standard_normal(2)
    told = generator.scales_[0] * noise
    counts = np.bincount(fitted()[2])
    assert not np.allclose(np.maximum(counts + told, 0) / (counts + told).sum(),
                           generator._shares[0])


SIZES, COLOURS = ["S", "M", "L"], ["red", "blue", "green", "pink"]  # nobody wears pink


def wardrobe(n=500):
    """Sizes in their order, colours, and whether the coat was sold: codes, and the frame."""
    codes, y = chain(n, np.random.default_rng(8))
    codes = codes[:, [3, 4, 0]]
    frame = pd.DataFrame({
        "size": pd.Categorical.from_codes(codes[:, 0], SIZES, ordered=True),
        "colour": pd.Categorical.from_codes(codes[:, 1], COLOURS),
        "sold": codes[:, 2],
    }, index=np.arange(n) + 7)  # fmt: skip
    return codes, frame, pd.Series(np.where(y, "yes", "no"), index=frame.index, name="again")


def test_labels_come_back_as_labels_and_a_frame_as_a_frame():
    # catches codes that lose their labels, and records that differ from those of the codes
    codes, frame, y = wardrobe()
    wanted, y_wanted = PrivateTreeGenerator([3, 4, 2], random_state=0).fit_resample(codes, y)
    released, y_released = PrivateTreeGenerator([3, 4, 2], random_state=0).fit_resample(frame, y)
    assert released.columns.tolist() == ["size", "colour", "sold"]
    assert released.dtypes.tolist() == frame.dtypes.tolist()  # the order of the sizes, too
    for j, name in enumerate(["size", "colour"]):
        np.testing.assert_array_equal(released[name].cat.codes, wanted[:, j])
    np.testing.assert_array_equal(released["sold"], wanted[:, 2])
    pd.testing.assert_series_equal(y_released, y_wanted)
    assert y_released.name == "again"
    # what comes out goes in again, and into a learner
    again = PrivateTreeGenerator([3, 4, 2]).fit(released, y_released)
    assert again.categories_[1].tolist() == COLOURS
    CountNB().fit(released, y_released)


@pytest.mark.parametrize("kind", ["bool", "boolean"])
def test_bools_come_back_as_bools_alone_or_not(kind):
    _, frame, y = wardrobe()
    frame["sold"] = frame["sold"].astype(kind)
    sizes = {"sold": 2, "size": 3, "colour": 4}
    for columns in (["sold"], ["sold", "size", "colour"]):
        X = frame[columns]
        generator = PrivateTreeGenerator([sizes[name] for name in columns], random_state=0)
        released, _ = generator.fit_resample(X, y)
        assert released.dtypes.tolist() == X.dtypes.tolist()
        assert abs(released["sold"].mean() - X["sold"].mean()) < 0.15
    bits = frame[["sold"]].to_numpy(dtype=bool)
    assert PrivateTreeGenerator(random_state=0).fit_resample(bits, y)[0].dtype == bool
    # of three public values one is no bool
    assert PrivateTreeGenerator(3, random_state=0).fit_resample(bits, y)[0].dtype == float


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.MissingClassWarning")
def test_texts_come_back_as_texts_of_the_given_categories():
    # so much noise that each category comes, and now and then a class does not
    codes, frame, y = wardrobe()
    texts = frame[["size", "colour"]].astype(str).to_numpy()
    given = {"categories": [SIZES, COLOURS], "epsilon": 0.05, "random_state": 1}
    on_codes = PrivateTreeGenerator([3, 4], 0.05, random_state=1).fit(codes[:, :2], y)
    wanted, _ = on_codes.sample(2000)
    for X in (texts, texts.tolist(), texts.astype(object)):
        released, _ = PrivateTreeGenerator(**given).fit(X, y).sample(2000)
        for j, known in enumerate((SIZES, COLOURS)):
            found = np.array(known)[wanted[:, j].astype(int)]
            np.testing.assert_array_equal(released[:, j], found)


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.MissingClassWarning")
def test_given_categories_come_before_declared_ones():
    # a Categorical may declare what occurs; that is not kept where the public ones are given
    _, frame, y = wardrobe(100)
    few = frame[["colour"]].apply(lambda column: column.cat.remove_unused_categories())
    rng, seen = np.random.default_rng(1), set()
    for _ in range(60):
        generator = PrivateTreeGenerator(categories=[COLOURS], epsilon=0.05, random_state=rng)
        released, _ = generator.fit(few, y).sample(200)
        assert released["colour"].cat.categories.tolist() == COLOURS
        seen |= set(released["colour"])
    # noise lifts a count of 0 in half of all fits, and in half of these the pair's: .75^60
    assert "pink" in seen


def test_a_scheme_learns_no_categories_from_what_it_hides():
    _, frame, y = wardrobe(50)
    texts = frame[["size", "colour"]].astype(str)
    with pytest.raises(TypeError, match="got texts in attribute 'size': give the public categor"):
        PrivateTreeGenerator().fit(texts, y)
    with pytest.raises(TypeError, match="n_values must be an integer, got None"):
        PrivateTreeGenerator().fit(frame, y)  # sold or not has no categories


@pytest.mark.parametrize("rho", [1e-4, 0.03, 1.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_least_over_all_orders(rho, epsilon):
    over = np.exp(np.linspace(-12, 15, 400_001))  # alpha - 1
    alpha = 1 + over
    exponents = over * (alpha * rho - epsilon) + alpha * np.log(over / alpha) - np.log(over)
    # a grid finds nothing lower, and misses the least by less than a thousandth
    assert exponents.min() - 1e-3 < log_delta(rho, epsilon) <= min(exponents.min(), 0) + 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.01, 0.5])
def test_the_largest_budget_within_epsilon_and_delta(epsilon, delta):
    rho = rho_of(epsilon, delta)
    assert log_delta(rho, epsilon) == pytest.approx(np.log(delta), abs=1e-6)
    assert log_delta(1.01 * rho, epsilon) > np.log(delta)
    # Gaussian noise of this rho has a smaller delta: what is said of all mechanisms of a rho
    # is said of it. Its exact one is that of Balle and Wang.
    ratio = np.sqrt(2 * rho)
    exact = np.exp(log_ndtr(ratio / 2 - epsilon / ratio)) - np.exp(
        epsilon + log_ndtr(-ratio / 2 - epsilon / ratio))
    assert 0 < exact <= delta
