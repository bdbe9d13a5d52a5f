"""The private generator: what it measures, what that costs, and what it draws."""

import itertools

import numpy as np
import pytest

from ppdm._accounting import rho_of
from ppdm.generation import PrivateTreeGenerator
from ppdm.generation._private_tree import _pair
from ppdm.privacy import audit_epsilon

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


def test_the_tree_is_that_of_the_chain():
    generator, _, _ = fitted()
    pairs = {frozenset(pair) for pair in generator.pairs_}
    # the three links and the pair that is apart are found; what joins the two is chance
    assert {frozenset(p) for p in [(-1, 0), (0, 1), (1, 2), (3, 4)]} <= pairs
    assert len(generator.pairs_) == 5
    seen = {-1}
    for parent, child in generator.pairs_:  # from the class outwards, each attribute once
        assert parent in seen
        assert child not in seen
        seen.add(child)


def test_without_noise_the_pairs_of_the_tree_are_those_of_the_data():
    generator, X, y = fitted()
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


def test_the_noise_has_the_stated_scales():
    n_fits, X, y = 400, *chain(500, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    rho = rho_of(50.0, 1e-5)
    sizes = [2, 2, 2, 2, 3, 3]
    shares, scales = [], set()
    for _ in range(n_fits):
        generator = PrivateTreeGenerator([2, 2, 2, 3, 3], 50.0, random_state=rng).fit(X, y)
        scales.add(generator.scales_)
        shares.append(generator._shares[4])
    # rho / 3 = 2 m / (2 s^2), with m = 6 tables of one attribute and 5 of pairs
    (single, double), = scales
    assert single == pytest.approx(np.sqrt(3 * 6 / rho))
    assert double == pytest.approx(np.sqrt(3 * 5 / rho))
    # share = (count + s z) / (n + s sum z): the error of a share p is s/n times that of
    # z - p sum z, whose variance is 1 - 2p + 3 p^2 with three values; terms in (s/n)^2 are left out
    p = np.bincount(X[:, 3], minlength=sizes[4]) / 500
    expected = single / 500 * np.sqrt(1 - 2 * p + 3 * p**2)
    # a standard deviation of 400 normal draws is off by 1/sqrt(800) of itself
    found = np.std(shares, axis=0, ddof=1)
    assert (abs(found / expected - 1) < 5 / np.sqrt(2 * n_fits)).all()


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


def told(epsilon, spent):
    """Audit what ten attributes tell of one record, with the noise of another epsilon."""
    y = np.array([0, 1] * 3)
    X = np.zeros((6, 10), dtype=int)
    other = X.copy()
    other[0] = 1

    def release(records, rng):
        generator = PrivateTreeGenerator(2, spent, random_state=rng).fit(records, y)
        # all that the changed record moves points the same way; whole numbers for the audit
        ones = sum(shares[1] for shares in generator._shares[1:])
        return np.round(2 * ones)

    return audit_epsilon(release, X, other, n_draws=600, delta=1e-5, random_state=4).lower_bound


def test_an_audit_finds_no_more_than_epsilon():
    assert told(1.0, spent=1.0) <= 1.0
    # and it would have found noise that is far too small
    assert told(1.0, spent=40.0) > 1.0


def test_nothing_of_the_data_is_kept_but_the_noisy_counts():
    generator, _, _ = fitted(epsilon=1.0)
    assert generator.box_.tolist() == [[0, 1]] * 3 + [[0, 2]] * 2
    kept = {name for name in vars(generator) if name.endswith("_") or name.startswith("_")}
    assert kept == {"box_", "classes_", "n_features_in_", "pairs_", "rho_", "scales_", "_shares",
                    "_given", "_n_original", "_frame", "_series"}
    for given in generator._given:
        np.testing.assert_allclose(given.sum(axis=1), 1)
        assert (given >= 0).all()


def test_the_seed_of_the_noise_is_not_that_of_the_draws():
    generator, _, _ = fitted(epsilon=1.0)
    first, again = generator.sample(50), generator.sample(50)
    np.testing.assert_array_equal(first[0], again[0])
    uniforms = np.random.default_rng(0).random(50)  # what sample() begins with
    below = generator._shares[0][0]
    assert (first[1] == (uniforms >= below)).all()
    noise = np.random.default_rng(0).standard_normal(2)
    told = generator.scales_[0] * noise
    counts = np.bincount(fitted()[2])
    assert not np.allclose(np.maximum(counts + told, 0) / (counts + told).sum(),
                           generator._shares[0])


def test_much_noise_leaves_legal_shares():
    X, y = chain(30, np.random.default_rng(5))
    generator = PrivateTreeGenerator([2, 2, 2, 3, 3], 0.01, random_state=6)
    generator.random_state = np.random.default_rng(6)
    for _ in range(30):
        generator.fit(X, y)
        for shares in generator._shares:
            assert shares.sum() == pytest.approx(1)
            assert (shares >= 0).all()


@pytest.mark.parametrize(("options", "message"), [
    ({"epsilon": 0}, "epsilon must be a finite number > 0, got 0"),
    ({"epsilon": -1}, "epsilon"), ({"epsilon": np.inf}, "epsilon"), ({"epsilon": "1"}, "epsilon"),
    ({"delta": 0}, "delta"), ({"delta": 1}, "delta"),
    ({"n_values": [2, 2]}, "n_values"),
    ({"n_values": 1}, "n_values"), ({"n_values": 2}, "X"),
])  # fmt: skip
def test_bad_input(options, message):
    X, y = chain(50, np.random.default_rng(7))
    given = {"n_values": [2, 2, 2, 3, 3], **options}
    with pytest.raises((ValueError, TypeError), match=message):
        PrivateTreeGenerator(**given).fit(X, y)
