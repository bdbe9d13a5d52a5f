"""The trees of the miners from chunks are those from all records at once."""

import pickle
import tracemalloc
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import cut_up, same_trees

from ppdm._readings import Readings
from ppdm.classifiers import (
    GuidedTreeClassifier,
    RandomizedResponseTreeClassifier,
)
from ppdm.guidance import one_hot
from ppdm.randomized_response import RandomizedResponse, signed_records
from ppdm.randomized_response._channel import read_reports
from ppdm.randomized_response._signed import signed_counts
from ppdm.tree import CountTreeClassifier

LAYOUTS = [
    (None, None),
    (None, 0),
    (None, "own"),
    ([[0, 3], [1, 2]], 0),
    ([[0], [1], [2], [3]], "own"),
]
THETAS = st.sampled_from([0.0, 0.3, 0.55, 0.7, 1.0])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    layout=st.sampled_from(LAYOUTS),
    theta=THETAS,
    max_depth=st.sampled_from([None, 0, 2]),
)
def test_any_chunks_of_reports_give_the_same_tree(seed, layout, theta, max_depth):
    rng = np.random.default_rng(seed)
    R = rng.integers(0, 2, (60, 4))
    names = np.array(["no", "yes"]) if layout[1] is None else np.arange(2)
    z = names[R[:, 0] & R[:, 2] ^ (rng.random(60) < 0.2)]
    z[:2] = names
    scheme = RandomizedResponse(theta, *layout)
    at_once, model = (
        RandomizedResponseTreeClassifier(scheme, max_depth=max_depth) for _ in range(2)
    )
    assert same_trees(model.fit_chunks(cut_up(rng, R, z)), at_once.fit(R, z))
    assert model.classes_.tolist() == at_once.classes_.tolist()
    np.testing.assert_array_equal(model.predict_proba(R), at_once.predict_proba(R))


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), layout=st.sampled_from(LAYOUTS), theta=THETAS)
def test_counts_of_kinds_weigh_what_the_signed_records_weigh(seed, layout, theta):
    rng = np.random.default_rng(seed)
    R, z = rng.integers(0, 2, (30, 4)), rng.integers(0, 2, 30)
    scheme = RandomizedResponse(theta, *layout)
    records = signed_records(R, scheme, y=z)
    X, y, counts, worth = signed_counts(*read_reports(R, scheme, z))
    np.testing.assert_array_equal(records.X, X)
    np.testing.assert_array_equal(records.y, y)
    np.testing.assert_allclose(worth @ counts, records.weight, atol=1e-6)
    assert (counts == np.rint(counts)).all()


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), pruning=st.sampled_from([None, "sliq", "stochastic"]))
def test_any_chunks_of_tuples_give_the_same_guided_tree(seed, pruning):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (70, 3))
    T, y = one_hot(codes, [2, 2, 2]), codes[:, 0] ^ (rng.random(70) < 0.2)
    at_once, model = (GuidedTreeClassifier([2, 2, 2], pruning=pruning) for _ in range(2))
    assert same_trees(model.fit_chunks(cut_up(rng, T, y)), at_once.fit(T, y))
    assert model.classes_.tolist() == at_once.classes_.tolist()


class Drawn:
    """Chunks that are drawn anew at each reading."""

    def __init__(self, n_chunks, draw):
        self.n_chunks, self.draw = n_chunks, draw

    def __iter__(self):
        return map(self.draw, range(self.n_chunks))


def draw_values(seed):
    X = np.random.default_rng(seed).random((2000, 2))
    return X, (X[:, 0] > X[:, 1]).astype(int)


def draw_bits(seed):
    R = np.random.default_rng(seed).integers(0, 2, (2000, 8), dtype=np.int8)
    return R, R[:, 0] & R[:, 1]


@pytest.mark.parametrize(
    ("model", "draw"),
    [
        (RandomizedResponseTreeClassifier(RandomizedResponse(0.7), max_depth=3), draw_bits),
        (CountTreeClassifier(max_depth=3), draw_values),
    ],
)
def test_memory_does_not_grow_with_the_number_of_chunks(model, draw):
    model.fit_chunks(Drawn(2, draw))  # whatever is loaded once
    peaks = []
    for n_chunks in (4, 40):
        tracemalloc.start()
        model.fit_chunks(Drawn(n_chunks, draw))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 50_000


BITS = np.array([[0, 1], [1, 0], [1, 1]])
PAIR = (BITS, np.array([0, 1, 1]))


@pytest.mark.parametrize(
    "model",
    [RandomizedResponseTreeClassifier(RandomizedResponse(0.7)), GuidedTreeClassifier([2])],
)
def test_what_all_refuse(model):
    with pytest.raises(ValueError, match=r"chunks must be pairs \(X, y\)"):
        model.fit_chunks([(*PAIR, [1, 1, 1])])


def test_a_class_in_a_group_of_coins_is_one_of_two():
    with pytest.raises(ValueError, match="y must have two classes"):
        RandomizedResponseTreeClassifier(RandomizedResponse(0.7, None, 0)).fit_chunks(
            [(BITS, [1, 1, 1])]
        )


def test_the_work_on_a_chunk_can_be_sent_to_another_process(monkeypatch):
    """Whatever adds up the counts elsewhere sends the function of a chunk there."""
    sent = []

    def add_up(self, function, join=add):
        sent.append(function)
        function(next(self._chunks()))  # what a learner notes of its first chunk, it notes here
        return reduce(join, map(pickle.loads(pickle.dumps(function)), self._chunks()))

    X = np.random.default_rng(5).normal(size=(900, 3))
    R, y = (X > 0).astype(int), (X[:, 0] + X[:, 1] > 1).astype(int)
    monkeypatch.setattr(Readings, "add_up", add_up)
    for learner, table in (
        (CountTreeClassifier, X),
        (partial(RandomizedResponseTreeClassifier, RandomizedResponse(0.8), max_depth=3), R),
    ):
        chunks = cut_up(np.random.default_rng(1), table, y)
        assert same_trees(learner().fit_chunks(chunks), learner().fit(table, y))
    assert sent
