"""The likelihood of disguised answers under a logistic model, and where it is largest.

A report's likelihood is q = sum_k L[k] p[k], where p[k] is the model's P(truth k | x) and L[k] the
channel's P(report | truth k). With w[k] = L[k] p[k] / q, the chance of k once the report is known,
the score is X' (w - p), and the information that of the answers, diag(p) - pp', less what the
disguise took, diag(w) - ww'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from ppdm._weighted import Sample
from ppdm.typing import BoolArray, FloatArray, IntArray

#: So many people at a time, for their numbers to stay in the cache.
_BLOCK = 1 << 13
#: Of more people than so many every twentieth is asked first where to start.
_MANY, _SOME = 200_000, 20
#: A covariate whose own part of the correlations is less is made of the others.
_DEPENDENT = 1e-10
#: In logarithms of the likelihood: a step that promises less is the last; below the other it may
#: be lost in rounding, and is taken unseen.
_DONE, _UNSEEN = 1e-14, 1e-6
#: A step changes no parameter by more.
_LONGEST = 5.0
_MOST_STEPS = 200


class Sums(NamedTuple):
    """What one pass over the people gives, with the prior."""

    value: float
    score: FloatArray
    """Of the parameters, value by value of the answer, (P,)."""
    information: FloatArray
    """Less the second derivatives, (P, P)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Covariates and reports; the parameters are (K - 1, r), or P in a row."""

    Z: FloatArray
    """What the log odds are sums of, (n, r): a column of ones, and the covariates."""
    weights: FloatArray
    table: FloatArray
    """P[report | truth], (K, R)."""
    rows: IntArray
    """Which report each person made, (n,)."""
    precision: FloatArray
    """One over the prior's variance of each parameter, (P,), zero where there is none."""

    def sums(self, parameters: FloatArray, *, clear: bool = False) -> Sums:
        """Return value, score and information; ``clear`` leaves out what the disguise took."""
        P, K = parameters.size, len(self.table)
        coefficients = parameters.reshape(K - 1, -1)
        value, score = 0.0, np.zeros(coefficients.shape)
        information = np.zeros(2 * coefficients.shape)
        for some in _blocks(len(self.Z)):
            Z, weights = self.Z[some], self.weights[some]
            p, q, w = posterior(coefficients @ Z.T, self.table[:, self.rows[some]])
            with np.errstate(divide="ignore"):
                value += float(weights @ np.log(q))
            score += ((w - p)[1:] * weights) @ Z
            for j, k in np.ndindex(K - 1, K - 1):
                h = _covariance(p[1:], j, k) - (0 if clear else _covariance(w[1:], j, k))
                information[j, :, k] += Z.T @ (Z * (h * weights)[:, np.newaxis])
        pulled = self.precision * parameters
        value -= float(pulled @ parameters) / 2
        whole = information.reshape(P, P) + np.diag(self.precision)
        return Sums(value, score.ravel() - pulled, whole)

    def scores(self, parameters: FloatArray) -> FloatArray:
        """Return each person's score, (n, P), times her weight."""
        log_odds = parameters.reshape(len(self.table) - 1, -1) @ self.Z.T
        p, _, w = posterior(log_odds, self.table[:, self.rows])
        off = ((w - p)[1:] * self.weights).T
        return np.asarray((off[:, :, np.newaxis] * self.Z[:, np.newaxis]).reshape(len(off), -1))


class Maximum(NamedTuple):
    """Where the likelihood is largest, or where its steps ended."""

    parameters: FloatArray
    sums: Sums
    n_iter: int
    settled: bool
    """Whether the steps ended where the reports tell each parameter."""


def posterior(log_odds: FloatArray, given: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(truth | x), P(report | x) and P(truth | x, report), (K, m), (m,) and (K, m).

    ``log_odds`` are those against the first value, (K - 1, m), ``given`` is P(report | truth).
    """
    p = np.concatenate([np.zeros((1, log_odds.shape[1])), log_odds])
    p -= p.max(axis=0)
    np.exp(p, out=p)
    p /= p.sum(axis=0)
    w = given * p
    q = w.sum(axis=0)
    w /= np.where(q > 0, q, 1.0)
    return p, q, w


def standardised(X: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return a fit's table (n, r), its way back to coefficients, and which covariates depend.

    The table has a column of ones, and covariates about their centre, so that a parameter is a
    change of the log odds per standard deviation. Where covariates depend on each other, it leaves
    out what they do not tell: the coefficients are then the least ones that say the same. The way
    back (d + 1, r) is that from parameters to intercept and coefficients.
    """
    share = weights / weights.sum()
    centre, spread = share @ X, np.zeros((X.shape[1],) * 2)
    for some in _blocks(len(X)):
        apart = X[some] - centre
        spread += apart.T @ (apart * share[some, np.newaxis])
    sd = np.sqrt(np.diag(spread))
    varies = sd > 1e-10 * np.abs(centre)
    unit = np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)
    size, direction = np.linalg.eigh(unit[:, np.newaxis] * spread * unit)
    kept = size > _DEPENDENT
    dependent = ~varies | (np.abs(direction[:, ~kept]).max(axis=1, initial=0) > 1e-6)
    columns = np.eye(len(sd)) if kept.all() else direction[:, kept]
    basis = unit[:, np.newaxis] * columns
    back = block_diag(np.ones((1, 1)), basis)
    back[0, 1:] = -centre @ basis
    Z = np.ones((len(X), back.shape[1]))
    for some in _blocks(len(X)):
        Z[some, 1:] = (X[some] - centre) @ basis
    return Z, back, dependent


def maximise(problem: Problem) -> Maximum:
    """Return the maximum of likelihood and prior, found by Newton's steps from zero.

    Where the likelihood is not concave they are those of clear answers, whose information is never
    negative, so that they lead uphill.
    """
    at = np.zeros(problem.precision.size)
    if len(problem.Z) > _MANY:
        few = replace(problem, Z=problem.Z[::_SOME], weights=problem.weights[::_SOME],
                      rows=problem.rows[::_SOME], precision=problem.precision / _SOME)  # fmt: skip
        near = maximise(few)
        at = near.parameters if near.settled else at
    now = problem.sums(at)
    for n_iter in range(1, _MOST_STEPS + 1):
        size, direction = np.linalg.eigh(now.information)
        told = bool(size[0] > 1e-9 * size[-1])
        if not told:
            size, direction = np.linalg.eigh(problem.sums(at, clear=True).information)
            size = np.maximum(size, 1e-12 * size[-1] + 1e-300)
        step = direction @ ((direction.T @ now.score) / size)
        step *= min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300))
        promised = float(now.score @ step)
        if promised < _DONE:
            return Maximum(at, now, n_iter, settled=told)
        there = problem.sums(at + step)
        while there.value < now.value and promised >= _UNSEEN:
            step, promised = step / 2, promised / 2
            there = problem.sums(at + step)
        at, now = at + step, there
    return Maximum(at, now, _MOST_STEPS, settled=False)


def covariance_of(problem: Problem, maximum: Maximum, sample: Sample) -> FloatArray:
    """Return the parameters' covariance (P, P), NaN where the information has no inverse.

    That inverse, or, of people who count unlike or were drawn together, the sandwich.
    """
    size, direction = np.linalg.eigh(maximum.sums.information)
    inverse = np.asarray((direction / np.where(size > 1e-300, size, np.nan)) @ direction.T)
    if sample.simple:
        return inverse
    return np.asarray(inverse @ sample.spread(problem.scores(maximum.parameters)) @ inverse)


def _covariance(p: FloatArray, j: int, k: int) -> FloatArray:
    """Return diag(p) - pp' at (j, k), for chances of values (.., m): (m,)."""
    return np.asarray((p[j] if j == k else 0) - p[j] * p[k])


def _blocks(n: int) -> Iterator[slice]:
    return (slice(first, first + _BLOCK) for first in range(0, n, _BLOCK))
