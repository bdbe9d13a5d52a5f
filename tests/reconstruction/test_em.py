"""The steps of the iteration against the literal formula, whatever is left out or looked at."""

import numpy as np
import pytest

from ppdm.datasets import make_plateau, make_triangles
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import _iteration as iteration
from ppdm.reconstruction import em, reconstruct_distribution

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
def test_values_never_released_are_left_out_without_a_trace(unreleased):
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
    with pytest.raises(ValueError, match="got 4 at released value 3"):
        em([[0.5, 0.5], [0, 0], [0.5, 0.5], [0, 0]], [0, 0, 2, 4])


@pytest.mark.parametrize("stop", ["chi2", "tol"])
@pytest.mark.parametrize("guess", [1, 5, 10_000])
def test_how_often_the_rule_is_looked_at_changes_nothing(monkeypatch, guess, stop):
    noise = AdditiveNoise("gaussian", scale=0.25, random_state=0)
    X = np.hstack([make_plateau(5000, random_state=0), make_triangles(5000, random_state=0)])
    W = noise.fit_transform(X)

    def alone_and_together():
        run = {"stop": stop, "tol": 1e-4}
        yield reconstruct_distribution(W[:, 0], noise, TWENTY, **run)
        yield reconstruct_distribution(W, noise, np.stack([TWENTY, TWENTY]), **run)

    before = list(alone_and_together())
    monkeypatch.setattr(iteration, "_steps_left", lambda change, limit: guess)
    monkeypatch.setattr(iteration, "_LARGEST", guess)
    for old, new in zip(before, alone_and_together(), strict=True):
        assert np.min(old.n_iter) > 2 * iteration._BLOCK  # or one look would have done
        assert np.array_equal(old.n_iter, new.n_iter)
        assert new.history == pytest.approx(old.history, abs=1e-14)
        assert new.log_likelihood == pytest.approx(old.log_likelihood, rel=1e-14)


def test_the_guess_of_the_steps_left():
    # halved at each step, 1024 is below 1 after 10; one in ten is added
    falling = 1024 * 2.0 ** np.arange(3, -1, -1)
    assert iteration._steps_left(falling[:, None, None], 1.0) == 11
    # the slowest distribution counts
    both = np.stack([falling, falling / 1000], axis=1)[:, None]
    assert iteration._steps_left(both, 1.0) == 11
    assert iteration._steps_left(falling[:, None, None], 1000.0) == iteration._FEWEST
    for unknown in (falling[::-1], falling[:1], np.full(4, 3.0)):
        assert iteration._steps_left(unknown[:, None, None], 1.0) == iteration._BLOCK
    assert iteration._steps_left(falling[:, None, None], 0.0) == iteration._BLOCK
