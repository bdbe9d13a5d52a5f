"""Errors of a designed sample by loops: who was drawn with whom, and who is looked at.

An estimate's error comes from what each person moves it by, found by weighing her a little more
and a little less. Nothing of the package's algebra is used.
"""

import math

import numpy as np
from literal import regression


def spread(moved, weights, clusters, strata):
    """The variance of a sum over people, (p, p), and the group's degrees of freedom.

    ``moved`` has a row a person of the whole sample; who weighs nothing is not in the group.
    """
    sums, own = {}, set()
    for u, w, c, h in zip(moved, weights, clusters, strata, strict=True):
        sums.setdefault(h, {}).setdefault(c, np.zeros(len(u)))
        if w > 0:
            sums[h][c] = sums[h][c] + np.asarray(u)
            own.add((h, c))
    seen = {h for h, _ in own}
    degrees = len(own) - len(seen)
    total = np.full((len(moved[0]),) * 2, 0.0 if degrees > 0 else math.nan)
    for h in seen:
        m = len(sums[h])
        mean = sum(sums[h].values()) / m
        for u in sums[h].values():
            total += m / (m - 1) * np.outer(u - mean, u - mean)
    n_own, n_all = len(own), sum(len(sums[h]) for h in seen)
    return total * (n_own * (n_all - 1) / max(n_own - 1, 1) / n_all), degrees


def moves(estimate, weights, step=1e-5):
    """What each person moves an estimate (p,) by, times her weight, (n, p): by differences."""
    rows = []
    for i, w in enumerate(weights):
        more, less = list(weights), list(weights)
        more[i], less[i] = w * (1 + step), w * (1 - step)
        rows.append((np.asarray(estimate(more)) - np.asarray(estimate(less))) / (2 * step))
    return np.array(rows)


def share(reports, weights, theta):
    """Warner's estimate from weighted yes and no."""
    total = yes = 0.0
    for r, w in zip(reports, weights, strict=True):
        total, yes = total + w, yes + w * r
    return [(yes / total - (1 - theta)) / (2 * theta - 1)]


def share_errors(reports, weights, theta, clusters, strata):
    """The standard error of a share, the coins' part of it, and the effective n."""
    moved = moves(lambda w: share(reports, w, theta), weights)
    variance = spread(moved, weights, clusters, strata)[0][0, 0]
    total, one, coins = sum(weights), 0.0, 0.0
    (at,) = share(reports, weights, theta)
    for r, w in zip(reports, weights, strict=True):
        score = (r - (1 - theta)) / (2 * theta - 1)
        one += w / total * (score - at) ** 2
        coins += (w / total) ** 2 * theta * (1 - theta) / (2 * theta - 1) ** 2
    return math.sqrt(variance), math.sqrt(coins), one / variance + 1


def linear_covariance(columns, y, weights, clusters, strata):
    """The covariance of slopes with disguised covariates, columns as in ``least_squares``."""
    moved = moves(lambda w: regression.least_squares(columns, y, w), weights)
    return spread(moved, weights, clusters, strata)[0]


def logistic_covariance(X, given, coefficients, weights, clusters, strata):
    """The covariance of a logistic regression's coefficients (K - 1, d + 1) at the maximum."""
    at = np.ravel(coefficients)

    def near(X, given, weights):
        def f(b):
            return regression.log_likelihood(X, given, b.reshape(np.shape(coefficients)), weights)

        return regression.derivatives(f, at)

    scores = [near([x], [g], [w])[0] for x, g, w in zip(X, given, weights, strict=True)]
    bread = np.linalg.inv(near(X, given, weights)[1])
    return bread @ spread(scores, weights, clusters, strata)[0] @ bread
