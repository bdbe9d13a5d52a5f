"""Private releases beside others: the adversary who counts, and the stored tables."""

import numpy as np

from ppdm_book.experiments import load_table, private


def people(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, d)), rng.integers(0, 2, n)


def test_who_gets_exact_counts_tells_everybody():
    X, y = people()
    told = private.matched(private.pair_counts(X, y), X, y, np.random.default_rng(1))
    assert set(told) <= {0.5, 1.0}  # 1/2 where the other is the same
    assert told.mean() > 0.8


def test_who_gets_counts_of_other_people_guesses():
    X, y = people(400)
    rng = np.random.default_rng(2)
    means = []
    for seed in range(30):
        # a mirror of the counts' error in sign has the opposite success, but for ties
        noise = np.triu(np.random.default_rng(seed).normal(0, 300, (6, 6)))
        counts = private.pair_counts(X, y) + noise + noise.T
        means.append(private.matched(counts, X, y, rng).mean())
    # one release tells all alike, so the releases are the draws
    assert abs(np.mean(means) - 0.5) < 5 * np.std(means, ddof=1) / np.sqrt(30) + 0.01


def test_the_gap_is_that_of_the_literal_distances():
    X, y = people(20, 3, 3)
    noise = np.random.default_rng(4).normal(0, 1, (4, 4))
    counts = private.pair_counts(X, y) + noise + noise.T
    told = private.matched(counts, X, y, np.random.default_rng(5))
    bits, rng = np.column_stack([y, X]), np.random.default_rng(5)
    expected = np.empty(20)
    for label in np.unique(y):
        inside = np.flatnonzero(y == label)
        drawn = inside[rng.integers(inside.size, size=inside.size)]
        for i, other in zip(inside, drawn, strict=True):
            rest = np.delete(bits, i, axis=0)
            left = counts - rest.T @ rest
            away = [((left - np.outer(s, s)) ** 2).sum() for s in (bits[i], bits[other])]
            same = (bits[i] == bits[other]).all()
            expected[i] = 0.5 if same else float(away[0] < away[1])
    np.testing.assert_array_equal(told, expected)


def test_tables_are_whole():
    assert len(load_table("private_release")) == len(list(private.release_cases())) == 320
    others = load_table("private_others")
    assert len(others) == len(list(private.others_cases())) == 40
    # no more than epsilon allows, over ten releases
    mean = others.groupby("epsilon")["matched"].mean()
    assert (mean <= 1 / (1 + np.exp(-mean.index.to_numpy()))).all()
