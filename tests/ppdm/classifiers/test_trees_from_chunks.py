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
    ReconstructedTreeClassifier,
)
from ppdm.classifiers import _dealing as dealing
from ppdm.guidance import one_hot
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import signed_records
from ppdm.randomized_response._coins import read_reports
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
    at_once, model = (
        RandomizedResponseTreeClassifier(theta, *layout, max_depth=max_depth) for _ in range(2)
    )
    assert same_trees(model.fit_chunks(cut_up(rng, R, z)), at_once.fit(R, z))
    assert model.classes_.tolist() == at_once.classes_.tolist()
    np.testing.assert_array_equal(model.predict_proba(R), at_once.predict_proba(R))


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), layout=st.sampled_from(LAYOUTS), theta=THETAS)
def test_counts_of_kinds_weigh_what_the_signed_records_weigh(seed, layout, theta):
    rng = np.random.default_rng(seed)
    R, z = rng.integers(0, 2, (30, 4)), rng.integers(0, 2, 30)
    options = {"y": z, "groups": layout[0], "class_group": layout[1]}
    records = signed_records(R, theta, **options)
    X, y, counts, worth = signed_counts(*read_reports(R, theta, **options))
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


def disguised(seed, n=900, digits=None):
    """Values with noise; rounded ones have many equals, whose order of arrival decides."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-5, 5, (n, 3))
    y = (X[:, 0] + rng.normal(size=n) > 1).astype(int) + (X[:, 1] > 3)
    noise = AdditiveNoise("gaussian", privacy=0.5, domain=[[-5, 5]] * 3, random_state=rng)
    Z = noise.fit_transform(X)
    return noise, Z if digits is None else np.round(Z, digits), y


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    strategy=st.sampled_from(["none", "randomized", "global", "byclass", "local"]),
    digits=st.sampled_from([None, 1, 0]),
    keep_split=st.booleans(),
    limits=st.sampled_from([(1 << 16, 1 << 20), (200, 50), (40, 0)]),
)
def test_any_chunks_of_values_give_the_same_tree(seed, strategy, digits, keep_split, limits):
    noise, Z, y = disguised(seed, digits=digits)
    how = {"min_node_records": 100, "min_class_records": 10, "max_iter": 100_000}
    if strategy == "none":  # clear values lie inside
        how["n_intervals"] = 9
        Z = np.clip(Z, -5, 5)
    model, at_once = (
        ReconstructedTreeClassifier(
            noise, strategy, integer_features=[1], keep_split=keep_split, **how
        )
        for _ in range(2)
    )
    with pytest.MonkeyPatch.context() as patch:  # few points and few values: more readings
        patch.setattr(dealing, "_POINTS", limits[0])
        patch.setattr(dealing, "_COLLECTED", limits[1])
        model.fit_chunks(cut_up(np.random.default_rng(seed), Z, y))
    assert same_trees(model, at_once.fit(Z, y))
    np.testing.assert_array_equal(model.n_iter_, at_once.n_iter_)
    assert all(map(np.array_equal, model.edges_, at_once.edges_))


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 1e300])
@pytest.mark.parametrize("limits", [(4, 0), (64, 3), (1 << 18, 1 << 20)])
def test_cuts_are_found_whatever_the_values(scale, limits, monkeypatch):
    """Values of all sizes and signs, zeros of both signs, and equal ones."""
    monkeypatch.setattr(dealing, "_POINTS", limits[0])
    monkeypatch.setattr(dealing, "_COLLECTED", limits[1])
    rng = np.random.default_rng(7)
    values = scale * rng.normal(size=(200, 1)) * 10.0 ** -rng.integers(0, 9, (200, 1))
    values[:40] = rng.choice([0.0, -0.0, values[50, 0], values[60, 0]], (40, 1))
    label = rng.integers(0, 2, 200)
    chunks = cut_up(rng, values, label)

    def read(chunk):
        codes = np.zeros((1, len(chunk.X)), dtype=np.int32)
        held = dealing.Values(chunk.X)
        return dealing.Members.at_root(codes, chunk.y, number=chunk.number, values=held)

    ranks = {(0, each): np.arange(size + 1) for each, size in enumerate(np.bincount(label))}
    cuts = dealing.find_cuts(
        dealing.Records(Readings(chunks), read),
        dealing.Dealing(np.array([[0, 1]]), np.ones((2, 1), dtype=bool)),
        ranks,
        np.stack([values.min(axis=0), values.max(axis=0)]),
    )
    held = [chunk for chunk in chunks if len(chunk[0])]
    for (_, each), rank in ranks.items():
        mine = [np.sort(X[y == each, 0]) for X, y in held]
        below = [cuts[0, each].below(part, number) for number, part in enumerate(mine)]
        np.testing.assert_array_equal(np.sum(below, axis=0), rank)
        for k in rank[1:-1]:  # the parts below are the lowest, and of equals the first
            parts = [part[: here[k]] for part, here in zip(mine, below, strict=True)]
            assert np.array_equal(np.sort(np.concatenate(parts)), np.sort(np.concatenate(mine))[:k])
            top = max(part[-1] for part in parts if part.size)
            left = [n for n, (a, b) in enumerate(zip(mine, parts, strict=True))
                    if np.count_nonzero(b == top) < np.count_nonzero(a == top)]
            assert all(not (part == top).any() for part in parts[min(left, default=99) + 1 :])


class Drawn:
    """Chunks that are drawn anew at each reading."""

    def __init__(self, n_chunks, draw):
        self.n_chunks, self.draw = n_chunks, draw

    def __iter__(self):
        return map(self.draw, range(self.n_chunks))


def draw_values(seed):
    X = np.random.default_rng(seed).random((2000, 2))
    return X, (X[:, 0] > X[:, 1]).astype(int)


NOISE = AdditiveNoise("uniform", scale=0.2, domain=[[0, 1]] * 2)


def draw_bits(seed):
    R = np.random.default_rng(seed).integers(0, 2, (2000, 8), dtype=np.int8)
    return R, R[:, 0] & R[:, 1]


@pytest.mark.parametrize(
    ("model", "draw", "room"),
    [
        (RandomizedResponseTreeClassifier(0.7, max_depth=3), draw_bits, 50_000),
        (CountTreeClassifier(max_depth=3), draw_values, 50_000),
        # 36 chunks more hold a megabyte; that is what may be collected, so it is made less
        (ReconstructedTreeClassifier(NOISE, n_intervals=10, max_depth=2), draw_values, 100_000),
    ],
)
def test_memory_does_not_grow_with_the_number_of_chunks(model, draw, room, monkeypatch):
    monkeypatch.setattr(dealing, "_COLLECTED", 1000)
    model.fit_chunks(Drawn(2, draw))  # whatever is loaded once
    peaks = []
    for n_chunks in (4, 40):
        tracemalloc.start()
        model.fit_chunks(Drawn(n_chunks, draw))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + room


BITS = np.array([[0, 1], [1, 0], [1, 1]])
PAIR = (BITS, np.array([0, 1, 1]))


@pytest.mark.parametrize(
    "model",
    [
        RandomizedResponseTreeClassifier(0.7),
        GuidedTreeClassifier([2]),
        ReconstructedTreeClassifier(NOISE),
    ],
)
def test_what_all_refuse(model):
    with pytest.raises(ValueError, match=r"chunks must be pairs \(X, y\)"):
        model.fit_chunks([(*PAIR, [1, 1, 1])])


def test_what_one_refuses():
    coins, values = RandomizedResponseTreeClassifier, partial(ReconstructedTreeClassifier, NOISE)
    for model, chunks, message in [
        (coins(0.7, None, 0), [(BITS, [1, 1, 1])], "y must have two classes"),
        (values("none"), [PAIR], "n_intervals must be a number where chunks"),
        (values(classes=[0, 1, 2]), [PAIR], r"classes \[0, 1, 2\], .* got \[0, 1\]"),
        (values(), [(BITS[2:], [1]), (BITS[2:], [0])], r"constant .*n_samples=2"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit_chunks(chunks)


def test_the_work_on_a_chunk_can_be_sent_to_another_process(monkeypatch):
    """Whatever adds up the counts elsewhere sends the function of a chunk there."""
    sent = []

    def add_up(self, function, join=add):
        sent.append(function)
        next(self.map(function))  # what a learner notes of its first chunk, it notes here
        return reduce(join, self.map(lambda chunk: pickle.loads(pickle.dumps(function))(chunk)))

    noise, Z, y = disguised(5)
    R = (Z > 0).astype(int)
    monkeypatch.setattr(Readings, "add_up", add_up)
    for learner, X in (
        (partial(ReconstructedTreeClassifier, noise, "byclass"), Z),
        (partial(RandomizedResponseTreeClassifier, 0.8, max_depth=3), R),
    ):
        chunks = cut_up(np.random.default_rng(1), X, y)
        assert same_trees(learner().fit_chunks(chunks), learner().fit(X, y))
    assert sent
