"""Noise on values in the comparison: what is released of intervals, and what is learnt from it.

Two learn from it. Naive Bayes of the intervals, as everywhere in the comparison; and trees, which
see attributes that decide together, where naive Bayes cannot. The trees' rows are compared with a
tree on clear records, and with those of the same noise for what is given away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdm.channel import Channel
from ppdm.classifiers import MixtureTreeClassifier, ReconstructedTreeClassifier
from ppdm.noise import AdditiveNoise, SquareWave
from ppdm.reconstruction import em
from ppdm.typing import Codes, FloatArray, IntArray, Noise
from ppdm_book.experiments._frontier_data import Counts, Data, Miner, count, over_folds, sizes_of

#: Cells that each interval of true values is cut into where noise is judged: fine enough for
#: finer ones to tell nothing more.
FINER = 8


def additive(data: Data, privacy: float, rng: Any = None, *, kind: Noise) -> AdditiveNoise:
    """Noise on the values, of the stated privacy at 95% (AS00)."""
    domain = data.edges[:, [0, -1]]
    return AdditiveNoise(kind, privacy, domain=domain, random_state=rng).fit(data.values)


def square_wave(data: Data, epsilon: float, rng: Any = None) -> SquareWave:
    """Square Wave on the values, epsilon an attribute."""
    wave = SquareWave(epsilon, domain=data.edges[:, [0, -1]], random_state=rng)
    return wave.fit(data.values)


@dataclass(frozen=True, eq=False)
class Coarse(Channel):
    """A channel from intervals of ``FINER`` neighbours each, in which values are spread evenly."""

    fine: Any

    @property
    def n_features_in_(self) -> int:
        """How many attributes there are."""
        return int(self.fine.n_features_in_)

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released cell | coarse interval]."""
        matrix = self.fine.channel_matrix(feature)
        return np.asarray(matrix.reshape(len(matrix), -1, FINER).mean(axis=2))

    def codes(self, released: Any) -> Codes:
        """Return the fine cell of each report."""
        return np.asarray(self.fine.codes(released))


def between_intervals(noise: AdditiveNoise | SquareWave, data: Data) -> Channel:
    """Return the noise as a channel from the public intervals to fine cells."""
    if isinstance(noise, SquareWave):  # its cells are as wide as its intervals
        n_fine = FINER * (data.edges.shape[1] - 1)
        fine = np.linspace(data.edges[:, 0], data.edges[:, -1], n_fine + 1, axis=1)
        return Coarse(noise.on(fine))
    coarse = noise.on(data.edges).cells
    cells = np.linspace(coarse[:, 0], coarse[:, -1], FINER * (coarse.shape[1] - 1) + 1, axis=1)
    return noise.on(data.edges, cells=cells)


def mine_noise(data: Data, noise: AdditiveNoise | SquareWave) -> Miner:
    """Disguise once; the counts are reconstructed by the iteration of AS00."""
    channel = between_intervals(noise, data)
    codes = channel.codes(noise.transform(data.values))
    matrices = [channel.channel_matrix(j) for j in range(data.X.shape[1])]

    def counts(rows: IntArray) -> Counts:
        released = count(codes[rows], data.y[rows], len(matrices[0]))
        sizes = sizes_of(data.y[rows])
        shares = [
            em(matrix, table, keep_history=False).probabilities
            for matrix, table in zip(matrices, released, strict=True)
        ]
        return Counts(sizes, np.array(shares) * sizes[:, np.newaxis])

    return counts


def trees_on_noise(data: Data, noise: AdditiveNoise, rng: np.random.Generator) -> float:
    """Disguise once; trees grow on records drawn from mixtures, in their fast form."""
    tree = MixtureTreeClassifier(noise, integer_features=_whole(data), random_state=rng)
    return _accuracy(data, tree, noise.transform(data.values))


def tree_on_clear(data: Data) -> float:
    """Grow an ordinary tree on clear records."""
    noise = AdditiveNoise(domain=data.edges[:, [0, -1]])
    tree = ReconstructedTreeClassifier(noise, "none", integer_features=_whole(data))
    return _accuracy(data, tree, data.values)


def _whole(data: Data) -> Any:
    """Return which attributes hold whole numbers, which is public as their ranges are."""
    return (data.values == np.rint(data.values)).all(axis=0)


def _accuracy(data: Data, tree: Any, released: FloatArray) -> float:
    """Return the accuracy on clear records of each fold, learnt from the other four."""
    return over_folds(
        data.y,
        lambda train, test: tree.fit(released[train], data.y[train]).predict(data.values[test]),
    )
