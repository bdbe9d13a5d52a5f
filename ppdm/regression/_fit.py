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

    X: FloatArray
    weights: FloatArray
    table: FloatArray
    """P[report | truth], (K, R)."""
    rows: IntArray
    """Which report each person made, (n,)."""
    centre: FloatArray
    basis: FloatArray
    """From parameters to the coefficients of 1 and X - centre, (d + 1, r)."""
    precision: FloatArray
    """One over the prior's variance of each parameter, (P,), zero where there is none."""

    def sums(self, parameters: FloatArray, *, clear: bool = False) -> Sums:
        """Return value, score and information; ``clear`` leaves out what the disguise took."""
        T, K = self.basis, len(self.table)
        coefficients = parameters.reshape(K - 1, -1) @ T.T
        value, score = 0.0, np.zeros(coefficients.shape)
        information = np.zeros(2 * coefficients.shape)
        for some in _blocks(len(self.X)):
            Z, weights = _with_one(self.X[some], self.centre), self.weights[some]
            p, q, w = posterior(coefficients @ Z.T, self.table[:, self.rows[some]])
            with np.errstate(divide="ignore"):
                value += float(weights @ np.log(q))
            score += ((w - p)[1:] * weights) @ Z
            h = (_variances(p) if clear else _variances(p) - _variances(w)) * weights
            for j, k in np.ndindex(h.shape[:2]):
                information[j, :, k] += Z.T @ (Z * h[j, k][:, np.newaxis])
        seen = np.einsum("jakb,ar,bs->jrks", information, T, T).reshape(parameters.size, -1)
        pulled = self.precision * parameters
        value -= float(pulled @ parameters) / 2
        return Sums(value, (score @ T).ravel() - pulled, seen + np.diag(self.precision))

    def scores(self, parameters: FloatArray) -> FloatArray:
        """Return each person's score, (n, P), times her weight."""
        Z = _with_one(self.X, self.centre) @ self.basis
        log_odds = parameters.reshape(len(self.table) - 1, -1) @ Z.T
        p, _, w = posterior(log_odds, self.table[:, self.rows])
        off = ((w - p)[1:] * self.weights).T
        return np.asarray((off[:, :, np.newaxis] * Z[:, np.newaxis]).reshape(len(Z), -1))


class Maximum(NamedTuple):
    """Where the likelihood is largest, or where its steps ended."""

    parameters: FloatArray
    sums: Sums
    n_iter: int
    converged: bool

    @property
    def settled(self) -> bool:
        """Whether the steps ended where the reports tell each parameter."""
        size = np.linalg.eigvalsh(self.sums.information)
        return bool(self.converged and size[0] > 1e-9 * size[-1])


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
    """Return the covariates' centre, their basis (d + 1, r), and which depend on others.

    A coefficient of the basis is a change of the log odds per standard deviation. Where
    covariates depend on each other, the basis leaves out what they do not tell: the coefficients
    are then the least ones that say the same.
    """
    share = weights / weights.sum()
    centre, spread = share @ X, np.zeros((X.shape[1],) * 2)
    for some in _blocks(len(X)):
        Z = X[some] - centre
        spread += Z.T @ (Z * share[some, np.newaxis])
    sd = np.sqrt(np.diag(spread))
    varies = sd > 1e-10 * np.abs(centre)
    unit = np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)
    size, direction = np.linalg.eigh(unit[:, np.newaxis] * spread * unit)
    kept = size > _DEPENDENT
    dependent = ~varies | (np.abs(direction[:, ~kept]).max(axis=1, initial=0) > 1e-6)
    columns = np.eye(len(sd)) if kept.all() else direction[:, kept]
    return centre, block_diag(np.ones((1, 1)), unit[:, np.newaxis] * columns), dependent


def maximise(problem: Problem) -> Maximum:
    """Return the maximum of likelihood and prior, found by Newton's steps from zero."""
    at = np.zeros(problem.precision.size)
    if len(problem.X) > _MANY:
        few = replace(problem, X=problem.X[::_SOME], weights=problem.weights[::_SOME],
                      rows=problem.rows[::_SOME], precision=problem.precision / _SOME)  # fmt: skip
        near = maximise(few)
        at = near.parameters if near.settled else at
    now = problem.sums(at)
    for n_iter in range(1, _MOST_STEPS + 1):
        step = _uphill(problem, now, at)
        promised = float(now.score @ step)
        if promised < _DONE:
            return Maximum(at, now, n_iter, converged=True)
        there = problem.sums(at + step)
        while there.value < now.value and promised >= _UNSEEN:
            step, promised = step / 2, promised / 2
            there = problem.sums(at + step)
        at, now = at + step, there
    return Maximum(at, now, _MOST_STEPS, converged=False)


def covariance_of(problem: Problem, found: Maximum, sample: Sample) -> FloatArray:
    """Return the parameters' covariance (P, P), NaN where the information has no inverse.

    That inverse, or, of people who count unlike or were drawn together, the sandwich.
    """
    if np.linalg.eigvalsh(found.sums.information)[0] <= 0:
        return np.full_like(found.sums.information, np.nan)
    inverse = np.asarray(np.linalg.inv(found.sums.information))
    if sample.simple:
        return inverse
    return np.asarray(inverse @ sample.spread(problem.scores(found.parameters)) @ inverse)


def _uphill(problem: Problem, now: Sums, at: FloatArray) -> FloatArray:
    """Return Newton's step, or, where the likelihood is not concave, that of clear answers.

    The information of clear answers is never negative, so that its step leads uphill.
    """
    size, direction = np.linalg.eigh(now.information)
    if size[0] <= 1e-9 * size[-1]:
        size, direction = np.linalg.eigh(problem.sums(at, clear=True).information)
        size = np.maximum(size, 1e-12 * size[-1] + 1e-300)
    step = direction @ ((direction.T @ now.score) / size)
    return np.asarray(step * min(1.0, _LONGEST / max(np.abs(step).max(initial=0), 1e-300)))


def _variances(p: FloatArray) -> FloatArray:
    """Return diag(p) - pp' of all values but the first, (K - 1, K - 1, m), from chances (K, m)."""
    q = p[1:]
    return np.asarray(np.eye(len(q))[:, :, np.newaxis] * q - q[:, np.newaxis] * q)


def _with_one(X: FloatArray, centre: FloatArray) -> FloatArray:
    """Return 1 and the covariates about their centre, (n, d + 1)."""
    Z = np.ones((len(X), X.shape[1] + 1))
    np.subtract(X, centre, out=Z[:, 1:])
    return Z


def _blocks(n: int) -> Iterator[slice]:
    return (slice(first, first + _BLOCK) for first in range(0, n, _BLOCK))
