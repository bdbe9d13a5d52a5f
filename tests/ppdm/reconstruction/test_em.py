"""The steps of the iteration against the literal formula, alone and in stacks."""

import numpy as np
import pytest

from ppdm.datasets import make_plateau, make_triangles
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import em

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


@pytest.mark.parametrize("unreleased", [[0], [6], [2, 3], [0, 1, 5, 6], [0, 1, 2, 3, 5, 6]])
def test_values_never_released_leave_no_trace(unreleased):
    rng = np.random.default_rng(0)
    channel = rng.dirichlet(np.ones(7), 5).T
    counts = rng.integers(1, 100, 7)
    counts[unreleased] = 0
    path, fits = literal(channel, counts, 40)
    result = em(channel, counts, stop=None, max_iter=40)
    assert result.history == pytest.approx(path, abs=1e-12)
    assert result.log_likelihood == pytest.approx(fits, rel=1e-12)
    assert result.n == counts.sum()


def test_a_value_that_one_group_released_is_kept_for_it():
    # value 0 nobody has, value 1 the first group only, value 4 the second only
    rng = np.random.default_rng(1)
    channel = rng.dirichlet(np.ones(5), 3).T
    counts = np.array([[0, 7, 20, 30, 0], [0, 0, 25, 10, 40], [0, 0, 0, 0, 0]])
    together = em(channel, counts, stop=None, max_iter=30)
    for k in range(2):
        path, fits = literal(channel, counts[k], 30)
        assert together.history[:, k] == pytest.approx(path, abs=1e-12)
        assert together.log_likelihood[:, k] == pytest.approx(fits, rel=1e-12)


def test_an_impossible_value_keeps_its_number():
    with pytest.raises(ValueError, match=r"got 0\.5 at \(1,\)"):
        em([[1, 1], [0, 0]], [1, 0.5])
    with pytest.raises(ValueError, match=r"got 4 at \(.*3,?\)"):
        em([[0.5, 0.5], [0, 0], [0.5, 0.5], [0, 0]], [0, 0, 2, 4])


@pytest.mark.parametrize("stop", ["chi2", "tol"])
def test_several_counts_are_their_distributions_one_by_one(stop):
    noise = AdditiveNoise("gaussian", scale=0.25, random_state=0)
    X = np.hstack([make_plateau(5000, random_state=0), make_triangles(5000, random_state=0)])
    channel = noise.on(TWENTY)
    counts = np.array([channel.count(column) for column in noise.fit_transform(X).T])
    run = {"stop": stop, "tol": 1e-4}
    together = em(channel, counts, **run)
    for j in range(2):
        alone = em(channel, counts[j], **run)
        steps = alone.n_iter
        assert together.n_iter[j] == steps
        assert together.history[: steps + 1, j] == pytest.approx(alone.history, abs=1e-14)
        assert (together.history[steps:, j] == together.history[steps, j]).all()
        fit = together.log_likelihood[:, j]
        assert fit[: steps + 1] == pytest.approx(alone.log_likelihood)
        assert fit[steps:] == pytest.approx(np.full(len(fit) - steps, fit[steps]))
    assert np.ptp(together.n_iter) > 0  # one stands still while the other moves


def test_going_on_past_the_stop_overfits():
    # 300 draws of 1,000 had .186 at the stop, with a spread of .007, and .56 (.14) at the end:
    # means of five are four of their standard errors within .013 and .25
    rng, plateau = np.random.default_rng(1), np.where(np.abs(np.arange(20) - 9.5) < 5, 0.1, 0)
    noise = AdditiveNoise("gaussian", domain=[[0, 1]], random_state=rng)
    bound = noise.on(TWENTY)
    off = []
    for _ in range(5):
        counts = bound.count(noise.transform(make_plateau(1_000, random_state=rng))[:, 0])
        stopped = em(bound, counts)
        walk = em(bound, counts, stop=None, max_iter=20_000)
        off.append(np.abs(walk.history[[stopped.n_iter, -1]] - plateau).sum(axis=1) / 2)
        assert walk.log_likelihood[-1] > walk.log_likelihood[stopped.n_iter]
    at_stop, at_end = np.mean(off, axis=0)
    assert at_stop == pytest.approx(0.186, abs=0.013)
    assert at_end > 0.56 - 0.25 > at_stop


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
