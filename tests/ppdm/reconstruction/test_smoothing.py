"""Smoothed EM against its steps word by word, and what it keeps."""

import numpy as np
import pytest

from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import em, reconstruct_distribution
from ppdm.reconstruction._em import iterate


def test_equal_shares_stay_equal():
    channel = AdditiveNoise("uniform", scale=0.3).on(np.linspace(0, 1, 11)).channel_matrix()
    result = em(channel, channel.sum(axis=1), smooth=True)
    assert result.converged
    assert result.probabilities == pytest.approx(np.full(10, 0.1), abs=1e-6)


def test_it_converges_to_the_same_from_anywhere():
    rng = np.random.default_rng(2)
    noise = AdditiveNoise("gaussian", scale=0.2, random_state=rng)
    edges = np.linspace(0, 1, 31)
    counts = noise.on(edges).count(noise.transform(rng.beta(2, 5, (2000, 1))))
    channel = noise.on(edges).channel_matrix()
    ends = [
        iterate(channel, counts, start, smooth=True, tol=1e-9)
        for start in (None, rng.dirichlet(np.ones(30)), np.eye(30)[4])
    ]
    for end in ends[1:]:  # what a start lacks comes back, other than in EM
        assert end.probabilities == pytest.approx(ends[0].probabilities, abs=1e-5)


def test_no_spikes_where_em_has_them():
    rng = np.random.default_rng(0)
    noise = AdditiveNoise("uniform", scale=0.7, random_state=rng)
    edges = np.linspace(0, 1, 101)
    counts = noise.on(edges).count(noise.transform(rng.beta(5, 2, (10_000, 1))))
    plain = reconstruct_distribution(None, noise, edges, counts=counts, stop=None, max_iter=2000)
    smooth = reconstruct_distribution(None, noise, edges, counts=counts, smooth=True)
    rough = [np.abs(np.diff(r.probabilities, 2)).sum() for r in (plain, smooth)]
    # the second differences of the true density add up to 0.012
    assert rough[0] > 0.1
    assert rough[1] < 0.02


def test_the_stop_rule_follows():
    channel, counts = [[0.8, 0.2], [0.2, 0.8]], [410, 590]
    tol, chi2 = (em(channel, counts, stop=stop) for stop in ("tol", "chi2"))
    assert em(channel, counts).n_iter == chi2.n_iter != tol.n_iter
    smooth = {s: em(channel, counts, smooth=True, stop=s) for s in ("auto", "tol", "chi2")}
    assert smooth["auto"].n_iter == smooth["tol"].n_iter != smooth["chi2"].n_iter


def test_wide_offsets_are_no_several_widths():
    edges = 1e6 + np.linspace(0, 1, 21)
    noise = AdditiveNoise("uniform", scale=0.3)
    found = reconstruct_distribution(edges[:-1] + 0.02, noise, edges, smooth=True)
    assert found.probabilities.sum() == pytest.approx(1)
