"""Mixtures of products of histograms, from records whose attributes were disguised one by one.

Within a component the attributes are independent, so that a component is one histogram an
attribute; several components together hold what binds attributes to each other. Each
attribute was disguised by its own channel, and EM undoes that on counts
(:func:`ppdm.reconstruction.em`), here on the counts of released cells in each component.

The state is one array, ``joint`` (d, m, K): the probability of component k together with
interval q of attribute j. Summed over the intervals it is the components' weights, the same for
each attribute. What an attribute lacks of m intervals or S cells is filled up with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ppdm.typing import FloatArray, IntArray

_TINY = float(np.finfo(np.float64).tiny)
#: Step t = 0, 1, ... of the online form moves the counts by (t + 2)^-0.6 of the way.
_DECAY = 0.6
#: A first histogram is a bump of this width, in ranges of the attribute, over a floor.
_WIDTH, _FLOOR = 0.3, 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Mixture:
    """A mixture of products of histograms, and how EM came to it.

    Attributes
    ----------
    joint : ndarray of shape (d, m, n_components)
        P[component, interval] of each attribute; 0 where it has fewer than m intervals.
    log_likelihood : ndarray of shape (n_passes,)
        Of a disguised record, the mean over the records as each pass meets them.
    """

    joint: FloatArray
    log_likelihood: FloatArray


def random_start(sizes: IntArray, n_components: int, rng: np.random.Generator) -> FloatArray:
    """Return a first ``joint``: equal weights, each histogram a bump at a random place.

    Smooth, because EM keeps for long what the noise hides: peaks of one interval would stay.
    ``sizes`` are the attributes' numbers of intervals, (d,).
    """
    joint = np.zeros((len(sizes), sizes.max(), n_components))
    for histograms, m in zip(joint, sizes, strict=True):
        place = (np.arange(m)[:, None] + 0.5) / m - rng.random(n_components)
        histograms[:m] = np.exp(-((place / _WIDTH) ** 2) / 2) + _FLOOR
    return np.asarray(joint / joint.sum(axis=1, keepdims=True) / n_components)


def fit_mixture(
    codes: IntArray,
    channels: FloatArray,
    joint: FloatArray,
    *,
    n_passes: int,
    batch_size: int,
    online: bool,
) -> Mixture:
    """Fit a mixture to disguised records by EM.

    Parameters
    ----------
    codes : ndarray of int, shape (n, d)
        The released cell of each attribute; for the online form in a random order.
    channels : ndarray of shape (d, S, m)
        P[cell | interval] of each attribute.
    joint : ndarray of shape (d, m, K)
        Where to start.
    n_passes : int
        How often each record is visited.
    batch_size : int
        How many records are taken at a time.
    online : bool
        False counts all records and then makes a step, which never lowers the likelihood.
        True makes one after each batch, from counts that the batch has moved by a part of the
        way that falls (Cappe and Moulines 2009): many more steps from as many visits.

    Returns
    -------
    Mixture
    """
    n, shape = len(codes), (*channels.shape[:2], joint.shape[2])
    batches = [one_hot(codes[i : i + batch_size], shape[1]) for i in range(0, n, batch_size)]
    heights, n_steps = np.zeros(n_passes), 0
    released = channels @ joint
    shares = released
    for t in range(n_passes):
        total = np.zeros(shape)
        for hot in batches:
            component, height = responsibilities(hot, released, joint)
            heights[t] += height / n
            counts = (hot.T @ component).reshape(shape)
            if not online:
                total += counts
                continue
            part = (n_steps + 2) ** -_DECAY
            # Of released cells: averaging what was undone needs several times as many passes.
            shares = (1 - part) * shares + part * counts / hot.shape[0]
            joint = _back(shares, released, joint, channels)
            released = channels @ joint
            n_steps += 1
        if not online:
            joint = _back(total / n, released, joint, channels)
            released = channels @ joint
    return Mixture(joint=joint, log_likelihood=heights)


def one_hot(codes: IntArray, n_cells: int) -> csr_array:
    """Return the cells of all attributes (n, d) as one sparse matrix, (n, d n_cells)."""
    n, d = codes.shape
    columns = (codes + n_cells * np.arange(d)).ravel()
    return csr_array((np.ones(n * d), columns, np.arange(0, n * d + 1, d)), (n, n_cells * d))


def responsibilities(
    hot: csr_array, released: FloatArray, joint: FloatArray
) -> tuple[FloatArray, float]:
    """Return P[component | released record] (n, K), and the records' log-likelihood.

    ``released`` (d, S, K) is P[component, cell] of each attribute.
    """
    logs = np.log(np.maximum(released, _TINY))
    weights = np.log(np.maximum(joint[0].sum(axis=0), _TINY))
    # each attribute brings the component's weight with it, and it counts once
    found = hot @ logs.reshape(-1, logs.shape[2]) - (len(logs) - 1) * weights
    top = found.max(axis=1, keepdims=True)
    np.exp(np.subtract(found, top, out=found), out=found)
    total = found.sum(axis=1, keepdims=True)
    found /= total
    return found, float(top.sum() + np.log(total).sum())


def _back(
    shares: FloatArray, released: FloatArray, joint: FloatArray, channels: FloatArray
) -> FloatArray:
    """Take shares of components and cells (d, S, K) back to intervals by Bayes' rule."""
    ratio = shares / np.maximum(released, _TINY)
    return np.asarray(joint * (channels.swapaxes(1, 2) @ ratio))


def draw_intervals(
    codes: IntArray, channels: FloatArray, joint: FloatArray, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw a component for each released record, then a clean interval of each attribute.

    Both are drawn given what was released: together they are a sample of the true records as
    the mixture sees them. Arguments as in :func:`fit_mixture`; returns shape (n, d).
    """
    n_cells, m = channels.shape[1:]
    share, _ = responsibilities(one_hot(codes, n_cells), channels @ joint, joint)
    component = _draw(share, np.arange(len(codes)), rng)
    drawn = np.empty(codes.shape, dtype=np.int32, order="F")
    for j, channel in enumerate(channels):
        mass = joint[j].T[:, None, :] * channel  # (K, S, m)
        drawn[:, j] = _draw(mass.reshape(-1, m), component * n_cells + codes[:, j], rng)
    return drawn


def _draw(mass: FloatArray, rows: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a column of ``mass`` (r, m) for each of ``rows`` (n,), by the masses in that row."""
    upto = mass.cumsum(axis=1)
    upto /= np.maximum(upto[:, -1:], _TINY)
    upto += np.arange(len(mass))[:, None]
    # row r holds numbers from r to r + 1, so one search does for all; a draw of 24 bits is
    # still below r + 1 when r is added
    found = np.searchsorted(upto.ravel(), rows + rng.random(len(rows), np.float32), side="right")
    return np.asarray(found - rows * mass.shape[1])
