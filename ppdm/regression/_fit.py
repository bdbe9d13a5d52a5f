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

from ppdm.typing import BoolArray, FloatArray, IntArray

#: So many people at a time, for their numbers to stay in the cache.
_BLOCK = 1 << 13
#: Beyond so many people the first steps are made on every twentieth.
_MANY, _SOME = 200_000, 20
#: A covariate whose own part of the correlations is less is made of the others.
_DEPENDENT = 1e-10
#: In logarithms of the likelihood: a step that promises less is the last; below the other it may
#: be lost in rounding, and is taken unseen.
_DONE, _UNSEEN = 1e-14, 1e-6
#: A step changes no parameter by more.
_LONGEST = 5.0
#: A coefficient beyond runs away: log odds per standard deviation.
FAR = 10.0


class Sums(NamedTuple):
    """What one pass over the people gives."""

    value: float
    score: FloatArray
    """Of the parameters, value by value of the answer, (P,)."""
    information: FloatArray
    """Less the second derivatives, (P, P)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Covariates and reports; the parameters are (K - 1, r), of standardised covariates."""

    X: FloatArray
    weights: FloatArray
    table: FloatArray
    """P[report | truth], (K, R)."""
    rows: IntArray
    centre: FloatArray
    basis: FloatArray
    """From parameters to the coefficients of 1 and X - centre, (d + 1, r)."""

    def blocks(self) -> Iterator[tuple[FloatArray, FloatArray, IntArray]]:
        """Yield 1 and the covariates about their centre, (m, d + 1), the weights and the rows."""
        for first in range(0, len(self.X), _BLOCK):
            some = slice(first, first + _BLOCK)
            X = self.X[some]
            Z = np.ones((len(X), X.shape[1] + 1))
            np.subtract(X, self.centre, out=Z[:, 1:])
            yield Z, self.weights[some], self.rows[some]

    def sums(self, parameters: FloatArray, *, clear: bool = False) -> Sums:
        """Return value, score and information; ``clear`` leaves out what the disguise took."""
        T, K = self.basis, len(self.table)
        coefficients = parameters.reshape(K - 1, -1) @ T.T
        value, score = 0.0, np.zeros(coefficients.shape)
        information = np.zeros((K - 1, len(T), K - 1, len(T)))
        for Z, weights, rows in self.blocks():
            p, q, w = posterior(coefficients @ Z.T, self.table[:, rows])
            with np.errstate(divide="ignore"):
                value += float(weights @ np.log(q))
            score += ((w - p)[1:] * weights) @ Z
            for j, k in np.ndindex(K - 1, K - 1):
                if k <= j:
                    a, b, same = j + 1, k + 1, float(j == k)
                    h = p[a] * (same - p[b]) - (0.0 if clear else w[a] * (same - w[b]))
                    information[j, :, k] += Z.T @ (Z * (h * weights)[:, np.newaxis])
        for j, k in np.ndindex(K - 1, K - 1):
            information[min(j, k), :, max(j, k)] = information[max(j, k), :, min(j, k)]
        seen = np.einsum("jakb,ar,bs->jrks", information, T, T)
        return Sums(value, (score @ T).ravel(), seen.reshape(parameters.size, -1))

    def scores(self, parameters: FloatArray) -> FloatArray:
        """Return each person's score, (n, P), times her weight."""
        T, K = self.basis, len(self.table)
        coefficients, found = parameters.reshape(K - 1, -1) @ T.T, []
        for Z, weights, rows in self.blocks():
            p, _, w = posterior(coefficients @ Z.T, self.table[:, rows])
            off = ((w - p)[1:] * weights).T
            found.append((off[:, :, np.newaxis] * (Z @ T)[:, np.newaxis]).reshape(len(Z), -1))
        return np.concatenate(found)


class Maximum(NamedTuple):
    """Where the likelihood is largest, or where its steps ended."""

    parameters: FloatArray
    sums: Sums
    """There; value and information with the prior's."""
    n_iter: int
    converged: bool


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
    centre = share @ X
    spread = np.zeros((X.shape[1],) * 2)
    for first in range(0, len(X), _BLOCK):
        Z = X[first : first + _BLOCK] - centre
        spread += Z.T @ (Z * share[first : first + _BLOCK, np.newaxis])
    sd = np.sqrt(np.diag(spread))
    varies = sd > 1e-10 * np.abs(centre)
    unit = np.where(varies, 1 / np.where(varies, sd, 1.0), 0.0)
    size, direction = np.linalg.eigh(unit[:, np.newaxis] * spread * unit)
    kept = size > _DEPENDENT
    dependent = ~varies | (np.abs(direction[:, ~kept]).max(axis=1, initial=0) > 1e-6)
    columns = np.eye(len(sd)) if kept.all() else direction[:, kept]
    basis = np.zeros((len(sd) + 1, columns.shape[1] + 1))
    basis[0, 0], basis[1:, 1:] = 1, unit[:, np.newaxis] * columns
    return centre, basis, dependent


def maximise(
    problem: Problem, precision: FloatArray, start: FloatArray | None = None, *, max_iter: int = 200
) -> Maximum:
    """Return the maximum of likelihood and prior, found by Newton's steps from zero.

    ``precision`` is one over the prior's variance of each parameter, zero where there is none.
    """
    at = np.zeros(precision.size) if start is None else start
    if start is None and len(problem.X) > _MANY:
        few = replace(problem, X=problem.X[::_SOME], weights=problem.weights[::_SOME],
                      rows=problem.rows[::_SOME])  # fmt: skip
        near = maximise(few, precision / _SOME)
        at = near.parameters if np.abs(near.parameters).max() < FAR else at
    now = _with_prior(problem.sums(at), at, precision)
    for n_iter in range(1, max_iter + 1):
        step = _uphill(problem, now, at, precision)
        promised = float(now.score @ step)
        if promised < _DONE:
            return Maximum(at, now, n_iter, converged=True)
        while True:
            there = _with_prior(problem.sums(at + step), at + step, precision)
            if there.value >= now.value or promised < _UNSEEN:
                break
            step, promised = step / 2, promised / 2
        at, now = at + step, there
    return Maximum(at, now, max_iter, converged=False)


def _with_prior(sums: Sums, at: FloatArray, precision: FloatArray) -> Sums:
    value = sums.value - float(precision @ at**2) / 2
    information = sums.information + np.diag(precision)
    return Sums(value, sums.score - precision * at, information)


def _uphill(problem: Problem, now: Sums, at: FloatArray, precision: FloatArray) -> FloatArray:
    """Return Newton's step, or, where the likelihood is not concave, that of clear answers.

    The information of clear answers is never negative, so that its step leads uphill.
    """
    size, direction = np.linalg.eigh(now.information)
    if size[0] <= 1e-9 * size[-1]:
        clear = problem.sums(at, clear=True).information + np.diag(precision)
        size, direction = np.linalg.eigh(clear)
        size = np.maximum(size, 1e-12 * size[-1] + 1e-300)
    step = direction @ ((direction.T @ now.score) / size)
    return np.asarray(step * min(1.0, _LONGEST / max(np.abs(step).max(initial=0), 1e-300)))
