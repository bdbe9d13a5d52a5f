"""What a guidance reads, by loops over records and by all records and releases that there are."""

import itertools
import math

import numpy as np

from ppdm.guidance import bit_probabilities, one_hot


def answers_read(V, n_values, record, n_draws, rng):
    """Draw, disguise and guess one record after the other."""
    starts = np.cumsum(n_values) - n_values
    n_bits = sum(n_values)
    people = [[int(u * size) for u, size in zip(rng.random(len(n_values)), n_values, strict=True)]
              for _ in range(n_draws)]
    if record is not None:
        for one in people:
            for a, u in enumerate(rng.random(len(n_values))):
                if u < 0.5:
                    mine = record[starts[a] : starts[a] + n_values[a]]
                    one[a] = list(mine).index(1)
    T = [[int(one[a] == h) for a in range(len(n_values)) for h in range(n_values[a])]
         for one in people]
    P = [[min(1.0, float(sum(t[j] * (V[j] @ V[i]) for j in range(n_bits))) ** 2)
          for i in range(n_bits)] for t in T]
    R = [[int(u < p) for u, p in zip(rng.random(n_bits), row, strict=True)] for row in P]
    shares = []
    for j in range(n_bits):
        right = {0: 0, 1: 0}
        n = {value: sum(t[j] == value for t in T) for value in (0, 1)}
        chance = {value: [(sum(p[i] for p, t in zip(P, T, strict=True) if t[j] == value) + 0.5)
                          / (n[value] + 1) for i in range(n_bits)] for value in (0, 1)}
        for t, r in zip(T, R, strict=True):
            log = {value: sum(math.log(q if bit else 1 - q)
                              for q, bit in zip(chance[value], r, strict=True))
                   for value in (0, 1)}
            guess = int(log[1] > log[0])
            right[t[j]] += guess == t[j]
        shares.append(sum(right[value] / max(n[value], 1) for value in (0, 1)) / 2)
    return np.array(shares)


def best_guess(V, n_values):
    """Return the share that the best guess of each answer is right, over all records and R(t)."""
    T = one_hot(np.array(list(itertools.product(*map(range, n_values)))), n_values)
    chance = np.ones((len(T), 1))
    for p in bit_probabilities(T, V).T[:, :, None]:
        chance = np.hstack([chance * (1 - p), chance * p])
    given = [[chance[t == value].mean(axis=0) for value in (0, 1)] for t in T.T]
    return np.array([np.maximum(without, with_it).sum() / 2 for without, with_it in given])
