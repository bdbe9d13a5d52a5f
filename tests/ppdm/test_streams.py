"""An int as random_state is a stream of the scheme's own, not that of data drawn with it.

Data drawn with ``default_rng(0)`` and a disguise with ``random_state=0`` once shared their draws:
k-ary response then estimated .973 for a share of .5, and uniform noise was the data, shifted.
"""

import inspect
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer

from ppdm import generation, noise
from ppdm import randomized_response as rr
from ppdm.classifiers import DisguisedClassifier
from ppdm.guidance import perturb
from ppdm.protocol import (
    Announcement,
    DataProvider,
    GuidanceMessage,
    GuidedPerturbation,
    collect,
)
from ppdm.reconstruction import estimate_frequencies

N = 4_000
SEEDS = 0, 1, 12_345
APART = [[0], [1]]
DOMAIN = [[-1, 1]] * 2

#: How data may be drawn from ``default_rng(seed)``, (N, 2).
DATA = {
    "random": lambda rng: rng.random((N, 2)),
    "uniform, a column after the other": lambda rng: rng.uniform(-1, 1, (2, N)).T,
    "normal": lambda rng: rng.standard_normal((N, 2)),
    "integers": lambda rng: rng.integers(0, 4, (N, 2)),
    "choice": lambda rng: rng.choice(4, (N, 2), p=[0.4, 0.3, 0.2, 0.1]),
}


def released(scheme):
    """Return what is released of records that are all zero: of the data they know nothing."""
    return lambda data, seed: scheme(seed).fit_transform(np.zeros((N, 2), dtype=int))


def invented(generator):
    """Return records that are invented from the data: in no row should they be alike."""

    def of_data(data, seed):
        return generator(seed).fit_resample(data, data[:, 0] > data[:, 0].mean())[0]

    return of_data


class Miner:
    """A miner who hands out one vector, by which each bit is 1 with probability 1/4."""

    n_bits, room = 2 * N, 1

    def inquire(self):
        return Announcement(0, 1)

    def ready(self, epoch):
        return GuidanceMessage(epoch, 1, np.full((2 * N, 1), (2 * N) ** -0.5))

    def submit(self, message):
        self.R = message.R

    def receive(self, R, y):
        self.R = R[0]


def guided(send):
    """Return R(t) of one long tuple, every other bit of which is 1."""

    def of_tuple(data, seed):
        miner = Miner()
        send(miner, np.arange(2 * N) % 2, seed)
        return np.reshape(miner.R, (N, 2))

    return of_tuple


def by_perturb(miner, t, seed):
    miner.R = perturb(t, miner.ready(0).V, random_state=seed)


def by_provider(miner, t, seed):
    DataProvider(t, 0, 1, sender="anna", random_state=seed).attempt(miner)


def by_collect(miner, t, seed):
    collect(miner, t[np.newaxis], [0], 1, random_state=seed)


def by_volunteers(data, seed):
    """Return the bits that tell the class, which every other person has, and are hidden alike."""
    y = np.arange(N + 40) % 2
    tuples = np.stack([y, 1 - y, 0 * y, 0 * y + 1], axis=1)
    one = GuidedPerturbation([2, 2], 4, n_volunteers=40, batch_size=N, random_state=seed)
    return one.disguise(tuples, y)[0][40:, :2]


def by_dask(data, seed):
    da = pytest.importorskip("dask.array")
    from ppdm import dask as far

    scheme = noise.AdditiveNoise("uniform", scale=1.0).fit(np.zeros((2, 2)))
    return far.disguise(scheme, da.zeros((N, 2), chunks=(N, 2)), random_state=seed).compute()


DISGUISES = {
    **{
        f"AdditiveNoise {law}": released(
            lambda s, law=law: noise.AdditiveNoise(law, scale=1.0, random_state=s)
        )
        for law in ("uniform", "gaussian", "laplace")
    },
    "SquareWave": released(lambda s: noise.SquareWave(1.0, DOMAIN, random_state=s)),
    "Piecewise": released(lambda s: noise.Piecewise(1.0, DOMAIN, random_state=s)),
    "RandomizedResponse": released(lambda s: rr.RandomizedResponse(0.7, APART, random_state=s)),
    "RandomizedResponse of one coin": released(
        lambda s: rr.RandomizedResponse(0.7, random_state=s)
    ),
    "CategoricalRandomizedResponse": released(
        lambda s: rr.CategoricalRandomizedResponse(4, theta=0.5, random_state=s)
    ),
    "HadamardResponse": released(lambda s: rr.HadamardResponse(4, epsilon=1.0, random_state=s)),
    "UnaryEncoding": released(lambda s: rr.UnaryEncoding(4, epsilon=1.0, random_state=s)),
    "MixedResponse": released(
        lambda s: rr.MixedResponse(
            [rr.RandomizedResponse(0.7, random_state=0), rr.UnaryEncoding(4, 1.0)], random_state=s
        )
    ),
    "MemoizedResponse": lambda data, s: rr.MemoizedResponse(
        4, 1.0, 1.0, random_state=s
    ).report(np.zeros((N, 2), dtype=int)),
    "unrelated_question": released(
        lambda s: rr.unrelated_question(0.5, prevalence=[0.4, 0.6], random_state=s)
    ),
    "perturb": guided(by_perturb),
    "DataProvider": guided(by_provider),
    "collect": guided(by_collect),
    "GuidedPerturbation": by_volunteers,
    "SampleGenerator": invented(lambda s: generation.SampleGenerator(random_state=s)),
    "GaussianSampleGenerator": invented(
        lambda s: generation.GaussianSampleGenerator(random_state=s)
    ),
    "PrivateTreeGenerator": lambda data, seed: invented(
        lambda s: generation.PrivateTreeGenerator(4, epsilon=2.0, random_state=s)
    )(np.digitize(data, np.quantile(data, [0.25, 0.5, 0.75])), seed),
    "disguise": by_dask,
}
#: They draw, and what they draw is no disguise: people's levels, records to try a guidance on.
NO_DISGUISE = {"draw_levels", "answers_read"}


def correlations(data, said):
    """Return the correlations of columns with columns, and number by number as they were drawn."""
    by_row = np.corrcoef(data.T, said.T)[: data.shape[1], data.shape[1] :]
    in_order = np.corrcoef(data.ravel(), said.ravel()[: data.size])[:1, 1:]
    return np.append(by_row.ravel(), in_order)


@pytest.mark.parametrize("name", DISGUISES)
def test_a_seed_is_no_door_to_the_data(name):
    """A correlation has an sd of 1 / sqrt(N); of the 1,275 of all names none is 5 sd off."""
    for seed in SEEDS:
        for kind, drawn in DATA.items():
            data = drawn(np.random.default_rng(seed))
            said = np.asarray(DISGUISES[name](data, seed), dtype=float)
            assert np.abs(correlations(data, said)).max() < 5 / np.sqrt(N), (kind, seed)


def test_no_disguise_is_forgotten():
    drawing = set()
    for room in ("noise", "randomized_response", "guidance", "protocol", "generation", "dask"):
        module = import_module(f"ppdm.{room}")
        drawing |= {
            name
            for name in module.__all__
            if "random_state" in inspect.signature(getattr(module, name)).parameters
        }
    assert drawing - {name.split()[0] for name in DISGUISES} == NO_DISGUISE


def test_the_same_int_repeats_the_draws_and_another_does_not():
    first, again, other = (
        rr.RandomizedResponse(0.7, APART, random_state=seed).fit_transform(np.zeros((N, 2), int))
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert abs(np.corrcoef(first[:, 0], other[:, 0])[0, 1]) < 5 / np.sqrt(N)


def test_one_generator_is_one_in_all_columns_of_a_transformer_and_in_folds():
    """A clone that copied it would toss the same coins again: two bits would share one."""
    rng = np.random.default_rng(0)
    coins = [rr.RandomizedResponse(0.7, random_state=rng) for _ in range(2)]
    columns = ColumnTransformer([("a", coins[0], [0]), ("b", coins[1], [1])])
    lies = columns.set_output(transform="pandas").fit_transform(pd.DataFrame(np.zeros((N, 2), int)))
    assert abs(np.corrcoef(lies.to_numpy().T)[0, 1]) < 5 / np.sqrt(N)
    for scheme in (coins[0], noise.SquareWave(1.0, random_state=rng),
                   generation.GaussianSampleGenerator(random_state=rng)):  # fmt: skip
        assert clone(scheme).random_state is rng
        assert clone(DisguisedClassifier(scheme)).disguise.random_state is rng
    assert clone(noise.SquareWave(1.0, random_state=7)).random_state == 7


def test_two_schemes_with_one_seed_share_no_draws():
    wave, piece = (
        scheme(1.0, DOMAIN, random_state=0).fit_transform(np.zeros((N, 2)))
        for scheme in (noise.SquareWave, noise.Piecewise)
    )
    assert abs(np.corrcoef(wave[:, 0], piece[:, 0])[0, 1]) < 5 / np.sqrt(N)


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_data_that_were_drawn_with_the_seed_are_estimated(seed):
    """Four standard errors, as stated; with shared draws .973 was found for a share of .5."""
    codes = np.random.default_rng(seed).choice(3, (N, 1), p=[0.5, 0.3, 0.2])
    krr = rr.CategoricalRandomizedResponse(n_values=3, epsilon=1.0, random_state=seed)
    found = estimate_frequencies(krr.fit_transform(codes), krr)
    error = found.frequencies - np.bincount(codes[:, 0]) / N
    assert (np.abs(error) < 4 * found.standard_errors).all()
