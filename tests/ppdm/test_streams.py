"""An int as random_state is a stream of the scheme's own, not that of data drawn with it.

Data drawn with ``default_rng(0)`` and a disguise with ``random_state=0`` once shared their draws:
k-ary response then estimated .973 for a share of .5, and uniform noise was the data, shifted.
Copies in other processes, and tables that are refused, go through the same list of schemes.
"""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from public_doors import DOORS
from sklearn.base import clone

from ppdm import generation, noise
from ppdm import randomized_response as rr
from ppdm.classifiers import DisguisedClassifier
from ppdm.guidance import perturb
from ppdm.protocol import Announcement, DataProvider, GuidanceMessage, GuidedPerturbation, collect
from ppdm.svd import TruncatedSVDPerturbation

N = 4_000
SEEDS = 0, 1, 12_345
APART = [[0], [1]]
DOMAIN = [[-1, 1]] * 2
ZEROS = np.zeros((N, 2), dtype=int)

#: How data may be drawn from ``default_rng(seed)``, (N, 2).
DATA = {
    "random": lambda rng: rng.random((N, 2)),
    "uniform, a column after the other": lambda rng: rng.uniform(-1, 1, (2, N)).T,
    "normal": lambda rng: rng.standard_normal((N, 2)),
    "integers": lambda rng: rng.integers(0, 4, (N, 2)),
    "choice": lambda rng: rng.choice(4, (N, 2), p=[0.4, 0.3, 0.2, 0.1]),
}


def release(scheme):
    """Return what is released of records that are all zero: of the data they know nothing."""
    if isinstance(scheme, rr.MemoizedResponse):
        return scheme.report(ZEROS).astype(float)
    return np.asarray(scheme.fit(ZEROS).transform(ZEROS), dtype=float)


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


#: What draws when it disguises codes or numbers.
SCHEMES = {
    **{f"AdditiveNoise {law}": lambda s, law=law: noise.AdditiveNoise(
        law, scale=1.0, random_state=s) for law in ("uniform", "gaussian", "laplace")},
    "SquareWave": lambda s: noise.SquareWave(1.0, DOMAIN, random_state=s),
    "Piecewise": lambda s: noise.Piecewise(1.0, DOMAIN, random_state=s),
    "RandomizedResponse": lambda s: rr.RandomizedResponse(0.7, APART, random_state=s),
    "RandomizedResponse of one coin": lambda s: rr.RandomizedResponse(0.7, random_state=s),
    "CategoricalRandomizedResponse": lambda s: rr.CategoricalRandomizedResponse(
        4, theta=0.5, random_state=s),
    "HadamardResponse": lambda s: rr.HadamardResponse(4, epsilon=1.0, random_state=s),
    "UnaryEncoding": lambda s: rr.UnaryEncoding(4, epsilon=1.0, random_state=s),
    "MixedResponse": lambda s: rr.MixedResponse(
        [rr.RandomizedResponse(0.7, random_state=0), rr.UnaryEncoding(4, 1.0)], random_state=s),
    "MemoizedResponse": lambda s: rr.MemoizedResponse(4, 1.0, 1.0, random_state=s),
    "unrelated_question": lambda s: rr.unrelated_question(
        0.5, prevalence=[0.4, 0.6], random_state=s),
}  # fmt: skip
DISGUISES = {
    **{name: lambda data, seed, make=make: release(make(seed)) for name, make in SCHEMES.items()},
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
    rooms = ("noise", "randomized_response", "guidance", "protocol", "generation", "dask")
    drawing = {
        name.partition(".")[2] for name, door in DOORS.items()
        if name.count(".") == 1 and name.startswith(rooms)
        and "random_state" in inspect.signature(door).parameters
    }  # fmt: skip
    assert drawing - {name.split()[0] for name in DISGUISES} == NO_DISGUISE


def test_a_clone_has_the_generator_itself_and_no_copy():
    """A copy would toss the same coins again: two bits would share one."""
    rng = np.random.default_rng(0)
    for scheme in (rr.RandomizedResponse(0.7, random_state=rng), noise.SquareWave(1.0, None, rng),
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


# --- copies of a scheme in other processes are independent, and repeatable ---


def alike(a, b):
    """Whether two releases of equal records are the same draws, or correlated."""
    if np.array_equal(a, b):
        return True
    # the correlation of independent columns has a standard error of 1/sqrt(N)
    return abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]) > 5 / np.sqrt(N)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_pickled_copy_draws_a_stream_of_its_own(name):
    # Catches: a copy in a worker that tosses the coins of the next worker, or of its parent.
    scheme = SCHEMES[name](np.random.default_rng(0))
    pickled = [pickle.dumps(scheme) for _ in range(2)]
    copies = [release(pickle.loads(one)) for one in pickled]
    own = release(scheme)
    assert not alike(*copies)
    assert not alike(copies[0], own)
    # pickling moved no draw of the scheme, and one pickle loaded twice draws alike, as it says
    np.testing.assert_array_equal(own, release(SCHEMES[name](np.random.default_rng(0))))
    np.testing.assert_array_equal(copies[0], release(pickle.loads(pickled[0])))


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "MemoizedResponse"])
def test_copies_in_one_process_share_their_stream(name):
    scheme = SCHEMES[name](np.random.default_rng(0))
    for twin in (clone(scheme), copy.copy(scheme)):
        assert twin.random_state is scheme.random_state
    assert not alike(release(scheme), release(clone(scheme)))
    fixed = SCHEMES[name](3)
    np.testing.assert_array_equal(release(fixed), release(pickle.loads(pickle.dumps(fixed))))


def test_a_generator_that_cannot_spawn_is_named():
    old = np.random.Generator(np.random.RandomState(0)._bit_generator)
    scheme = rr.RandomizedResponse(0.7, random_state=old)
    with pytest.raises(TypeError, match="random_state must be a Generator that can spawn"):
        pickle.dumps(scheme)


def test_chunks_in_parallel_are_independent_and_repeatable():
    def chunks():
        coin = rr.RandomizedResponse(0.7, random_state=np.random.default_rng(0)).fit(ZEROS)
        tasks = [delayed(coin.transform)(ZEROS) for _ in range(4)]
        return [np.asarray(one, float) for one in Parallel(n_jobs=2, batch_size=1)(tasks)]

    found = chunks()
    for i in range(4):
        for j in range(i):
            assert not alike(found[i], found[j]), (i, j)
        np.testing.assert_array_equal(found[i], chunks()[i])


def _in_process(scheme, queue):
    queue.put(release(scheme))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("fitted", [False, True])
def test_processes_that_start_with_a_scheme_draw_apart(method, fitted):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    context = multiprocessing.get_context(method)
    scheme = rr.RandomizedResponse(0.7, random_state=np.random.default_rng(0))
    if fitted:
        scheme.fit(ZEROS)
    queue = context.Queue()
    workers = [context.Process(target=_in_process, args=(scheme, queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert not alike(*found)
    assert not alike(found[0], release(scheme))


def test_a_generator_of_the_child_is_its_own():
    # what is made after the fork is repeatable there
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot fork")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    worker = context.Process(target=_made_there, args=(queue,))
    worker.start()
    np.testing.assert_array_equal(
        queue.get(timeout=60),
        release(rr.RandomizedResponse(0.7, random_state=np.random.default_rng(5))),
    )
    worker.join()


def _made_there(queue):
    queue.put(release(rr.RandomizedResponse(0.7, random_state=np.random.default_rng(5))))


def test_a_generator_release_draws_apart_too():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (300, 3)), rng.integers(0, 2, 300)
    made = generation.PrivateTreeGenerator(epsilon=1.0, random_state=np.random.default_rng(0))
    copies = [pickle.loads(pickle.dumps(made)).fit_resample(X, y)[0] for _ in range(2)]
    assert not np.array_equal(*copies)


# --- a table that is refused leaves no half of a fit behind: the mended one is then taken ---

RANGES, KRR = [[0, 1], [0, 1]], rr.CategoricalRandomizedResponse(2, epsilon=1)
FITTED = {
    **{name: make(0) for name, make in SCHEMES.items() if name != "MemoizedResponse"},
    "by name": rr.MixedResponse({"a": rr.RandomizedResponse(0.8), "b": KRR}, random_state=0),
    "some asked": rr.MixedResponse({"a": rr.RandomizedResponse(0.8), "b": rr.UnaryEncoding(2)},
                                   epsilon=1, asked=1, random_state=0),
    "of an epsilon": noise.AdditiveNoise("laplace", epsilon=1, domain=RANGES, random_state=0),
    "of a learnt range": noise.AdditiveNoise("gaussian", privacy=0.5, random_state=0),
    "SVD": TruncatedSVDPerturbation(1),
}  # fmt: skip
GOOD = pd.DataFrame({"a": [0, 1, 1, 0, 1], "b": [1, 0, 0, 1, 1]})
BAD = {
    "a missing value": GOOD.replace(1, np.nan),
    "a text": GOOD.replace({0: "no", 1: "yes"}).astype(object),
    "another name": GOOD.rename(columns={"a": "z"}),
    "another width": GOOD[["a"]],
    "other values": GOOD - 5,
    "no people": GOOD[:0],
}


def of(scheme):
    """What a scheme releases, or that it refuses."""
    return lambda table: pd.DataFrame(scheme.disguise(table)[0]).to_numpy(float)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("scheme", FITTED.values(), ids=FITTED)
@pytest.mark.parametrize("first", ["disguise", "fit"])
def test_a_table_that_is_refused_leaves_nothing_behind(scheme, bad, first):
    fresh, tried = clone(scheme), clone(scheme)
    try:
        getattr(tried, first)(bad)
    except (ValueError, TypeError):
        np.testing.assert_array_equal(of(tried)(GOOD), of(fresh)(GOOD))
    else:
        assert hasattr(tried, "n_features_in_")


@pytest.mark.parametrize("scheme", FITTED.values(), ids=FITTED)
def test_a_second_fit_that_is_refused_keeps_the_first(scheme):
    twice = clone(scheme).fit(GOOD)
    with pytest.raises((ValueError, TypeError)):
        twice.fit(BAD["no people"])
    np.testing.assert_array_equal(of(twice)(GOOD), of(clone(scheme).fit(GOOD))(GOOD))
