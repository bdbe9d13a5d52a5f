"""Coins in parallel: copies of a scheme in other processes are independent, and repeatable."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import cross_val_score

from ppdm.classifiers import DisguisedClassifier
from ppdm.datasets import load_voting
from ppdm.generation import PrivateTreeGenerator
from ppdm.noise import AdditiveNoise, Piecewise, SquareWave
from ppdm.randomized_response import (
    CategoricalRandomizedResponse,
    HadamardResponse,
    MemoizedResponse,
    MixedResponse,
    RandomizedResponse,
    UnaryEncoding,
)

N = 4000
ZEROS = np.zeros((N, 1), dtype=int)
#: Everything that draws when it disguises, with what two of its releases have in common.
SCHEMES = {
    "coin": lambda rng: RandomizedResponse(0.7, random_state=rng),
    "k-ary": lambda rng: CategoricalRandomizedResponse(2, 0.7, random_state=rng),
    "unary": lambda rng: UnaryEncoding(2, 1.0, random_state=rng),
    "Hadamard": lambda rng: HadamardResponse(2, 1.0, random_state=rng),
    "mixed": lambda rng: MixedResponse([RandomizedResponse(0.7)], random_state=rng),
    "Laplace": lambda rng: AdditiveNoise("laplace", scale=1.0, random_state=rng),
    "Gaussian": lambda rng: AdditiveNoise("gaussian", scale=1.0, random_state=rng),
    "Square Wave": lambda rng: SquareWave(1.0, domain=[[0, 1]], random_state=rng),
    "Piecewise": lambda rng: Piecewise(1.0, domain=[[0, 1]], random_state=rng),
}


def release(scheme, X=ZEROS):
    return np.asarray(scheme.fit(X).transform(X), dtype=float)


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


@pytest.mark.parametrize("name", SCHEMES)
def test_copies_in_one_process_share_their_stream(name):
    scheme = SCHEMES[name](np.random.default_rng(0))
    for twin in (clone(scheme), copy.copy(scheme)):
        assert twin.random_state is scheme.random_state
    assert not alike(release(scheme), release(clone(scheme)))
    fixed = SCHEMES[name](3)
    np.testing.assert_array_equal(release(fixed), release(pickle.loads(pickle.dumps(fixed))))


def test_memory_draws_a_stream_of_its_own_in_a_copy():
    memo = MemoizedResponse(2, 1.0, random_state=np.random.default_rng(0))
    copies = [pickle.loads(pickle.dumps(memo)) for _ in range(2)]
    assert not alike(*(np.asarray(each.report(ZEROS), float) for each in (*copies,)))
    assert not alike(np.asarray(copies[0].report(ZEROS), float),
                     np.asarray(memo.report(ZEROS), float))  # fmt: skip


def test_a_generator_that_cannot_spawn_is_named():
    old = np.random.Generator(np.random.RandomState(0)._bit_generator)
    scheme = RandomizedResponse(0.7, random_state=old)
    with pytest.raises(TypeError, match="random_state must be a Generator that can spawn"):
        pickle.dumps(scheme)


def test_two_columns_of_a_transformer_lie_in_rows_of_their_own():
    # .7 * .7 + .3 * .3 of the rows tell both or neither the truth
    for n_jobs in (None, 2):
        coin = RandomizedResponse(0.7, random_state=np.random.default_rng(0))
        both = ColumnTransformer([("a", coin, [0]), ("b", coin, [1])], n_jobs=n_jobs)
        said = np.asarray(both.fit_transform(np.zeros((N, 2), dtype=int)))
        same = (said[:, 0] == said[:, 1]).mean()
        assert abs(same - 0.58) < 5 * np.sqrt(0.58 * 0.42 / N), n_jobs


def test_chunks_in_parallel_are_independent_and_repeatable():
    def chunks():
        coin = RandomizedResponse(0.7, random_state=np.random.default_rng(0)).fit(ZEROS)
        tasks = [delayed(coin.transform)(ZEROS) for _ in range(4)]
        return [np.asarray(one, float) for one in Parallel(n_jobs=2, batch_size=1)(tasks)]

    found = chunks()
    for i in range(4):
        for j in range(i):
            assert not alike(found[i], found[j]), (i, j)
        np.testing.assert_array_equal(found[i], chunks()[i])


def test_folds_in_parallel_have_coins_of_their_own():
    """The mean of five scores spreads as much with two jobs as with one."""
    X, y = load_voting(random_state=0, return_X_y=True)
    groups = [[j] for j in range(16)]

    def means(n_jobs):
        found = []
        for seed in range(24):
            coins = RandomizedResponse(0.6, groups, random_state=np.random.default_rng(seed))
            scores = cross_val_score(DisguisedClassifier(coins), X, y, cv=5, n_jobs=n_jobs)
            found.append(scores.mean())
        return np.std(found, ddof=1)

    # two standard deviations from 24 each: a ratio beyond sqrt(F(.9995; 23, 23)) = 2.1 is no chance
    assert 1 / 2.1 < means(2) / means(None) < 2.1


def _in_process(scheme, queue):
    queue.put(release(scheme))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("fitted", [False, True])
def test_processes_that_start_with_a_scheme_draw_apart(method, fitted):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    context = multiprocessing.get_context(method)
    scheme = RandomizedResponse(0.7, random_state=np.random.default_rng(0))
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
        release(RandomizedResponse(0.7, random_state=np.random.default_rng(5))),
    )
    worker.join()


def _made_there(queue):
    queue.put(release(RandomizedResponse(0.7, random_state=np.random.default_rng(5))))


def test_a_generator_release_draws_apart_too():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (300, 3)), rng.integers(0, 2, 300)
    made = PrivateTreeGenerator(epsilon=1.0, random_state=np.random.default_rng(0))
    copies = [pickle.loads(pickle.dumps(made)).fit_resample(X, y)[0] for _ in range(2)]
    assert not np.array_equal(*copies)
