"""How far an estimated share is off: its standard error, before anybody was asked.

All are of a share of one half, where a survey in the clear errs most, estimated without bias
from n people. They are written as the error from one person's report: that of n people is
smaller by sqrt(n).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ppdm._types import FloatArray
from ppdm.noise import AdditiveNoise

#: Cells of an interval of true values where Laplace noise is looked at: enough to lose nothing.
_CELLS = 64
#: Beyond this condition number of a channel nothing can be told from its reports.
_HOPELESS = 1e10


def kary_theta(k: int, epsilon: float) -> float:
    """Return the probability of the truth at which one of k codes has this epsilon.

    Examples
    --------
    >>> round(kary_theta(2, 0.8473), 3)
    0.7
    """
    return float(1 / (1 + (k - 1) * np.exp(-epsilon)))


def kary_error(k: int, epsilon: float) -> float:
    """Return the error of a code kept with probability theta, else replaced by any other."""
    theta = kary_theta(k, epsilon)
    return _of_reports(theta, (1 - theta) / (k - 1))


def unary_error(epsilon: float) -> float:
    """Return the error of a value's own bit of unary encoding, whatever the number of values."""
    return _of_reports(0.5, float(expit(-epsilon)))


def _of_reports(true: float, false: float) -> float:
    """Return the error where a report says "has it" so often of those who do and do not.

    Of a share of one half the reports have share (true + false) / 2; what they miss by is
    stretched by 1 / (true - false).
    """
    reported = (true + false) / 2
    gap = true - false
    return float(np.sqrt(reported * (1 - reported)) / gap) if gap > 0 else float("inf")


def laplace_error(k: int, epsilon: float) -> float:
    """Return the least error of the middle one of k equal intervals, without bias, under noise.

    The noise has scale range / epsilon. Half of the people are in the middle interval, the
    others spread evenly over the other ones. The error is that of the best estimate that is
    linear in the counts of what was released (Gauss and Markov's, weighted by their spread).
    """
    matrix = laplace_channel(k, epsilon)
    shares = laplace_shares(k)
    reported = matrix @ shares
    weighted = matrix / np.sqrt(reported)[:, np.newaxis]
    if np.linalg.cond(weighted) > _HOPELESS:
        return float("inf")
    inverse = np.linalg.pinv(weighted)  # (W'W)^-1 = W+ W+'
    j = k // 2
    return float(np.sqrt(inverse[j] @ inverse[j] - shares[j] ** 2))


def laplace_shares(k: int) -> FloatArray:
    """Return one half for the middle interval, the rest shared evenly by the others."""
    shares = np.full(k, 0.5 / (k - 1))
    shares[k // 2] = 0.5
    return shares


def laplace_channel(k: int, epsilon: float) -> FloatArray:
    """P[released cell | interval] for k equal intervals of a range of 1.

    Every report below the range says the same, and every one above: one cell each.
    """
    edges = np.linspace(0, 1, k + 1)
    cells = np.concatenate([[-1.0], np.linspace(0, 1, _CELLS * k + 1), [2.0]])
    noise = AdditiveNoise("laplace", scale=1 / epsilon)
    return noise.on(edges, cells=cells).channel_matrix()


def central_error(n: float, moves: float, epsilon: float) -> float:
    """Return the error of a share of n people from a count with Laplace noise.

    ``moves`` is by how much one record changes all released counts together; the noise has
    scale moves / epsilon.
    """
    return float(np.sqrt(0.25 / n + 2 * (moves / (epsilon * n)) ** 2))


def central_people(error: float, moves: float, epsilon: float) -> float:
    """Return from how many people a curator's count has this error."""
    noise = 2 * (moves / epsilon) ** 2
    return float((0.25 + np.sqrt(0.0625 + 4 * error**2 * noise)) / (2 * error**2))
