"""The steps of the iteration against the literal formula, alone and in stacks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal.square_wave import smoothed_em

from ppdm.datasets import make_plateau, make_triangles
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import em, reconstruct_distribution
from ppdm.reconstruction._em import iterate

TWENTY = np.linspace(0, 1, 21)


def literal(channel, counts, n_steps):
    """The formula of :func:`em` in full, over every released value; with its fits."""
    p = np.full(channel.shape[1], 1 / channel.shape[1])
    path, fits = [p], []
    for _ in range(n_steps + 1):
        mixed = channel @ p
        seen = counts > 0
        fits.append((counts[seen] * np.log(mixed[seen])).sum())
        posterior = channel * p / mixed[:, None]
        p = (counts / counts.sum()) @ posterior
        path.append(p)
    return np.array(path[:-1]), np.array(fits)


@given(
    seed=st.integers(0, 10**6),
    n_released=st.integers(2, 8),
    m=st.integers(2, 8),
    smooth=st.booleans(),
)
def test_steps_are_the_literal_ones(seed, n_released, m, smooth):
    """Also of values that nobody released, or one group and not the other."""
    rng = np.random.default_rng(seed)
    channel = rng.dirichlet(np.ones(n_released), m).T
    counts = rng.integers(1, 50, (2, n_released)) * (rng.random((2, n_released)) < 0.6)
    counts[:, 0] += [0, 1]
    together = em(channel, [*counts, 0 * counts[0]], smooth=smooth, stop=None, max_iter=20)
    assert together.history.sum(axis=-1) == pytest.approx(np.ones((21, 3)))
    for k, own in enumerate(counts):
        if own.any():
            path, fits = literal(channel, own, 20)
            path = smoothed_em(channel, own, 20) if smooth else path
            assert together.history[:, k] == pytest.approx(path, abs=1e-12)
            if not smooth:
                assert together.log_likelihood[:, k] == pytest.approx(fits, rel=1e-9)
                assert np.diff(fits).min() > -1e-9
    # the truth, seen without sampling error, is a fixed point
    truth = rng.dirichlet(np.ones(m))
    still = iterate(channel, 1e6 * channel @ truth, truth, stop=None, max_iter=3)
    assert still.probabilities == pytest.approx(truth, abs=1e-12)


def test_an_impossible_value_keeps_its_number():
    with pytest.raises(ValueError, match=r"got 0\.5 at \(1,\)"):
        em([[1, 1], [0, 0]], [1, 0.5])
    with pytest.raises(ValueError, match=r"got 4 at \(.*3,?\)"):
        em([[0.5, 0.5], [0, 0], [0.5, 0.5], [0, 0]], [0, 0, 2, 4])


@pytest.mark.parametrize("stop", ["chi2", "tol"])
@pytest.mark.parametrize("smooth", [False, True])
def test_several_counts_are_their_distributions_one_by_one(stop, smooth):
    """In a batch of any shape; a group of nobody keeps its start, also with the other rule."""
    noise = AdditiveNoise("gaussian", scale=0.25, random_state=0)
    X = np.hstack([make_plateau(5000, random_state=0), make_triangles(5000, random_state=0)])
    codes = noise.on(TWENTY).codes_of(noise.fit_transform(X).reshape(-1, 1))
    labels = np.tile([0, 1, 2, 3], 2500) % 3
    channel = noise.on(TWENTY).channel_matrix()
    counts = np.array([np.bincount(codes[labels == k], minlength=len(channel)) for k in range(4)])
    run, start = {"stop": stop, "tol": 1e-4, "smooth": smooth}, np.arange(1, 21) / 210
    together = iterate(channel, counts.reshape(2, 2, -1), start, **run)
    assert together.history.shape == (together.n_iter.max() + 1, 2, 2, 20)
    assert together.converged.all()
    assert together.n.tolist() == counts.sum(axis=1).reshape(2, 2).tolist()
    for k, where in enumerate(np.ndindex(2, 2)):
        alone, steps = iterate(channel, counts[k], start, **run), together.n_iter[where]
        assert steps == alone.n_iter
        history, fit = together.history[:, *where], together.log_likelihood[:, *where]
        assert history[: steps + 1] == pytest.approx(alone.history, abs=1e-14)
        assert (history[steps:] == history[steps]).all()
        assert fit[: steps + 1] == pytest.approx(alone.log_likelihood)
        assert fit[steps:] == pytest.approx(np.full(len(fit) - steps, fit[steps]))
    assert together.probabilities[1, 1].tolist() == start.tolist()
    assert np.ptp(together.n_iter) > 0  # one stands still while the other moves


def test_the_papers_rule_stops_at_once_where_little_gets_through():
    shares = np.arange(1, 201) ** -1.2 / (np.arange(1, 201) ** -1.2).sum()
    lie = 1 / (np.e + 199)
    channel = np.full((200, 200), lie) + np.diag(np.full(200, lie * (np.e - 1)))
    counts = np.random.default_rng(0).multinomial(1_000_000, channel @ shares)
    first = em(channel, counts)
    later = em(channel, counts, stop="tol", tol=2e-5, max_iter=100_000, keep_history=False)
    off = [np.abs(found.probabilities - shares).sum() / 2 for found in (first, later)]
    assert first.n_iter == 1
    assert off == pytest.approx([0.65, 0.22], abs=0.06)  # a draw spreads by .02


# Smoothed


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
