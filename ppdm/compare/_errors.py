"""How far an estimated share is off: its standard error, before anybody was asked.

All are of a share of one half, where a survey in the clear errs most, estimated without bias
from n people. They are written as the error from one person's report: that of n people is
smaller by sqrt(n).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ppdm._budget import theta_at
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.typing import FloatArray

#: Cells of an interval of true values where noise is looked at: enough to lose nothing, or hardly
#: anything of Square Wave, whose channel is bound to intervals that are as fine.
_CELLS, _WAVE_CELLS = 64, 16
#: A larger epsilon Square Wave does not take.
_WAVE_EPSILON = 20.0
#: The epsilon of one answer, of several by lot, at which a share is known best: sinh x = 2 x.
_ONE_ANSWER = 2.17732
#: Beyond this condition number of a channel nothing can be told from its reports.
_HOPELESS = 1e10


def kary_theta(k: int, epsilon: float) -> float:
    """Return the probability of the truth at which one of k codes has this epsilon.

    Examples
    --------
    >>> round(kary_theta(2, 0.8473), 3)
    0.7
    """
    return theta_at(epsilon, k)


def kary_error(k: int, epsilon: float) -> float:
    """Return the error of a code kept with probability theta, else replaced by any other."""
    theta = kary_theta(k, epsilon)
    return _of_reports(theta, (1 - theta) / (k - 1))


def asked_error(d: int, epsilon: float, asked: int) -> float:
    """Return the error of one of d bits where each person is asked ``asked`` of them, by lot.

    The epsilon is a record's, shared by those answers; there are d / asked times fewer of each. The
    estimate is that of the channel's inverse matrix, of which this is the error exactly.

    Examples
    --------
    >>> round(asked_error(16, 1.0, 16), 2), round(asked_error(16, 1.0, 1), 2)
    (16.01, 4.33)
    """
    return float(np.sqrt(d / asked)) * kary_error(2, epsilon / asked)


def most_useful(d: int, epsilon: float) -> int:
    """Return how many of d bits to ask each person: the number with the least error.

    Examples
    --------
    >>> [most_useful(16, epsilon) for epsilon in (1, 4, 8, 80)]
    [1, 2, 4, 16]
    """
    about = int(epsilon // _ONE_ANSWER)  # the error falls before it and rises after
    near = {min(max(asked, 1), d) for asked in (about, about + 1)}
    return min(near, key=lambda asked: asked_error(d, epsilon, asked))


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
    return _best_linear(laplace_channel(k, epsilon))


def wave_error(k: int, epsilon: float) -> float:
    """Return that error under Square Wave. It may rise a little with epsilon.

    Its noise is of bounded width, and some widths suit the intervals better than others.
    """
    return _best_linear(wave_channel(k, epsilon))


def _best_linear(matrix: FloatArray) -> float:
    """Return the error of the middle interval, whose share is one half, from such reports."""
    k = matrix.shape[1]
    shares = middle_shares(k)
    reported = matrix @ shares
    weighted = matrix / np.sqrt(reported)[:, np.newaxis]
    if np.linalg.cond(weighted) > _HOPELESS:
        return float("inf")
    inverse = np.linalg.pinv(weighted)  # (W'W)^-1 = W+ W+'
    j = k // 2
    return float(np.sqrt(inverse[j] @ inverse[j] - shares[j] ** 2))


def middle_shares(k: int) -> FloatArray:
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


def wave_channel(k: int, epsilon: float) -> FloatArray:
    """P[released cell | interval] for k equal intervals of a range of 1, values spread evenly."""
    wave = SquareWave(min(epsilon, _WAVE_EPSILON), domain=[[0, 1]])
    fine = wave.on(np.linspace(0, 1, _WAVE_CELLS * k + 1)).channel_matrix()
    return np.asarray(fine.reshape(len(fine), k, _WAVE_CELLS).mean(axis=2))


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
