"""Square Wave, Piecewise and smoothed EM as their papers state them, one number after another."""

import numpy as np


def square_wave(epsilon):
    """Half-width b, density p near and q far, of values in [0, 1]."""
    e = np.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    return b, e / (2 * b * e + 1), 1 / (2 * b * e + 1)


def square_wave_windows(epsilon, t):
    """The densities of a report of t in [0, 1]: (start, end, density) from left to right."""
    b, p, q = square_wave(epsilon)
    return [(-b, t - b, q), (t - b, t + b, p), (t + b, 1 + b, q)]


def piecewise_windows(epsilon, t):
    """The densities of a report of t in [-1, 1]."""
    z = np.exp(epsilon / 2)
    c = (z + 1) / (z - 1)
    left = (c + 1) / 2 * t - (c - 1) / 2
    right = left + c - 1
    p = (z**2 - z) / (2 * z + 2)
    return [(-c, left, p / z**2), (left, right, p), (right, c, p / z**2)]


def smoothed_em(matrix, counts, n_steps):
    """Each step: the mean posterior, then its average with weights 1/4, 1/2, 1/4."""
    m = matrix.shape[1]
    p = [1 / m] * m
    path = [p]
    for _ in range(n_steps):
        after = [0.0] * m
        for s, count in enumerate(counts):
            mixed = sum(matrix[s][t] * p[t] for t in range(m))
            for q in range(m):
                after[q] += count / sum(counts) * matrix[s][q] * p[q] / mixed
        p = [
            (after[max(q - 1, 0)] + 2 * after[q] + after[min(q + 1, m - 1)]) / 4 for q in range(m)
        ]
        path.append(p)
    return np.array(path)
