"""Regression of disguised answers person by person, and its derivatives by differences."""

import math

import numpy as np
from scipy.optimize import minimize


def chances(x, coefficients):
    """P(truth k | x) of one person; ``coefficients`` (K - 1, d + 1), the intercept's first."""
    odds = [1.0, *(math.exp(b[0] + sum(c * v for c, v in zip(b[1:], x, strict=True)))
                   for b in coefficients)]  # fmt: skip
    return [each / sum(odds) for each in odds]


def log_likelihood(X, given, coefficients, weights=None):
    """The sum over people of log sum_k P(report | k) P(k | x); ``given`` has a row a person."""
    total = 0.0
    for i, x in enumerate(X):
        p = chances(x, coefficients)
        likely = sum(L * each for L, each in zip(given[i], p, strict=True))
        total += (1.0 if weights is None else weights[i]) * math.log(likely)
    return total


def maximum(X, given, weights=None):
    """The coefficients (K - 1, d + 1) of the largest likelihood, by SciPy's search."""
    shape = len(given[0]) - 1, len(X[0]) + 1

    def loss(b):
        return -log_likelihood(X, given, b.reshape(shape), weights)

    found = minimize(loss, np.zeros(shape[0] * shape[1]), method="BFGS", options={"gtol": 1e-7})
    return found.x.reshape(shape)


def derivatives(f, at, step=1e-4):
    """The gradient (P,) and the second derivatives (P, P) of a function, by central differences."""
    n = at.size
    gradient, second = np.zeros(n), np.zeros((n, n))
    for j in range(n):
        a = np.eye(n)[j] * step
        gradient[j] = (f(at + a) - f(at - a)) / (2 * step)
        for k in range(n):
            b = np.eye(n)[k] * step
            second[j, k] = (f(at + a + b) - f(at + a - b) - f(at - a + b) + f(at - a - b)) / (
                4 * step**2)  # fmt: skip
    return gradient, second


def least_squares(columns, y, weights=None):
    """Slopes with disguised covariates; each column is (kind, released value a person, extra).

    The kind is "clear", "noise" (extra is the variance) or "coin" (extra is the inverse matrix,
    its row 1 the score of a yes).
    """
    p = len(columns) + 1
    A, c = np.zeros((p, p)), np.zeros(p)
    for i, outcome in enumerate(y):
        w = 1.0 if weights is None else weights[i]
        z, squares = [1.0], [1.0]
        for kind, values, extra in columns:
            value = extra[1][int(values[i])] if kind == "coin" else values[i]
            z.append(value)
            lost = extra if kind == "noise" else 0
            squares.append(value if kind == "coin" else value**2 - lost)
        for j in range(p):
            c[j] += w * z[j] * outcome
            for k in range(p):
                A[j, k] += w * (squares[j] if j == k else z[j] * z[k])
    return np.linalg.solve(A, c)
